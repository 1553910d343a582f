// SPDX-License-Identifier: GPL-3.0-or-later
// The statements of a run: which a workload sends for what, how servers would run them, what servers count themselves,
// and how all that is kept with the session.
#include "load/statements/describe.h"
#include "load/statements/digest_difference.h"
#include "load/statements/explaining.h"
#include "load/statements/rehearsal.h"
#include "managed_test.h"
#include "plan/load_groups.h"
#include "recording_sink.h"
#include "session_test.h"
#include "store/library/database.h"
#include "store/session/artefacts.h"
#include "store/session/statements_file.h"
#include "support/mariadb_fixture.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <dyno/statements.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace dyno::tst_statements {
using namespace dyno::test;

namespace {

DigestEntry entry(const char* key, std::uint64_t count, double seconds, std::uint64_t examined)
{
    DigestEntry one;
    one.key = one.text = key;
    one.count = count;
    one.seconds = seconds;
    one.rowsExamined = examined;
    one.p99Ms = 1.5;
    return one;
}

const StatementPlan* planOf(const RunStatements& statements, const char* operation, const char* part)
{
    for (const StatementPlan& plan : statements.plans) {
        if (plan.operation == operation && plan.text.find(part) != std::string::npos)
            return &plan;
    }
    return nullptr;
}

const DigestRow* digestOf(const RunStatements& statements, const char* part)
{
    for (const DigestRow& row : statements.digest) {
        if (row.text.find(part) != std::string::npos)
            return &row;
    }
    return nullptr;
}

//! The readings are a moment away from the borders of the measured time.
bool isNear(std::uint64_t counted, std::uint64_t measured)
{
    return counted > measured / 3 && counted < measured * 3 / 2;
}

} // namespace

class TestStatements : public QObject
{
    Q_OBJECT
private slots:
    void literals_data();
    void literals();
    void difference();
    void equalKeys();
    void otherDatabases();
    void calls_data();
    void calls();
    void workloadsCallNothing();
    void described();
    void describedInPart();
    void strangersReference();
    void theLongestFirst();
    void file();
    void strangersFile_data();
    void strangersFile();
    void rehearsal_data();
    void rehearsal();
    void shares();
    void onSqlite();
    void nothingWithoutCounters();
    void onMariadb();
    void onMariadbWithoutSchema();
    void onPostgresql();
    void onMysql();

private:
    //! Runs a plan and gives what is kept of its run number `run`.
    std::optional<RunStatements> recorded(const Plan& plan, int run = 0)
    {
        RunnerOptions options;
        options.workDir = m_dir.path().toStdString();
        options.library = m_dir.filePath("library.dynolib").toStdString();
        m_sink = std::make_unique<RecordingSink>();
        runPlan(plan, options, *m_sink);
        if (m_sink->session.status != RunStatus::Done)
            qWarning("%s", m_sink->session.reason.c_str());
        return kept(run);
    }
    //! Of the session that was recorded last.
    std::optional<RunStatements> kept(int run)
    {
        auto library = Library::open(m_dir.filePath("library.dynolib").toStdString(), Library::Mode::ReadOnly);
        if (!library)
            return {};
        auto statements = runStatements(**library, m_sink->header.id, run);
        if (!statements)
            qWarning("%s", statements.error().text().c_str());
        return statements ? *statements : std::nullopt;
    }
    //! Of a run of the last session; the last run if none is named.
    [[nodiscard]] OperationSummary operation(const char* name, std::size_t run = SIZE_MAX) const
    {
        const auto& all = m_sink->summaries.at(std::min(run, m_sink->summaries.size() - 1)).operations;
        const auto found = std::ranges::find(all, name, &OperationSummary::name);
        return found == all.end() ? OperationSummary() : *found;
    }
    [[nodiscard]] std::uint64_t countOf(const char* name, std::size_t run = SIZE_MAX) const
    {
        return operation(name, run).count;
    }
    //! Ranges have 100 ids, fewer at the end of the table; a sum is one row. At the ends of the measured time rows of
    //! some operations may be in the interval before: the sampler reads one count after the other, and may be held up
    //! between. tst_recorder and tst_counted_rows count exactly.
    void checkRows(const char* const onceEach, const char* const none, std::size_t run)
    {
        const auto atEnds = [](std::uint64_t count) { return std::max<std::uint64_t>(20, count / 10); };
        for (const QString& name : QString(onceEach).split(' ')) {
            const OperationSummary one = operation(qPrintable(name), run);
            const double off = double(one.rows.value_or(0)) - double(one.count);
            QVERIFY2(one.count > 0 && one.rows && std::abs(off) <= double(atEnds(one.count)),
                     qPrintable(QString("%1: %2 rows more than %3 calls").arg(name).arg(off).arg(one.count)));
        }
        for (const QString& name : QString(none).split(' ')) {
            const OperationSummary one = operation(qPrintable(name), run);
            QVERIFY2(one.count > 0 && one.rows == 0U, qPrintable(name));
        }
        for (const char* name : {"simple_range", "order_range"}) {
            const OperationSummary one = operation(name, run);
            const std::uint64_t rows = one.rows.value_or(0);
            QVERIFY2(rows > 10 * one.count && rows <= 100 * (one.count + atEnds(one.count)),
                     qPrintable(QString("%1: %2 of %3").arg(name).arg(rows).arg(one.count)));
        }
        // They are kept with the run.
        auto library = Library::open(m_dir.filePath("library.dynolib").toStdString(), Library::Mode::ReadOnly);
        VERIFY_OK(library);
        const auto session = (*library)->session(m_sink->header.id);
        VERIFY_OK(session);
        for (const KindShare& kind : kindShares(session->runs.at(run).summary))
            QVERIFY2(kind.rows && kind.rows == operation(kind.name.c_str(), run).rows, kind.name.c_str());
    }

