// SPDX-License-Identifier: GPL-3.0-or-later
// What a real server tells of itself: its counts agree with its own status, and a run's series with both.
#include "driver/counter_details.h"
#include "driver/mysql/mysql_counters.h"
#include "metrics/counter_events.h"
#include "mysql_test.h"
#include "recording_sink.h"
#include "support/suite.h"

#include <dyno/counter_groups.h>
#include <dyno/library.h>
#include <dyno/main_counters.h>
#include <dyno/runner.h>
#include <dyno/shown_counters.h>

#include <QFileInfo>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <map>

namespace dyno::tst_mysql_counters {
using namespace dyno::test;

class TestMysqlCounters : public dyno::test::MysqlTest
{
    Q_OBJECT

private:
    std::map<std::string, double> values(Admin& admin)
    {
        const std::vector<CounterInfo> counters = admin.counters();
        const auto got = admin.counterValues();
        std::map<std::string, double> named;
        for (std::size_t i = 0; got && i < counters.size(); ++i)
            named[counters[i].name] = got->at(i);
        return named;
    }
    double status(const char* name)
    {
        const auto rows = m_admin->query(std::string("SHOW GLOBAL STATUS WHERE Variable_name = '") + name + "'");
        return rows && !rows->empty() ? std::stod(rows->front().at(1)) : -1;
    }

private slots:
    void agreeWithTheStatus()
    {
        auto admin = m_server.admin();
        QVERIFY(admin);
        const auto before = values(**admin);
        for (const char* name : {"Questions", "Com_commit", "Innodb_data_written", "Innodb_os_log_written",
                                 "Bytes_received", "Bytes_sent", "Threads_running", "Innodb_buffer_pool_read_requests"})
            QVERIFY2(before.contains(name) && std::isfinite(before.at(name)), name);
        const double commits = status("Com_commit"), questions = status("Questions"),
                     log = status("Innodb_os_log_written");

        const auto session = connected();
        QVERIFY(session);
        constexpr int kInserts = 200;
        const std::string filling(1000, 'x');
        for (int i = 0; i < kInserts; ++i) {
            COMPARE_OK(*session, sql(*session, "BEGIN"));
            COMPARE_OK(*session,
                       sql(*session, "INSERT INTO t VALUES (" + std::to_string(i) + ", 1, 1.5, '" + filling + "')"));
            COMPARE_OK(*session, sql(*session, "COMMIT"));
        }
        const auto after = values(**admin);
        QCOMPARE(after.at("Com_commit") - before.at("Com_commit"), double(kInserts));
        QCOMPARE(status("Com_commit") - commits, double(kInserts));
        QVERIFY(after.at("Questions") - before.at("Questions") >= 3 * kInserts);
        QVERIFY(std::fabs((after.at("Questions") - before.at("Questions")) - (status("Questions") - questions)) < 20);
        // What was inserted went over the wire and into the log, and the log is counted in bytes.
        QVERIFY(after.at("Bytes_received") - before.at("Bytes_received") >= kInserts * 1000.0);
        const double written = after.at("Innodb_os_log_written") - before.at("Innodb_os_log_written");
        QVERIFY(written >= kInserts * 1000.0 && written <= kInserts * 20000.0);
        QVERIFY(std::fabs(written - (status("Innodb_os_log_written") - log)) < 0.2 * written);
    }

