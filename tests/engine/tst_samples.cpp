// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/suite.h"

#include <dyno/samples.h>

#include <QTest>

#include <cmath>

namespace dyno::tst_samples {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

const std::vector<OperationInfo>& operations()
{
    static const std::vector<OperationInfo> kOperations = {
        {"read", OpClass::Read}, {"write", OpClass::Write}, {"commit", OpClass::Other}};
    return kOperations;
}

Histogram values(std::initializer_list<std::uint64_t> list)
{
    Histogram histogram;
    for (const std::uint64_t value : list)
        histogram.record(value);
    return histogram;
}

OpInterval interval(std::initializer_list<std::uint64_t> list, std::uint64_t errors = 0)
{
    OpInterval op;
    op.service = values(list);
    op.count = op.service.count();
    op.errors = errors;
    return op;
}

IntervalSample sample(Phase phase = Phase::Measure)
{
    IntervalSample s;
    s.lengthNs = 2 * kSecond;
    s.phase = phase;
    s.transaction = interval({1'000'000, 3'000'000}, 1);
    s.ops = {interval({100'000, 100'000, 100'000, 100'000}), interval({200'000, 200'000}, 2),
             interval({50'000, 50'000})};
    s.retried = 3;
    s.dropped = 4;
    s.reconnects = 5;
    s.lockWaits = 6;
    s.errors = {{1213, 2}, {1205, 1}};
    s.client = {.cpuSeconds = 0.5, .rssBytes = 1000, .hostBusy = 0.5, .schedDelaySeconds = 0};
    s.arrivals = 70;
    s.rows = 8;
    s.rollbacks = 9;
    return s;
}

RunSummary limits(double hostBusy, double cpuSeconds, double delaySeconds, bool embedded = false)
{
    SummaryBuilder builder(operations(), embedded, 1);
    IntervalSample s = sample();
    s.client = {.cpuSeconds = cpuSeconds, .rssBytes = 1, .hostBusy = hostBusy, .schedDelaySeconds = delaySeconds};
    builder.add(s);
    return builder.summary();
}

} // namespace

class TstSamples : public QObject
{
    Q_OBJECT

private slots:
    //! A mean of means is none; what a machine tells of its disks is the same as what this one tells.
    void whatHasNoMean()
    {
        for (const char* source : {"host", "db host"}) {
            QVERIFY(!hasMean({source, "vda read latency", "ms", false}));
            QVERIFY(hasMean({source, "vda reads", "requests", true}));
        }
        QVERIFY(hasMean({"server", "Innodb_row_lock_time", "ms", true}));
        QVERIFY(!hasMean({kStatedSource, "p95", "ms", false}));
    }

    //! A sum with a part that nobody counted is not known, and none but operations have rows.
    void rowsOfKinds()
    {
        const auto rowsOf = [](const std::vector<IntervalSample>& samples) {
            SummaryBuilder builder({{"read", OpClass::Read}, {"write", OpClass::Write}, {"all", OpClass::Group}});
            for (const IntervalSample& one : samples)
                builder.add(one);
            std::vector<std::optional<std::uint64_t>> rows;
            for (const OperationSummary& one : builder.summary().operations)
                rows.push_back(one.rows);
            return rows;
        };
        IntervalSample counted = sample(), stored = sample(), warmup = sample(Phase::Warmup);
        for (IntervalSample* one : {&counted, &warmup}) {
            one->ops[0].rows = 400;
            one->ops[1].rows = 0;
            one->ops[2].rows = 0;
        }
        stored.ops[0] = {}; // no call, so no rows
        using Rows = std::vector<std::optional<std::uint64_t>>;
        QVERIFY(rowsOf({warmup, counted, counted}) == (Rows{800, 0, {}}));
        QVERIFY(rowsOf({counted, stored, counted}) == (Rows{800, {}, {}}));
    }

