// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs in both executors: the same work is done, and users come back after a lost connection.
#include "executor_rig.h"
#include "support/suite.h"

namespace dyno::tst_executors {
using namespace dyno::test;

namespace {

//! Transactions of the first run that took longer than so many milliseconds.
int slowerThan(const RecordingSink& sink, double milliseconds)
{
    std::uint64_t count = 0;
    for (const IntervalSample& sample : sink.samples.front()) {
        for (const Histogram::Bucket& bucket : sample.transaction.service.buckets())
            count += double(hdr::lowestOf(bucket.index)) > milliseconds * 1e6 ? bucket.count : 0;
    }
    return int(count);
}

} // namespace

class TstExecutors : public QObject
{
    Q_OBJECT

private slots:
    void aBudgetIsDoneExactly_data() { addExecutors(); }
    void aBudgetIsDoneExactly()
    {
        QFETCH(ExecutorKind, executor);
        for (const char* uri : {"null:", "null:?pending=1"}) {
            Plan plan = planFor(executor, uri);
            plan.load.users = {7};
            plan.load.timeSeconds = 0;
            plan.load.events = 10'001;
            RecordingSink sink;
            runPlan(plan, {}, sink);
            QCOMPARE(only(sink).status, RunStatus::Done);
            QCOMPARE(only(sink).transactions, std::uint64_t(10'001));
            QVERIFY(
                hasEvent(sink, EventKind::Phase, executor == ExecutorKind::Loops ? "event loops" : "a thread each"));
        }
    }

    void manyUsersShareALoop()
    {
        Plan plan = planFor(ExecutorKind::Loops, "null:?pending=1&service_us=1000");
        plan.load.users = {2000};
        plan.load.timeSeconds = 0;
        plan.load.events = 20'000;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(only(sink).status, RunStatus::Done);
        QCOMPARE(only(sink).transactions, std::uint64_t(20'000));
        QVERIFY(only(sink).service.p50Ms >= 0.98); // a bucket's middle may lie below the value
    }

    //! A session that never lets go must not keep the others of its loop from running.
    void usersThatAnswerAtOnceTakeTurns()
    {
        Plan plan = planFor(ExecutorKind::Loops, "null:");
        plan.load.users = {50};
        plan.load.loops = 1;
        plan.load.timeSeconds = 0;
        plan.load.events = 50'000;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(only(sink).status, RunStatus::Done);
        QCOMPARE(only(sink).transactions, std::uint64_t(50'000));
    }

    void stoppingEndsPausesAndLongRequests_data() { addExecutors(); }
    void stoppingEndsPausesAndLongRequests()
    {
        QFETCH(ExecutorKind, executor);
        // One transaction an hour; the pause must not hold the end up.
        Plan plan = planFor(executor, "null:?pending=1");
        plan.load.arrival.thinkSeconds = 3600;
        plan.load.users = {5};
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(only(sink).status, RunStatus::Done);
        QCOMPARE(only(sink).transactions, std::uint64_t(0)); // the first one comes after a think time too
        // A user that waits for an arrival that never comes.
        plan.load.arrival = {};
        plan.load.arrival.model = ArrivalModel::Fixed;
        plan.load.arrival.rate = 0.001;
        RecordingSink rare;
        runPlan(plan, {}, rare);
        QCOMPARE(only(rare).status, RunStatus::Done);
        QCOMPARE(only(rare).transactions, std::uint64_t(1)); // the first arrival is due at once
    }

    //! A budget is done exactly, and a transaction that is tried again does not wait for the keying of 0.1 s and more.
    void pausesKeepBudgetsAndRetries_data() { addExecutors(); }
    void pausesKeepBudgetsAndRetries()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = pacedPlan(executor, "null:?pending=1&fail_every=90&fail_as=retryable", 0.05);
        plan.load.users = {4};
        plan.load.timeSeconds = 0;
        plan.load.events = 24;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QVERIFY2(only(sink).status == RunStatus::Done, only(sink).reason.c_str());
        QCOMPARE(only(sink).transactions, std::uint64_t(24));
        const int retried = int(only(sink).retried), late = slowerThan(sink, 100);
        // A busy machine may hold some of them up, a keying would all of them.
        QVERIFY2(retried > 3 && late < retried, qPrintable(QString("%1 of %2").arg(late).arg(retried)));
        QVERIFY(only(sink).seconds >= 0.6); // six keyings of 0.1 s
    }

    //! Nobody waits for a keying of seconds that the end of the run cuts short; an open loop has no use for one.
    void pausesEndWithTheRun_data() { addExecutors(); }
    void pausesEndWithTheRun()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = pacedPlan(executor, "null:?pending=1", 1);
        plan.load.users = {16}; // about seven of them begin with a new order: 18 s
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(only(sink).status, RunStatus::Done);
        QCOMPARE(only(sink).transactions, std::uint64_t(0));
        QVERIFY(hasEvent(sink, EventKind::Note, "nothing was measured"));
        QVERIFY2(only(sink).seconds < 15, qPrintable(QString::number(only(sink).seconds)));
        QVERIFY(checkPlan(plan).empty());
        plan.load.arrival.model = ArrivalModel::Poisson;
        plan.load.arrival.rate = 10;
        const Faults faults = checkPlan(plan);
        QCOMPARE(faults.size(), std::size_t(1));
        QVERIFY2(faults.front().remedy.find("keying_time") != std::string::npos, faults.front().remedy.c_str());
    }

    void anOpenLoopWithABudgetEndsWithIt_data() { addExecutors(); }
    void anOpenLoopWithABudgetEndsWithIt()
    {
        QFETCH(ExecutorKind, executor);
        // 50 users, 20 arrivals, 100 a second: the run must not wait for arrivals beyond its last one.
        Plan plan = openPlan(executor, "null:?pending=1", 50, 100);
        plan.load.timeSeconds = 0;
        plan.load.events = 20;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(only(sink).transactions, std::uint64_t(20));
        QCOMPARE(only(sink).arrivals, std::uint64_t(20));
    }

    void aLostConnectionIsTriedAgain_data() { addExecutors(); }
    void aLostConnectionIsTriedAgain()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = planFor(executor, "null:?pending=1&fail_every=100&fail_as=disconnected");
        plan.load.users = {3};
        plan.load.timeSeconds = 0;
        plan.load.events = 3000;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        const RunSummary& run = only(sink);
        QCOMPARE(run.status, RunStatus::Done);
        QCOMPARE(run.failed, std::uint64_t(30));     // one of a hundred requests of each user
        QCOMPARE(run.reconnects, std::uint64_t(30)); // the last of them too: connecting again comes before the end
        QCOMPARE(run.transactions, std::uint64_t(2970));
        QVERIFY(hasEvent(sink, EventKind::Reconnect, "users without a connection"));
    }

    //! In an open loop the response time counts from the arrival, whatever the sample leaves out.
    void retriesAreInTheResponseTime_data() { addExecutors(); }
    void retriesAreInTheResponseTime()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = openPlan(executor, "null:?pending=1&service_us=40000&fail_every=2", 1, 10);
        plan.workload = retrying(false);
        plan.load.timeSeconds = 0;
        plan.load.events = 10;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        const RunSummary& run = only(sink);
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        QCOMPARE(run.retried, std::uint64_t(9));
        const double extraMs = run.response.meanMs - run.service.meanMs;
        QVERIFY2(extraMs > 0.8 * 40, QByteArray::number(extraMs).constData());
    }

    void noReconnectMeansTheRunFails_data() { addExecutors(); }
    void noReconnectMeansTheRunFails()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = planFor(executor, "null:?fail_every=100&fail_as=disconnected");
        plan.load.reconnectSeconds = 0;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(only(sink).status, RunStatus::Failed);
        QVERIFY(only(sink).reason.find("lost the connection") != std::string::npos);
        QVERIFY(only(sink).transactions >= 99);
    }

    void aFailedRunCountsWhatEndedBefore_data() { addExecutors(); }
    void aFailedRunCountsWhatEndedBefore()
    {
        QFETCH(ExecutorKind, executor);
        // With this seed the first user's requests take 0.349 s and 0.034 s, and the second fails; the other user's
        // first takes 3.734 s: it succeeds long after the end of the run.
        Plan plan = planFor(executor,
                            "null:?pending=1&service_us=2000000&service_dist=uniform&service_spread=1&service_seed=346"
                            "&fail_every=2&fail_as=disconnected");
        plan.workload = retrying(false);
        plan.load.reconnectSeconds = 0;
        plan.load.timeSeconds = 60;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(only(sink).status, RunStatus::Failed);
        std::uint64_t succeeded = 0, failed = 0;
        for (const IntervalSample& sample : sink.samples.front()) {
            succeeded += sample.transaction.count;
            failed += sample.transaction.errors;
        }
        QCOMPARE(succeeded, std::uint64_t(1));
        QCOMPARE(failed, std::uint64_t(1));
        QCOMPARE(only(sink).transactions, std::uint64_t(1));
        QVERIFY2(only(sink).seconds < 30, qPrintable(QString::number(only(sink).seconds)));
    }

    void rowsEndARun()
    {
        Plan plan = planFor(ExecutorKind::Threads, "null:");
        plan.workload.name = "oltp_update_index";
        plan.load.timeSeconds = 0;
        plan.load.rows = 1000;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(only(sink).status, RunStatus::Done);
        QVERIFY(only(sink).rows >= 1000);
        QVERIFY(hasEvent(sink, EventKind::Note, "rows"));
    }

    void aFailedObjectiveEndsARun()
    {
        Plan plan = planFor(ExecutorKind::Threads, "null:?service_us=5000");
        plan.load.objective = {50, 1};
        plan.load.stopOnObjective = true;
        plan.load.steady.windowSeconds = 0.5;
        plan.load.timeSeconds = 60;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QVERIFY(only(sink).seconds < 30);
        QVERIFY(hasEvent(sink, EventKind::Note, "p50 <= 1ms does not hold"));
    }

    void searchThatFindsNothingSaysSo()
    {
        Plan plan = planFor(ExecutorKind::Threads, "null:?service_us=5000");
        plan.load.objective = {50, 1};
        plan.load.search = {Search::What::Users, 1, 8, 0.3, 0.1, 1};
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(only(sink).status, RunStatus::Failed);
        QVERIFY(only(sink).reason.find("does not hold even at 1 user") != std::string::npos);
        QVERIFY(!sink.samples.front().empty());
    }
};

} // namespace dyno::tst_executors

DYNO_SUITE(tst_executors, dyno::tst_executors::TstExecutors)
#include "tst_executors.moc"
