// SPDX-License-Identifier: GPL-3.0-or-later
// What a real PostgreSQL tells of itself: its counts agree with its own views, a reset is a gap and no negative rate.
#include "driver/counter_details.h"
#include "driver/postgresql/postgresql_counters.h"
#include "driver/server_self.h"
#include "monitor/counter_rates.h"
#include "server/lifecycle/child_process.h"
#include "session_test.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"
#include "support/verify.h"

#include <dyno/counter_groups.h>
#include <dyno/main_counters.h>
#include <dyno/shown_counters.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <thread>
#include <utility>

namespace dyno::tst_postgresql_counters {
using namespace dyno::test;

class TestPostgresqlCounters : public QObject
{
    Q_OBJECT

    PostgresqlFixture m_server;
    std::unique_ptr<Admin> m_admin;

    std::map<std::string, double> values() { return values(*m_admin); }
    static std::map<std::string, double> values(Admin& admin)
    {
        const std::vector<CounterInfo> counters = admin.counters();
        const auto got = admin.counterValues();
        std::map<std::string, double> named;
        for (std::size_t i = 0; got && i < counters.size(); ++i)
            named[counters[i].name] = got->at(i);
        return named;
    }

    //! How much a counter has grown; 0 where the server gave no counters.
    static double more(const std::map<std::string, double>& now, const std::map<std::string, double>& then,
                       const char* name)
    {
        return now.contains(name) && then.contains(name) ? now.at(name) - then.at(name) : 0;
    }

private slots:
    void initTestCase()
    {
        DYNO_START_POSTGRESQL(m_server, {.settings = {"autovacuum=off"}});
        auto admin = m_server.admin();
        QVERIFY(admin);
        m_admin = std::move(*admin);
        QVERIFY(m_admin->execute("CREATE TABLE t (id INTEGER PRIMARY KEY, c TEXT)"));
    }

    //! By its cluster and address; a session that may only read says so, and the account of nobody in particular too.
    void whoAnswers()
    {
        const auto self = m_admin->self();
        QVERIFY2(self, self ? "" : self.error().text().c_str());
        QVERIFY2(self->asked && self->writes == true && self->name == fmt::format("port {}", m_server.port()),
                 self->name.c_str());
        const auto cluster = m_admin->query("SELECT system_identifier FROM pg_control_system()");
        QVERIFY(cluster && self->identity.starts_with(cluster->front().front() + ' '));
        QVERIFY(m_admin->execute("SET default_transaction_read_only = on"));
        const auto reading = m_admin->self();
        QVERIFY(reading && reading->writes == false && reading->identity == self->identity);
        QVERIFY(m_admin->execute("SET default_transaction_read_only = off"));
        // One that has no time, or lost a right, says nothing: it is not another server.
        QVERIFY(m_admin->execute("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC"));
        QVERIFY(m_admin->execute("CREATE ROLE anybody") && m_admin->execute("SET ROLE anybody"));
        const auto silent = m_admin->self();
        QVERIFY(silent && silent->identity.empty() && !silent->writes);
        QVERIFY(m_admin->execute("RESET ROLE"));
        const auto again = m_admin->self();
        QVERIFY(again && again->identity == self->identity);
        // An account that never had the right goes by name and address.
        auto admin = m_server.admin();
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        QVERIFY((*admin)->execute("SET ROLE anybody"));
        const auto anybody = (*admin)->self();
        QVERIFY2(anybody && anybody->name == self->name && anybody->writes == true,
                 anybody ? anybody->name.c_str() : anybody.error().text().c_str());
        QVERIFY(anybody->identity != self->identity);
    }

