// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Stalls and dips of a run that grows, by findStalls(). Only what may still change is judged again. One thread.
#pragma once

#include "stalls.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace dyno {

class StallWatch
{
public:
    void clear() { *this = {}; }
    //! Of a load with phases, before the first interval: see StallRule.
    void setStretches(std::vector<PhaseSpan> stretches) { m_rule.stretches = std::move(stretches); }
    void add(const IntervalSample& sample); //!< in the order of time
    //! Those of all the intervals so far, in order; tNs as in the samples. The same as findStalls() of all of them.
    [[nodiscard]] const std::vector<Stall>& stalls();

    //! Intervals that the last look of stalls() judged: what it cost. A level of response times that stays costs no
    //! more than any other; a hang costs all of its intervals.
    [[nodiscard]] std::size_t judged() const { return m_judged; }

private:
    void update();

    StallRule m_rule;
    std::vector<StallInterval> m_intervals;         //!< of the measured time
    std::vector<Stall> m_stalls;                    //!< the first m_settledStalls of them do not change any more
    std::size_t m_settledStalls = 0, m_settled = 0; //!< stalls; intervals, which later ones do not touch
    std::int64_t m_longestNs = 0, m_beganNs = -1;   //!< when the first transactions ended; −1: none did
    std::size_t m_judged = 0;
    bool m_stale = false;
};

} // namespace dyno
