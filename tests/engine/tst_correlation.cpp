// SPDX-License-Identifier: GPL-3.0-or-later
// Which series move with another one: Spearman's coefficient on published examples, and what is not listed.
#include "base/random.h"
#include "support/suite.h"
#include <dyno/correlation.h>

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stop_token>

namespace dyno::tst_correlation {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kEnd = std::numeric_limits<double>::infinity();

std::vector<SeriesCorrelation> listed(const std::vector<double>& reference,
                                      const std::vector<std::vector<double>>& series,
                                      const TimeStretch& stretch = {0, kEnd},
                                      const std::vector<TimeStretch>& unusual = {})
{
    std::vector<double> time;
    for (std::size_t i = 0; i < reference.size(); ++i)
        time.push_back(double(i) + 0.5);
    return correlationsWith(time, reference, {series.begin(), series.end()}, stretch, unusual);
}

} // namespace

class TestCorrelation : public QObject
{
    Q_OBJECT
private slots:
    void publishedExamples_data()
    {
        QTest::addColumn<QList<double>>("x");
        QTest::addColumn<QList<double>>("y");
        QTest::addColumn<double>("rho");
        // Wikipedia, "Spearman's rank correlation coefficient", Example: IQ and hours of TV a week.
        QTest::newRow("no ties") << QList<double>{106, 100, 86, 101, 99, 103, 97, 113, 112, 110}
                                 << QList<double>{7, 27, 2, 50, 28, 29, 20, 12, 6, 17} << -29.0 / 165;
        // Documentation of scipy.stats.spearmanr, first example.
        QTest::newRow("ties") << QList<double>{1, 2, 3, 4, 5} << QList<double>{5, 6, 7, 8, 7} << 0.82078268166812329;
        // By hand: ranks 1.5 1.5 3.5 3.5 and 1 2 3 4 give 4/√(4·5).
        QTest::newRow("ties on one side")
            << QList<double>{0, 0, 9, 9} << QList<double>{1, 2, 30, 400} << 4 / std::sqrt(20.0);
        QTest::newRow("any rising curve")
            << QList<double>{1, 2, 3, 4, 5, 6} << QList<double>{1, 8, 27, 64, 125, 216} << 1.0;
        QTest::newRow("any falling curve") << QList<double>{1, 2, 3, 4} << QList<double>{1, 0.5, 0.25, 0.125} << -1.0;
    }
    void publishedExamples()
    {
        QFETCH(const QList<double>, x);
        QFETCH(const QList<double>, y);
        QFETCH(const double, rho);
        std::vector<double> a(x.begin(), x.end()), b(y.begin(), y.end());
        const auto found = rankCorrelation(a, b);
        QVERIFY(found.has_value());
        QVERIFY2(std::fabs(found->rho - rho) < 1e-12, qPrintable(QString::number(found->rho, 'g', 17)));
        QCOMPARE(found->pairs, a.size());
        QCOMPARE(rankCorrelation(b, a)->rho, found->rho);
        // What is not known is no pair.
        a.insert(a.begin() + 1, kMissing);
        b.insert(b.begin() + 1, 1e9);
        QCOMPARE(rankCorrelation(a, b)->rho, found->rho);
        QCOMPARE(rankCorrelation(a, b)->pairs, std::size_t(x.size()));
    }
    void nothingToRank()
    {
        const std::vector<double> rising{1, 2, 3}, level{4, 4, 4}, one{1}, unknown{kMissing, kMissing, 3};
        QVERIFY(!rankCorrelation(rising, level));
        QVERIFY(!rankCorrelation(one, one));
        QVERIFY(!rankCorrelation(rising, unknown));
    }

