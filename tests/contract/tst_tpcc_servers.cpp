// SPDX-License-Identifier: GPL-3.0-or-later
// The TPC-C-like workload as whole runs, loaded by several sessions and driven by several users, on every SQL product
// at hand: isolation levels and foreign keys as asked for, rollbacks counted apart, new orders a minute, and the
// conditions afterwards.
#include "contract/sql_places.h"
#include "driver/postgresql/postgresql_codes.h"
#include "engine/recording_sink.h"
#include "load/data/dataset.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <dyno/report.h>

#include <QTest>

#include <cmath>
#include <set>

namespace dyno::tst_tpcc_servers {
using namespace dyno::test;

namespace {

const Settings kParams{{"warehouses", std::int64_t(8)}, {"customers", std::int64_t(30)}, {"items", std::int64_t(100)}};

} // namespace

class TstTpccServers : public QObject
{
    Q_OBJECT

    using Place = SqlPlace;
    SqlPlaces m_places;

    //! Levels of the users' transactions, as far as the server says them. PostgreSQL has predicate locks of those that
    //! are serializable alone.
    static std::set<std::string> levelsNow(Place& place)
    {
        // Those of users: InnoDB's own threads (statistics, purge) have transactions too, with levels of their own.
        const auto rows = place.admin->query(
            place.driver == "postgresql"
                ? "SELECT DISTINCT 'SERIALIZABLE' FROM pg_locks WHERE mode = 'SIReadLock'"
                : "SELECT DISTINCT trx_isolation_level FROM information_schema.innodb_trx WHERE trx_mysql_thread_id IN "
                  "(SELECT id FROM information_schema.processlist WHERE db = DATABASE())");
        std::set<std::string> levels;
        for (const auto& row : rows.value_or(TextRows()))
            levels.insert(row.front());
        return levels;
    }
    //! Of locks and of what others have changed: tried again.
    static bool isTriedAgain(const Place& place, std::int32_t code)
    {
        if (place.driver == "postgresql")
            return code == postgresql::codeOf("40001") || code == postgresql::codeOf("40P01");
        return code == 1213 || code == 1205 || code == 1020;
    }
    static std::string cell(Place& place, const std::string& query)
    {
        const auto rows = place.admin->query(query);
        return !rows ? rows.error().text() : rows->empty() ? std::string("(no row)") : rows->front().front();
    }

private slots:
    void initTestCase() { DYNO_START_PLACES(m_places, false); }
    void cleanupTestCase() { m_places.stop(); }

    void everyProductTakesPart() { DYNO_TEST_ALL_PLACES(m_places); }

