// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Every recipe can be run as it is, at every size.
#include "plan/plan_order.h"
#include "support/suite.h"
#include "workload/linkbench/graph.h"
#include "workload/workload.h"

#include <dyno/catalog.h>
#include <dyno/plan.h>
#include <dyno/plan_refs.h>

#include <QTest>
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace dyno::tst_plan_recipes {

class TestPlanRecipes : public QObject
{
    Q_OBJECT

    //! Recipes for databases that this build has no driver for cannot be read by it.
    static bool isRunnable(const RecipeInfo& recipe)
    {
        const auto needs = [&recipe](const char* uri) { return recipe.toml.find(uri) != std::string::npos; };
        return (findDriver("mysql") || !needs("managed:m")) && (findDriver("rocksdb") || !needs("\"rocksdb:")) &&
               (findDriver("clickhouse") || !needs("managed:clickhouse"));
    }

private slots:
    void areThere()
    {
        std::set<std::string> ids;
        for (const RecipeInfo& recipe : recipes()) {
            ids.insert(recipe.id);
            QVERIFY2(!recipe.title.empty() && !recipe.summary.empty() && !recipe.needs.empty() && !recipe.tags.empty(),
                     recipe.id.c_str());
            QVERIFY(recipe.minutes > 0);
            QVERIFY((recipe.sizes == std::vector<std::string>{"quick", "laptop", "published"}));
        }
        QCOMPARE(ids.size(), recipes().size());
        for (const char* id : {"durability-sqlite", "durability-mariadb", "scaling-mariadb", "readwrite-sqlite"})
            QVERIFY2(ids.contains(id), id);
        // The published experiments by their number in their tags, as far as they are recipes.
        for (const char* experiment :
             {"E01", "E02", "E03", "E04", "E05", "E06", "E07", "E08", "E09", "E10", "E11", "E12", "E14",
              "E15", "E16", "E17", "E19", "E20", "E21", "E22", "E23", "E24", "E25", "E27", "E29"}) {
            const auto all = recipes();
            QVERIFY2(std::any_of(all.begin(), all.end(),
                                 [&](const RecipeInfo& recipe) {
                                     return std::find(recipe.tags.begin(), recipe.tags.end(), experiment) !=
                                            recipe.tags.end();
                                 }),
                     experiment);
        }
    }

    //! Each of the 34 published experiments has recipes that exist and bear its number, or a reason in one sentence.
    void everyExperimentIsToldOf()
    {
        std::map<std::string, const ExperimentInfo*> told;
        std::set<std::string> ids, named;
        for (const RecipeInfo& recipe : recipes())
            ids.insert(recipe.id);
        for (const ExperimentInfo& one : experiments()) {
            told[one.id] = &one;
            QVERIFY2(!one.title.empty() && !(one.recipes.empty() && one.reason.empty()), one.id.c_str());
            QVERIFY2(one.reason.empty() || one.reason.ends_with("."), one.id.c_str());
            for (const std::string& id : one.recipes) {
                QVERIFY2(ids.contains(id), id.c_str());
                named.insert(one.id + " " + id);
            }
        }
        QCOMPARE(told.size(), std::size_t(34));
        QCOMPARE(experiments().size(), told.size());
        for (int number = 1; number <= 34; ++number)
            QVERIFY2(told.contains(QString("E%1").arg(number, 2, 10, QChar('0')).toStdString()),
                     QByteArray::number(number));
        // And the other way round: a recipe with the number of an experiment is named there.
        for (const RecipeInfo& recipe : recipes()) {
            for (const std::string& tag : recipe.tags) {
                if (told.contains(tag))
                    QVERIFY2(named.contains(tag + " " + recipe.id), (tag + " " + recipe.id).c_str());
            }
        }
    }

    //! What a recipe says of its departures is in the plan, however it is saved, and in what is listed.
    void departuresStayWithThePlan()
    {
        int departing = 0;
        for (const RecipeInfo& recipe : recipes()) {
            const Expected<Plan> plan = recipePlan(recipe.id);
            if (!plan)
                continue; // of a driver that is left out
            QVERIFY2(plan->departs == recipe.departs, recipe.id.c_str());
            const ParsedPlan again = parsePlan(writePlan(*plan), "again.toml");
            QVERIFY(again.plan && again.plan->departs == recipe.departs);
            departing += recipe.departs.empty() ? 0 : 1;
        }
        QVERIFY(departing > 1);
    }

    //! No recipe for several products of a protocol puts the name of one of them into its title.
    void titlesNameNoOtherProduct()
    {
        for (const RecipeInfo& recipe : recipes()) {
            if (recipe.needs.find("FerretDB") != std::string::npos)
                QVERIFY2(recipe.title.find("MongoDB") == std::string::npos, recipe.title.c_str());
        }
    }

    //! E06: what claims to be IO-bound has several times its pool, whatever the size, and all engines the same rows.
    void ioBoundShootout()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        for (const char* size : {"", "quick", "laptop", "published"}) {
            Expected<Plan> plan = recipePlan("shootout-mariadb");
            QVERIFY(plan && (!*size || applySize(*plan, size)));
            std::map<std::string, std::set<std::int64_t>> rows;
            for (const PointSpec& point : expand(*plan).points) {
                const std::int64_t all =
                    integerOf(point.workload.params, "table_size") * integerOf(point.workload.params, "tables");
                const std::int64_t pool = integerOf(point.server, "innodb_buffer_pool_size");
                QCOMPARE(integerOf(point.server, "aria_pagecache_buffer_size"), pool);
                constexpr std::int64_t kBytes = 200; // a row of sbtest, at least
                if (point.cases[1].label == "IO-bound")
                    QVERIFY2(all * kBytes > (point.users() == 1 && *size == 'p' ? 1 : 2) * pool, size);
                else
                    QVERIFY2(all * kBytes < pool, size);
                rows[point.cases[1].label + point.cases[2].label].insert(all);
            }
            for (const auto& [place, counts] : rows)
                QVERIFY2(counts.size() == 1, place.c_str());
        }
    }

    //! `--set axis.NAME=LABEL` without --size: what sizes say of the other cases goes with them.
    void eachCaseMayStandAlone()
    {
        int kept = 0;
        for (const RecipeInfo& recipe : recipes()) {
            const Expected<Plan> plan = recipePlan(recipe.id);
            if (!plan)
                continue; // of a driver that is left out
            for (const Axis& axis : plan->axes) {
                for (const Case& one : axis.cases) {
                    Plan alone = *plan;
                    const auto set = setField(alone, "axis." + axis.name, one.label);
                    QVERIFY2(set, set ? "" : set.error().message.c_str());
                    Faults faults = checkPlan(alone);
                    std::erase_if(faults,
                                  [](const Fault& fault) { return fault.where == "skip"; }); // left out by the plan
                    const std::string text =
                        faults.empty() ? "" : recipe.id + ", " + one.label + ": " + faults.front().where;
                    QVERIFY2(faults.empty(), text.c_str());
                    ++kept;
                }
            }
        }
        QVERIFY(kept > 50);
    }

    void sizesFollowTheNames()
    {
        Expected<Plan> plan = parsePlan(R"(title = "t"
[target]
uri = "sqlite:a.db"
[workload]
name = "oltp_read_only"
[[axis]]
name = "cache"
cases = [
  { label = "small", set = { "connection.cache_size" = -2000 } },
  { label = "mid", set = { "connection.cache_size" = -20000 } },
  { label = "large", set = { "connection.cache_size" = -200000 } },
]
[size.quick]
"axis.cache" = "small;large"
"axis.cache[large].connection.cache_size" = -100000
)",
                                        "test")
                                  .plan.value();
        renameInRefs(*plan, "cache", "large", "huge");
        plan->axes.front().cases.back().label = "huge";
        renameInRefs(*plan, "cache", {}, "pool");
        plan->axes.front().name = "pool";
        using Fields = std::vector<std::pair<std::string, std::string>>;
        QVERIFY((plan->sizes.front().fields ==
                 Fields{{"axis.pool", "small;huge"}, {"axis.pool[huge].connection.cache_size", "-100000"}}));
        QVERIFY(checkPlan(*plan).empty());
        QVERIFY(setField(*plan, "axis.pool", "small;mid"));
        QVERIFY((plan->sizes.front().fields == Fields{{"axis.pool", "small"}}));
    }

    //! Spot checks against the posts: one figure from each corner of each table.
    void publishedFiguresAreThePosts()
    {
        const auto figure = [](const char* recipe, std::size_t table, std::vector<CaseRef> cases) {
            const Expected<Plan> plan = recipePlan(recipe);
            if (!plan || plan->published.size() <= table)
                return -1.0;
            for (const PublishedValue& value : plan->published[table].values) {
                if (std::is_permutation(value.cases.begin(), value.cases.end(), cases.begin(), cases.end()))
                    return value.value;
            }
            return -2.0;
        };
        QCOMPARE(figure("commits-sqlite", 0, {{"rows to a commit", "10000"}, {"sync", "at each commit"}}), 15000.0);
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        QCOMPARE(figure("inserts-mariadb", 0, {{"indexes", "three secondary"}}), 9000.0);
        QCOMPARE(figure("inserts-mariadb", 1, {{"indexes", "none"}}), 56e9);
        QCOMPARE(figure("inserts-mariadb", 1, {{"indexes", "three secondary"}}), 181e9);
        QCOMPARE(figure("compression-mariadb", 0, {{"compression", "8 KiB"}}), 100.0 - 47);
        QCOMPARE(figure("compression-mariadb", 0, {{"compression", "4 KiB"}}), 100.0 - 50);
        QCOMPARE(recipePlan("compression-mariadb")->published[0].relativeTo, std::string("none"));
        QCOMPARE(figure("inserts-mariadb", 2, {{"indexes", "three secondary"}}), 6500.0);
        QCOMPARE(figure("inserts-mariadb", 3, {{"indexes", "none"}}), 26000.0);
        QCOMPARE(figure("compression-mariadb", 0, {{"compression", "TokuDB"}}), 100.0 - 51);
        QCOMPARE(figure("compression-mariadb", 1, {{"compression", "TokuDB"}}), 3340.0);
        QCOMPARE(figure("doublewrite-mariadb", 0, {{"doublewrite", "off"}}), 100.0 + 50);
        QCOMPARE(figure("doublewrite-mariadb", 1, {{"doublewrite", "off"}}), 100.0 + 55);
        QCOMPARE(recipePlan("doublewrite-mariadb")->published[0].relativeTo, std::string("on"));
        QCOMPARE(figure("engines-mariadb", 0, {{"engine", "InnoDB"}}), 1050.0);
        QCOMPARE(figure("engines-mariadb", 0, {{"engine", "TokuDB 5.2"}}), 17028.0);
        QCOMPARE(figure("engines-mariadb", 1, {{"engine", "InnoDB"}}), 7 * 86400.0);
        QCOMPARE(figure("engines-mariadb", 1, {{"engine", "TokuDB 5.2"}}), 15 * 3600.0);
        QCOMPARE(figure("commits-mariadb", 0, {{"sync", "once a second"}}), 17000.0);
        QCOMPARE(figure("isolation-mariadb", 0, {{"warehouses", "10"}, {"isolation", "READ COMMITTED"}}), 60.0);
        QCOMPARE(figure("isolation-mariadb", 0, {{"warehouses", "10"}, {"isolation", "REPEATABLE READ"}}), 0.0);
        QCOMPARE(figure("isolation-mariadb", 1, {{"warehouses", "10"}, {"isolation", "READ COMMITTED"}}), 22.2);
        QCOMPARE(figure("sensordata-mariadb", 0, {{"format", "InnoDB 8K"}, {"key", "sensor"}, {"values", "uniform"}}),
                 130.0);
        QCOMPARE(figure("sensordata-mariadb", 1, {{"format", "InnoDB"}, {"key", "sensor"}, {"values", "uniform"}}),
                 82e9);
        QCOMPARE(figure("sensordata-mariadb", 2, {{"format", "InnoDB"}, {"key", "sensor"}, {"values", "uniform"}}),
                 80.0);
        QCOMPARE(figure("sensordata-mariadb", 3, {{"format", "InnoDB"}, {"key", "sensor"}, {"values", "uniform"}}),
                 100.0);
        for (const std::size_t end : {2u, 3u})
            QCOMPARE(
                figure("sensordata-mariadb", end, {{"format", "InnoDB 8K"}, {"key", "sensor"}, {"values", "uniform"}}),
                250.0);
        QCOMPARE(
            figure("fulltext-mariadb", 0,
                   {{"engine", "InnoDB"}, {"documents", "DIR"}, {"passes", "one"}, {"operation", "load_with_index"}}),
            330760.0);
        QCOMPARE(figure("durability-mariadb", 0, {{"durability", "flush=1, binlog, sync"}}), 3086.7);
        QCOMPARE(figure("version-scaling", 0, {{"users", "256"}}), 100.0 - 25);
        QCOMPARE(figure("brokerage-mariadb", 0, {}), 41.7342);
        QCOMPARE(figure("brokerage-mariadb", 4, {{"operation", "trade_status"}}), 300.0);
        QCOMPARE(figure("sensordata-mariadb", 1, {{"format", "TokuDB small"}, {"key", "sensor"}, {"values", "Pareto"}}),
                 13e9);
        QCOMPARE(figure("fulltext-mariadb", 3,
                        {{"engine", "InnoDB"}, {"documents", "DIR"}, {"least word", "4"}, {"operation", "q5"}}),
                 641.415);
        QCOMPARE(figure("fulltext-mariadb", 4,
                        {{"engine", "MyISAM"}, {"documents", "SEO"}, {"least word", "4"}, {"operation", "q2"}}),
                 1.815);
        QCOMPARE(figure("encryption-mariadb", 1, {{"tables", "plain"}, {"pool", "IO-bound"}, {"users", "2048"}}), 98.0);
        QCOMPARE(figure("versions-mysql", 1, {{"version", "MySQL 5.7"}, {"durability", "flush=1, binlog, sync=1"}}),
                 118.0);
        QCOMPARE(figure("versions-mysql", 3, {{"version", "MySQL 8.0"}, {"durability", "flush=0, no binlog"}}),
                 10299.0);
        QCOMPARE(figure("network-mariadb", 0, {{"connection", "compressed"}, {"link", "1 Gb"}, {"users", "2048"}}),
                 5100.46);
        QCOMPARE(figure("network-mariadb", 1, {{"connection", "TLS"}, {"link", "10 Gb"}, {"users", "64"}}), 8248.6);
        QCOMPARE(figure("versions-mysql", 0, {{"version", "MySQL 8.0"}, {"durability", "flush=0, binlog, sync=1000"}}),
                 8871.0);
        QCOMPARE(figure("encryption-mariadb", 0, {{"tables", "encrypted"}, {"pool", "IO-bound"}, {"users", "1"}}),
                 389.11);
        QCOMPARE(figure("encryption-mariadb", 0, {{"tables", "plain"}, {"pool", "cached"}, {"users", "2048"}}),
                 18332.59);
        QCOMPARE(figure("connections-mariadb", 0, {{"thread pool", "off"}, {"users", "10000"}}), 33367.48);
        QCOMPARE(figure("connections-mariadb", 1, {{"thread pool", "on"}, {"users", "100000"}}), 3320.21);
        QCOMPARE(figure("connections-mariadb", 2, {{"thread pool", "on"}, {"users", "100000"}}), 4 * 8065.02);
        QCOMPARE(figure("connections-mariadb", 3, {{"thread pool", "on"}, {"users", "100000"}}), 3405.77);
    }

    void everySizeIsSound_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("size");
        for (const RecipeInfo& recipe : recipes()) {
            QTest::newRow(recipe.id.c_str()) << QString::fromStdString(recipe.id) << QString();
            for (const std::string& size : recipe.sizes)
                QTest::newRow((recipe.id + " " + size).c_str())
                    << QString::fromStdString(recipe.id) << QString::fromStdString(size);
        }
    }
    void everySizeIsSound()
    {
        QFETCH(QString, id);
        QFETCH(QString, size);
        for (const RecipeInfo& recipe : recipes()) {
            if (recipe.id == id.toStdString() && !isRunnable(recipe))
                QSKIP("built without the MySQL-family driver");
        }
        Expected<Plan> plan = recipePlan(id.toStdString());
        QVERIFY2(plan.has_value(), plan ? "" : plan.error().text().c_str());
        QCOMPARE(plan->source, id.toStdString());
        if (!size.isEmpty()) {
            const auto sized = applySize(*plan, size.toStdString());
            QVERIFY2(sized.has_value(), sized ? "" : sized.error().text().c_str());
        }
        const Faults faults = checkPlan(*plan);
        QVERIFY2(faults.empty(), faults.empty() ? "" : (faults.front().where + ": " + faults.front().what).c_str());
        const Expansion expansion = expand(*plan);
        QVERIFY(expansion.points.size() > 1);
        QVERIFY(!plan->views.empty());
        QVERIFY2(size != "quick" || expansion.estimatedSeconds < 90, "quick is a minute or so");
        // A recipe without a size chosen survives being saved and opened again.
        const ParsedPlan again = parsePlan(writePlan(*plan), "again.toml");
        QVERIFY(again.plan.has_value());
        QCOMPARE(writePlan(*again.plan), writePlan(*plan));
    }

    //! E02, E06, E17, E25 against their definitions in words.
    void sizesFollowTheDefinitions()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        const auto published = [](const char* recipe) {
            Expected<Plan> plan = recipePlan(recipe);
            return plan && applySize(*plan, "published") ? *plan : Plan();
        };
        const Plan engines = published("engines-mariadb"); // rate of the last 2 M rows against rows
        QVERIFY(!engines.views.empty());
        QCOMPARE(engines.views.front().measure, std::string("rows:2000000"));
        QCOMPARE(engines.views.front().over, std::string("rows"));
        int of900 = 0; // zoom on 900 s
        for (const View& view : published("sensordata-mariadb").views)
            of900 += view.to - view.from == 900 && view.over.empty() ? 1 : 0;
        QCOMPARE(of900, 1);
        const Plan shootout =
            published("shootout-mariadb"); // one table for one client, 8 for more; 1 G with buffered IO
        std::set<int> clients;
        for (const PointSpec& point : expand(shootout).points) {
            QCOMPARE(integerOf(point.workload.params, "tables"), std::int64_t(point.users() == 1 ? 1 : 8));
            QCOMPARE(integerOf(point.workload.params, "table_size"), std::int64_t(10'000'000));
            const bool buffered = integerOf(point.server, "innodb_buffer_pool_size") == 1LL << 30;
            QCOMPARE(textOf(point.server, "innodb_flush_method"), std::string(buffered ? "fsync" : "O_DIRECT"));
            clients.insert(point.users());
        }
        QVERIFY((clients == std::set<int>{1, 8, 16, 24, 32, 40, 48}));
        const Plan doublewrite = published("doublewrite-mariadb"); // as the tool has it
        for (const auto& [name, value] : doublewrite.workload.params) {
            const std::int64_t number = integerOf(doublewrite.workload.params, name, -1);
            QVERIFY2(number != 0, name.c_str());
        }
        QCOMPARE(integerOf(doublewrite.workload.params, "point_selects"), std::int64_t(10));
        QCOMPARE(integerOf(doublewrite.workload.params, "range_size"), std::int64_t(100));
        QCOMPARE(integerOf(doublewrite.workload.params, "index_updates"), std::int64_t(1));
        const PointSpec versions = expand(published("versions-mysql")).points.front(); // E21: the whole option file
        QCOMPARE(integerOf(versions.server, "innodb_buffer_pool_size"), 40LL << 30);
        QCOMPARE(integerOf(versions.server, "innodb_log_file_size"), 15LL << 30);
        QCOMPARE(textOf(versions.server, "binlog_row_image"), std::string("MINIMAL"));
        QCOMPARE(textOf(versions.workload.params, "rand_type"), std::string("special"));
        for (const PointSpec& point : expand(published("linkbench-mariadb")).points)
            QCOMPARE(integerOf(point.workload.params, "nodes"), std::int64_t(point.users() == 1 ? 1 : 4) * 1'000'000);
    }

    //! E07, E09: a run ends when all links and counts are there: as many inserts as hold them.
    void graphsAreWhole()
    {
        std::map<std::int64_t, std::int64_t> insertsOf; // of so many nodes
        for (const std::string id : {"linkbench-mariadb", "linkbench-mongodb", "memtable-mariadb"}) {
            for (const char* size : {"", "quick", "laptop", "published"}) {
                Expected<Plan> plan = recipePlan(id);
                if (!plan || !findDriver(parseUri(plan->target.uri)->driver))
                    continue;
                QVERIFY(!*size || applySize(*plan, size));
                std::set<std::int64_t> events;
                for (const PointSpec& point : expand(*plan).points) {
                    QVERIFY(!boolOf(point.workload.params, "load_nodes", true));
                    QCOMPARE(textOf(point.workload.params, "load_order"), std::string("id"));
                    const std::int64_t nodes = integerOf(point.workload.params, "nodes");
                    std::int64_t& wanted = insertsOf[nodes];
                    if (wanted == 0) {
                        const linkbench::Degrees degrees(nodes, false);
                        wanted = (degrees.links() + 1023) / 1024 + (degrees.counts() + 1023) / 1024;
                    }
                    QVERIFY2(std::int64_t(point.load.events) == wanted,
                             qPrintable(QString("%1 %2: %3").arg(id.c_str(), size).arg(wanted)));
                    events.insert(wanted);
                }
                QCOMPARE(events.size(), std::size_t(id == "memtable-mariadb" ? 1 : 2));
            }
        }
    }

    //! E06: at every size the caches of all engines are as large as the buffer pool of the point, one or all of them
    //! written as following it; and each client has a table of its own, with 24 among the numbers.
    void enginesHaveEquallyLargeCaches()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        for (const char* size : {"", "quick", "laptop", "published"}) {
            Expected<Plan> plan = recipePlan("shootout-mariadb");
            QVERIFY(plan && (!*size || applySize(*plan, size)));
            std::set<std::string> engines;
            std::set<int> users;
            for (const PointSpec& point : expand(*plan).points) {
                const std::int64_t pool = integerOf(point.server, "innodb_buffer_pool_size");
                const std::string engine = textOf(point.table, "engine");
                QVERIFY(pool > 0);
                QCOMPARE(integerOf(point.server, "aria_pagecache_buffer_size"), pool);
                if (engine == "ROCKSDB")
                    QCOMPARE(integerOf(point.server, "rocksdb_block_cache_size"), pool);
                QCOMPARE(textOf(point.workload.params, "table_of_user"), std::string("own"));
                engines.insert(engine);
                users.insert(point.users());
            }
            QCOMPARE(engines, (std::set<std::string>{"Aria", "InnoDB", "ROCKSDB"}));
            QVERIFY(users.contains(24) || *size == 'q' || *size == 'l');
        }
    }

    //! E24: the data of both loads fit into the pool in one case, by the workloads' own estimate, and not in the other.
    void hugePagesMeetDataOfTwoSizes_data()
    {
        QTest::addColumn<QString>("driver");
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<QString>("pool");
        QTest::newRow("MariaDB") << "mysql"
                                 << "thp-mariadb"
                                 << "innodb_buffer_pool_size";
        QTest::newRow("PostgreSQL") << "postgresql"
                                    << "thp-postgresql"
                                    << "shared_buffers";
    }
    void hugePagesMeetDataOfTwoSizes()
    {
        QFETCH(QString, driver);
        QFETCH(QString, recipe);
        QFETCH(QString, pool);
        if (!findDriver(driver.toStdString()))
            QSKIP("built without the driver");
        for (const char* size : {"", "quick", "published"}) {
            Expected<Plan> plan = recipePlan(recipe.toStdString());
            QVERIFY(plan && (!*size || applySize(*plan, size)));
            std::set<std::string> settings;
            for (const PointSpec& point : expand(*plan).points) {
                const auto instance = bindPoint(point);
                QVERIFY(instance);
                const double share =
                    double((*instance)->estimatedBytes()) / double(integerOf(point.server, pool.toStdString()));
                const bool fits = point.label().find("not in memory") == std::string::npos;
                QVERIFY2(fits ? share > 0.3 && share < 1.1 : share > 1.5 && share < 3,
                         (std::string(size) + point.label() + fmt::format(": {}", share)).c_str());
                settings.insert(textOf(point.host, "transparent_hugepage"));
            }
            QCOMPARE(settings, (std::set<std::string>{"always", "never"}));
        }
    }

    void takesAsLongAsItSays()
    {
        for (const RecipeInfo& recipe : recipes()) {
            if (!isRunnable(recipe))
                continue;
            const Expected<Plan> plan = recipePlan(recipe.id);
            QVERIFY(plan.has_value());
            const double minutes = expand(*plan).estimatedSeconds / 60;
            QVERIFY2(minutes > recipe.minutes * 0.8 && minutes < recipe.minutes * 1.1,
                     qPrintable(QString("%1 says %2, is %3").arg(recipe.id.c_str()).arg(recipe.minutes).arg(minutes)));
        }
    }

    //! E14: the post's numbers of warehouses at the published size only, where users are its own too; never by
    //! accident.
    void warehousesOfEachSize()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        const std::map<std::string, std::set<std::string>> expected{{"", {"1", "2", "10"}},
                                                                    {"quick", {"1", "2"}},
                                                                    {"laptop", {"1", "10"}},
                                                                    {"published", {"10", "300", "1000"}}};
        for (const auto& [size, warehouses] : expected) {
            Expected<Plan> plan = recipePlan("isolation-mariadb");
            QVERIFY(plan && (size.empty() || applySize(*plan, size)));
            const Expansion expansion = expand(*plan);
            std::set<std::string> seen;
            for (const PointSpec& point : expansion.points)
                seen.insert(std::to_string(integerOf(point.workload.params, "warehouses")));
            QVERIFY2(seen == warehouses, size.c_str());
            if (size == "published") { // as in the post 32 users at 10 warehouses alone
                QCOMPARE(expansion.points.size(), std::size_t(2 * (2 + 1 + 1)));
                for (const PointSpec& point : expansion.points)
                    QVERIFY(point.users() == 16 || integerOf(point.workload.params, "warehouses") == 10);
            } else {
                QCOMPARE(expansion.points.size(), warehouses.size() * 2 * plan->load.users.size());
            }
            QVERIFY(size != "published" || (plan->load.users == std::vector<int>{16, 32}));
        }
    }

    void poolsAgainstTheData_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<bool>("holdsAll"); // the largest pool has room for all data
        QTest::newRow("brokerage-mariadb") << "brokerage-mariadb" << true;
        QTest::newRow("large-values-mariadb") << "large-values-mariadb" << false;
    }
    //! E15, E16: whether pages are read is what these show. At each size the smallest pool is well below the data of
    //! each point.
    void poolsAgainstTheData()
    {
        QFETCH(QString, id);
        QFETCH(bool, holdsAll);
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        for (const char* size : {"", "quick", "laptop", "published"}) {
            Expected<Plan> plan = recipePlan(id.toStdString());
            QVERIFY(plan && (!*size || applySize(*plan, size)));
            std::vector<Plan> parts{*plan};
            if (const auto values = std::ranges::find(plan->axes, "values", &Axis::name); values != plan->axes.end()) {
                parts.clear();
                for (const Case& one : values->cases) {
                    QVERIFY(setField(parts.emplace_back(*plan), "axis.values", one.label));
                }
            }
            for (const Plan& part : parts) {
                const Expansion expansion = expand(part);
                std::set<std::int64_t> pools;
                for (const PointSpec& point : expansion.points)
                    pools.insert(integerOf(point.server, "innodb_buffer_pool_size"));
                const auto data = std::int64_t(expansion.estimatedBytes);
                const QString text = QString("%1: %2 bytes, pools from %3 to %4")
                                         .arg(size)
                                         .arg(data)
                                         .arg(*pools.begin())
                                         .arg(*pools.rbegin());
                QVERIFY2(*pools.begin() > 0 && *pools.begin() <= (holdsAll ? data * 2 / 3 : data / 4),
                         qPrintable(text));
                QVERIFY2(!holdsAll || *pools.rbegin() >= 2 * data, qPrintable(text));
            }
        }
    }

    //! The first card: what differs between its cases is the sync at commit, and there are intervals for its ratios.
    void theFirstCardIsAFairComparison()
    {
        const Expected<Plan> plan = recipePlan("durability-sqlite");
        QVERIFY(plan.has_value());
        const Expansion expansion = expand(*plan);
        QCOMPARE(expansion.points.size(), std::size_t(6));
        QVERIFY(plan->load.repeats >= 2);
        QVERIFY(plan->load.order == RunOrder::Interleaved);
        std::set<std::string> levels;
        for (const PointSpec& point : expansion.points) {
            QCOMPARE(textOf(point.connection, "journal_mode"), std::string("WAL"));
            QVERIFY(point.workload.params == expansion.points[0].workload.params);
            levels.insert(textOf(point.connection, "synchronous"));
        }
        QVERIFY((levels == std::set<std::string>{"FULL", "NORMAL", "OFF"}));
        QVERIFY(expansion.estimatedBytes < 20'000'000);
    }

    void anUnknownOneIsNamed()
    {
        const Expected<Plan> plan = recipePlan("durability-sqllite");
        QVERIFY(!plan.has_value());
        QVERIFY(plan.error().remedy.find("durability-sqlite") != std::string::npos);
    }
};

} // namespace dyno::tst_plan_recipes

DYNO_SUITE(tst_plan_recipes, dyno::tst_plan_recipes::TestPlanRecipes)
#include "tst_plan_recipes.moc"
