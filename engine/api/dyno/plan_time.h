// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Where the estimated time of a plan goes. Pure; any thread.
#pragma once

#include "plan.h"

namespace dyno {

//! Of a run, or of several, in seconds. Loading is in none of them: its time is not known beforehand.
struct RunTime
{
    double restart = 0; //!< of the server
    double connect = 0; //!< of all users
    double warmup = 0;  //!< of one that ends when it is steady, what is expected
    double measure = 0; //!< of a search: all its probes
    [[nodiscard]] double total() const { return restart + connect + warmup + measure; }
    RunTime& operator+=(const RunTime& other);
};
//! `run`: one of `point`. Expansion::estimatedSeconds is the total of all runs.
[[nodiscard]] RunTime timeOf(const PointSpec& point, const RunSlot& run);

} // namespace dyno
