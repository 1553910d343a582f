// SPDX-License-Identifier: GPL-3.0-or-later
// The distributions against closed forms, exact sums and sysbench itself. Seeds are fixed, so that a result is the same
// each time; bounds are those of tests at a level of 10^-4 or less.
#include "support/chi_square.h"
#include "support/suite.h"
#include "workload/distribution.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace dyno::tst_distribution {

namespace {

std::vector<std::int64_t> draw(const DistributionSpec& spec, std::int64_t low, std::int64_t high, int count,
                               std::uint64_t seed = 1)
{
    const Distribution distribution(spec, low, high);
    Random random(seed);
    std::vector<std::int64_t> values;
    values.reserve(std::size_t(count));
    for (int i = 0; i < count; ++i)
        values.push_back(distribution.draw(random));
    return values;
}

double share(const std::vector<std::int64_t>& values, std::int64_t low, std::int64_t high)
{
    const auto hits = std::ranges::count_if(values, [=](std::int64_t v) { return v >= low && v <= high; });
    return double(hits) / double(values.size());
}

//! Largest distance between the empirical distribution functions of two samples.
double kolmogorov(std::vector<std::int64_t> a, std::vector<std::int64_t> b)
{
    std::ranges::sort(a);
    std::ranges::sort(b);
    double distance = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        const std::int64_t at = std::min(a[i], b[j]);
        while (i < a.size() && a[i] == at)
            ++i;
        while (j < b.size() && b[j] == at)
            ++j;
        distance = std::max(distance, std::abs(double(i) / double(a.size()) - double(j) / double(b.size())));
    }
    return distance;
}

constexpr int kDraws = 1'000'000;

} // namespace

class TstDistribution : public QObject
{
    Q_OBJECT
private slots:
    void namesAreKnown()
    {
        QVERIFY(distributionFromText("zipfian") == DistributionKind::Zipfian);
        QVERIFY(distributionFromText("special") == DistributionKind::Special);
        QVERIFY(!distributionFromText("Special"));
        QVERIFY(!distributionFromText(""));
    }