    QTemporaryDir m_dir;
    std::unique_ptr<RecordingSink> m_sink;
};

void TestStatements::literals_data()
{
    QTest::addColumn<QString>("statement");
    QTest::addColumn<QString>("shown");
    QTest::newRow("password") << "GRANT ALL ON x TO r PASSWORD 'se''cret'"
                              << "GRANT ALL ON x TO r PASSWORD ?";
    QTest::newRow("numbers") << "SELECT c1 FROM t2 WHERE id IN (1, 2.5e3) LIMIT 10"
                             << "SELECT c1 FROM t2 WHERE id IN (?, ?) LIMIT ?";
    QTest::newRow("backslash") << "SELECT 'a\\\\b', 'c'"
                               << "SELECT ?, ?";
    QTest::newRow("two readings") << "SELECT 'dom\\', secret('geheim')"
                                  << "SELECT …";
    QTest::newRow("account") << "ALTER USER \"x\" IDENTIFIED BY \"secret\""
                             << "ALTER USER …";
    QTest::newRow("server") << "create server s OPTIONS (user 'dom\\', password 'geheim')"
                            << "create server …";
    QTest::newRow("names") << "SELECT \"a 1\" FROM `b 2`"
                           << "SELECT \"a 1\" FROM `b 2`";
    QTest::newRow("comments") << "SELECT /* user=7 */ 1 -- secret\nFROM t"
                              << "SELECT   ?  FROM t";
    QTest::newRow("dollars") << "DO $x$ BEGIN RAISE 'secret'; END $x$"
                             << "DO ?";
    QTest::newRow("marks stay") << "SELECT $1 FROM t WHERE a = ?"
                                << "SELECT $1 FROM t WHERE a = ?";
    QTest::newRow("no end") << "SELECT 'secret"
                            << "SELECT ?";
}

void TestStatements::literals()
{
    QFETCH(QString, statement);
    QFETCH(QString, shown);
    QCOMPARE(QString::fromStdString(keptStatement(statement.toStdString())), shown);
}

void TestStatements::difference()
{
    RunStatements statements;
    fillDigest(statements, {entry("a", 10, 1, 100), entry("b", 5, 1, 0), entry("c", 90, 9, 900)},
               {entry("a", 30, 1.5, 140), entry("b", 5, 1, 0), entry("c", 4, 2, 8), entry("d", 1, 4, 1)});
    QCOMPARE(statements.digest.size(), std::size_t(2)); // b was not run, and how often c was is not known
    QVERIFY2(statements.digestNote.find("a kind again") != std::string::npos, statements.digestNote.c_str());
    const DigestRow& first = statements.digest[0];
    QCOMPARE(first.text, std::string("d"));
    QVERIFY(first.p99Ms == 1.5); // of this run alone
    const DigestRow& last = statements.digest[1];
    QCOMPARE(last.count, std::uint64_t(20));
    QCOMPARE(last.seconds, 0.5);
    QCOMPARE(last.meanMs(), 25.0);
    QVERIFY(last.rowsExamined == 40U);
    QVERIFY(!last.p99Ms);    // it holds what was before
    QVERIFY(!last.rowsSent); // the server does not say
}

