// SPDX-License-Identifier: GPL-3.0-or-later
// Zipf and the choosers of YCSB against closed forms, exact sums and the constants of YCSB itself. Seeds are fixed, so
// that a result is the same each time; bounds are those of tests at a level of 10^-4 or less.
#include "support/chi_square.h"
#include "support/suite.h"
#include "workload/ycsb/insert_counter.h"
#include "workload/ycsb/key.h"
#include "workload/ycsb/key_chooser.h"
#include "workload/zipf.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <thread>
#include <vector>

namespace dyno::tst_zipf {
using namespace dyno::ycsb;

namespace {

constexpr int kDraws = 1'000'000;

double directZeta(std::int64_t n, double theta)
{
    long double sum = 0;
    for (std::int64_t i = n; i >= 1; --i) // small terms first
        sum += powl((long double)i, -(long double)theta);
    return double(sum);
}

//! The quantile formula of Gray et al. as it is printed, written down apart from the class.
std::int64_t grayRank(double u, std::int64_t n, double theta)
{
    const double zetan = directZeta(n, theta);
    const double alpha = 1 / (1 - theta);
    const double eta = (1 - std::pow(2.0 / double(n), 1 - theta)) / (1 - directZeta(2, theta) / zetan);
    const double uz = u * zetan;
    if (uz < 1)
        return 0;
    if (uz < 1 + std::pow(0.5, theta))
        return 1;
    return std::int64_t(double(n) * std::pow(eta * u - eta + 1, alpha));
}

bool fits(const std::vector<double>& expected, const std::vector<double>& observed)
{
    const test::ChiSquare result = test::chiSquare(expected, observed);
    if (!result.fits())
        qWarning("chi-square %f, limit %f, %d cells", result.value, result.limit, result.cells);
    return result.fits();
}

//! Within 4.5 standard deviations of a binomial share.
bool shareIs(double hits, double draws, double share)
{
    const double deviation = std::sqrt(draws * share * (1 - share));
    const bool good = std::abs(hits - draws * share) < 4.5 * deviation + 1e-9;
    if (!good)
        qWarning("share %f, expected %f, deviation %f", hits / draws, share, deviation / draws);
    return good;
}

Params paramsOf(RequestDistribution requests, std::int64_t records)
{
    Params params;
    params.requests = requests;
    params.recordCount = records;
    params.shares = {1, 0, 0, 0, 0};
    return params;
}

//! How often each record is hit.
std::map<std::int64_t, double> hits(const Params& params, std::int64_t last, int draws = kDraws)
{
    const KeyChooser chooser(params);
    std::map<std::int64_t, double> counts;
    Random random(11);
    for (int i = 0; i < draws; ++i)
        ++counts[chooser.draw(random, last, std::uint64_t(i))];
    return counts;
}

double most(const std::map<std::int64_t, double>& counts)
{
    double largest = 0;
    for (const auto& [number, count] : counts)
        largest = std::max(largest, count);
    return largest;
}

} // namespace

class TstZipf : public QObject
{
    Q_OBJECT
private slots:
    void zetaIsTheSum_data()
    {
        QTest::addColumn<double>("theta");
        for (const double theta : {0.01, 0.5, 0.6, 0.8, 0.99, 0.9999})
            QTest::addRow("theta %g", theta) << theta;
    }
    void zetaIsTheSum()
    {
        QFETCH(double, theta);
        const Zipf zipf(theta);
        for (const std::int64_t n : {1, 2, 3, 127, 128, 129, 130, 1000, 4321, 300'000}) {
            const double direct = directZeta(n, theta);
            QVERIFY2(std::abs(zipf.zeta(n) - direct) < 1e-12 * direct, qPrintable(QString::number(n)));
            QCOMPARE(zipf.over(n).zeta, zipf.zeta(n));
        }
    }

    //! YCSB's constant is a sum of 10^10 terms in double, with the error that makes.
    void zetaOfYcsb() { QVERIFY(std::abs(Zipf(0.99).zeta(10'000'000'000) - 26.46902820178302) < 1e-8); }

    void rankIsTheFormula()
    {
        for (const double theta : {0.5, 0.8, 0.99}) {
            for (const std::int64_t n : {1, 2, 3, 10, 1000}) {
                const Zipf zipf(theta);
                const Zipf::Items items = zipf.over(n);
                Random ours(5), theirs(5);
                for (int i = 0; i < 200; ++i) {
                    const std::int64_t rank = zipf.draw(items, ours);
                    const double u = theirs.unit();
                    QCOMPARE(rank, n == 1 ? 0 : std::min(grayRank(u, n, theta), n - 1));
                }
            }
        }
    }

    //! The quantile formula gives P(rank ≤ k) = u(k), its inverse; the first two ranks are exact.
    void ranksFitTheFormula()
    {
        constexpr std::int64_t kItems = 1000;
        constexpr double kTheta = 0.99;
        const Zipf zipf(kTheta);
        const Zipf::Items items = zipf.over(kItems);
        std::vector<double> observed(kItems, 0), expected;
        Random random(3);
        for (int i = 0; i < kDraws; ++i) {
            const std::int64_t rank = zipf.draw(items, random);
            QVERIFY(rank >= 0 && rank < kItems);
            ++observed[std::size_t(rank)];
        }
        const double zetan = directZeta(kItems, kTheta);
        const double eta = (1 - std::pow(2.0 / kItems, 1 - kTheta)) / (1 - directZeta(2, kTheta) / zetan);
        const auto below = [&](double rank) { // P(value < rank), rank ≥ 2
            return std::max((std::pow(rank / kItems, 1 - kTheta) + eta - 1) / eta, directZeta(2, kTheta) / zetan);
        };
        expected.push_back(kDraws / zetan);
        expected.push_back(kDraws * std::pow(0.5, kTheta) / zetan);
        for (int rank = 2; rank < kItems; ++rank)
            expected.push_back(kDraws * (below(rank + 1) - below(rank)));
        QVERIFY(fits(expected, observed));
    }

    void scatterIsABijection()
    {
        for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 16, 17, 1000, 65536, 65537, 100'000}) {
            const Scatter scatter(n);
            std::vector<bool> seen(std::size_t(n), false);
            for (std::int64_t i = 0; i < n; ++i) {
                const std::int64_t to = scatter.at(i);
                QVERIFY(to >= 0 && to < n);
                QVERIFY(!seen[std::size_t(to)]);
                QCOMPARE(scatter.from(to), i);
                seen[std::size_t(to)] = true;
            }
        }
        // The hottest do not lie side by side.
        const Scatter scatter(1'000'000);
        double distance = 0;
        for (std::int64_t i = 0; i < 1000; ++i)
            distance += std::abs(double(scatter.at(i) - scatter.at(i + 1)));
        QVERIFY(distance / 1000 > 250'000 && distance / 1000 < 420'000); // a third of the interval at random
    }

    void hottestOfTheRecords_data()
    {
        QTest::addColumn<qint64>("records");
        QTest::addColumn<double>("share");
        QTest::newRow("thousand") << qint64(1000) << 0.129;
        QTest::newRow("million") << qint64(1'000'000) << 0.065;
    }
    void hottestOfTheRecords()
    {
        QFETCH(qint64, records);
        QFETCH(double, share);
        const double exact = 1 / Zipf(0.99).zeta(records);
        QVERIFY(std::abs(exact - share) < 0.0006);
        const auto counts = hits(paramsOf(RequestDistribution::Zipfian, records), records - 1);
        QVERIFY(shareIs(most(counts), kDraws, exact));
        QVERIFY(counts.begin()->first >= 0 && counts.rbegin()->first < records);
    }

    void hottestOfYcsb_data()
    {
        QTest::addColumn<qint64>("records");
        QTest::newRow("thousand") << qint64(1000);
        QTest::newRow("million") << qint64(1'000'000);
    }
    //! 3.78 % whatever the number of records is, and what other ranks bring to the same record.
    void hottestOfYcsb()
    {
        QFETCH(qint64, records);
        Params params = paramsOf(RequestDistribution::Zipfian, records);
        params.zipfianOfYcsb = true;
        const auto counts = hits(params, records - 1);
        const double hottest = counts.at(hashOf(0) % (records + 1));
        QCOMPARE(hottest, most(counts));
        const double exact = 1 / 26.46902820178302;
        QVERIFY(std::abs(exact - 0.0378) < 0.0001);
        QVERIFY(hottest / kDraws > exact * 0.97 && hottest / kDraws < exact + 3.0 / double(records) + 0.001);
    }

    //! The form of YCSB with inserts: keys of later inserts are drawn, but none beyond the last.
    void keySpaceOfYcsbGrows()
    {
        Params params = paramsOf(RequestDistribution::Zipfian, 1000);
        params.zipfianOfYcsb = true;
        params.shares = {0.5, 0, 0.5, 0, 0};
        params.operationCount = 1000; // 1000 more numbers
        for (const std::int64_t last : {999, 1499, 2000}) {
            const auto counts = hits(params, last, 100'000);
            QVERIFY(counts.rbegin()->first <= last);
            QVERIFY(counts.rbegin()->first > last - 40);
        }
    }

    void latestLooksAtTheLast()
    {
        Params params = paramsOf(RequestDistribution::Latest, 1000);
        for (const std::int64_t last : {999, 1999}) {
            const auto counts = hits(params, last, 300'000);
            QVERIFY(shareIs(counts.at(last), 300'000, 1 / directZeta(last + 1, 0.99)));
            QVERIFY(shareIs(counts.at(last - 1), 300'000, std::pow(0.5, 0.99) / directZeta(last + 1, 0.99)));
            QCOMPARE(counts.rbegin()->first, last);
            QVERIFY(counts.begin()->first >= 0);
        }
        params.latestOfYcsb = true;
        const auto counts = hits(params, 9, 300'000);
        QCOMPARE(counts.begin()->first, std::int64_t(1)); // never record 0
        QCOMPARE(counts.rbegin()->first, std::int64_t(9));
        QVERIFY(shareIs(counts.at(9), 300'000, 1 / directZeta(9, 0.99)));
    }

    void hotspotHasItsParts()
    {
        Params params = paramsOf(RequestDistribution::Hotspot, 1000);
        auto counts = hits(params, 999);
        std::vector<double> expected, observed;
        for (int i = 0; i < 1000; ++i) {
            expected.push_back(kDraws * (i < 200 ? 0.8 / 200 : 0.2 / 800));
            observed.push_back(counts[i]);
        }
        QVERIFY(fits(expected, observed));
        params.hotspotData = 0; // nothing is hot
        QCOMPARE(hits(params, 999, 100'000).size(), std::size_t(1000));
        params.hotspotData = 1; // all is hot
        params.hotspotOperations = 0;
        QCOMPARE(hits(params, 999, 100'000).size(), std::size_t(1000));
    }

    void exponentialHasItsPercentile()
    {
        const auto counts = hits(paramsOf(RequestDistribution::Exponential, 100'000), 99'999);
        const double rate = -std::log(0.05) / (100'000 * 0.8571428571);
        // Redrawn beyond the first record, so that all of it is within.
        const double all = 1 - std::exp(-rate * 100'000);
        double last1000 = 0, near = 0;
        for (const auto& [number, count] : counts) {
            QVERIFY(number >= 0 && number <= 99'999);
            last1000 += number > 98'999 ? count : 0;
            near += number > 99'999 - 85'714 ? count : 0;
        }
        QVERIFY(shareIs(last1000, kDraws, (1 - std::exp(-rate * 1000)) / all));
        QVERIFY(shareIs(near, kDraws, (1 - std::exp(-rate * 85'714)) / all));
    }

    void uniformAndSequential()
    {
        auto counts = hits(paramsOf(RequestDistribution::Uniform, 500), 10'000);
        std::vector<double> observed;
        for (const auto& [number, count] : counts)
            observed.push_back(count);
        QCOMPARE(observed.size(), std::size_t(500)); // the loaded ones only
        QVERIFY(fits(std::vector<double>(500, kDraws / 500.0), observed));
        for (const auto& [number, count] : hits(paramsOf(RequestDistribution::Sequential, 500), 499, 5000))
            QCOMPARE(count, 10.0);
    }

    void oneRecordIsEnough()
    {
        for (int kind = 0; kind < 6; ++kind) {
            for (const bool compat : {false, true}) {
                Params params = paramsOf(RequestDistribution(kind), 1);
                params.zipfianOfYcsb = params.latestOfYcsb = compat;
                const auto counts = hits(params, 0, 1000);
                QCOMPARE(counts.size(), std::size_t(1));
                QCOMPARE(counts.begin()->first, std::int64_t(0));
            }
        }
    }

    void lastMovesOverWhatIsThere()
    {
        InsertCounter counter(100);
        QCOMPARE(counter.last(), std::int64_t(99));
        std::vector<std::int64_t> taken;
        for (int i = 0; i < 5; ++i)
            taken.push_back(counter.take());
        QCOMPARE(taken, (std::vector<std::int64_t>{100, 101, 102, 103, 104}));
        counter.acknowledge(102);
        counter.acknowledge(101);
        QCOMPARE(counter.last(), std::int64_t(99)); // 100 is missing
        counter.acknowledge(100);
        QCOMPARE(counter.last(), std::int64_t(102));
        counter.acknowledge(104);
        counter.acknowledge(103);
        QCOMPARE(counter.last(), std::int64_t(104));
    }

    void threadsShareACounter()
    {
        constexpr int kThreads = 4, kEach = 200'000; // more than a window in all
        InsertCounter counter(0);
        std::vector<std::thread> threads;
        std::atomic<bool> backwards{false};
        for (int t = 0; t < kThreads; ++t) {
            threads.emplace_back([&] {
                std::int64_t before = -1;
                for (int i = 0; i < kEach; ++i) {
                    const std::int64_t number = counter.take();
                    counter.acknowledge(number);
                    const std::int64_t last = counter.last();
                    if (last < before)
                        backwards = true;
                    before = last;
                }
            });
        }
        for (std::thread& thread : threads)
            thread.join();
        QVERIFY(!backwards);
        QCOMPARE(counter.last(), std::int64_t(kThreads) * kEach - 1);
        QCOMPARE(counter.take(), std::int64_t(kThreads) * kEach);
    }
};

} // namespace dyno::tst_zipf

DYNO_SUITE(tst_zipf, dyno::tst_zipf::TstZipf)
#include "tst_zipf.moc"
