// SPDX-License-Identifier: GPL-3.0-or-later
// load.instruments on real servers: switched on exactly, put back exactly, however a session ends.
#include "driver/counter_details.h"
#include "load/target/instrument_switch.h"
#include "managed_test.h"
#include "recording_sink.h"
#include "store/session/session_writer.h"
#include "support/mariadb_fixture.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"
#include "support/verify.h"

#include <dyno/library.h>
#include <dyno/restore.h>
#include <dyno/servers.h>
#include <dyno/trust.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>

namespace dyno::tst_instruments {
using namespace dyno::test;

//! Each instrument, consumer, metric and switch of a server with its state.
using Rows = std::map<std::string, std::string>;

Rows rowsOf(Admin& admin, const char* select)
{
    Rows rows;
    const auto answer = admin.query(select);
    for (const std::vector<std::string>& row : answer.value_or(TextRows())) {
        std::string state;
        for (std::size_t i = 1; i < row.size(); ++i)
            state += (i > 1 ? "/" : "") + row[i];
        rows.emplace(row[0], state);
    }
    return rows;
}

Rows mysqlRows(Admin& admin)
{
    Rows rows = rowsOf(admin, "SELECT NAME, ENABLED, TIMED FROM performance_schema.setup_instruments");
    rows.merge(rowsOf(admin, "SELECT CONCAT('consumer ', NAME), ENABLED FROM performance_schema.setup_consumers"));
    const char* const kMetrics = "SELECT CONCAT('metric ', NAME), {} FROM information_schema.innodb_metrics";
    for (const char* state : {"STATUS", "ENABLED"})
        rows.merge(rowsOf(admin, std::string(kMetrics).replace(std::string(kMetrics).find("{}"), 2, state).c_str()));
    rows.emplace("userstat", admin.variable("userstat").value_or("(none)"));
    return rows;
}

//! Where each setting of the server comes from too: no line of ours stays in its file.
Rows postgresqlRows(Admin& admin)
{
    return rowsOf(admin, "SELECT name, setting, source, COALESCE(sourcefile, '') FROM pg_settings");
}

//! Names whose state is another one.
std::vector<std::string> changedIn(const Rows& before, const Rows& after)
{
    std::vector<std::string> names;
    for (const auto& [name, state] : after) {
        if (const auto found = before.find(name); found == before.end() || found->second != state)
            names.push_back(name);
    }
    return names;
}

bool isOf(const std::string& name, std::initializer_list<const char*> prefixes)
{
    return std::ranges::any_of(prefixes, [&name](const char* prefix) { return name.starts_with(prefix); });
}

//! What one event of the runs says of instruments.
std::vector<std::string> toldBy(const RecordingSink& sink)
{
    std::vector<std::string> told;
    for (const std::vector<RunEvent>& run : sink.events) {
        for (const RunEvent& event : run) {
            if (event.kind == EventKind::Knob && event.text.starts_with("instruments "))
                told.push_back(event.text);
        }
    }
    return told;
}

class TestInstruments : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void levels_data();
    void levels();
    void eachLevelBeginsAtTheServersOwn();
    void aSessionPutsBack();
    void notWhileLoading();
    void notOnAnotherTarget();
    void aSessionThatFailsPutsBack();
    void aStoppedSessionPutsBack();
    void afterACrash();
    void withoutTheRight();
    void withoutPerformanceSchema();
    void onPostgresql();
    void enginesWithout();
    void asksFirst();

private:
    static void countsMetrics(Admin& admin, bool oracle);
    void namesTheUnseenThread(Admin& admin);
    Plan plan(InstrumentsLevel level) const
    {
        Plan plan = smallPlan(m_server.uriText());
        plan.load.instruments = level;
        return plan;
    }
    RunnerOptions options() const
    {
        RunnerOptions options;
        options.consent.allow("all");
        options.library = m_library;
        options.workDir = m_dir.path().toStdString();
        return options;
    }

    QTemporaryDir m_dir;
    std::filesystem::path m_library;
    MariadbFixture m_server;
    std::unique_ptr<Admin> m_admin;
    std::unique_ptr<ManagedServer> m_mysql; //!< MySQL 8.0, from its first row on
    Rows m_own;                             //!< of m_server, as it came and somebody set it up
};

