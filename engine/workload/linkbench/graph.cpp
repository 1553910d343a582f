// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/linkbench/graph.h"

#include <algorithm>
#include <cmath>
#include <mutex>
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
    {0, 45.33160573},      {1, 77.46259112},      {2, 86.95805953},      {3, 91.99305428},     {4, 94.4507991},
    {5, 95.82807169},      {6, 96.72252805},      {7, 97.32008855},      {8, 97.76142319},     {9, 98.07767693},
    {10, 98.32803368},     {11, 98.53703922},     {12, 98.70025671},     {13, 98.82537746},    {14, 98.93357097},
    {15, 99.02687903},     {16, 99.10803256},     {17, 99.17988071},     {18, 99.23667679},    {19, 99.2832732},
    {20, 99.3269556},      {21, 99.3619523},      {22, 99.39424934},     {23, 99.422368},      {24, 99.44785747},
    {25, 99.47017018},     {26, 99.4910058},      {27, 99.50874797},     {28, 99.52580526},    {29, 99.54208681},
    {30, 99.55693901},     {31, 99.5700517},      {32, 99.58311566},     {33, 99.59499064},    {34, 99.60647576},
    {35, 99.61687629},     {36, 99.62717968},     {37, 99.63636028},     {38, 99.64527351},    {39, 99.65339353},
    {40, 99.6614138},      {41, 99.6685378},      {42, 99.67560878},     {43, 99.68190468},    {44, 99.68817489},
    {45, 99.69404702},     {46, 99.69964882},     {47, 99.70472545},     {48, 99.70974313},    {49, 99.71438117},
    {50, 99.72156049},     {60, 99.75956997},     {70, 99.78607028},     {80, 99.80517989},    {90, 99.81957771},
    {100, 99.83136115},    {120, 99.84852348},    {150, 99.86621857},    {200, 99.88513523},   {250, 99.89729272},
    {300, 99.90606634},    {400, 99.91872365},    {500, 99.92746369},    {600, 99.93405922},   {700, 99.93935809},
    {800, 99.94369486},    {1000, 99.95065916},   {1750, 99.9660721},    {2000, 99.96937201},  {2500, 99.9746643},
    {7119, 99.99190598},   {8000, 99.99311538},   {9000, 99.99419372},   {10000, 99.99504521}, {10900, 99.99566423},
    {19150, 99.998408},    {21700, 99.99876822},  {155990, 99.99998255}, {209452, 99.9999921}, {297564, 99.99999737},
    {485372, 99.99999934}, {906857, 99.99999967}, {961963, 100}};

//! Percentage of the nodes with more than `links` links.
double above(std::int64_t links)
{
    const auto next = std::ranges::lower_bound(kDistribution, links, {}, &Percentile::links);
    if (next->links == links)
        return 100 - next->percent;
    const Percentile& before = *(next - 1);
    const double low = 100 - before.percent;
    const double high = 100 - next->percent;
    if (high <= 0) // the most: no power reaches zero
        return low * double(next->links - links) / double(next->links - before.links);
    const double way =
        std::log(double(links) / double(before.links)) / std::log(double(next->links) / double(before.links));
    return low * std::pow(high / low, way);
}

//! Of `nodes`, how many have at most `links` links.
std::int64_t atMost(std::int64_t links, std::int64_t nodes)
{
    return nodes - std::llround(above(links) / 100 * double(nodes));
}

//! The number of links, with a fraction, that `percent` of the nodes exceed; above() turned round.
double exceededBy(double percent)
{
    const auto next = std::ranges::lower_bound(kDistribution, 100 - percent, {}, &Percentile::percent);
    if (next == std::begin(kDistribution))
        return 0;
    if (next == std::end(kDistribution))
        return double((next - 1)->links);
    const Percentile& before = *(next - 1);
    const double low = 100 - before.percent;
    const double high = 100 - next->percent;
    if (high <= 0)
        return double(next->links) - percent / low * double(next->links - before.links);
    if (before.links == 0)
        return double(next->links);
    const double way = std::log(percent / low) / std::log(high / low);
    return double(before.links) * std::pow(double(next->links) / double(before.links), way);
}

