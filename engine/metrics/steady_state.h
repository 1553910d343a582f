// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Tells when a run has settled.
#pragma once

#include <dyno/plan.h>
#include <dyno/samples.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace dyno {

//! Detects the steady state after the method of SNIA's Solid State Storage Performance Test Specification (definition
//! of "steady state": over a measurement window of five rounds, the range of the values and the excursion of the best
//! linear fit, both relative to the average), with the limits and the length of the window from SteadyRule.
//!
//! The window holds the newest intervals: as few as cover `windowSeconds` (a hundredth less is let pass, since
//! intervals end a moment late or early), and never fewer than five. For two values of each interval, throughput
//! (transactions a second) and the 95th percentile (response time where it is measured apart, else service time), it
//! takes the line of least squares over the intervals' middles, each interval weighted with its length, and says steady
//! when for both
//! - change: the line moves by at most `slope` × mean from the beginning of the window to its end, up or down, and
//! - deviation: no interval is further than `deviation` × mean from the line,
//! where the mean is weighted with the lengths too (so the mean throughput is transactions by time). Intervals without
//! a transaction count as zero throughput and have no percentile; they are left out of that line, of which five must
//! remain. A mean of zero is never steady. Intervals of length zero are ignored; one that begins before the last one's
//! start begins anew.
//!
//! One thread at a time. add() costs O(intervals in the window).
class SteadyState
{
public:
    static constexpr std::size_t kLeastIntervals = 5;

    struct Fit
    {
        double mean = 0;
        double change = 0;    //!< of the line over the window by the mean, with sign
        double deviation = 0; //!< largest distance of an interval from the line by the mean
    };

    explicit SteadyState(SteadyRule rule);
    void add(const IntervalSample& sample);
    void reset(); //!< forgets all intervals
    [[nodiscard]] bool steady() const { return m_steady; }
    //! "steady over 10.0 s: throughput changes by +1.2 % and deviates by 3.4 %, p95 …", "not steady over …",
    //! "3.0 of 10.0 s seen".
    [[nodiscard]] std::string text() const;

    [[nodiscard]] bool full() const { return m_full; } //!< the window is covered
    [[nodiscard]] double seconds() const;              //!< that it covers now
    [[nodiscard]] std::size_t intervals() const { return m_window.size(); }
    [[nodiscard]] const Fit& throughput() const { return m_throughput; }  //!< transactions a second
    [[nodiscard]] const std::optional<Fit>& p95() const { return m_p95; } //!< ms; none when too few intervals have one

private:
    struct Point
    {
        double middle = 0, seconds = 0; //!< middle: seconds since the run began
        double rate = 0;
        std::optional<double> p95Ms;
    };
    void judge();
    [[nodiscard]] bool within(const Fit& fit) const;

    SteadyRule m_rule;
    std::deque<Point> m_window;
    std::int64_t m_lastNs = 0;
    Fit m_throughput;
    std::optional<Fit> m_p95;
    bool m_full = false, m_steady = false;
};

} // namespace dyno
