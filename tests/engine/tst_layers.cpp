// SPDX-License-Identifier: GPL-3.0-or-later
// Fails when an include crosses a layer (DESIGN, section 2). CMake's include paths stop most of it; this names the
// line.
#include "support/suite.h"

#include <QDirIterator>
#include <QRegularExpression>
#include <QTest>

#include <map>

namespace dyno::tst_layers {

namespace {

//! Parts of the engine that a part may include, besides itself and the public headers.
const std::map<QString, QStringList> kEngineParts{
    {"api", {}},
    {"base", {}},
    {"coro", {"base"}},
    {"metrics", {"base"}},
    {"driver", {"base", "coro"}},
    {"workload", {"base", "coro", "driver", "metrics"}},
    {"server", {"base", "driver"}},
    {"plan", {"base", "driver", "workload", "server"}},
    {"store", {"base", "metrics", "plan"}},
    {"report", {"base", "metrics", "store"}},
    {"import", {"base", "metrics", "store"}},
    {"monitor", {"base", "metrics", "driver"}},
    {"load", {"base", "coro", "driver", "metrics", "workload", "server", "plan", "store", "monitor"}},
    {"recipe", {"base", "driver", "server"}}, // of servers that we start: engine/driver/DRIVER/server
};
constexpr const char* kRecipeList =
    "engine/server/lifecycle/server_recipes.cpp"; //!< of the parts, it alone may include recipes

//! The part of the engine that a file below engine/ belongs to, by its path from there.
QString partOf(const QString& path)
{
    static const QRegularExpression recipe("^driver/\\w+/server/");
    return path.contains(recipe) ? QString("recipe") : path.section('/', 0, 0);
}

//! The rooms of the window, lowest first: each may include those before it, so that no two include each other.
const QStringList kWindowRooms{"parts",   "manual", "plots", "bridge",   "desktop", "plan",
                               "servers", "start",  "run",   "sessions", "compare"};
//! Rooms that stand beside each other, and nevertheless know nothing of each other.
const std::map<QString, QStringList> kStrangers{{"start", {"plan", "servers"}},
                                                {"run", {"plan", "servers", "start"}},
                                                {"sessions", {"plan", "servers", "start", "run"}},
                                                {"compare", {"plan", "servers", "start", "run"}}};

//! Headers of client libraries and the only places that may see them.
const std::map<QString, QStringList> kClientHeaders{
    {"sqlite3.h", {"engine/driver/sqlite/", "engine/store/", "engine/base/sqlite_file.cpp"}},
    {"mysql.h", {"engine/driver/mysql/"}},
    {"mysql/mysql.h", {"engine/driver/mysql/"}},
    {"mariadb/", {"engine/driver/mysql/"}},
    {"mongoc", {"engine/driver/mongodb/"}},
    {"qcustomplot.h", {"widgets/plots/qcp.h"}},
    {"httplib.h", {"engine/monitor/prometheus/"}},
};

bool isQt(const QString& header)
{
    static const QRegularExpression qt("^(Qt[A-Z]\\w*(/.*)?|Q[A-Z]\\w*|q[a-z]+\\.h)$");
    return qt.match(header).hasMatch();
}

//! Why `file` (path from the top) may not include `header`; empty when it may.
QString objection(const QString& file, const QString& header, bool quoted)
{
    for (const auto& [client, places] : kClientHeaders) {
        if (!header.startsWith(client))
            continue;
        for (const QString& place : places) {
            if (file.startsWith(place))
                return {};
        }
        return "a client library's header outside its driver";
    }
    const QStringList path = file.split('/');
    const QString layer = path.at(0);
    if (layer == "engine") {
        if (isQt(header))
            return "Qt in the engine";
        const QString own = partOf(file.section('/', 1));
        if (!quoted || header == "embedded.h" || header == "config.h")
            return {};
        const QString part = header.contains('/') ? partOf(header) : own;
        if (!kEngineParts.contains(own))
            return "an unknown part of the engine: add it to this test";
        if (part == own || kEngineParts.at(own).contains(part))
            return {};
        if (part == "recipe" && file == kRecipeList)
            return {};
        return QString("engine/%1 may not include %2").arg(own, part);
    }
    const bool ofEngine = quoted && kEngineParts.contains(header.section('/', 0, 0)) && header.contains('/');
    // The plan is a room of both; of the engine's there is no include path.
    if (layer == "widgets" && ofEngine && !kWindowRooms.contains(header.section('/', 0, 0)))
        return "widgets/ may include engine/api only";
    if (layer == "widgets" && quoted && path.size() > 2) {
        const QString own = path.at(1);
        if (!kWindowRooms.contains(own))
            return "an unknown room of the window: add it to this test";
        const QString other = header.section('/', 0, 0);
        if (header.contains('/') && kWindowRooms.contains(other) &&
            (kWindowRooms.indexOf(other) > kWindowRooms.indexOf(own) ||
             (kStrangers.contains(own) && kStrangers.at(own).contains(other))))
            return QString("widgets/%1 may not include %2").arg(own, other);
    }
    if (layer == "app") {
        if (ofEngine && header.section('/', 0, 0) != "core")
            return "app/ may include engine/api only";
        if (path.at(1) != "gui" && isQt(header))
            return "Qt outside the window's program";
    }
    if (layer == "widgets" && quoted &&
        (header.startsWith("gui/") || header.startsWith("cli/") || header.startsWith("core/")))
        return "widgets/ may not include app/";
    return {};
}

const QRegularExpression kInclude("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]", QRegularExpression::MultilineOption);

//! The headers of the engine that `file` (path from the top) includes, those that they include too.
void addReached(const QDir& top, const QString& file, QSet<QString>& reached)
{
    QFile source(top.filePath(file));
    QVERIFY2(source.open(QIODevice::ReadOnly | QIODevice::Text), qPrintable(file));
    const QString text = QString::fromUtf8(source.readAll());
    for (auto it = kInclude.globalMatch(text); it.hasNext();) {
        const QString header = it.next().captured(2);
        for (const QString& place : {file.section('/', 0, -2), QString("engine"), QString("engine/api")}) {
            const QString found = place + '/' + header;
            if (!QFileInfo(top.filePath(found)).isFile() || reached.contains(found))
                continue;
            reached.insert(found);
            addReached(top, found, reached);
        }
    }
}

} // namespace

class TstLayers : public QObject
{
    Q_OBJECT
private slots:
    void forbiddenIncludesAreSeen_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("header");
        QTest::addColumn<bool>("quoted");
        QTest::addColumn<bool>("allowed");
        QTest::newRow("engine and Qt") << "engine/load/a.cpp"
                                       << "QString" << false << false;
        QTest::newRow("engine and QtCore") << "engine/load/a.cpp"
                                           << "QtCore/qglobal.h" << false << false;
        QTest::newRow("widgets and internals") << "widgets/run/a.cpp"
                                               << "metrics/recorder.h" << true << false;
        QTest::newRow("widgets and api") << "widgets/run/a.cpp"
                                         << "dyno/plan.h" << false << true;
        QTest::newRow("workload and client") << "engine/workload/oltp/a.cpp"
                                             << "mysql.h" << false << false;
        QTest::newRow("driver and client") << "engine/driver/mysql/a.cpp"
                                           << "mysql.h" << false << true;
        QTest::newRow("driver and other client") << "engine/driver/mysql/a.cpp"
                                                 << "sqlite3.h" << false << false;
        QTest::newRow("base and client") << "engine/base/a.cpp"
                                         << "sqlite3.h" << false << false;
        QTest::newRow("base and load") << "engine/base/a.cpp"
                                       << "load/data/loader.h" << true << false;
        QTest::newRow("driver and workload") << "engine/driver/null/a.cpp"
                                             << "workload/workload.h" << true << false;
        QTest::newRow("recipe and server") << "engine/driver/mysql/server/a.cpp"
                                           << "server/lifecycle/secrets.h" << true << true;
        QTest::newRow("recipe and load") << "engine/driver/mysql/server/a.cpp"
                                         << "load/data/loader.h" << true << false;
        QTest::newRow("driver and server") << "engine/driver/mysql/a.cpp"
                                           << "server/lifecycle/secrets.h" << true << false;
        QTest::newRow("driver and recipe") << "engine/driver/mysql/a.cpp"
                                           << "driver/mysql/server/a.h" << true << false;
        QTest::newRow("server and recipe") << "engine/server/a.cpp"
                                           << "driver/mysql/server/a.h" << true << false;
        QTest::newRow("list of recipes") << kRecipeList << "driver/mysql/server/a.h" << true << true;
        QTest::newRow("load and store") << "engine/load/a.cpp"
                                        << "store/session/session_writer.h" << true << true;
        QTest::newRow("cli and Qt") << "app/cli/a.cpp"
                                    << "QCoreApplication" << false << false;
        QTest::newRow("cli and engine") << "app/cli/a.cpp"
                                        << "load/data/loader.h" << true << false;
        QTest::newRow("page and plots") << "widgets/run/a.cpp"
                                        << "plots/plot_card.h" << true << true;
        QTest::newRow("plots and page") << "widgets/plots/a.cpp"
                                        << "run/run_page.h" << true << false;
        QTest::newRow("page and other page") << "widgets/compare/a.cpp"
                                             << "run/run_page.h" << true << false;
        QTest::newRow("unknown room") << "widgets/attic/a.cpp"
                                      << "theme.h" << true << false;
        QTest::newRow("plots and qcp") << "widgets/plots/a.cpp"
                                       << "qcustomplot.h" << false << false;
    }
    void forbiddenIncludesAreSeen()
    {
        QFETCH(QString, file);
        QFETCH(QString, header);
        QFETCH(bool, quoted);
        QFETCH(bool, allowed);
        QCOMPARE(objection(file, header, quoted).isEmpty(), allowed);
    }