void TestInstruments::initTestCase()
{
    qputenv("XDG_DATA_HOME", m_dir.path().toUtf8());
    m_library = m_dir.filePath("library.dynolib").toStdString();
    DYNO_START_MARIADB(m_server, {{"performance_schema", true}});
    auto admin = m_server.admin();
    VERIFY_OK(admin);
    m_admin = std::move(*admin);
    // An owner's own choice, one of each kind.
    for (const char* choice :
         {"UPDATE performance_schema.setup_instruments SET ENABLED='YES', TIMED='NO' WHERE NAME='stage/sql/Opening "
          "tables'",
          "UPDATE performance_schema.setup_instruments SET ENABLED='NO', TIMED='NO' WHERE NAME='statement/sql/select'",
          "UPDATE performance_schema.setup_consumers SET ENABLED='NO' WHERE NAME='statements_digest'",
          "SET GLOBAL innodb_monitor_enable='lock_deadlocks'"})
        VERIFY_OK(m_admin->execute(choice));
    m_own = mysqlRows(*m_admin);
    QVERIFY(m_own.size() > 800);
    QCOMPARE(m_own.at("stage/sql/Opening tables"), std::string("YES/NO"));
}

void TestInstruments::levels_data()
{
    QTest::addColumn<bool>("oracle");
    QTest::addColumn<bool>("full");
    for (const bool full : {false, true}) {
        QTest::addRow("MariaDB, %s", full ? "full" : "light") << false << full;
        QTest::addRow("MySQL 8.0, %s", full ? "full" : "light") << true << full;
    }
}

void TestInstruments::levels()
{
    QFETCH(bool, oracle);
    QFETCH(bool, full);
    if (oracle && basedirIn("DYNO_TEST_MYSQL80").empty())
        QSKIP("DYNO_TEST_MYSQL80 names no folder of a MySQL server");
    if (oracle && !m_mysql) {
        auto made = ManagedServer::create(managedUri("mysql", {{"basedir", basedirIn("DYNO_TEST_MYSQL80")}}),
                                          DYNO_TEST_WORK_DIR);
        VERIFY_OK(made);
        m_mysql = std::move(*made);
        VERIFY_OK(m_mysql->ensure(smallKnobs()));
    }
    auto admin = oracle ? adminOf(*m_mysql) : m_server.admin();
    VERIFY_OK(admin);
    const Rows before = mysqlRows(**admin);

    std::map<std::string, std::string> written; // before each change, with the value to go back to
    InstrumentSwitch instruments([&written](const KnobChange& change) -> Expected<void> {
        written.emplace(change.name, change.oldValue);
        return {};
    });
    VERIFY_OK(instruments.apply(**admin, full ? InstrumentsLevel::Full : InstrumentsLevel::Light, {}));
    const Rows on = mysqlRows(**admin);
    std::size_t changed = 0;
    for (const auto& [name, state] : on) {
        const bool statements = isOf(name, {"statement/"}) ||
                                (isOf(name, {"consumer "}) && isOf(name.substr(9), {"global_", "thread_", "statements_",
                                                                                    "events_statements_current"}));
        const bool rest = isOf(name, {"stage/", "transaction", "wait/", "metric "}) ||
                          (isOf(name, {"consumer events_"}) && name.ends_with("_current"));
        const std::string was = before.at(name);
        changed += isOf(name, {"consumer ", "metric ", "userstat"}) || was == state ? 0 : 1;
        if (name == "userstat")
            QCOMPARE(state, std::string(oracle ? "(none)" : "ON"));
        else if (statements || (full && rest))
            QVERIFY2(state == "YES" || state == "YES/YES" || state == "enabled" || state == "1",
                     (name + " is " + state).c_str());
        else
            QVERIFY2(state == was, (name + " is " + state + ", was " + was).c_str());
    }
    QVERIFY2(changed == 0 || instruments.told().find("performance_schema: " + std::to_string(changed) +
                                                     " instrument") != std::string::npos,
             instruments.told().c_str());
    QVERIFY(!full || changed > 300);
    QVERIFY(changed > 0 || oracle);
    QVERIFY2(instruments.told().starts_with(full ? "full: performance_schema: " : "light: "),
             instruments.told().c_str());
    QVERIFY(full == written.contains("innodb_metrics"));
    QCOMPARE(instruments.changed(), !written.empty());

    if (full)
        countsMetrics(**admin, oracle);
    if (full && oracle)
        namesTheUnseenThread(**admin);

    VERIFY_OK(instruments.restore(**admin));
    QCOMPARE(changedIn(before, mysqlRows(**admin)), std::vector<std::string>());
    QVERIFY(!instruments.changed() && instruments.notRestored().empty());
}

