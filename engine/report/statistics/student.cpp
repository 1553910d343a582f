// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/statistics/student.h"

#include <cmath>

namespace dyno::report {

namespace {

//! The continued fraction of DLMF 8.17.22; converges quickly for x < (a + 1) / (a + b + 2).
double betaFraction(double a, double b, double x)
{
    constexpr double kTiny = 1e-300;
    constexpr double kPrecise = 1e-16;
    constexpr int kMost = 10000; // needs about sqrt(max(a, b)) steps
    const auto awayFromZero = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
    double c = 1;
    double d = 1 / awayFromZero(1 - (a + b) * x / (a + 1));
    double fraction = d;
    for (int m = 1; m <= kMost; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / awayFromZero(1 + even * d);
        c = awayFromZero(1 + even / c);
        fraction *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / awayFromZero(1 + odd * d);
        c = awayFromZero(1 + odd / c);
        const double step = d * c;
        fraction *= step;
        if (std::fabs(step - 1) < kPrecise)
            break;
    }
    return fraction;
}

double logGamma(double x)
{
    int sign = 0; // lgamma() would write a global
    return lgamma_r(x, &sign);
}

//! What Stirling's formula leaves of log Γ(x) (DLMF 5.11.1); below 1e−15 off from x = 100 on.
double stirlingRest(double x)
{
    const double square = x * x;
    return (1.0 / 12 - (1.0 / 360 - 1 / (1260 * square)) / square) / x;
}

//! log(Γ(a + b) / Γ(a)); for large `a` without the difference of two large numbers.
double logGammaRatio(double a, double b)
{
    if (a < 100)
        return logGamma(a + b) - logGamma(a);
    return (a - 0.5) * std::log1p(b / a) + b * (std::log(a + b) - 1) + stirlingRest(a + b) - stirlingRest(a);
}

} // namespace

double incompleteBeta(double a, double b, double x)
{
    if (x <= 0)
        return 0;
    if (x >= 1)
        return 1;
    const double gammas = a > b ? logGammaRatio(a, b) - logGamma(b) : logGammaRatio(b, a) - logGamma(a);
    const double front = std::exp(a * std::log(x) + b * std::log1p(-x) + gammas);
    if (x < (a + 1) / (a + b + 2))
        return front * betaFraction(a, b, x) / a;
    return 1 - front * betaFraction(b, a, 1 - x) / b;
}

double studentCdf(double t, double df)
{
    if (t == 0)
        return 0.5;
    // Two forms of the same tail; each keeps its digits where the other one loses them.
    const double square = t * t;
    const double tail = square < df ? 0.5 * (1 - incompleteBeta(0.5, df / 2, square / (df + square)))
                                    : 0.5 * incompleteBeta(df / 2, 0.5, df / (df + square));
    return t > 0 ? 1 - tail : tail;
}

double studentQuantile(double p, double df)
{
    if (p == 0.5)
        return 0;
    if (p < 0.5)
        return -studentQuantile(1 - p, df);
    double low = 0;
    double high = 1;
    while (studentCdf(high, df) < p && high < 1e300) {
        low = high;
        high *= 2;
    }
    // Bisection: robust for all df, and 100 steps cost less than drawing one label.
    for (int i = 0; i < 100; ++i) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        (studentCdf(middle, df) < p ? low : high) = middle;
    }
    return low + (high - low) / 2;
}

} // namespace dyno::report
