// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The random numbers of sysbench 1.0.20 with --rand-seed, number by number: its generator (xoroshiro128+ with the
//! constants of 2016), how it is seeded, and its arithmetic, with what it rounds.
#pragma once

#include "workload/distribution.h"

#include <cstdint>
#include <string_view>

namespace dyno::lua {

//! One thread's. One owner, one thread.
class SysbenchRandom
{
public:
    //! Of the thread that starts as number `thread`, from 0, to run events. Which of sysbench's threads that is, is
    //! known where there is one: with several they race for their seeds.
    [[nodiscard]] static SysbenchRandom ofRun(std::uint32_t seed, int thread);
    //! Of a command such as prepare, which sysbench does before it takes the seed: always the same numbers.
    [[nodiscard]] static SysbenchRandom ofCommand(int threads, int thread);

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
    SysbenchRandom(std::uint32_t seed, int before);
    std::uint64_t m_a = 0, m_b = 0;
};

} // namespace dyno::lua
