// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! From a plan to its points and runs.
#include "support/allocation_count.h"
#include "support/suite.h"

#include <dyno/catalog.h>
#include <dyno/followers.h>
#include <dyno/plan.h>

#include <QTest>
#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <set>

namespace dyno::tst_plan_expand {

namespace {

Plan planWith(const std::string& more)
{
    const ParsedPlan result =
        parsePlan("[target]\nuri = \"sqlite:a.db\"\n[workload]\nname = \"oltp_read_write\"\n" + more, "e.toml");
    for (const Fault& fault : result.faults)
        qWarning() << fault.line << fault.where.c_str() << fault.what.c_str();
    return result.plan.value_or(Plan());
}

constexpr const char* kTwoAxes = R"(
[set]
connection.journal_mode = "DELETE"
[[axis]]
name = "sync"
cases = [
  { label = "off", set = { "connection.synchronous" = "OFF" } },
  { label = "normal", set = { "connection.synchronous" = "NORMAL", "connection.journal_mode" = "WAL" } },
  { label = "full", set = { "connection.synchronous" = "FULL" } },
]
[[axis]]
name = "size"
cases = [
  { label = "small", set = { "workload.table_size" = 100, "target.uri" = "sqlite:small.db" } },
  { label = "big", set = { "workload.table_size" = 1000, "load.time" = "2m", "load.warmup" = 5 } },
]
)";

struct Cost
{
    double seconds = 0; //!< CPU time
    std::int64_t bytes = 0;
    //! A plan of 100 000 tables names each of them several times, in a second on a slow machine; to compare each of
    //! them with each other takes minutes.
    [[nodiscard]] bool isLow() const { return seconds < 3 && bytes < (std::int64_t(192) << 20); }
    [[nodiscard]] QString text() const { return QString("%1 s of CPU, %2 MiB").arg(seconds).arg(bytes >> 20); }
};

double cpuNow()
{
    timespec now{};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

//! Of all that is done before anybody agrees to a plan.
Cost costOfReading(const std::string& text)
{
    test::beginPeak();
    const double start = cpuNow();
    const ParsedPlan parsed = parsePlan(text, "stranger.toml");
    if (parsed.plan && checkPlan(*parsed.plan).empty())
        (void)expand(*parsed.plan);
    return {cpuNow() - start, test::peakBytes()};
}

std::vector<std::pair<int, int>> orderOf(const Expansion& expansion)
{
    std::vector<std::pair<int, int>> order;
    for (const RunSlot& run : expansion.runs)
        order.emplace_back(run.point, run.repeat);
    return order;
}

} // namespace

class TestPlanExpand : public QObject
{
    Q_OBJECT

private slots:
    //! Also where only a case of an axis turns bulk requests off.
    void aFileNeedsBulkRequests()
    {
        if (!findDriver("mysql"))
            QSKIP("this build has no driver with bulk requests");
        const auto refused = [](const std::string& by, const std::string& more) {
            const ParsedPlan result =
                parsePlan("[target]\nuri = \"mysql://ann@127.0.0.1/test\"\n[workload]\nname = \"sensordata_file\"\n"
                          "params = { by = \"" +
                              by + "\" }\n[load]\nusers = 1\nwarmup = 0\n" + more,
                          "e.toml");
            Faults faults = result.faults;
            if (faults.empty() && result.plan)
                faults = checkPlan(*result.plan);
            return std::ranges::any_of(
                faults, [](const Fault& one) { return one.what.find("bulk_load is off") != std::string::npos; });
        };
        const std::string off = "[set]\nconnection.bulk_load = \"off\"\n";
        const std::string inACase = "[[axis]]\nname = \"way\"\ncases = [\n"
                                    "{ label = \"a\", set = { \"connection.bulk_load\" = \"auto\" } },\n"
                                    "{ label = \"b\", set = { \"connection.bulk_load\" = \"off\" } }]\n";
        QVERIFY(refused("file", off));
        QVERIFY(refused("file", inACase));
        QVERIFY(!refused("file", ""));
        QVERIFY(!refused("inserts", off));
    }

    void onePointWithoutAxes()
    {
        const Expansion expansion = expand(planWith("[load]\nrepeats = 3\nusers = 8\n"));
        QCOMPARE(expansion.points.size(), std::size_t(1));
        QCOMPARE(expansion.runs.size(), std::size_t(3));
        QCOMPARE(expansion.points[0].users(), 8);
        QVERIFY(expansion.points[0].cases.empty());
        QCOMPARE(expansion.points[0].label(), std::string());
    }