//! Several entries of one key, as of accounts that another one may not tell apart.
void TestStatements::equalKeys()
{
    RunStatements statements;
    fillDigest(statements, {entry("h", 1000, 9, 0), entry("h", 5, 1, 0)},
               {entry("h", 5, 1, 0), entry("h", 1002, 9.5, 0)});
    QCOMPARE(statements.digest.size(), std::size_t(1));
    QCOMPARE(statements.digest[0].count, std::uint64_t(2));
    QCOMPARE(statements.digest[0].seconds, 0.5);
    QVERIFY(statements.digestNote.empty());
}

void TestStatements::otherDatabases()
{
    DigestEntry mine = entry("mine", 1, 1, 0), theirs = entry("UPDATE salaries", 2, 2, 0),
                more = entry("more", 3, 3, 0);
    mine.schema = "bench";
    theirs.schema = "staff";
    RunStatements statements;
    fillDigest(statements, {}, {mine, theirs, more}, "bench");
    QCOMPARE(statements.digest.size(), std::size_t(2));
    QCOMPARE(statements.digest[0].text, std::string("(statements in other databases)"));
    QCOMPARE(statements.digest[0].count, std::uint64_t(5));
    QCOMPARE(statements.digest[0].seconds, 5.0);
    QCOMPARE(statements.digest[1].text, std::string("mine"));
    QVERIFY(writeStatements(statements).find("salaries") == std::string::npos);
}

//! Servers run functions to explain what calls them.
void TestStatements::calls_data()
{
    QTest::addColumn<QString>("statement");
    QTest::addColumn<QString>("call");
    const auto row = [](const char* statement, const char* call) { QTest::newRow(statement) << statement << call; };
    row("SELECT COUNT(*), max (a) FROM t WHERE a IN (1, 2) AND (b = 3)", "");
    row("INSERT INTO `db`.t (a, b) VALUES (1, 'f(x)')", "");
    row("WITH x (a) AS (SELECT 1) SELECT * FROM x JOIN y USING (a) -- f(1)\n", "");
    row("SELECT * FROM y WHERE a = (SELECT MAX(a) + f() - 1 FROM y)", "f");
    row("SELECT pg_sleep (5)", "pg_sleep");
    row("SELECT own.count(1)", "count");
    row("SELECT `count`(1)", "`count`");
    row("SELECT 1 /*! + f() */", "/*!");
    row("SELECT '\\'', evil(), '\\''", "evil"); // one text where a backslash means nothing
    row("SELECT 1 # '\n, evil() # '", "evil");  // likewise where # begins no comment
}

void TestStatements::calls()
{
    QFETCH(QString, statement);
    QFETCH(QString, call);
    QCOMPARE(QString::fromStdString(unusualCall(statement.toStdString())), call);
}

//! None of the workloads' own statements is taken for such a call.
void TestStatements::workloadsCallNothing()
{
    for (const char* name : {"oltp_read_write", "tpcc", "ycsb"}) {
        for (const SentKind& kind : rehearse(*test::bind(name, {}, "sqlite"), findWorkload(name)->operations, 1, 2))
            QVERIFY2(unusualCall(kind.text).empty(), kind.text.c_str());
    }
}

void TestStatements::described()
{
    PointSpec point;
    point.target.uri = "sqlite:x.db";
    point.workload.name = "oltp_read_only";
    const std::string plain = descriptionKey(point);
    QCOMPARE(descriptionKey(point), plain);
    PointSpec other = point;
    other.server["optimizer_switch"] = std::string("mrr=on");
    QVERIFY(descriptionKey(other) != plain);
    other = point;
    other.connection["init_sql"] = std::string("SET work_mem = 64");
    QVERIFY(descriptionKey(other) != plain);
    other = point;
    other.load.users = {99};
    QVERIFY(descriptionKey(other) != plain);
}

