// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store_sample.h"
#include "feed_sink.h"
#include "format.h"
#include "run/live_run_model.h"
#include "run/replay_source.h"
#include "support/suite.h"

#include <QSignalSpy>
#include <QTest>

namespace dyno::tst_live_run_model {

class TestLiveRunModel : public QObject
{
    Q_OBJECT

private slots:
    void gathersARun()
    {
        RunFeed feed;
        LiveRunModel model;
        model.attach(&feed);
        QCOMPARE(model.state(), LiveRunModel::State::Idle);
        test::FeedSink sink(feed);
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        QCOMPARE(model.state(), LiveRunModel::State::Running);
        QCOMPARE(model.counts().planned, int(session.runs.size()));
        const RunSummary summary = sample::feedRun(sink, session, 0);

        const RunSeries& series = model.series();
        QCOMPARE(series.size(), qsizetype(20));
        for (const QVector<double>* values :
             {&series.tps, &series.qps, &series.response.p50, &series.response.p95, &series.response.p99,
              &series.response.p999, &series.errors, &series.clientCpu, &series.hostBusy})
            QCOMPARE(values->size(), series.size());
        // Intervals of half a second; times stand in their middle.
        QCOMPARE(series.time.first(), 0.25);
        QCOMPARE(series.time.last(), 9.75);
        for (qsizetype i = 0; i < series.size(); ++i) {
            QVERIFY(series.response.p50[i] <= series.response.p95[i]);
            QVERIFY(series.response.p95[i] <= series.response.p99[i]);
            QVERIFY(series.response.p99[i] <= series.response.p999[i]);
        }
        QCOMPARE(model.warmupSeconds(), 1.0);
        QCOMPARE(model.plannedSeconds(), 10.0);
        QCOMPARE(model.soFar().tps, summary.tps);
        QVERIFY(model.stalls().empty());                         // judged from the throughput, whatever the events say
        QCOMPARE(model.events().front().kind, EventKind::Stall); // newest first
        QCOMPARE(model.events().back().text, QStringLiteral("warm-up"));
        QCOMPARE(model.counts().done, 1);
        QVERIFY(model.embedded());
    }
    //! Phases of the load lie where the measured time began; a calm one is no dip.
    void phasesOfTheLoad()
    {
        RunFeed feed;
        LiveRunModel model;
        model.attach(&feed);
        test::FeedSink sink(feed);
        SessionHeader session = sample::header();
        LoadPhase busy, calm;
        busy.name = "busy";
        busy.seconds = 20;
        calm.name = "calm";
        calm.seconds = 20;
        for (PointSpec& point : session.points)
            point.load.phases = {busy, calm};
        sink.onSessionStarted(session);
        sink.onRunStarted(sample::runHeader(session, 0));
        QVERIFY(model.load() && model.load()->phases.size() == 2);
        for (int i = 0; i < 41; ++i) {
            IntervalSample interval;
            interval.tNs = i * 1'000'000'000ll;
            interval.lengthNs = 1'000'000'000;
            interval.phase = i == 0 ? Phase::Warmup : Phase::Measure;
            interval.transaction.count = i < 21 ? 1000 : 100;
            sink.onSample(interval);
        }
        QCOMPARE(model.soFar().phases.size(), std::size_t(2));
        QCOMPARE(model.soFar().phases[0].fromNs, std::int64_t(1'000'000'000));
        QCOMPARE(model.soFar().phases[1].transactions, std::uint64_t(2000));
        QVERIFY(model.stalls().empty());
    }
    //! In a replay they lie where they were recorded, though the end of the warm-up was moved into the first.
    void phasesBesideAMovedWarmUp()
    {
        auto data = std::make_shared<ReplayData>();
        data->session.header = sample::header();
        LoadPhase busy, calm;
        busy.name = "busy";
        calm.name = "calm";
        busy.seconds = calm.seconds = 20;
        for (PointSpec& point : data->session.header.points)
            point.load.phases = {busy, calm};
        StoredRun& run = data->session.runs.emplace_back();
        run.header = sample::runHeader(data->session.header, 0);
        run.summary.point = run.header.point;
        run.summary.repeat = run.header.repeat;
        run.recordedWarmupEndNs = 1'000'000'000;
        run.warmupEndNs = 6'000'000'000;
        data->samples.resize(1);
        data->events.resize(1);
        data->stalls.resize(1);
        data->bursts.resize(1);
        for (int i = 0; i < 41; ++i) {
            auto interval = std::make_shared<IntervalSample>();
            interval->tNs = i * 1'000'000'000ll;
            interval->lengthNs = 1'000'000'000;
            interval->phase = i < 6 ? Phase::Warmup : Phase::Measure;
            interval->transaction.count = i < 21 ? 1000 : 100;
            data->samples.front().push_back(interval);
        }
        ReplaySource replay;
        LiveRunModel model;
        model.attach(&replay);
        replay.setData(data);
        replay.seek(40.5);
        QCOMPARE(model.soFar().phases.size(), std::size_t(2));
        QCOMPARE(model.soFar().phases[0].fromNs, std::int64_t(6'000'000'000));
        QCOMPARE(model.soFar().phases[0].seconds, 15.0);
        QCOMPARE(model.soFar().phases[1].fromNs, std::int64_t(21'000'000'000));
        QVERIFY(model.stalls().empty());
    }
    //! Longer than a histogram holds: the line has a gap there, not a point at 73 minutes.
    void timesBeyondAHistogramAreGaps()
    {
        RunFeed feed;
        LiveRunModel model;
        model.attach(&feed);
        test::FeedSink sink(feed);
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        sink.onRunStarted(sample::runHeader(session, 0));
        IntervalSample one;
        one.lengthNs = 1'000'000'000;
        one.transaction.service.record(std::uint64_t(80) * 60 * 1'000'000'000, 2);
        one.transaction.service.record(std::uint64_t(100) * 60 * 1'000'000'000, 2);
        one.transaction.count = 4;
        sink.onSample(one);
        QVERIFY(std::isnan(model.series().response.p50.last()));
        QCOMPARE(model.series().response.p99.last(), 6'000'000.0);
    }
    void ratesComeFromCounts()
    {
        RunFeed feed;
        LiveRunModel model;
        model.attach(&feed);
        test::FeedSink sink(feed);
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        sink.onRunStarted(sample::runHeader(session, 0));
        IntervalSample interval;
        interval.lengthNs = 250'000'000; // a quarter of a second: counts times four are rates
        interval.transaction.count = 100;
        interval.transaction.errors = 3;
        interval.transaction.service.record(2'000'000, 100);
        interval.ops.resize(2);
        interval.ops[0].count = 300;
        interval.ops[1].count = 100;
        interval.client.cpuSeconds = 0.025;
        sink.onSample(interval);
        QCOMPARE(model.series().tps.last(), 400.0);
        QCOMPARE(model.series().qps.last(), 1600.0);
        QCOMPARE(model.series().errors.last(), 12.0);
        QCOMPARE(model.series().clientCpu.last(), 0.1);
        QVERIFY(std::abs(model.series().response.p99.last() - 2.0) < 0.04); // one bucket is 1.6 % wide
    }
    //! In an open loop both latencies are there; in a closed one they are the same.
    void bothLatencies()
    {
        RunFeed feed;
        LiveRunModel model;
        model.attach(&feed);
        test::FeedSink sink(feed);
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        (void)sample::feedRun(sink, session, 0);
        QVERIFY(!model.separateResponse());
        QCOMPARE(model.series().service.p95, model.series().response.p95);
        sample::Options options;
        options.openLoop = true;
        (void)sample::feedRun(sink, session, 1, options);
        QVERIFY(model.separateResponse());
        for (qsizetype i = 0; i < model.series().size(); ++i) {
            QVERIFY(model.series().response.p50[i] > model.series().service.p50[i] + 0.35); // it waits 0.4 ms and more
            QVERIFY(model.series().response.p999[i] > model.series().service.p999[i]);
        }
        (void)sample::feedRun(sink, session, 2);
        QVERIFY(!model.separateResponse()); // another run, asked anew
    }
    //! The live verdict speaks of the last seconds: it comes and goes; the stored one is that of the whole run.
    void liveVerdict()
    {
        RunFeed feed;
        LiveRunModel model;
        model.attach(&feed);
        test::FeedSink sink(feed);
        SessionHeader session = sample::header();
        session.points[0].target.uri = "null:?service_us=200";
        sink.onSessionStarted(session);
        sink.onRunStarted(sample::runHeader(session, 0));
        QVERIFY(!model.embedded());
        IntervalSample interval;
        interval.lengthNs = 1'000'000'000;
        interval.transaction.count = 10;
        interval.client = {.cpuSeconds = 0.5, .rssBytes = 1, .hostBusy = 0.3, .schedDelaySeconds = 0.5};
        interval.client.allowedBusy = 1;
        interval.client.allowedCores = 1;
        const auto send = [&](int intervals) {
            for (int i = 0; i < intervals; ++i, interval.tNs += interval.lengthNs)
                sink.onSample(interval);
        };
        send(1);
        QVERIFY2(model.clientLimit().startsWith(QStringLiteral("other programs had the cores: in 1 of 1 intervals")),
                 qPrintable(model.clientLimit()));
        QVERIFY2(model.clientLimit().contains(QStringLiteral("; the load generator is pinned to 1 of 4 cores")),
                 qPrintable(model.clientLimit()));
        send(5);
        interval.client.schedDelaySeconds = 0;
        send(5);
        QVERIFY(model.clientLimit().isEmpty()); // five seconds later it is over
        QVERIFY(model.soFar().clientLimited);   // over the whole run it was not
        RunSummary end = model.soFar();
        end.point = 0;
        end.repeat = 1;
        end.status = RunStatus::Done;
        sink.onRunFinished(end);
        QCOMPARE(model.clientLimit(), QString::fromStdString(end.clientReason));
        // Of an engine inside this process only what other programs kept from it is said: not that it fills its core.
        session.points[0].target.uri = "sqlite:a.db";
        sink.onSessionStarted(session);
        sink.onRunStarted(sample::runHeader(session, 0));
        interval.client.cpuSeconds = 1;
        interval.client.schedDelaySeconds = 0.5;
        send(3);
        QVERIFY(model.embedded());
        QCOMPARE(model.clientLimit(), QString());
        interval.client.cpuSeconds = 0.5;
        send(3);
        QVERIFY2(model.clientLimit().startsWith(QStringLiteral("other programs had the cores")),
                 qPrintable(model.clientLimit()));
        QVERIFY2(!model.clientLimit().contains(QStringLiteral("pinned")), qPrintable(model.clientLimit()));
    }
    void emptyIntervalHasNoLatency()
    {
        RunFeed feed;
        LiveRunModel model;
        model.attach(&feed);
        test::FeedSink sink(feed);
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        sink.onRunStarted(sample::runHeader(session, 0));
        IntervalSample interval;
        interval.lengthNs = 1'000'000'000;
        sink.onSample(interval);
        QCOMPARE(model.series().tps.last(), 0.0);
        QVERIFY(std::isnan(model.series().response.p50.last())); // a gap, not zero milliseconds
    }
    void pointsGrowAndAverageTheirRuns()
    {
        RunFeed feed;
        LiveRunModel model;
        model.attach(&feed);
        test::FeedSink sink(feed);
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        QCOMPARE(model.points().size(), session.points.size());
        std::vector<double> rates;
        for (int run = 0; run < int(session.runs.size()); ++run) {
            const RunSummary summary = sample::feedRun(sink, session, run);
            if (summary.point == 0)
                rates.push_back(summary.tps);
        }
        QCOMPARE(rates.size(), std::size_t(2));
        QCOMPARE(model.points()[0].runs, 2);
        QCOMPARE(model.points()[0].tps, (rates[0] + rates[1]) / 2);
        QVERIFY2(model.points()[0].label.startsWith(QLatin1String("OFF, 1 user")), qPrintable(model.points()[0].label));
        QCOMPARE(model.counts().done, int(session.runs.size()));
    }
    void failedPointSaysSo()
    {
        RunFeed feed;
        LiveRunModel model;
        model.attach(&feed);
        test::FeedSink sink(feed);
        sample::Options options;
        options.failedRun = 0;
        QSignalSpy finished(&model, &LiveRunModel::finished);
        const SessionHeader session = sample::header(options);
        sink.onSessionStarted(session);
        (void)sample::feedRun(sink, session, 0, options);
        QVERIFY(model.points()[std::size_t(session.runs[0].point)].failed);
        SessionSummary end;
        end.status = RunStatus::Failed;
        end.reason = "1 run failed";
        sink.onSessionFinished(end);
        QCOMPARE(finished.size(), 1);
        QCOMPARE(model.state(), LiveRunModel::State::Finished);
        QCOMPARE(model.stateTone(), Tone::Bad);
    }
    void headSaysWhereWeAre()
    {
        RunFeed feed;
        LiveRunModel model;
        model.attach(&feed);
        test::FeedSink sink(feed);
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        sink.onRunStarted(sample::runHeader(session, 1));
        ProgressReport report;
        report.run = 1;
        report.runs = int(session.runs.size());
        report.phase = Phase::Measure;
        report.secondsLeft = 100;
        sink.onProgress(report);
        QCOMPARE(model.title(), QStringLiteral("What does durability cost?"));
        QVERIFY2(model.subtitle().contains(QStringLiteral("SQLite 3.40.1")), qPrintable(model.subtitle()));
        const QString point =
            QStringLiteral("point %1 of %2").arg(session.runs[1].point + 1).arg(session.points.size());
        QVERIFY2(model.subtitle().contains(point), qPrintable(model.subtitle()));
        QVERIFY2(model.subtitle().contains(QStringLiteral("repeat 1 of 2")), qPrintable(model.subtitle()));
        QCOMPARE(model.stateText(), QStringLiteral("measuring"));
        QVERIFY(model.progressText().contains(QStringLiteral("2\u00A0min")));
        report.paused = true;
        sink.onProgress(report);
        QCOMPARE(model.stateText(), QStringLiteral("paused"));
    }
    void loadThatWaitsSaysSo()
    {
        RunFeed feed;
        LiveRunModel model;
        model.attach(&feed);
        test::FeedSink sink(feed);
        sink.onSessionStarted(sample::header());
        ProgressReport report;
        report.phase = Phase::Prepare;
        report.done = 1000;
        report.total = 5000;
        sink.onProgress(report);
        const QString rows = model.progressText();
        QVERIFY2(rows.contains(format::count(1000)) && !rows.contains(QStringLiteral("lock")), qPrintable(rows));
        report.tries = 3;
        report.mostTries = 20;
        sink.onProgress(report);
        QCOMPARE(model.progressText(), rows + QStringLiteral("  ·  retrying after a lock conflict, try 3 of 20"));
        report.tries = 0;
        sink.onProgress(report);
        QCOMPARE(model.progressText(), rows);
    }
    void newRunStartsAnewAndOldFeedIsForgotten()
    {
        RunFeed first, second;
        LiveRunModel model;
        model.attach(&first);
        test::FeedSink sink(first);
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        (void)sample::feedRun(sink, session, 0);
        QSignalSpy reset(&model, &LiveRunModel::runReset);
        sink.onRunStarted(sample::runHeader(session, 1));
        QCOMPARE(reset.size(), 1);
        QCOMPARE(model.series().size(), qsizetype(0));
        QVERIFY(model.events().empty());
        model.attach(&second);
        QCOMPARE(model.state(), LiveRunModel::State::Idle);
        (void)sample::feedRun(sink, session, 1);
        QCOMPARE(model.series().size(), qsizetype(0));
    }
    void eventsAreBounded()
    {
        RunFeed feed;
        LiveRunModel model;
        model.attach(&feed);
        test::FeedSink sink(feed);
        for (int i = 0; i < 800; ++i)
            sink.onEvent({i * 1'000'000LL, 0, EventKind::Error, "code " + std::to_string(i)});
        QCOMPARE(model.events().size(), std::size_t(500));
        QCOMPARE(model.events().front().text, QStringLiteral("code 799"));
    }
};

} // namespace dyno::tst_live_run_model

DYNO_SUITE(tst_live_run_model, dyno::tst_live_run_model::TestLiveRunModel)
#include "tst_live_run_model.moc"
