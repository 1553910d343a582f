// SPDX-License-Identifier: GPL-3.0-or-later
// Fails when a driver's, product's or proxy's name, or the beginning of its URI, stands as a text outside the driver's
// folder (DESIGN, section 10): what depends on either is asked of the driver. Prose that mentions a product is no such
// text.
#include "support/suite.h"

#include <QDirIterator>
#include <QRegularExpression>
#include <QTest>

namespace dyno::tst_names {

namespace {

//! Files that may name some, each with its reason.
struct Allowed
{
    const char* file;
    const char* why;
};
constexpr Allowed kAllowed[] = {
    {"engine/load/target/private_data.cpp", "the folder of private files is named so in every work folder"},
    {"engine/import/pgbench.cpp", "the log of a tool that knows one product"},
    {"engine/workload/iibench/iibench.cpp", "forms are named after the programs that they follow"},
    {"engine/workload/oltp/params.cpp", "storage engines that sysbench names, one of them after its library"},
    {"app/gui/tour_servers.cpp", "servers that the tour makes up"},
};

//! "mysql", "MariaDB", "mongodb+srv://…", "managed:ferretdb"; not "tpcc-mysql", nor a sentence about MySQL.
const QRegularExpression
    kName("^(managed:)?(mysql|mariadb|percona|percona server|tidb|mongodb|mongod|ferretdb|sqlite|postgres|"
          "postgresql|rocksdb|clickhouse|haproxy|mysqlrouter|mysql router|pgbouncer|null(?=:))(\\+srv)?(:|:\\S.*)?$",
          QRegularExpression::CaseInsensitiveOption);

//! The texts of a line that are names, without comments.
QStringList namesIn(const QString& line)
{
    static const QRegularExpression token("/{2}.*$|'(?:[^'\\\\]|\\\\.)'|\"((?:[^\"\\\\]|\\\\.)*)\"");
    QStringList names;
    if (line.trimmed().startsWith("#include"))
        return names;
    for (auto it = token.globalMatch(line); it.hasNext();) {
        const QString text = it.next().captured(1);
        if (kName.match(text).hasMatch())
            names << text;
    }
    // "null" alone is JSON's and SQL's word too: of a driver where it is compared with an id.
    static const QRegularExpression idOfNull("(driver|id|scheme)\\s*[=!]=\\s*u?\"null\"");
    if (idOfNull.match(line).hasMatch())
        names << "null";
    return names;
}

bool isAllowed(const QString& file)
{
    return std::ranges::any_of(kAllowed, [&file](const Allowed& one) { return file.startsWith(one.file); });
}

} // namespace

class TstNames : public QObject
{
    Q_OBJECT
private slots:
    void namesAreSeen_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QStringList>("names");
        QTest::newRow("id") << "if (driver.id == \"mysql\")" << QStringList{"mysql"};
        QTest::newRow("product") << "return u\"MariaDB\"_s;" << QStringList{"MariaDB"};
        QTest::newRow("scheme") << "parseUri(\"mongodb+srv://host\")" << QStringList{"mongodb+srv://host"};
        QTest::newRow("managed") << "x = \"managed:ferretdb\";" << QStringList{"managed:ferretdb"};
        QTest::newRow("two") << "{\"sqlite\", \"postgresql\"}" << QStringList{"sqlite", "postgresql"};
        QTest::newRow("null") << "if (uri.driver == \"null\")" << QStringList{"null"};
        QTest::newRow("proxy") << "if (path == \"haproxy\")" << QStringList{"haproxy"};
        QTest::newRow("Router") << "if (path == \"mysqlrouter\")" << QStringList{"mysqlrouter"};
        QTest::newRow("pooler") << "if (path == \"pgbouncer\")" << QStringList{"pgbouncer"};
        QTest::newRow("JSON's null") << "out += \"null\";" << QStringList();
        QTest::newRow("null's URI") << "x = \"null:\";" << QStringList{"null:"};
        QTest::newRow("prose") << "tr(\"A million rows are 250 MB in InnoDB, MySQL's engine\")" << QStringList();
        QTest::newRow("sentence") << "\"SQLite: a million are 80 MB.\"" << QStringList();
        QTest::newRow("another program") << "name = \"tpcc-mysql\";" << QStringList();
        QTest::newRow("comment") << "std::string id; //!< \"sqlite\"" << QStringList();
        QTest::newRow("quote") << "c == '\"' || name == \"mysql\"" << QStringList{"mysql"};
        QTest::newRow("include") << "#include \"mysql\"" << QStringList();
    }
    void namesAreSeen()
    {
        QFETCH(QString, line);
        QTEST(namesIn(line), "names");
    }

    void noneOutsideItsFolder()
    {
        static const QRegularExpression ofDriver("^engine/(driver|server/proxy)/[^/]+/");
        const QDir top(DYNO_SOURCE_DIR);
        QStringList faults;
        QSet<QString> needed;
        int drivers = 0;
        for (const char* layer : {"engine", "widgets", "app"}) {
            QDirIterator it(top.filePath(layer), {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
            while (it.hasNext()) {
                QFile file(it.next());
                QVERIFY2(file.open(QIODevice::ReadOnly | QIODevice::Text), qPrintable(file.fileName()));
                const QString name = top.relativeFilePath(file.fileName());
                for (int line = 1; !file.atEnd(); ++line) {
                    for (const QString& text : namesIn(QString::fromUtf8(file.readLine()).chopped(1))) {
                        if (ofDriver.match(name).hasMatch())
                            ++drivers;
                        else if (isAllowed(name))
                            needed << name;
                        else
                            faults << QString("%1:%2: \"%3\"").arg(name).arg(line).arg(text);
                    }
                }
            }
        }
        QVERIFY(drivers > 20); // the walk saw them where they belong
        for (const Allowed& one : kAllowed)
            QVERIFY2(std::ranges::any_of(needed, [&one](const QString& name) { return name.startsWith(one.file); }),
                     one.file);
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
    }
};

} // namespace dyno::tst_names

DYNO_SUITE(tst_names, dyno::tst_names::TstNames)
#include "tst_names.moc"