//! What was not asked for in whole says so: the next run asks again.
void TestStatements::describedInPart()
{
    PointSpec point;
    QFile file(m_dir.filePath("part.db")); // users make none
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    point.target.uri = "sqlite:" + file.fileName().toStdString();
    point.workload.name = "oltp_point_select";
    auto connect = std::make_shared<ConnectTarget>();
    connect->uri = *parseUri(point.target.uri);
    ReadyTarget target;
    target.driver = driverFor("sqlite");
    target.workload = test::bind(point.workload.name, {}, "sqlite");
    target.connect = connect;
    RunStatements whole, part;
    QVERIFY(describeStatements(
        point, target, [] { return false; }, whole));
    QVERIFY(!describeStatements(
        point, target, [] { return true; }, part));
}

//! A stranger's file refers to a run that is not there.
void TestStatements::strangersReference()
{
    Plan plan = smallPlan("sqlite:" + m_dir.filePath("stranger.db").toStdString());
    plan.load.timeSeconds = 0.1;
    plan.load.counters = false;
    QVERIFY(!recorded(plan));
    {
        auto database = Database::open(m_dir.filePath("library.dynolib").toStdString(), Database::Access::ReadWrite);
        VERIFY_OK(database);
        writeArtefact(**database, (*database)->number("SELECT MAX(key) FROM session"), statementsFile(0), kGzip,
                      packed(R"({"described_in": 2147483647})"));
        QVERIFY((*database)->result());
    }
    const auto statements = kept(0);
    QVERIFY(statements);
    QCOMPARE(statements->describedIn, -1);
}

void TestStatements::theLongestFirst()
{
    std::vector<DigestEntry> after;
    for (int i = 0; i < 60; ++i)
        after.push_back(entry(QByteArray::number(i).prepend("k").constData(), 1, i, 0));
    RunStatements statements;
    fillDigest(statements, {}, after);
    QCOMPARE(statements.digest.size(), kKeptDigest);
    QCOMPARE(statements.digest.front().text, std::string("k59"));
    QCOMPARE(statements.moreDigest, std::size_t(10));
    QCOMPARE(statements.moreSeconds, 45.0);
}

void TestStatements::file()
{
    RunStatements statements;
    statements.describedIn = 3;
    statements.tables = {{"t", "CREATE TABLE t (a INT)", true}};
    statements.plans = {{"read", "SELECT 1", {"7", "'x'"}, {{"t: const", "t"}, {"  u", ""}}, ""},
                        {"", "COMMIT", {}, {}, "why"}};
    statements.moreTables = 2;
    statements.morePlans = 4;
    statements.describeMs = 12.5;
    DigestRow row;
    row.schema = "s";
    row.text = "SELECT ?";
    row.count = 5;
    row.errors = 1;
    row.seconds = 0.25;
    row.rowsSent = 10;
    row.p99Ms = 3.5;
    statements.digest = {row};
    statements.moreDigest = 6;
    statements.moreSeconds = 1.5;
    statements.digestMs = 8;
    const RunStatements read = readStatements(writeStatements(statements));
    QCOMPARE(writeStatements(read), writeStatements(statements));
    QCOMPARE(read.describedIn, 3);
    QCOMPARE(read.plans.at(0).parameters.at(1), std::string("'x'"));
    QCOMPARE(read.plans.at(0).steps.at(0).wholeTable, std::string("t"));
    QCOMPARE(read.plans.at(1).noPlan, std::string("why"));
    QVERIFY(read.tables.at(0).planned);
    QVERIFY(read.digest.at(0).rowsSent == 10U);
    QVERIFY(!read.digest.at(0).rowsExamined);
    QCOMPARE(keptText(std::string(4095, 'x') + "äb"), std::string(4095, 'x') + "…"); // no half a character
}

void TestStatements::strangersFile_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::newRow("none") << QByteArray();
    QTest::newRow("no JSON") << QByteArray("{\"plans\": [");
    QTest::newRow("a list") << QByteArray("[1, 2]");
    QTest::newRow("types") << QByteArray(
        R"({"described_in": "x", "plans": [1, {"text": 5, "steps": {"a": 1}, "parameters": [{}]}], "tables": [[]],
            "digest": [{"count": -5, "seconds": "x", "p99_ms": -1, "rows_sent": 1.5}], "digest_ms": null})");
    QTest::newRow("huge numbers") << QByteArray(
        R"({"described_in": 99999999999999, "more_plans": -1, "digest_ms": 1e999})");
    QTest::newRow("many") << QByteArray("{\"plans\": [" + QByteArray("{},").repeated(5000) + "{}]}");
}