    void noIncludeCrossesALayer()
    {
        const QDir top(DYNO_SOURCE_DIR);
        QStringList faults;
        int files = 0;
        for (const char* layer : {"engine", "widgets", "app"}) {
            QDirIterator it(top.filePath(layer), {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
            while (it.hasNext()) {
                const QString path = it.next();
                QFile file(path);
                QVERIFY2(file.open(QIODevice::ReadOnly | QIODevice::Text), qPrintable(path));
                ++files;
                int line = 0;
                const QString name = top.relativeFilePath(path);
                while (!file.atEnd()) {
                    ++line;
                    const auto match = kInclude.match(QString::fromUtf8(file.readLine()));
                    if (!match.hasMatch())
                        continue;
                    const QString why = objection(name, match.captured(2), match.captured(1) == "\"");
                    if (!why.isEmpty())
                        faults << QString("%1:%2: %3 (%4)").arg(name).arg(line).arg(match.captured(2), why);
                }
            }
        }
        QVERIFY(files > 50); // the walk saw the tree
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
    }

    //! What follows from a header comes along with it, through the public headers too.
    void driversDoNotSeeThePlan()
    {
        const QDir top(DYNO_SOURCE_DIR);
        QStringList seeing;
        int headers = 0;
        QDirIterator it(top.filePath("engine/driver"), {"*.h"}, QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            const QString name = top.relativeFilePath(it.next());
            if (partOf(name.section('/', 1)) != "driver")
                continue;
            QSet<QString> reached;
            addReached(top, name, reached);
            ++headers;
            if (name == "engine/driver/driver.h")
                QVERIFY(reached.contains("engine/api/dyno/samples.h")); // the walk follows public headers
            if (reached.contains("engine/api/dyno/plan.h"))
                seeing << name;
        }
        QVERIFY(headers > 10);
        QVERIFY2(seeing.isEmpty(), qPrintable(seeing.join(", ")));
    }

    void sourcesCarryTheirLicence()
    {
        const QDir top(DYNO_SOURCE_DIR);
        QStringList without;
        for (const char* layer : {"engine", "widgets", "app", "tests", "resources"}) {
            QDirIterator it(top.filePath(layer), {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
            while (it.hasNext()) {
                const QString path = it.next();
                QFile file(path);
                QVERIFY(file.open(QIODevice::ReadOnly));
                if (!file.readLine().contains("SPDX-License-Identifier: GPL-3.0-or-later"))
                    without << top.relativeFilePath(path);
            }
        }
        QVERIFY2(without.isEmpty(), qPrintable(without.join('\n')));
    }
};

} // namespace dyno::tst_layers

DYNO_SUITE(tst_layers, dyno::tst_layers::TstLayers)
#include "tst_layers.moc"