//! The least degree such that `members` nodes have at most so many links. Of a large graph it is asked some thousand
//! times whenever a plan is checked: a guess that is seldom off by more than one, and the exact answer beside it.
std::int64_t degreeOf(std::int64_t members, std::int64_t nodes, std::int64_t most)
{
    const double percent = (double(nodes - members) + 0.5) * 100 / double(nodes); // half a node, as atMost() rounds
    const std::int64_t guess = std::llround(exceededBy(std::min(percent, 100.0)));
    std::int64_t degree = std::clamp<std::int64_t>(guess, 0, most);
    while (degree < most && atMost(degree, nodes) < members)
        ++degree;
    while (degree > 0 && atMost(degree - 1, nodes) >= members)
        --degree;
    return degree;
}

} // namespace

Degrees::Degrees(std::int64_t nodes, bool compat)
    : m_compat(compat)
    , m_nodes(nodes)
    , m_scatter(nodes, 1)
{
    // Only the degrees that some node has: with few nodes most of the high ones are missing.
    std::int64_t left = nodes;
    std::int64_t degree = std::end(kDistribution)[-1].links;
    while (left > 0) {
        degree = degreeOf(left, nodes, degree);
        const std::int64_t less = degree > 0 ? atMost(degree - 1, nodes) : 0;
        m_groups.push_back({degree, nodes - left, m_links, m_counts});
        m_links += (left - less) * ofAllTypes(degree);
        m_counts += (left - less) * typesOf(degree);
        left = less;
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
    Link link{nodeOf(group.rank + (index - group.link) / each), 0, (index - group.link) % each};
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

std::shared_ptr<const Degrees> degreesOf(std::int64_t nodes, bool compat)
{
    static std::mutex mutex;
    static std::array<std::shared_ptr<const Degrees>, 4> made; // the newest first
    const std::lock_guard lock(mutex);
    auto found = std::ranges::find_if(made, [&](const auto& one) { return one && one->isOf(nodes, compat); });
    if (found == made.end()) {
        --found;
        *found = std::make_shared<const Degrees>(nodes, compat);
    }
    std::rotate(made.begin(), found, found + 1);
    return made.front();
}

bool IdOrder::make(std::int64_t nodes, const std::function<bool()>& goOn)
{
    constexpr std::int64_t kAskAfter = 64 * kStep; // some milliseconds
    std::vector<Start> starts;
    Start start;
    starts.reserve(std::size_t(nodes / kStep) + 1);
    for (std::int64_t node = 1; node <= nodes; ++node) {
        if ((node - 1) % kStep == 0)
            starts.push_back(start);
        if (node % kAskAfter == 0 && !goOn())
            return false;
        for (int type = 0; type < kLinkTypes; ++type) {
            const std::int64_t links = m_degrees.linksOf(node, type);
            start.links += links;
            start.counts += links > 0 ? 1 : 0;
        }
    }
    m_starts = std::move(starts);
    return true;
}

IdOrder::Links::Links(const IdOrder& order, std::int64_t index)
    : m_degrees(order.m_degrees)
{
    const auto start = std::ranges::upper_bound(order.m_starts, index, {}, &Start::links) - 1;
    m_at = {(start - order.m_starts.begin()) * kStep + 1, 0, index - start->links};
    for (std::int64_t links = m_degrees.linksOf(m_at.id1, m_at.type); m_at.number >= links;
         links = m_degrees.linksOf(m_at.id1, m_at.type)) {
        m_at.number -= links;
        m_at.id1 += ++m_at.type / kLinkTypes;
        m_at.type %= kLinkTypes;
    }
}

Degrees::Link IdOrder::Links::next()
{
    while (m_at.number >= m_degrees.linksOf(m_at.id1, m_at.type)) {
        m_at.number = 0;
        m_at.id1 += ++m_at.type / kLinkTypes;
        m_at.type %= kLinkTypes;
    }
    const Degrees::Link link = m_at;
    ++m_at.number;
    return link;
}

IdOrder::Counts::Counts(const IdOrder& order, std::int64_t index)
    : m_degrees(order.m_degrees)
{
    const auto start = std::ranges::upper_bound(order.m_starts, index, {}, &Start::counts) - 1;
    m_id1 = (start - order.m_starts.begin()) * kStep + 1;
    for (std::int64_t left = index - start->counts; left > 0; --left)
        (void)next();
}

Degrees::Count IdOrder::Counts::next()
{
    for (;;) {
        const Degrees::Count count{m_id1, m_type, m_degrees.linksOf(m_id1, m_type)};
        m_id1 += ++m_type / kLinkTypes;
        m_type %= kLinkTypes;
        if (count.links > 0)
            return count;
    }
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
