// SPDX-License-Identifier: GPL-3.0-or-later
// Workloads that are a list of timed steps: each is done, measured by itself and told of; one that fails ends the run
// by its name; what makes no sense for them is refused.
#include "driver/driver.h"
#include "engine/recording_sink.h"
#include "support/suite.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <ranges>

namespace dyno::tst_steps {
using namespace dyno::test;

namespace {

Plan stepsPlan(const std::string& uri)
{
    Plan plan = smallPlan(uri, "fulltext");
    plan.workload.params = {{"documents", std::int64_t(300)}, {"rounds", std::int64_t(4)}};
    plan.load.users = {1};
    return plan;
}

const OperationSummary& operation(const RunSummary& run, std::string_view name)
{
    return *std::ranges::find(run.operations, name, &OperationSummary::name);
}

} // namespace

class TstSteps : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

private slots:
    void initTestCase() { QVERIFY(m_dir.isValid()); }

    void eachStepIsMeasured()
    {
        Plan plan = stepsPlan("sqlite:");
        plan.load.repeats = 2;
        plan.load.timeSeconds = 1000; // expected, not waited for
        RunnerOptions options;
        options.workDir = m_dir.path().toStdString();
        RecordingSink sink;
        runPlan(plan, options, sink);
        QCOMPARE(QString::fromStdString(sink.session.reason), QString());
        QCOMPARE(sink.summaries.size(), std::size_t(2));
        for (const RunSummary& run : sink.summaries) {
            QVERIFY(run.status == RunStatus::Done && run.seconds < 100);
            QCOMPARE(run.transactions, std::uint64_t(2 + 4 * 4 + 2));
            QCOMPARE(run.rows, std::uint64_t(300));
            for (const auto& [name, count] :
                 {std::pair("load", 1), std::pair("load_with_index", 0), std::pair("add_index", 1),
                  std::pair("phrase", 4), std::pair("drop_index", 1)})
                QCOMPARE(operation(run, name).count, std::uint64_t(count));
            const LatencySummary& phrase = operation(run, "phrase").service;
            QVERIFY(phrase.minMs > 0 && phrase.minMs <= phrase.meanMs * 1.016 && phrase.meanMs <= phrase.maxMs);
        }
        std::vector<std::string> told;
        for (const RunEvent& event : sink.events.front()) {
            if (event.kind == EventKind::Note)
                told.push_back(event.text.substr(0, event.text.rfind(": ")) + (event.lengthNs > 0 ? " took" : ""));
        }
        const std::vector<std::string> wanted{"step 1 of 8",    "load took",   "step 2 of 8",
                                              "add_index took", "step 3 of 8", "natural, 4 times took"};
        QVERIFY(told.size() == 16 && std::ranges::equal(wanted, told | std::views::take(6)));
        // The second run is expected to take what the first one took.
        const auto before =
            std::ranges::find_if(sink.progress, [](const ProgressReport& report) { return report.run == 1; });
        QVERIFY(before != sink.progress.end() && before->secondsLeft >= 0 && before->secondsLeft < 100);
    }

    //! The list of schema changes is done once a round, on a copy that is gone afterwards.
    void schemaChanges()
    {
        const std::string file = m_dir.filePath("changes.db").toStdString();
        Plan plan = smallPlan("sqlite:" + file, "oltp_ddl");
        plan.workload.params = {{"table_size", std::int64_t(2000)}, {"rounds", std::int64_t(3)}};
        plan.load.users = {1};
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(QString::fromStdString(sink.session.reason), QString());
        const RunSummary& run = sink.summaries.at(0);
        QCOMPARE(run.operations.size(), std::size_t(9));
        for (const OperationSummary& step : run.operations)
            QCOMPARE(step.name + " " + std::to_string(step.count), step.name + " 3");
        QCOMPARE(run.rows, std::uint64_t(3 * 2000)); // that were copied
        ConnectTarget target;
        target.uri = *parseUri("sqlite:" + file);
        auto admin = driverFor("sqlite")->admin(target);
        QVERIFY(admin);
        const auto left = (*admin)->query("SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_master WHERE "
                                          "name LIKE 'sbtest%' OR name LIKE 'dynobench_c%' OR "
                                          "name IN ('added', 'k_1') ORDER BY name)");
        QVERIFY(left);
        QCOMPARE(left->at(0).at(0), std::string("k_1 sbtest1"));
        // Once more, with what a run that was killed has left.
        QVERIFY((*admin)->execute("CREATE TABLE dynobench_copy (x)"));
        plan.workload.params["rounds"] = std::int64_t(1);
        RecordingSink again;
        runPlan(plan, {}, again);
        QVERIFY2(again.summaries.at(0).status == RunStatus::Done, again.summaries.at(0).reason.c_str());
        QCOMPARE((*admin)->query("SELECT COUNT(*) FROM sqlite_master WHERE name = 'dynobench_copy'")->at(0).at(0),
                 std::string("0"));
    }

    //! The documents are there already, and may not be replaced.
    void aFailedStepEndsTheRunByItsName()
    {
        Plan plan = stepsPlan("sqlite:" + m_dir.filePath("kept.db").toStdString());
        RecordingSink first;
        runPlan(plan, {}, first);
        QVERIFY(first.session.status == RunStatus::Done);
        plan.workload.prepare = PreparePolicy::Never;
        RecordingSink refused;
        runPlan(plan, {}, refused);
        QVERIFY2(refused.summaries.at(0).reason.find("the keys that a run inserts are there already") !=
                     std::string::npos,
                 refused.summaries.at(0).reason.c_str());
        plan.workload.prepare = PreparePolicy::Use;
        RecordingSink again;
        runPlan(plan, {}, again);
        const RunSummary& run = again.summaries.at(0);
        QVERIFY(run.status == RunStatus::Failed);
        QVERIFY2(run.reason.starts_with("the step load failed: UNIQUE constraint failed"), run.reason.c_str());
        QCOMPARE(operation(run, "load").errors, std::uint64_t(1));
        QCOMPARE(operation(run, "add_index").count, std::uint64_t(0));
    }

    void stoppedInTheMiddle()
    {
        Plan plan = stepsPlan("sqlite:");
        plan.workload.params["documents"] = std::int64_t(5'000'000);
        RunnerOptions options;
        options.workDir = m_dir.path().toStdString();
        RecordingSink sink;
        SessionRunner runner(plan, options, {&sink});
        sink.sampleHook = [&](const IntervalSample& sample) {
            if (sample.rows > 0)
                runner.stop();
        };
        runner.start();
        runner.wait();
        QVERIFY(sink.summaries.at(0).status == RunStatus::Stopped);
        QVERIFY(sink.summaries.at(0).rows > 0);
    }

    void whatMakesNoSenseIsRefused()
    {
        Plan plan = stepsPlan("sqlite:");
        QVERIFY(checkPlan(plan).empty());
        plan.load.timeSeconds = 0; // ends by itself
        QVERIFY(checkPlan(plan).empty());
        plan.load.users = {2};
        plan.load.warmupSeconds = 1;
        plan.load.events = 5;
        std::vector<std::string> where;
        for (const Fault& fault : checkPlan(plan))
            where.push_back(fault.where);
        QCOMPARE(where, (std::vector<std::string>{"load.users", "load.warmup", "load.events"}));
    }
};

} // namespace dyno::tst_steps

DYNO_SUITE(tst_steps, dyno::tst_steps::TstSteps)
#include "tst_steps.moc"
