// SPDX-License-Identifier: GPL-3.0-or-later
// What oltp_ddl leaves on somebody's server: nothing, also when its run is stopped or fails in the middle.
#include "contract/sql_places.h"
#include "engine/recording_sink.h"
#include "load/data/dataset.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <QTest>

#include <algorithm>

namespace dyno::tst_schema_changes {
using namespace dyno::test;

class TstSchemaChanges : public QObject
{
    Q_OBJECT
    SqlPlaces m_places;

    SqlPlace& fetched()
    {
        QFETCH(int, place);
        return m_places.all[std::size_t(place)];
    }
    void everyPlace()
    {
        QTest::addColumn<int>("place");
        for (std::size_t i = 0; i < m_places.all.size(); ++i)
            QTest::newRow(m_places.all[i].name.c_str()) << int(i);
    }
    //! As far into the list, in finished steps, as runs are stopped; where a sample is taken decides how many more it
    //! is.
    static constexpr std::uint64_t kStops[]{1, 4, 8, 15, 30};

    static Plan changes(const SqlPlace& place, std::int64_t rounds)
    {
        Plan plan = smallPlan(place.target.uri.display(), "oltp_ddl");
        plan.workload.params = {{"table_size", std::int64_t(2000)}, {"rounds", rounds}};
        plan.load.users = {1};
        return plan;
    }
    //! The loaded table is as it was, and there is no copy of it.
    static void isAsBefore(SqlPlace& place)
    {
        const auto rows = place.admin->query("SELECT COUNT(*) FROM sbtest1");
        QVERIFY(rows);
        QCOMPARE(rows->at(0).at(0), std::string("2000"));
        const auto copy = place.admin->describe("dynobench_copy");
        QVERIFY(copy);
        QVERIFY2(copy->empty(), "the copy is still there");
    }
    static void drop(SqlPlace& place)
    {
        QVERIFY(dropDataset(*place.admin, *test::bind("oltp_ddl", {}, place.driver), 1, true));
    }

private slots:
    void initTestCase() { DYNO_START_PLACES(m_places, false, .postgresql = false); }
    void cleanupTestCase() { m_places.stop(); }

    void everyProductTakesPart() { DYNO_TEST_ALL_PLACES(m_places); }

    void stoppedInTheMiddle_data() { everyPlace(); }
    //! Wherever the list is then, most of which works on the copy.
    void stoppedInTheMiddle()
    {
        SqlPlace& place = fetched();
        Plan plan = changes(place, 1000);
        for (const bool threads : {true, false}) {
            if (place.driver == "sqlite" && !threads)
                continue; // a call into SQLite blocks: it has threads only
            if (place.driver != "sqlite")
                plan.load.executor = threads ? ExecutorKind::Threads : ExecutorKind::Loops;
            for (const std::uint64_t stop : kStops) {
                RecordingSink sink;
                SessionRunner runner(plan, {}, {&sink});
                std::uint64_t steps = 0;
                sink.sampleHook = [&](const IntervalSample& sample) {
                    for (const auto& op : sample.ops)
                        steps += op.count;
                    if (steps >= stop)
                        runner.stop();
                };
                runner.start();
                runner.wait();
                QCOMPARE(sink.summaries.size(), std::size_t(1));
                QVERIFY2(sink.summaries.at(0).status == RunStatus::Stopped, sink.summaries.at(0).reason.c_str());
                isAsBefore(place);
                if (QTest::currentTestFailed())
                    return;
            }
        }
        drop(place);
    }

    void failedInTheMiddle_data() { everyPlace(); }
    //! SQLite has an index of that name already; MyISAM cannot add one in place.
    void failedInTheMiddle()
    {
        SqlPlace& place = fetched();
        Plan plan = changes(place, 2);
        if (place.driver == "sqlite") {
            QVERIFY(place.admin->execute("CREATE TABLE in_the_way (x)"));
            QVERIFY(place.admin->execute("CREATE INDEX added ON in_the_way (x)"));
        } else {
            plan.workload.params["algorithm"] = std::string("inplace");
            plan.set["table.engine"] = std::string("MyISAM");
        }
        RecordingSink sink;
        RunnerOptions options;
        options.consent.allow("target.uri"); // the table in the way is not Dynobench's
        runPlan(plan, options, sink);
        QCOMPARE(sink.summaries.size(), std::size_t(1));
        const RunSummary& run = sink.summaries.at(0);
        QVERIFY(run.status == RunStatus::Failed);
        QVERIFY2(run.reason.starts_with("the step add_index failed"), run.reason.c_str());
        isAsBefore(place);
        if (place.driver == "sqlite")
            QVERIFY(place.admin->execute("DROP TABLE in_the_way"));
        drop(place);
    }
};

} // namespace dyno::tst_schema_changes

DYNO_SUITE(tst_schema_changes, dyno::tst_schema_changes::TstSchemaChanges)
#include "tst_schema_changes.moc"
