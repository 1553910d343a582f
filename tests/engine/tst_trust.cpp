// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a plan of somebody else's asks for, and that nobody is touched before it was agreed to.
#include "base/data_folder.h"
#include "recording_sink.h"
#include "support/suite.h"

#include <dyno/catalog.h>
#include <dyno/preflight.h>
#include <dyno/runner.h>
#include <dyno/trust.h>
#include <dyno/visible_text.h>

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <sqlite3.h>
#include <sys/stat.h>

namespace dyno::tst_trust {

namespace {

Plan parsed(const std::string& toml)
{
    const ParsedPlan plan = parsePlan(toml, "test");
    if (!plan.plan)
        qFatal("%s", plan.faults.empty() ? "no plan" : plan.faults.front().what.c_str());
    return *plan.plan;
}

Plan onMysql(const std::string& more, const std::string& uri = "mysql://root@127.0.0.1:1/test")
{
    return parsed("[target]\nuri = \"" + uri + "\"\n[workload]\nname = \"oltp_point_select\"\n" + more);
}

std::vector<std::string> keysOf(const Plan& plan)
{
    std::vector<std::string> keys;
    for (const Risk& risk : risksOf(plan))
        keys.push_back(risk.key);
    return keys;
}

void makeDatabase(const QString& file, const char* sql)
{
    sqlite3* handle = nullptr;
    QCOMPARE(sqlite3_open(file.toUtf8().constData(), &handle), SQLITE_OK);
    QCOMPARE(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
}

QByteArray contentOf(const QString& file)
{
    QFile in(file);
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray("unreadable");
}

using Keys = std::vector<std::string>;

} // namespace

class TestTrust : public QObject
{
    Q_OBJECT

private slots:
    void recipesNeedNoAgreement()
    {
        QVERIFY(!recipes().empty());
        for (const RecipeInfo& recipe : recipes()) {
            const auto plan = recipePlan(recipe.id);
            QVERIFY(plan);
            auto risks = risksOf(*plan);
            if (recipe.id.starts_with("thp-")) { // what the machine is to do for all programs asks, whoever wrote it
                QVERIFY(!risks.empty());
                std::erase_if(risks, [](const Risk& risk) { return risk.key == "host.transparent_hugepage"; });
            }
            QVERIFY2(risks.empty(), risks.empty() ? "" : (recipe.id + ": " + toText(risks.front())).c_str());
        }
    }

    void whatAsks_data()
    {
        QTest::addColumn<QString>("more");
        QTest::addColumn<QString>("key");
        QTest::newRow("SQL in [set]") << "[set]\n\"connection.init_sql\" = \"SELECT 1\"\n"
                                      << "connection.init_sql";
        QTest::newRow("SQL in a case")
            << "[[axis]]\nname = \"a\"\ncases = [{label=\"x\", set={\"connection.init_sql\"=\"SELECT 1\"}}, "
               "{label=\"y\", set={}}]\n"
            << "connection.init_sql";
        QTest::newRow("table options") << "[set]\n\"table.create_options\" = \"COMMENT='x'\"\n"
                                       << "table.create_options";
        QTest::newRow("sysbench's") << "params = { create_table_options = \"COMMENT='x'\" }\n"
                                    << "workload.create_table_options";
        QTest::newRow("in a case too")
            << "[[axis]]\nname = \"a\"\ncases = [{label=\"x\", "
               "set={\"workload.create_table_options\"=\"COMMENT='x'\"}}, {label=\"y\", set={}}]\n"
            << "workload.create_table_options";
        QTest::newRow("unknown variable") << "[set]\n\"server.something_new\" = 1\n"
                                          << "server.something_new";
        QTest::newRow("known variable") << "[set]\n\"server.innodb_flush_log_at_trx_commit\" = 2\n"
                                        << "server.innodb_flush_log_at_trx_commit";
        QTest::newRow("authority") << "[set]\n\"connection.tls_ca\" = \"/home/x/ca.pem\"\n"
                                   << "connection.tls_ca";
        QTest::newRow("certificate") << "[set]\n\"connection.tls_cert\" = \"/home/x/c.pem\"\n"
                                     << "connection.tls_cert";
        QTest::newRow("key") << "[set]\n\"connection.tls_key\" = \"/home/x/k.pem\"\n"
                             << "connection.tls_key";
        QTest::newRow("unknown variable of sessions") << "[set]\n\"connection.sql_log_bin\" = 0\n"
                                                      << "connection.sql_log_bin";
        QTest::newRow("none") << "[set]\n\"connection.tls\" = \"required\"\n"
                              << "";
        QTest::newRow("empty SQL") << "[set]\n\"connection.init_sql\" = \"\"\n"
                                   << "";
    }
    void whatAsks()
    {
        QFETCH(QString, more);
        QFETCH(QString, key);
        QCOMPARE(keysOf(onMysql(more.toStdString())), key.isEmpty() ? Keys() : Keys{key.toStdString()});
    }

