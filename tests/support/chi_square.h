// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Pearson's test of goodness of fit, for tests of distributions.
#pragma once

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
};

//! Over cells that expect at least five; neighbours that expect less are taken together.
inline ChiSquare chiSquare(const std::vector<double>& expected, const std::vector<double>& observed)
{
    ChiSquare test;
    double pendingExpected = 0, pendingObserved = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        pendingExpected += expected[i];
        pendingObserved += observed[i];
        if (pendingExpected < 5)
            continue;
        test.value += (pendingObserved - pendingExpected) * (pendingObserved - pendingExpected) / pendingExpected;
        pendingExpected = pendingObserved = 0;
        ++test.cells;
    }
    const double df = test.cells - 1;
    const double root = 1 - 2 / (9 * df) + 4.3 * std::sqrt(2 / (9 * df));
    test.limit = df * root * root * root;
    return test;
}

} // namespace dyno::test