void TestStatements::strangersFile()
{
    QFETCH(QByteArray, json);
    const RunStatements read = readStatements(json.toStdString());
    QVERIFY(read.plans.size() <= kKeptPlans);
    QVERIFY(read.moreSeconds == 0 && read.digestMs == 0 && read.morePlans == 0);
    for (const DigestRow& row : read.digest)
        QVERIFY(row.count == 0 && row.seconds == 0 && !row.p99Ms && !row.rowsSent);
}

void TestStatements::rehearsal_data()
{
    QTest::addColumn<QString>("workload");
    QTest::addColumn<QString>("operation");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* workload, const char* operation, const char* part) {
        QTest::addRow("%s: %s", workload, operation) << workload << operation << part;
    };
    row("oltp_read_write", "point_select", "SELECT c FROM sbtest");
    row("oltp_read_write", "sum_range", "SUM(k)");
    row("oltp_read_write", "delete", "DELETE FROM sbtest");
    row("tpcc", "new_order", "stock");
    row("ycsb", "read", "SELECT");
}

void TestStatements::rehearsal()
{
    QFETCH(QString, workload);
    QFETCH(QString, operation);
    QFETCH(QString, part);
    const std::string name = workload.toStdString();
    const auto instance = test::bind(name, {}, "sqlite");
    const auto kinds = rehearse(*instance, findWorkload(name)->operations, 1, 2);
    QStringList told;
    bool found = false;
    for (const SentKind& kind : kinds) {
        told << QString::fromStdString(kind.operation + ": " + kind.text);
        found = found || (QString::fromStdString(kind.operation) == operation && told.back().contains(part));
        if (kind.prepared && !kind.operation.empty())
            QCOMPARE(kind.params.size(), std::size_t(std::ranges::count(kind.text, '?')));
    }
    QVERIFY2(found, qPrintable(told.join('\n')));
    QVERIFY(kinds.size() < 120);
}

void TestStatements::shares()
{
    RunSummary run;
    const auto add = [&run](const char* name, OpClass opClass, std::uint64_t count, double meanMs) {
        OperationSummary& one = run.operations.emplace_back();
        one.name = name;
        one.opClass = opClass;
        one.count = count;
        one.rows = 2 * count;
        one.service.meanMs = meanMs;
    };
    add("fast", OpClass::Read, 100, 0.1);
    add("never", OpClass::Read, 0, 0);
    add("slow", OpClass::Write, 10, 3);
    add("group", OpClass::Group, 10, 100);
    const auto kinds = kindShares(run);
    QCOMPARE(kinds.size(), std::size_t(2));
    QCOMPARE(kinds[0].name, std::string("slow"));
    QCOMPARE(kinds[0].share, 0.75);
    QCOMPARE(kinds[1].share, 0.25);
    QVERIFY(kinds[1].rows == 200U);
}

//! Asked for once, though there are two runs.
void TestStatements::onSqlite()
{
    Plan plan = smallPlan("sqlite:" + m_dir.filePath("plain.db").toStdString(), "oltp_read_only");
    plan.load.timeSeconds = 0.2;
    plan.load.repeats = 2;
    const auto statements = recorded(plan, 1);
    QVERIFY(statements);
    QCOMPARE(statements->describedIn, 0);
    const StatementPlan* point = planOf(*statements, "point_select", "SELECT c FROM sbtest1");
    QVERIFY(point);
    QVERIFY2(point->noPlan.empty(), point->noPlan.c_str());
    QVERIFY(point->steps.at(0).text.find("SEARCH") != std::string::npos);
    QCOMPARE(statements->tables.size(), std::size_t(1));
    QVERIFY(!statements->tables[0].planned);
    QVERIFY(statements->tables[0].text.find("CREATE TABLE") == 0);
    QVERIFY(statements->tables[0].text.find("CREATE INDEX") != std::string::npos);
    QVERIFY(statements->noDigest.find("no statement counts") != std::string::npos);
    QVERIFY(statements->describeMs > 0);

    plan.workload.name = "oltp_read_write";
    plan.load.repeats = 1;
    plan.load.users = {1}; // nobody takes a row away
    QVERIFY(recorded(plan));
    checkRows("point_select sum_range index_update non_index_update delete insert", "begin commit", 0);
}