//! All metrics have a series; how far the log is ahead of its checkpoint both products say, in their own way.
void TestInstruments::countsMetrics(Admin& admin, bool oracle)
{
    std::map<std::string, double> named;
    std::map<std::string, CounterInfo> infos;
    const std::vector<CounterInfo> counters = admin.counters();
    const auto values = admin.counterValues();
    VERIFY_OK(values);
    for (std::size_t i = 0; i < counters.size(); ++i) {
        named[counters[i].name] = values->at(i);
        infos[counters[i].name] = counters[i];
    }
    QVERIFY(counters.size() < kMostCounters);
    for (const char* level : {"log_lsn_checkpoint_age", "buffer_flush_pct_for_dirty", "buffer_flush_adaptive_pages",
                              "buffer_LRU_batch_scanned_per_call", "lock_rec_locks"})
        QVERIFY2(infos.contains(level) && !infos[level].rate && infos[level].hidden, level);
    for (const char* rate : {"lock_deadlocks", "buffer_flush_adaptive_total_pages", "buffer_flush_batches",
                             "trx_rw_commits", "log_lsn_current"})
        QVERIFY2(infos.contains(rate) && infos[rate].rate && infos[rate].hidden, rate);
    QVERIFY(infos.contains("innodb_rwlock_s_os_waits") == oracle);
    for (const char* name : {"Innodb_checkpoint_age", "Innodb_checkpoint_max_age"})
        QVERIFY2(infos.contains(name) && !infos[name].rate && infos[name].unit == "bytes", name);
    QVERIFY(!infos["Innodb_checkpoint_age"].hidden && named["Innodb_checkpoint_age"] >= 0);
    QVERIFY(named["Innodb_checkpoint_max_age"] > 1 << 20);
    QVERIFY(named["Innodb_checkpoint_age"] <= named["Innodb_checkpoint_max_age"]);
    if (!oracle)
        return;
    // What is written after a checkpoint is the age.
    VERIFY_OK(admin.execute("CREATE DATABASE IF NOT EXISTS aged"));
    VERIFY_OK(admin.execute("CREATE TABLE aged.t (id INT PRIMARY KEY AUTO_INCREMENT, c LONGBLOB)"));
    const auto ageNow = [&] {
        const auto now = admin.counterValues();
        const auto place = std::ranges::find(counters, "Innodb_checkpoint_age", &CounterInfo::name);
        return now ? now->at(std::size_t(place - counters.begin())) : -1;
    };
    double more = 0;
    for (int i = 0; i < 100 && more < 900'000; ++i) { // a checkpoint may come in between
        const double before = ageNow();
        VERIFY_OK(admin.execute("INSERT INTO aged.t (c) VALUES (REPEAT('x', 1000000))"));
        more = ageNow() - before;
    }
    QVERIFY2(more >= 900'000, qPrintable(QString::number(more)));
    const double files =
        QString::fromStdString(admin.query("SHOW GLOBAL STATUS LIKE 'Innodb_redo_log_capacity_resized'")
                                   .value_or(TextRows{{"", "0"}})
                                   .front()
                                   .at(1))
            .toDouble();
    QVERIFY(std::abs(named["Innodb_checkpoint_max_age"] - files * 30 / 32 * 0.95) < 1);
    VERIFY_OK(admin.execute("DROP DATABASE aged"));
}

//! MySQL says in performance_schema alone which of its threads serves: what an account needs to see it is named.
void TestInstruments::namesTheUnseenThread(Admin& admin)
{
    QVERIFY(servingThread(admin) > 0);
    VERIFY_OK(admin.execute("CREATE USER bob@'%' IDENTIFIED WITH mysql_native_password BY 's3cret'"));
    ConnectTarget target;
    target.uri = m_mysql->connectUri();
    target.uri.user = "bob";
    target.uri.password = "s3cret";
    target.uri.database.clear();
    auto other = driverFor("mysql")->admin(target);
    VERIFY_OK(other);
    const auto remedy = [&other] {
        const std::vector<UnseenCounters> unseen = unseenCounters(**other);
        const auto found = std::ranges::find(unseen, "the server's CPU time for observing it", &UnseenCounters::what);
        return found == unseen.end() ? std::string() : found->command();
    };
    const std::string grant = remedy();
    QCOMPARE(grant, std::string("GRANT SELECT ON performance_schema.threads TO 'bob'@'%'"));
    VERIFY_OK(admin.execute(grant));
    QCOMPARE(remedy(), std::string());
    QVERIFY(servingThread(**other) > 0);
    VERIFY_OK(admin.execute("DROP USER bob@'%'"));
}

void TestInstruments::eachLevelBeginsAtTheServersOwn()
{
    InstrumentSwitch instruments({});
    VERIFY_OK(instruments.apply(*m_admin, InstrumentsLevel::Light, {}));
    const Rows light = mysqlRows(*m_admin);
    const std::string told = instruments.told();
    QVERIFY2(told.find("1 instrument and 2 consumers, userstat switched on") != std::string::npos, told.c_str());
    VERIFY_OK(instruments.apply(*m_admin, InstrumentsLevel::Full, {}));
    QVERIFY(changedIn(light, mysqlRows(*m_admin)).size() > 300);
    VERIFY_OK(instruments.apply(*m_admin, InstrumentsLevel::Light, {}));
    QCOMPARE(changedIn(light, mysqlRows(*m_admin)), std::vector<std::string>());
    QCOMPARE(instruments.told(), told);
    // As after a restart of the server: on again, and the way back is still known.
    VERIFY_OK(m_admin->execute("SET GLOBAL userstat=OFF"));
    VERIFY_OK(instruments.apply(*m_admin, InstrumentsLevel::Light, {}));
    QCOMPARE(changedIn(light, mysqlRows(*m_admin)), std::vector<std::string>());
    QCOMPARE(instruments.told(), told);
    VERIFY_OK(instruments.apply(*m_admin, InstrumentsLevel::None, {}));
    QVERIFY(instruments.told().empty() && !instruments.changed());
    QCOMPARE(changedIn(m_own, mysqlRows(*m_admin)), std::vector<std::string>());
    // What the plan sets itself is the plan's.
    VERIFY_OK(instruments.apply(*m_admin, InstrumentsLevel::Light, {{"userstat", false}}));
    QCOMPARE(m_admin->variable("userstat").value_or(""), std::string("OFF"));
    QVERIFY2(instruments.told().find("(except userstat, which the plan sets)") != std::string::npos,
             instruments.told().c_str());
    // Another's change is not overwritten, and named; what we switched on beside it goes back. It holds up no run.
    const auto change = [this](const char* letter) {
        return m_admin->execute(std::string("UPDATE performance_schema.setup_instruments SET ENABLED='NO' WHERE NAME "
                                            "LIKE 'statement/sql/") +
                                letter + "%'");
    };
    VERIFY_OK(change("a"));
    const auto isTheirs = [](const std::string& name) { return isOf(name, {"statement/sql/a", "statement/sql/b"}); };
    std::vector<std::string> changed;
    for (const bool atTheEnd : {false, true}) {
        if (atTheEnd) {
            VERIFY_SAYS(instruments.restore(*m_admin), "somebody else changed it");
        } else {
            VERIFY_OK(instruments.apply(*m_admin, InstrumentsLevel::None, {}));
            const std::vector<std::string> left = instruments.takeLeft();
            QCOMPARE(left.size(), std::size_t(1));
            QVERIFY2(left[0].find("is now NO/YES for statement/sql/a") != std::string::npos && left[0].size() < 300,
                     left[0].c_str());
        }
        QCOMPARE(instruments.notRestored(), std::vector<std::string>{"setup_instruments.statement/"});
        changed = changedIn(m_own, mysqlRows(*m_admin));
        QVERIFY(changed.size() > 3 && std::ranges::all_of(changed, isTheirs));
        if (!atTheEnd) {
            VERIFY_OK(instruments.apply(*m_admin, InstrumentsLevel::Light, {}));
            VERIFY_OK(change("b"));
        }
    }
    VERIFY_OK(m_admin->setVariable("setup_instruments.statement/", std::string("YES|NO=statement/sql/select")));
    QCOMPARE(changedIn(m_own, mysqlRows(*m_admin)), std::vector<std::string>());
    VERIFY_SAYS(m_admin->setVariable("setup_instruments.statement/", std::string("MAYBE")), "is not a state of");
    VERIFY_SAYS(m_admin->variable("setup_instruments.nothing/"), "has no instruments");
}

//! Two runs without and two with them, as an axis compares their cost.
void TestInstruments::aSessionPutsBack()
{
    Plan both = plan(InstrumentsLevel::None);
    both.load.timeSeconds = 0.2;
    both.load.repeats = 2;
    both.axes.push_back(
        {"instruments",
         {{"off", {{"load.instruments", std::string("none")}}}, {"on", {{"load.instruments", std::string("full")}}}}});
    RecordingSink sink;
    std::vector<std::size_t> changed; // at the start of each run
    sink.runHook = [&](const RunHeader&) { changed.push_back(changedIn(m_own, mysqlRows(*m_admin)).size()); };
    runPlan(both, options(), sink);
    QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
    QCOMPARE(changed.size(), std::size_t(4));
    QCOMPARE(changed[0] + changed[1], std::size_t(0));
    QVERIFY(changed[2] > 300 && changed[3] == changed[2]);
    const std::vector<std::string> told = toldBy(sink);
    QCOMPARE(told.size(), std::size_t(2));
    QVERIFY2(told[0].find(" instruments and ") != std::string::npos && told[0].ends_with("put back afterwards"),
             told[0].c_str());
    QCOMPARE(told[1], told[0]);
    QCOMPARE("instruments " + textOf(sink.runs.at(3).effective, kInstrumentsKey), told[0]);
    QVERIFY(!sink.runs.at(0).effective.contains(kInstrumentsKey));
    QCOMPARE(changedIn(m_own, mysqlRows(*m_admin)), std::vector<std::string>());
    QVERIFY(leftChanges(m_library).value_or(std::vector<LeftChange>(9)).empty());
}

//! Neither by `dyno prepare`, nor before a run whose tables are made again.
void TestInstruments::notWhileLoading()
{
    VERIFY_OK(prepareData(plan(InstrumentsLevel::Full), options(), {}));
    QCOMPARE(changedIn(m_own, mysqlRows(*m_admin)), std::vector<std::string>());
    VERIFY_OK(m_admin->execute("TRUNCATE performance_schema.events_statements_summary_by_digest"));
    TargetUri uri = m_server.uri();
    uri.database += "_fresh";
    VERIFY_OK(m_admin->execute("CREATE DATABASE " + uri.database));
    Plan fresh = smallPlan(uri.display(), "oltp_insert");
    fresh.workload.params["auto_inc"] = false;
    fresh.load.instruments = InstrumentsLevel::Light;
    fresh.load.timeSeconds = 0.1;
    fresh.load.repeats = 2;
    RecordingSink sink;
    runPlan(fresh, options(), sink);
    VERIFY_OK(m_admin->execute("DROP DATABASE " + uri.database));
    QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
    const auto counted = [this](const char* statement) {
        return rowsOf(*m_admin, (std::string("SELECT 'n', COALESCE(SUM(COUNT_STAR), 0) FROM "
                                             "performance_schema.events_statements_summary_by_digest WHERE "
                                             "DIGEST_TEXT LIKE '") +
                                 statement + "%'")
                                    .c_str())
            .at("n");
    };
    QCOMPARE(counted("CREATE TABLE"), std::string("0"));
    QVERIFY(counted("INSERT") != "0"); // of the runs
    QCOMPARE(toldBy(sink).size(), std::size_t(2));
}

//! Which may be another name of the same server.
void TestInstruments::notOnAnotherTarget()
{
    const std::string database = m_server.database() + "2";
    VERIFY_OK(m_admin->execute("CREATE DATABASE " + database));
    TargetUri uri = m_server.uri();
    uri.database = database;
    Plan both = plan(InstrumentsLevel::Full);
    both.load.timeSeconds = 0.1;
    both.axes.push_back(
        {"target", {{"one", {}}, {"other", {{"target.uri", uri.display()}, {kInstrumentsKey, std::string("none")}}}}});
    RecordingSink sink;
    std::vector<std::size_t> changed;
    sink.runHook = [&](const RunHeader&) { changed.push_back(changedIn(m_own, mysqlRows(*m_admin)).size()); };
    runPlan(both, options(), sink);
    VERIFY_OK(m_admin->execute("DROP DATABASE " + database));
    QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
    QCOMPARE(changed.size(), std::size_t(2));
    QVERIFY(changed[0] > 300);
    QCOMPARE(changed[1], std::size_t(0));
    QCOMPARE(changedIn(m_own, mysqlRows(*m_admin)), std::vector<std::string>());
}

void TestInstruments::aSessionThatFailsPutsBack()
{
    RecordingSink sink;
    std::size_t changed = 0, left = 0;
    sink.runHook = [&](const RunHeader&) {
        changed = changedIn(m_own, mysqlRows(*m_admin)).size();
        left = leftChanges(m_library).value_or(std::vector<LeftChange>()).size();
        throw std::runtime_error("no memory for this");
    };
    runPlan(plan(InstrumentsLevel::Full), options(), sink);
    QCOMPARE(sink.session.status, RunStatus::Failed);
    QVERIFY(changed > 300);
    QVERIFY(left > 5); // each is written down while it lasts
    QCOMPARE(changedIn(m_own, mysqlRows(*m_admin)), std::vector<std::string>());
    QVERIFY(leftChanges(m_library).value_or(std::vector<LeftChange>(9)).empty());
}

void TestInstruments::aStoppedSessionPutsBack()
{
    Plan slow = plan(InstrumentsLevel::Light);
    slow.load.timeSeconds = 60;
    RecordingSink sink;
    SessionRunner runner(slow, options(), {&sink});
    std::size_t changed = 0;
    sink.runHook = [&](const RunHeader&) {
        changed = changedIn(m_own, mysqlRows(*m_admin)).size();
        runner.stop();
    };
    runner.start();
    runner.wait();
    QCOMPARE(sink.session.status, RunStatus::Stopped);
    QCOMPARE(changed, std::size_t(4));
    QCOMPARE(changedIn(m_own, mysqlRows(*m_admin)), std::vector<std::string>());
}

//! A session that was killed: what it had switched on goes back one by one.
void TestInstruments::afterACrash()
{
    auto writer = SessionWriter::open(m_library);
    VERIFY_OK(writer);
    SessionHeader header;
    header.id = "00000000-0000-4000-8000-100000000001";
    header.plan.target.uri = m_server.uriText();
    (*writer)->onSessionStarted(header);
    InstrumentSwitch instruments([&](const KnobChange& change) {
        return (*writer)->recordKnobChange(m_server.uriText(), change.name, change.oldValue, change.newValue);
    });
    VERIFY_OK(instruments.apply(*m_admin, InstrumentsLevel::Full, {}));
    writer->reset();
    QVERIFY(changedIn(m_own, mysqlRows(*m_admin)).size() > 300);
    const auto restored = restoreLeftChanges(m_library, {}, {}, false);
    VERIFY_OK(restored);
    QVERIFY(restored->size() > 5);
    for (const RestoredKnob& one : *restored)
        QVERIFY2(one.outcome == RestoreOutcome::Restored, (one.name + ": " + one.text).c_str());
    QCOMPARE(changedIn(m_own, mysqlRows(*m_admin)), std::vector<std::string>());
    QVERIFY(leftChanges(m_library).value_or(std::vector<LeftChange>(9)).empty());
}

//! The run goes on, and says that they are not on.
void TestInstruments::withoutTheRight()
{
    VERIFY_OK(m_admin->execute("CREATE USER looker@localhost"));
    VERIFY_OK(m_admin->execute("GRANT ALL ON " + m_server.database() + ".* TO looker@localhost"));
    VERIFY_OK(m_admin->execute("GRANT SELECT ON performance_schema.* TO looker@localhost"));
    Plan asked = plan(InstrumentsLevel::Light);
    TargetUri uri = m_server.uri();
    uri.user = "looker";
    asked.target.uri = uri.display();
    asked.load.timeSeconds = 0.1;
    RecordingSink sink;
    runPlan(asked, options(), sink);
    QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
    const std::vector<std::string> told = toldBy(sink);
    QCOMPARE(told.size(), std::size_t(1));
    QVERIFY2(told[0].starts_with("instruments light: not switched on, ") &&
                 told[0].find("command denied to user 'looker'") != std::string::npos &&
                 told[0].find("grant the user the right") != std::string::npos,
             told[0].c_str());
    QCOMPARE(changedIn(m_own, mysqlRows(*m_admin)), std::vector<std::string>());
    QVERIFY(leftChanges(m_library).value_or(std::vector<LeftChange>(9)).empty());
}

//! A server of ours, without it and then with it: no list of changes, since they end with the server.
void TestInstruments::withoutPerformanceSchema()
{
    Plan both = plan(InstrumentsLevel::Light);
    both.target.uri = "managed:mariadb";
    both.load.timeSeconds = 0.1;
    both.axes.push_back(
        {"schema",
         {{"off", {{"server.performance_schema", false}}},
          {"on", {{"server.performance_schema", true}}},
          {"off again", {{"server.performance_schema", false}, {kInstrumentsKey, std::string("none")}}}}});
    RecordingSink sink;
    runPlan(both, options(), sink);
    QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
    const std::vector<std::string> told = toldBy(sink);
    QCOMPARE(told.size(), std::size_t(2));
    QCOMPARE(told[0], std::string("instruments light: userstat (performance_schema is off) switched on, put back "
                                  "afterwards"));
    QVERIFY2(told[1].ends_with("userstat switched on, put back afterwards"), told[1].c_str());
}

void TestInstruments::onPostgresql()
{
    PostgresqlFixture server;
    DYNO_START_POSTGRESQL(server, {.settings = {"shared_preload_libraries=pg_stat_statements",
                                                "pg_stat_statements.track=none", "track_functions=pl"}});
    auto admin = server.admin();
    VERIFY_OK(admin);
    const Rows before = postgresqlRows(**admin);
    QCOMPARE(before.at("pg_stat_statements.track").substr(0, 4), std::string("none"));
    Plan levels = smallPlan(server.uriText());
    levels.load.timeSeconds = 0.1;
    levels.axes.push_back({"instruments", {}});
    for (const char* level : {"light", "full", "none"})
        levels.axes[0].cases.push_back({level, {{kInstrumentsKey, std::string(level)}}});
    RecordingSink sink;
    std::vector<std::vector<std::string>> changed;
    sink.runHook = [&](const RunHeader&) { changed.push_back(changedIn(before, postgresqlRows(**admin))); };
    runPlan(levels, options(), sink);
    QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
    QCOMPARE(changed.size(), std::size_t(3));
    QCOMPARE(changed[0], std::vector<std::string>{"pg_stat_statements.track"});
    QCOMPARE(changed[1], (std::vector<std::string>{"pg_stat_statements.track", "track_functions", "track_io_timing",
                                                   "track_wal_io_timing"}));
    QCOMPARE(changed[2], std::vector<std::string>());
    QCOMPARE(toldBy(sink),
             (std::vector<std::string>{"instruments light: pg_stat_statements.track switched on, put back afterwards",
                                       "instruments full: track_io_timing, track_wal_io_timing, track_functions, "
                                       "pg_stat_statements.track switched on, put back afterwards"}));
    QCOMPARE(changedIn(before, postgresqlRows(**admin)), std::vector<std::string>());
    QVERIFY(leftChanges(m_library).value_or(std::vector<LeftChange>(9)).empty());

    // A setting that one point sets and another's level wants: each run has its own, and the server its value at the
    // end.
    Plan mixed = smallPlan(server.uriText());
    mixed.load.timeSeconds = 0.1;
    const auto point = [](const char* label, const char* level, std::optional<bool> timing) {
        Case one{label, {{kInstrumentsKey, std::string(level)}}};
        if (timing)
            one.set.emplace("server.track_io_timing", *timing);
        return one;
    };
    mixed.axes.push_back(
        {"point",
         {point("full", "full", {}), point("set on", "none", true), point("full, set off", "full", false),
          point("full again", "full", {}), point("set off", "none", false)}});
    RecordingSink mixedSink;
    std::vector<std::string> timing;
    mixedSink.runHook = [&](const RunHeader&) {
        timing.push_back(postgresqlRows(**admin).at("track_io_timing").substr(0, 3));
    };
    runPlan(mixed, options(), mixedSink);
    QVERIFY2(mixedSink.session.status == RunStatus::Done, mixedSink.session.reason.c_str());
    QCOMPARE(timing, (std::vector<std::string>{"on/", "on/", "off", "on/", "off"}));
    QCOMPARE(changedIn(before, postgresqlRows(**admin)), std::vector<std::string>());
    QVERIFY(leftChanges(m_library).value_or(std::vector<LeftChange>(9)).empty());
    // Nothing is switched off.
    VERIFY_OK((*admin)->setVariable("pg_stat_statements.track", std::string("all")));
    const auto light = (*admin)->instruments(InstrumentsLevel::Light);
    VERIFY_OK(light);
    QVERIFY(light->what.empty() && textOf(light->wanted, "pg_stat_statements.track") == "all");
}

void TestInstruments::enginesWithout()
{
    Plan file = smallPlan("sqlite:" + m_dir.filePath("own.db").toStdString());
    file.load.timeSeconds = 0.1;
    file.load.instruments = InstrumentsLevel::Full;
    RecordingSink sink;
    runPlan(file, options(), sink);
    QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
    QCOMPARE(toldBy(sink), std::vector<std::string>{"instruments full: not switched on, this engine has no "
                                                    "instruments that can be switched"});
}

//! As any setting of somebody's server: who typed it has agreed, a stranger's plan asks, wherever it says so.
void TestInstruments::asksFirst()
{
    const Plan without = plan(InstrumentsLevel::None);
    QVERIFY(risksOf(without).empty());
    Plan inCase = without;
    inCase.axes.push_back({"instruments", {{"on", {{kInstrumentsKey, std::string("full")}}}}});
    for (const Plan& asking : {plan(InstrumentsLevel::Full), inCase}) {
        const std::vector<Risk> risks = risksOf(asking);
        QCOMPARE(risks.size(), std::size_t(1));
        QCOMPARE(risks[0].key, std::string(kInstrumentsKey));
        QCOMPARE(risks[0].value, std::string("full"));
        QVERIFY(uncovered(risks, typedIn(without, asking)).empty());
        QCOMPARE(uncovered(risks, typedIn(asking, asking)).size(), std::size_t(1));
        RecordingSink sink;
        RunnerOptions options = this->options();
        options.consent = {};
        options.consent.allow(std::string(kTargetKey));
        runPlan(asking, options, sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QVERIFY2(sink.session.reason.find("load.instruments") != std::string::npos, sink.session.reason.c_str());
        QVERIFY(sink.runs.empty());
    }
    Plan own = plan(InstrumentsLevel::Full);
    own.target.uri = "managed:mariadb";
    QVERIFY(risksOf(own).empty());
    QCOMPARE(changedIn(m_own, mysqlRows(*m_admin)), std::vector<std::string>());
}

} // namespace dyno::tst_instruments

DYNO_SUITE(tst_instruments, dyno::tst_instruments::TestInstruments)
#include "tst_instruments.moc"