    void everyCombination()
    {
        const Expansion expansion = expand(planWith(std::string(kTwoAxes) + "[load]\nusers = [1, 4]\nrepeats = 2\n"));
        QCOMPARE(expansion.points.size(), std::size_t(3 * 2 * 2));
        QCOMPARE(expansion.runs.size(), std::size_t(3 * 2 * 2 * 2));
        std::set<std::string> labels;
        for (const PointSpec& point : expansion.points)
            labels.insert(point.label());
        QCOMPARE(labels.size(), std::size_t(12));
        // The last axis changes fastest, and users are the last.
        QCOMPARE(expansion.points[0].label(), std::string("off, small, 1 user"));
        QCOMPARE(expansion.points[1].label(), std::string("off, small, 4 users"));
        QCOMPARE(expansion.points[2].label(), std::string("off, big, 1 user"));
        QCOMPARE(expansion.points[11].label(), std::string("full, big, 4 users"));
        const std::vector<CaseRef> wanted{{"sync", "off"}, {"size", "small"}, {"users", "4"}};
        QVERIFY(expansion.points[1].cases == wanted);
    }

    void casesReachEveryScope()
    {
        const Expansion expansion = expand(planWith(kTwoAxes));
        const PointSpec& offSmall = expansion.points[0];
        QCOMPARE(textOf(offSmall.connection, "synchronous"), std::string("OFF"));
        QCOMPARE(textOf(offSmall.connection, "journal_mode"), std::string("DELETE"));
        QCOMPARE(offSmall.target.uri, std::string("sqlite:small.db"));
        QCOMPARE(integerOf(offSmall.workload.params, "table_size"), std::int64_t(100));
        QCOMPARE(offSmall.load.timeSeconds, 10.0);
        const PointSpec& normalBig = expansion.points[3];
        QCOMPARE(textOf(normalBig.connection, "journal_mode"), std::string("WAL"));
        QCOMPARE(normalBig.target.uri, std::string("sqlite:a.db"));
        QCOMPARE(normalBig.load.timeSeconds, 120.0);
        QCOMPARE(normalBig.load.warmupSeconds, 5.0);
        // Parameters are complete: what was really run is written down, defaults too.
        QCOMPARE(integerOf(normalBig.workload.params, "tables", -1), std::int64_t(1));
        QCOMPARE(integerOf(normalBig.workload.params, "range_size", -1), std::int64_t(100));
    }

    void usersMayComeFromAnyAxis()
    {
        const Expansion expansion = expand(planWith("[[axis]]\nname = \"crowd\"\ncases = [{ label = \"few\", set = { "
                                                    "\"load.users\" = 2 } }, { label = \"many\", set = { "
                                                    "load.users = 50 } }]\n"));
        QCOMPARE(expansion.points.size(), std::size_t(2));
        QCOMPARE(expansion.points[0].users(), 2);
        QCOMPARE(expansion.points[1].users(), 50);
        QCOMPARE(expansion.points[1].load.users.size(), std::size_t(1));
    }

    void valuesTakeTheTypeOfTheirOption()
    {
        // off is a truth value in TOML's eyes and a choice in SQLite's
        const Expansion expansion = expand(planWith("[set]\nconnection.synchronous = false\n"));
        QVERIFY(expansion.points[0].connection.at("synchronous") == Value(std::string("OFF")));
    }

    void ordersOfRuns()
    {
        const std::string load = "[load]\nusers = [1, 2, 3]\nrepeats = 2\norder = ";
        QVERIFY((orderOf(expand(planWith(load + "\"as-listed\"\n"))) ==
                 std::vector<std::pair<int, int>>{{0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 1}, {2, 2}}));
        QVERIFY((orderOf(expand(planWith(load + "\"interleaved\"\n"))) ==
                 std::vector<std::pair<int, int>>{{0, 1}, {1, 1}, {2, 1}, {0, 2}, {1, 2}, {2, 2}}));
    }

