// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Phases of the load ([[load.phase]]): who takes part in each, how often transactions arrive, where they lie on a
//! run's time axis. Pure functions; any thread.
#pragma once

#include "plan.h"
#include "samples.h"

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! What the phase says of a group; of the whole run where `group` is "".
[[nodiscard]] const PhasePace& paceIn(const LoadPhase& phase, std::string_view group);
//! How many of the users take part in it.
[[nodiscard]] int usersIn(const LoadPhase& phase, std::string_view group, int users);
//! Arrivals a second in it; 0 in a closed loop, and where nobody takes part.
[[nodiscard]] double rateIn(const LoadPhase& phase, std::string_view group, const Arrival& pace, int users);

//! Users and rate of the run, or of one of its groups, while a phase lasts.
struct PhaseShare
{
    std::string group; //!< "" without groups
    int users = 0, of = 0;
    double rate = 0; //!< 0: closed loop, or nothing arrives
    bool open = false;
    SectionWeights weights = {}; //!< empty: as the workload has them
};
//! "read=9, write=1"
[[nodiscard]] std::string weightsText(const SectionWeights& weights);
//! Names of the sections of a workload, of which a transaction does one: the scripts of a workload that has several.
//! Empty: it has none, or its parameters have a fault. Phases may change their weights.
[[nodiscard]] std::vector<std::string> sectionsOf(const std::string& workload, const Settings& params);
//! Of a point: one of the run, or one of each group that takes part in the point.
[[nodiscard]] std::vector<PhaseShare> sharesIn(const LoadProfile& load, const LoadPhase& phase);
//! "4 of 16 users, 2000 a second, read=9, write=1"; "scans: 0 of 4 users; writes: 8 of 8 users, 500 a second".
[[nodiscard]] std::string phaseText(const LoadProfile& load, const LoadPhase& phase);

//! The measured time becomes the sum of the phases, where there are some.
void takePhaseTimes(LoadProfile& load);

//! Whether users, rates or weights differ within a run, so that its throughput belongs to no one number of users.
[[nodiscard]] bool changesLoad(const LoadProfile& load);

//! Where they lie when the measured time begins at `measuredFromNs`.
[[nodiscard]] std::vector<PhaseSpan> phaseSpans(const LoadProfile& load, std::int64_t measuredFromNs);

} // namespace dyno
