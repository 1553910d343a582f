// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs in both executors: the same work is done, users come back after a lost connection, arrivals are kept.
#include "recording_sink.h"
#include "support/suite.h"
#include <dyno/report.h>

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace dyno;
using namespace dyno::test;

namespace {

const RunSummary& only(const RecordingSink& sink)
{
    return sink.summaries.front();
}

Plan planFor(ExecutorKind executor, const std::string& uri)
{
    Plan plan = smallPlan(uri);
    plan.load.executor = executor;
    return plan;
}

//! The same in an open loop with even gaps.
Plan openPlan(ExecutorKind executor, const std::string& uri, int users, double rate)
{
    Plan plan = planFor(executor, uri);
    plan.load.users = {users};
    plan.load.arrival.model = ArrivalModel::Fixed;
    plan.load.arrival.rate = rate;
    plan.load.timeSeconds = 1;
    return plan;
}

//! A workload whose users key, at a share of the specification's times.
Plan pacedPlan(ExecutorKind executor, const std::string& uri, double keying)
{
    Plan plan = planFor(executor, uri);
    plan.workload.name = "tpcc";
    plan.workload.params = {{"customers", std::int64_t(30)}, {"items", std::int64_t(100)}, {"keying_time", keying}};
    return plan;
}

//! Begins with empty tables: a load could fail.
WorkloadSpec retrying(bool inside)
{
    WorkloadSpec workload;
    workload.name = "oltp_insert";
    workload.params = {{"auto_inc", false}, {"retry_sample", std::string(inside ? "inside" : "outside")}};
    return workload;
}

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

double middleOf(std::vector<double> values)
{
    std::ranges::sort(values);
    return values.at(values.size() / 2);
}

bool hasEvent(const RecordingSink& sink, EventKind kind, const char* text)
{
    for (const RunEvent& event : sink.events.front()) {
        if (event.kind == kind && event.text.find(text) != std::string::npos)
            return true;
    }
    return false;
}

} // namespace

class TstExecutors : public QObject
{
    Q_OBJECT

    void bothExecutors()
    {
        QTest::addColumn<ExecutorKind>("executor");
        QTest::newRow("threads") << ExecutorKind::Threads;
        QTest::newRow("loops") << ExecutorKind::Loops;
    }

private slots:
    void aBudgetIsDoneExactly_data() { bothExecutors(); }
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
            QVERIFY(hasEvent(sink, EventKind::Phase, executor == ExecutorKind::Loops ? "event loops" : "a thread each"));
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

    void stoppingEndsPausesAndLongRequests_data() { bothExecutors(); }
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

    void thinkTimeBoundsTheThroughput_data() { bothExecutors(); }
    void thinkTimeBoundsTheThroughput()
    {
        QFETCH(ExecutorKind, executor);
        // The interactive response time law: X = N / (R + Z) ≤ N / Z (Denning and Buzen 1978).
        Plan plan = planFor(executor, "null:?pending=1");
        plan.load.users = {20};
        plan.load.arrival.thinkSeconds = 0.02;
        plan.load.timeSeconds = 1;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QVERIFY2(only(sink).tps <= 1001, qPrintable(QString::number(only(sink).tps)));
        QVERIFY2(only(sink).tps > 300, qPrintable(QString::number(only(sink).tps)));
    }