    //! Everything that is a number in its status is kept; what was chosen comes first and is shown.
    void keepsTheWholeStatus()
    {
        auto admin = m_server.admin();
        QVERIFY(admin);
        const std::vector<CounterInfo> counters = (*admin)->counters();
        const auto values = (*admin)->counterValues();
        QVERIFY(values);
        QCOMPARE(values->size(), counters.size());
        QVERIFY2(counters.size() > 300, qPrintable(QString::number(counters.size())));
        const auto firstHidden = std::ranges::find(counters, true, &CounterInfo::hidden);
        QVERIFY(firstHidden != counters.end() && firstHidden - counters.begin() > 15);
        QVERIFY(std::all_of(firstHidden, counters.end(), [](const CounterInfo& one) { return one.hidden; }));
        QCOMPARE(counters.front().name, std::string("Questions"));
        std::map<std::string, std::size_t> places;
        for (std::size_t i = 0; i < counters.size(); ++i)
            QVERIFY2(places.emplace(counters[i].name, i).second, counters[i].name.c_str());
        const auto rows = (*admin)->query("SHOW GLOBAL STATUS");
        QVERIFY(rows);
        for (const std::vector<std::string>& row : *rows) {
            bool number = false;
            (void)QString::fromStdString(row.at(1)).toDouble(&number);
            QVERIFY2(places.contains(row.at(0)) == number, row.at(0).c_str());
            if (number)
                QVERIFY2(std::isfinite(values->at(places[row.at(0)])), row.at(0).c_str());
        }
        const auto of = [&](const char* name) { return counters.at(places.at(name)); };
        QVERIFY(of("Com_insert").rate && of("Com_insert").unit == "statements");
        QVERIFY(!of("Max_used_connections").rate && !of("Innodb_row_lock_time_avg").rate && !of("Open_tables").rate);
        QVERIFY(!of("Innodb_buffer_pool_pages_free").rate && of("Innodb_buffer_pool_pages_flushed").rate);
        QVERIFY(!places.contains("Ssl_version"));
        // Not every server has each of these.
        int levels = 0;
        for (const char* name : {"Innodb_redo_log_capacity_resized", "Ssl_session_cache_timeout", "wsrep_thread_count",
                                 "wsrep_applier_thread_count", "wsrep_local_cached_downto"}) {
            QVERIFY2(!places.contains(name) || !of(name).rate, name);
            levels += places.contains(name) ? 1 : 0;
        }
        QVERIFY(levels > 0);
        // InnoDB's metrics that are on, but for what the status has too.
        QVERIFY(places.contains("trx_rseg_history_len") && !of("trx_rseg_history_len").rate);
        QVERIFY(places.contains("lock_timeouts") && of("lock_timeouts").rate && of("lock_timeouts").hidden);
        for (const char* name : {"buffer_pages_read", "innodb_page_size", "log_lsn_checkpoint_age"})
            QVERIFY2(!places.contains(name), name);
    }

    //! A metric has a series from the connection on that finds it on, and a gap where it is switched off.
    void followsTheMetrics()
    {
        auto before = m_server.admin();
        QVERIFY(before);
        const std::size_t count = (*before)->counters().size();
        for (const char* name : {"log_lsn_checkpoint_age", "log_lsn_current", "buffer_flush_sync_total_pages"})
            QVERIFY(m_admin->execute(std::string("SET GLOBAL innodb_monitor_enable = ") + name));
        const auto unchanged = (*before)->counterValues();
        QVERIFY(unchanged && unchanged->size() == count);
        auto admin = m_server.admin();
        QVERIFY(admin);
        const std::vector<CounterInfo> counters = (*admin)->counters();
        const auto placeOf = [&counters](const char* name) {
            return std::size_t(std::ranges::find(counters, name, &CounterInfo::name) - counters.begin());
        };
        const std::size_t age = placeOf("log_lsn_checkpoint_age"), end = placeOf("log_lsn_current");
        QVERIFY(age < counters.size() && !counters[age].rate && counters[age].unit == "bytes");
        QVERIFY(end < counters.size() && counters[end].rate && counters[end].hidden);
        QVERIFY(counters.at(placeOf("buffer_flush_sync_total_pages")).rate);
        const auto values = (*admin)->counterValues();
        QVERIFY(values && values->at(age) >= 0 && values->at(end) > 0);
        for (const char* name : {"log_lsn_checkpoint_age", "log_lsn_current", "buffer_flush_sync_total_pages"})
            QVERIFY(m_admin->execute(std::string("SET GLOBAL innodb_monitor_disable = ") + name));
        const auto off = (*admin)->counterValues();
        QVERIFY(off && off->size() == counters.size() && std::isnan(off->at(age)));
    }

