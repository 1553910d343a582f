// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! When arrivals are due in an open loop: a function of the phase's start alone, so that it cannot drift.
#pragma once

#include "base/random.h"
#include <dyno/plan.h>

#include <cstdint>
#include <vector>

namespace dyno {

//! A stretch that reaches its rate in a straight line over `rampSeconds` and then keeps it.
struct RateStretch
{
    double rate = 0;
    double seconds = 0;     //!< with the ramp
    double rampSeconds = 0; //!< 0: at once
};

//! The offered rate over time: straight pieces, the last rate goes on for ever.
class RateProfile
{
public:
    //! A constant rate, arrivals a second.
    static RateProfile constant(double rate);
    //! Linear from one rate to another within `seconds`.
    static RateProfile ramp(double from, double to, double seconds);
    static RateProfile steps(const std::vector<RateStep>& steps);
    //! One after the other; the first ramp begins at rate 0.
    static RateProfile stretches(const std::vector<RateStretch>& stretches);
    //! What the measured phase of `arrival` offers; a ramp lasts `seconds`.
    static RateProfile of(const Arrival& arrival, double seconds);

    //! The time in seconds at which `arrivals` (a real number) have been offered since the start: the inverse of the
    //! integral of the rate. Infinite when the rate stays 0 before that.
    [[nodiscard]] double timeOf(double arrivals) const;
    [[nodiscard]] double rateAt(double seconds) const;
    //! Length of the pieces that are not the endless last one.
    [[nodiscard]] double seconds() const { return m_pieces.back().start; }

private:
    struct Piece
    {
        double start = 0;  //!< seconds
        double length = 0; //!< seconds; the last piece has no end
        double from = 0, to = 0;
        double before = 0; //!< arrivals offered until its start
    };
    void add(double from, double to, double length);
    void close(double rate);
    std::vector<Piece> m_pieces;
    double m_seconds = 0, m_arrivals = 0;
};

//! The times of one phase's arrivals, one after the other. Fixed: arrival i is due when the profile has offered i
//! arrivals. Poisson: the gaps between those counts are exponential with mean 1 (a non-homogeneous Poisson process by
//! inversion; Çinlar, Introduction to Stochastic Processes, 1975).
class Schedule
{
public:
    Schedule(ArrivalModel model, RateProfile profile, std::uint64_t seed)
        : m_model(model)
        , m_profile(std::move(profile))
        , m_random(Random::forItem(seed, 0x4152524956414Cull, 0))
    {
    }
    //! ns after the start of the phase; INT64_MAX when no arrival is due any more.
    [[nodiscard]] std::int64_t next();

private:
    ArrivalModel m_model;
    RateProfile m_profile;
    Random m_random;
    double m_offered = 0;
};

} // namespace dyno
