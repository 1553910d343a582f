// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/linkbench/graph.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dyno::linkbench {

namespace {

constexpr double kSigma = 1; //!< of the lognormal lengths
constexpr std::size_t kChunk = 128;

struct Percentile
{
    std::int64_t links;
    double percent; //!< of the nodes have at most so many
};
constexpr Percentile kDistribution[] = {
    {0, 45.33}, {1, 77.46}, {2, 86.96},  {3, 91.99},  {4, 94.45},   {5, 95.83},    {6, 96.72},     {7, 97.32},   {8, 97.76},
    {9, 98.08}, {10, 98.33}, {20, 99.33}, {30, 99.56}, {50, 99.72}, {100, 99.818}, {200, 99.871}, {500, 99.919}, {1000, 99.945},
    {10000, 100}};

//! Of `nodes`, how many have at most `links` links; between the given points linear.
std::int64_t atMost(std::int64_t links, std::int64_t nodes)
{
    const auto above = std::ranges::lower_bound(kDistribution, links, {}, &Percentile::links);
    double percent = above->percent;
    if (above->links != links) {
        const Percentile& below = *(above - 1);
        percent = below.percent + (above->percent - below.percent) * double(links - below.links) / double(above->links - below.links);
    }
    return std::llround(percent / 100 * double(nodes));
}

} // namespace

Degrees::Degrees(std::int64_t nodes, bool compat)
    : m_compat(compat)
    , m_nodes(nodes)
    , m_scatter(nodes, 1)
{
    std::int64_t rank = 0;
    for (std::int64_t degree = std::end(kDistribution)[-1].links; degree >= 0; --degree) {
        const std::int64_t members = atMost(degree, nodes) - (degree > 0 ? atMost(degree - 1, nodes) : 0);
        if (members == 0)
            continue;
        m_groups.push_back({degree, rank, m_links, m_counts});
        rank += members;
        m_links += members * ofAllTypes(degree);
        m_counts += members * typesOf(degree);
    }
}

std::int64_t Degrees::ofType(std::int64_t degree, int type) const
{
    const std::int64_t half = degree / kLinkTypes;
    if (m_compat)
        return type < degree - half ? half + 1 : half;
    return half + (type < degree % kLinkTypes ? 1 : 0);
}

std::int64_t Degrees::ofAllTypes(std::int64_t degree) const
{
    std::int64_t sum = 0;
    for (int type = 0; type < kLinkTypes; ++type)
        sum += ofType(degree, type);
    return sum;
}

std::int64_t Degrees::typesOf(std::int64_t degree) const
{
    std::int64_t types = 0;
    for (int type = 0; type < kLinkTypes; ++type)
        types += ofType(degree, type) > 0 ? 1 : 0;
    return types;
}

Degrees::Link Degrees::link(std::int64_t index) const
{
    const Group& group = *(std::ranges::upper_bound(m_groups, index, {}, &Group::link) - 1);
    const std::int64_t each = ofAllTypes(group.degree);
    Link link {nodeOf(group.rank + (index - group.link) / each), 0, (index - group.link) % each};
    while (link.number >= ofType(group.degree, link.type))
        link.number -= ofType(group.degree, link.type++);
    return link;
}

//! Types with links come before those without.
Degrees::Count Degrees::count(std::int64_t index) const
{
    const Group& group = *(std::ranges::upper_bound(m_groups, index, {}, &Group::count) - 1);
    const std::int64_t each = typesOf(group.degree);
    const int type = int((index - group.count) % each);
    return {nodeOf(group.rank + (index - group.count) / each), type, ofType(group.degree, type)};
}

std::int64_t Degrees::linksOf(std::int64_t node, int type) const
{
    if (node < 1 || node > m_nodes)
        return 0;
    const std::int64_t rank = m_scatter.from(node - 1);
    const Group& group = *(std::ranges::upper_bound(m_groups, rank, {}, &Group::rank) - 1);
    return ofType(group.degree, type);
}

NodeChooser::NodeChooser(const Degrees& degrees, std::int64_t nodes, double shape, double correlated, std::uint64_t key)
    : m_degrees(degrees)
    , m_nodes(nodes)
    , m_uniform(shape == 0)
    , m_correlated(correlated)
    , m_zipf(shape == 0 ? 0.5 : shape)
    , m_items(m_zipf.over(nodes))
    , m_scatter(nodes, key)
{
}

std::int64_t NodeChooser::draw(Random& random) const
{
    if (m_uniform)
        return random.uniform(1, m_nodes);
    const bool correlated = m_correlated > 0 && random.unit() < m_correlated;
    const std::int64_t rank = m_zipf.draw(m_items, random);
    return correlated ? m_degrees.nodeOf(rank) : m_scatter.at(rank) + 1;
}

Payload::Payload(double median, std::size_t longest, char low, char high, double unique)
    : m_median(median)
    , m_longest(longest)
    , m_low(low)
    , m_span(unsigned(high - low) + 1)
    , m_unique(unique)
{
    Random random(20130624); // the same motif in each run
    for (char& c : m_motif)
        c = char(m_low + random.uniform(0, m_span - 1));
}

std::size_t Payload::drawLength(Random& random) const
{
    // Box and Muller's transform
    const double radius = std::sqrt(-2 * std::log1p(-random.unit()));
    const double normal = radius * std::cos(2 * std::numbers::pi * random.unit());
    const double length = std::round(m_median * std::exp(kSigma * normal));
    return length < 1 ? 1 : length >= double(m_longest) ? m_longest : std::size_t(length);
}

char* Payload::write(char* out, std::size_t length, Random& random) const
{
    while (length > 0) {
        const std::size_t chunk = std::min(length, kChunk);
        if (random.unit() < m_unique) {
            std::uint64_t bits = 0;
            for (std::size_t i = 0; i < chunk; ++i) {
                if (i % 4 == 0)
                    bits = random.next();
                out[i] = char(unsigned(m_low) + ((unsigned(bits) & 0xFFFF) * m_span >> 16));
                bits >>= 16;
            }
        } else {
            const auto from = std::size_t(random.uniform(0, std::int64_t(m_motif.size() - chunk)));
            std::copy_n(m_motif.data() + from, chunk, out);
        }
        out += chunk;
        length -= chunk;
    }
    return out;
}

} // namespace dyno::linkbench