    //! Who is on the way to another machine could pose as it; on this machine nobody is.
    void weakTls()
    {
        QCOMPARE(keysOf(onMysql("", "mysql://root@db1/test")), Keys());
        QCOMPARE(keysOf(onMysql("", "mysql://root@db1/test?tls=verify")), Keys());
        QCOMPARE(keysOf(onMysql("", "mysql://root@127.0.0.1/test?tls=off")), Keys());
        for (const char* tls : {"off", "required"}) {
            QCOMPARE(keysOf(onMysql("", std::string("mysql://root@db1/test?tls=") + tls)), Keys{"target.uri"});
            const std::string set = std::string("[set]\n\"connection.tls\" = \"") + tls + "\"\n";
            QCOMPARE(keysOf(onMysql(set, "mysql://root@db1/test")), Keys{"connection.tls"});
        }
        // Typed as the target, it is this person's own word.
        const Plan file = onMysql("", "managed:mariadb"), run = onMysql("", "mysql://root@db1/test?tls=off");
        QVERIFY(unanswered(run, typedIn(file, run)).empty());
    }

    void thisMachineAndPrograms()
    {
        const Plan host = onMysql("[set]\n\"host.cpu_governor\" = \"performance\"\n", "managed:mariadb");
        QCOMPARE(keysOf(host), Keys{"host.cpu_governor"});
        const auto program = risksOf(onMysql("", "managed:mariadb?basedir=/home/x/evil"));
        QCOMPARE(program.size(), std::size_t(1));
        QCOMPARE(program.front().key, std::string("target.uri"));
        QVERIFY(program.front().wants.find("/home/x/evil") != std::string::npos);
        // In one case of many, as an attacker would hide it.
        const Plan hidden = onMysql("[[axis]]\nname = \"s\"\ncases = [{label=\"x\", set={}}, {label=\"y\", "
                                    "set={\"target.uri\"=\"managed:mariadb?basedir=/tmp/x\"}}]\n",
                                    "managed:mariadb");
        QCOMPARE(keysOf(hidden), Keys{"target.uri"});
    }

    //! Whoever changes somebody's server is asked; a server of our own for the session is nobody's.
    void variablesOfServers()
    {
        const char* set = "[set]\n\"server.max_connections\" = 200\n";
        const auto risks = risksOf(onMysql(set));
        QCOMPARE(risks.size(), std::size_t(1));
        QCOMPARE(risks.front().value, std::string("200"));
        QVERIFY2(risks.front().wants.find("mysql://root@127.0.0.1:1/test") != std::string::npos,
                 risks.front().wants.c_str());
        QCOMPARE(keysOf(onMysql(set, "managed:mariadb")), Keys());
        // A server that only one case names.
        QCOMPARE(
            keysOf(onMysql(std::string(set) + "[[axis]]\nname = \"s\"\ncases = [{label=\"x\", set={}}, {label=\"y\", "
                                              "set={\"target.uri\"=\"mysql://root@127.0.0.1:1/test\"}}]\n",
                           "managed:mariadb")),
            Keys{"server.max_connections"});
    }

