// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Hostile plans and sessions, generated from what they would cause and how they would hide it, given to the real
//! `dyno` with real servers. They are judged by what happens: a file that appears or changes, a port that listens to
//! others, a password at a listening socket. Nobody allows anything; a second round allows everything that can be
//! allowed.
#include "cli_test.h"
#include "support/fake_mysql.h"
#include "support/suite.h"

#include <QByteArrayList>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QMap>
#include <QProcess>
#include <QTest>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <vector>

namespace dyno::tst_attacks {

namespace {

constexpr int kAttacks = 200; //!< at least so many

//! A setting of a server that must not be reached: its exact name and a value that does harm. `%1` is the folder of
//! markers.
struct Goal
{
    const char* name;
    const char* value;
};
constexpr Goal kGoals[] = {
    {"plugin_load_add", "%1/evil"},
    {"plugin_load", "evil=%1/evil.so"},
    {"plugin_dir", "%1"},
    {"init_file", "%1/init.sql"},
    {"init_connect", "SELECT 'x' INTO OUTFILE '%1/marker'"},
    {"general_log_file", "%1/marker"},
    {"slow_query_log_file", "%1/marker"},
    {"log_error", "%1/marker"},
    {"log_bin", "%1/marker"},
    {"log_bin_index", "%1/marker"},
    {"relay_log", "%1/marker"},
    {"datadir", "%1"},
    {"tmpdir", "%1"},
    {"innodb_data_home_dir", "%1"},
    {"innodb_data_file_path", "../../../../../../..%1/marker:12M:autoextend"},
    {"innodb_undo_directory", "%1"},
    {"innodb_log_group_home_dir", "%1"},
    {"secure_file_priv", ""},
    {"bind_address", "0.0.0.0"},
    {"skip_networking", "false"},
    {"port", "33999"},
    {"socket", "%1/marker"},
    {"pid_file", "%1/marker"},
    {"skip_grant_tables", "true"},
    {"user", "nobody"},
    {"ssl_key", "%1/marker"},
    {"character_sets_dir", "%1"},
    {"lc_messages_dir", "%1"},
};

//! Ways to write a name so that a check by the exact name misses it, but a server might not.
struct Trick
{
    const char* what;
    std::function<QString(const QString&)> name;
};
const std::vector<Trick>& tricks()
{
    static const std::vector<Trick> kTricks = {
        {"exact", [](const QString& n) { return n; }},
        {"a letter short", [](const QString& n) { return n.chopped(1); }},
        {"three letters short", [](const QString& n) { return n.chopped(3); }},
        {"loose", [](const QString& n) { return "loose_" + n; }},
        {"skip", [](const QString& n) { return "skip_" + n; }},
        {"enable", [](const QString& n) { return "enable_" + n; }},
        {"disable", [](const QString& n) { return "disable_" + n; }},
        {"maximum", [](const QString& n) { return "maximum_" + n; }},
        {"dashes", [](const QString& n) { return QString(n).replace('_', '-'); }},
        {"upper case", [](const QString& n) { return n.toUpper(); }},
        {"look-alike letter",
         [](const QString& n) { return QString(n).replace('o', QChar(0x043e)).replace('e', QChar(0x0435)); }},
        {"blank after it", [](const QString& n) { return n + " "; }},
        {"line break and group", [](const QString& n) { return "sync_binlog=1\n[mysqld]\n" + n; }},
        {"equals sign", [](const QString& n) { return n + "=x#"; }},
        {"global", [](const QString& n) { return "global." + n; }},
        {"nul-like", [](const QString& n) { return n + QChar(0x200b); }},
    };
    return kTricks;
}

QString quoted(const QString& text)
{
    QString result = QStringLiteral("\"");
    for (const QChar c : text) {
        if (c == '"' || c == '\\')
            result += '\\' + QString(c);
        else if (c == '\n')
            result += QStringLiteral("\\n");
        else
            result += c;
    }
    return result + '"';
}

struct Attack
{
    QString what;
    QByteArray plan;
    bool harmless =
        false;          //!< asks for nothing that is forbidden: a server refuses the value, or there is no such server
    bool again = false; //!< tried too when everything is allowed
};

//! Listening sockets of TCP that others than this machine reach: inode and port.
QMap<QByteArray, int> openPorts()
{
    QMap<QByteArray, int> ports;
    for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        QFile file(table);
        if (!file.open(QIODevice::ReadOnly))
            continue;
        for (const QByteArray& line : file.readAll().split('\n').mid(1)) {
            const QList<QByteArray> words = line.simplified().split(' ');
            if (words.size() < 10 || words.at(3) != "0A")
                continue;
            const QList<QByteArray> address = words.at(1).split(':');
            const bool loopback = address.at(0) == "0100007F" || address.at(0) == "00000000000000000000000001000000" ||
                                  address.at(0) == "0000000000000000FFFF00000100007F";
            if (!loopback)
                ports.insert(words.at(9), address.at(1).toInt(nullptr, 16));
        }
    }
    return ports;
}

//! Whether a process that was started with something of this folder has the socket open. Other programs may listen as
//! they like.
bool hasSocket(const QByteArray& folder, const QByteArray& inode)
{
    for (const QString& pid : QDir("/proc").entryList(QDir::Dirs)) {
        QFile command("/proc/" + pid + "/cmdline");
        if (!command.open(QIODevice::ReadOnly) || !command.readAll().contains(folder))
            continue;
        std::error_code problem;
        for (const auto& fd : std::filesystem::directory_iterator(("/proc/" + pid + "/fd").toStdString(), problem)) {
            if (std::filesystem::read_symlink(fd.path(), problem) == "socket:[" + inode.toStdString() + "]")
                return true;
        }
    }
    return false;
}

} // namespace

