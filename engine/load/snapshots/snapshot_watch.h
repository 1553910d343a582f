// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! When a snapshot of the server is taken: because somebody asks for it, or because throughput or response times stall;
//! and never too many. Control thread.
#pragma once

#include <dyno/plan.h>
#include <dyno/stalls.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dyno {

class SnapshotWatch
{
public:
    static constexpr std::size_t kMostOfRun = 60, kMostOfStall = 5;
    static constexpr std::int64_t kApartNs = 1'000'000'000; //!< at most one a second

    explicit SnapshotWatch(SnapshotsWhen when)
        : m_when(when)
    {
    }
    //! Of a load with phases, before the first measured interval: see StallRule.
    void setStretches(std::vector<PhaseSpan> stretches) { m_rule.stretches = std::move(stretches); }
    //! An interval has ended. True: there is a stall in it, no dip, and a snapshot is to be taken now.
    [[nodiscard]] bool stalls(const IntervalSample& sample, std::int64_t nowNs);
    //! Somebody asks for one. True: it is to be taken now.
    [[nodiscard]] bool asked(std::int64_t nowNs);
    //! The answer to the last one that was to be taken is there.
    void answered() { m_underWay = false; }
    [[nodiscard]] bool underWay() const { return m_underWay; }
    //! At the end of the run: what was not taken, as a sentence; "" where nothing is to be told.
    [[nodiscard]] std::string notTaken() const;

private:
    struct Figure
    {
        std::int64_t tNs;
        double value;
    };
    //! Stalls of a kind: response times may stay slow for long, and throughput stalls meanwhile.
    struct OfKind
    {
        bool maybe = false;      //!< the last interval may be in one
        bool goesOn = false;     //!< the last one may not be over
        std::int64_t endNs = 0;  //!< of the last one, so far
        std::int64_t vainNs = 0; //!< when it was last judged and was none; 0: it was one
        std::size_t taken = 0;   //!< snapshots of the last one
    };
    [[nodiscard]] bool take(std::int64_t nowNs);
    void suspect(const IntervalSample& sample);
    [[nodiscard]] std::optional<Stall> stallNow() const;

    SnapshotsWhen m_when;
    StallRule m_rule;
    std::deque<StallInterval> m_recent;
    std::deque<Figure> m_highest; //!< of their rates (transactions a nanosecond), each that none after it surpasses
    std::deque<Figure> m_fastest; //!< of their p99 (ms), each that none after it is below
    std::int64_t m_longestNs = 0;
    OfKind m_throughput, m_latency;
    std::int64_t m_takenNs = 0; //!< the last one
    std::size_t m_taken = 0, m_tooSoon = 0, m_tooMany = 0;
    bool m_underWay = false;
};

} // namespace dyno
