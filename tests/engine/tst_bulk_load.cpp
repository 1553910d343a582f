// SPDX-License-Identifier: GPL-3.0-or-later
// Loading a real MariaDB: in bulk and with INSERTs, what a server may not get from us, and loads that do not end well.
#include "load/data/dataset.h"
#include "mysql_test.h"
#include "support/fake_mysql.h"
#include "support/fault_proxy.h"
#include "support/patience.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <QDir>
#include <QScopeGuard>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace dyno::tst_bulk_load {
using namespace dyno::test;

namespace {

constexpr std::int64_t kRows = 30'000;

bool contains(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestBulkLoad : public dyno::test::MysqlTest
{
    Q_OBJECT
private slots:
    void bulkAndInsertMakeTheSameTable_data();
    void bulkAndInsertMakeTheSameTable();
    void aServerThatRefusesGetsInserts();
    void textsArriveAsTheyAre_data();
    void textsArriveAsTheyAre();
    void badRowsAreErrors_data();
    void badRowsAreErrors();
    void noFileIsEverRead_data();
    void noFileIsEverRead();
    void onlyWhoMayLoadsInBulk();
    void anotherFileIsNotGiven_data();
    void anotherFileIsNotGiven();
    void controlGivesNoFile();
    void aFileHoldsTheReadings();
    void aFileThatCannotBeMade();
    void knobsOfUsersDoNotLeaveTheLoadOpen();
    void progressIsTrue();
    void cancelledLoadLeavesNothing();
    void fullTableIsNamed();
    void lostConnectionLeavesNoSilentHalfTable();
    void whatAKilledLoadLeftIsReplaced();
    void slicesThatWereEndedAreLoadedAgain_data();
    void slicesThatWereEndedAreLoadedAgain();
    void aTransactionIsLoadedAgainAsAWhole();
    void anEndlessLockWaitEndsTheLoad();

private:
    struct Repeated
    {
        Expected<void> done = {};
        LoadResult result;
    };
    //! Loads sbtest1, which is there and empty but for what others hold in it, by one session.
    Repeated loadInto(const WorkloadInstance& workload, bool bulk)
    {
        auto target =
            std::make_shared<ConnectTarget>(*m_server.target({}, {{"bulk_load", std::string(bulk ? "auto" : "off")}}));
        target->statements = workload.loaderStatements();
        target->loader = true;
        Repeated repeated;
        repeated.done =
            loadTables({*driverFor("mysql"), target, workload, workload.tables(), 1, 7}, {}, repeated.result);
        return repeated;
    }
    //! How often somebody has waited for a row's lock, or does now, since the server started.
    std::int64_t lockWaits()
    {
        return std::atoll(cell("SELECT variable_value FROM information_schema.global_status WHERE variable_name = "
                               "'INNODB_ROW_LOCK_WAITS'")
                              .c_str());
    }
    bool waitForLockWaits(std::int64_t number)
    {
        return QTest::qWaitFor([&] { return lockWaits() >= number; }, kPatienceMs);
    }
    //! Makes sbtest1 and a row 700 of it that `holder` does not commit.
    std::shared_ptr<const WorkloadInstance> tableWithHeldRow(Admin& holder)
    {
        auto workload = test::bind("oltp_read_write", {{"table_size", kFewRows}}, "mysql");
        if (!m_admin->execute("DROP TABLE IF EXISTS sbtest1, heavy") ||
            !m_admin->execute(workload->tables().front().create) ||
            !m_admin->execute("CREATE TABLE heavy (id INT PRIMARY KEY) ENGINE=InnoDB") || !holder.execute("BEGIN") ||
            !holder.execute("INSERT INTO heavy SELECT seq FROM seq_1_to_20000") || // InnoDB ends who has done less
            !holder.execute("INSERT INTO sbtest1 (id, k, c, pad) VALUES (700, 1, '', '')"))
            return nullptr;
        return workload;
    }
    static constexpr std::int64_t kFewRows = 5000;
    struct Loaded
    {
        Expected<bool> done = false;
        std::vector<std::string> warnings;
        std::vector<LoadProgress> progress;
    };
    //! Loads oltp tables with `rows` rows each; `stopAt`: progress says no when so many rows are there.
    Loaded load(const Settings& connection = {}, const Settings& params = {},
                PreparePolicy policy = PreparePolicy::Always, std::uint64_t stopAt = UINT64_MAX, TargetUri uri = {})
    {
        Settings all = params;
        all.try_emplace("table_size", kRows);
        const auto workload = test::bind("oltp_read_write", all, "mysql");
        ConnectTarget target = *m_server.target({}, connection);
        if (!uri.scheme.empty())
            target.uri = std::move(uri);
        auto admin = m_server.admin();
        Loaded loaded;
        if (!admin) {
            loaded.done = tl::unexpected(admin.error());
            return loaded;
        }
        const DatasetJob job{*driverFor("mysql"), **admin, target, *workload, policy, 1, false, 3, 7};
        loaded.done = ensureDataset(
            job,
            [&](const LoadProgress& now) {
                loaded.progress.push_back(now);
                return now.rows < stopAt;
            },
            loaded.warnings);
        return loaded;
    }
    void dropTables()
    {
        QVERIFY(m_admin->execute("DROP TABLE IF EXISTS sbtest1, sbtest2, sbtest3, dynobench_loading"));
    }
    SessionPtr loader(const Settings& extra = {})
    {
        auto target = std::make_shared<ConnectTarget>(*m_server.target({}, {}, extra));
        target->loader = true;
        SessionPtr session = openSession(target);
        if (run(*session, Request::step(RequestKind::Connect)).outcome != Outcome::Ok)
            qWarning("%s", session->lastError().c_str());
        return session;
    }
    static Reply bulk(Session& session, std::string_view table, std::string_view rows)
    {
        return run(session, {.kind = RequestKind::Bulk, .text = table, .value = rows});
    }
    std::string tables()
    {
        return cell("SELECT COALESCE(GROUP_CONCAT(table_name ORDER BY 1), '') FROM information_schema.tables WHERE "
                    "table_schema = DATABASE() AND table_name <> 't'");
    }
};

void TestBulkLoad::slicesThatWereEndedAreLoadedAgain_data()
{
    QTest::addColumn<bool>("bulk");
    QTest::addColumn<bool>("deadlock");
    QTest::newRow("deadlock, bulk") << true << true;
    QTest::newRow("deadlock, INSERT") << false << true;
    QTest::newRow("lock wait, bulk") << true << false;
    QTest::newRow("lock wait, INSERT") << false << false;
}

//! A real deadlock with another session, or a lock that comes late: the load goes on, has each row once, and says so.
void TestBulkLoad::slicesThatWereEndedAreLoadedAgain()
{
    QFETCH(bool, bulk);
    QFETCH(bool, deadlock);
    auto holder = m_server.admin();
    QVERIFY(holder);
    const auto workload = tableWithHeldRow(**holder);
    QVERIFY(workload);
    if (!deadlock)
        QVERIFY(m_admin->execute("SET GLOBAL innodb_lock_wait_timeout = 1"));
    const auto usual = qScopeGuard([this] {
        (void)m_admin->execute("SET GLOBAL innodb_lock_wait_timeout = 50");
        (void)m_admin->execute("DROP TABLE IF EXISTS sbtest1, heavy");
    });
    Repeated repeated;
    const std::int64_t before = lockWaits();
    std::thread load([&] { repeated = loadInto(*workload, bulk); });
    const bool waited = waitForLockWaits(before + (deadlock ? 1 : 2)); // the second after the first has ended
    Expected<void> circle = {};
    if (deadlock) // the holder waits for rows that the waiting load has put in
        circle = (*holder)->execute("UPDATE sbtest1 SET k = 0 WHERE id < 700");
    const auto freed = (*holder)->execute("ROLLBACK");
    load.join();
    QVERIFY(waited);
    QVERIFY2(circle, circle ? "" : circle.error().text().c_str());
    QVERIFY(freed);
    QVERIFY2(repeated.done, repeated.done ? "" : repeated.done.error().text().c_str());
    QCOMPARE(repeated.result.retries.size(), std::size_t(1));
    const auto [code, count] = *repeated.result.retries.begin();
    QCOMPARE(code, deadlock ? 1213 : 1205);
    QVERIFY(count >= 1 && count < std::uint64_t(kMostLoadTries));
    QCOMPARE(repeated.result.bulk, bulk);
    QCOMPARE(cell("SELECT CONCAT(COUNT(*), ' ', COUNT(DISTINCT id), ' ', MAX(id)) FROM sbtest1"),
             std::string("5000 5000 5000"));
    const std::string sum = cell("SELECT SUM(CRC32(CONCAT(id, k, c, pad))) FROM sbtest1");
    QVERIFY(m_admin->execute("DROP TABLE sbtest1"));
    QVERIFY(m_admin->execute(workload->tables().front().create));
    QVERIFY(loadInto(*workload, bulk).done); // undisturbed: the same rows
    QCOMPARE(cell("SELECT SUM(CRC32(CONCAT(id, k, c, pad))) FROM sbtest1"), sum);
}

//! Several statements of a slice are one transaction: what of it was done before the lock wait is done once.
void TestBulkLoad::aTransactionIsLoadedAgainAsAWhole()
{
    constexpr std::int64_t kAccounts = 5000;
    const auto workload = test::bind("tpcb", {{"scale", std::int64_t(1)}, {"accounts_per_branch", kAccounts}}, "mysql");
    const auto drop = [&] {
        for (const TableSpec& table : workload->tables())
            QVERIFY(m_admin->execute("DROP TABLE IF EXISTS " + table.name));
    };
    drop();
    for (const TableSpec& table : workload->tables())
        QVERIFY(m_admin->execute(table.create));
    auto holder = m_server.admin();
    QVERIFY(holder && (*holder)->execute("BEGIN"));
    QVERIFY((*holder)->execute("INSERT INTO pgbench_accounts (aid) VALUES (1700)")); // in a later statement of a slice
    QVERIFY(m_admin->execute("SET GLOBAL innodb_lock_wait_timeout = 1"));
    const auto usual = qScopeGuard([&] {
        (void)m_admin->execute("SET GLOBAL innodb_lock_wait_timeout = 50");
        (void)(*holder)->execute("ROLLBACK");
        drop();
    });
    Repeated repeated;
    const std::int64_t before = lockWaits();
    std::thread load([&] { repeated = loadInto(*workload, false); });
    const bool waited = waitForLockWaits(before + 2); // the second after the first has ended
    const auto freed = (*holder)->execute("ROLLBACK");
    load.join();
    QVERIFY(waited);
    QVERIFY(freed);
    QVERIFY2(repeated.done, repeated.done ? "" : repeated.done.error().text().c_str());
    QVERIFY(repeated.result.retries.contains(1205));
    QCOMPARE(cell("SELECT CONCAT(COUNT(*), ' ', COUNT(DISTINCT aid), ' ', MAX(aid)) FROM pgbench_accounts"),
             std::string("5000 5000 5000"));
    QCOMPARE(cell("SELECT COUNT(*) FROM pgbench_tellers"), std::string("10"));
    QCOMPARE(cell("SELECT COUNT(*) FROM pgbench_branches"), std::string("1"));
}

//! A lock that never comes is no reason to try for ever.
void TestBulkLoad::anEndlessLockWaitEndsTheLoad()
{
    auto holder = m_server.admin();
    QVERIFY(holder);
    const auto workload = tableWithHeldRow(**holder);
    QVERIFY(workload);
    QVERIFY(m_admin->execute("SET GLOBAL innodb_lock_wait_timeout = 0")); // ends at once
    const auto usual = qScopeGuard([&] {
        (void)m_admin->execute("SET GLOBAL innodb_lock_wait_timeout = 50");
        (void)(*holder)->execute("ROLLBACK");
        (void)m_admin->execute("DROP TABLE IF EXISTS sbtest1, heavy");
    });
    const Repeated repeated = loadInto(*workload, false);
    QVERIFY(!repeated.done);
    QVERIFY2(contains(repeated.done.error().message, "1205"), repeated.done.error().message.c_str());
    QCOMPARE(repeated.result.retries.at(1205), std::uint64_t(kMostLoadTries - 1));
}

void TestBulkLoad::bulkAndInsertMakeTheSameTable_data()
{
    QTest::addColumn<QString>("charset");
    QTest::addColumn<bool>("secondary");
    QTest::newRow("utf8mb4") << "utf8mb4" << false;
    QTest::newRow("latin1, no primary key") << "latin1" << true;
}

void TestBulkLoad::bulkAndInsertMakeTheSameTable()
{
    dropTables();
    QFETCH(QString, charset);
    QFETCH(bool, secondary);
    const Settings params{{"tables", std::int64_t(2)},
                          {"secondary", secondary},
                          {"create_table_options", "CHARSET=" + charset.toStdString()}};
    const auto statements = [this](const char* name) {
        return std::stoll(
            cell(std::string("SELECT variable_value FROM information_schema.global_status WHERE variable_name = '") +
                 name + "'"));
    };
    std::vector<std::string> sums;
    for (const char* way : {"auto", "off"}) {
        const long long before = statements("COM_LOAD");
        const long long insertsBefore = statements("COM_INSERT");
        const Loaded loaded = load({{"bulk_load", std::string(way)}}, params);
        QVERIFY2(loaded.done, loaded.done ? "" : loaded.done.error().text().c_str());
        QVERIFY(loaded.warnings.empty());
        const bool inBulk = std::string_view(way) == "auto";
        // One INSERT is the mark of a load under way.
        QVERIFY(inBulk ? statements("COM_LOAD") > before : statements("COM_LOAD") == before);
        QVERIFY(inBulk ? statements("COM_INSERT") == insertsBefore + 1 : statements("COM_INSERT") > insertsBefore + 10);
        QCOMPARE(tables(), std::string("sbtest1,sbtest2"));
        for (const char* table : {"sbtest1", "sbtest2"}) {
            QCOMPARE(cell(std::string("SELECT COUNT(DISTINCT id) FROM ") + table), std::to_string(kRows));
            QCOMPARE(cell(std::string("SELECT CONCAT(MIN(id), ' ', MAX(id)) FROM ") + table),
                     "1 " + std::to_string(kRows));
            QCOMPARE(
                cell(std::string("SELECT COUNT(*) FROM ") + table +
                     " WHERE c NOT REGEXP '^([0-9]{11}-){9}[0-9]{11}$' OR pad NOT REGEXP '^([0-9]{11}-){4}[0-9]{11}$'"),
                std::string("0"));
            QCOMPARE(
                cell(std::string("SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema = DATABASE() "
                                 "AND index_name LIKE 'k\\_%' AND table_name = '") +
                     table + "'"),
                std::string("1"));
            const auto rows = m_admin->query(std::string("CHECKSUM TABLE ") + table + " EXTENDED");
            QVERIFY(rows);
            sums.push_back(rows->front().at(1));
        }
    }
    QCOMPARE(sums.size(), std::size_t(4));
    QCOMPARE(sums[0], sums[2]);
    QCOMPARE(sums[1], sums[3]);
    QVERIFY(sums[0] != sums[1]);
}

void TestBulkLoad::aServerThatRefusesGetsInserts()
{
    QVERIFY(m_admin->execute("SET GLOBAL local_infile = 0"));
    const Loaded loaded = load();
    QVERIFY(m_admin->execute("SET GLOBAL local_infile = 1"));
    QVERIFY2(loaded.done, loaded.done ? "" : loaded.done.error().text().c_str());
    QCOMPARE(loaded.warnings.size(), std::size_t(1)); // said once, whatever the number of sessions
    QVERIFY2(contains(loaded.warnings.front(), "INSERT") && contains(loaded.warnings.front(), "local infile"),
             loaded.warnings.front().c_str());
    QVERIFY(!loaded.progress.back().note.empty());
    QVERIFY(contains(loaded.warnings.front(), loaded.progress.back().note));
    QVERIFY(contains(toText(loaded.progress.back()), loaded.progress.back().note));
    QCOMPARE(cell("SELECT COUNT(*) FROM sbtest1"), std::to_string(kRows));
}

void TestBulkLoad::textsArriveAsTheyAre_data()
{
    QTest::addColumn<QString>("mode");
    QTest::newRow("usual") << "STRICT_TRANS_TABLES";
    QTest::newRow("no backslash escapes") << "NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES";
    QTest::newRow("ANSI quotes") << "ANSI_QUOTES,STRICT_TRANS_TABLES";
}

void TestBulkLoad::textsArriveAsTheyAre()
{
    QFETCH(QString, mode);
    const auto session = loader({{"sql_mode", mode.toStdString()}});
    const Reply reply = bulk(*session, "t (id, i, r, c)",
                             "1\t-9223372036854775808\t0.5\ttab\\tline\\nback\\\\slash\"'`,\n"
                             "2\t\\N\t1e300\t\xC3\xA4\xE2\x82\xAC\xF0\x9F\x90\xAC\n"
                             "3\t0\t\\N\t\n");
    COMPARE_OK(*session, reply);
    QCOMPARE(reply.affected, 3);
    QCOMPARE(cell("SELECT i FROM t WHERE id = 1"), std::string("-9223372036854775808"));
    QCOMPARE(cell("SELECT c FROM t WHERE id = 1"), std::string("tab\tline\nback\\slash\"'`,"));
    QCOMPARE(cell("SELECT HEX(c) FROM t WHERE id = 2"), std::string("C3A4E282ACF09F90AC"));
    QCOMPARE(cell("SELECT i IS NULL AND r = 1e300 FROM t WHERE id = 2"), std::string("1"));
    QCOMPARE(cell("SELECT r IS NULL AND c = '' FROM t WHERE id = 3"), std::string("1"));
    // Nothing at all is fine too, and the session goes on.
    COMPARE_OK(*session, bulk(*session, "t (id)", {}));
    COMPARE_OK(*session, sql(*session, "SELECT 1"));
}

void TestBulkLoad::badRowsAreErrors_data()
{
    QTest::addColumn<QString>("rows");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("words");
    QTest::newRow("duplicate key") << "1\t1\n2\t2\n1\t3\n" << 1062 << "Duplicate entry '1'";
    QTest::newRow("no number") << "1\tx\n" << 1366 << "'x'";
    QTest::newRow("out of range") << "1\t99999999999999999999\n" << 1264 << "Out of range";
    QTest::newRow("too few columns") << "1\n" << 1261 << "contain data for all columns";
    QTest::newRow("too many columns") << "1\t2\t3\n" << 1262 << "truncated";
}

//! With LOCAL the server makes warnings of these and goes on; a load must not.
void TestBulkLoad::badRowsAreErrors()
{
    QFETCH(QString, rows);
    QFETCH(int, code);
    QFETCH(QString, words);
    const auto session = loader();
    const std::string lines = rows.toStdString();
    const Reply reply = bulk(*session, "t (id, i)", lines);
    QCOMPARE(reply.outcome, Outcome::Rejected);
    QCOMPARE(reply.code, code);
    QVERIFY2(contains(session->lastError(), words.toStdString()), session->lastError().c_str());
    COMPARE_OK(*session, sql(*session, "SELECT 1"));
    const Reply missing = bulk(*session, "no_such_table (id)", "1\n");
    QCOMPARE(missing.outcome, Outcome::Rejected);
    QCOMPARE(missing.code, 1146);
}

void TestBulkLoad::noFileIsEverRead_data()
{
    QTest::addColumn<bool>("loads");
    QTest::newRow("a user's session") << false;
    QTest::newRow("a loader's session") << true;
}

//! The server asks for a file, as one with bad intentions could at any statement.
void TestBulkLoad::noFileIsEverRead()
{
    QFETCH(bool, loads);
    const auto session = loads ? loader() : connected();
    QVERIFY(!m_admin->execute("LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE t LINES TERMINATED BY '\\0' (c)"));
    for (const char* file : {"/etc/hostname", "/proc/self/environ", "dynobench"}) {
        const Reply reply = sql(*session, std::string("LOAD DATA LOCAL INFILE '") + file +
                                              "' INTO TABLE t LINES TERMINATED BY '\\0' (c)");
        QVERIFY(reply.outcome != Outcome::Ok);
        QCOMPARE(cell("SELECT COUNT(*) FROM t"), std::string("0"));
        COMPARE_OK(*session, run(*session, Request::step(RequestKind::Connect)));
    }
    if (loads) {
        COMPARE_OK(*session, bulk(*session, "t (id)", "1\n"));
        QVERIFY(sql(*session, "LOAD DATA LOCAL INFILE 'dynobench' INTO TABLE t (id)").outcome != Outcome::Ok);
        QCOMPARE(cell("SELECT COUNT(*) FROM t"), std::string("1"));
    }
}

void TestBulkLoad::onlyWhoMayLoadsInBulk()
{
    const auto session = connected();
    QCOMPARE(bulk(*session, "t (id)", "1\n").outcome, Outcome::Rejected);
    COMPARE_OK(*session, sql(*session, "SELECT 1"));
    auto target = std::make_shared<ConnectTarget>(*m_server.target({}, {{"bulk_load", std::string("off")}}));
    target->loader = true;
    const auto off = openSession(target);
    COMPARE_OK(*off, run(*off, Request::step(RequestKind::Connect)));
    QCOMPARE(bulk(*off, "t (id)", "1\n").outcome, Outcome::Rejected);
    QCOMPARE(cell("SELECT COUNT(*) FROM t"), std::string("0"));
    // Users of a run whose transactions load files.
    auto ofRun = std::make_shared<ConnectTarget>(*m_server.target());
    ofRun->bulk = true;
    const auto user = openSession(ofRun);
    COMPARE_OK(*user, run(*user, Request::step(RequestKind::Connect)));
    COMPARE_OK(*user, bulk(*user, "t (id)", "1\n"));
    QCOMPARE(cell("SELECT COUNT(*) FROM t"), std::string("1"));
}

void TestBulkLoad::anotherFileIsNotGiven_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<bool>("given");
    QTest::newRow("the one that is being loaded") << "dynobench" << true;
    QTest::newRow("a file of this machine") << "/etc/passwd" << false;
    QTest::newRow("a name that begins alike") << "dynobench/../../etc/passwd" << false;
    QTest::newRow("no name") << " " << false;
}

//! A server that answers our own LOAD DATA by asking for something else than it says.
void TestBulkLoad::anotherFileIsNotGiven()
{
    QFETCH(QString, file);
    QFETCH(bool, given);
    FakeScript script;
    script.file = file.toStdString();
    script.onlyAt = "LOAD DATA";
    FakeMysql impostor(script);
    QVERIFY(impostor.listens());
    auto target = std::make_shared<ConnectTarget>(*m_server.target());
    target->uri = *parseUri(impostor.uri());
    target->uri.password.clear();
    target->connection["tls"] = std::string("off");
    target->bulk = true;
    auto session = openSession(target);
    COMPARE_OK(*session, run(*session, Request::step(RequestKind::Connect)));
    const Reply reply = bulk(*session, "t (id)", "4711\n");
    QCOMPARE(impostor.requests() > 0, true);
    QCOMPARE(reply.outcome == Outcome::Ok, given);
    if (!given)
        QVERIFY2(contains(session->lastError(), "asked for a file"), session->lastError().c_str());
    session.reset(); // it says goodbye
    const std::string received = impostor.received();
    QCOMPARE(contains(received, "4711\n"), given);
    QVERIFY(!contains(received, "root:"));
}

//! A run that loads files has connections of control and of counters beside it, which share its target.
void TestBulkLoad::controlGivesNoFile()
{
    QTemporaryDir folder;
    QVERIFY(folder.isValid());
    QFile secret(folder.filePath("secret"));
    QVERIFY(secret.open(QIODevice::WriteOnly));
    secret.write("4711 of this machine\n");
    secret.close();
    FakeScript script;
    script.file = secret.fileName().toStdString();
    FakeMysql impostor(script);
    QVERIFY(impostor.listens());
    ConnectTarget target = *m_server.target();
    target.uri = *parseUri(impostor.uri());
    target.uri.password.clear();
    target.connection["tls"] = std::string("off");
    target.bulk = true;
    {
        auto admin = driverFor("mysql")->admin(target);
        QVERIFY2(admin.has_value(), admin ? "" : admin.error().text().c_str());
        for (const char* statement : {"DO 1", "LOAD DATA LOCAL INFILE 'dynobench' INTO TABLE t"})
            QVERIFY(!(*admin)->execute(statement));
        static_cast<void>((*admin)->counterValues()); // asks, and gets no counters
    }                                                 // it says goodbye
    const std::string received = impostor.received();
    QVERIFY(impostor.requests() > 0);
    QVERIFY(!contains(received, "4711"));
}

//! What a file holds is what inserts make, piece by piece, and it has no name that anybody could open.
void TestBulkLoad::aFileHoldsTheReadings()
{
    const QTemporaryDir folder;
    const QByteArray before = qgetenv("TMPDIR");
    qputenv("TMPDIR", folder.path().toUtf8());
    const auto restore = qScopeGuard([&before] { before.isEmpty() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", before); });
    std::vector<std::string> sums;
    for (const char* by : {"file", "inserts"}) {
        const auto workload = test::bind("sensordata_file",
                                         {{"rows", std::int64_t(2345)},
                                          {"rows_per_load", std::int64_t(1000)},
                                          {"sensors", std::int64_t(50)},
                                          {"by", std::string(by)}},
                                         "mysql");
        QVERIFY(m_admin->execute("DROP TABLE IF EXISTS sensordata"));
        QVERIFY(m_admin->execute(workload->tables().front().create));
        auto target = std::make_shared<ConnectTarget>(*m_server.target(workload->statements()));
        target->bulk = workload->bulkInRuns();
        QCOMPARE(target->bulk, std::string_view(by) == "file");
        TestUser user(openSession(target), 1, {UserId(0), 1, 7});
        COMPARE_OK(*user.session, run(*user.session, Request::step(RequestKind::Connect)));
        for (std::size_t i = 0; i < workload->statements().size(); ++i)
            COMPARE_OK(*user.session, run(*user.session, Request::prepare(StatementId(i))));
        QVERIFY(workload->makeReady(
            WorkloadInstance::Use::Run, [] { return true; }, 7));
        QVERIFY(QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
        QCOMPARE(workload->steps().front().times, 3);
        for (std::uint64_t i = 0; i < 3; ++i)
            QVERIFY2(user.run(*workload, i) == Outcome::Ok, user.context.errorText().c_str());
        QCOMPARE(IntervalSampler(user.recorder).take().rows, std::uint64_t(2345));
        QCOMPARE(cell("SELECT COUNT(*) FROM sensordata"), std::string("2345"));
        QCOMPARE(cell("SELECT CONCAT(COUNT(DISTINCT sensor_id), ' ', MAX(ts) - MIN(ts)) FROM sensordata"),
                 std::string("50 46"));
        const auto rows = m_admin->query("CHECKSUM TABLE sensordata EXTENDED");
        QVERIFY(rows);
        sums.push_back(rows->front().at(1));
    }
    QCOMPARE(sums[0], sums[1]);
    QVERIFY(m_admin->execute("DROP TABLE sensordata"));
}

//! The run fails with the reason, and with what to do.
void TestBulkLoad::aFileThatCannotBeMade()
{
    const QByteArray before = qgetenv("TMPDIR");
    qputenv("TMPDIR", "/nowhere/at/all");
    const auto workload = test::bind("sensordata_file", {{"rows", std::int64_t(10)}}, "mysql");
    const bool ready = workload->makeReady(
        WorkloadInstance::Use::Run, [] { return true; }, 7);
    before.isEmpty() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", before);
    QVERIFY(ready);
    TestUser user(std::make_unique<RecordingSession>(), 1);
    QVERIFY(user.run(*workload, 0) == Outcome::Rejected);
    QVERIFY2(contains(user.context.errorText(), "TMPDIR"), user.context.errorText().c_str());
    // One that is larger than any disk is not begun.
    const auto vast = test::bind(
        "sensordata_file", {{"rows", std::int64_t(1'000'000'000'000)}, {"sensors", std::int64_t(1'000'000)}}, "mysql");
    QVERIFY(vast->makeReady(
        WorkloadInstance::Use::Run, [] { return true; }, 7));
    TestUser other(std::make_unique<RecordingSession>(), 1);
    QVERIFY(other.run(*vast, 0) == Outcome::Rejected);
    for (const char* part : {"1000000000000 rows", "GB free", "TMPDIR", "fewer rows"})
        QVERIFY2(contains(other.context.errorText(), part), other.context.errorText().c_str());
    // One that is stopped is no error, and leaves nothing.
    const auto stopped = test::bind("sensordata_file", {{"rows", std::int64_t(10)}}, "mysql");
    QVERIFY(!stopped->makeReady(
        WorkloadInstance::Use::Run, [] { return false; }, 7));
}

//! With autocommit off nobody would commit a slice.
void TestBulkLoad::knobsOfUsersDoNotLeaveTheLoadOpen()
{
    for (const char* way : {"auto", "off"}) {
        const Loaded loaded =
            load({{"bulk_load", std::string(way)}, {"autocommit", false}}, {{"tables", std::int64_t(2)}});
        QVERIFY2(loaded.done, loaded.done ? "" : loaded.done.error().text().c_str());
        QCOMPARE(cell("SELECT COUNT(*) FROM sbtest1"), std::to_string(kRows));
        QCOMPARE(cell("SELECT COUNT(*) FROM sbtest2"), std::to_string(kRows));
    }
}

void TestBulkLoad::progressIsTrue()
{
    for (const char* way : {"auto", "off"}) {
        const Loaded loaded = load({{"bulk_load", std::string(way)}}, {{"tables", std::int64_t(3)}});
        QVERIFY2(loaded.done, loaded.done ? "" : loaded.done.error().text().c_str());
        QVERIFY(loaded.progress.size() >= 2);
        std::uint64_t before = 0;
        for (const LoadProgress& now : loaded.progress) {
            QCOMPARE(now.totalRows, std::uint64_t(3 * kRows));
            QVERIFY(now.rows >= before && now.rows <= now.totalRows);
            before = now.rows;
            QCOMPARE(now.finishing, now.rows == now.totalRows);
            QVERIFY(now.secondsLeft == -1 || now.secondsLeft > 0);
            QCOMPARE(now.secondsLeft > 0, now.rows > 0 && !now.finishing);
            QVERIFY(now.table.starts_with("sbtest"));
        }
        QVERIFY(loaded.progress.back().finishing);
    }
}

void TestBulkLoad::cancelledLoadLeavesNothing()
{
    dropTables();
    for (const char* way : {"auto", "off"}) {
        const Loaded loaded =
            load({{"bulk_load", std::string(way)}}, {{"table_size", std::int64_t(400'000)}}, PreparePolicy::Always, 1);
        QVERIFY(!loaded.done);
        QCOMPARE(loaded.done.error().kind, ErrorKind::Interrupted);
        QVERIFY2(contains(loaded.done.error().remedy, "removed"), loaded.done.error().text().c_str());
        QVERIFY(loaded.progress.back().rows < 400'000);
        QCOMPARE(tables(), std::string());
    }
}

void TestBulkLoad::fullTableIsNamed()
{
    dropTables();
    const std::string before = cell("SELECT @@GLOBAL.max_heap_table_size");
    QVERIFY(m_admin->execute("SET GLOBAL max_heap_table_size = 1048576"));
    for (const char* way : {"auto", "off"}) {
        const Loaded loaded = load({{"bulk_load", std::string(way)}}, {{"storage_engine", std::string("memory")}});
        QVERIFY(!loaded.done);
        const std::string text = loaded.done.error().text();
        QVERIFY2(contains(text, "loading sbtest1 failed") && contains(text, "The table 'sbtest1' is full") &&
                     contains(text, "1114"),
                 text.c_str());
        QCOMPARE(tables(), std::string());
    }
    QVERIFY(m_admin->execute("SET GLOBAL max_heap_table_size = " + before));
}

void TestBulkLoad::lostConnectionLeavesNoSilentHalfTable()
{
    dropTables();
    FaultProxy proxy;
    const auto started =
        proxy.start({.socket = m_server.socket()}, std::string(DYNO_TEST_WORK_DIR) + "/bulk-proxy.sock");
    QVERIFY2(started, started ? "" : started.error().text().c_str());
    for (const char* way : {"auto", "off"}) {
        TargetUri uri = m_server.uri();
        uri.query["socket"] = proxy.socket();
        proxy.cutAfter(FaultProxy::Direction::ToServer, 500'000);
        const Loaded loaded = load({{"bulk_load", std::string(way)}}, {}, PreparePolicy::Always, UINT64_MAX, uri);
        QVERIFY(!loaded.done);
        QVERIFY2(contains(loaded.done.error().text(), "loading sbtest1 failed"), loaded.done.error().text().c_str());
        QVERIFY2(contains(loaded.done.error().remedy, "removed"), loaded.done.error().text().c_str());
        QCOMPARE(tables(), std::string());
    }
}

//! A Dynobench that was killed leaves rows and its mark.
void TestBulkLoad::whatAKilledLoadLeftIsReplaced()
{
    dropTables();
    QVERIFY(load({}, {{"tables", std::int64_t(2)}}).done);
    QVERIFY(m_admin->execute("DELETE FROM sbtest2 WHERE id > 100"));
    QVERIFY(m_admin->setUnfinishedLoads({"sbtest2", "of_another_workload"}));
    const Settings two{{"tables", std::int64_t(2)}};
    const Loaded refused = load({}, two, PreparePolicy::Never);
    QVERIFY(!refused.done);
    QVERIFY2(contains(refused.done.error().text(), "sbtest2 is incomplete"), refused.done.error().text().c_str());
    const Loaded again = load({}, two, PreparePolicy::Auto);
    QVERIFY2(again.done && *again.done, again.done ? "" : again.done.error().text().c_str());
    QCOMPARE(again.progress.back().totalRows, std::uint64_t(kRows)); // sbtest1 was whole
    QCOMPARE(again.warnings.size(), std::size_t(1));
    QVERIFY2(contains(again.warnings.front(), "sbtest2 was incomplete"), again.warnings.front().c_str());
    QCOMPARE(cell("SELECT COUNT(*) FROM sbtest2"), std::to_string(kRows));
    const auto left = m_admin->unfinishedLoads();
    QVERIFY(left);
    QCOMPARE(*left, std::vector<std::string>{"of_another_workload"});
    QVERIFY(m_admin->setUnfinishedLoads({}));
    QCOMPARE(tables(), std::string("sbtest1,sbtest2"));
}

} // namespace dyno::tst_bulk_load

DYNO_SUITE(tst_bulk_load, dyno::tst_bulk_load::TestBulkLoad)
#include "tst_bulk_load.moc"
