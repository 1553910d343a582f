// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Phases of the load ([[load.phase]]): their fields by name, and what is wrong with them.
#pragma once

#include <dyno/load_phases.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! Names under [[load.phase]] but `name` and `groups`, in the order they are written.
[[nodiscard]] const std::vector<std::string>& phaseFields();
//! Those of one of its groups.
[[nodiscard]] const std::vector<std::string>& phaseGroupFields();
//! Sets one of them, "weights.SECTION", or one of a group as "groups.GROUP.FIELD", with its type and range checked as
//! setLoadField() does.
[[nodiscard]] Expected<void> setPhaseField(LoadPhase& phase, std::string_view name, const Value& value);
//! What such a field holds; empty text where nothing is said.
[[nodiscard]] Value phaseField(const LoadPhase& phase, std::string_view name);
//! The same of one of its groups.
[[nodiscard]] Value phaseGroupField(const PhasePace& pace, std::string_view name);

//! "phase.spike.users" of "load.phase.spike.users", "phase.spike.groups.writes.rate": the phase and its field.
struct PhasePath
{
    std::string_view phase, field;
};
[[nodiscard]] std::optional<PhasePath> phasePathIn(std::string_view loadField);
//! The same of a whole key of a plan.
[[nodiscard]] std::optional<PhasePath> phasePathOf(std::string_view key);
//! Sets the field that such a path names; the measured time follows.
[[nodiscard]] Expected<void> setInPhase(LoadProfile& load, const PhasePath& path, const Value& value);

//! What a phase says of users that is of no group, or of a group that there is not; `where` is the phase's field.
[[nodiscard]] Faults groupFaults(const std::vector<LoadGroup>& groups, const LoadPhase& phase);
//! Faults of the plan's phases that need no point, each with its place.
[[nodiscard]] Faults phaseFaults(const Plan& plan);
//! Each has a rate of its own, or nobody takes part in it.
[[nodiscard]] bool haveRates(const std::vector<LoadPhase>& phases, std::string_view group);
//! What of a completed point does not go together with its phases. `plan` tells the places.
[[nodiscard]] Faults phaseFaults(const Plan& plan, const PointSpec& point);

} // namespace dyno
