// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/snapshots/snapshot_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dyno {

namespace {

constexpr std::int64_t kBorderSlackNs = 50'000'000; //!< borders come some microseconds early or late
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

//! Notes of each kind whether it may be a stall: cheaply, since it is asked in each interval of each run. A median is
//! no more than the highest rate, and no less than the shortest time.
void SnapshotWatch::suspect(const IntervalSample& sample)
{
    const StallInterval now = stallIntervalOf(sample, sample.transaction);
    const double rate = double(now.count) / double(now.lengthNs);
    m_longestNs = std::max(m_longestNs, now.lengthNs);
    const std::int64_t keptNs =
        std::max(std::int64_t(kWindows * m_rule.windowSeconds * 1e9), std::int64_t(kFewestKept) * m_longestNs);
    const auto forget = [fromNs = now.tNs - keptNs](auto& list) {
        while (!list.empty() && list.front().tNs < fromNs)
            list.pop_front();
    };
    forget(m_recent);
    forget(m_highest);
    forget(m_fastest);
    m_throughput.maybe = !m_highest.empty() && rate < m_rule.stall * m_highest.front().value;
    m_latency.maybe = false;
    if (now.count >= m_rule.slowCount && now.p99Ms > 0) {
        m_latency.maybe =
            !m_fastest.empty() && now.p99Ms > std::max(m_rule.slower * m_fastest.front().value, m_rule.slowFloorMs);
        while (!m_fastest.empty() && m_fastest.back().value >= now.p99Ms)
            m_fastest.pop_back();
        m_fastest.push_back({now.tNs, now.p99Ms});
    }
    while (!m_highest.empty() && m_highest.back().value <= rate)
        m_highest.pop_back();
    m_highest.push_back({now.tNs, rate});
    m_recent.push_back(now);
}

//! By the rule of all stalls, over what lies around the last interval.
std::optional<Stall> SnapshotWatch::stallNow() const
{
    const std::vector<Stall> found = findStalls(std::vector<StallInterval>(m_recent.begin(), m_recent.end()), m_rule);
    // One that is over by now, or that only shows by what came after it, has no moment to be looked at.
    if (found.empty() || (!found.back().stalled && !found.back().isSlow()) ||
        found.back().tNs + found.back().lengthNs < m_recent.back().tNs + m_recent.back().lengthNs)
        return std::nullopt;
    return found.back();
}

bool SnapshotWatch::stalls(const IntervalSample& sample, std::int64_t nowNs)
{
    if (m_when != SnapshotsWhen::Stalls || sample.phase != Phase::Measure || sample.lengthNs <= 0)
        return false;
    suspect(sample);
    const std::array both{&m_throughput, &m_latency};
    for (OfKind* one : both) {
        one->goesOn = one->goesOn && one->maybe;
        if (one->goesOn && one->taken >= kMostOfStall)
            one->endNs = sample.tNs + sample.lengthNs;
    }
    const auto isDue = [nowNs](const OfKind* one) {
        return one->maybe && !(one->goesOn && one->taken >= kMostOfStall) &&
               (one->vainNs == 0 || nowNs - one->vainNs >= kVainApartNs - kBorderSlackNs);
    };
    if (m_underWay || (m_takenNs > 0 && nowNs - m_takenNs < kApartNs - kBorderSlackNs) ||
        std::ranges::none_of(both, isDue))
        return false;
    const std::optional<Stall> stall = stallNow();
    OfKind* its = !stall ? nullptr : stall->isSlow() ? &m_latency : &m_throughput;
    for (OfKind* one : both) {
        if (one != its && isDue(one))
            one->vainNs = nowNs;
    }
    if (!its)
        return false;
    if (stall->tNs >= its->endNs && !its->goesOn)
        its->taken = 0;
    its->vainNs = 0;
    its->goesOn = its->maybe;
    its->endNs = stall->tNs + stall->lengthNs;
    if (its->taken >= kMostOfStall)
        return false;
    ++its->taken;
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
