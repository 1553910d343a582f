// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/distribution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace dyno {

namespace {

//! ln(1 + x) / x, steady around 0.
double logRatio(double x)
{
    if (std::abs(x) > 1e-8)
        return std::log1p(x) / x;
    return 1 - x * (0.5 - x * (1.0 / 3 - 0.25 * x));
}

//! (e^x − 1) / x, steady around 0.
double expRatio(double x)
{
    if (std::abs(x) > 1e-8)
        return std::expm1(x) / x;
    return 1 + x * 0.5 * (1 + x / 3 * (1 + 0.25 * x));
}

} // namespace

std::optional<DistributionKind> distributionFromText(std::string_view text)
{
    constexpr std::array<std::pair<std::string_view, DistributionKind>, 5> kNames{{
        {"uniform", DistributionKind::Uniform},
        {"gaussian", DistributionKind::Gaussian},
        {"special", DistributionKind::Special},
        {"pareto", DistributionKind::Pareto},
        {"zipfian", DistributionKind::Zipfian},
    }};
    for (const auto& [name, kind] : kNames) {
        if (name == text)
            return kind;
    }
    return {};
}

Distribution::Distribution(const DistributionSpec& spec, std::int64_t low, std::int64_t high)
    : m_kind(spec.kind)
    , m_compat(spec.compat)
    , m_iterations(std::max(1, spec.iterations))
    , m_low(low)
    , m_high(high)
    , m_count(double(high - low) + 1)
    , m_perIteration(1.0 / m_iterations)
{
    switch (m_kind) {
    case DistributionKind::Uniform:
    case DistributionKind::Gaussian:
        break;
    case DistributionKind::Special: {
        m_coldShare = 1 - spec.specialShare / 100;
        const double span = m_compat ? m_count - 1 : m_count;
        const double zone = span * spec.specialPercent / 100;
        // 1.0.20 takes one more than the zone; the corrected form at least one value.
        m_hotWidth = m_compat ? zone + 1 : std::max(1.0, zone);
        m_hotStart = m_compat ? span / 2 - zone / 2 : (m_count - m_hotWidth) / 2;
        break;
    }
    case DistributionKind::Pareto:
        m_exponent = std::log(spec.paretoH) / std::log(1 - spec.paretoH);
        break;
    case DistributionKind::Zipfian:
        m_exponent = spec.zipfianExponent;
        m_areaFirst = areaTo(1.5) - 1;
        m_areaLast = areaTo(m_count + 0.5);
        m_sureDistance = 2 - areaInverse(areaTo(2.5) - std::pow(2.0, -m_exponent));
        break;
    }
}

std::int64_t Distribution::at(double offset) const
{
    // The last ulp of a product may reach n.
    return std::min(m_high, m_low + static_cast<std::int64_t>(offset));
}

double Distribution::mean(Random& random) const
{
    double sum = 0;
    for (int i = 0; i < m_iterations; ++i)
        sum += random.unit();
    return sum * m_perIteration;
}

std::int64_t Distribution::draw(Random& random) const
{
    switch (m_kind) {
    case DistributionKind::Uniform:
        return random.uniform(m_low, m_high);
    case DistributionKind::Gaussian:
        return at(m_count * mean(random));
    case DistributionKind::Special:
        return drawSpecial(random);
    case DistributionKind::Pareto:
        return at(m_count * std::pow(random.unit(), m_exponent));
    case DistributionKind::Zipfian:
        return drawZipfian(random);
    }
    return m_low;
}

std::int64_t Distribution::drawSpecial(Random& random) const
{
    const double u = random.unit();
    if (u < m_coldShare)
        return at((m_compat ? m_count - 1 : m_count) * mean(random));
    const double position = m_compat ? u : random.unit();
    return at(m_hotStart + position * m_hotWidth);
}

double Distribution::areaTo(double x) const
{
    const double logX = std::log(x);
    return expRatio((1 - m_exponent) * logX) * logX;
}

double Distribution::areaInverse(double area) const
{
    // Rounding may take the argument just below −1 when the exponent is large.
    const double t = std::max(-1.0, area * (1 - m_exponent));
    return std::exp(logRatio(t) * area);
}

std::int64_t Distribution::drawZipfian(Random& random) const
{
    for (;;) {
        const double area = m_areaLast + random.unit() * (m_areaFirst - m_areaLast);
        const double x = areaInverse(area);
        const double rank = std::clamp(std::floor(x + 0.5), 1.0, m_count);
        if (rank - x <= m_sureDistance || area >= areaTo(rank + 0.5) - std::pow(rank, -m_exponent))
            return at(rank - 1);
    }
}

UniqueSequence::UniqueSequence(std::uint32_t start, std::uint32_t offset)
    : m_start(permute(permute(start) + 0x682F0161u))
    , m_offset(permute(permute(offset) + 0x46790905u))
{
}

UniqueSequence::UniqueSequence(std::uint64_t seed)
    : UniqueSequence(ofSeed(seed))
{
}

UniqueSequence UniqueSequence::ofSeed(std::uint64_t seed)
{
    const auto base = static_cast<std::uint32_t>(splitMix(seed));
    return {base, base + 1};
}

UniqueSequence UniqueSequence::ofSysbench()
{
    return {424'238'335u, 1'957'747'793u}; // the sixth and the fifth number of random()
}

} // namespace dyno