    //! Columns as the manuals of 15 to 18 have them ("The Cumulative Statistics System"); no server is asked.
    void versionsCountInDifferentPlaces()
    {
        const std::set<std::string> database = {"pg_stat_database.xact_commit",   "pg_stat_database.xact_rollback",
                                                "pg_stat_database.tup_inserted",  "pg_stat_database.numbackends",
                                                "pg_stat_activity.state",         "pg_stat_activity.wait_event_type",
                                                "pg_stat_wal.wal_records",        "pg_stat_wal.wal_fpi",
                                                "pg_stat_wal.wal_bytes",          "pg_stat_wal.wal_buffers_full",
                                                "pg_stat_bgwriter.buffers_clean", "pg_stat_bgwriter.maxwritten_clean",
                                                "pg_stat_bgwriter.buffers_alloc"};
        const auto with = [](std::set<std::string> columns, const char* view, std::initializer_list<const char*> more) {
            for (const char* column : more)
                columns.insert(std::string(view) + '.' + column);
            return columns;
        };
        const auto before17 = with(database, "pg_stat_bgwriter",
                                   {"checkpoints_timed", "checkpoints_req", "buffers_checkpoint", "buffers_backend"});
        const auto since17 = with(database, "pg_stat_checkpointer", {"num_timed", "num_requested", "buffers_written"});
        const auto io = {"backend_type", "object", "context", "reads", "writes", "extends", "fsyncs"};
        const auto synced = [&with](const std::set<std::string>& columns) {
            return with(columns, "pg_stat_wal", {"wal_write", "wal_sync"});
        };
        const std::map<int, std::set<std::string>> columns = {
            {15, synced(before17)},
            {16, with(with(synced(before17), "pg_stat_io", io), "pg_stat_io", {"op_bytes"})},
            {17, with(with(synced(since17), "pg_stat_io", io), "pg_stat_io", {"op_bytes"})},
            {18, with(with(since17, "pg_stat_io", io), "pg_stat_io", {"read_bytes", "write_bytes", "extend_bytes"})}};
        const std::map<int, std::vector<std::string>> parts = {
            {15, {"wal_sync AS wal_sync", "checkpoints_req AS checkpoints_req", "buffers_backend) * current_setting"}},
            {16, {"wal_sync AS wal_sync", "checkpoints_req AS checkpoints_req", "SUM(writes * op_bytes)"}},
            {17, {"wal_sync AS wal_sync", "num_requested AS checkpoints_req", "SUM(writes * op_bytes)"}},
            {18,
             {"SUM(fsyncs) FILTER (WHERE object = 'wal') AS wal_sync", "num_requested AS checkpoints_req",
              "SUM(write_bytes)"}}};
        for (const auto& [version, ofVersion] : columns) {
            const postgresql::CounterChoice choice = postgresql::countersFor(ofVersion);
            for (const std::string& part : parts.at(version))
                QVERIFY2(choice.query.find(part) != std::string::npos, choice.query.c_str());
            for (const MoveReading& one : driverFor("postgresql")->moveReadings()) {
                if (std::string(one.name) != "deadlocks" && std::string(one.name) != "temp_bytes") // left out above
                    QVERIFY2(std::ranges::find(choice.counters, one.name, &CounterInfo::name) != choice.counters.end(),
                             one.name.c_str());
            }
        }
        QVERIFY(postgresql::countersFor({}).query.empty());
        // What is not chosen of the numbers is kept, but for what counts nothing.
        const auto all = postgresql::countersFor(
            columns.at(16), {"pg_stat_database.xact_commit", "pg_stat_database.sessions", "pg_stat_database.datid",
                             "pg_stat_io.reads", "pg_stat_io.op_bytes", "pg_stat_activity.pid", "pg_class.relpages"});
        std::vector<std::string> hidden;
        for (const CounterInfo& one : all.counters) {
            if (one.hidden)
                hidden.push_back(one.name);
        }
        QCOMPARE(hidden, (std::vector<std::string>{"pg_stat_database.sessions", "pg_stat_io.reads"}));
        QVERIFY2(all.query.find("SUM(reads) AS hidden") != std::string::npos, all.query.c_str());
    }

