// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/snapshots/snapshot_watch.h"

#include <fmt/format.h>

#include <algorithm>

namespace dyno {

namespace {

constexpr std::int64_t kBorderSlackNs = 50'000'000; //!< intervals of a second are not to the nanosecond
constexpr std::int64_t kVainApartNs = 500'000'000;  //!< between two judgements of a run that only seems to stall
constexpr double kWindows = 2;                      //!< of the rule, whose intervals are kept…
constexpr int kFewestKept = 24;                     //!< …or so many of the longest

} // namespace

bool SnapshotWatch::take(std::int64_t nowNs)
{
    if (m_taken >= kMostOfRun) {
        ++m_tooMany;
        return false;
    }
    ++m_taken;
    m_takenNs = nowNs;
    m_underWay = true;
    return true;
}

//! Whether it may be a stall: cheaply, since it is asked in each interval of each run. A median is no more than the
//! highest rate.
bool SnapshotWatch::mayStall(const IntervalSample& sample)
{
    const double rate = double(sample.transaction.count) / double(sample.lengthNs);
    m_longestNs = std::max(m_longestNs, sample.lengthNs);
    const std::int64_t keptNs =
        std::max(std::int64_t(kWindows * m_rule.windowSeconds * 1e9), std::int64_t(kFewestKept) * m_longestNs);
    const std::int64_t fromNs = sample.tNs - keptNs;
    while (!m_recent.empty() && m_recent.front().tNs < fromNs)
        m_recent.pop_front();
    while (!m_highest.empty() && m_highest.front().tNs < fromNs)
        m_highest.pop_front();
    const bool may = !m_highest.empty() && rate < m_rule.stall * m_highest.front().rate;
    while (!m_highest.empty() && m_highest.back().rate <= rate)
        m_highest.pop_back();
    m_highest.push_back({sample.tNs, rate});
    m_recent.push_back({sample.tNs, sample.lengthNs, sample.transaction.count});
    return may;
}

//! By the rule of all stalls, over what lies around the last interval.
std::optional<Stall> SnapshotWatch::stallNow() const
{
    const std::vector<Stall> found = findStalls(std::vector<StallInterval>(m_recent.begin(), m_recent.end()), m_rule);
    // One that is over by now, or that only shows by what came after it, has no moment to be looked at.
    if (found.empty() || !found.back().stalled ||
        found.back().tNs + found.back().lengthNs < m_recent.back().tNs + m_recent.back().lengthNs)
        return std::nullopt;
    return found.back();
}

bool SnapshotWatch::stalls(const IntervalSample& sample, std::int64_t nowNs)
{
    if (m_when != SnapshotsWhen::Stalls || sample.phase != Phase::Measure || sample.lengthNs <= 0)
        return false;
    if (!mayStall(sample)) {
        m_goesOn = false;
        return false;
    }
    if (m_goesOn && m_ofStall >= kMostOfStall) {
        m_stallEndNs = sample.tNs + sample.lengthNs;
        return false;
    }
    if (m_underWay || (m_takenNs > 0 && nowNs - m_takenNs < kApartNs - kBorderSlackNs) ||
        (m_vainNs > 0 && nowNs - m_vainNs < kVainApartNs))
        return false;
    const std::optional<Stall> stall = stallNow();
    m_vainNs = stall ? 0 : nowNs;
    if (!stall)
        return false;
    if (stall->tNs >= m_stallEndNs && !m_goesOn)
        m_ofStall = 0;
    m_goesOn = true;
    m_stallEndNs = stall->tNs + stall->lengthNs;
    if (m_ofStall >= kMostOfStall)
        return false;
    ++m_ofStall;
    return take(nowNs);
}

bool SnapshotWatch::asked(std::int64_t nowNs)
{
    if (m_underWay || (m_takenNs > 0 && nowNs - m_takenNs < kApartNs)) {
        ++m_tooSoon;
        return false;
    }
    return take(nowNs);
}

std::string SnapshotWatch::notTaken() const
{
    if (m_tooSoon + m_tooMany == 0)
        return {};
    return fmt::format("snapshots skipped: {} (limits: {} a run, one a second)", m_tooSoon + m_tooMany, kMostOfRun);
}

} // namespace dyno
