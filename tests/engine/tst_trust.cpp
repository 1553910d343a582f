// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a plan of somebody else's asks for, and that nobody is touched before it was agreed to.
#include "recording_sink.h"
#include "support/suite.h"

#include <dyno/catalog.h>
#include <dyno/preflight.h>
#include <dyno/runner.h>
#include <dyno/trust.h>

#include <QCryptographicHash>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <sqlite3.h>

using namespace dyno;

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
            const auto risks = risksOf(*plan);
            QVERIFY2(risks.empty(), risks.empty() ? "" : (recipe.id + ": " + toText(risks.front())).c_str());
        }
    }

    void whatAsks_data()
    {
        QTest::addColumn<QString>("more");
        QTest::addColumn<QString>("key");
        QTest::newRow("SQL in [set]") << "[set]\n\"connection.init_sql\" = \"SELECT 1\"\n" << "connection.init_sql";
        QTest::newRow("SQL in a case") << "[[axis]]\nname = \"a\"\ncases = [{label=\"x\", set={\"connection.init_sql\"=\"SELECT 1\"}}, "
                                          "{label=\"y\", set={}}]\n"
                                       << "connection.init_sql";
        QTest::newRow("table options") << "[set]\n\"table.create_options\" = \"COMMENT='x'\"\n" << "table.create_options";
        QTest::newRow("sysbench's") << "params = { create_table_options = \"COMMENT='x'\" }\n" << "workload.create_table_options";
        QTest::newRow("in a case too") << "[[axis]]\nname = \"a\"\ncases = [{label=\"x\", "
                                          "set={\"workload.create_table_options\"=\"COMMENT='x'\"}}, {label=\"y\", set={}}]\n"
                                       << "workload.create_table_options";
        QTest::newRow("unknown variable") << "[set]\n\"server.something_new\" = 1\n" << "server.something_new";
        QTest::newRow("none") << "[set]\n\"server.innodb_flush_log_at_trx_commit\" = 2\n" << "";
        QTest::newRow("empty SQL") << "[set]\n\"connection.init_sql\" = \"\"\n" << "";
    }
    void whatAsks()
    {
        QFETCH(QString, more);
        QFETCH(QString, key);
        QCOMPARE(keysOf(onMysql(more.toStdString())), key.isEmpty() ? Keys() : Keys {key.toStdString()});
    }

    void thisMachineAndPrograms()
    {
        const Plan host = onMysql("[set]\n\"host.cpu_governor\" = \"performance\"\n", "managed:mariadb");
        QCOMPARE(keysOf(host), Keys {"host.cpu_governor"});
        const auto program = risksOf(onMysql("", "managed:mariadb?basedir=/home/x/evil"));
        QCOMPARE(program.size(), std::size_t(1));
        QCOMPARE(program.front().key, std::string("target.uri"));
        QVERIFY(program.front().wants.find("/home/x/evil") != std::string::npos);
        // In one case of many, as an attacker would hide it.
        const Plan hidden = onMysql("[[axis]]\nname = \"s\"\ncases = [{label=\"x\", set={}}, {label=\"y\", "
                                    "set={\"target.uri\"=\"managed:mariadb?basedir=/tmp/x\"}}]\n",
                                    "managed:mariadb");
        QCOMPARE(keysOf(hidden), Keys {"target.uri"});
    }

    void textIsOneLine()
    {
        const Risk risk {"connection.init_sql", "SELECT 1\nallowed = \x1b[31mall" + std::string(1000, 'x'), "send"};
        const std::string text = toText(risk);
        QVERIFY(text.find('\n') == std::string::npos && text.find('\x1b') == std::string::npos);
        QVERIFY(text.size() < 300);
    }

    void consent()
    {
        const Plan plan = onMysql("[set]\n\"connection.init_sql\" = \"SELECT 1\"\n\"table.create_options\" = \"X=1\"\n");
        QCOMPARE(unanswered(plan, {}).size(), std::size_t(2));
        Consent one;
        one.allow("connection.init_sql");
        QCOMPARE(unanswered(plan, one).size(), std::size_t(1));
        QCOMPARE(unanswered(plan, one).front().key, std::string("table.create_options"));
        Consent value;
        value.allow(Risk {"connection.init_sql", "SELECT 2", ""});
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
        const auto looked = preflight(plan, options);
        QVERIFY(!looked && looked.error().kind == ErrorKind::BadInput);
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
        options.consent.allow("connection.init_sql");
        const auto reached = preflight(plan, options);
        QVERIFY(!reached && reached.error().kind == ErrorKind::Unreachable);
    }

    void filesOfOthers()
    {
        QTemporaryDir dir;
        const QString file = dir.filePath("app.db");
        makeDatabase(file, "CREATE TABLE customers (id INT); INSERT INTO customers VALUES (1)");
        const QByteArray before = contentOf(file);
        const Plan plan = parsed("[target]\nuri = \"sqlite:" + file.toStdString() + "\"\n[workload]\nname = \"oltp_read_write\"\n"
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
        QVERIFY(risksOf(plan).empty()); // it holds a note of ours now
        QVERIFY(tablesKeptIn(file) >= 2);
    }

    void missingEmptyAndOtherFilesAskNothing()
    {
        QTemporaryDir dir;
        const auto risksOfFile = [&](const QString& name) {
            return keysOf(parsed("[target]\nuri = \"sqlite:" + dir.filePath(name).toStdString() +
                                 "\"\n[workload]\nname = \"oltp_read_write\"\n"));
        };
        QCOMPARE(risksOfFile("none.db"), Keys());
        makeDatabase(dir.filePath("empty.db"), "PRAGMA user_version = 1");
        QCOMPARE(risksOfFile("empty.db"), Keys());
    }

    //! A table of the workload's name and columns that nobody of ours made.
    void tablesOfOthersAreNotDropped()
    {
        QTemporaryDir dir;
        const QString file = dir.filePath("a.db");
        const std::string start = "[target]\nuri = \"sqlite:" + file.toStdString() + "\"\n[workload]\nname = \"oltp_read_write\"\n";
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
            return item.id == "data" && item.level == PreflightLevel::Blocker && item.what.find("sbtest1") != std::string::npos;
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
            sqlite3_prepare_v2(handle, sql, -1, &statement, nullptr) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
            value = sqlite3_column_int(statement, 0);
        sqlite3_finalize(statement);
        sqlite3_close(handle);
        return value;
    }
    static int rowsOf(const QString& file) { return number(file, "SELECT count(*) FROM sbtest1"); }
    static int tablesKeptIn(const QString& file) { return number(file, "SELECT count(*) FROM sqlite_master WHERE type='table'"); }
};

DYNO_SUITE(tst_trust, TestTrust)
#include "tst_trust.moc"
