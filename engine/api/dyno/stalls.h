// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Stalls and dips in the throughput of a run, and stretches where throughput holds but response times do not. Pure
//! functions; any thread.
#pragma once

#include "samples.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dyno {

//! When an interval counts as too slow. Its throughput is held against the median of the measured intervals within
//! `windowSeconds` around it (at least 11 of them), so that a rate that falls slowly is no stall; where that median is
//! itself below `stall` of the one before it, against the one before: a stall may be longer than half of the window
//! (where ten transactions an interval or more are usual).
struct StallRule
{
    double windowSeconds = 60;
    double dip = 0.5;   //!< below this share of the median: a dip
    double stall = 0.1; //!< its slowest interval below this share: a stall
    //! What is missing must exceed this many standard deviations of a Poisson count, else a slow workload's chance
    //! would be taken for one.
    double chance = 4;
    //! Slow: p99 of the interval's response times is above this many times the median of those around it, and above
    //! `slowFloorMs`, below which a wait for a core is enough. What stays slow is another level once it has lasted for
    //! `windowSeconds`: the stall ends there. 0: only throughput is judged.
    double slower = 10;
    double slowFloorMs = 10;
    std::size_t slowIntervals = 2; //!< as many of them make a latency stall: one is a matter of chance
    double slowSeconds = 1;        //!< and so long it lasts, however short they are
    std::uint64_t slowCount = 100; //!< transactions an interval must have: of fewer, p99 is their maximum
    //! Where the load is the same, of a run whose load has phases: each is judged by itself. None: all of it is.
    std::vector<PhaseSpan> stretches = {};
};
//! Neighbouring slow intervals (one better interval between them does not part them). What lies within a stall or dip
//! of throughput, or right beside it, is no latency stall: its times are slow because of that. Stalls of throughput end
//! only when it returns.
struct Stall
{
    enum class Kind { Throughput, Latency };
    std::int64_t tNs = 0, lengthNs = 0; //!< from the start of the run's first phase
    double usual = 0;                   //!< transactions a second around it
    double lowest = 0;                  //!< in its slowest interval
    double missing = 0;                 //!< transactions that the usual rate would have brought
    bool stalled = false;               //!< false: a dip
    Kind kind = Kind::Throughput;       //!< Latency: has no figure of those above
    double usualMs = 0, highestMs = 0;  //!< of Latency: p99 around it, and in its slowest interval
    [[nodiscard]] bool isSlow() const { return kind == Kind::Latency; }
    [[nodiscard]] std::string_view word() const { return isSlow() ? "latency stall" : stalled ? "stall" : "dip"; }
    [[nodiscard]] double timesSlower() const { return usualMs > 0 ? highestMs / usualMs : 0; } //!< of Latency
    [[nodiscard]] double depth() const { return usual > 0 ? 1 - lowest / usual : 0; }          //!< 0…1
};
//! What tells an interval's throughput and times.
struct StallInterval
{
    std::int64_t tNs = 0, lengthNs = 1; //!< lengthNs: 1…
    std::uint64_t count = 0;            //!< transactions that ended in it
    double p99Ms = 0;                   //!< of their response times; 0, or not a number: unknown
};
[[nodiscard]] StallInterval stallIntervalOf(const IntervalSample& sample, const OpInterval& what);
//! All of them measured, in order; so is what is found.
[[nodiscard]] std::vector<Stall> findStalls(const std::vector<StallInterval>& intervals, const StallRule& rule = {});
//! In the measured time, in order. `operation`: of one operation kind (its id) instead of transactions.
[[nodiscard]] std::vector<Stall> findStalls(const std::vector<IntervalSample>& intervals, const StallRule& rule = {},
                                            std::optional<std::size_t> operation = {});

} // namespace dyno
