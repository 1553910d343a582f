// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace dyno {

//! A bijection of the numbers 0 … n − 1 that looks random and is the same in every run: a Feistel network of four
//! rounds over the next even power of two, walked until it is back inside. Immutable; any thread.
class Scatter
{
public:
    //! n ≥ 1. Another `key` gives another bijection.
    explicit Scatter(std::int64_t n, std::uint64_t key = 0)
        : m_count(std::uint64_t(n))
        , m_half(std::max(1, (int(std::bit_width(std::uint64_t(n - 1))) + 1) / 2))
        , m_mask((std::uint64_t(1) << m_half) - 1)
        , m_key(key * 0xA24BAED4963EE407ull)
    {
    }
    [[nodiscard]] std::int64_t at(std::int64_t number) const
    {
        auto value = std::uint64_t(number);
        do {
            std::uint64_t left = value >> m_half, right = value & m_mask;
            for (const std::uint64_t round : kRounds) {
                left ^= mix(right, round);
                std::swap(left, right);
            }
            value = left << m_half | right;
        } while (value >= m_count);
        return std::int64_t(value);
    }
    //! The number that at() takes to `place`.
    [[nodiscard]] std::int64_t from(std::int64_t place) const
    {
        auto value = std::uint64_t(place);
        do {
            std::uint64_t left = value >> m_half, right = value & m_mask;
            for (auto round = kRounds.rbegin(); round != kRounds.rend(); ++round) {
                std::swap(left, right);
                left ^= mix(right, *round);
            }
            value = left << m_half | right;
        } while (value >= m_count);
        return std::int64_t(value);
    }

private:
    static constexpr std::array<std::uint64_t, 4> kRounds{0x9E3779B97F4A7C15ull, 0xBF58476D1CE4E5B9ull,
                                                          0x94D049BB133111EBull, 0xD6E8FEB86659FD93ull};
    [[nodiscard]] std::uint64_t mix(std::uint64_t right, std::uint64_t round) const
    {
        const std::uint64_t mixed = (right + 1 + m_key) * round;
        return (mixed ^ (mixed >> 29)) * round >> 32 & m_mask;
    }

    std::uint64_t m_count;
    int m_half;           //!< bits of one half
    std::uint64_t m_mask; //!< of one half
    std::uint64_t m_key;
};

} // namespace dyno
