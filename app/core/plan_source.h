// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Where a plan comes from: a file, a recipe, or flags.
#pragma once

#include <dyno/plan.h>
#include <dyno/trust.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! What a person named, with what was asked to be changed in it.
struct PlanRequest
{
    std::string source;            //!< a file or a recipe's id, also of a recipe of one's own
    std::string size;              //!< "" = as it is
    std::vector<std::string> sets; //!< "path=value"
    std::string library = {};      //!< beside which recipes of one's own lie; "" = the user's own
};
struct LoadedPlan
{
    std::optional<Plan> plan; //!< set when `faults` is empty
    Faults faults;
    std::string name; //!< for messages: the file or the recipe
    Consent consent;  //!< to what was typed with `sets`, not to what stands in a file; to all of a recipe of ours
};
//! Reads and checks. A target's URI in place of a plan is recognised and never repeated with its password.
[[nodiscard]] LoadedPlan loadPlan(const PlanRequest& request);

//! Changes fields ("path=value"); `consent` becomes what was typed (typedIn()): what a person types is the person's
//! own.
void applySets(Plan& plan, const std::vector<std::string>& sets, Consent& consent, Faults& faults);
//! What of the plan's `risks` this person has not agreed to, now or earlier: what was agreed to earlier
//! (dyno/agreements.h) comes into `consent`. When nothing is left, all of them are remembered.
[[nodiscard]] std::vector<Risk> openRisks(const Plan& plan, const std::vector<Risk>& risks, Consent& consent);
//! What a person is told of a plan with risks that nobody has agreed to, without a final line break.
[[nodiscard]] std::string risksText(std::string_view name, const std::vector<Risk>& risks);

//! "file:3:7: load.users: what (remedy)".
[[nodiscard]] std::string faultText(std::string_view name, const Fault& fault);

//! Makes relative paths of SQLite targets absolute, from `base`: what is typed in a terminal means the folder one is
//! in.
void resolvePaths(Plan& plan, const std::filesystem::path& base);

//! "synchronous" → "connection.synchronous", where the name belongs to one scope only; a name with a scope stays.
[[nodiscard]] Expected<std::string> qualifiedKnob(std::string_view driver, std::string_view name);

//! "name=value" → its two parts; the error says how it is written.
[[nodiscard]] Expected<std::pair<std::string, std::string>> splitAssignment(std::string_view text,
                                                                            std::string_view option);

} // namespace dyno