class TestAttacks : public QObject, private test::CliRig
{
    Q_OBJECT

    QString markers() const { return path("markers"); }

    QByteArray planOf(const QString& uri, const QString& more, const QString& params = "table_size = 50") const
    {
        return ("[target]\nuri = " + quoted(uri) + "\n[workload]\nname = \"oltp_point_select\"\nparams = { " + params +
                " }\n[load]\ntime = \"0.2s\"\ninterval = \"0.1s\"\n" + more)
            .toUtf8();
    }
    static QString set(const QString& key, const QString& value, bool inCase)
    {
        const QString entry = quoted(key) + " = " + (value == "true" || value == "false" ? value : quoted(value));
        return inCase ? "[[axis]]\nname = \"a\"\ncases = [ { label = \"x\", set = { } }, { label = \"y\", set = { " +
                            entry + " } } ]\n"
                      : "[set]\n" + entry + "\n";
    }

    std::vector<Attack> attacks() const
    {
        std::vector<Attack> all;
        // MySQL lies among the servers of this user: a URI with basedir would ask for that alone, whatever the knob is.
        const QStringList servers =
            mysql().isEmpty() ? QStringList{"managed:mariadb"} : QStringList{"managed:mariadb", "managed:mysql"};
        int g = 0;
        for (const Goal& goal : kGoals) {
            for (int t = 0; t < int(tricks().size()); ++t) {
                const Trick& trick = tricks().at(std::size_t(t));
                // Each goal with each trick would be 448: half of them, the same ones each time, each trick on each
                // server.
                if ((g + t) % 2 != 0 && t > 0)
                    continue;
                const QString server = servers.at((g / 2 + g / 4) % servers.size());
                const QString value = QString(goal.value).replace("%1", markers());
                all.push_back({QString("%1, %2, on %3").arg(goal.name, trick.what, server),
                               planOf(server, set("server." + trick.name(goal.name), value, g % 3 == 0))});
                all.back().again = t == 0 || g / 4 % 4 == t % 4;
            }
            ++g;
        }
        if (!mysql().isEmpty()) { // names that only the server's own list refuses
            for (const char* name : {"bind_addres", "por", "secure_file_pri"})
                all.push_back({QString("%1 on MySQL").arg(name),
                               planOf("managed:mysql", set(QString("server.") + name, "1", false))});
        }
        const QString file = markers() + "/marker";
        const auto sql = [&](const QString& what, const QString& key, const QString& value) {
            for (const bool inCase : {false, true})
                all.push_back(
                    {what + (inCase ? ", in a case" : ""), planOf("managed:mariadb", set(key, value, inCase))});
        };
        sql("INTO DUMPFILE", "connection.init_sql", "SELECT 'x' INTO DUMPFILE '" + file + "'");
        sql("INTO OUTFILE after a comment", "connection.init_sql",
            "/*! SELECT 1 */; SELECT 'x' INTO OUTFILE '" + file + "'");
        sql("SET GLOBAL", "connection.init_sql", "SET GLOBAL general_log_file='" + file + "', general_log=1");
        sql("a long statement", "connection.init_sql",
            QString(100'000, ' ') + "SELECT 'x' INTO OUTFILE '" + file + "'");
        sql("a second statement", "table.create_options", "; SELECT 'x' INTO OUTFILE '" + file + "'");
        sql("a folder of its own", "table.create_options", "DATA DIRECTORY='" + markers() + "'");
        sql("options in the engine", "table.engine", "InnoDB DATA DIRECTORY='" + markers() + "'");
        sql("options in the character set", "table.character_set", "utf8mb4 DATA DIRECTORY='" + markers() + "'");
        sql("a value with two lines", "server.sql_mode", "ANSI\ngeneral_log_file=" + file + "\ngeneral_log=1");
        sql("a value with a return", "server.sql_mode", "ANSI\rgeneral_log_file=" + file);
        sql("a path in a plain variable", "server.binlog_format", file);
        sql("a quote in a variable", "connection.sql_mode", "ANSI'; SELECT 'x' INTO OUTFILE '" + file + "'; --");
        all.back().harmless = all.at(all.size() - 2).harmless = true;
        all.push_back({"parameters of sysbench", planOf("managed:mariadb", {},
                                                        "table_size = 50, create_table_options = " +
                                                            quoted("; SELECT 'x' INTO OUTFILE '" + file + "'"))});
        all.push_back(
            {"SQLite attaches a file", planOf("sqlite:" + path("own.db"), {},
                                              "table_size = 50, create_table_options = " +
                                                  quoted("; ATTACH '" + file + "' AS m; CREATE TABLE m.x (a)"))});
        all.push_back({"somebody's database", planOf("sqlite:" + path("app.db"), {})});
        all.push_back({"by a symbolic link", planOf("sqlite:" + path("link.db"), {})});
        all.push_back({"by another path", planOf("sqlite:" + path("x/../app.db"), {})});
        all.push_back({"by the process's own files", planOf("sqlite:/proc/self/cwd/app.db", {})});
        all.push_back({"by the process's root", planOf("sqlite:/proc/self/root" + path("app.db"), {})});
        all.push_back({"where Dynobench was before", planOf("sqlite:" + path("used.db"), {})});
        all.push_back({"its tables, used as they are",
                       planOf("sqlite:" + path("used.db"), {}).replace("[load]", "prepare = \"use\"\n[load]")});
        all.push_back({"a hook of a project", planOf("sqlite:" + path("x/.git/hooks/post-checkout"), {})});
        all.push_back({"a log by a file of the process",
                       planOf("managed:mariadb", set("server.general_log_file", "/proc/self/fd/1", false))});
        all.back().again = true;
        all.push_back(
            {"a folder by the process", planOf("managed:mariadb", set("server.tmpdir", "/proc/self/cwd", true))});
        all.back().again = true;
        all.push_back(
            {"environment by LOAD DATA",
             planOf("managed:mariadb", set("connection.init_sql",
                                           "LOAD DATA LOCAL INFILE '/proc/self/environ' INTO TABLE sbtest1", false))});
        all.push_back({"lines of another protocol",
                       planOf("mongodb://127.0.0.1:1/d", set("connection.app_name", "x\nquit\n", false))
                           .replace("oltp_point_select", "ycsb")
                           .replace("params = { table_size = 50 }\n", "")});
        all.push_back({"program of the plan", planOf("managed:mariadb?basedir=" + path("evil"), {})});
        all.push_back(
            {"program of the plan, as a version", planOf("managed:mariadb?version=../../" + path("evil"), {}), true});
        all.push_back({"a name that leaves the folder", planOf("managed:mariadb?name=../../markers", {})});
        return all;
    }
    static QString mysql() { return qEnvironmentVariable("DYNO_TEST_MYSQL80"); }

    static QByteArray bytesOf(const QString& file)
    {
        QFile in(file);
        return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray("unreadable");
    }

    //! Whether anything but the program's own files is other than before; says what.
    QString harm(const QMap<QByteArray, int>& ports) const
    {
        const QStringList made =
            QDir(markers()).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
        if (made != QStringList{"init.sql"})
            return "files: " + made.join(", ");
        for (auto file = m_files.begin(); file != m_files.end(); ++file) {
            if (bytesOf(path(file.key())) != file.value())
                return file.key() + " was changed";
            if (QFile::exists(path(file.key() + "-wal")) || QFile::exists(path(file.key() + "-shm")))
                return "something lies beside " + file.key();
        }
        if (!QDir(path("x/.git/hooks")).isEmpty())
            return "a hook was made";
        const QMap<QByteArray, int> now = openPorts();
        for (auto socket = now.begin(); socket != now.end(); ++socket) {
            if (!ports.contains(socket.key()) && hasSocket(m_dir.path().toUtf8(), socket.key()))
                return QString("port %1 listens").arg(socket.value());
        }
        return {};
    }

    //! Runs it and looks at the ports all the while.
    QString attack(const Attack& one, const QStringList& more, test::DynoResult& result) const
    {
        const QString plan = write("attack.toml", one.plan);
        const auto ports = openPorts();
        QProcess process;
        test::prepareDyno(process, m_dir, QStringList{"run", plan, "--no-library", "--quiet"} + more,
                          "sesame-of-the-test");
        process.start();
        QElapsedTimer clock;
        clock.start();
        QString found;
        while (!process.waitForFinished(50) && clock.elapsed() < 60'000) {
            if (found.isEmpty())
                found = harm(ports);
        }
        if (process.state() != QProcess::NotRunning) {
            process.kill();
            process.waitForFinished();
            return "it did not end";
        }
        result.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
        result.err = QString::fromUtf8(process.readAllStandardError());
        if (result.code == -2)
            return "it crashed";
        if (result.err.contains("sesame-of-the-test"))
            return "the password was printed";
        return found.isEmpty() ? harm(ports) : found;
    }

    QMap<QString, QByteArray> m_files; //!< somebody's, with what is in them

private slots:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        QVERIFY(QDir().mkpath(markers()) && QDir().mkpath(path("evil/bin")) && QDir().mkpath(path("x")));
        write("markers/init.sql", "SELECT 'x' INTO OUTFILE '" + markers().toUtf8() + "/marker';\n");
        const auto make = [this](const char* name, const char* sql) {
            sqlite3* handle = nullptr;
            QCOMPARE(sqlite3_open(path(name).toUtf8().constData(), &handle), SQLITE_OK);
            QCOMPARE(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK);
            sqlite3_close(handle);
            m_files.insert(name, bytesOf(path(name)));
        };
        make("app.db", "CREATE TABLE customers (id INT); INSERT INTO customers VALUES (1)");
        make("used.db",
             "CREATE TABLE customers (id INT); CREATE TABLE sbtest1 (id INTEGER PRIMARY KEY, k INTEGER, c CHAR(120), "
             "pad CHAR(60)); CREATE TABLE dynobench_meta (name VARCHAR(64) NOT NULL PRIMARY KEY, note TEXT); "
             "INSERT INTO dynobench_meta VALUES ('sbtest1', '1&data=sbtest')");
        QVERIFY(QDir().mkpath(path("x/.git/hooks")));
        if (mysql().isEmpty()) {
            qWarning("MySQL takes no part: DYNO_TEST_MYSQL80 does not name its folder");
        } else {
            QVERIFY(QDir().mkpath(path("data/dynobench/servers")));
            QVERIFY(QFile::link(mysql(), path("data/dynobench/servers/mysql")));
        }
        QVERIFY(QFile::link(path("app.db"), path("link.db")));
        for (const char* name : {"mariadbd", "mysqld", "mariadb-install-db", "mysql_install_db"}) {
            QFile program(
                write("evil/bin/" + QString(name), "#!/bin/sh\nenv > '" + markers().toUtf8() + "/marker'\nexit 1\n"));
            QVERIFY(program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        }
    }

    //! Nothing was allowed: no plan does any of it, and each is refused by a message, not by accident.
    void nothingAllowed()
    {
        const std::vector<Attack> all = attacks();
        QVERIFY2(all.size() >= kAttacks, qPrintable(QString::number(all.size())));
        for (const Attack& one : all) {
            test::DynoResult result;
            const QString found = attack(one, {}, result);
            QVERIFY2(found.isEmpty(), qPrintable(one.what + ": " + found + "\n" + result.err));
            QVERIFY2(result.code == 2 || (one.harmless && result.code != 0),
                     qPrintable(QString("%1: exit code %2\n%3").arg(one.what).arg(result.code).arg(result.err)));
            if (one.what.endsWith(" on MySQL")) // refused for what it is, by the list of that server
                QVERIFY2(result.err.contains("MySQL 8.0") && result.err.contains("has no variable"),
                         qPrintable(result.err));
        }
    }

    //! Somebody allows everything: what no plan may do at all stays undone, by whatever spelling.
    void neverAllowed()
    {
        for (const Attack& one : attacks()) {
            if (!one.again)
                continue;
            test::DynoResult result;
            const QString found = attack(one, {"--allow", "all"}, result);
            QVERIFY2(found.isEmpty(), qPrintable(one.what + ": " + found + "\n" + result.err));
            QVERIFY2(result.code != 0, qPrintable(one.what + " ran"));
        }
    }

    //! The same in a session that somebody sent. A plan in it that has faults is not taken: what is run again then
    //! comes from its points. One without is asked about.
    void inASession()
    {
        const QString library = path("mine.dynolib");
        int refused = 0;
        const auto made = dyno({"run", "--target", "null:", "--workload", "oltp_point_select", "--time", "0.1",
                                "--interval", "0.1", "--no-library", "--quiet", "--out", path("mine.dyno")});
        QVERIFY2(made.code == 0, qPrintable(made.err));
        for (const Attack& one : attacks()) {
            if (one.plan.contains("\"server.") && !one.what.contains("exact"))
                continue;
            const QString file = path("sent.dyno");
            QFile::remove(file);
            QVERIFY(QFile::copy(path("mine.dyno"), file));
            sqlite3* handle = nullptr;
            sqlite3_stmt* statement = nullptr;
            QCOMPARE(sqlite3_open(file.toUtf8().constData(), &handle), SQLITE_OK);
            // Its seals would give it away, so it comes as one of an older version does: without any.
            QCOMPARE(
                sqlite3_exec(handle, "DELETE FROM seal; UPDATE session SET seals = NULL", nullptr, nullptr, nullptr),
                SQLITE_OK);
            QCOMPARE(sqlite3_prepare_v2(handle, "UPDATE session SET plan = ?", -1, &statement, nullptr), SQLITE_OK);
            sqlite3_bind_text(statement, 1, one.plan.constData(), int(one.plan.size()), SQLITE_TRANSIENT);
            QCOMPARE(sqlite3_step(statement), SQLITE_DONE);
            sqlite3_finalize(statement);
            sqlite3_close(handle);
            const auto ports = openPorts();
            QFile::remove(library);
            (void)dyno({"import", file, "--library", library}); // one with faults may be refused here already
            const QString id = dyno({"sessions", "--library", library}).out.section('\n', 1, 1).section(' ', 0, 0);
            const auto run = dyno({"run", "session:" + id, "--library", library, "--quiet"});
            QVERIFY2(harm(ports).isEmpty(), qPrintable(one.what + ": " + harm(ports) + "\n" + run.err));
            refused += run.code == 2 && run.err.contains("--allow") ? 1 : 0;
            QVERIFY2(run.code == 2 || run.code == 0 || one.harmless,
                     qPrintable(QString("%1: exit code %2\n%3").arg(one.what).arg(run.code).arg(run.err)));
        }
        QVERIFY2(refused >= 14, qPrintable(QString::number(refused)));
    }

    void passwordsStayHere_data()
    {
        QTest::addColumn<QString>("scheme");
        QTest::addColumn<QString>("query");
        QTest::addColumn<QString>("greeted");
        QTest::addColumn<QString>("switchedTo");
        QTest::addColumn<QByteArrayList>("then");
        const auto row = [](const char* name, const char* greeted, const char* switchedTo,
                            const QByteArrayList& then = {}, const char* scheme = "mysql", const char* query = "") {
            QTest::newRow(name) << scheme << query << greeted << switchedTo << then;
        };
        row("clear at once", "mysql_clear_password", "");
        row("clear later", "mysql_native_password", "mysql_clear_password");
        row("dialog", "mysql_native_password", "dialog");
        row("dialog that asks", "dialog", "", {"\x04Password: ", "\x02Again: "});
        row("old", "mysql_native_password", "mysql_old_password");
        row("PLAIN", "mysql_native_password", "", {}, "mongodb", "?authMechanism=PLAIN");
        row("PLAIN, in another word", "mysql_native_password", "", {}, "mongodb", "?auth_mechanism=PLAIN");
    }

    //! A password is for the first server of the plan, and never for a method that shows it.
    void passwordsStayHere()
    {
        QFETCH(QString, scheme);
        QFETCH(QString, query);
        QFETCH(QByteArrayList, then);
        QFETCH(QString, greeted);
        QFETCH(QString, switchedTo);
        test::FakeScript script{greeted.toStdString(), switchedTo.toStdString(), {}};
        for (const QByteArray& packet : then)
            script.then.push_back(packet.toStdString());
        test::FakeMysql first(script), second(script);
        QVERIFY(first.listens() && second.listens());
        const auto uri = [&](const test::FakeMysql& server) {
            return QString("%1://root@127.0.0.1:%2/test%3").arg(scheme).arg(server.port()).arg(query);
        };
        const QString plan = write("fake.toml", planOf(uri(first), set("target.uri", uri(second), true)));
        QProcess process;
        test::prepareDyno(process, m_dir, {"run", plan, "--no-library", "--quiet", "--force"}, "sesame-of-the-test");
        process.start();
        QVERIFY(process.waitForFinished(60'000));
        if (scheme == "mysql")
            QVERIFY2(first.visits() > 0, "nobody came");
        for (test::FakeMysql* server : {&first, &second}) {
            QVERIFY2(server->received().find("sesame") == std::string::npos, "the password was sent in clear");
        }
        QVERIFY(process.exitCode() != 0);
        QVERIFY(!process.readAllStandardError().contains("sesame"));
    }

    //! A server that answers a statement by asking for a file of this machine (LOAD DATA LOCAL) gets none, by the
    //! direct path and by the library's calls.
    void noFileIsGiven()
    {
        const QString secret = write("secret", "what only this machine knows\n");
        for (const char* direct : {"always", "off"}) {
            test::FakeScript script;
            script.file = secret.toStdString();
            test::FakeMysql server(script);
            QVERIFY(server.listens());
            const QString uri = QString("mysql://root@127.0.0.1:%1/test").arg(server.port());
            for (const QStringList& what :
                 {QStringList{"check", "--target", uri, "--workload", "oltp_point_select"},
                  QStringList{"run", "--target", uri, "--workload", "oltp_point_select", "--no-library", "--quiet",
                              "--force", "--set", QString("connection.direct=") + direct}}) {
                QProcess process;
                test::prepareDyno(process, m_dir, what, "sesame-of-the-test");
                process.start();
                QVERIFY2(process.waitForFinished(60'000), qPrintable(what.front() + " did not end"));
                QVERIFY(process.exitStatus() == QProcess::NormalExit && process.exitCode() != 0);
            }
            QVERIFY2(server.requests() > 0, "nobody was asked");
            QVERIFY2(server.received().find("only this machine") == std::string::npos, "the file was sent");
        }
    }
};

} // namespace dyno::tst_attacks

DYNO_SUITE(tst_attacks, dyno::tst_attacks::TestAttacks)
#include "tst_attacks.moc"
