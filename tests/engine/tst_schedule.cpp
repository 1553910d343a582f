// SPDX-License-Identifier: GPL-3.0-or-later
// Arrival times against closed forms.
#include "load/executor/schedule.h"
#include "support/suite.h"

#include <QTest>

#include <cmath>

namespace dyno::tst_schedule {

class TstSchedule : public QObject
{
    Q_OBJECT
private slots:
    void fixedGapsDoNotDrift()
    {
        // 3 a second: the gap is no whole number of nanoseconds, so adding gaps would drift by 1/3 ns each.
        Schedule schedule(ArrivalModel::Fixed, RateProfile::constant(3), 1);
        std::int64_t at = 0;
        for (int i = 0; i <= 3'000'000; ++i)
            at = schedule.next();
        QCOMPARE(at, std::int64_t(1'000'000) * 1'000'000'000);
    }

    void rampOffersTheIntegralOfItsRate()
    {
        // r(t) = 100 + 90 t until 10 s: Λ(t) = 100 t + 45 t²; 5500 arrivals until its end, then 1000 a second.
        const RateProfile profile = RateProfile::ramp(100, 1000, 10);
        for (const double t : {0.0, 0.5, 3.0, 9.99})
            QVERIFY2(std::abs(profile.timeOf(100 * t + 45 * t * t) - t) < 1e-9, qPrintable(QString::number(t)));
        QVERIFY(std::abs(profile.timeOf(5500) - 10) < 1e-9);
        QVERIFY(std::abs(profile.timeOf(6500) - 11) < 1e-9);
        QVERIFY(std::abs(profile.rateAt(5) - 550) < 1e-9);
        QVERIFY(std::abs(profile.rateAt(50) - 1000) < 1e-9);
    }

    void rampDownToNothingEnds()
    {
        // r(t) = 10 − t: 50 arrivals in 10 s, and never another one.
        const RateProfile profile = RateProfile::ramp(10, 0, 10);
        QVERIFY(std::abs(profile.timeOf(37.5) - 5) < 1e-9); // 10·5 − 12.5
        QVERIFY(std::isinf(profile.timeOf(51)));
        Schedule schedule(ArrivalModel::Fixed, profile, 1);
        std::int64_t last = 0;
        int count = 0;
        for (std::int64_t at = schedule.next(); at != INT64_MAX; at = schedule.next()) {
            QVERIFY(at >= last);
            last = at;
            ++count;
        }
        QCOMPARE(count, 51); // numbers 0 to 50: the last one at the very end
        QVERIFY(std::abs(double(last) * 1e-9 - 10) < 1e-3);
    }

    void stepsFollowOneAnother()
    {
        // 100/s for 2 s, nothing for 3 s, 10/s from then on.
        const RateProfile profile = RateProfile::steps({{100, 2}, {0, 3}, {10, 4}});
        QVERIFY(std::abs(profile.timeOf(150) - 1.5) < 1e-9);
        QVERIFY(std::abs(profile.timeOf(201) - 5.1) < 1e-9);
        QVERIFY(std::abs(profile.timeOf(240) - 9) < 1e-9);
        QVERIFY(std::abs(profile.timeOf(250) - 10) < 1e-9); // the last rate goes on
        QCOMPARE(profile.seconds(), 9.0);
    }

    void poissonGapsAreExponential()
    {
        // Mean 1/λ, variance 1/λ², P(gap > 1/λ) = e⁻¹, and no correlation between neighbours.
        constexpr int kCount = 400'000;
        Schedule schedule(ArrivalModel::Poisson, RateProfile::constant(1000), 42);
        double sum = 0, squares = 0, products = 0, before = 0;
        int longer = 0;
        std::int64_t last = 0;
        for (int i = 0; i < kCount; ++i) {
            const std::int64_t at = schedule.next();
            const double gap = double(at - last) * 1e-6; // in units of the mean
            last = at;
            sum += gap;
            squares += gap * gap;
            products += gap * before;
            before = gap;
            longer += gap > 1;
        }
        const double n = kCount;
        const double mean = sum / n;
        // five standard errors: σ(mean) = 1/√n, σ(variance) = √8/√n, σ(share) = √(p(1−p)/n)
        QVERIFY2(std::abs(mean - 1) < 5 / std::sqrt(n), qPrintable(QString::number(mean)));
        QVERIFY(std::abs(squares / n - mean * mean - 1) < 5 * std::sqrt(8 / n));
        const double share = std::exp(-1.0);
        QVERIFY(std::abs(longer / n - share) < 5 * std::sqrt(share * (1 - share) / n));
        QVERIFY(std::abs(products / n - mean * mean) < 5 / std::sqrt(n));
    }

    void poissonCountsHaveEqualMeanAndVariance()
    {
        // Counts in windows of 10 ms at 1000/s: Poisson with mean 10, index of dispersion 1.
        Schedule schedule(ArrivalModel::Poisson, RateProfile::constant(1000), 7);
        constexpr int kWindows = 20'000;
        std::vector<int> counts(kWindows);
        for (std::int64_t at = schedule.next(); at < std::int64_t(kWindows) * 10'000'000; at = schedule.next())
            ++counts[std::size_t(at / 10'000'000)];
        double sum = 0, squares = 0;
        for (const int count : counts) {
            sum += count;
            squares += double(count) * count;
        }
        const double mean = sum / kWindows;
        const double dispersion = (squares / kWindows - mean * mean) / mean;
        QVERIFY(std::abs(mean - 10) < 5 * std::sqrt(10.0 / kWindows));
        QVERIFY2(std::abs(dispersion - 1) < 5 * std::sqrt(2.0 / kWindows), qPrintable(QString::number(dispersion)));
    }

    void sameSeedSameTimes()
    {
        Schedule a(ArrivalModel::Poisson, RateProfile::ramp(10, 1000, 5), 3);
        Schedule b(ArrivalModel::Poisson, RateProfile::ramp(10, 1000, 5), 3);
        Schedule c(ArrivalModel::Poisson, RateProfile::ramp(10, 1000, 5), 4);
        bool differs = false;
        for (int i = 0; i < 1000; ++i) {
            const std::int64_t at = a.next();
            QCOMPARE(b.next(), at);
            differs = differs || c.next() != at;
        }
        QVERIFY(differs);
    }
};

} // namespace dyno::tst_schedule

DYNO_SUITE(tst_schedule, dyno::tst_schedule::TstSchedule)
#include "tst_schedule.moc"