    //! Of rows as MySQL 8.0.30 has them: above seven eighths of what InnoDB aims at, it flushes without pause.
    void ageOfTheCheckpoint()
    {
        const auto figuresAt = [](double age) {
            TextRows status{{"Innodb_redo_log_capacity_resized", "104857600"},
                            {"Innodb_redo_log_checkpoint_lsn", "5000000"},
                            {"Innodb_redo_log_current_lsn", std::to_string(std::int64_t(5'000'000 + age))}};
            mysql::addCheckpointAge(status);
            return status;
        };
        const TextRows figures = figuresAt(1000);
        QCOMPARE(figures.size(), std::size_t(5));
        QCOMPARE(figures.at(3), (std::vector<std::string>{"Innodb_checkpoint_age", "1000"}));
        const double limit = 104857600.0 * 30 / 32 * 0.95;
        QCOMPARE(figures.at(4),
                 (std::vector<std::string>{"Innodb_checkpoint_max_age", std::to_string(std::int64_t(limit))}));
        CounterEvents events(driverFor("mysql")->eventRules(), {figures.at(3).at(0), figures.at(4).at(0)});
        std::int64_t atNs = 0;
        for (const double share : {0.1, 0.87, 0.88, 0.1}) {
            const TextRows now = figuresAt(share * limit);
            events.add(++atNs, {std::stod(now.at(3).at(1)), std::stod(now.at(4).at(1))});
        }
        const std::vector<CounterEvent> told = events.take();
        QVERIFY(told.size() == 1 && told[0].fromNs == 2 && told[0].toNs == 3);
        TextRows own = figuresAt(1000); // Percona's and MariaDB's, which say it
        mysql::addCheckpointAge(own);
        QCOMPARE(own.size(), std::size_t(5));
        TextRows none{{"Uptime", "7"}};
        mysql::addCheckpointAge(none);
        QCOMPARE(none.size(), std::size_t(1));
    }

    //! Of its rows in both products' words: the largest over all sources, none where one has no figure.
    void figuresOfReplicas()
    {
        const std::vector<std::string> words{"Seconds_Behind_Source", "Relay_Log_Space",     "Read_Source_Log_Pos",
                                             "Source_Log_File",       "Exec_Source_Log_Pos", "Relay_Source_Log_File"};
        std::vector<std::string> before = words;
        for (std::string& word : before)
            word = QString::fromStdString(word).replace("Source", "Master").toStdString();
        const TextRows two{{"3", "500", "900", "b.7", "400", "b.7"}, {"12", "70", "50", "c.1", "40", "c.1"}};
        const TextRows expected{
            {"Replica_seconds_behind", "12"}, {"Replica_relay_log_space", "500"}, {"Replica_bytes_to_apply", "500"}};
        const auto sorted = [](TextRows rows) {
            std::ranges::sort(rows);
            return rows;
        };
        QCOMPARE(sorted(mysql::replicaFigures(words, two)), sorted(expected));
        QCOMPARE(sorted(mysql::replicaFigures(before, two)), sorted(expected));
        TextRows stopped = two;
        stopped[0][0].clear(); // NULL
        stopped[1][5] = "c.0"; // it applies another file than it receives
        QCOMPARE(mysql::replicaFigures(words, stopped), (TextRows{{"Replica_relay_log_space", "500"}}));
        std::ranges::reverse(stopped);
        QCOMPARE(mysql::replicaFigures(words, stopped), (TextRows{{"Replica_relay_log_space", "500"}}));
        QVERIFY(mysql::replicaFigures(words, {}).empty());
        QVERIFY(mysql::replicaFigures({"Other"}, {{"1"}}).empty());
    }

    //! Of a replica; one that does not apply now has no seconds.
    void howFarAReplicaIsBehind()
    {
        QVERIFY(!values(*m_admin).contains("Replica_seconds_behind"));
        QVERIFY(m_admin->execute("CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=1, MASTER_USER='nobody'"));
        auto admin = m_server.admin();
        QVERIFY(admin);
        const auto told = values(**admin);
        // It is asked for on a connection of its own: without it all else goes on.
        auto cut = m_server.admin();
        QVERIFY(cut);
        const std::vector<CounterInfo> counters = (*cut)->counters();
        const auto valueOf = [&](const char* name) {
            const auto all = (*cut)->counterValues();
            const auto place = std::ranges::find(counters, name, &CounterInfo::name) - counters.begin();
            return all ? all->at(std::size_t(place)) : -1;
        };
        QVERIFY(valueOf("Replica_relay_log_space") > 0);
        QCOMPARE(counterTimes(**cut).size(), counters.size());
        const auto last =
            m_admin->query("SELECT MAX(ID) FROM information_schema.PROCESSLIST WHERE USER <> 'system user'");
        QVERIFY(last && m_admin->execute("KILL " + last->front().front()));
        QTRY_VERIFY(std::isnan(valueOf("Replica_relay_log_space")));
        QVERIFY(valueOf("Questions") > 0);
        QVERIFY(m_admin->execute("RESET SLAVE ALL"));
        QVERIFY(told.contains("Replica_seconds_behind") && std::isnan(told.at("Replica_seconds_behind")));
        QVERIFY(told.contains("Replica_relay_log_space") && told.at("Replica_relay_log_space") > 0);
        const auto gone = (*admin)->counterValues(); // it has no source any more
        QVERIFY(gone && gone->size() == told.size());
    }