    void runs_data()
    {
        QTest::addColumn<int>("place");
        QTest::addColumn<QString>("isolation");
        for (std::size_t i = 0; i < m_places.all.size(); ++i) {
            if (m_places.all[i].driver == "sqlite") {
                QTest::addRow("%s", m_places.all[i].name.c_str()) << int(i) << QString();
                continue;
            }
            for (const char* level : {"READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"}) {
                if (m_places.all[i].name != "MariaDB" && QString(level) == "REPEATABLE-READ")
                    continue; // MySQL's default; PostgreSQL does not say who has it; and time
                QTest::addRow("%s, %s", m_places.all[i].name.c_str(), level) << int(i) << level;
            }
        }
    }
    void runs()
    {
        QFETCH(int, place);
        QFETCH(QString, isolation);
        Place& there = m_places.all[std::size_t(place)];
        const bool server = there.driver != "sqlite", postgresql = there.driver == "postgresql";
        const std::string level = QString(isolation).replace('-', ' ').toStdString();
        Plan plan = smallPlan(there.target.uri.display(), "tpcc");
        plan.workload.params = kParams;
        plan.workload.params["foreign_keys"] = server;
        plan.load.users = {4};
        plan.load.loaders = 4;
        plan.load.timeSeconds = 2;
        if (server)
            plan.set["connection.isolation"] = postgresql ? level : isolation.toStdString();
        std::set<std::string> levels;
        RecordingSink sink;
        sink.sampleHook = [&](const IntervalSample&) {
            if (!server)
                return;
            levels.merge(levelsNow(there));
        };
        runPlan(plan, {}, sink);
        QCOMPARE(QString::fromStdString(sink.session.reason), QString());
        const RunSummary& run = sink.summaries.at(0);
        if (server) {
            const bool isSaid = !postgresql || level == "SERIALIZABLE";
            QCOMPARE(levels, isSaid ? std::set<std::string>{level} : std::set<std::string>());
            QCOMPARE(cell(there, "SELECT COUNT(*) FROM information_schema.referential_constraints WHERE "
                                 "constraint_schema = " +
                                     std::string(postgresql ? "CURRENT_SCHEMA" : "DATABASE()") +
                                     " AND constraint_name LIKE 'fkey_tpcc_%'"),
                     std::string("10"));
            const auto orphan =
                there.admin->execute("INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (9999, 1, 1)");
            QVERIFY(!orphan && orphan.error().text().find("foreign key") != std::string::npos);
        }
        // New orders that were rolled back are no errors: one in a hundred.
        const OperationSummary& orders = run.operations.at(0);
        QCOMPARE(orders.name, std::string("new_order"));
        QVERIFY(orders.count > 0); // how many is the machine's affair
        const double expected = double(orders.count) / 100;
        QVERIFY2(std::abs(double(run.rollbacks) - expected) < 4.5 * std::sqrt(expected) + 1,
                 qPrintable(QString::number(run.rollbacks)));
        for (const auto& [code, count] : run.errors) // of locks, and tried again
            QVERIFY2(isTriedAgain(there, code) || !server, run.errorTexts.at(code).c_str());
        QCOMPARE(run.failed, std::uint64_t(0));
        const auto perMinute = measureOf(run, {}, "per_minute:new_order");
        QVERIFY(perMinute && std::abs(*perMinute - double(orders.count) / run.seconds * 60) < 1e-6 * *perMinute);
        // What the run says it did is what is there: the load made 30 orders in each of 80 districts.
        const double written = std::stod(cell(there, "SELECT SUM(d_next_o_id - 31) FROM district"));
        QVERIFY2(written >= double(orders.count - run.rollbacks) &&
                     written <= double(orders.count - run.rollbacks + 4 * 5),
                 qPrintable(QString("%1, counted %2 less %3").arg(written).arg(orders.count).arg(run.rollbacks)));
        const auto instance = test::bind("tpcc", plan.workload.params, there.driver);
        const auto conditions = checkDataset(*there.admin, *instance, 1, {});
        QVERIFY(conditions);
        QCOMPARE(conditions->size(), std::size_t(10));
        for (const ConditionResult& one : *conditions)
            QVERIFY2(one.error.empty() && one.violations == 0, one.name.c_str());
        QVERIFY(dropDataset(*there.admin, *instance, 1, true));
    }

    //! Sessions load warehouses side by side, and the progress counts them.
    void warehousesAreLoadedSideBySide()
    {
        Settings params = kParams;
        params["customers"] = std::int64_t(300); // long enough to be asked in between on any machine
        params["history_key"] = true;
        for (Place& place : m_places.all) {
            const auto instance = test::bind("tpcc", params, place.driver);
            std::vector<std::string> warnings;
            DatasetJob job{.driver = *driverFor(place.driver),
                           .admin = *place.admin,
                           .target = place.target,
                           .workload = *instance,
                           .policy = PreparePolicy::Always,
                           .seed = 3};
            job.loaders = 4;
            std::uint64_t before = 0;
            bool told = false, grows = true;
            const auto loaded = ensureDataset(
                job,
                [&](const LoadProgress& now) {
                    grows = grows && now.rows >= before && now.rows <= now.totalRows;
                    before = now.rows;
                    told = told || (now.parts == 8 && now.part == "warehouse" &&
                                    toText(now).find("of 8 warehouses") != std::string::npos);
                    return true;
                },
                warnings);
            QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
            QVERIFY(grows);
            QVERIFY2(told, place.driver.c_str());
            // Each row of the history has a number of its own.
            const auto keys = place.admin->query("SELECT COUNT(*), COUNT(DISTINCT id) FROM history WHERE id > 0");
            QVERIFY2(keys, keys ? "" : keys.error().text().c_str());
            QCOMPARE(keys->at(0), (std::vector<std::string>{"24000", "24000"}));
            QVERIFY(dropDataset(*place.admin, *instance, 1, true));
        }
    }
};

} // namespace dyno::tst_tpcc_servers

DYNO_SUITE(tst_tpcc_servers, dyno::tst_tpcc_servers::TstTpccServers)
#include "tst_tpcc_servers.moc"
