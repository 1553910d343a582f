// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/snapshots/snapshot_watch.h"

#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::int64_t kBorderSlackNs = 50'000'000; //!< intervals of a second are not to the nanosecond

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

bool SnapshotWatch::stalls(const IntervalSample& sample, std::int64_t nowNs)
{
    if (m_when != SnapshotsWhen::Stalls)
        return false;
    m_stalls.add(sample);
    if (sample.phase != Phase::Measure)
        return false;
    const std::vector<Stall>& found = m_stalls.stalls();
    // One that is over by now, or that only shows by what came after it, has no moment to be looked at.
    if (found.empty() || !found.back().stalled ||
        found.back().tNs + found.back().lengthNs < sample.tNs + sample.lengthNs)
        return false;
    if (m_stallNs != found.back().tNs) {
        m_stallNs = found.back().tNs;
        m_ofStall = 0;
    }
    if (m_ofStall >= kMostOfStall || m_underWay || (m_takenNs > 0 && nowNs - m_takenNs < kApartNs - kBorderSlackNs))
        return false;
    const bool taken = take(nowNs);
    m_ofStall += taken ? 1 : 0;
    return taken;
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
    return fmt::format("snapshots that were asked for and not taken: {}; at most {} a run are taken, and one a second",
                       m_tooSoon + m_tooMany, kMostOfRun);
}

} // namespace dyno
