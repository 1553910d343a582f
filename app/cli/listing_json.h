// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The listings of `dyno` as JSON documents, each with a line break at its end. Names that are no UTF-8 do not spoil
//! them.
#pragma once

#include <dyno/catalog.h>
#include <dyno/library.h>
#include <dyno/own_workloads.h>
#include <dyno/plan.h>
#include <dyno/trust.h>
#include <dyno/uri_form.h>

#include <string>
#include <string_view>
#include <vector>

namespace dyno::cli {

[[nodiscard]] std::string driversJson();
[[nodiscard]] std::string driverJson(const UriForm& form); //!< how its targets are written
[[nodiscard]] std::string workloadsJson(const std::vector<WorkloadInfo>& workloads,
                                        const std::vector<OwnWorkload>& own);
[[nodiscard]] std::string knobsJson(const std::vector<KnobInfo>& knobs);
[[nodiscard]] std::string recipesJson(const std::vector<RecipeInfo>& recipes, bool withPlans);
[[nodiscard]] std::string experimentsJson();
[[nodiscard]] std::string measuresJson();
[[nodiscard]] std::string sessionsJson(const std::vector<SessionInfo>& sessions);
[[nodiscard]] std::string libraryCheckJson(const std::string& file, const LibraryCheck& check);
//! Either faults, or what the plan amounts to.
[[nodiscard]] std::string planCheckJson(const std::string& name, const Faults& faults, const Plan* plan,
                                        const Expansion* expansion, const std::vector<Risk>& risks);

//! When a plan that somebody else wrote may set it only after an agreement, as texts and JSON say it; "" = never.
[[nodiscard]] std::string askingOf(const OptionSpec& option);
[[nodiscard]] std::string askingOf(const KnobInfo& knob);

//! "counter:NAME" for a measure that has figures with a part only.
[[nodiscard]] std::string measureForm(std::string_view id);

} // namespace dyno::cli