void TestStatements::nothingWithoutCounters()
{
    Plan plan = smallPlan("sqlite:" + m_dir.filePath("silent.db").toStdString());
    plan.load.timeSeconds = 0.1;
    plan.load.counters = false;
    QVERIFY(!recorded(plan));
}

void TestStatements::onMariadb()
{
    if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
        QSKIP(why.c_str());
    MariadbFixture server;
    const Settings on{{"performance_schema", true}};
    VERIFY_OK(server.start(on));
    Plan plan = smallPlan(server.uriText(), "oltp_read_write");
    plan.load.timeSeconds = 0.8;
    plan.load.warmupSeconds = 0.2;
    plan.axes = {{"protocol",
                  {{"text", {{"connection.protocol", std::string("text")}}},
                   {"prepared", {{"connection.protocol", std::string("prepared")}}}}}};
    const auto prepared = recorded(plan, 1);
    QVERIFY(prepared);
    const DigestRow* executed = digestOf(*prepared, "(all prepared statements");
    QVERIFY2(executed, writeStatements(*prepared).c_str());
    const std::uint64_t all = m_sink->summaries.back().queries;
    QVERIFY2(isNear(executed->count, all), qPrintable(QString("%1 of %2").arg(executed->count).arg(all)));
    QVERIFY(executed->seconds > 0);
    for (const std::size_t run : {0U, 1U})
        checkRows("point_select sum_range", "begin commit", run);
    const auto statements = kept(0);
    QVERIFY(statements);
    const StatementPlan* point = planOf(*statements, "point_select", "SELECT c FROM sbtest1");
    QVERIFY(point);
    QVERIFY2(point->noPlan.empty(), point->noPlan.c_str());
    QCOMPARE(point->steps.at(0).text, std::string("sbtest1: const, key PRIMARY, 1 row"));
    QVERIFY(planOf(*statements, "delete", "DELETE FROM sbtest1"));
    QVERIFY(statements->tables.at(0).text.find("CREATE TABLE `sbtest1`") == 0);
    QVERIFY2(statements->noDigest.empty(), statements->noDigest.c_str());
    const DigestRow* row = digestOf(*statements, "SELECT `c` FROM `sbtest1` WHERE ID = ?");
    QVERIFY2(row, writeStatements(*statements).c_str());
    // The readings are a moment away from the measured time, the server counts what it ran.
    QVERIFY2(isNear(row->count, countOf("point_select", 0)),
             qPrintable(QString("%1 of %2").arg(row->count).arg(countOf("point_select", 0))));
    // The server adds to its counts one after the other: what users do then may be between them at each reading.
    QVERIFY2(std::abs(double(row->rowsSent.value_or(0)) - double(row->count)) <= 4,
             qPrintable(QString("%1 rows of %2").arg(row->rowsSent.value_or(0)).arg(row->count)));
    QVERIFY(row->rowsExamined.has_value());
    QVERIFY(row->seconds > 0);
    QCOMPARE(row->schema, server.database());
    QVERIFY(statements->digestMs > 0);
    // What the users did between the first reading and the measured time.
    QVERIFY2(statements->digestNote.find("of the warm-up's last ") != std::string::npos ||
                 statements->digestNote.find("the first reading ended ") != std::string::npos, // on a busy machine
             statements->digestNote.c_str());
    // Without a warm-up the first reading is over before they begin; of a run that ends by itself the last one is
    // behind its end: nothing is too much, and nothing is missing but the last statement of each user, which the server
    // counts after it has answered.
    Plan exact = smallPlan(server.uriText());
    exact.set["connection.protocol"] = std::string("text");
    exact.load.timeSeconds = 0;
    exact.load.warmupSeconds = 0;
    exact.load.events = 700;
    const auto all700 = recorded(exact);
    QVERIFY(all700 && all700->noDigest.empty());
    QCOMPARE(countOf("point_select"), std::uint64_t(700));
    const DigestRow* counted = digestOf(*all700, "SELECT `c` FROM `sbtest1` WHERE ID = ?");
    QVERIFY2(counted, writeStatements(*all700).c_str());
    QVERIFY2(counted->count <= 700 && counted->count >= 698, qPrintable(QString::number(counted->count)));
    QVERIFY2(all700->digestNote.find("warm-up") == std::string::npos, all700->digestNote.c_str());
    // An account without rights on it.
    auto admin = server.admin();
    VERIFY_OK(admin);
    VERIFY_OK((*admin)->execute("CREATE USER blind@localhost"));
    VERIFY_OK((*admin)->execute("GRANT ALL ON " + server.database() + ".* TO blind@localhost"));
    ConnectTarget blind = *server.target();
    blind.uri.user = "blind";
    blind.uri.password.clear();
    auto other = driverFor("mysql")->admin(blind);
    VERIFY_OK(other);
    const auto refused = (*other)->statementDigest();
    QVERIFY(!refused);
    QVERIFY2(refused.error().message.find("may not read") != std::string::npos, refused.error().message.c_str());
}

