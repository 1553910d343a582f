// SPDX-License-Identifier: GPL-3.0-or-later
// A stored session comes back through the same signals as it went in.
#include "run/live_run_model.h"
#include "run/pair_replay.h"
#include "run/replay_source.h"
#include "sample_library.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QSignalSpy>
#include <QTest>

#include <cmath>

namespace dyno::tst_replay {

class TestReplay : public QObject
{
    Q_OBJECT
    test::SampleLibrary m_library;
    QString m_id;

    void load(ReplaySource& replay)
    {
        QSignalSpy ready(&replay, &ReplaySource::ready);
        replay.load(m_library.file(), m_id);
        QVERIFY(ready.wait(20000));
    }

private slots:
    void initTestCase() { m_id = m_library.addShort("Replayed"); }

    void readsTheWholeSession()
    {
        ReplaySource replay;
        load(replay);
        const auto& runs = replay.data()->session.runs;
        QCOMPARE(runs.size(), std::size_t(12)); // 3 cases × 2 user counts × 2 repeats
        double length = 0;
        for (const auto& samples : replay.data()->samples) {
            QCOMPARE(samples.size(), std::size_t(6));
            length += double(samples.back()->tNs + samples.back()->lengthNs) / 1e9;
        }
        QCOMPARE(replay.length(), length);
        QCOMPARE(replay.position(), 0.0);
    }
    void playingThroughGivesTheStoredResult()
    {
        ReplaySource replay;
        LiveRunModel model;
        model.attach(&replay);
        QSignalSpy samples(&replay, &RunFeed::sampled);
        QSignalSpy finished(&replay, &RunFeed::sessionFinished);
        load(replay);
        while (replay.position() < replay.length())
            replay.advance(0.7);
        QCOMPARE(samples.size(), 72);
        QCOMPARE(finished.size(), 1);
        QCOMPARE(model.state(), LiveRunModel::State::Finished);
        QCOMPARE(model.counts().done, 12);
        // Recomputed from the intervals, the last run is what the library says of it.
        const RunSummary& stored = replay.data()->session.runs.back().summary;
        QCOMPARE(model.soFar().transactions, stored.transactions);
        QCOMPARE(model.soFar().service.p99Ms, stored.service.p99Ms);
    }
    void seekGivesTheSameStateAsPlaying()
    {
        ReplaySource played, sought;
        LiveRunModel first, second;
        first.attach(&played);
        second.attach(&sought);
        load(played);
        load(sought);
        const double target = played.runStart(7) + 1.7;
        while (played.position() < target)
            played.advance(std::min(0.3, target - played.position()));
        sought.seek(sought.length()); // there and back again
        sought.seek(target);
        QCOMPARE(second.run()->index, 7);
        QCOMPARE(second.series().time, first.series().time);
        QCOMPARE(second.series().tps, first.series().tps);
        QCOMPARE(second.counts().done, first.counts().done);
        QCOMPARE(second.points().size(), first.points().size());
        for (std::size_t i = 0; i < first.points().size(); ++i) {
            QCOMPARE(second.points()[i].tps, first.points()[i].tps);
            QCOMPARE(second.points()[i].current, first.points()[i].current);
        }
        QCOMPARE(second.events().size(), first.events().size());
        QCOMPARE(second.state(), LiveRunModel::State::Running);
    }
    //! The lines of a long session come first, the rest later; in the end it is as if it had been read at once.
    void linesOfALongSessionComeFirst_data()
    {
        QTest::addColumn<double>("share"); // of the length: where it stands meanwhile
        QTest::newRow("within a run") << 0.65;
        QTest::newRow("at its end") << 1.0;
    }
    void linesOfALongSessionComeFirst()
    {
        QFETCH(double, share);
        ReplaySource once, twice;
        LiveRunModel wanted, model;
        wanted.attach(&once);
        model.attach(&twice);
        load(once);
        once.seek(once.length() * share);
        QSignalSpy ready(&twice, &ReplaySource::ready);
        QSignalSpy completed(&twice, &ReplaySource::completed);
        twice.setReadAtOnce(71); // it has 72
        twice.load(m_library.file(), m_id);
        QVERIFY(ready.wait(20000));
        QCOMPARE(completed.size(), 0);
        QVERIFY(!twice.data()->whole() && twice.data()->samples.empty());
        QCOMPARE(twice.length(), once.length());
        QCOMPARE(twice.clock().markers().size(), once.clock().markers().size());
        QSignalSpy sampled(&twice, &RunFeed::sampled);
        twice.seek(twice.length() * share);
        QCOMPARE(sampled.size(), 0);
        QVERIFY(model.outlined() && !wanted.outlined());
        QVERIFY(wanted.series().size() > 2);
        const auto sameLines = [&] {
            QCOMPARE(model.series().time, wanted.series().time);
            QCOMPARE(model.series().tps, wanted.series().tps);
            QCOMPARE(model.series().errors, wanted.series().errors);
            QCOMPARE(model.series().service.p50, wanted.series().service.p50);
            QCOMPARE(model.series().response.p999, wanted.series().response.p999);
            QCOMPARE(model.warmupSeconds(), wanted.warmupSeconds());
            QCOMPARE(model.stalls().size(), wanted.stalls().size());
            QCOMPARE(model.stateText(), wanted.stateText());
        };
        sameLines();
        QCOMPARE(model.series().qps.size(), wanted.series().qps.size());
        QVERIFY(std::isnan(model.series().qps.last()) && std::isnan(model.series().hostBusy.last())); // not a made-up 0
        // What is changed before the rest is there stays.
        RunEvent note;
        note.kind = EventKind::Note;
        note.text = "meanwhile";
        twice.setEvents(0, {note}, {});
        QVERIFY(completed.wait(20000));
        QCOMPARE(completed.size(), 1);
        QVERIFY(twice.data()->whole() && !model.outlined());
        QCOMPARE(twice.data()->events[0].size(), std::size_t(1));
        QCOMPARE(twice.position(), once.position());
        sameLines();
        QCOMPARE(model.series().qps, wanted.series().qps);
        QCOMPARE(model.series().hostBusy, wanted.series().hostBusy);
        QCOMPARE(model.series().clientCpu, wanted.series().clientCpu);
        QCOMPARE(model.soFar().transactions, wanted.soFar().transactions);
        QCOMPARE(model.soFar().service.p99Ms, wanted.soFar().service.p99Ms);
        QCOMPARE(model.counts().done, wanted.counts().done);
    }
    //! Nothing is kept of hidden counters while only the outline is there: a long run has hundreds of them.
    void outlineHasNoHiddenCounters()
    {
        ReplaySource replay;
        LiveRunModel model;
        model.attach(&replay);
        auto session = std::make_shared<SessionHeader>();
        session->points.resize(1);
        auto run = std::make_shared<RunHeader>();
        run->counters = {{"server", "Shown", "calls", true}, {"server", "Hidden", "calls", true, true}};
        emit replay.sessionStarted(session);
        emit replay.runStarted(run);
        IntervalColumns lines;
        for (int i = 0; i < 3; ++i) {
            lines.tNs.push_back(i * 1'000'000'000LL);
            lines.lengthNs.push_back(1'000'000'000);
            lines.phase.push_back(Phase::Measure);
            lines.rows.push_back(0);
            lines.transaction.count.push_back(10);
            lines.transaction.errors.push_back(0);
            IntervalColumns::Latency& service = lines.transaction.service;
            for (std::vector<double>* column :
                 {&service.p50Ms, &service.p95Ms, &service.p99Ms, &service.p999Ms, &service.maxMs})
                column->push_back(1);
        }
        for (std::size_t i = 0; i < lines.size(); ++i)
            emit replay.outlined(lines, i);
        QCOMPARE(model.series().counters.at(0).size(), 3);
        QCOMPARE(model.series().counters.at(1).size(), 0);
        auto sample = std::make_shared<IntervalSample>();
        sample->tNs = 3'000'000'000;
        sample->lengthNs = 1'000'000'000;
        sample->counters = {4, 5};
        emit replay.sampled(sample);
        for (const QVector<double>& counter : model.series().counters) {
            QCOMPARE(counter.size(), 4);
            QVERIFY(std::isnan(counter.at(0)) && std::isnan(counter.at(2)));
        }
        QCOMPARE(model.series().counters.at(1).last(), 5.0); // stands where it belongs
    }
    void closedWhileTheRestIsRead()
    {
        ReplaySource replay;
        replay.setReadAtOnce(0);
        QSignalSpy completed(&replay, &ReplaySource::completed);
        load(replay);
        replay.close();
        QTRY_COMPARE(QThreadPool::globalInstance()->activeThreadCount(), 0);
        QCoreApplication::processEvents();
        QCOMPARE(completed.size(), 0);
        QVERIFY(!replay.loaded());
    }
    void playsFasterThanTime()
    {
        ReplaySource replay;
        load(replay);
        replay.setSpeed(100);
        QSignalSpy finished(&replay, &RunFeed::sessionFinished);
        QElapsedTimer clock;
        clock.start();
        replay.play();
        QVERIFY(replay.playing());
        QVERIFY(finished.wait(20000));
        QVERIFY(!replay.playing());
        // ×100 may be late on a busy machine, never early.
        QVERIFY(double(clock.elapsed()) / 1000 >= replay.length() / 100 * 0.9);
        replay.play(); // again from the beginning
        QVERIFY(replay.position() < replay.length());
    }
    void speedStaysInItsRange()
    {
        ReplaySource replay;
        replay.setSpeed(5000);
        QCOMPARE(replay.speed(), 1000.0);
        replay.setSpeed(0.1);
        QCOMPARE(replay.speed(), 1.0);
    }
    void markersTellWhatHappened()
    {
        ReplaySource replay;
        load(replay);
        const auto& markers = replay.clock().markers();
        QVERIFY(std::ranges::is_sorted(markers, {}, &ReplayMarker::at));
        const auto count = [&](MarkerKind kind) { return std::ranges::count(markers, kind, &ReplayMarker::kind); };
        QCOMPARE(count(MarkerKind::RunStart), 12);
        QCOMPARE(count(MarkerKind::WarmupEnd), 12);
        QVERIFY(std::ranges::none_of(markers, [](const ReplayMarker& one) {
            return one.kind == MarkerKind::Phase && one.text == QStringLiteral("measure"); // told once
        }));
        const ReplayMarker* first = nextMarker(markers, 0, true);
        QVERIFY(first && first->at > 0);
        QCOMPARE(nextMarker(markers, first->at, false)->at, 0.0);
        QVERIFY(!nextMarker(markers, 0, false));
        QVERIFY(!nextMarker(markers, replay.length(), true));
    }
    void stallsAndNotesAreMarkers()
    {
        StoredRun run;
        run.warmupEndNs = 1'000'000'000;
        const std::vector<RunEvent> events{{2'000'000'000, 0, EventKind::Note, "checkpoint"},
                                           {3'000'000'000, 500'000'000, EventKind::Reconnect, "lost"}};
        Stall stall;
        stall.tNs = 2'500'000'000;
        stall.lengthNs = 2'000'000'000;
        stall.usual = 100;
        stall.stalled = true;
        const auto markers = markersOf(run, 0, events, {stall}, 10, 5, 1);
        QCOMPARE(markers.size(), std::size_t(4)); // of the only run the start is no news
        QCOMPARE(markers[0].at, 11.0);
        QCOMPARE(markers[1].kind, MarkerKind::Note);
        QCOMPARE(markers[2].kind, MarkerKind::Stall);
        QCOMPARE(markers[2].length, 2.0);
        QCOMPARE(markers[2].tone, Tone::Bad);
        QCOMPARE(markers[3].tone, Tone::Warn);
    }
    //! Many samples at a time tell the model as much as each alone.
    void fastIsTheSameAsSlow()
    {
        ReplaySource slow, fast;
        LiveRunModel first, second;
        first.attach(&slow);
        second.attach(&fast);
        load(slow);
        load(fast);
        QSignalSpy told(&second, &LiveRunModel::sampleAppended);
        while (slow.position() < 8)
            slow.advance(0.1);
        fast.advance(slow.position());
        QCOMPARE(second.series().time, first.series().time);
        QCOMPARE(second.soFar().transactions, first.soFar().transactions);
        QCOMPARE(second.events().size(), first.events().size());
        QCOMPARE(second.counts().done, first.counts().done);
        QCOMPARE(told.size(), 3); // once a run
    }
    //! The first changes 100 rows a second for 4 s, the second 200 for 5 s.
    void pairAlongRows()
    {
        const auto side = [](double rowsPerSecond, int seconds) {
            auto made = std::make_shared<PairSide>();
            made->session.runs.resize(1);
            made->trace.warmup = 1;
            made->trace.seconds = {0};
            made->trace.rows = {0};
            for (int i = 1; i <= seconds; ++i) {
                made->trace.seconds.push_back(i);
                made->trace.rows.push_back(rowsPerSecond * i);
            }
            ReplayMarker marker;
            marker.at = 3;
            made->markers = {marker};
            return made;
        };
        const auto slow = side(100, 4), fast = side(200, 5);
        const PairTimeline time(slow, fast, PairAxis::Time);
        QCOMPARE(time.length(), 6.0);
        QCOMPARE(time.shown(0, 3), std::size_t(3)); // 0, 1 and 2 s after the warm-up
        QCOMPARE(time.shown(1, 3), std::size_t(3));
        QCOMPARE(time.markers().front().at, 4.0);
        const PairTimeline rows(slow, fast, PairAxis::Rows);
        QVERIFY(rows.countsRows());
        QCOMPARE(rows.rowsAt(2), 200.0);
        QCOMPARE(rows.shown(0, 2), std::size_t(3)); // up to 200 rows
        QCOMPARE(rows.shown(1, 2), std::size_t(2));
        // At its end the first has 400 rows, the second had them after 2 s and goes on alone for 3 s.
        QCOMPARE(rows.length(), 7.0);
        QCOMPARE(rows.rowsAt(5), 600.0);
        QCOMPARE(rows.shown(1, 7), std::size_t(6));
        const auto markers = rows.markers();
        QCOMPARE(markers.size(), std::size_t(2));
        QCOMPARE(markers[0].at, 3.0); // of A: 300 rows
        QCOMPARE(markers[1].at, 5.0); // of B: 600 rows, a second after A's end
        QVERIFY(markers[1].text.startsWith(QStringLiteral("B: ")));
        // The other way round the first is through sooner.
        const PairTimeline other(fast, slow, PairAxis::Rows);
        QCOMPARE(other.length(), 5.0);
        QCOMPARE(other.shown(1, 1), std::size_t(3));
        // Without rows there is only time.
        QCOMPARE(PairTimeline(slow, side(0, 2), PairAxis::Rows).axis(), PairAxis::Time);
    }
    //! What was there stays when it cannot be read again, with what was changed meanwhile.
    void readAgain()
    {
        ReplaySource replay;
        load(replay);
        replay.seek(1.6);
        QSignalSpy again(&replay, &ReplaySource::reloaded), notRead(&replay, &ReplaySource::reloadFailed);
        QSignalSpy failed(&replay, &ReplaySource::failed);
        replay.reload(m_library.file());
        QVERIFY(again.wait(20000));
        QCOMPARE(replay.position(), 1.6);
        RunEvent note;
        note.text = "meanwhile";
        replay.reload(m_library.file().parent_path() / "nowhere.dynolib");
        replay.setEvents(0, {note}, {});
        QVERIFY(notRead.wait(20000));
        QVERIFY(notRead.size() == 1 && again.size() == 1 && failed.isEmpty());
        QVERIFY(replay.loaded() && replay.data()->samples.size() == 12);
        QCOMPARE(replay.data()->events[0].at(0).text, note.text);
        QCOMPARE(replay.position(), 1.6);
        replay.reload(m_library.file());
        replay.setEvents(1, {note}, {});
        QVERIFY(again.wait(20000));
        QVERIFY(replay.data()->events[1].at(0).text != note.text); // as they are stored
    }
    //! Times of a sample that was not taken are of no other one.
    void timesOfNoSample()
    {
        ReplaySource replay;
        LiveRunModel model;
        model.attach(&replay);
        load(replay);
        replay.seek(1.6);
        QVERIFY(!model.series().operations.empty());
        const std::vector<std::vector<double>> times(model.series().operations.size(), {-1});
        const auto bare = std::make_shared<const IntervalSample>(); // without a length
        emit replay.sampled(bare);
        emit replay.timed(bare, times, 0);
        QVERIFY(model.series().operations[0].p99.last() != -1);
        emit replay.timed(replay.data()->samples[0][2], times, 0);
        QCOMPARE(model.series().operations[0].p99.last(), -1.0);
    }
    void missingSessionIsSaid()
    {
        ReplaySource replay;
        QSignalSpy failed(&replay, &ReplaySource::failed);
        replay.load(m_library.file(), QStringLiteral("00000000-dead"));
        QVERIFY(failed.wait(20000));
        QVERIFY(!failed.first().first().toString().isEmpty());
        QVERIFY(!replay.loaded());
    }
    void closedReplayDeliversNothing()
    {
        ReplaySource replay;
        QSignalSpy ready(&replay, &ReplaySource::ready);
        QSignalSpy failed(&replay, &ReplaySource::failed);
        replay.load(m_library.file(), m_id);
        replay.close();
        ReplaySource other;
        load(other); // by then the first job has ended as well
        QTRY_COMPARE(QThreadPool::globalInstance()->activeThreadCount(), 0);
        QCoreApplication::processEvents();
        QCOMPARE(ready.size() + failed.size(), 0);
    }
};

} // namespace dyno::tst_replay

DYNO_SUITE(tst_replay, dyno::tst_replay::TestReplay)
#include "tst_replay.moc"
