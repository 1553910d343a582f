// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics against outside values: tests/data/statistics.json (SciPy; the script is in the file) and printed tables.
#include "report/statistics/student.h"
#include "support/suite.h"
#include <dyno/report.h>

#include <QTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace dyno::tst_statistics {
using Json = nlohmann::json;

namespace {

bool near(double got, double wanted, double relative)
{
    return std::fabs(got - wanted) <= relative * std::max(1e-300, std::fabs(wanted));
}

std::optional<double> optionalOf(const Json& json)
{
    return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

} // namespace

class TestStatistics : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        std::ifstream file(DYNO_TEST_DATA "/statistics.json");
        m_data = Json::parse(file);
        QVERIFY(m_data["student_quantile"].size() > 100);
    }

    void quantilesOfScipy()
    {
        for (const Json& row : m_data["student_quantile"]) {
            const double t = report::studentQuantile(row["p"], row["df"]);
            QVERIFY2(near(t, row["t"], 1e-9), (row.dump() + " got " + std::to_string(t)).c_str());
            QVERIFY(near(report::studentQuantile(1 - double(row["p"]), row["df"]), -t, 1e-8));
        }
    }

    void quantilesOfPrintedTables()
    {
        // Two-sided 95 % column of the usual table, e.g. NIST/SEMATECH e-Handbook, section 1.3.6.7.2.
        const std::pair<int, double> rows[] = {
            {1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},  {5, 2.571},  {6, 2.447},  {7, 2.365},  {8, 2.306},
            {9, 2.262},  {10, 2.228}, {15, 2.131}, {20, 2.086}, {25, 2.060}, {30, 2.042}, {60, 2.000}, {100, 1.984}};
        for (const auto& [df, t] : rows)
            QCOMPARE(std::round(report::studentQuantile(0.975, df) * 1000) / 1000, t);
    }

    void distribution()
    {
        for (const Json& row : m_data["student_cdf"])
            QVERIFY2(near(report::studentCdf(row["t"], row["df"]), row["p"], 1e-10), row.dump().c_str());
        for (const Json& row : m_data["incomplete_beta"])
            QVERIFY2(near(report::incompleteBeta(row["a"], row["b"], row["x"]), row["i"], 1e-10), row.dump().c_str());
        QCOMPARE(report::incompleteBeta(2, 3, 0), 0.0);
        QCOMPARE(report::incompleteBeta(2, 3, 1), 1.0);
    }

    void estimates()
    {
        for (const Json& row : m_data["estimate"]) {
            const Estimate e = estimate(row["runs"].get<std::vector<double>>());
            QVERIFY(near(e.mean, row["mean"], 1e-12));
            QVERIFY(near(e.median, row["median"], 1e-12));
            QVERIFY(near(e.low.value(), row["low"], 1e-9));
            QVERIFY(near(e.high.value(), row["high"], 1e-9));
        }
        const Estimate single = estimate({42});
        QCOMPARE(single.mean, 42.0);
        QCOMPARE(single.median, 42.0);
        QVERIFY(!single.low && !single.high);
        QVERIFY(estimate({}).runs.empty());
        const Estimate same = estimate({5, 5, 5});
        QCOMPARE(same.low.value(), 5.0);
        QCOMPARE(same.high.value(), 5.0);
    }

    //! Two noisy runs of a rate do not tell that it might be negative.
    void intervalsOfPositiveFiguresAreAboveZero()
    {
        const std::vector<double> noisy{10, 400};
        QVERIFY(*estimate(noisy).low < 0);
        const Estimate figures = estimateOfFigures(noisy);
        QCOMPARE(figures.mean, 205.0);
        QVERIFY(*figures.low > 0 && *figures.low<figures.mean&& * figures.high> figures.mean);
        QVERIFY(near(*figures.low * *figures.high, figures.mean * figures.mean, 1e-9)); // the same factor to both sides
        const Estimate usual = estimate({99, 100, 101}), close = estimateOfFigures({99, 100, 101});
        QVERIFY(std::fabs(*usual.low - *close.low) < 0.1 && std::fabs(*usual.high - *close.high) < 0.1);
        const Estimate errors = estimateOfFigures({0, 3}); // none is a figure too: no logarithm
        QCOMPARE(*errors.low, *estimate({0, 3}).low);
        QVERIFY(!estimateOfFigures({42}).low);
    }

    void ratios()
    {
        int without = 0;
        for (const Json& row : m_data["ratio"]) {
            const Estimate value = estimate(row["value"].get<std::vector<double>>());
            const Estimate baseline = estimate(row["baseline"].get<std::vector<double>>());
            const Ratio up = ratioOf(value, baseline, true);
            const Ratio down = ratioOf(value, baseline, false);
            QVERIFY(near(up.value, row["ratio"], 1e-12));
            const auto low = optionalOf(row["low"]);
            const auto high = optionalOf(row["high"]);
            QVERIFY2(up.low.has_value() == low.has_value(), row.dump().c_str());
            if (const auto p = optionalOf(row["p"]))
                QVERIFY2(near(*up.p, *p, 1e-8), (row.dump() + " got " + std::to_string(*up.p)).c_str());
            if (!low) {
                ++without;
                QVERIFY((up.verdict == Verdict::NoDifferenceShown) == (*up.p >= 0.05));
                continue;
            }
            QVERIFY2(near(*up.low, *low, 1e-8) && near(*up.high, *high, 1e-8), row.dump().c_str());
            QVERIFY(near(*down.low, *up.low, 1e-15));
            const bool shown = *low > 1 || *high < 1;
            QVERIFY(up.verdict == (!shown ? Verdict::NoDifferenceShown : *low > 1 ? Verdict::Better : Verdict::Worse));
            QVERIFY(down.verdict == (!shown     ? Verdict::NoDifferenceShown
                                     : *low > 1 ? Verdict::Worse
                                                : Verdict::Better));
        }
        QCOMPARE(without, 3);
    }

    //! By hand: beside a baseline that never varies, two runs have one degree of freedom, whose t is 12.7062. The
    //! logarithms of 90 and 110 differ from their middle by ln(11/9)/2 = 0.100335.
    void ratioByHand()
    {
        const Ratio r = ratioOf(estimate({90, 110}), estimate({50, 50, 50}), true);
        QCOMPARE(r.value, 2.0);
        QVERIFY(near(*r.low, 2 * std::exp(-12.7062 * 0.100335), 1e-4));
        QVERIFY(near(*r.high, 2 * std::exp(12.7062 * 0.100335), 1e-4));
        // ln 2 / 0.100335 = 6.9083 with one degree of freedom: p = 1 − 2/π·atan 6.9083.
        QVERIFY(near(*r.p, 1 - 2 / 3.14159265358979 * std::atan(6.9083), 1e-4));
        // The ratio to the other side is the inverse, and so are its bounds.
        const Ratio inverse = ratioOf(estimate({50, 50, 50}), estimate({90, 110}), true);
        QVERIFY(near(*inverse.low * *r.high, 1, 1e-12) && near(*inverse.high * *r.low, 1, 1e-12));
        QVERIFY(near(*inverse.p, *r.p, 1e-12));
    }

    void edges()
    {
        QVERIFY(ratioOf(estimate({1}), estimate({2, 3}), true).verdict == Verdict::TooFewRuns);
        QVERIFY(ratioOf(estimate({1, 2}), estimate({3}), true).verdict == Verdict::TooFewRuns);
        const Ratio exact = ratioOf(estimate({2, 2}), estimate({1, 1}), true);
        QCOMPARE(exact.value, 2.0);
        QCOMPARE(exact.low.value(), 2.0);
        QVERIFY(exact.verdict == Verdict::Better);
        QVERIFY(ratioOf(estimate({1, 1}), estimate({1, 1}), true).verdict == Verdict::NoDifferenceShown);
        // Two noisy runs beside two that are alike: more than a factor of 1000 to each side says nothing.
        const Ratio noisy = ratioOf(estimate({1, 9}), estimate({5, 5.01}), true);
        QVERIFY(!noisy.low && !noisy.high && noisy.verdict == Verdict::NoDifferenceShown);
        const Ratio seldom =
            ratioOf(estimate({0, 3, 2, 4}), estimate({50, 60, 55}), true); // by the theorem from −0.002 on
        QVERIFY(!seldom.low && !seldom.high && seldom.verdict == Verdict::Worse);
        QVERIFY(!ratioOf(estimate({0, 0}), estimate({5, 5}), true).low);         // and no bound is 0
        QVERIFY(*ratioOf(estimate({-1, 9}), estimate({5, 5.01}), true).low < 0); // what may be below 0 stays as it is
        const Ratio none = ratioOf(estimate({3, 4}), estimate({0, 0}), false);
        QVERIFY(std::isnan(none.value) && !none.low);
        // Welch's t test. t = 7 with 1 degree of freedom: p = 1 − 2/π·atan 7 = 0.090; t = 86.6 with 2: p = 1 − t/√(t² +
        // 2) = 0.00013.
        QVERIFY(none.verdict == Verdict::NoDifferenceShown);
        QVERIFY(ratioOf(estimate({490, 500, 510}), estimate({0, 0, 0}), false).verdict == Verdict::Worse);
        QVERIFY(ratioOf(estimate({490, 500, 510}), estimate({0, 0, 0}), true).verdict == Verdict::Better);
        QVERIFY(ratioOf(estimate({0, 0, 0}), estimate({0, 0, 0}), false).verdict == Verdict::NoDifferenceShown);
    }

    //! Of amounts that vary much, too: of ten thousand experiments each, with two to ten runs, as normal as such can be
    //! and skewed, the bounds are above 0 and hold the truth in 95 %.
    void coverageOfNoisyAmounts_data()
    {
        QTest::addColumn<int>("runs");
        QTest::addColumn<bool>("skewed");
        QTest::addColumn<double>("variation");
        for (const int runs : {2, 3, 5, 10}) {
            QTest::addRow("%d normal runs, 2 %%", runs) << runs << false << 0.02;
            QTest::addRow("%d normal runs, 20 %%", runs) << runs << false << 0.2;
            QTest::addRow("%d lognormal runs, 50 %%", runs) << runs << true << 0.5;
            QTest::addRow("%d lognormal runs, 100 %%", runs) << runs << true << 1.0;
        }
    }
    void coverageOfNoisyAmounts()
    {
        QFETCH(int, runs);
        QFETCH(bool, skewed);
        QFETCH(double, variation);
        std::uint64_t state = 2027;
        const auto unit = [&state] {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            return (double(state >> 11) + 0.5) * 0x1.0p-53;
        };
        const double sigma = std::sqrt(std::log(1 + variation * variation));
        const auto some = [&](double mean) {
            std::vector<double> figures;
            while (int(figures.size()) < runs) {
                const double normal = std::sqrt(-2 * std::log(unit())) * std::cos(6.283185307179586 * unit());
                const double one =
                    skewed ? mean * std::exp(sigma * normal - sigma * sigma / 2) : mean * (1 + variation * normal);
                if (one > 0)
                    figures.push_back(one);
            }
            return figures;
        };
        int hits = 0, without = 0;
        for (int i = 0; i < 10'000; ++i) {
            const Ratio r = ratioOf(estimate(some(50)), estimate(some(100)), true);
            if (!r.low) {
                ++without;
                continue;
            }
            QVERIFY(*r.low > 0 && *r.low <= r.value && r.value <= *r.high);
            QCOMPARE(*r.p<0.05, *r.low> 1 || *r.high < 1);
            hits += *r.low <= 0.5 && *r.high >= 0.5;
        }
        // Those without bounds say nothing, which is never wrong. Binomial(10 000, 0.95): a deviation of 22. Welch's
        // approximation is on the safe side with few runs.
        QVERIFY2(hits + without >= 9400 && hits + without <= 9850, QByteArray::number(hits + without));
    }

    //! 95 % intervals hold the truth in 95 % of experiments: 1 000 experiments with a fixed seed.
    void coverage()
    {
        std::uint64_t state = 99;
        const auto unit = [&state] {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            return (double(state >> 11) + 0.5) * 0x1.0p-53;
        };
        const auto normal = [&unit](double mean, double sd) {
            return mean + sd * std::sqrt(-2 * std::log(unit())) * std::cos(6.283185307179586 * unit());
        };
        int hits = 0;
        for (int i = 0; i < 1000; ++i) {
            const Ratio r = ratioOf(estimate({normal(50, 2), normal(50, 2), normal(50, 2), normal(50, 2)}),
                                    estimate({normal(100, 6), normal(100, 6), normal(100, 6)}), true);
            hits += r.low && *r.low <= 0.5 && *r.high >= 0.5;
        }
        // Binomial(1000, 0.95) has a standard deviation of 6.9; Welch's approximation is a little off at n = 3.
        QVERIFY2(hits >= 925 && hits <= 980, QByteArray::number(hits));
    }

private:
    Json m_data;
};

} // namespace dyno::tst_statistics

DYNO_SUITE(tst_statistics, dyno::tst_statistics::TestStatistics)
#include "tst_statistics.moc"
