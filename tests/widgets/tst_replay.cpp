// SPDX-License-Identifier: GPL-3.0-or-later
// A stored session comes back through the same signals as it went in.
#include "bridge/replay_source.h"
#include "models/live_run_model.h"
#include "sample_library.h"

#include <QSignalSpy>
#include <QTest>

using namespace dyno;

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
        QCOMPARE(model.runsDone(), 12);
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
        QCOMPARE(second.runsDone(), first.runsDone());
        QCOMPARE(second.points().size(), first.points().size());
        for (std::size_t i = 0; i < first.points().size(); ++i) {
            QCOMPARE(second.points()[i].tps, first.points()[i].tps);
            QCOMPARE(second.points()[i].current, first.points()[i].current);
        }
        QCOMPARE(second.events().size(), first.events().size());
        QCOMPARE(second.state(), LiveRunModel::State::Running);
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
        QVERIFY(double(clock.elapsed()) / 1000 < replay.length());
        replay.play(); // again from the beginning
        QVERIFY(replay.position() < replay.length());
    }
    void speedStaysInItsRange()
    {
        ReplaySource replay;
        replay.setSpeed(1000);
        QCOMPARE(replay.speed(), 100.0);
        replay.setSpeed(0.1);
        QCOMPARE(replay.speed(), 1.0);
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

QTEST_GUILESS_MAIN(TestReplay)
#include "tst_replay.moc"