    //! What an account may not see is named with what to do, and that helps.
    void withoutTheRight()
    {
        QVERIFY(m_admin->execute("CREATE OR REPLACE USER ann@localhost IDENTIFIED BY 's3cret'"));
        ConnectTarget target = *m_server.target();
        target.uri.user = "ann";
        target.uri.password = "s3cret";
        target.uri.database.clear();
        auto admin = driverFor("mysql")->admin(target);
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        const auto told = values(**admin);
        QVERIFY(told.contains("Questions") && !told.contains("lock_timeouts"));
        const std::vector<UnseenCounters> unseen = unseenCounters(**admin);
        std::vector<std::string> what;
        for (const UnseenCounters& one : unseen) {
            what.push_back(one.what);
            QVERIFY2(m_admin->execute(one.command()), one.command().c_str());
            QVERIFY2(one.command().ends_with(" ON *.* TO 'ann'@'localhost'"), one.command().c_str());
            QVERIFY(one.sure == (one.what == "InnoDB's metrics"));
        }
        QCOMPARE(what,
                 (std::vector<std::string>{"how far this server is behind if it is a replica", "InnoDB's metrics"}));
        admin = driverFor("mysql")->admin(target);
        QVERIFY(admin && values(**admin).contains("lock_timeouts"));
        QVERIFY(unseenCounters(**admin).empty());
        admin = m_server.admin();
        QVERIFY(admin && !(*admin)->counters().empty() && unseenCounters(**admin).empty());
        QVERIFY(m_admin->execute("DROP USER ann@localhost"));
    }

    //! The server's thread that answers: of a server on this machine.
    void whoServes()
    {
        const std::int64_t thread = servingThread(*m_admin);
        QVERIFY(thread > 0);
        auto* server = m_server.managed();
        QVERIFY(!server || QFileInfo::exists(QString("/proc/%1/task/%2").arg(server->process()).arg(thread)));
        ConnectTarget distant = *m_server.target();
        distant.distant = true;
        const auto admin = driverFor("mysql")->admin(distant);
        QVERIFY(!admin || servingThread(**admin) == 0);
        const LocalServer found = localServer(*m_admin);
        QVERIFY2(found.process > 0 && found.unseen.empty(), found.unseen.c_str());
        QVERIFY(!server || found.process == server->process());
        if (admin) {
            const LocalServer none = localServer(**admin);
            QVERIFY(none.process == 0 && none.unseen.empty());
        }
    }

    //! What is shown first is what every product counts. The series of its process are not among its counters.
    void hasItsMainCounters()
    {
        auto admin = m_server.admin();
        QVERIFY(admin);
        std::vector<CounterRole> roles;
        for (const PlayedRole& role : rolesOf((*admin)->counters(), "mysql"))
            roles.push_back(role.role);
        QVERIFY(roles == (std::vector{CounterRole::Syncs, CounterRole::DirtyPages, CounterRole::DiskWrites}));
    }

    //! Each group of counters has some that this server tells; those of MyRocks where its engine is.
    void hasItsGroups()
    {
        auto admin = m_server.admin();
        QVERIFY(admin);
        const std::vector<CounterInfo> counters = (*admin)->counters();
        const auto isThere = [&](const std::string& name) {
            return std::ranges::any_of(counters, [&](const CounterInfo& one) { return meansCounter(name, one); });
        };
        const bool myRocks = isThere("Rocksdb_*");
        const std::vector<CounterGroup> groups = counterGroups("mysql");
        QCOMPARE(groups.size(), std::size_t(6));
        for (const CounterGroup& group : groups) {
            const auto there = std::ranges::count_if(group.names, isThere);
            const bool expected = group.title != "MyRocks" || myRocks;
            QVERIFY2(!expected || 2 * std::size_t(there) > group.names.size(), group.title.c_str());
            for (const std::string& name : group.names) {
                // What other versions and products have.
                const bool some =
                    name.find("Rocksdb") != std::string::npos || name.find("checkpoint_age") != std::string::npos ||
                    name.find("deadlocks") != std::string::npos || name.find("Binlog_") != std::string::npos ||
                    name.find("Threadpool") != std::string::npos || name.find("history_list") != std::string::npos ||
                    name.find("rows_read") != std::string::npos || name.find("buffer_flush_") != std::string::npos ||
                    name.find("rwlock") != std::string::npos;
                QVERIFY2(some || isThere(name), name.c_str());
            }
        }
    }