    void filesThatAUriNames_data()
    {
        QTest::addColumn<QString>("uri");
        QTest::addColumn<QString>("told"); //!< "" = nothing is asked
        QTest::newRow("authority") << "mysql://h/d?tls=verify&tls_ca=/home/x/ca.pem"
                                   << "tls_ca=/home/x/ca.pem";
        QTest::newRow("certificate") << "mysql://h/d?tls=verify&tls_cert=c.pem&tls_key=k.pem"
                                     << "tls_key=k.pem";
        QTest::newRow("none") << "mysql://h/d?tls=verify"
                              << "";
        if (!findDriver("mongodb"))
            return;
        QTest::newRow("another product") << "mongodb://h/d?tls=verify&tls_cert_key=/home/x/k.pem"
                                         << "tls_cert_key=/home/x/k.pem";
        QTest::newRow("another word") << "mongodb://h/d?tls=true&tlsCAFile=/home/x/ca.pem"
                                      << "tlsCAFile=/home/x/ca.pem";
    }
    void filesThatAUriNames()
    {
        QFETCH(QString, uri);
        QFETCH(QString, told);
        const auto risks = risksOf(onMysql("", uri.toStdString()));
        QCOMPARE(risks.empty(), told.isEmpty());
        bool found = told.isEmpty();
        for (const Risk& risk : risks) {
            QCOMPARE(risk.key, std::string("target.uri"));
            found = found || risk.wants.find(told.toStdString()) != std::string::npos;
        }
        QVERIFY2(found, risks.empty() ? "" : risks.front().wants.c_str());
    }

    void aLogOfCommands()
    {
        if (!findDriver("mongodb"))
            QSKIP("this build has no driver with such a log");
        QCOMPARE(keysOf(onMysql("[set]\n\"connection.command_log\" = \"/home/x/log\"\n", "mongodb://h/d")),
                 Keys{"connection.command_log"});
    }

    void textIsOneLineAndWhole()
    {
        const Risk risk{"connection.init_sql",
                        "SELECT 1\nallowed = \x1b[31mall\xe2\x80\xae" + std::string(1000, 'x') + "END", "send"};
        const std::string text = toText(risk);
        QVERIFY(text.find('\n') == std::string::npos && text.find('\x1b') == std::string::npos);
        QVERIFY(text.find("SELECT 1\\u{0A}allowed = \\u{1B}[31mall\\u{202E}xxx") != std::string::npos);
        QVERIFY(text.find("xEND\"") != std::string::npos);
    }