    void shuffledIsSeeded()
    {
        const auto shuffled = [](int seed, int repeats) {
            return orderOf(
                expand(planWith("[load]\nusers = [1,2,3,4,5,6,7,8,9,10,11,12]\norder = \"shuffled\"\nseed = " +
                                std::to_string(seed) + "\nrepeats = " + std::to_string(repeats) + "\n")));
        };
        const auto once = shuffled(1, 3);
        QVERIFY(shuffled(1, 3) == once);
        QVERIFY(shuffled(2, 3) != once);
        // Each repeat holds each point once, in an order of its own.
        std::map<int, std::vector<int>> byRepeat;
        for (std::size_t i = 0; i < once.size(); ++i) {
            QCOMPARE(once[i].second, int(i / 12) + 1);
            byRepeat[once[i].second].push_back(once[i].first);
        }
        for (const auto& [repeat, points] : byRepeat)
            QCOMPARE(std::set<int>(points.begin(), points.end()).size(), std::size_t(12));
        QVERIFY(byRepeat[1] != byRepeat[2]);
        QVERIFY(byRepeat[2] != byRepeat[3]);
        // More repeats do not change the first ones.
        const auto longer = shuffled(1, 4);
        QVERIFY(std::equal(once.begin(), once.end(), longer.begin()));
    }

    void everyPointComesFirstSometimes()
    {
        std::set<int> firsts;
        for (int seed = 1; seed <= 60; ++seed)
            firsts.insert(orderOf(expand(planWith("[load]\nusers = [1,2,3]\norder = \"shuffled\"\nseed = " +
                                                  std::to_string(seed) + "\n")))
                              .front()
                              .first);
        QCOMPARE(firsts.size(), std::size_t(3));
    }

    //! "4 x cache": rows that the workload's own estimate makes four times the cache of the point.
    void dataFollowsTheCache()
    {
        const Plan plan = planWith(R"(
[workload.params]
table_size = "4 x cache"
[[axis]]
name = "cache"
cases = [
  { label = "usual", set = { } },
  { label = "large", set = { "connection.cache_size" = -16000 } },
]
)");
        QVERIFY(checkPlan(plan).empty());
        const Expansion expansion = expand(plan);
        QCOMPARE(expansion.points.size(), std::size_t(2));
        const std::int64_t usual = integerOf(expansion.points[0].workload.params, "table_size");
        const std::int64_t large = integerOf(expansion.points[1].workload.params, "table_size");
        QVERIFY2(usual > 1000 && large > 6 * usual && large < 10 * usual,
                 qPrintable(QString("%1, %2").arg(usual).arg(large)));
        QVERIFY2(expansion.estimatedBytes >= 4 * 16000 * 1024 && expansion.estimatedBytes < 5 * 16000 * 1024,
                 qPrintable(QString::number(expansion.estimatedBytes)));
        // The plan keeps what was written.
        const ParsedPlan again = parsePlan(writePlan(plan), "again.toml");
        QVERIFY(again.plan.has_value());
        QCOMPARE(textOf(again.plan->workload.params, "table_size"), std::string("4 x cache"));
        Plan set = plan;
        QVERIFY(setField(set, "workload.table_size", "2 x buffer_pool"));
        const std::int64_t half = integerOf(expand(set).points[0].workload.params, "table_size");
        QVERIFY(half > usual / 3 && half < usual);
    }

