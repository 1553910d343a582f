// SPDX-License-Identifier: GPL-3.0-or-later
// What moved in a stretch of time, on series whose answer is known; and bursts of errors.
#include "support/suite.h"
#include <dyno/moved.h>

#include <QTest>

#include <cmath>
#include <limits>

namespace dyno::tst_moved {

namespace {

constexpr int kIntervals = 40; // of one second
constexpr TimeStretch kStretch{20, 25};
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::vector<double> middles()
{
    std::vector<double> time;
    for (int i = 0; i < kIntervals; ++i)
        time.push_back(i + 0.5);
    return time;
}

//! ±`noise` around `calm`, around `during` within the stretch.
std::vector<double> stepped(double calm, double during, double noise)
{
    std::vector<double> values;
    for (int i = 0; i < kIntervals; ++i)
        values.push_back((i >= 20 && i < 25 ? during : calm) + (i % 2 == 0 ? noise : -noise));
    return values;
}

std::vector<SeriesMove> moved(const std::vector<std::vector<double>>& series,
                              const std::vector<TimeStretch>& unusual = {}, const MoveRule& rule = {})
{
    std::vector<std::span<const double>> views(series.begin(), series.end());
    return movesIn(middles(), views, kStretch, unusual, rule);
}

IntervalColumns columns(const std::vector<std::uint64_t>& errors)
{
    IntervalColumns all;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        all.tNs.push_back(std::int64_t(i) * 1'000'000'000);
        all.lengthNs.push_back(1'000'000'000);
        all.phase.push_back(i < 2 ? Phase::Warmup : Phase::Measure);
        all.transaction.count.push_back(1000);
        all.transaction.errors.push_back(errors[i]);
    }
    return all;
}

} // namespace

class TestMoved : public QObject
{
    Q_OBJECT
private slots:
    void ranksByDistanceInDeviations()
    {
        // Medians of the calm are 100, its MAD is 2; of the five values in the stretch three lie 2 above the step.
        const auto moves = moved({stepped(100, 120, 2), stepped(100, 101, 2), stepped(100, 60, 2)});
        QCOMPARE(moves.size(), std::size_t(2)); // the second moved by a third of a deviation
        QCOMPARE(moves[0].series, std::size_t(2));
        QCOMPARE(moves[1].series, std::size_t(0));
        QVERIFY(std::fabs(moves[0].score - (62 - 100) / (1.4826 * 2)) < 1e-9); // it fell
        QVERIFY(std::fabs(moves[1].score - (122 - 100) / (1.4826 * 2)) < 1e-9);
        QCOMPARE(moves[0].before, 100.0);
        QCOMPARE(moves[0].during, 62.0);
    }
    void oneOutlierIsNoMove()
    {
        std::vector<double> calm = stepped(100, 100, 2);
        calm[22] = 10'000; // one interval of five
        calm[10] = 50'000; // and one before
        QVERIFY(moved({calm}).empty());
    }
    void aConstantSeriesNeedsMoreThanATrifle()
    {
        QVERIFY(moved({stepped(100, 101, 0)}).empty());
        QVERIFY(moved({stepped(0, 0, 0)}).empty());
        const auto fell = moved({stepped(100, 50, 0)});
        QCOMPARE(fell.size(), std::size_t(1));
        QCOMPARE(fell[0].score, -25.0);              // 50 over 2 % of 100
        const auto rose = moved({stepped(0, 3, 0)}); // nothing before, something now
        QCOMPARE(rose.size(), std::size_t(1));
        QCOMPARE(rose[0].score, 50.0);
    }
    void unknownValuesAreNotRanked()
    {
        std::vector<double> gone = stepped(100, 50, 1), barely = gone;
        for (std::size_t i = 20; i < 25; ++i)
            gone[i] = kUnknown;
        for (std::size_t i = 0; i < 16; ++i)
            barely[i] = kUnknown; // 4 are left, fewer than 5
        QVERIFY(moved({gone, barely, {}}).empty());
        std::vector<double> gaps = stepped(100, 50, 1);
        gaps[21] = gaps[7] = kUnknown;
        QCOMPARE(moved({gaps}).size(), std::size_t(1));
    }
    void whatIsUnusualIsNoCalm()
    {
        std::vector<double> values = stepped(100, 50, 1);
        for (std::size_t i = 0; i < 11; ++i)
            values[i] = 50; // a warm-up and a stall before: most of what lies before the stretch
        QVERIFY(moved({values}).empty());
        const auto moves = moved({values}, {{0, 6}, {6, 11}});
        QCOMPARE(moves.size(), std::size_t(1));
        QVERIFY(std::fabs(moves[0].before - 100) <= 1);
    }
    void looksAtTheLastCalmAlone()
    {
        std::vector<double> values = stepped(100, 50, 1);
        for (std::size_t i = 0; i < 12; ++i)
            values[i] = 50; // long ago
        MoveRule rule;
        rule.calmSeconds = 8;
        QCOMPARE(moved({values}, {}, rule).size(), std::size_t(1));
        rule.calmSeconds = 1; // five intervals all the same
        QCOMPARE(moved({values}, {}, rule).size(), std::size_t(1));
        rule.calmSeconds = 60;
        QVERIFY(moved({values}, {}, rule).empty());
    }
    //! Intervals 10 to 12 and 20 to 25 stall: what is different in both, against all others.
    void allStretchesTogether()
    {
        std::vector<double> both = stepped(100, 50, 2), one = both;
        both[10] = both[11] = 50;
        both[0] = both[1] = 5000; // the warm-up
        const std::vector<std::vector<double>> series{both, one, stepped(7, 7, 0)};
        const std::vector<TimeStretch> stretches{{10, 12}, kStretch}, warmup{{0, 2}};
        const auto moves = movesInAll(middles(), {series.begin(), series.end()}, stretches, warmup);
        QCOMPARE(moves.size(), std::size_t(2));
        // Seven intervals: 52 48 52 48 52 and 50 50; of the other series 98 and 102 are among them.
        QCOMPARE(moves[0].series, std::size_t(0));
        QCOMPARE(moves[0].during, 50.0);
        QCOMPARE(moves[1].during, 52.0);
        QVERIFY(std::fabs(moves[0].before - 100) <= 2 && std::fabs(moves[1].before - 100) <= 2);
        const auto shown = movesToShow(
            moves, [](std::size_t one) { return one == 0; }, 5, 1);
        QCOMPARE(shown.size(), std::size_t(2));
        QCOMPARE(shown[0].series, std::size_t(1)); // hidden ones come last, however far they moved
        QVERIFY(movesToShow(
                    moves, [](std::size_t) { return true; }, 5, 0)
                    .empty());
        QVERIFY(movesInAll(middles(), {series.begin(), series.end()}, {}, warmup).empty());
        QVERIFY(movesInAll(middles(), {series.begin(), series.end()}, {{0, 100}}, warmup).empty()); // no calm is left
    }
    void burstsOfErrors()
    {
        QVERIFY(findErrorBursts({}).empty());
        QVERIFY(findErrorBursts(columns({0, 0, 0, 0, 0, 0})).empty());
        const auto bursts = findErrorBursts(columns({0, 500, 0, 0, 40, 60, 0, 0, 0, 30}));
        QCOMPARE(bursts.size(), std::size_t(2)); // that of the warm-up is none
        QCOMPARE(bursts[0].tNs, 4'000'000'000);
        QCOMPARE(bursts[0].lengthNs, 2'000'000'000);
        QCOMPARE(bursts[0].errors, std::uint64_t(100));
        QCOMPARE(bursts[1].tNs, 9'000'000'000);
        QVERIFY(findErrorBursts(columns({0, 0, 4, 4, 4, 4, 4, 4})).empty()); // as always
        QVERIFY(findErrorBursts(columns({0, 0, 100, 110, 95, 105, 120})).empty());
        QVERIFY(findErrorBursts(columns({0, 0, 0, 0, 0, 6, 0})).empty()); // less than one in a hundred
    }
};

} // namespace dyno::tst_moved

DYNO_SUITE(tst_moved, dyno::tst_moved::TestMoved)
#include "tst_moved.moc"
