// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What else moved while something happened: series of a run ranked by how far they moved, and bursts of errors. Pure
//! functions; any thread.
#pragma once

#include "library.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace dyno {

//! From and to, in seconds from the start of the run's first phase.
struct TimeStretch
{
    double from = 0, to = 0;
};

struct MoveRule
{
    double calmSeconds = 60;    //!< that many before the stretch are looked at,
    std::size_t fewestCalm = 5; //!< and at least so many intervals
    //! Smaller moves are none. Of robust z-scores Iglewicz and Hoaglin take 3.5 ("How to Detect and Handle Outliers",
    //! ASQC 1993, p. 12).
    double least = 3.5;
    //! A series that hardly varies is taken to vary by this share of its level, so that a trifle is no move.
    double leastSpread = 0.02;
};

//! How far one series moved: the difference of its medians in the stretch and in the calm before it, over
//! 1.4826 × MAD of the calm, the median absolute deviation scaled to the standard deviation of a normal distribution
//! (Hampel, "The Influence Curve and Its Role in Robust Estimation", JASA 69, 1974).
struct SeriesMove
{
    std::size_t series = 0;        //!< index into the series given
    double before = 0, during = 0; //!< medians
    double score = 0;              //!< robust z-score, positive for a rise
};

//! The series that moved, the furthest first. `time`: middles of the intervals, rising; each series has a value for
//! each, not a number where it is not known. The calm are the last intervals before the stretch that lie in none of
//! `unusual` (warm-up, other stalls). Series with too few known values in the calm, or none in the stretch, are not
//! ranked.
[[nodiscard]] std::vector<SeriesMove> movesIn(std::span<const double> time,
                                              const std::vector<std::span<const double>>& series,
                                              const TimeStretch& stretch, const std::vector<TimeStretch>& unusual = {},
                                              const MoveRule& rule = {});

//! The same of all these stretches together, against all intervals that lie in none of them and in none of `unusual`:
//! what is different while a run stalls, however often it does.
[[nodiscard]] std::vector<SeriesMove> movesInAll(std::span<const double> time,
                                                 const std::vector<std::span<const double>>& series,
                                                 const std::vector<TimeStretch>& stretches,
                                                 const std::vector<TimeStretch>& unusual = {},
                                                 const MoveRule& rule = {});

//! Which of them are shown: at most `shown` of those that are not hidden, then at most `hidden` of the hidden ones.
//! Among hundreds of hidden series some go from 0 to 1 at any time, which is far beyond a spread of nothing.
[[nodiscard]] std::vector<SeriesMove> movesToShow(const std::vector<SeriesMove>& moves,
                                                  const std::function<bool(std::size_t series)>& isHidden,
                                                  std::size_t shown, std::size_t hidden);

//! Neighbouring intervals of the measured time with many more failed transactions than the run usually has.
struct ErrorBurst
{
    std::int64_t tNs = 0, lengthNs = 0; //!< from the start of the run's first phase
    std::uint64_t errors = 0;           //!< in all of them
};
struct BurstRule
{
    double leastShare = 0.01; //!< of the interval's transactions that fail
    //! The count must exceed the usual one (the median of the run) by this many standard deviations of a Poisson count.
    double chance = 4;
};
//! In order. Looks at times, phases, transactions and their errors alone.
[[nodiscard]] std::vector<ErrorBurst> findErrorBursts(const IntervalColumns& intervals, const BurstRule& rule = {});

} // namespace dyno
