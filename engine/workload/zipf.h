// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Zipf's law by the quantile formula of J. Gray et al., "Quickly generating billion-record synthetic databases",
//! SIGMOD 1994, as YCSB and LinkBench draw it. Unlike Distribution (exact, one fixed interval) it costs next to nothing
//! to set up, so that the number of items may grow while it is drawn from.
#pragma once

#include "base/random.h"

#include <array>
#include <cmath>
#include <cstdint>

namespace dyno {

//! P(rank) ~ (rank + 1)^−theta for the ranks 0 … n − 1: exact for the first two, an approximation by a continuous
//! quantile beyond. Immutable; any thread.
class Zipf
{
public:
    //! What a draw over n items needs.
    struct Items
    {
        std::int64_t count = 1;
        double zeta = 1; //!< Σ i^−theta for i = 1 … count
        double eta = 0;
    };

    //! 0 < theta < 1. A sum of 128 terms.
    explicit Zipf(double theta)
        : m_theta(theta)
        , m_alpha(1 / (1 - theta))
        , m_power2(std::pow(2.0, 1 - theta))
        , m_second(1 + std::pow(0.5, theta))
    {
        m_sums[0] = 0;
        for (std::size_t i = 1; i < m_sums.size(); ++i)
            m_sums[i] = m_sums[i - 1] + std::pow(double(i), -theta);
        const double last = double(kDirect);
        m_constant = m_sums[kDirect] - tail(last, std::pow(last, 1 - theta));
    }

    //! Σ i^−theta for i = 1 … n, to about 14 digits and at the cost of one power: beyond 128 terms by the formula of
    //! Euler and Maclaurin. n ≥ 1.
    [[nodiscard]] double zeta(std::int64_t n) const
    {
        return zeta(n, n <= kDirect ? 0 : std::pow(double(n), 1 - m_theta));
    }
    //! n ≥ 1. One power.
    [[nodiscard]] Items over(std::int64_t n) const
    {
        const double power = std::pow(double(n), 1 - m_theta);
        const double sum = zeta(n, power);
        return {n, sum, etaOf(power, sum)};
    }
    //! The same with a sum that somebody else has worked out (YCSB's constant).
    [[nodiscard]] Items over(std::int64_t n, double sum) const
    {
        return {n, sum, etaOf(std::pow(double(n), 1 - m_theta), sum)};
    }
    //! A rank, 0 … items.count − 1; 0 is the most frequent. One uniform number, at most one power.
    [[nodiscard]] std::int64_t draw(const Items& items, Random& random) const
    {
        const double u = random.unit();
        const double uz = u * items.zeta;
        if (uz < 1 || items.count == 1)
            return 0;
        if (uz < m_second || items.count == 2)
            return 1;
        const auto rank = std::int64_t(double(items.count) * std::pow(items.eta * u - items.eta + 1, m_alpha));
        return rank < items.count ? rank : items.count - 1;
    }

    [[nodiscard]] double theta() const { return m_theta; }

private:
    static constexpr std::int64_t kDirect = 128;

    //! ∫ x^−theta and the corrections at its upper end; `power` is n^(1 − theta).
    [[nodiscard]] double tail(double n, double power) const
    {
        const double f = power / n; // n^−theta
        const double first = m_theta * f / n;
        const double third = m_theta * (m_theta + 1) * (m_theta + 2) * f / (n * n * n);
        return power * m_alpha + f / 2 - first / 12 + third / 720;
    }
    [[nodiscard]] double zeta(std::int64_t n, double power) const
    {
        return n <= kDirect ? m_sums[std::size_t(n)] : m_constant + tail(double(n), power);
    }
    [[nodiscard]] double etaOf(double power, double sum) const { return (1 - m_power2 / power) / (1 - m_second / sum); }

    double m_theta, m_alpha;
    double m_power2; //!< 2^(1 − theta)
    double m_second; //!< Σ of the first two terms
    double m_constant = 0;
    std::array<double, kDirect + 1> m_sums{};
};

} // namespace dyno
