// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/script/functions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace dyno::script {

namespace {

constexpr std::uint64_t kMurmurFactor = 0xC6A4A7935BD1E995ull;
constexpr int kMurmurShift = 47;
constexpr int kPermutationRounds = 6;

//! xoroshiro128** (Blackman and Vigna, prng.di.unimi.it), which permutations are drawn with since PostgreSQL 15.
class PermutationRandom
{
public:
    explicit PermutationRandom(std::uint64_t seed)
        : m_a(splitMix(seed))
        , m_b(splitMix(seed))
    {
    }
    std::uint64_t next()
    {
        const std::uint64_t a = m_a, mixed = m_b ^ a;
        m_a = std::rotl(a, 24) ^ mixed ^ (mixed << 16);
        m_b = std::rotl(mixed, 37);
        return std::rotl(a * 5, 7) * 9;
    }
    //! Uniform in [0, last]: draws as many bits as `last` has until they fit.
    std::uint64_t upTo(std::uint64_t last)
    {
        if (last == 0)
            return 0;
        const int unused = std::countl_zero(last);
        std::uint64_t drawn = next() >> unused;
        while (drawn > last)
            drawn = next() >> unused;
        return drawn;
    }

private:
    std::uint64_t m_a, m_b;
};

//! The number at this share of the interval, from 0 to less than 1.
std::int64_t atShare(Interval interval, double share)
{
    const double count = double(interval.high - interval.low) + 1;
    const auto offset = std::int64_t(count * share);
    return std::min(interval.low + std::clamp<std::int64_t>(offset, 0, interval.high - interval.low), interval.high);
}

} // namespace

std::int64_t exponential(Random& random, Interval interval, double parameter)
{
    const double cut = std::exp(-parameter);
    const double uniform = 1.0 - random.unit(); // above 0
    return atShare(interval, -std::log(cut + (1.0 - cut) * uniform) / parameter);
}

std::int64_t gaussian(Random& random, Interval interval, double parameter)
{
    double deviation = 0;
    do {
        // G. Box and M. Muller, "A note on the generation of random normal deviates", 1958
        const double radius = std::sqrt(-2.0 * std::log(1.0 - random.unit()));
        deviation = radius * std::sin(2.0 * std::numbers::pi * random.unit());
    } while (deviation < -parameter || deviation >= parameter);
    return atShare(interval, (deviation + parameter) / (parameter * 2.0));
}

std::int64_t zipfian(Random& random, Interval interval, double exponent)
{
    const double count = double(interval.high - interval.low) + 1;
    if (interval.high == interval.low)
        return interval.low;
    // L. Devroye, "Non-Uniform Random Variate Generation", 1986, page 550: rejection.
    const double s = exponent - 1.0;
    const double b = std::pow(2.0, s);
    for (;;) {
        const double u = random.unit(), v = random.unit();
        const double x = std::floor(std::pow(u, -1.0 / s));
        const double t = std::pow(1.0 + 1.0 / x, s);
        if (x <= count && v * x * (t - 1.0) / (b - 1.0) <= t / b)
            return std::min(interval.low - 1 + std::int64_t(x), interval.high);
    }
}

std::int64_t hashFnv1a(std::int64_t value, std::int64_t seed)
{
    std::uint64_t hash = 0xCBF29CE484222325ull ^ std::uint64_t(seed);
    auto rest = std::uint64_t(value);
    for (int i = 0; i < 8; ++i) {
        hash ^= rest & 0xFF;
        hash *= 0x100000001B3ull;
        rest >>= 8;
    }
    return std::int64_t(hash);
}

std::int64_t hashMurmur2(std::int64_t value, std::int64_t seed)
{
    std::uint64_t hash = std::uint64_t(seed) ^ (kMurmurFactor * 8); // of eight bytes
    std::uint64_t key = std::uint64_t(value) * kMurmurFactor;
    key ^= key >> kMurmurShift;
    key *= kMurmurFactor;
    hash = (hash ^ key) * kMurmurFactor;
    hash ^= hash >> kMurmurShift;
    hash *= kMurmurFactor;
    return std::int64_t(hash ^ (hash >> kMurmurShift));
}

std::int64_t permuted(std::int64_t value, std::int64_t size, std::int64_t seed)
{
    if (size < 2)
        return 0;
    PermutationRandom random{std::uint64_t(seed)};
    const auto count = std::uint64_t(size);
    std::uint64_t place = std::uint64_t(value) % count;
    const int bits = 63 - std::countl_zero(count);
    const std::uint64_t mask = (std::uint64_t(1) << bits) - 1; // of the largest power of two that is no more than count
    const auto mixed = [&](std::uint64_t number) {
        const std::uint64_t factor = (random.next() & mask) | 1, change = random.next() & mask;
        if (number > mask)
            return number;
        number = ((number * factor) ^ change) & mask;
        return ((number << 1) & mask) | (number >> (bits - 1));
    };
    for (int round = 0; round < kPermutationRounds; ++round) {
        place = mixed(place);                         // the lower numbers, up to the mask
        place = count - 1 - mixed(count - 1 - place); // the upper ones
        place = (place + random.upTo(count - 1)) % count;
    }
    return std::int64_t(place);
}

} // namespace dyno::script