    //! Keying and think times at a five-hundredth: ten users of a warehouse do 12.86 × 500 new orders a minute at most, and no
    //! response time holds a pause (the shortest are 4 ms).
    void pausesOfAWorkloadAreOutsideItsTransactions_data() { bothExecutors(); }
    void pausesOfAWorkloadAreOutsideItsTransactions()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = pacedPlan(executor, "null:?pending=1", 0.002);
        plan.workload.params["think_time"] = 0.002;
        plan.load.users = {10};
        plan.load.timeSeconds = 2;
        QString seen;
        for (int attempt = 0; attempt < 5; ++attempt) { // a machine that stands still for a second does less
            RecordingSink sink;
            runPlan(plan, {}, sink);
            QCOMPARE(only(sink).status, RunStatus::Done);
            const double orders = double(only(sink).operations.front().count), most = 12.86 * 500 / 60 * only(sink).seconds;
            const double median = std::max(only(sink).service.p50Ms, only(sink).response.p50Ms);
            seen += QString("%1 of %2, %3 ms; ").arg(orders).arg(most).arg(median);
            QVERIFY2(orders < most + 5 * std::sqrt(most), qPrintable(seen));
            if (orders > most / 2 && median < 4)
                return;
        }
        QFAIL(qPrintable(seen));
    }

    //! A budget is done exactly, and a transaction that is tried again does not wait for the keying of 0.1 s and more.
    void pausesKeepBudgetsAndRetries_data() { bothExecutors(); }
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
    void pausesEndWithTheRun_data() { bothExecutors(); }
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

    void openLoopServesEveryArrival_data() { bothExecutors(); }
    void openLoopServesEveryArrival()
    {
        QFETCH(ExecutorKind, executor);
        for (const ArrivalModel model : {ArrivalModel::Fixed, ArrivalModel::Poisson}) {
            Plan plan = openPlan(executor, "null:?pending=1", 8, 2000);
            plan.load.arrival.model = model;
            RecordingSink sink;
            runPlan(plan, {}, sink);
            const RunSummary& run = only(sink);
            QCOMPARE(run.status, RunStatus::Done);
            QCOMPARE(run.dropped, std::uint64_t(0));
            // Counted at the end of each interval. One of them may be read late, clock and counters apart: the middle one tells.
            double seconds = 0, arrivals = 0, done = 0;
            std::vector<double> offRate, unserved;
            for (const IntervalSample& sample : sink.samples.front()) {
                seconds += double(sample.lengthNs) * 1e-9;
                arrivals += double(sample.arrivals);
                done += double(sample.transaction.count);
                offRate.push_back(std::abs(arrivals - 2000 * seconds));
                unserved.push_back(std::abs(arrivals - done - double(sample.backlog)));
            }
            QCOMPARE(double(run.arrivals), arrivals);
            QCOMPARE(double(run.transactions), done);
            const double deviation = model == ArrivalModel::Fixed ? 20 : 5 * std::sqrt(2000.0) + 20;
            QVERIFY2(middleOf(offRate) <= deviation, qPrintable(QString::number(middleOf(offRate))));
            QVERIFY2(middleOf(unserved) <= 8 + 20, qPrintable(QString::number(middleOf(unserved)))); // under way with the users
            QVERIFY(run.response.meanMs >= run.service.meanMs);
        }
    }

    void anOpenLoopWithABudgetEndsWithIt_data() { bothExecutors(); }
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

    //! What is measured after a warm-up is the budget, but for what ends in the moment between the warm-up's last
    //! sample and the order to count: some milliseconds at 16 000 transactions a second.
    void aBudgetAfterAWarmUpIsKept_data() { bothExecutors(); }
    void aBudgetAfterAWarmUpIsKept()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = planFor(executor, "null:?pending=1&service_us=500");
        plan.load.users = {8};
        plan.load.warmupSeconds = 0.3;
        plan.load.timeSeconds = 0;
        plan.load.events = 803;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QVERIFY2(only(sink).transactions < 2 * 803 && only(sink).transactions >= 803 - 8, qPrintable(QString::number(only(sink).transactions)));
    }

    //! One user with a service time of 2 ms gets 1000 arrivals a second: a D/D/1 queue at twice its capacity. The k-th
    //! transaction waits k ms: after a second the response time is half a second, the service time still 2 ms.
    void overloadShowsInTheResponseTimeOnly_data() { bothExecutors(); }
    void overloadShowsInTheResponseTimeOnly()
    {
        QFETCH(ExecutorKind, executor);
        const Plan plan = openPlan(executor, "null:?pending=1&service_us=2000", 1, 1000);
        RecordingSink sink;
        runPlan(plan, {}, sink);
        const RunSummary& run = only(sink);
        QVERIFY(run.service.p50Ms < 100);
        QVERIFY2(run.response.maxMs >= 450, qPrintable(QString::number(run.response.maxMs)));
        QVERIFY(run.response.p50Ms > 100);
        QVERIFY(sink.samples.front().back().backlog >= 400);
    }

    //! At twice its capacity after a warm-up. What waits was not served, though in the measured time one was for each that the
    //! warm-up had left; and in a full waiting room it is all of it, though as many went as came.
    void whatWaitsAtTheEndIsTold_data() { bothExecutors(); }
    void whatWaitsAtTheEndIsTold()
    {
        QFETCH(ExecutorKind, executor);
        const auto unserved = [&](std::uint64_t room, RecordingSink& sink) {
            Plan plan = openPlan(executor, "null:?pending=1&service_us=2000", 1, 1000);
            plan.load.warmupSeconds = 1;
            plan.load.arrival.backlog = room;
            runPlan(plan, {}, sink);
            StoredSession session;
            session.header = sink.header;
            StoredRun& run = session.runs.emplace_back();
            run.summary = only(sink);
            return unservedArrivals(session, run);
        };
        RecordingSink growing, full;
        const std::uint64_t waiting = unserved(100'000, growing);
        const RunSummary& run = only(growing);
        QCOMPARE(waiting, growing.samples.front().back().backlog);
        // All that came in both phases and did not end; a busy machine may read one counter a while after the other.
        std::uint64_t came = 0, ended = 0;
        for (const IntervalSample& sample : growing.samples.front()) {
            came += sample.arrivals;
            ended += sample.transaction.count + sample.transaction.errors;
        }
        QVERIFY2(waiting + ended + 400 >= came && waiting + ended <= came + 400,
                 qPrintable(QString("%1 waiting, %2 of %3 ended").arg(waiting).arg(ended).arg(came)));
        // 1000 arrivals in the warm-up, at most 500 of them served.
        QVERIFY2(waiting >= run.arrivals - run.transactions + 150, qPrintable(QString::number(waiting)));
        const std::uint64_t held = unserved(10, full);
        QVERIFY2(only(full).dropped > 300 && held >= 5 && held <= 11, qPrintable(QString::number(held)));
    }

    void aFullWaitingRoomDropsAndCounts_data() { bothExecutors(); }
    void aFullWaitingRoomDropsAndCounts()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = openPlan(executor, "null:?pending=1&service_us=10000", 1, 2000);
        plan.load.arrival.backlog = 10;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        const RunSummary& run = only(sink);
        QCOMPARE(run.status, RunStatus::Done);
        QVERIFY(run.dropped > 1000);
        QVERIFY(run.response.maxMs < 1000); // at most 12 service times, were it not for a busy machine
        QVERIFY(run.transactions + run.dropped + 10 + 2 >= run.arrivals);
    }

    void aLostConnectionIsTriedAgain_data() { bothExecutors(); }
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

    //! Every other request fails and is retried: all transactions but the first one have an attempt of 40 ms that
    //! failed and one that did not, and only the latter is in the operation's histogram.
    void retriesAreInsideOrOutsideTheSample_data() { bothExecutors(); }
    void retriesAreInsideOrOutsideTheSample()
    {
        QFETCH(ExecutorKind, executor);
        for (const bool inside : {true, false}) {
            Plan plan = planFor(executor, "null:?pending=1&service_us=40000&fail_every=2");
            plan.workload = retrying(inside);
            plan.load.users = {1};
            plan.load.timeSeconds = 0;
            plan.load.events = 10;
            RecordingSink sink;
            runPlan(plan, {}, sink);
            const RunSummary& run = only(sink);
            QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
            QCOMPARE(run.transactions, std::uint64_t(10));
            QCOMPARE(run.retried, std::uint64_t(9));
            const double extraMs = run.service.meanMs - run.operations.front().service.meanMs;
            const QByteArray text = QByteArray::number(extraMs) + " ms beside the attempt that succeeded";
            if (inside)
                QVERIFY2(extraMs > 0.8 * 40, text.constData()); // 9/10 of an attempt
            else
                QVERIFY2(extraMs < 0.5 * 40, text.constData());
        }
    }

    //! In an open loop the response time counts from the arrival, whatever the sample leaves out.
    void retriesAreInTheResponseTime_data() { bothExecutors(); }
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

    void noReconnectMeansTheRunFails_data() { bothExecutors(); }
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

    //! Users are not waited for in the figures: one fails while the other one is in a request of 2 s.
    void aFailedRunEndsWhereItFailed_data() { bothExecutors(); }
    void aFailedRunEndsWhereItFailed()
    {
        QFETCH(ExecutorKind, executor);
        // Arrivals at 0, 1, 2 and 3 s, and the second request of each user fails: of one at 4 s, when the other has 1 s left.
        Plan plan = openPlan(executor, "null:?pending=1&service_us=2000000&fail_every=2&fail_as=disconnected", 2, 1);
        plan.workload = retrying(false);
        plan.load.reconnectSeconds = 0;
        plan.load.timeSeconds = 60;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(only(sink).status, RunStatus::Failed);
        QVERIFY(!sink.samples.front().empty());
        const IntervalSample& last = sink.samples.front().back();
        const std::int64_t failedNs = sink.events.front().back().tNs; // told when all users are back
        const QByteArray text = QByteArray::number(double(last.lengthNs) * 1e-6) + " ms, told at " + QByteArray::number(double(failedNs) * 1e-6);
        QVERIFY2(last.lengthNs < 700'000'000, text.constData()); // of 100 ms, on a busy machine too
        QCOMPARE(only(sink).failed, std::uint64_t(1));
    }

    void aFailedRunCountsWhatEndedBefore_data() { bothExecutors(); }
    void aFailedRunCountsWhatEndedBefore()
    {
        QFETCH(ExecutorKind, executor);
        // With this seed the first user's requests take 0.349 s and 0.034 s, and the second fails; the other user's first takes 3.734 s:
        // it succeeds long after the end of the run.
        Plan plan = planFor(executor, "null:?pending=1&service_us=2000000&service_dist=uniform&service_spread=1&service_seed=346"
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

    void warmUpEndsByCountOrWhenSteady()
    {
        Plan plan = planFor(ExecutorKind::Threads, "null:?service_us=1000");
        plan.load.warmupEvents = 200;
        RecordingSink counted;
        runPlan(plan, {}, counted);
        std::uint64_t warm = 0;
        for (const IntervalSample& sample : counted.samples.front())
            warm += sample.phase == Phase::Warmup ? sample.transaction.count : 0;
        QVERIFY(warm >= 200);
        QVERIFY(only(counted).transactions > 0);

        plan.load.warmupEvents = 0;
        plan.load.warmupUntilSteady = true;
        plan.load.warmupMaxSeconds = 20;
        plan.load.steady = {0.5, 1, 1}; // wide: constant service times on a busy machine
        RecordingSink steady;
        runPlan(plan, {}, steady);
        QVERIFY(hasEvent(steady, EventKind::Phase, "steady over"));
        QVERIFY(steady.samples.front().back().tNs < 15'000'000'000);

        plan.load.steady = {0.5, 1e-9, 1e-9}; // never
        plan.load.warmupMaxSeconds = 1;
        RecordingSink never;
        runPlan(plan, {}, never);
        QVERIFY(hasEvent(never, EventKind::Phase, "longest time"));
        QCOMPARE(only(never).status, RunStatus::Done);
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

    //! 4 users at 2 ms each carry 2000 a second at most; the search must not say more, and not much less.
    void searchFindsTheRate()
    {
        Plan plan = planFor(ExecutorKind::Threads, "null:?service_us=2000");
        plan.load.users = {4};
        plan.load.arrival.model = ArrivalModel::Fixed;
        plan.load.objective = {50, 40};
        plan.load.search = {Search::What::Rate, 100, 20'000, 0.5, 0.1, 1};
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(only(sink).status, RunStatus::Done);
        QVERIFY2(only(sink).found > 500 && only(sink).found <= 2100, qPrintable(QString::number(only(sink).found)));
        QVERIFY(hasEvent(sink, EventKind::Note, "found:"));
        // What is measured is the run at the answer.
        QVERIFY(only(sink).tps <= only(sink).found * 1.2 + 50);
    }

    //! Eight users at 80 ms carry 100 a second: 3200 does not hold, 50 does, 400 does not, and that is near enough. In 2 s the last
    //! probe leaves 600 arrivals waiting, and the users serve some that have waited 1.5 s: none of them are part of what is measured
    //! at 50 a second.
    void anUnconfirmedSearchMeasuresWithoutTheProbesQueue()
    {
        Plan plan = planFor(ExecutorKind::Threads, "null:?service_us=80000");
        plan.load.users = {8};
        plan.load.arrival.model = ArrivalModel::Fixed;
        plan.load.objective = {50, 5000};
        plan.load.search = {Search::What::Rate, 50, 3200, 2, 7.5, 0};
        plan.load.timeSeconds = 1;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        const RunSummary& run = only(sink);
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        QCOMPARE(run.found, 50.0);
        QVERIFY(hasEvent(sink, EventKind::Note, "400/s: does not hold"));
        const QByteArray text = QByteArray::number(qulonglong(run.transactions)) + " of " + QByteArray::number(qulonglong(run.arrivals));
        QVERIFY2(run.transactions > 0 && run.transactions <= run.arrivals + 20, text.constData());
        const double longestMs = run.response.maxMs;
        QVERIFY2(longestMs < 1000, qPrintable(QString::number(longestMs)));
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

DYNO_SUITE(tst_executors, TstExecutors)
#include "tst_executors.moc"
