// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which series of a run go up and down with another one. Pure functions; any thread.
#pragma once

#include "moved.h"

#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace dyno {

struct RankCorrelation
{
    double rho = 0;
    std::size_t pairs = 0;
};
//! Spearman's rank correlation of pairs of values, −1…1; equal values share the mean of their ranks. Pairs with one
//! that is not a number do not count. Nothing when fewer than two pairs are left or one side does not vary. C.
//! Spearman, "The Proof and Measurement of Association between Two Things", American Journal of Psychology 15, 1904.
[[nodiscard]] std::optional<RankCorrelation> rankCorrelation(std::span<const double> x, std::span<const double> y);

struct CorrelationRule
{
    std::size_t fewestPairs = 18; //!< with fewer of them even ρ = 1 is within chance
    std::size_t fewestValues = 5; //!< different ones, on both sides: what is 0 with a few spikes ranks by chance
    double least = 0.5;           //!< weaker ones are not listed,
    //! nor those within this many standard deviations of what unrelated series give, 1/√(n − 1) (Kendall, "Rank
    //! Correlation Methods", 1948). n is what the pairs are worth where neighbours are alike, as in a slow drift:
    //! pairs·(1 − ab)/(1 + ab), with the lag-1 autocorrelations a, b of the ranks (Bayley and Hammersley, "The
    //! 'Effective' Number of Independent Observations in an Autocorrelated Time Series", 1946).
    double chance = 4;
};

struct SeriesCorrelation
{
    std::size_t series = 0; //!< index into the series given
    double rho = 0;
    std::size_t pairs = 0;
};

//! The series that move with `reference`, or against it, the strongest first. `time`, `series`: as for movesIn();
//! `reference` has a value for each interval too. Only intervals within `stretch`, and in none of `unusual`, count.
//! When a stop is requested the result is what was found until then.
[[nodiscard]] std::vector<SeriesCorrelation>
correlationsWith(std::span<const double> time, std::span<const double> reference,
                 const std::vector<std::span<const double>>& series, const TimeStretch& stretch,
                 const std::vector<TimeStretch>& unusual = {}, const CorrelationRule& rule = {},
                 const std::stop_token& stop = {});

} // namespace dyno
