// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/load_search.h"
#include "support/suite.h"

#include <QTest>

#include <cmath>

namespace dyno::tst_search {

namespace {

Search rates(double from, double to, double precision, int confirm)
{
    return {Search::What::Rate, from, to, 1, precision, confirm};
}

//! Runs a bisection against a server that carries anything up to `capacity`.
double find(const Search& search, double capacity, int* probes = nullptr)
{
    Bisection bisection(search);
    while (const auto load = bisection.next())
        bisection.result(*load <= capacity);
    if (probes)
        *probes = bisection.probes();
    return bisection.answer();
}

IntervalSample interval(double seconds, std::uint64_t count, std::uint64_t latencyNs)
{
    IntervalSample sample;
    sample.lengthNs = std::int64_t(seconds * 1e9);
    sample.transaction.count = count;
    sample.transaction.service.record(latencyNs, count);
    return sample;
}

} // namespace

class TstSearch : public QObject
{
    Q_OBJECT
private slots:
    void findsTheCapacityWithinItsPrecision_data()
    {
        QTest::addColumn<double>("capacity");
        for (const double capacity : {101.0, 150.0, 1234.5, 9000.0, 19'999.0})
            QTest::addRow("%g", capacity) << capacity;
    }
    void findsTheCapacityWithinItsPrecision()
    {
        QFETCH(double, capacity);
        int probes = 0;
        const double found = find(rates(100, 20'000, 0.02, 2), capacity, &probes);
        QVERIFY(found <= capacity);
        QVERIFY2(found >= capacity / 1.02, qPrintable(QString::number(found)));
        // two ends, log2(log(200)/log(1.02)) ≈ 8.1 halvings, two confirmations
        QVERIFY2(probes <= 2 + 9 + 2, qPrintable(QString::number(probes)));
    }

    void endsAreTriedFirst()
    {
        int probes = 0;
        QCOMPARE(find(rates(100, 1000, 0.05, 2), 5000, &probes), 1000.0);
        QCOMPARE(probes, 1);
        QCOMPARE(find(rates(100, 1000, 0.05, 2), 50, &probes), 0.0);
        QCOMPARE(probes, 2);
    }

    void usersAreWholeNumbers()
    {
        for (const int capacity : {1, 2, 3, 7, 100, 255}) {
            const Search search{Search::What::Users, 1, 256, 1, 0.01, 1};
            Bisection bisection(search);
            while (const auto load = bisection.next()) {
                QCOMPARE(*load, std::floor(*load));
                bisection.result(*load <= capacity);
            }
            QVERIFY(bisection.answer() <= capacity);
            QVERIFY(bisection.answer() >= std::floor(capacity / 1.01));
        }
    }

    void whatDoesNotHoldAgainIsNotTheAnswer()
    {
        // Holds at its first try up to 800, but when asked again only up to 500: the answer is confirmed there.
        Bisection bisection(rates(100, 1000, 0.1, 2));
        std::map<double, int> asked;
        while (const auto load = bisection.next()) {
            const bool first = asked[*load]++ == 0;
            bisection.result(first ? *load <= 800 : *load <= 500);
        }
        QVERIFY2(bisection.answer() <= 500 && bisection.answer() > 400,
                 qPrintable(QString::number(bisection.answer())));
    }

    void aServerThatAnswersAtRandomEndsTheSearch()
    {
        Bisection bisection(rates(100, 1e6, 0.001, 5));
        unsigned state = 1;
        while (bisection.next()) {
            state = state * 1664525u + 1013904223u;
            bisection.result(state >> 31);
            QVERIFY(bisection.probes() <= 60);
        }
    }

    void objectiveLooksAtThePercentile()
    {
        ObjectiveWatch watch({99, 20});
        watch.add(interval(1, 990, 1'000'000));
        QVERIFY(watch.holds());
        watch.add(interval(1, 10, 50'000'000)); // exactly 1 % slow: p99 is still 1 ms
        QVERIFY(watch.holds());
        watch.add(interval(1, 5, 50'000'000));
        QVERIFY(!watch.holds());
        QVERIFY(watch.why().find("p99 is 50") != std::string::npos);
    }

    void objectiveWantsNoErrorsNoDropsAndArrivalsServed()
    {
        ObjectiveWatch watch({50, 100});
        QVERIFY(!watch.holds()); // nothing was done
        IntervalSample sample = interval(1, 1000, 1'000'000);
        watch.add(sample);
        QVERIFY(watch.holds());
        sample.transaction.errors = 1;
        watch.add(sample);
        QVERIFY(watch.why().find("failed") != std::string::npos);
        watch.reset();
        sample.transaction.errors = 0;
        sample.dropped = 2;
        watch.add(sample);
        QVERIFY(watch.why().find("dropped") != std::string::npos);
        watch.reset();
        sample.dropped = 0;
        sample.arrivals = 2000;
        watch.add(sample);
        QVERIFY(watch.why().find("50 %") != std::string::npos);
    }

    void aWindowForgets()
    {
        ObjectiveWatch watch({100, 20}, 3);
        watch.add(interval(1, 10, 100'000'000));
        QVERIFY(!watch.full());
        watch.add(interval(1, 10, 1'000'000));
        watch.add(interval(1, 10, 1'000'000));
        QVERIFY(watch.full() && !watch.holds());
        watch.add(interval(1, 10, 1'000'000));
        QVERIFY(watch.full() && watch.holds());
    }
};

} // namespace dyno::tst_search

DYNO_SUITE(tst_search, dyno::tst_search::TstSearch)
#include "tst_search.moc"
