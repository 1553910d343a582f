// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Tests of goodness of fit: Pearson's over cells, and Rao's of one parameter.
#pragma once

#include <QString>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace dyno::test {

struct ChiSquare
{
    double value = 0;
    double limit = 0; //!< that chance exceeds once in about 10^5 times (Wilson and Hilferty's approximation, z = 4.3)
    int cells = 0;
    [[nodiscard]] bool fits() const { return value < limit; }
    [[nodiscard]] QString text() const
    {
        return QString("χ² %1, limit %2, of %3 cells").arg(value).arg(limit).arg(cells);
    }
    void add(double expected, double observed)
    {
        value += (observed - expected) * (observed - expected) / expected;
        ++cells;
    }
    //! `df`: degrees of freedom.
    void setLimit(double df)
    {
        const double root = 1 - 2 / (9 * df) + 4.3 * std::sqrt(2 / (9 * df));
        limit = df * root * root * root;
    }
};

//! Over cells that expect at least five; neighbours that expect less are taken together, and the last ones go to the
//! cell before.
inline ChiSquare chiSquare(const std::vector<double>& expected, const std::vector<double>& observed)
{
    ChiSquare test;
    double lastExpected = 0, lastObserved = 0, nextExpected = 0, nextObserved = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        nextExpected += expected[i];
        nextObserved += observed[i];
        if (nextExpected < 5)
            continue;
        if (lastExpected > 0)
            test.add(lastExpected, lastObserved);
        lastExpected = nextExpected;
        lastObserved = nextObserved;
        nextExpected = nextObserved = 0;
    }
    test.add(lastExpected + nextExpected, lastObserved + nextObserved);
    test.setLimit(test.cells - 1);
    return test;
}

//! Of counts that all cells are alike.
inline ChiSquare chiSquareUniform(const std::vector<double>& observed)
{
    double all = 0;
    for (const double count : observed)
        all += count;
    return chiSquare(std::vector<double>(observed.size(), all / double(observed.size())), observed);
}

//! Of two samples, whether they are of one distribution: over intervals that hold about the same number of both
//! together, at most `most` of them; equal values are in one interval.
template<class Number>
ChiSquare chiSquareOfTwo(std::vector<Number> a, std::vector<Number> b, int most)
{
    std::ranges::sort(a);
    std::ranges::sort(b);
    const double all = double(a.size() + b.size()), least = all / most;
    ChiSquare test;
    for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        const std::size_t firstA = i, firstB = j;
        while ((i < a.size() || j < b.size()) &&
               (double(i - firstA + j - firstB) < least || all - double(i + j) < least)) {
            const Number at = j == b.size() || (i < a.size() && a[i] < b[j]) ? a[i] : b[j];
            while (i < a.size() && a[i] == at)
                ++i;
            while (j < b.size() && b[j] == at)
                ++j;
        }
        const double ofA = double(i - firstA), ofB = double(j - firstB), share = (ofA + ofB) / all;
        const double wantedA = share * double(a.size()), wantedB = share * double(b.size());
        test.value += (ofA - wantedA) * (ofA - wantedA) / wantedA + (ofB - wantedB) * (ofB - wantedB) / wantedB;
        ++test.cells;
    }
    test.setLimit(test.cells - 1);
    return test;
}

//! How far counts are from what `shares` say in the direction of a parameter, in standard deviations; `slopes` are the
//! derivatives of the shares by it. No other test tells better that the parameter is another one.
inline double score(const std::vector<double>& shares, const std::vector<double>& slopes,
                    const std::vector<double>& counts)
{
    double sum = 0, information = 0, all = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        all += counts[i];
        if (shares[i] <= 0)
            continue;
        sum += counts[i] * slopes[i] / shares[i];
        information += slopes[i] * slopes[i] / shares[i];
    }
    return sum / std::sqrt(all * information);
}

} // namespace dyno::test
