// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/stall_watch.h>

#include <algorithm>

namespace dyno {

namespace {

// An interval is held against those half a window around it, 11 of them at least: this many to each side are enough.
constexpr std::int64_t kSideIntervals = 12;

} // namespace

void StallWatch::add(const IntervalSample& sample)
{
    if (sample.phase != Phase::Measure || sample.lengthNs <= 0)
        return;
    m_intervals.push_back(stallIntervalOf(sample, sample.transaction));
    m_longestNs = std::max(m_longestNs, sample.lengthNs);
    if (m_beganNs < 0 && sample.transaction.count > 0)
        m_beganNs = sample.tNs;
    m_stale = true;
}

const std::vector<Stall>& StallWatch::stalls()
{
    if (m_stale)
        update();
    m_stale = false;
    return m_stalls;
}

void StallWatch::update()
{
    if (m_beganNs < 0) // nothing tells what is usual
        return;
    const std::int64_t side =
        std::max(static_cast<std::int64_t>(m_rule.windowSeconds * 1e9), kSideIntervals * m_longestNs);
    const auto firstFrom = [this](std::int64_t tNs) {
        return std::size_t(std::lower_bound(m_intervals.begin(), m_intervals.end(), tNs,
                                            [](const StallInterval& one, std::int64_t t) { return one.tNs < t; }) -
                           m_intervals.begin());
    };
    const std::int64_t settledNs = m_intervals[m_settled].tNs;
    // What was usual before a stall counts within it: where some are near, they are looked at again with what lies
    // before.
    std::int64_t fromNs = settledNs - side;
    for (std::size_t k = m_settledStalls; k > 0; --k) {
        const Stall& known = m_stalls[k - 1];
        if (known.tNs + known.lengthNs < fromNs - side)
            break;
        fromNs = std::min(fromNs, known.tNs - side);
    }
    const auto first = m_intervals.begin() + std::ptrdiff_t(m_settled == 0 ? 0 : firstFrom(fromNs));
    const std::vector<StallInterval> open(first, m_intervals.end());
    m_judged = open.size();
    m_stalls.resize(m_settledStalls);
    std::int64_t nextNs = m_intervals.back().tNs - side; // from here on later intervals may change the verdict
    for (const Stall& stall : findStalls(open, m_rule)) {
        if (stall.tNs < settledNs)
            continue; // known, or judged without what lies before it
        m_stalls.push_back(stall);
        if (stall.tNs + stall.lengthNs + 2 * m_longestNs >= nextNs)
            nextNs = std::min(nextNs, stall.tNs); // it may go on
    }
    // A hang at the very start is judged by what comes after it.
    if (nextNs <= settledNs || nextNs - side <= m_beganNs)
        return;
    m_settled = firstFrom(nextNs);
    while (m_settledStalls < m_stalls.size() && m_stalls[m_settledStalls].tNs < m_intervals[m_settled].tNs)
        ++m_settledStalls;
}

} // namespace dyno
