// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/lua/sysbench_random.h"

#include <array>
#include <cmath>
#include <cstdlib>

namespace dyno::lua {

namespace {

constexpr int kDrawsOfThread = 4;    //!< of the C library's random(), for a generator's state
constexpr int kDrawsOfProgram = 6;   //!< before any thread starts: the main thread's state, and unique()
constexpr std::uint32_t kNoSeed = 1; //!< of random() where nobody has given it one

constexpr std::uint64_t rotated(std::uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

} // namespace

SysbenchRandom::SysbenchRandom(std::uint32_t seed, int before)
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
    const std::uint64_t first = drawn(), second = drawn(), third = drawn(), fourth = drawn();
    m_a = first << 32 | second;
    m_b = third << 32 | fourth;
}

SysbenchRandom SysbenchRandom::ofRun(std::uint32_t seed, int thread)
{
    return {seed, kDrawsOfThread * thread};
}

SysbenchRandom SysbenchRandom::ofCommand(int threads, int thread)
{
    return {kNoSeed, threads > 1 ? kDrawsOfProgram + kDrawsOfThread * thread : 0}; // the main thread does it alone
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
