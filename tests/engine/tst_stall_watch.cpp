// SPDX-License-Identifier: GPL-3.0-or-later
// What is found interval by interval must be what findStalls() finds in all of them.
#include "support/suite.h"
#include <dyno/stall_watch.h>

#include <QTest>

#include <algorithm>
#include <random>

namespace dyno::tst_stall_watch {

class TestStallWatch : public QObject
{
    Q_OBJECT

    //! A rate that falls slowly, with noise, stalls and dips of one to eight intervals, and hangs of more than half of
    //! a window: one of them at the start, where the seed is odd.
    static std::vector<IntervalSample> run(std::uint32_t seed, int intervals, double seconds, int warmups)
    {
        std::mt19937 random(seed);
        std::vector<IntervalSample> list;
        int slow = 0, late = 0;
        double share = 1;
        for (int i = 0; i < intervals; ++i) {
            if (slow == 0 && random() % 40 == 0) {
                slow = int(1 + random() % 8);
                share = random() % 2 ? 0.02 : 0.4;
            }
            IntervalSample one;
            one.phase = i < warmups ? Phase::Warmup : Phase::Measure;
            one.tNs = std::int64_t(i * seconds * 1e9);
            one.lengthNs = std::int64_t(seconds * 1e9);
            const double noise = 0.9 + 0.2 * double(random() % 1000) / 1000;
            one.transaction.count =
                std::uint64_t(5000 * seconds * noise * (1 - 0.3 * i / intervals) * (slow > 0 ? share : 1));
            if ((seed % 2 == 1 && i < warmups + 45) || (i >= 600 && i < 670))
                one.transaction.count = 0;
            else if (i >= 900 && i < 940)
                one.transaction.count /= 100;
            slow = std::max(0, slow - 1);
            // Times with noise, that are slow now and then, and for more than half of a window; whether throughput
            // holds meanwhile is chance.
            if (late == 0 && random() % 60 == 0)
                late = int(1 + random() % (seconds < 1 ? 25U : 6U));
            const bool isLate = late > 0 || (i >= 1200 && i < 1260);
            if (one.transaction.count > 0)
                one.transaction.service.record(
                    std::uint64_t(2'000'000 * noise * (1 + double(i) / intervals) * (isLate ? 40 : 1)));
            late = std::max(0, late - 1);
            list.push_back(one);
        }
        return list;
    }

private slots:
    void findsTheSame_data()
    {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<int>("step"); // samples between two looks
        QTest::newRow("every second, live") << 1.0 << 1;
        QTest::newRow("every second, at a time") << 1.0 << 600;
        QTest::newRow("ten a second") << 0.1 << 7;
        QTest::newRow("every ten seconds") << 10.0 << 3;
    }
    void findsTheSame()
    {
        QFETCH(double, seconds);
        QFETCH(int, step);
        StallWatch watch;
        for (std::uint32_t seed = 1; seed <= 3; ++seed) {
            const std::vector<IntervalSample> all = run(seed, 1500, seconds, 20);
            watch.clear();
            QVERIFY(watch.stalls().empty());
            for (std::size_t i = 0; i < all.size(); ++i) {
                watch.add(all[i]);
                if (i % std::size_t(step) != 0)
                    continue;
                (void)watch.stalls();
            }
            const std::vector<Stall> expected = findStalls(all);
            const std::vector<Stall>& found = watch.stalls();
            QVERIFY(expected.size() > 10);
            QCOMPARE(found.size(), expected.size());
            for (std::size_t i = 0; i < found.size(); ++i) {
                QCOMPARE(found[i].tNs, expected[i].tNs);
                QCOMPARE(found[i].lengthNs, expected[i].lengthNs);
                QCOMPARE(found[i].missing, expected[i].missing);
                QCOMPARE(found[i].stalled, expected[i].stalled);
                QCOMPARE(found[i].kind, expected[i].kind);
                QCOMPARE(found[i].usualMs, expected[i].usualMs);
                QCOMPARE(found[i].highestMs, expected[i].highestMs);
            }
            QVERIFY(std::ranges::count_if(expected, &Stall::isSlow) > 5);
        }
    }
    //! Times that rise for good are another level after a minute: a look later on costs no more than before.
    void aLevelThatStaysCostsNothing()
    {
        constexpr int kStep = 300, kIntervals = 1500;
        StallWatch watch;
        std::vector<IntervalSample> all;
        std::size_t most = 0, last = 0;
        for (int i = 0; i < kIntervals; ++i) {
            IntervalSample one;
            one.phase = Phase::Measure;
            one.tNs = i * 1'000'000'000LL;
            one.lengthNs = 1'000'000'000;
            one.transaction.count = 500;
            one.transaction.service.record(i < kStep ? 4'000'000 : 200'000'000, 500);
            watch.add(one);
            all.push_back(one);
            (void)watch.stalls();
            last = watch.judged();
            most = std::max(most, last);
        }
        QCOMPARE(watch.stalls().size(), std::size_t(1));
        QCOMPARE(watch.stalls()[0].tNs, kStep * 1'000'000'000LL);
        QCOMPARE(watch.stalls()[0].lengthNs, 60'000'000'000LL);
        QCOMPARE(findStalls(all).size(), std::size_t(1));
        QVERIFY2(most < 400 && last < 200, qPrintable(QString("%1, at the end %2").arg(most).arg(last)));
    }
    void warmUpDoesNotCount()
    {
        StallWatch watch;
        for (IntervalSample one : run(1, 100, 1, 100)) {
            one.transaction.count = one.tNs % 2 ? 0 : 5000;
            watch.add(one);
        }
        QVERIFY(watch.stalls().empty());
    }
};

} // namespace dyno::tst_stall_watch

DYNO_SUITE(tst_stall_watch, dyno::tst_stall_watch::TestStallWatch)
#include "tst_stall_watch.moc"