    void visible_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("shown");
        const auto row = [](const char* name, const char* text, const char* shown) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(shown);
        };
        row("plain", "a = \\b\\ \xc3\xa4 \xe6\xbc\xa2 \xf0\x9f\x98\x80",
            "a = \\b\\ \xc3\xa4 \xe6\xbc\xa2 \xf0\x9f\x98\x80");
        row("escape", "\x1b]0;x\x07", "\\u{1B}]0;x\\u{07}");
        row("C1",
            "\xc2\x9b"
            "31m",
            "\\u{9B}31m");
        row("bare C1",
            "\x9b"
            "31m",
            "\\x{9B}31m");
        row("direction", "\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9\xd8\x9c",
            "\\u{202A}\\u{202E}\\u{2066}\\u{2069}\\u{61C}");
        row("no width",
            "a\xe2\x80\x8b\xef\xbb\xbf"
            "b",
            "a\\u{200B}\\u{FEFF}b");
        row("line separator",
            "a\xe2\x80\xa8"
            "b",
            "a\\u{2028}b");
        row("layout", "a\n\tb\r", "a\\u{0A}\\u{09}b\\u{0D}");
        row("cut short", "\xe2\x80", "\\x{E2}\\x{80}");
        row("too long a form", "\xc0\x9b", "\\x{C0}\\x{9B}");
        row("half a pair", "\xed\xa0\x80", "\\x{ED}\\x{A0}\\x{80}");
        row("empty", "", "");
    }
    void visible()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, shown);
        QCOMPARE(QByteArray::fromStdString(visibleText(text.toStdString())), shown);
        if (text.contains('\n')) {
            QCOMPARE(visibleText(text.toStdString(), TextLayout::Keep), std::string("a\n\tb\\u{0D}"));
            QCOMPARE(visibleText(text.toStdString(), TextLayout::Quoted), std::string("\n│ a\n│ \tb\\u{0D}"));
        } else {
            QCOMPARE(QByteArray::fromStdString(visibleText(text.toStdString(), TextLayout::Quoted)), shown);
        }
    }

    //! What was typed is agreed to, and nothing that the file had brought along.
    void typed()
    {
        const std::string axis =
            "[[axis]]\nname = \"a\"\ncases = [{label=\"x\", set={\"connection.init_sql\"=\"DROP TABLE t\"}}, "
            "{label=\"y\", set={}}]\n";
        const Plan file = onMysql("[set]\n\"server.max_connections\" = 200\n" + axis, "managed:mariadb");
        QVERIFY(unanswered(file, {}).size() == 1);
        const Plan run =
            onMysql("[set]\n\"server.max_connections\" = 300\n\"connection.init_sql\" = \"SELECT 1\"\n" + axis,
                    "mysql://root@127.0.0.1:1/test");
        Consent consent = typedIn(file, run);
        QVERIFY(consent.covers(Risk{"connection.init_sql", "SELECT 1", ""}));
        QVERIFY(consent.covers(Risk{"server.max_connections", "300", ""}));
        QVERIFY(!consent.covers("connection.init_sql") && !consent.covers("all"));
        QCOMPARE(unanswered(run, consent).size(), std::size_t(1));
        QCOMPARE(unanswered(run, consent).front().value, std::string("DROP TABLE t"));
        // A server that was typed: what the file wants of whatever server is not typed by that.
        Plan moved = file;
        QVERIFY(setField(moved, "target.uri", "mysql://root@127.0.0.1:1/test?tls=verify&tls_ca=/home/me/ca.pem"));
        consent = typedIn(file, moved);
        Keys left;
        for (const Risk& risk : unanswered(moved, consent))
            left.push_back(risk.key);
        std::ranges::sort(left);
        QCOMPARE(left, (Keys{"connection.init_sql", "server.max_connections"}));
        QVERIFY(!consent.covers(Risk{"server.max_connections", "200", ""}));
        // Nothing was typed: nothing is agreed to.
        QCOMPARE(unanswered(file, typedIn(file, file)), unanswered(file, {}));
        QCOMPARE(unanswered(moved, typedIn(moved, moved)), unanswered(moved, {}));
    }

    void consent()
    {
        const Plan plan =
            onMysql("[set]\n\"connection.init_sql\" = \"SELECT 1\"\n\"table.create_options\" = \"X=1\"\n");
        QCOMPARE(unanswered(plan, {}).size(), std::size_t(2));
        Consent one;
        one.allow("connection.init_sql");
        QCOMPARE(unanswered(plan, one).size(), std::size_t(1));
        QCOMPARE(unanswered(plan, one).front().key, std::string("table.create_options"));
        Consent value;
        value.allow(Risk{"connection.init_sql", "SELECT 2", ""});
        QCOMPARE(unanswered(plan, value).size(), std::size_t(2)); // another value
        Consent all;
        all.allow("all");
        QVERIFY(unanswered(plan, all).empty() && !refusalOf(plan, all));
        const auto refusal = refusalOf(plan, {});
        QVERIFY(refusal && refusal->kind == ErrorKind::BadInput);
        QVERIFY(refusal->message.find("connection.init_sql = \"SELECT 1\"") != std::string::npos);
    }

    //! Nothing is listening at that port: whoever tried to reach it would be told so.
    void nothingIsTouchedBefore()
    {
        const Plan plan = onMysql("[set]\n\"connection.init_sql\" = \"SELECT 1\"\n");
        QTemporaryDir dir;
        RunnerOptions options;
        options.workDir = dir.path().toStdString();
        const auto loaded = prepareData(plan, options, {});
        QVERIFY(!loaded && loaded.error().kind == ErrorKind::BadInput);
        const auto cleaned = cleanupData(plan, options);
        QVERIFY(!cleaned && cleaned.error().kind == ErrorKind::BadInput);
        options.library = dir.filePath("l.dynolib").toStdString();
        test::RecordingSink sink;
        SessionRunner runner(plan, options, {&sink});
        runner.start();
        runner.wait();
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QCOMPARE(sink.session.errorKind, ErrorKind::BadInput);
        QVERIFY(sink.session.runs.empty());
        QVERIFY(QDir(dir.path()).isEmpty()); // not even a library
    }

    //! What needs an agreement is listed, and what is harmless all the same is looked at.
    void aLookTellsWhatItMay()
    {
        QTemporaryDir dir;
        const QString marker = dir.filePath("marker");
        QVERIFY(QDir(dir.path()).mkpath("evil/bin"));
        for (const char* name : {"mariadbd", "mysqld"}) {
            QFile program(dir.filePath(QString("evil/bin/") + name));
            QVERIFY(program.open(QIODevice::WriteOnly));
            program.write("#!/bin/sh\ntouch '" + marker.toUtf8() + "'\nexit 1\n");
            program.close();
            QVERIFY(program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        }
        const QString app = dir.filePath("app.db");
        makeDatabase(app, "CREATE TABLE customers (id INT)");
        const QByteArray before = contentOf(app);
        const Plan plan =
            parsed("[target]\nuri = \"sqlite:" + app.toStdString() +
                   "\"\n[workload]\nname = \"oltp_read_write\"\n"
                   "params = { table_size = 100, create_table_options = \"/* own */\" }\n"
                   "[[axis]]\nname = \"server\"\ncases = [{label=\"x\", set={}}, {label=\"y\", set={\"target.uri\"="
                   "\"managed:mariadb?basedir=" +
                   dir.filePath("evil").toStdString() + "\"}}]\n");
        const auto looked = preflight(plan, {});
        QVERIFY2(looked, looked ? "" : looked.error().text().c_str());
        QCOMPARE(looked->size(), std::size_t(2));
        const auto keys = [](const PreflightReport& report) {
            Keys found;
            for (const Risk& risk : report.risks)
                found.push_back(risk.key);
            return found;
        };
        const auto has = [](const PreflightReport& report, const char* id) {
            return std::ranges::any_of(report.items, [id](const PreflightItem& item) { return item.id == id; });
        };
        const PreflightReport& file = looked->front();
        QCOMPARE(keys(file), (Keys{"target.uri", "workload.create_table_options"}));
        QVERIFY(file.blocked() && has(file, "writable"));
        const PreflightReport& program = looked->back();
        QCOMPARE(keys(program), (Keys{"target.uri", "workload.create_table_options"}));
        QVERIFY(program.blocked() && has(program, "agreement") && !has(program, "server_program"));
        QVERIFY(!QFile::exists(marker));
        QCOMPARE(contentOf(app), before);
        QCOMPARE(QDir(dir.path()).entryList(QDir::Files).size(), 1);
        RunnerOptions agreed;
        agreed.consent.allow("all");
        const auto all = preflight(plan, agreed);
        QVERIFY(all && all->back().risks.empty() && has(all->back(), "server_program"));
        QVERIFY(QFile::exists(marker)); // it shows what it would have done
    }

    //! An SQL of the plan's own is left out of a look: nothing listens there, and that is what the look says.
    void aLookSendsNoSqlOfAPlan()
    {
        const auto reached = preflight(onMysql("[set]\n\"connection.init_sql\" = \"SELECT 1\"\n"), {});
        QVERIFY(!reached && reached.error().kind == ErrorKind::Unreachable);
        // Not even reached where the way there is asked about.
        for (const char* set :
             {"[set]\n\"connection.sql_log_bin\" = 0\n", "[set]\n\"connection.tls_ca\" = \"/home/x/ca.pem\"\n"}) {
            const auto left = preflight(onMysql(set), {});
            QVERIFY2(left && left->size() == 1 && left->front().risks.size() == 1, set);
        }
    }

    //! A session's variables are a server's too where they make it write files or run code.
    void neverInASession()
    {
        for (const char* name : {"debug", "debug_dbug", "wsrep_on", "innodb_tmpdir"}) {
            const ParsedPlan plan =
                parsePlan("[target]\nuri = \"managed:mariadb\"\n[workload]\nname = \"oltp_point_select\"\n[set]\n"
                          "\"connection." +
                              std::string(name) + "\" = \"d:t:o,/tmp/x\"\n",
                          "test");
            QVERIFY2(!plan.plan && !plan.faults.empty() &&
                         plan.faults.front().what.find("cannot be set") != std::string::npos,
                     name);
        }
        QVERIFY(parsePlan("[target]\nuri = \"managed:mariadb\"\n[workload]\nname = \"oltp_point_select\"\n[set]\n"
                          "\"connection.time_zone\" = \"Europe/Berlin\"\n",
                          "test")
                    .plan);
    }

    void filesOfOthers()
    {
        QTemporaryDir dir;
        const QString file = dir.filePath("app.db");
        makeDatabase(file, "CREATE TABLE customers (id INT); INSERT INTO customers VALUES (1)");
        const QByteArray before = contentOf(file);
        const Plan plan = parsed("[target]\nuri = \"sqlite:" + file.toStdString() +
                                 "\"\n[workload]\nname = \"oltp_read_write\"\n"
                                 "params = { table_size = 100 }\n[load]\ntime = \"0.2s\"\ninterval = \"0.1s\"\n");
        const auto risks = risksOf(plan);
        QCOMPARE(risks.size(), std::size_t(1));
        QVERIFY(risks.front().wants.find("customers") != std::string::npos);
        QVERIFY(!prepareData(plan, {}, {}));
        QCOMPARE(contentOf(file), before);
        QCOMPARE(QDir(dir.path()).entryList(QDir::Files).size(), 1);
        RunnerOptions agreed;
        agreed.consent.allow("target.uri");
        const auto loaded = prepareData(plan, agreed, {});
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        QVERIFY(tablesKeptIn(file) >= 2);
        // It holds a note of ours now, and `customers` is still somebody's.
        QCOMPARE(risksOf(plan), risks);
        QVERIFY(!prepareData(plan, {}, {}));
        RunnerOptions that;
        that.consent.allow(risks.front());
        QVERIFY(prepareData(plan, that, {})); // what was agreed to is still what is asked
        const auto looked = preflight(plan, {});
        QVERIFY(looked && looked->size() == 1 && looked->front().blocked());
        QCOMPARE(looked->front().risks, risks);
        makeDatabase(file, "DROP TABLE customers");
        QVERIFY(risksOf(plan).empty()); // all that is left is ours
        QVERIFY(prepareData(plan, {}, {}));
    }

    //! Of engines that keep their data in one: the mark says which are ours.
    void folders()
    {
        if (!findDriver("rocksdb"))
            QSKIP("this build has no engine that keeps its data in a folder");
        QTemporaryDir dir;
        const auto risksOfFolder = [&](const QString& name) {
            return keysOf(parsed("[target]\nuri = \"rocksdb:" + dir.filePath(name).toStdString() +
                                 "\"\n[workload]\nname = \"ycsb\"\n"));
        };
        const auto write = [&](const QString& name) {
            QFile file(dir.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write("x") == 1);
        };
        const Keys asks{"target.uri"};
        QCOMPARE(risksOfFolder("none"), Keys());
        for (const char* name : {"empty", "letters", "others"})
            QVERIFY(QDir(dir.path()).mkpath(name));
        QCOMPARE(risksOfFolder("empty"), Keys());
        // Where programs look for what they are to start, an empty one asks as one that is to be made does.
        QVERIFY(QDir(dir.path()).mkpath(".config/empty"));
        QCOMPARE(risksOfFolder(".config/none"), asks);
        QCOMPARE(risksOfFolder(".config/empty"), asks);
        write("letters/letter.txt");
        QCOMPARE(risksOfFolder("letters"), asks);
        write("others/CURRENT");
        QCOMPARE(risksOfFolder("others"), asks);
        write("file");
        QCOMPARE(risksOfFolder("file"), asks);
        const auto marked = markDataFolder(dir.filePath("ours").toStdString());
        QVERIFY2(marked, marked ? "" : marked.error().text().c_str());
        write("ours/CURRENT");
        QCOMPARE(risksOfFolder("ours"), Keys());
    }

    void filesThatAreOdd()
    {
        QTemporaryDir dir;
        const auto risksOfFile = [&](const QString& name) {
            return keysOf(parsed("[target]\nuri = \"sqlite:" + dir.filePath(name).toStdString() +
                                 "\"\n[workload]\nname = \"oltp_read_write\"\n"));
        };
        const auto write = [&](const QString& name, const QByteArray& content) {
            QFile file(dir.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
        };
        const Keys asks{"target.uri"};
        QCOMPARE(risksOfFile("none.db"), Keys());
        makeDatabase(dir.filePath("empty.db"), "PRAGMA user_version = 1"); // a database without tables
        QCOMPARE(risksOfFile("empty.db"), Keys());
        write("mark", {});
        QCOMPARE(risksOfFile("mark"), asks);
        write("notes.txt", "These are my notes, not a database.");
        QCOMPARE(risksOfFile("notes.txt"), asks);
        write("broken.db", QByteArray("SQLite format 3\0", 16) + QByteArray(3000, 'x'));
        QCOMPARE(risksOfFile("broken.db"), asks);
        QCOMPARE(::mkfifo(dir.filePath("pipe").toUtf8().constData(), 0600), 0);
        QCOMPARE(risksOfFile("pipe"), asks);
        QVERIFY(QFile::link(dir.filePath("notes.txt"), dir.filePath("link.db")));
        QCOMPARE(risksOfFile("link.db"), asks);
        QCOMPARE(risksOfFile(".profile"), asks); // new, but it would be read
        QCOMPARE(contentOf(dir.filePath("notes.txt")), QByteArray("These are my notes, not a database."));
        QVERIFY(!QFile::exists(dir.filePath(".profile")));
    }

    //! Below the home folder, what begins with a dot belongs to programs; our own folder is ours.
    void newFilesInHiddenPlaces()
    {
        QTemporaryDir home;
        const auto before = qEnvironmentVariable("HOME");
        const bool wasSet = qEnvironmentVariableIsSet("HOME");
        const auto data = qEnvironmentVariable("XDG_DATA_HOME");
        const bool dataWasSet = qEnvironmentVariableIsSet("XDG_DATA_HOME");
        qputenv("HOME", home.path().toUtf8());
        qputenv("XDG_DATA_HOME", home.filePath(".data").toUtf8());
        const auto risksOfFile = [&](const QString& name) {
            return keysOf(parsed("[target]\nuri = \"sqlite:" + home.filePath(name).toStdString() +
                                 "\"\n[workload]\nname = \"oltp_read_write\"\n"));
        };
        const Keys autostart = risksOfFile(".config/autostart/x.desktop");
        const Keys plain = risksOfFile("data/bench.db");
        const Keys own = risksOfFile(".data/dynobench/bench.db");
        const Keys hook = risksOfFile("project/.git/hooks/post-checkout");
        wasSet ? qputenv("HOME", before.toUtf8()) : qunsetenv("HOME");
        dataWasSet ? qputenv("XDG_DATA_HOME", data.toUtf8()) : qunsetenv("XDG_DATA_HOME");
        QCOMPARE(autostart, Keys{"target.uri"});
        QCOMPARE(plain, Keys());
        QCOMPARE(own, Keys());
        QCOMPARE(hook, Keys{"target.uri"});
        // Outside the home folder too, and by a path that begins where the program runs.
        QVERIFY(QDir(home.path()).mkpath("x/.git/hooks"));
        const QString folder = QDir::currentPath();
        QVERIFY(QDir::setCurrent(home.filePath("x/.git/hooks")));
        const Keys here =
            keysOf(parsed("[target]\nuri = \"sqlite:pre-commit\"\n[workload]\nname = \"oltp_read_write\"\n"));
        QVERIFY(QDir::setCurrent(folder));
        QCOMPARE(here, Keys{"target.uri"});
    }

    //! libmongoc sends a client's name as it is, in its first packet: with line breaks it would be commands to whatever
    //! listens there.
    void noLinesOfAnotherProtocol()
    {
        const auto faultsOf = [](const std::string& uri, const std::string& set) {
            return parsePlan("[target]\nuri = \"" + uri + "\"\n[workload]\nname = \"" +
                                 (uri.starts_with("mongodb") ? "ycsb" : "oltp_point_select") + "\"\n[set]\n" + set +
                                 "\n",
                             "test")
                .faults;
        };
        const char* mysql = "mysql://root@127.0.0.1:1/test";
        QVERIFY(!faultsOf(mysql, R"("connection.tls_ca" = "a\r\nb")").empty());
        QVERIFY(!faultsOf(mysql, R"("connection.time_zone" = "a\u0000b")").empty()); // of a session, not known here
        QVERIFY(faultsOf(mysql, R"("connection.init_sql" = "SELECT 1;\nSELECT 2")").empty());
        if (!findDriver("mongodb"))
            QSKIP("this build has no driver that sends such a name");
        for (const char* name : {R"(\r\nflush_all\r\nquit\r\n)", R"(a\u0000b)", R"(\u001b[2J)"}) {
            const std::string set = std::string("\"connection.app_name\" = \"") + name + "\"";
            const auto faults = faultsOf("mongodb://127.0.0.1:11211/d", set);
            QVERIFY2(!faults.empty() && faults.front().where == "set.connection.app_name", name);
        }
        QVERIFY(faultsOf("mongodb://127.0.0.1:1/d", "\"connection.app_name\" = \"bench 1\"").empty());
        // Whoever makes a plan by other means than its text comes no further.
        Plan made;
        made.target.uri = "mongodb://127.0.0.1:1/d";
        made.workload.name = "ycsb";
        made.set["connection.app_name"] = std::string("x\r\nflush_all\r\n");
        const auto looked = preflight(made, {});
        QVERIFY(!looked && looked.error().kind == ErrorKind::BadInput);
    }

    //! Somebody writes there just now: it is looked at all the same.
    void aLockedFileIsLookedAt()
    {
        QTemporaryDir dir;
        const QString file = dir.filePath("app.db");
        makeDatabase(file, "CREATE TABLE customers (id INT)");
        sqlite3* handle = nullptr;
        QCOMPARE(sqlite3_open(file.toUtf8().constData(), &handle), SQLITE_OK);
        QCOMPARE(sqlite3_exec(handle, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
        const auto risks = risksOf(
            parsed("[target]\nuri = \"sqlite:" + file.toStdString() + "\"\n[workload]\nname = \"oltp_read_write\"\n"));
        sqlite3_close(handle);
        QCOMPARE(risks.size(), std::size_t(1));
        QVERIFY2(risks.front().wants.find("customers") != std::string::npos, risks.front().wants.c_str());
    }

    //! A table of the workload's name and columns that nobody of ours made.
    void tablesOfOthersAreNotDropped()
    {
        QTemporaryDir dir;
        const QString file = dir.filePath("a.db");
        const std::string start =
            "[target]\nuri = \"sqlite:" + file.toStdString() + "\"\n[workload]\nname = \"oltp_read_write\"\n";
        const Plan plan = parsed(start + "params = { table_size = 100 }\nprepare = \"always\"\n");
        makeDatabase(file, "CREATE TABLE sbtest1 (id INTEGER PRIMARY KEY, k INT, c TEXT, pad TEXT);"
                           "INSERT INTO sbtest1 VALUES (7, 7, 'mine', 'mine')");
        RunnerOptions options;
        options.consent.allow("target.uri");
        const auto refused = prepareData(plan, options, {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::BadInput);
        QCOMPARE(refused.error().where, std::string(kReplaceTables));
        QCOMPARE(rowsOf(file), 1);
        QVERIFY(!cleanupData(plan, options));
        QCOMPARE(rowsOf(file), 1);
        const auto looked = preflight(plan, options);
        QVERIFY(looked && !looked->empty());
        const auto& items = looked->front().items;
        QVERIFY(std::ranges::any_of(items, [](const PreflightItem& item) {
            return item.id == "data" && item.level == PreflightLevel::Blocker &&
                   item.what.find("sbtest1") != std::string::npos;
        }));
        options.consent.allow(std::string(kReplaceTables));
        const auto replaced = prepareData(plan, options, {});
        QVERIFY2(replaced, replaced ? "" : replaced.error().text().c_str());
        QCOMPARE(rowsOf(file), 100);
        options.consent = {};
        QVERIFY(cleanupData(plan, options)); // ours now
    }

private:
    static int number(const QString& file, const char* sql)
    {
        sqlite3* handle = nullptr;
        sqlite3_stmt* statement = nullptr;
        int value = -1;
        if (sqlite3_open_v2(file.toUtf8().constData(), &handle, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK &&
            sqlite3_prepare_v2(handle, sql, -1, &statement, nullptr) == SQLITE_OK &&
            sqlite3_step(statement) == SQLITE_ROW)
            value = sqlite3_column_int(statement, 0);
        sqlite3_finalize(statement);
        sqlite3_close(handle);
        return value;
    }
    static int rowsOf(const QString& file) { return number(file, "SELECT count(*) FROM sbtest1"); }
    static int tablesKeptIn(const QString& file)
    {
        return number(file, "SELECT count(*) FROM sqlite_master WHERE type='table'");
    }
};

} // namespace dyno::tst_trust

DYNO_SUITE(tst_trust, dyno::tst_trust::TestTrust)
#include "tst_trust.moc"