    void agreeWithWhatIsDone()
    {
        // What was done before is counted: a session hands its counts in once a second and at its end.
        constexpr const char* kCounted[] = {"tup_inserted", "wal_bytes", "wal_records"};
        auto before = values();
        QVERIFY(QTest::qWaitFor(
            [&] {
                QTest::qWait(1100);
                const auto earlier = std::exchange(before, values());
                return std::ranges::all_of(kCounted, [&](const char* name) {
                    return before.contains(name) && earlier.contains(name) && before.at(name) == earlier.at(name);
                });
            },
            30'000));
        for (const char* name : {"xact_commit", "blks_hit", "tup_inserted", "wal_bytes", "wal_records", "data_written",
                                 "checkpoints_timed", "active", "numbackends", "waiting_for_locks"})
            QVERIFY2(before.contains(name) && std::isfinite(before.at(name)), name);
        constexpr int kInserts = 200;
        {
            const auto session = openSession("postgresql", m_server.target());
            QVERIFY(session);
            COMPARE_OK(*session, run(*session, Request::step(RequestKind::Connect)));
            const std::string filling(1000, 'x');
            for (int i = 0; i < kInserts; ++i)
                COMPARE_OK(*session,
                           sendText(*session, "INSERT INTO t VALUES (" + std::to_string(i) + ", '" + filling + "')"));
        }
        std::map<std::string, double> after;
        QVERIFY(QTest::qWaitFor(
            [&] {
                after = values();
                return more(after, before, "tup_inserted") >= kInserts &&
                       more(after, before, "wal_bytes") >= kInserts * 1000.0;
            },
            30'000));
        QCOMPARE(after.at("tup_inserted") - before.at("tup_inserted"), double(kInserts));
        QVERIFY(after.at("xact_commit") - before.at("xact_commit") >= kInserts);
        QVERIFY(after.at("wal_records") - before.at("wal_records") >= 2 * kInserts);
        QVERIFY(after.at("wal_bytes") - before.at("wal_bytes") <= kInserts * 20'000.0);
        QVERIFY(after.at("active") >= 1 && after.at("numbackends") >= 1);
        // A checkpoint that is asked for is counted as such, and writes pages.
        QVERIFY(m_admin->execute("CHECKPOINT"));
        std::map<std::string, double> written;
        QVERIFY(QTest::qWaitFor(
            [&] {
                written = values();
                return more(written, after, "checkpoints_req") > 0 && more(written, after, "data_written") > 0;
            },
            30'000));
    }

    //! What is written and synced is counted in pg_stat_io since 16.
    void sixteenCountsInAnotherView()
    {
        constexpr const char* kVariable = "DYNO_TEST_POSTGRESQL16";
        if (const std::string why = PostgresqlFixture::whyMissing(kVariable); !why.empty())
            QSKIP(why.c_str());
        PostgresqlFixture server;
        const auto started = server.start({.settings = {"autovacuum=off", "fsync=on"}, .variable = kVariable});
        QVERIFY2(started, started ? "" : started.error().text().c_str());
        auto made = server.admin();
        QVERIFY(made);
        Admin& admin = **made;
        QVERIFY(admin.execute("CHECKPOINT"));
        const auto before = values(admin);
        for (const char* name : {"data_written", "data_fsyncs", "buffers_backend", "pg_stat_io.extends"})
            QVERIFY2(before.contains(name) && std::isfinite(before.at(name)), name);
        QVERIFY(admin.execute("CREATE TABLE u AS SELECT generate_series(1, 50000)"));
        QVERIFY(admin.execute("CHECKPOINT"));
        const auto size = admin.query("SELECT pg_relation_size('u')");
        QVERIFY(size);
        const double bytes = std::stod(size->front().front());
        std::map<std::string, double> after;
        QVERIFY(QTest::qWaitFor(
            [&] {
                after = values(admin);
                return more(after, before, "data_written") >= bytes && more(after, before, "data_fsyncs") > 0;
            },
            30'000));
        QVERIFY(bytes > 1e6 && after.at("data_written") - before.at("data_written") < 10 * bytes);
        QVERIFY(after.at("checkpoints_req") > before.at("checkpoints_req"));
    }

    void locksThatAreWaitedFor()
    {
        auto holder = m_server.admin(), waiter = m_server.admin();
        QVERIFY(holder && waiter);
        QVERIFY((*holder)->execute("BEGIN"));
        QVERIFY((*holder)->execute("LOCK TABLE t"));
        std::unique_ptr<Admin>& waiting = *waiter;
        std::thread other([&waiting] { (void)waiting->execute("SELECT COUNT(*) FROM t"); });
        const bool seen = QTest::qWaitFor([&] { return values()["waiting_for_locks"] == 1; }, 30'000);
        const auto ended = (*holder)->execute("ROLLBACK");
        other.join();
        QVERIFY(ended && seen);
    }

    //! What is shown first and what a movement means are counters that there are.
    void namesAreThere()
    {
        std::vector<CounterRole> roles;
        const std::vector<CounterInfo> counters = m_admin->counters();
        for (const PlayedRole& role : rolesOf(counters, "postgresql"))
            roles.push_back(role.role);
        QVERIFY(roles == (std::vector{CounterRole::Syncs, CounterRole::DiskWrites}));
        const auto hidden = std::ranges::find(counters, true, &CounterInfo::hidden);
        QVERIFY(counters.end() - hidden > 10);
        QVERIFY(std::all_of(hidden, counters.end(), [](const CounterInfo& one) { return one.hidden && one.rate; }));
        const auto now = values();
        for (const char* name :
             {"pg_stat_database.conflicts", "pg_stat_database.sessions", "pg_stat_bgwriter.buffers_alloc"})
            QVERIFY2(now.contains(name) && std::isfinite(now.at(name)), name);
        QVERIFY(now.at("pg_stat_database.sessions") >= 1);
        for (const MoveReading& one : driverFor("postgresql")->moveReadings())
            QVERIFY2(std::ranges::find(counters, one.name, &CounterInfo::name) != counters.end(), one.name.c_str());
    }

    void groupsAreThere()
    {
        const std::vector<CounterInfo> counters = m_admin->counters();
        const std::vector<CounterGroup> groups = counterGroups("postgresql");
        QCOMPARE(groups.size(), std::size_t(4));
        for (const CounterGroup& group : groups) {
            for (const std::string& name : group.names)
                QVERIFY2(
                    std::ranges::any_of(counters, [&](const CounterInfo& one) { return meansCounter(name, one); }) ||
                        name == "server/data_fsyncs" || group.title == "Standbys", // since 16, with standbys
                    name.c_str());
        }
    }

    //! An account that may not see others' connections says so; who serves is a process of this machine.
    void whatIsNotSeen()
    {
        auto admin = m_server.admin();
        QVERIFY(admin && !(*admin)->counters().empty() && unseenCounters(**admin).empty());
        const auto pid = (*admin)->query("SELECT pg_backend_pid()");
        QVERIFY(pid && servingThread(**admin) == std::stoll(pid->front().front()));
        QCOMPARE(localServer(**admin).process, m_server.process()); // that of all its connections
        const auto byNetwork = driverFor("postgresql")->admin(*PostgresqlFixture::targetAt(m_server.networkUri()));
        QVERIFY(byNetwork);
        const LocalServer found = localServer(**byNetwork);
        QVERIFY2(found.process == m_server.process(), found.unseen.c_str());
        QVERIFY(m_admin->execute("CREATE ROLE \"who ever\"") && (*admin)->execute("SET ROLE \"who ever\""));
        const std::vector<UnseenCounters> unseen = unseenCounters(**admin);
        QCOMPARE(unseen.size(), std::size_t(1));
        QVERIFY(unseen.front().what.starts_with("connections of other accounts"));
        // Nobody else is connected when one may act for all who are.
        const auto superuser = [&](const char* change, const char* how) {
            return m_admin->execute(fmt::format("{} \"{}\" {} \"who ever\"", change, kPostgresqlUser, how)).has_value();
        };
        QVERIFY(superuser("GRANT", "TO") && unseenCounters(**admin).empty());
        QVERIFY(superuser("REVOKE", "FROM") && unseenCounters(**admin).size() == 1);
        QVERIFY2(m_admin->execute(unseen.front().command()), unseen.front().command().c_str());
        QVERIFY(unseenCounters(**admin).empty());
    }

    //! All others are counted where the view of standbys must not be read.
    void withoutTheViewOfStandbys()
    {
        auto admin = m_server.admin();
        QVERIFY(admin && m_admin->execute("CREATE ROLE reader"));
        QVERIFY(m_admin->execute("REVOKE SELECT ON pg_stat_replication FROM PUBLIC"));
        QVERIFY((*admin)->execute("SET ROLE reader") && !(*admin)->query("SELECT 1 FROM pg_stat_replication"));
        const auto told = values(**admin);
        QVERIFY(m_admin->execute("GRANT SELECT ON pg_stat_replication TO PUBLIC"));
        QVERIFY(told.contains("xact_commit") && std::isfinite(told.at("xact_commit")));
    }

    //! Whoever receives the log is behind by what it has not written yet.
    void howFarStandbysAreBehind()
    {
        // Client packages have it, beside the server or in Debian's folder of its version.
        std::filesystem::path program = PostgresqlFixture::programs() / "pg_receivewal";
        const std::string version = m_admin->variable("server_version").value_or("");
        if (!std::filesystem::exists(program))
            program = "/usr/lib/postgresql/" + version.substr(0, version.find('.')) + "/bin/pg_receivewal";
        if (!std::filesystem::exists(program))
            QSKIP("pg_receivewal is not installed");
        QVERIFY(!values().contains("replication_bytes_behind"));
        const QTemporaryDir dir;
        ChildProcess standby;
        const std::filesystem::path log = dir.filePath("log").toStdString();
        VERIFY_OK(standby.start({program.string(), "-D", dir.path().toStdString(), "-h",
                                 std::filesystem::path(m_server.socket()).parent_path().string(), "-p",
                                 std::to_string(m_server.port()), "-U", kPostgresqlUser},
                                log));
        QVERIFY(QTest::qWaitFor([&] { return values().contains("replication_bytes_behind"); }, 30'000));
        // It reports what it has written every ten seconds, and at the start.
        std::map<std::string, double> now;
        QVERIFY(QTest::qWaitFor(
            [&] {
                now = values();
                return now.contains("replication_bytes_behind") && std::isfinite(now.at("replication_bytes_behind"));
            },
            30'000));
        QVERIFY(now.at("replication_bytes_behind") >= 0 && now.contains("replication_seconds_behind"));
        for (const CounterGroup& group : counterGroups("postgresql")) {
            for (const std::string& name : group.names)
                QVERIFY2(group.title != "Standbys" || now.contains(name.substr(name.find('/') + 1)), name.c_str());
        }
        auto blind = m_server.admin();
        QVERIFY(blind && m_admin->execute("CREATE ROLE blind") && (*blind)->execute("SET ROLE blind"));
        const std::vector<UnseenCounters> unseen = unseenCounters(**blind);
        QVERIFY(std::ranges::find(unseen, "how far standbys are behind", &UnseenCounters::what) != unseen.end());
        standby.kill();
    }

    void aResetIsAGap()
    {
        CounterRates rates(m_admin->counters());
        (void)rates.add(1'000'000'000, *m_admin->counterValues());
        QVERIFY(m_admin->execute("SELECT pg_stat_reset()"));
        QVERIFY(m_admin->execute("SELECT pg_stat_reset_shared('wal')"));
        QVERIFY(QTest::qWaitFor(
            [&] {
                const auto now = values();
                return now.contains("tup_inserted") && now.at("tup_inserted") == 0;
            },
            30'000));
        for (const double rate : rates.add(2'000'000'000, *m_admin->counterValues()))
            QVERIFY(!(rate < 0));
        QVERIFY(rates.wentDown());
    }
};

} // namespace dyno::tst_postgresql_counters

DYNO_SUITE(tst_postgresql_counters, dyno::tst_postgresql_counters::TestPostgresqlCounters)
#include "tst_postgresql_counters.moc"