void TestStatements::onMariadbWithoutSchema()
{
    MariadbFixture server;
    DYNO_START_MARIADB(server);
    auto admin = server.admin();
    VERIFY_OK(admin);
    if ((*admin)->variable("performance_schema").value_or("") != "OFF")
        QSKIP("this server has its performance_schema on");
    Plan plan = smallPlan(server.uriText());
    plan.load.timeSeconds = 0.2;
    const auto statements = recorded(plan);
    QVERIFY(statements);
    QCOMPARE(statements->noDigest, std::string("performance_schema is off on this server"));
    QVERIFY(planOf(*statements, "point_select", "SELECT c"));
    QCOMPARE((*admin)->variable("performance_schema").value_or(""), std::string("OFF"));
    // The address and password of another server are not kept.
    VERIFY_OK((*admin)->execute("CREATE TABLE far (a INT) CONNECTION='mysql://u:sec''ret@h/d/t' COMMENT='a=''b'''"));
    VERIFY_OK((*admin)->execute("CREATE TABLE spider (a INT) COMMENT='user \"u\", password \"hidden''too\"'"));
    const auto comment = (*admin)->tableText("spider");
    VERIFY_OK(comment);
    QVERIFY2(comment->find("COMMENT='…'") != std::string::npos && comment->find("too") == std::string::npos,
             comment->c_str());
    const auto text = (*admin)->tableText("far");
    VERIFY_OK(text);
    QVERIFY2(text->find("CREATE TABLE `far`") == 0 && text->find("ret@") == std::string::npos, text->c_str());
    QVERIFY2(text->find("CONNECTION='…'") != std::string::npos && text->find("COMMENT='a=''b'''") != std::string::npos,
             text->c_str());
}