    void unansweredCallsCountInTheResponseTime()
    {
        SummaryBuilder builder(operations());
        IntervalSample first = sample(), last = sample();
        last.transaction.response =
            values({1'000'000, 3'000'000, 12'000'000'000});                // a closed loop's, with one that hangs
        last.ops[1].response = values({200'000, 200'000, 11'000'000'000}); // the call that it was in
        builder.setUnanswered(1);
        builder.add(first);
        builder.add(last);
        const RunSummary summary = builder.summary();
        QCOMPARE(summary.unanswered, std::uint64_t(1));
        QCOMPARE(summary.transactions, std::uint64_t(4)); // it is none of them
        QCOMPARE(summary.service.maxMs, 3.0);
        QCOMPARE(summary.response.maxMs, 12'000.0);
        // Intervals without such calls count for both: the mean is of five values.
        QCOMPARE(summary.response.meanMs, (1 + 3 + 1 + 3 + 12'000) / 5.0);
        const OperationSummary& write = summary.operations[1];
        QCOMPARE(write.count, std::uint64_t(4));
        QCOMPARE(write.service.maxMs, 0.2);
        QCOMPARE(write.response.maxMs, 11'000.0);
        QCOMPARE(write.times.response.count(), std::uint64_t(5));
        QVERIFY(summary.operations[0].times.response.empty());
    }

    void starvedOfCores_data()
    {
        QTest::addColumn<double>("used");
        QTest::addColumn<double>("waited");
        QTest::addColumn<int>("allowed");
        QTest::addColumn<double>("seconds");
        QTest::addColumn<bool>("starved");
        QTest::newRow("nothing known") << 0.0 << 0.0 << 0 << 1.0 << false;
        QTest::newRow("as the issue has it") << 0.4 << 2.59 << 4 << 1.0 << true;
        QTest::newRow("one thread, half a core") << 0.5 << 0.5 << 4 << 1.0 << true;
        QTest::newRow("many threads of its own") << 4.0 << 28.0 << 4 << 1.0 << false; // it has all the cores there are
        QTest::newRow("most of the cores") << 3.1 << 5.0 << 4 << 1.0 << false;
        QTest::newRow("a late wake-up") << 0.1 << 0.09 << 4 << 1.0 << false; // below a tenth of the interval
        QTest::newRow("a fifth of what it wanted") << 2.0 << 0.5 << 4 << 1.0 << false;
        QTest::newRow("more than a fifth") << 2.0 << 0.6 << 4 << 1.0 << true;
        QTest::newRow("pinned and alone") << 0.95 << 0.95 << 1 << 1.0 << false; // two threads on one core
        QTest::newRow("pinned beside another") << 0.5 << 0.5 << 1 << 1.0 << true;
        QTest::newRow("too short to tell") << 0.0 << 0.04 << 4 << 0.04 << false;
    }

    void starvedOfCores()
    {
        QFETCH(double, used);
        QFETCH(double, waited);
        QFETCH(int, allowed);
        QFETCH(double, seconds);
        QFETCH(bool, starved);
        IntervalSample s = sample();
        s.tNs = 7 * kSecond;
        s.lengthNs = std::int64_t(seconds * double(kSecond));
        s.client = {
            .cpuSeconds = used, .rssBytes = 1, .hostBusy = 0.5, .schedDelaySeconds = waited, .allowedCores = allowed};
        QCOMPARE(dyno::starvedOfCores(s, 4), starved);
        IntervalSample quiet = s;
        quiet.client = {};
        for (const bool embedded : {true, false}) {
            SummaryBuilder builder(operations(), embedded, 4);
            builder.add(quiet);
            builder.add(s);
            const Starvation told = builder.summary().starvation;
            QCOMPARE(told.of, std::uint64_t(2));
            QCOMPARE(told.intervals,
                     std::uint64_t(starved && embedded ? 1 : 0)); // a server beside it is no other program
            QCOMPARE(toText(told).empty(), told.intervals == 0);
            if (told.intervals == 0)
                continue;
            QCOMPARE(told.waitedSeconds, waited);
            QCOMPARE(told.startsNs, std::vector<std::int64_t>{7 * kSecond}); // which one
        }
    }

    void verdictOnTheObjective_data()
    {
        QTest::addColumn<double>("limitMs");
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("why");
        QTest::newRow("met") << 5.0 << QString() << QString();
        QTest::newRow("too slow") << 2.0 << QString() << QString("p99 is");
        QTest::newRow("failures") << 5.0 << QString("failed") << QString("failed transactions: 1");
        QTest::newRow("drops") << 5.0 << QString("dropped") << QString("dropped arrivals: 4");
        QTest::newRow("unanswered") << 5.0 << QString("unanswered") << QString("unanswered calls: 2");
        QTest::newRow("backlog") << 5.0 << QString("backlog")
                                 << QString("arrivals that were not served by the end: 30 of 70");
        QTest::newRow("nothing") << 5.0 << QString("nothing") << QString("nothing was done");
    }

    void verdictOnTheObjective()
    {
        QFETCH(double, limitMs);
        QFETCH(QString, what);
        QFETCH(QString, why);
        SummaryBuilder builder(operations());
        builder.setObjective(99, limitMs, "p99 <= some");
        IntervalSample s = sample();
        s.transaction.errors = what == "failed" ? 1 : 0;
        s.dropped = what == "dropped" ? 4 : 0;
        s.backlog = what == "backlog" ? 30 : 0;
        if (what == "nothing")
            s.transaction = {};
        if (what == "unanswered")
            builder.setUnanswered(2);
        builder.add(s);
        const RunSummary summary = builder.summary();
        QVERIFY(summary.objective.has_value());
        QCOMPARE(summary.objective->text, std::string("p99 <= some"));
        QVERIFY2(why.isEmpty() ? summary.objective->why.empty() : summary.objective->why.starts_with(why.toStdString()),
                 summary.objective->why.c_str());
        QCOMPARE(summary.objective->met, why.isEmpty());
        QCOMPARE(summary.objective->valueMs.has_value(), what != "nothing");
        if (summary.objective->valueMs)
            QVERIFY(std::abs(*summary.objective->valueMs - 3) < 0.1);
        QVERIFY(!SummaryBuilder(operations()).summary().objective);
    }

    void figures()
    {
        SummaryBuilder builder(operations());
        builder.add(sample());
        IntervalSample second = sample();
        second.client.rssBytes = 3000;
        second.client.lateStarts = 1;
        second.errors = {{1213, 1}};
        builder.add(second);
        const RunSummary summary = builder.summary();
        QCOMPARE(summary.seconds, 4.0);
        QCOMPARE(summary.transactions, std::uint64_t(4));
        QCOMPARE(summary.failed, std::uint64_t(2));
        QCOMPARE(summary.queries, std::uint64_t(16)); // 4 reads, 2 writes, 2 others an interval
        QCOMPARE(summary.tps, 1.0);
        QCOMPARE(summary.qps, 4.0);
        QCOMPARE(summary.retried, std::uint64_t(6));
        QCOMPARE(summary.dropped, std::uint64_t(8));
        QCOMPARE(summary.reconnects, std::uint64_t(10));
        QCOMPARE(summary.lockWaits, std::uint64_t(12));
        QCOMPARE(summary.arrivals, std::uint64_t(140));
        QCOMPARE(summary.rows, std::uint64_t(16));
        QCOMPARE(summary.rollbacks, std::uint64_t(18));
        QCOMPARE(summary.lateStarts, std::uint64_t(1));
        QCOMPARE(summary.errors, (std::map<std::int32_t, std::uint64_t>{{1205, 1}, {1213, 3}}));
        QCOMPARE(summary.cpuUsPerOp, 1.0 * 1e6 / 16);
        QCOMPARE(summary.rssBytes, std::uint64_t(3000));
        QCOMPARE(summary.service.meanMs, 2.0);
        QCOMPARE(summary.service.maxMs, 3.0);
        QCOMPARE(summary.response.maxMs, 3.0); // closed loop: the same
        QCOMPARE(summary.operations.size(), std::size_t(3));
        QCOMPARE(summary.operations[1].name, std::string("write"));
        QCOMPARE(summary.operations[1].count, std::uint64_t(4));
        QCOMPARE(summary.operations[1].errors, std::uint64_t(4));
        QVERIFY(summary.operations[1].opClass == OpClass::Write);
        QCOMPARE(summary.operations[1].service.meanMs, 0.2);
        QCOMPARE(summary.operations[1].response.meanMs, 0.2);
        QVERIFY(!summary.clientLimited);
        QVERIFY(summary.clientReason.empty());
        QCOMPARE(builder.transactionService().count(), std::uint64_t(4));
    }

    //! What waits at the end of the measured time, whatever waited before or comes after.
    void backlogIsTheLastOne()
    {
        SummaryBuilder builder(operations());
        for (const auto& [phase, backlog] : {std::pair(Phase::Warmup, 900), std::pair(Phase::Measure, 700),
                                             std::pair(Phase::Measure, 30), std::pair(Phase::Done, 5)}) {
            IntervalSample s = sample(phase);
            s.backlog = std::uint64_t(backlog);
            builder.add(s);
        }
        QCOMPARE(builder.summary().backlog, std::uint64_t(30));
    }

    //! One percentile is told as the summary tells it: of longer times than a histogram holds there is no figure.
    void aPercentileAsInTheSummary()
    {
        QCOMPARE(percentileMs({}, 95), 0.0);
        QCOMPARE(percentileMs(values({50, 60, 70}), 50), 60e-6);
        Histogram hours; // two of 80 minutes, two of 100: the median is above 73 minutes, nothing more is known of it
        hours.record(std::uint64_t(80) * 60 * kSecond, 2);
        hours.record(std::uint64_t(100) * 60 * kSecond, 2);
        QVERIFY(std::isnan(percentileMs(hours, 50)) && std::isnan(summarize(hours).p50Ms));
        QCOMPARE(percentileMs(hours, 100), 6'000'000.0);
    }

    void warmUpIsLeftOutButForMemory()
    {
        SummaryBuilder builder(operations());
        for (const Phase phase : {Phase::Prepare, Phase::Connect, Phase::Warmup, Phase::Done}) {
            IntervalSample s = sample(phase);
            s.client.rssBytes = 9000;
            builder.add(s);
        }
        RunSummary summary = builder.summary();
        QCOMPARE(summary.transactions, std::uint64_t(0));
        QCOMPARE(summary.seconds, 0.0);
        QCOMPARE(summary.tps, 0.0);
        QVERIFY(summary.errors.empty());
        QCOMPARE(summary.rssBytes, std::uint64_t(9000));
        builder.add(sample());
        summary = builder.summary();
        QCOMPARE(summary.seconds, 2.0);
        QCOMPARE(summary.transactions, std::uint64_t(2));
    }

    //! The median of two intervals is that of all values, not the mean of two medians.
    void percentilesAreMerged()
    {
        SummaryBuilder builder({});
        IntervalSample fast;
        fast.lengthNs = kSecond;
        fast.transaction = interval({64, 64, 64, 64, 64, 64, 64, 64, 64});
        IntervalSample slow;
        slow.lengthNs = kSecond;
        slow.transaction = interval({120});
        builder.add(fast);
        builder.add(slow);
        QCOMPARE(builder.summary().service.p50Ms, 64e-6);
        QCOMPARE(builder.summary().service.p90Ms, 64e-6);
        QCOMPARE(builder.summary().service.p95Ms, 120e-6);
    }

    void responseOfAnOpenLoop()
    {
        SummaryBuilder builder(operations());
        IntervalSample s = sample();
        s.transaction.response = values({5'000'000, 7'000'000});
        builder.add(s);
        QCOMPARE(builder.summary().service.meanMs, 2.0);
        QCOMPARE(builder.summary().response.meanMs, 6.0);
    }

    void cpuPerTransactionWithoutQueries()
    {
        SummaryBuilder builder({});
        IntervalSample s = sample();
        s.ops.clear();
        builder.add(s);
        QCOMPARE(builder.summary().queries, std::uint64_t(0));
        QCOMPARE(builder.summary().cpuUsPerOp, 0.5e6 / 2);
    }

    void clientLimit()
    {
        const RunSummary limited = limits(0.97, 1.0, 1.0);
        QVERIFY(limited.clientLimited);
        QVERIFY2(limited.clientReason.find("waited for a core 50 %") != std::string::npos,
                 limited.clientReason.c_str());
        QVERIFY2(limited.clientReason.find("97 % busy") != std::string::npos, limited.clientReason.c_str());
        // a full machine on which the generator gets its turn at once
        QVERIFY(!limits(1.0, 1.0, 0.04).clientLimited);
        QVERIFY(limits(1.0, 1.0, 0.06).clientLimited);
        // a server on the same machine fills it; the generator is a small part of that
        QVERIFY(!limits(1.0, 0.2, 1.0).clientLimited);
        // late wake-ups on a machine with cores to spare
        QVERIFY(!limits(0.90, 1.0, 1.0).clientLimited);
        // An embedded engine does its own work on these threads: they wait for one another on a core that they fill (2
        // s).
        QVERIFY(!limits(1.0, 2.0, 9.0, true).clientLimited);
        // With half of that core, somebody else had the other half.
        const RunSummary starved = limits(1.0, 1.0, 9.0, true);
        QVERIFY(starved.clientLimited);
        QCOMPARE(starved.clientReason, toText(starved.starvation));
        QVERIFY2(starved.clientReason.starts_with("other programs had the cores: in 1 of 1 intervals"),
                 starved.clientReason.c_str());
        // nothing known
        QVERIFY(!limits(0, 0, 0).clientLimited);
        QVERIFY(!SummaryBuilder(operations()).summary().clientLimited);
    }

    //! Pinned to one of four cores: what others do on the three others does not matter.
    void pinned()
    {
        const auto verdict = [](double allowedBusy, int allowedCores, double cpu, double delay, bool embedded = false) {
            ClientVerdict v(embedded, 4);
            IntervalSample s = sample();
            s.lengthNs = kSecond;
            s.client = {.cpuSeconds = cpu, .rssBytes = 1, .hostBusy = 0.3, .schedDelaySeconds = delay};
            s.client.allowedBusy = allowedBusy;
            s.client.allowedCores = allowedCores;
            v.add(s);
            return v.reason();
        };
        const std::string reason = verdict(0.99, 1, 0.5, 0.5);
        QCOMPARE(reason,
                 std::string("the load generator is pinned to 1 of 4 cores, which were 99 % busy, and waited for "
                             "a core 50 % of the time it wanted to run"));
        QVERIFY(verdict(0.94, 1, 0.5, 0.5).empty());   // its core is not full
        QVERIFY(verdict(0.99, 1, 0.81, 0.19).empty()); // it waits a little
        QVERIFY(!verdict(0.99, 1, 0.79, 0.21).empty());
        QVERIFY(verdict(0.99, 4, 0.5, 0.5).empty()); // it may use all: the first rule's business
        QVERIFY(verdict(0.99, 0, 0.5, 0.5).empty()); // not known
        // An embedded engine is what is measured, but for what other programs keep from it.
        QVERIFY(verdict(0.99, 1, 0.8, 0.5, true).empty());
        QVERIFY(verdict(0.99, 1, 0.5, 0.5, true).starts_with("other programs had the cores"));
    }

    //! Waiting for a core counts wherever the target is; what a server beside the generator uses is no other program's.
    void keptFromTheCores()
    {
        IntervalSample s = sample();
        s.lengthNs = kSecond;
        s.client = {.cpuSeconds = 0.5, .rssBytes = 1, .hostBusy = 0.9, .schedDelaySeconds = 0.6};
        const auto reason = [&s](WorkPlace place, std::optional<double> serverCores = {}) {
            ClientVerdict verdict(place, 4);
            if (serverCores) {
                verdict.setCounters(
                    {{"server", "Threads_running", "threads", false}, {kProcessSource, kProcessCpu, "cores", false}});
                s.counters = {7, *serverCores};
            }
            verdict.add(s);
            return verdict.reason();
        };
        for (const WorkPlace place : {WorkPlace::InProcess, WorkPlace::Elsewhere})
            QVERIFY2(reason(place).starts_with("other programs had the cores: in 1 of 1 intervals"),
                     reason(place).c_str());
        QVERIFY(reason(WorkPlace::OnThisMachine).empty()); // it may have been the server
        QVERIFY(reason(WorkPlace::OnThisMachine, std::nan("")).empty());
        QVERIFY(reason(WorkPlace::OnThisMachine, 2.6).empty()); // it was: both used more than three of four cores
        QVERIFY(!reason(WorkPlace::OnThisMachine, 0.5).empty());
        // A proxy of ours before a server that is not: the server may have been it. Before one elsewhere it is ours.
        const auto behindProxy = [&s](WorkPlace place, double cores) {
            ClientVerdict verdict(place, 4);
            verdict.setCounters({{"HAProxy process", kProcessCpu, "cores", false}});
            s.counters = {cores};
            verdict.add(s);
            return verdict.reason();
        };
        QVERIFY(behindProxy(WorkPlace::OnThisMachine, 0.1).empty());
        QVERIFY(behindProxy(WorkPlace::Elsewhere, 2.6).empty());
        QVERIFY(!behindProxy(WorkPlace::Elsewhere, 0.1).empty());

        // One of 200: told, and marked, but no percentile up to the 99th can be its doing.
        SummaryBuilder builder(operations(), WorkPlace::Elsewhere, 4);
        s.counters.clear();
        s.arrivals = 0;
        s.client.lateStarts = 0;
        for (int i = 0; i < 200; ++i) {
            s.tNs = i * kSecond;
            s.client.schedDelaySeconds = i == 150 ? 0.6 : 0;
            builder.add(s);
        }
        QVERIFY(!builder.summary().clientLimited);
        QCOMPARE(builder.summary().starvation.intervals, std::uint64_t(1));
        QVERIFY(builder.summary().starvation.holds(150 * kSecond) &&
                !builder.summary().starvation.holds(151 * kSecond));
        s.tNs = 200 * kSecond;
        s.client.schedDelaySeconds = 0.6;
        for (int i = 0; i < 2; ++i, s.tNs += kSecond)
            builder.add(s);
        const RunSummary summary = builder.summary();
        QVERIFY(summary.clientLimited);
        QCOMPARE(summary.clientReason, toText(summary.starvation));
        QCOMPARE(summary.starvation.seconds, 3.0);
        QCOMPARE(summary.starvation.ofSeconds, 202.0);
    }

    void fullThread()
    {
        ClientVerdict verdict(false, 8);
        IntervalSample s = sample();
        s.client = {.cpuSeconds = 2, .rssBytes = 1, .hostBusy = 0.2};
        s.client.busiestThread = 0.97;
        verdict.add(s);
        QCOMPARE(verdict.reason(), std::string("one thread of the load generator was on a core 97 % of the time"));
        s.client.busiestThread = 0.90; // the average counts
        verdict.add(s);
        QVERIFY(verdict.reason().empty());
        ClientVerdict embedded(true, 8);
        s.client.busiestThread = 1;
        embedded.add(s);
        QVERIFY(embedded.reason().empty());
    }

    void lateArrivals()
    {
        const auto reason = [](std::uint64_t arrivals, std::uint64_t late) {
            SummaryBuilder builder(operations(), false, 4);
            IntervalSample s = sample();
            s.arrivals = arrivals;
            s.client.lateStarts = late;
            builder.add(s);
            const RunSummary summary = builder.summary();
            [&] { QCOMPARE(summary.clientLimited, !summary.clientReason.empty()); }();
            return summary.clientReason;
        };
        QCOMPARE(reason(1000, 11),
                 std::string("1.1 % of the arrivals were taken up more than 1 ms late by a free user"));
        QVERIFY(reason(1000, 10).empty());
        QVERIFY(reason(0, 0).empty()); // a closed loop has none
    }

    //! All that applies is said.
    void severalReasons()
    {
        ClientVerdict verdict(false, 4);
        IntervalSample s = sample();
        s.client = {.cpuSeconds = 1, .rssBytes = 1, .hostBusy = 0.3, .schedDelaySeconds = 1};
        s.client.allowedBusy = 1;
        s.client.allowedCores = 1;
        s.client.busiestThread = 1;
        s.client.lateStarts = 35;
        verdict.add(s);
        const std::string reason = verdict.reason();
        QVERIFY2(reason.find("pinned to 1 of 4") != std::string::npos, reason.c_str());
        QVERIFY2(reason.find("; one thread") != std::string::npos, reason.c_str());
        QVERIFY2(reason.find("; 50.0 % of the arrivals") != std::string::npos, reason.c_str());
    }

    void hostBusyIsAveragedByTime()
    {
        SummaryBuilder builder({}, false, 1);
        IntervalSample full;
        full.lengthNs = kSecond;
        full.client = {.cpuSeconds = 1, .rssBytes = 0, .hostBusy = 1.0, .schedDelaySeconds = 1};
        IntervalSample idle;
        idle.lengthNs = kSecond / 100;
        idle.client.hostBusy = 0;
        builder.add(full);
        builder.add(idle);
        QVERIFY(builder.summary().clientLimited); // 99 %, not 50 %
    }

    void fewerOperationsThanAnnounced()
    {
        SummaryBuilder builder(operations());
        IntervalSample s = sample();
        s.ops.resize(1);
        builder.add(s);
        QCOMPARE(builder.summary().queries, std::uint64_t(4));
        s.ops.resize(9);
        builder.add(s);
        QCOMPARE(builder.summary().queries, std::uint64_t(8));
    }

    void texts()
    {
        for (const RunStatus status : {RunStatus::Pending, RunStatus::Running, RunStatus::Done, RunStatus::Failed,
                                       RunStatus::Stopped, RunStatus::Cut, RunStatus::Skipped, RunStatus::Damaged})
            QVERIFY(runStatusFromText(toText(status)) == status);
        QVERIFY(runStatusFromText("gibberish") == RunStatus::Cut);
        QCOMPARE(toText(Phase::Warmup), "warm-up");
        QCOMPARE(toText(Phase::Measure), "measure");
        QCOMPARE(toText(EventKind::Server), "server");
    }
};

} // namespace dyno::tst_samples

DYNO_SUITE(tst_samples, dyno::tst_samples::TstSamples)
#include "tst_samples.moc"