    void theStrongestFirst()
    {
        Random random(11);
        std::vector<double> tps, with, against, loose, level, spikes;
        for (int i = 0; i < 60; ++i) {
            tps.push_back(1000 + random.unit() * 500);
            with.push_back(3 * tps.back() + random.unit() * 200);
            against.push_back(-tps.back());
            loose.push_back(random.unit() * 1000);
            level.push_back(7);
            spikes.push_back(tps.back() > 1400 ? 1 : 0); // two different values
        }
        const auto found = listed(tps, {with, loose, against, level, spikes});
        QCOMPARE(found.size(), std::size_t(2));
        QCOMPARE(found[0].series, std::size_t(2));
        QCOMPARE(found[0].rho, -1.0);
        QCOMPARE(found[0].pairs, std::size_t(60));
        QCOMPARE(found[1].series, std::size_t(0));
        QVERIFY(found[1].rho > 0.8 && found[1].rho < 1);
    }
    //! The warm-up is no part of it, nor what lies outside of the range.
    void onlyInTheRange()
    {
        Random random(2);
        std::vector<double> tps, series;
        for (int i = 0; i < 120; ++i) {
            tps.push_back(random.unit());
            series.push_back(i < 40 ? 9 - tps.back() : i < 80 ? tps.back() : 5 - tps.back());
        }
        QCOMPARE(listed(tps, {series}, {40, 80}).at(0).rho, 1.0);
        QCOMPARE(listed(tps, {series}, {40, 80}).at(0).pairs, std::size_t(40));
        QCOMPARE(listed(tps, {series}, {0, 80}, {{0, 40}}).at(0).rho, 1.0);
        QCOMPARE(listed(tps, {series}, {80, 120}).at(0).rho, -1.0);
    }
    //! In the least number of intervals that is listed at all the two must agree in each of them.
    void fewIntervals()
    {
        // Neighbours are unlike: 18 values whose ranks have hardly any autocorrelation.
        const std::vector<double> tps{1, 10, 2, 3, 11, 12, 4, 13, 14, 15, 5, 6, 16, 7, 8, 17, 18, 9};
        std::vector<double> almost = tps;
        std::swap(almost[0], almost[4]);
        const auto found = listed(tps, {tps, almost});
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(found[0].series, std::size_t(0));
        QVERIFY(listed(tps, {tps}, {0, 17}).empty());
    }
    //! Among 1 500 series that have nothing to do with it hardly one is listed: with these seeds, none.
    void chanceIsNotListed()
    {
        Random random(5);
        for (const int intervals : {20, 30, 120}) {
            std::vector<std::vector<double>> series(1500);
            std::vector<double> tps;
            for (int i = 0; i < intervals; ++i) {
                tps.push_back(random.unit() * 1'000'000);
                for (std::vector<double>& one : series)
                    one.push_back(random.unit() * 1'000'000);
            }
            QCOMPARE(listed(tps, series).size(), std::size_t(0));
        }
    }
    //! Drifts look alike by chance: by the number of intervals alone some pairs of random walks would be listed.
    void driftsAreNotListed()
    {
        Random random(7);
        for (const int intervals : {30, 120, 600}) {
            std::vector<std::vector<double>> series(300, {0});
            std::vector<double> tps{0};
            for (int i = 1; i < intervals; ++i) {
                tps.push_back(tps.back() + random.unit() - 0.5);
                for (std::vector<double>& one : series)
                    one.push_back(one.back() + random.unit() - 0.5);
            }
            const double chance = std::max(0.5, 4 / std::sqrt(double(intervals - 1)));
            QVERIFY(std::ranges::any_of(series, [&](const std::vector<double>& one) {
                return std::fabs(rankCorrelation(tps, one)->rho) > chance;
            }));
            QCOMPARE(listed(tps, series).size(), std::size_t(0));
        }
    }
    //! What a slow wave and the noise on it share is listed where there is enough of it.
    void wavesAreListed()
    {
        Random random(8);
        std::vector<double> tps, with;
        for (int i = 0; i < 300; ++i) {
            tps.push_back(std::sin(0.2 * i) + random.unit());
            with.push_back(2 * tps.back() + 0.5 * random.unit());
        }
        QCOMPARE(listed(tps, {with}).size(), std::size_t(1));
    }
    void stops()
    {
        std::vector<double> time, tps;
        Random random(9);
        for (int i = 0; i < 40; ++i) {
            time.push_back(i + 0.5);
            tps.push_back(random.unit());
        }
        std::stop_source source;
        QCOMPARE(correlationsWith(time, tps, {tps}, {0, kEnd}, {}, {}, source.get_token()).size(), std::size_t(1));
        source.request_stop();
        QVERIFY(correlationsWith(time, tps, {tps}, {0, kEnd}, {}, {}, source.get_token()).empty());
    }
};

} // namespace dyno::tst_correlation

DYNO_SUITE(tst_correlation, dyno::tst_correlation::TestCorrelation)
#include "tst_correlation.moc"