    void everyKindStaysInside_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("compat");
        for (int kind = 0; kind <= int(DistributionKind::Zipfian); ++kind) {
            for (const bool compat : {false, true})
                QTest::addRow("%d %s", kind, compat ? "compat" : "corrected") << kind << compat;
        }
    }
    void everyKindStaysInside()
    {
        QFETCH(int, kind);
        QFETCH(bool, compat);
        const std::pair<std::int64_t, std::int64_t> intervals[] = {{1, 1}, {1, 2}, {0, 6}, {-3, 3}, {1, 2147483647}};
        for (const auto& [low, high] : intervals) {
            const auto values = draw({.kind = DistributionKind(kind), .compat = compat}, low, high, 20000);
            QCOMPARE(share(values, low, high), 1.0);
            if (low < high)
                QVERIFY(std::ranges::min(values) < std::ranges::max(values));
        }
    }

    void uniformIsFlatAndReachesBothEnds()
    {
        for (const std::int64_t cells : {7, 100, 1000}) {
            std::vector<double> observed(std::size_t(cells), 0);
            for (const std::int64_t value : draw({}, 1, cells, kDraws))
                ++observed[std::size_t(value - 1)];
            const std::vector<double> expected(std::size_t(cells), double(kDraws) / double(cells));
            const test::ChiSquare result = test::chiSquare(expected, observed);
            QVERIFY2(result.fits(), qPrintable(QString("%1 cells: %2").arg(cells).arg(result.value)));
        }
    }

    void gaussianIsTheMeanOfTwelveUniforms()
    {
        const double n = 100000;
        const auto values = draw({.kind = DistributionKind::Gaussian}, 1, 100000, kDraws);
        double sum = 0, squares = 0, fourth = 0;
        const double mean = 1 + n / 2 - 0.5; // of 1 + ⌊n·m⌋
        const double variance = n * n / 144; // a uniform's n²/12, by twelve
        for (const std::int64_t value : values) {
            const double d = double(value) - mean;
            sum += d;
            squares += d * d;
            fourth += d * d * d * d;
        }
        QVERIFY(std::abs(sum / kDraws) < 4 * std::sqrt(variance / kDraws));
        QVERIFY(std::abs(squares / kDraws / variance - 1) < 4 * std::sqrt(2.0 / kDraws));
        // Kurtosis of a mean of k uniforms: 3 − 1.2/k. Its standard error is about sqrt(24/N).
        QVERIFY(std::abs(fourth / kDraws / variance / variance - 2.9) < 4 * std::sqrt(24.0 / kDraws));
    }

    void oneIterationIsUniform()
    {
        const auto gaussian = draw({.kind = DistributionKind::Gaussian, .iterations = 1}, 1, 1000000, 200000, 2);
        QVERIFY(kolmogorov(gaussian, draw({}, 1, 1000000, 200000, 3)) < 2.2 * std::sqrt(2.0 / 200000));
    }

    //! 75 % of the draws fall into 0.75 % of the table, because u is used twice.
    void specialAsIn1020HasTheNarrowZone()
    {
        const auto values = draw({.kind = DistributionKind::Special, .compat = true}, 1, 1000000, kDraws);
        // The bell, a quarter of all draws, adds 7 502 times its density at the middle: 12/(n·√(2π)).
        const double bell = 0.25 * 7502 * 12 / 1e6 / std::sqrt(2 * M_PI);
        const double inZone = share(values, 497500, 505001);
        QVERIFY2(std::abs(inZone - (0.75 + bell)) < 0.002, qPrintable(QString::number(inZone)));
        // Left of it there is the bell only, though the hot zone of 1 % would begin at 495 001.
        QVERIFY(share(values, 495000, 497499) < 0.004);
        QVERIFY(share(values, 505002, 507000) < 0.004);
    }

    void specialCorrectedHasOnePercent()
    {
        const auto values = draw({.kind = DistributionKind::Special}, 1, 1000000, kDraws);
        const double bell = 0.25 * 10000 * 12 / 1e6 / std::sqrt(2 * M_PI);
        QVERIFY(std::abs(share(values, 495001, 505000) - (0.75 + bell)) < 0.002);
        for (std::int64_t low = 495001; low < 505000; low += 2500)
            QVERIFY(std::abs(share(values, low, low + 2499) - (0.75 + bell) / 4) < 0.002);
        QVERIFY(share(values, 492501, 495000) < 0.004);
        QVERIFY(share(values, 505001, 507500) < 0.004);
    }

    void specialFollowsItsParameters()
    {
        DistributionSpec spec{.kind = DistributionKind::Special};
        spec.specialPercent = 10;
        spec.specialShare = 50;
        const auto values = draw(spec, 1, 1000000, kDraws);
        // The bell's share within ±0.05: ±0.6 standard deviations, erf(0.6/√2), to within the difference to a normal.
        const double expected = 0.5 + 0.5 * std::erf(0.6 / std::sqrt(2.0));
        QVERIFY(std::abs(share(values, 450001, 550000) - expected) < 0.004);
    }

    //! P(X ≤ j) = (j/n)^(1/p).
    void paretoFollowsItsClosedForm()
    {
        for (const double h : {0.2, 0.05, 0.4}) {
            const std::int64_t n = 1000000;
            DistributionSpec spec{.kind = DistributionKind::Pareto};
            spec.paretoH = h;
            auto values = draw(spec, 1, n, kDraws);
            std::ranges::sort(values);
            const double inverse = std::log(1 - h) / std::log(h);
            double distance = 0;
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (i + 1 < values.size() && values[i + 1] == values[i])
                    continue; // the distribution functions are compared at whole numbers
                const double exact = std::pow(double(values[i]) / double(n), inverse);
                distance = std::max(distance, std::abs(double(i + 1) / double(values.size()) - exact));
            }
            QVERIFY2(distance < 2.2 / std::sqrt(double(kDraws)), qPrintable(QString("h %1: %2").arg(h).arg(distance)));
        }
        // Its name's rule: a fifth of the rows gets four fifths of the draws.
        QVERIFY(std::abs(share(draw({.kind = DistributionKind::Pareto}, 1, 100000, kDraws), 1, 20000) - 0.8) < 0.002);
    }

    void zipfianMatchesExactSums_data()
    {
        QTest::addColumn<double>("exponent");
        QTest::addColumn<int>("n");
        for (const double exponent : {0.0, 0.5, 0.8, 0.99, 1.0, 1.01, 1.5, 3.0}) {
            for (const int n : {1, 2, 10, 1000, 1000000})
                QTest::addRow("s = %.2f, n = %d", exponent, n) << exponent << n;
        }
    }
    void zipfianMatchesExactSums()
    {
        QFETCH(double, exponent);
        QFETCH(int, n);
        DistributionSpec spec{.kind = DistributionKind::Zipfian};
        spec.zipfianExponent = exponent;
        std::vector<double> expected(static_cast<std::size_t>(n)), observed(static_cast<std::size_t>(n), 0.0);
        double sum = 0;
        for (int rank = 1; rank <= n; ++rank)
            sum += expected[std::size_t(rank - 1)] = std::pow(double(rank), -exponent);
        const int draws = 300'000;
        for (double& probability : expected)
            probability *= draws / sum;
        for (const std::int64_t value : draw(spec, 1, n, draws))
            ++observed[std::size_t(value - 1)];
        if (n == 1) {
            QCOMPARE(observed.front(), double(draws));
            return;
        }
        const test::ChiSquare result = test::chiSquare(expected, observed);
        QVERIFY2(result.fits(), qPrintable(QString("%1 > %2").arg(result.value).arg(result.limit)));
    }

    void zipfianIsNotScrambled()
    {
        const auto values = draw({.kind = DistributionKind::Zipfian}, 101, 200, 100000);
        std::map<std::int64_t, int> counts;
        for (const std::int64_t value : values)
            ++counts[value];
        QVERIFY(counts[101] > counts[102] && counts[102] > counts[104] && counts[104] > counts[150]);
    }

    void sameSeedSameDraws()
    {
        for (int kind = 0; kind <= int(DistributionKind::Zipfian); ++kind) {
            const DistributionSpec spec{.kind = DistributionKind(kind)};
            QCOMPARE(draw(spec, 1, 10000, 1000, 7), draw(spec, 1, 10000, 1000, 7));
            QVERIFY(draw(spec, 1, 10000, 1000, 7) != draw(spec, 1, 10000, 1000, 8));
        }
    }

    //! Of two samples: each of one's own form, and of neighbouring ones.
    void twoSamplesAreTold()
    {
        DistributionSpec pareto{.kind = DistributionKind::Pareto}, other = pareto;
        other.paretoH = 0.21;
        const auto first = draw(pareto, 1, 100'000, 100'000, 1);
        const test::ChiSquare same = test::chiSquareOfTwo(first, draw(pareto, 1, 100'000, 100'000, 2), 100);
        QVERIFY2(same.cells > 50 && same.fits(), qPrintable(same.text()));
        QVERIFY(!test::chiSquareOfTwo(first, draw(other, 1, 100'000, 100'000, 2), 100).fits());
        QVERIFY(test::chiSquareOfTwo(first, draw(pareto, 1, 100'000, 30'000, 2), 100).fits()); // samples of two sizes
        QVERIFY(!test::chiSquareOfTwo(first, draw({}, 1, 100'000, 1000, 2), 100).fits());
    }

    void uniqueSequenceRepeatsNothing()
    {
        for (const std::uint64_t seed : {0ull, 1ull, 0x123456789abcdefull}) {
            const UniqueSequence sequence(seed);
            std::vector<std::uint32_t> values;
            // Also across the end of the 32-bit range, where five numbers lie beyond the prime.
            for (std::uint32_t i = 0; i < 2'000'000; ++i)
                values.push_back(sequence.at(i - 1'000'000u));
            std::ranges::sort(values);
            QVERIFY(std::ranges::adjacent_find(values) == values.end());
            // They are spread over the whole range.
            QVERIFY(values.front() < 20'000 && values.back() > 4'294'940'000u);
            QVERIFY(std::abs(double(values[values.size() / 2]) / 4294967296.0 - 0.5) < 0.01);
        }
        QVERIFY(UniqueSequence(1).at(0) != UniqueSequence(2).at(0));
    }

    void sysbenchDrawsTheSame_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("low");
        QTest::addColumn<int>("high");
        for (const char* name : {"uniform", "gaussian", "special", "pareto"}) {
            QTest::addRow("%s, a million", name) << name << 1 << 1000000;
            QTest::addRow("%s, ten", name) << name << 1 << 10;
            QTest::addRow("%s, from 2500", name) << name << 2500 << 5000;
        }
    }
    //! Two samples of 100 000, ours and one drawn by sysbench 1.0.20 itself: Kolmogorov and Smirnov's distance, which
    //! looks at shifts, and χ² over 200 intervals, which looks at each of them. Of ten numbers each is one.
    void sysbenchDrawsTheSame()
    {
        QFETCH(QString, name);
        QFETCH(int, low);
        QFETCH(int, high);
        const QString sysbench = QStandardPaths::findExecutable("sysbench");
        if (sysbench.isEmpty())
            QSKIP("sysbench is not installed: the comparison with it was left out");
        const int count = 100000;
        QTemporaryDir folder;
        QFile script(folder.filePath("draw.lua"));
        QVERIFY(script.open(QIODevice::WriteOnly));
        // One write: sysbench's standard output has no buffer.
        script.write(QString("function thread_init()\n"
                             "  local t = {}\n"
                             "  for i = 1, %1 do t[i] = '=' .. tonumber(sysbench.rand.%2(%3, %4)) end\n"
                             "  io.write(table.concat(t, '\\n'), '\\n')\n"
                             "end\n"
                             "function event() end\n")
                         .arg(count)
                         .arg(name)
                         .arg(low)
                         .arg(high)
                         .toUtf8());
        script.close();
        QProcess process;
        process.start(sysbench, {script.fileName(), "--rand-seed=42", "--events=1", "--threads=1", "run"});
        QVERIFY(process.waitForFinished(60000));
        std::vector<std::int64_t> theirs;
        for (const QByteArray& line : process.readAllStandardOutput().split('\n')) {
            if (line.startsWith('='))
                theirs.push_back(line.mid(1).toLongLong());
        }
        QCOMPARE(int(theirs.size()), count);
        const DistributionSpec spec{.kind = *distributionFromText(name.toStdString()), .compat = true};
        const std::vector<std::int64_t> ours = draw(spec, low, high, count, 5);
        const double distance = kolmogorov(ours, theirs);
        QVERIFY2(distance < 2.2 * std::sqrt(2.0 / count), qPrintable(QString::number(distance)));
        const test::ChiSquare result = test::chiSquareOfTwo(ours, theirs, 200);
        QVERIFY2(result.cells > (high == 10 ? 4 : 60) && result.fits(), qPrintable(result.text()));
        // The corrected form of the one that 1.0.20 has wrong is another one.
        if (name == "special" && high > 10) {
            DistributionSpec corrected = spec;
            corrected.compat = false;
            QVERIFY(!test::chiSquareOfTwo(draw(corrected, low, high, count, 5), theirs, 200).fits());
        }
    }
};

} // namespace dyno::tst_distribution

DYNO_SUITE(tst_distribution, dyno::tst_distribution::TstDistribution)
#include "tst_distribution.moc"
