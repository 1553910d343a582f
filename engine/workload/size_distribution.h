// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How long texts and values are.
#pragma once

#include "base/random.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace dyno {

//! A length by a log-normal distribution: half of them are above `median`, and `sigma` is the standard deviation of the
//! natural logarithm (0: all are the median). Immutable; any thread.
class LogNormal
{
public:
    LogNormal(double median, double sigma, std::int64_t least, std::int64_t most)
        : m_median(median)
        , m_sigma(sigma)
        , m_least(least)
        , m_most(most)
    {
    }
    //! Two uniform numbers (Box and Muller); rounded, and never outside [least, most].
    [[nodiscard]] std::int64_t draw(Random& random) const
    {
        const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
        const double normal = radius * std::cos(2 * std::numbers::pi * random.unit());
        const double length = std::round(m_median * std::exp(m_sigma * normal));
        return std::int64_t(std::clamp(length, double(m_least), double(m_most)));
    }
    //! Of the distribution without its limits.
    [[nodiscard]] double mean() const { return m_median * std::exp(m_sigma * m_sigma / 2); }

private:
    double m_median, m_sigma;
    std::int64_t m_least, m_most;
};

} // namespace dyno