void TestStatements::onPostgresql()
{
    PostgresqlFixture server;
    DYNO_START_POSTGRESQL(server, {.settings = {"shared_preload_libraries=pg_stat_statements"}});
    auto admin = server.admin();
    VERIFY_OK(admin);
    const auto none = (*admin)->statementDigest();
    QVERIFY(!none);
    QVERIFY(none.error().message.find("has no extension pg_stat_statements") != std::string::npos);
    // Where the tables are its views would count as somebody else's data.
    VERIFY_OK((*admin)->execute("CREATE SCHEMA stats"));
    VERIFY_OK((*admin)->execute("CREATE EXTENSION pg_stat_statements SCHEMA stats"));
    Plan plan = smallPlan(server.uriText());
    plan.load.timeSeconds = 0.5;
    const auto statements = recorded(plan);
    QVERIFY(statements);
    const StatementPlan* point = planOf(*statements, "point_select", "SELECT c FROM sbtest1");
    QVERIFY(point);
    QVERIFY2(point->noPlan.empty(), point->noPlan.c_str());
    QVERIFY2(point->steps.at(0).text.find("Index Scan") == 0, point->steps.at(0).text.c_str());
    QVERIFY(statements->tables.at(0).text.find("CREATE TABLE sbtest1 (\n  id ") == 0);
    QVERIFY(statements->tables.at(0).text.find("CREATE UNIQUE INDEX sbtest1_pkey") != std::string::npos);
    QVERIFY2(statements->noDigest.empty(), statements->noDigest.c_str());
    const DigestRow* row = digestOf(*statements, "SELECT c FROM sbtest1");
    QVERIFY(row);
    QVERIFY2(isNear(row->count, countOf("point_select")),
             qPrintable(QString("%1 of %2").arg(row->count).arg(countOf("point_select"))));
    QVERIFY(row->rowsSent == row->count);
    QVERIFY(row->seconds > 0);
    // An account that may not see others' statements tells them as one.
    for (const char* sql : {"CREATE ROLE blind LOGIN", "GRANT USAGE ON SCHEMA stats TO blind",
                            "CREATE TABLE made (a int GENERATED ALWAYS AS IDENTITY, b int CHECK (b > 0))"})
        VERIFY_OK((*admin)->execute(sql));
    const auto made = (*admin)->tableText("made");
    VERIFY_OK(made);
    QVERIFY2(made->find("a integer NOT NULL GENERATED ALWAYS AS IDENTITY,") != std::string::npos &&
                 made->find("CHECK ((b > 0))") != std::string::npos,
             made->c_str());
    ConnectTarget blind = *server.target();
    blind.uri.user = "blind";
    auto other = driverFor("postgresql")->admin(blind);
    VERIFY_OK(other);
    const auto before = (*other)->statementDigest();
    VERIFY_OK(before);
    for (int i = 0; i < 7; ++i)
        VERIFY_OK((*admin)->query("SELECT 4711 + 1"));
    const auto after = (*other)->statementDigest();
    VERIFY_OK(after);
    RunStatements hidden;
    fillDigest(hidden, *before, *after, server.target()->uri.database);
    const DigestRow* others = digestOf(hidden, "(statements of other accounts");
    QVERIFY(others);
    QCOMPARE(others->count, std::uint64_t(7));
}

//! Statements that are prepared, as they usually are, and percentiles of the server's own.
void TestStatements::onMysql()
{
    const std::string basedir = basedirIn("DYNO_TEST_MYSQL80");
    if (basedir.empty())
        QSKIP("DYNO_TEST_MYSQL80 names no folder of a MySQL server");
    auto server = ManagedServer::create(managedUri("mysql", {{"basedir", basedir}}), DYNO_TEST_WORK_DIR);
    VERIFY_OK(server);
    VERIFY_OK((*server)->ensure(smallKnobs()));
    auto admin = adminOf(**server);
    VERIFY_OK(admin);
    const auto before = (*admin)->statementDigest();
    VERIFY_OK(before);
    for (int i = 0; i < 5; ++i)
        VERIFY_OK((*admin)->query("SELECT " + std::to_string(i) + " + 4711"));
    const auto after = (*admin)->statementDigest();
    VERIFY_OK(after);
    RunStatements statements;
    fillDigest(statements, *before, *after);
    const DigestRow* row = digestOf(statements, "SELECT ? + ?");
    QVERIFY(row);
    QCOMPARE(row->count, std::uint64_t(5));
    QVERIFY(row->p99Ms && *row->p99Ms > 0);
    QVERIFY(!digestOf(statements, "4711"));
    // Prepared ones, while their connection is there.
    auto target = std::make_shared<ConnectTarget>();
    target->uri = (*server)->connectUri();
    target->statements = {statement("SELECT ? + 815, \"secret\"", {kInteger}, true)};
    const SessionPtr session = openSession("mysql", target);
    QVERIFY(session);
    COMPARE_OK(*session, test::run(*session, Request::step(RequestKind::Connect)));
    COMPARE_OK(*session, test::run(*session, Request::prepare(StatementId{0})));
    const std::array<Param, 1> one{Param::of(std::int64_t(1))};
    for (int i = 0; i < 3; ++i)
        COMPARE_OK(*session, test::execute(*session, 0, one));
    const auto last = (*admin)->statementDigest();
    VERIFY_OK(last);
    RunStatements later;
    fillDigest(later, *after, *last);
    const DigestRow* executed = digestOf(later, "SELECT ? + ?");
    QVERIFY(executed);
    QCOMPARE(executed->count, std::uint64_t(3));
    QVERIFY(executed->rowsSent == 3U);
    QVERIFY2(executed->text.find("secret") == std::string::npos, executed->text.c_str());
}

} // namespace dyno::tst_statements

DYNO_SUITE(tst_statements, dyno::tst_statements::TestStatements)
#include "tst_statements.moc"