    //! "same as server.NAME": the value that the point has there, also through a third; in the plan it stays as
    //! written.
    void settingsFollowOthers()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        const std::string head = "[target]\nuri = \"managed:mariadb\"\n[workload]\nname = \"oltp_read_only\"\n";
        const ParsedPlan parsed = parsePlan(head + R"(
[set]
"server.aria_pagecache_buffer_size" = "same as server.rocksdb_block_cache_size"
"server.rocksdb_block_cache_size" = " same as  server.innodb_buffer_pool_size "
[[axis]]
name = "pool"
cases = [
  { label = "small", set = { "server.innodb_buffer_pool_size" = "16M" } },
  { label = "large", set = { "server.innodb_buffer_pool_size" = 67108864 } },
  { label = "own", set = { "server.innodb_buffer_pool_size" = "64M", "server.rocksdb_block_cache_size" = 1048576 } },
]
)",
                                            "f.toml");
        for (const Fault& fault : parsed.faults)
            qWarning() << fault.where.c_str() << fault.what.c_str();
        QVERIFY(parsed.plan.has_value());
        const Expansion expansion = expand(*parsed.plan);
        const std::int64_t wanted[3][2] = {{16 << 20, 16 << 20}, {64 << 20, 64 << 20}, {1 << 20, 1 << 20}};
        QCOMPARE(expansion.points.size(), std::size_t(3));
        for (std::size_t i = 0; i < 3; ++i) {
            const Settings& server = expansion.points[i].server;
            QVERIFY((server.at("rocksdb_block_cache_size") == Value(wanted[i][0])));
            QVERIFY((server.at("aria_pagecache_buffer_size") == Value(wanted[i][1])));
            const Settings followers = followersOf(*parsed.plan, expansion.points[i]);
            QCOMPARE(followers.contains("server.rocksdb_block_cache_size"), i < 2);
            QVERIFY((followers.at("server.aria_pagecache_buffer_size") == Value(wanted[i][1])));
        }
        const ParsedPlan again = parsePlan(writePlan(*parsed.plan), "again.toml");
        QVERIFY(again.plan.has_value());
        QCOMPARE(textOf(again.plan->set, "server.aria_pagecache_buffer_size"),
                 std::string("same as server.rocksdb_block_cache_size"));
        // A size follows a memory: the rows of a multiple follow what the setting became.
        Plan sized = *parsed.plan;
        sized.workload.params["table_size"] = std::string("4 x cache");
        sized.set["table.engine"] = std::string("ROCKSDB");
        const Expansion rows = expand(sized);
        QVERIFY(integerOf(rows.points[1].workload.params, "table_size") >
                3 * integerOf(rows.points[0].workload.params, "table_size"));
    }

    void followersAtFault_data()
    {
        QTest::addColumn<QString>("settings");
        QTest::addColumn<QString>("where");
        QTest::addColumn<QString>("what");
        QTest::addColumn<int>("line");
        QTest::newRow("a circle")
            << "\"server.innodb_buffer_pool_size\" = \"same as server.aria_pagecache_buffer_size\"\n"
               "\"server.aria_pagecache_buffer_size\" = \"same as server.innodb_buffer_pool_size\"\n"
            << "set.server.aria_pagecache_buffer_size"
            << "follow each other in a circle" << 7;
        QTest::newRow("itself") << "\"server.key_buffer_size\" = \"same as server.key_buffer_size\"\n"
                                << "set.server.key_buffer_size"
                                << "circle" << 6;
        QTest::newRow("not set") << "\"server.key_buffer_size\" = \"same as server.innodb_buffer_pool_size\"\n"
                                 << "set.server.key_buffer_size"
                                 << "which the plan does not set" << 6;
        QTest::newRow("a third in a circle")
            << "\"server.aria_pagecache_buffer_size\" = \"same as server.innodb_buffer_pool_size\"\n"
               "\"server.innodb_buffer_pool_size\" = \"same as server.key_buffer_size\"\n"
               "\"server.key_buffer_size\" = \"same as server.innodb_buffer_pool_size\"\n"
            << "set.server.innodb_buffer_pool_size"
            << "in a circle: server.innodb_buffer_pool_size, server.key_buffer_size, server.innodb_buffer_pool_size"
            << 7;
        QTest::newRow("a third's is not set")
            << "\"server.aria_pagecache_buffer_size\" = \"same as server.innodb_buffer_pool_size\"\n"
               "\"server.innodb_buffer_pool_size\" = \"same as server.key_buffer_size\"\n"
            << "set.server.innodb_buffer_pool_size"
            << "server.innodb_buffer_pool_size follows server.key_buffer_size, which the plan does not set" << 7;
        QTest::newRow("unknown") << "\"server.key_buffer_size\" = \"same as server.innodb_bufer_pool_size\"\n"
                                 << "set.server.key_buffer_size"
                                 << "innodb_bufer_pool_size" << 6;
        QTest::newRow("no scope") << "\"server.key_buffer_size\" = \"same as innodb_buffer_pool_size\"\n"
                                  << "set.server.key_buffer_size"
                                  << "cannot be followed" << 6;
        QTest::newRow("a workload's") << "\"server.key_buffer_size\" = \"same as workload.table_size\"\n"
                                      << "set.server.key_buffer_size"
                                      << "cannot be followed" << 6;
        QTest::newRow("another scope") << "\"table.partitions\" = \"same as server.max_connections\"\n"
                                          "\"server.max_connections\" = 8\n"
                                       << "set.table.partitions"
                                       << "cannot follow another setting" << 6;
        QTest::newRow("of another scope") << "\"server.max_connections\" = \"same as table.partitions\"\n"
                                             "\"table.partitions\" = 8\n"
                                          << "set.server.max_connections"
                                          << "cannot be followed" << 6;
        QTest::newRow("another kind") << "\"server.max_connections\" = \"same as server.key_buffer_size\"\n"
                                         "\"server.key_buffer_size\" = \"16M\"\n"
                                      << "set.server.max_connections"
                                      << "different types or units" << 6;
        QTest::newRow("out of range") << "\"server.innodb_buffer_pool_size\" = \"same as server.key_buffer_size\"\n"
                                         "\"server.key_buffer_size\" = 8\n"
                                      << "set.server.innodb_buffer_pool_size"
                                      << "8 is not a size in bytes" << 6;
    }
    void followersAtFault()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        QFETCH(QString, settings);
        QFETCH(QString, where);
        QFETCH(QString, what);
        QFETCH(int, line);
        const ParsedPlan parsed = parsePlan("[target]\nuri = \"managed:mariadb\"\n[workload]\nname = "
                                            "\"oltp_read_only\"\n[set]\n" +
                                                settings.toStdString(),
                                            "f.toml");
        QVERIFY(!parsed.plan && !parsed.faults.empty());
        const Fault& fault = parsed.faults.front();
        QCOMPARE(QString::fromStdString(fault.where), where);
        QVERIFY2(fault.what.find(what.toStdString()) != std::string::npos, fault.what.c_str());
        QVERIFY(!fault.remedy.empty());
        QCOMPARE(fault.line, line);
    }

    //! Engines and servers are compared over the same rows, those that the largest need asks for.
    void multiplesAreAlikeWhereTheCacheIs()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        const ParsedPlan parsed = parsePlan(R"(
[target]
uri = "managed:mariadb"
[workload]
name = "oltp_read_only"
params = { tables = 2, table_size = "4 x buffer_pool" }
[[axis]]
name = "engine"
cases = [
  { label = "InnoDB", set = { "table.engine" = "InnoDB" } },
  { label = "compressed", set = { "table.row_format" = "COMPRESSED", "table.key_block_size" = 8 } },
]
[[axis]]
name = "pool"
cases = [
  { label = "16M", set = { "server.innodb_buffer_pool_size" = "16M" } },
  { label = "64M", set = { "server.innodb_buffer_pool_size" = "64M" } },
]
)",
                                            "m.toml");
        QVERIFY(parsed.plan.has_value());
        std::map<std::string, std::set<std::int64_t>> rows;
        for (const PointSpec& point : expand(*parsed.plan).points)
            rows[point.cases[1].label].insert(integerOf(point.workload.params, "table_size"));
        QCOMPARE(rows["16M"].size(), std::size_t(1));
        QCOMPARE(rows["64M"].size(), std::size_t(1));
        QVERIFY(*rows["64M"].begin() > 3 * *rows["16M"].begin());
    }

    //! Two workloads of one plan that happen to call their rows alike have rows of their own, as each alone has.
    void multiplesOfUnlikeWorkloads()
    {
        const auto rowsOf = [](const std::string& names) {
            std::string cases;
            for (const char* name : {"large_values", "oltp_read_only", "oltp_read_write"}) {
                if (names.find(name) != std::string::npos)
                    cases += fmt::format("  {{ label = \"{0}\", set = {{ \"workload.name\" = \"{0}\", "
                                         "\"workload.{1}\" = \"4 x cache\" }} }},\n",
                                         name, std::string(name).starts_with("oltp") ? "table_size" : "rows");
            }
            const ParsedPlan parsed = parsePlan("[target]\nuri=\"sqlite:a.db\"\n[workload]\nname=\"large_values\"\n"
                                                "[[axis]]\nname=\"workload\"\ncases=[\n" +
                                                    cases + "]\n",
                                                "m.toml");
            std::map<std::string, std::int64_t> rows;
            for (const PointSpec& point : parsed.plan ? expand(*parsed.plan).points : std::vector<PointSpec>())
                rows[point.workload.name] =
                    integerOf(point.workload.params, point.workload.name.starts_with("oltp") ? "table_size" : "rows");
            return rows;
        };
        const auto all = rowsOf("large_values oltp_read_only oltp_read_write");
        QCOMPARE(all.size(), std::size_t(3));
        QCOMPARE(all.at("large_values"), rowsOf("large_values").at("large_values"));
        QCOMPARE(all.at("oltp_read_only"), rowsOf("oltp_read_only").at("oltp_read_only"));
        QCOMPARE(all.at("oltp_read_write"), all.at("oltp_read_only")); // these share their tables
        QVERIFY(all.at("large_values") > 0 && all.at("oltp_read_only") > 10 * all.at("large_values"));
    }

    //! The largest need of the points that run: one that is skipped asks for nothing, and none of them is at fault.
    void multiplesOfSkippedPoints()
    {
        if (!findDriver("mysql") || !findDriver("sqlite"))
            QSKIP("built without one of the two drivers");
        const auto planOf = [](const std::string& more) {
            std::string text = R"(
[target]
uri = "managed:mariadb"
[workload]
name = "oltp_read_only"
params = { table_size = "4 x cache" }
[[axis]]
name = "where"
cases = [
  { label = "large rows", set = { "target.uri" = "managed:mariadb", "server.innodb_buffer_pool_size" = "64M" } },
  { label = "small rows", set = { "target.uri" = "sqlite:a.db", "connection.cache_size" = -65536 } },
  { label = "remote", set = { "target.uri" = "REMOTE" } },
]
)";
            text.replace(text.find("REMOTE"), 6, "mysql://u@h/db");
            return parsePlan(text + more, "m.toml");
        };
        const auto rowsOf = [](const Plan& plan) {
            std::map<std::string, std::int64_t> rows;
            for (const PointSpec& point : expand(plan).points)
                rows[point.cases[0].label] = integerOf(point.workload.params, "table_size", -1);
            return rows;
        };
        const std::string noRemote = "[[skip]]\ncases = { where = \"remote\" }\n";
        const ParsedPlan all = planOf(""), two = planOf(noRemote),
                         one = planOf(noRemote + "[[skip]]\ncases = { where = \"small rows\" }\n");
        // A server that does not say how large its cache is: no plan, unless its point is skipped.
        QVERIFY(!all.faults.empty());
        for (const ParsedPlan* good : {&two, &one}) {
            QVERIFY2(good->faults.empty(), good->faults.empty() ? "" : good->faults.front().what.c_str());
            QVERIFY(checkPlan(*good->plan).empty());
        }
        const auto both = rowsOf(*two.plan), alone = rowsOf(*one.plan);
        QCOMPARE(both.size(), std::size_t(2));
        QCOMPARE(alone.size(), std::size_t(1));
        QCOMPARE(both.at("large rows"), both.at("small rows"));
        QVERIFY2(alone.at("large rows") > 0 && alone.at("large rows") < both.at("large rows"),
                 qPrintable(QString("%1, %2").arg(alone.at("large rows")).arg(both.at("large rows"))));
    }

    void multiplesAreCheapToRead_data()
    {
        QTest::addColumn<QString>("workload");
        for (const WorkloadInfo& info : workloads())
            QTest::newRow(info.id.c_str()) << QString::fromStdString(info.id);
    }
    //! Whatever a stranger's plan asks for, with the other numbers as large as they may be: it is read, checked and
    //! laid out within seconds, in little memory.
    void multiplesAreCheapToRead()
    {
        QFETCH(QString, workload);
        const WorkloadInfo* info = findWorkload(workload.toStdString());
        QVERIFY(info);
        const auto whole = [](const OptionSpec& option) {
            return option.affectsData && option.type == OptionType::Integer;
        };
        const auto pools = [](const std::string& driver) {
            return driver == "mysql"    ? "managed:mariadb\"\n[set]\n\"server.innodb_buffer_pool_size\" = \"1T"
                   : driver == "sqlite" ? "sqlite:a.db\"\n[set]\n\"connection.cache_size\" = \"-1073741824"
                                        : nullptr;
        };
        Cost most;
        std::string slow;
        int asked = 0;
        for (const std::string& driver : driversFor(*info)) {
            if (!pools(driver))
                continue;
            for (const OptionSpec& multiple : info->options) {
                for (int form = 0; whole(multiple) && form < 4; ++form) {
                    std::string params = multiple.name + " = \"" + (form % 2 == 0 ? "10000" : "0.001") + " x cache\"";
                    for (const OptionSpec& other : info->options) {
                        if (form >= 2 && whole(other) && other.name != multiple.name)
                            params += fmt::format(", {} = {:.0f}", other.name, other.maximum.value_or(1e12));
                        else if (form >= 2 && other.affectsData && other.type == OptionType::Choice)
                            params += fmt::format(", {} = \"{}\"", other.name, other.choices.back());
                    }
                    const std::string text = fmt::format("[target]\nuri = \"{}\"\n[workload]\nname = \"{}\"\nparams "
                                                         "= {{ {} }}\n",
                                                         pools(driver), info->id, params);
                    const Cost cost = costOfReading(text);
                    ++asked;
                    if (cost.seconds > most.seconds)
                        slow = text;
                    most = {std::max(most.seconds, cost.seconds), std::max(most.bytes, cost.bytes)};
                }
            }
        }
        if (asked == 0)
            QSKIP("nothing says how much data there is");
        QVERIFY2(most.isLow(), qPrintable(most.text() + ": " + slow.c_str()));
    }

    //! Groups are compared with what the plan loads.
    void manyTablesAreCheapToRead_data()
    {
        QTest::addColumn<QString>("group");
        QTest::newRow("no group") << "";
        QTest::newRow("a group") << "[[load.group]]\nname = \"reads\"\nworkload = \"oltp_point_select\"\n";
    }
    void manyTablesAreCheapToRead()
    {
        QFETCH(QString, group);
        const std::string text =
            "[target]\nuri = \"sqlite:a.db\"\n[workload]\nname = \"oltp_read_write\"\nparams = { tables = 100000 }\n" +
            group.toStdString();
        QVERIFY(parsePlan(text, "stranger.toml").plan);
        const Cost cost = costOfReading(text);
        QVERIFY2(cost.isLow(), qPrintable(cost.text()));
    }

    void multiplesThatCannotBe_data()
    {
        QTest::addColumn<QString>("plan");
        QTest::addColumn<QString>("where");
        QTest::addColumn<QString>("remedy");
        QTest::newRow("no such memory")
            << "[target]\nuri=\"sqlite:a.db\"\n[workload]\nname=\"oltp_read_only\"\nparams={table_size=\"4 x memory\"}"
            << "workload.params.table_size"
            << "4 x cache";
        QTest::newRow("no number")
            << "[target]\nuri=\"sqlite:a.db\"\n[workload]\nname=\"oltp_read_only\"\nparams={table_size=\"0 x cache\"}"
            << "workload.params.table_size"
            << "4 x cache";
        QTest::newRow("says nothing of the data") << "[target]\nuri=\"sqlite:a.db\"\n[workload]\nname=\"oltp_read_"
                                                     "only\"\nparams={point_selects=\"4 x cache\"}"
                                                  << "workload.params.point_selects"
                                                  << "write a number";
        QTest::newRow("two of them")
            << "[target]\nuri=\"sqlite:a.db\"\n[workload]\nname=\"oltp_read_only\"\nparams={tables="
               "\"1 x cache\",table_size=\"4 x cache\"}"
            << "workload.params.table"
            << "number";
        if (findDriver("mysql"))
            QTest::newRow("a remote server does not say")
                << "[target]\nuri=\"mysql://u@h/db\"\n[workload]\nname=\"oltp_read_only\"\nparams={table_size=\"4 x "
                   "cache\"}"
                << "workload.params.table_size"
                << "set server.innodb_buffer_pool_size";
    }
    //! Bad input names its place and what would be right.
    void multiplesThatCannotBe()
    {
        QFETCH(QString, plan);
        QFETCH(QString, where);
        QFETCH(QString, remedy);
        const ParsedPlan parsed = parsePlan(plan.toStdString(), "m.toml");
        QVERIFY(!parsed.faults.empty());
        const Fault& fault = parsed.faults.front();
        const QString text = QString("%1: %2: %3").arg(fault.where.c_str(), fault.what.c_str(), fault.remedy.c_str());
        QVERIFY2(QString::fromStdString(fault.where).startsWith(where), qPrintable(text));
        QVERIFY2(QString::fromStdString(fault.remedy).contains(remedy), qPrintable(text));
    }

    void estimatesTime()
    {
        const Expansion expansion = expand(planWith("[load]\nusers = [1, 4]\ntime = 20\nwarmup = 5\nrepeats = 3\n"));
        QVERIFY(expansion.estimatedSeconds >= 6 * 25);
        QVERIFY(expansion.estimatedSeconds < 6 * 27);
    }

    void estimatesBytes()
    {
        const auto bytes = [](const std::string& size) {
            return expand(planWith("[set]\nworkload.table_size = " + size + "\n")).estimatedBytes;
        };
        // A row of sysbench's table is 4 + 4 + 120 + 60 bytes and an index entry; no estimate is below that, nor far
        // above.
        QVERIFY(bytes("1000000") > 188'000'000);
        QVERIFY(bytes("1000000") < 400'000'000);
        QVERIFY(bytes("10000") < bytes("20000"));
    }

    //! A run that ends after a number of rows, or of transactions, leaves them behind. A million rows of iiBench with
    //! three indexes were measured to take about 130 MB in SQLite.
    void estimatesWhatRunsAdd()
    {
        const auto bytes = [](const std::string& load, const std::string& more = "") {
            const ParsedPlan parsed = parsePlan(
                "[target]\nuri = \"sqlite:a.db\"\n[workload]\nname = \"iibench\"\nparams = { rows_per_commit = 100" +
                    more + " }\n[load]\n" + load,
                "e.toml");
            return parsed.plan ? expand(*parsed.plan).estimatedBytes : UINT64_MAX;
        };
        const std::uint64_t million = bytes("rows = 1000000\n");
        QVERIFY(million > 100'000'000 && million < 180'000'000);
        QCOMPARE(bytes("events = 10000\n"), million);
        QCOMPARE(bytes("events = 5000\nrows = 1000000\n"), million / 2);
        QCOMPARE(bytes("time = \"10s\"\n"), std::uint64_t(0));
        QCOMPARE(bytes("rows = 1000000\n", ", delete_mode = true"), std::uint64_t(0));
    }

    //! Steps that copy a table need room for the copy and for the second one that there is while it is rebuilt;
    //! SQLite's VACUUM of both tables asks for twice the file more (its documentation): 2 + 2 + 2.
    void estimatesWhatRunsNeedForAWhile()
    {
        const auto bytes = [](const std::string& uri, const std::string& workload) {
            const ParsedPlan parsed = parsePlan("[target]\nuri = \"" + uri + "\"\n[workload]\nname = \"" + workload +
                                                    "\"\nparams = { table_size = 100000 }\n",
                                                "e.toml");
            return parsed.plan ? expand(*parsed.plan).estimatedBytes : UINT64_MAX;
        };
        QCOMPARE(bytes("managed:mariadb", "oltp_ddl"), 3 * bytes("managed:mariadb", "oltp_read_write"));
        QCOMPARE(bytes("sqlite:a.db", "oltp_ddl"), 6 * bytes("sqlite:a.db", "oltp_read_write"));
    }

    //! More than 64 bits hold: the most that they do, of one target and of the sum.
    void estimatesHaveAnEnd()
    {
        const auto bytes = [](const std::string& events, const std::string& more = "") {
            const ParsedPlan parsed = parsePlan(
                "[target]\nuri = \"sqlite:a.db\"\n[workload]\nname = \"iibench\"\nparams = { rows_per_commit = 1000"
                " }\n[load]\nevents = " +
                    events + "\n" + more,
                "e.toml");
            return parsed.plan ? expand(*parsed.plan).estimatedBytes : 0;
        };
        const std::uint64_t one = bytes("90000000000000");
        QVERIFY2(one > UINT64_MAX / 2 && one < UINT64_MAX, std::to_string(one).c_str());
        QCOMPARE(bytes("900000000000000"), UINT64_MAX);
        QCOMPARE(bytes("90000000000000",
                       "[[axis]]\nname = \"file\"\ncases = [{ label = \"a\", set = { target.uri = \"sqlite:1.db\" } }, "
                       "{ label = \"b\", set = { target.uri = \"sqlite:2.db\" } }]\n"),
                 UINT64_MAX);
    }

    void estimatesEachTargetOnce()
    {
        const std::uint64_t one = expand(planWith("[load]\nusers = 1\n")).estimatedBytes;
        QCOMPARE(expand(planWith("[load]\nusers = [1, 2, 4]\n")).estimatedBytes, one);
        const Expansion two =
            expand(planWith("[[axis]]\nname = \"file\"\ncases = [{ label = \"a\", set = { target.uri = "
                            "\"sqlite:1.db\" } }, { label = \"b\", set = { target.uri = \"sqlite:2.db\" } }]\n"));
        QCOMPARE(two.estimatedBytes, 2 * one);
    }
};

} // namespace dyno::tst_plan_expand

DYNO_SUITE(tst_plan_expand, dyno::tst_plan_expand::TestPlanExpand)
#include "tst_plan_expand.moc"
