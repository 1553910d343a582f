// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/lua/sysbench_random.h"

#include <array>
#include <cmath>
#include <cstdlib>

namespace dyno::lua {

namespace {

//! Of the C library's random(), before any thread starts: the main thread's state, and unique().
constexpr int kDrawsOfProgram = 6;
constexpr std::uint32_t kNoSeed = 1; //!< of random() where nobody has given it one

constexpr std::uint64_t rotated(std::uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

} // namespace

std::vector<SysbenchRandom> SysbenchRandom::seeded(std::uint32_t seed, int before, int threads)
{
    std::array<char, 128> state{}; // the size that random() has
    random_data library{};
    initstate_r(seed, state.data(), state.size(), &library);
    const auto drawn = [&library] {
        std::int32_t value = 0;
        random_r(&library, &value);
        return std::uint64_t(std::uint32_t(value) % UINT32_MAX);
    };
    for (int i = 0; i < before; ++i)
        (void)drawn();
    std::vector<SysbenchRandom> all;
    all.reserve(std::size_t(threads));
    for (int i = 0; i < threads; ++i) {
        const std::uint64_t first = drawn(), second = drawn(), third = drawn(), fourth = drawn();
        all.push_back({first << 32 | second, third << 32 | fourth});
    }
    return all;
}

std::vector<SysbenchRandom> SysbenchRandom::ofRun(std::uint32_t seed, int threads)
{
    return seeded(seed, 0, threads);
}

std::vector<SysbenchRandom> SysbenchRandom::ofCommand(bool parallel, int threads)
{
    if (parallel && threads > 1)
        return seeded(kNoSeed, kDrawsOfProgram, threads);
    return {std::size_t(threads), seeded(kNoSeed, 0, 1).front()}; // the main thread does it alone
}

std::uint64_t SysbenchRandom::next()
{
    const std::uint64_t result = m_a + m_b, mixed = m_a ^ m_b;
    m_a = rotated(m_a, 55) ^ mixed ^ (mixed << 14);
    m_b = rotated(mixed, 36);
    return result;
}

std::uint32_t SysbenchRandom::draw(DistributionKind kind, const DistributionSpec& spec, std::uint32_t low,
                                   std::uint32_t high)
{
    const std::uint32_t count = high - low + 1; // 0 for all of them, as there
    const double perIteration = 1.0 / spec.iterations;
    const auto from = [low](double offset) { return low + std::uint32_t(offset); };
    switch (kind) {
    case DistributionKind::Uniform:
    case DistributionKind::Zipfian:
        break;
    case DistributionKind::Gaussian: {
        double sum = 0;
        for (int i = 0; i < spec.iterations; ++i)
            sum += unit() * double(count);
        return from(sum * perIteration);
    }
    case DistributionKind::Special: {
        const double span = double(high - low), drawn = unit();
        if (drawn * (span * (100.0 / (100.0 - spec.specialShare))) < span) {
            double sum = 0;
            for (int i = 0; i < spec.iterations; ++i)
                sum += unit();
            return std::uint32_t(double(low) + sum * span * perIteration);
        }
        const double zone = span * (spec.specialPercent / 100.0);
        return from(drawn * (zone + 1) + (span / 2 - span * (spec.specialPercent / 200.0)));
    }
    case DistributionKind::Pareto:
        return from(double(count) * std::pow(unit(), std::log(spec.paretoH) / std::log(1.0 - spec.paretoH)));
    }
    return std::uint32_t(double(low) + unit() * double(count));
}

} // namespace dyno::lua
