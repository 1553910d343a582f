// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The random numbers of sysbench 1.0.20 with --rand-seed, number by number: its generator (xoroshiro128+ with the
//! constants of 2016), how it is seeded, and its arithmetic, with what it rounds.
#pragma once

#include "workload/distribution.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace dyno::lua {

//! One thread's. One owner, one thread.
class SysbenchRandom
{
public:
    //! Of all threads that run events, in the order of their start. Which of sysbench's threads that is, is known where
    //! there is one: with several they race for their seeds.
    [[nodiscard]] static std::vector<SysbenchRandom> ofRun(std::uint32_t seed, int threads);
    //! Of a command such as prepare, which sysbench does before it takes the seed: always the same numbers. One that is
    //! not `parallel` is done by sysbench's main thread, however many threads there are: all get the numbers of that.
    [[nodiscard]] static std::vector<SysbenchRandom> ofCommand(bool parallel, int threads);

    [[nodiscard]] std::uint64_t next();
    [[nodiscard]] double unit() { return double(next() >> 11) * 0x1.0p-53; }
    //! Any kind but Zipfian, which 1.0.20 does not have.
    [[nodiscard]] std::uint32_t draw(DistributionKind kind, const DistributionSpec& spec, std::uint32_t low,
                                     std::uint32_t high);
    //! For fillRandom().
    [[nodiscard]] std::int64_t uniform(std::int64_t low, std::int64_t high)
    {
        return draw(DistributionKind::Uniform, {}, std::uint32_t(low), std::uint32_t(high));
    }

private:
    SysbenchRandom(std::uint64_t a, std::uint64_t b)
        : m_a(a)
        , m_b(b)
    {
    }
    [[nodiscard]] static std::vector<SysbenchRandom> seeded(std::uint32_t seed, int before, int threads);
    std::uint64_t m_a = 0, m_b = 0;
};

} // namespace dyno::lua
