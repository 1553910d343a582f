// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! xoroshiro128+ (Blackman and Vigna, prng.di.unimi.it), the generator sysbench uses. One owner, one thread.
#pragma once

#include <cstdint>

namespace dyno {

//! SplitMix64 (Steele, Lea, Flood 2014): turns any 64-bit number into a well-mixed one; also the seeding of Random.
constexpr std::uint64_t splitMix(std::uint64_t& state)
{
    state += 0x9E3779B97F4A7C15ull;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

class Random
{
public:
    explicit Random(std::uint64_t seed = 1) { reseed(seed); }

    //! A stream that is a function of (seed, stream, sequence) alone, whatever the threads did.
    static Random forItem(std::uint64_t seed, std::uint64_t stream, std::uint64_t sequence)
    {
        std::uint64_t state = seed;
        std::uint64_t mixed = splitMix(state) ^ (stream * 0xD1342543DE82EF95ull);
        mixed = splitMix(mixed) ^ (sequence * 0xA24BAED4963EE407ull);
        return Random(mixed);
    }

    //! The generator's raw state, as in the published reference code; not both 0.
    static Random fromState(std::uint64_t a, std::uint64_t b)
    {
        Random random;
        random.m_a = a;
        random.m_b = b;
        return random;
    }

    void reseed(std::uint64_t seed)
    {
        m_a = splitMix(seed);
        m_b = splitMix(seed);
    }
    std::uint64_t next()
    {
        const std::uint64_t a = m_a;
        std::uint64_t b = m_b;
        const std::uint64_t result = a + b;
        b ^= a;
        m_a = rotl(a, 24) ^ b ^ (b << 16);
        m_b = rotl(b, 37);
        return result;
    }
    //! Uniform in [0, 1), 53 bits.
    double unit() { return double(next() >> 11) * 0x1.0p-53; }
    //! Uniform integer in [low, high], both ends included.
    std::int64_t uniform(std::int64_t low, std::int64_t high)
    {
        // unsigned throughout: the whole range of std::int64_t has a span of 2^64, which is 0 here
        const auto first = static_cast<std::uint64_t>(low);
        const std::uint64_t span = static_cast<std::uint64_t>(high) - first + 1;
        if (span == 0)
            return static_cast<std::int64_t>(next());
        const auto offset = static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * span) >> 64);
        return static_cast<std::int64_t>(first + offset);
    }

private:
    static constexpr std::uint64_t rotl(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
    std::uint64_t m_a = 0, m_b = 0;
};

} // namespace dyno