    //! Series of a run: one value a counter and interval, the counts of the server between its start and end.
    void ofARun()
    {
        const QTemporaryDir dir;
        const std::filesystem::path file = dir.filePath("l.dynolib").toStdString();
        Plan plan = smallPlan(m_server.uriText(), "oltp_insert");
        plan.load.timeSeconds = 3;
        plan.load.intervalSeconds = 0.3;
        plan.load.observe = {"com_INSERT", "host/*pressure", "Key_raeds"};
        RunnerOptions options;
        options.library = file;
        options.consent.allow("target.uri"); // the test has made a table there
        RecordingSink sink;
        double startQuestions = 0, endQuestions = 0;
        sink.runHook = [&](const RunHeader&) { startQuestions = status("Questions"); };
        sink.sampleHook = [&](const IntervalSample&) { endQuestions = status("Questions"); };
        runPlan(plan, options, sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        const std::vector<CounterInfo>& counters = sink.runs.at(0).counters;
        const auto found =
            std::find_if(counters.begin(), counters.end(), [](const auto& c) { return c.name == "Questions"; });
        QVERIFY(found != counters.end());
        const auto index = std::size_t(found - counters.begin());
        double sum = 0, seconds = 0;
        for (const IntervalSample& sample : sink.samples.at(0)) {
            QCOMPARE(sample.counters.size(), counters.size());
            if (!std::isfinite(sample.counters[index]))
                continue;
            sum += sample.counters[index] * double(sample.lengthNs) * 1e-9;
            seconds += double(sample.lengthNs) * 1e-9;
        }
        QVERIFY(seconds > 0);
        const double expected = endQuestions - startQuestions;
        const double perSecond = sum / seconds;
        QVERIFY2(perSecond > expected / 3 / 2 && perSecond < expected / 3 * 2,
                 qPrintable(QString("%1 a second, %2 in 3 s").arg(perSecond).arg(expected)));
        for (const RunEvent& event : sink.events.at(0))
            QVERIFY2(event.kind != EventKind::Error, event.text.c_str());
        const auto told = [](const RunEvent& event) {
            return event.text.find("\"Key_raeds\"; near it: Key_reads") != std::string::npos;
        };
        QCOMPARE(std::ranges::count_if(sink.events.at(0), told), std::ptrdiff_t(1));
        const auto hidden = [&counters](const char* name) {
            const auto one = std::ranges::find(counters, name, &CounterInfo::name);
            return one != counters.end() && one->hidden;
        };
        const auto inserts = std::ranges::find(counters, std::string("Com_insert"), &CounterInfo::name);
        QVERIFY(inserts != counters.end() && !inserts->hidden); // observed
        QVERIFY(hidden("Com_select") && hidden("Open_tables") && !hidden("Innodb_data_fsyncs"));

        auto library = Library::open(file, Library::Mode::ReadOnly);
        QVERIFY(library);
        const auto stored = (*library)->session(sink.header.id);
        QVERIFY(stored);
        QVERIFY(stored->runs.at(0).header.counters == counters);
        const auto intervals = (*library)->intervals(stored->runs.at(0).id);
        QVERIFY(intervals && intervals->size() == sink.samples[0].size());
        for (std::size_t i = 0; i < intervals->size(); ++i) {
            for (std::size_t c = 0; c < counters.size(); ++c) {
                const double sent = sink.samples[0][i].counters[c], got = (*intervals)[i].counters.at(c);
                QVERIFY(std::isfinite(sent) ? std::abs(sent - got) <= std::ldexp(std::abs(sent), -20)
                                            : std::isnan(got)); // 20 bits are kept
            }
        }

        plan.load.counters = false;
        RecordingSink without;
        runPlan(plan, options, without);
        QVERIFY2(without.session.status == RunStatus::Done, without.session.reason.c_str());
        QVERIFY(without.runs.at(0).counters.empty());
        QVERIFY(without.samples.at(0).at(0).counters.empty());
    }
};

} // namespace dyno::tst_mysql_counters

DYNO_SUITE(tst_mysql_counters, dyno::tst_mysql_counters::TestMysqlCounters)
#include "tst_mysql_counters.moc"
