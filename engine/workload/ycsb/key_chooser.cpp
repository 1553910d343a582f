// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/ycsb/key_chooser.h"

#include "workload/ycsb/key.h"

#include <algorithm>

namespace dyno::ycsb {

namespace {

constexpr std::int64_t kYcsbItems = 10'000'000'000;
constexpr double kYcsbTheta = 0.99, kYcsbZeta = 26.46902820178302; // ScrambledZipfianGenerator

} // namespace

KeyChooser::KeyChooser(const Params& params)
    : m_kind(params.requests)
    , m_records(params.recordCount)
    , m_zipfianOfYcsb(params.zipfianOfYcsb)
    , m_latestOfYcsb(params.latestOfYcsb)
    , m_keySpace(params.recordCount + std::int64_t(double(params.operationCount) * params.share(Op::Insert) * 2) + 1)
    , m_hotOperations(params.hotspotOperations)
    , m_hotRecords(std::int64_t(double(params.recordCount) * params.hotspotData))
    , m_scale(double(params.recordCount) * params.exponentialShare / -std::log(1 - params.exponentialPercentile / 100))
    , m_zipf(params.zipfianConstant)
    , m_scatter(params.recordCount)
{
    if (m_hotRecords == 0)
        m_hotOperations = 0;
    else if (m_hotRecords == m_records)
        m_hotOperations = 1;
    if (m_kind == RequestDistribution::Latest)
        m_items = m_zipf.over(std::max<std::int64_t>(1, m_latestOfYcsb ? m_records - 1 : m_records));
    else if (!m_zipfianOfYcsb)
        m_items = m_zipf.over(m_records);
    else if (params.zipfianConstant == kYcsbTheta)
        m_items = m_zipf.over(kYcsbItems + 1, kYcsbZeta);
    else
        m_items = m_zipf.over(kYcsbItems + 1);
}

std::int64_t KeyChooser::draw(Random& random, std::int64_t last, std::uint64_t turn) const
{
    switch (m_kind) {
    case RequestDistribution::Uniform:
        break;
    case RequestDistribution::Zipfian:
        return drawZipfian(random, last);
    case RequestDistribution::Latest:
        return drawLatest(random, last);
    case RequestDistribution::Hotspot:
        return drawHotspot(random);
    case RequestDistribution::Exponential:
        for (;;) {
            const double back = -std::log1p(-random.unit()) * m_scale;
            if (back < double(last) + 1)
                return last - std::min(last, std::int64_t(back));
        }
    case RequestDistribution::Sequential:
        return std::int64_t(turn % std::uint64_t(m_records));
    }
    return random.uniform(0, m_records - 1);
}

std::int64_t KeyChooser::drawZipfian(Random& random, std::int64_t last) const
{
    if (!m_zipfianOfYcsb)
        return m_scatter.at(m_zipf.draw(m_items, random));
    for (;;) {
        const std::int64_t number = hashOf(m_zipf.draw(m_items, random)) % m_keySpace;
        if (number <= last)
            return number;
    }
}

std::int64_t KeyChooser::drawLatest(Random& random, std::int64_t last) const
{
    const std::int64_t count = std::max<std::int64_t>(1, m_latestOfYcsb ? last : last + 1);
    // The sum is worked out anew only when the number of records is another one than the load made.
    const std::int64_t rank = m_zipf.draw(count == m_items.count ? m_items : m_zipf.over(count), random);
    return last - rank;
}

std::int64_t KeyChooser::drawHotspot(Random& random) const
{
    const bool hot = random.unit() < m_hotOperations;
    return hot ? random.uniform(0, m_hotRecords - 1) : random.uniform(m_hotRecords, m_records - 1);
}

} // namespace dyno::ycsb
