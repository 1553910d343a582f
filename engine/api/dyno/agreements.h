// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What this user agreed to once, in the window or on the command line, remembered by its content: the file
//! `agreements` of the data folder (0600), which the window and `dyno` share. A session that was measured here is run
//! again without a question that way, and a plan that was saved here; whatever differs in what it wants or from whom is
//! asked about.
#pragma once

#include "plan.h"
#include "trust.h"

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dyno {

[[nodiscard]] std::filesystem::path agreementsFile(); //!< dataFolder()/agreements

//! For good: of the same key, value and words (Risk::wants) against the same targets nobody is asked again. That data
//! of others are written beside or into (kTargetKey, and not at a look) is agreed to for what this plan does there: its
//! workload with its parameters and settings, under whatever load. Any thread.
void rememberAgreed(const Plan& plan, const std::vector<Risk>& risks, const std::filesystem::path& file = {});
//! Adds those of `risks` to `consent` that were agreed to for the plan's targets. Any thread.
void recallAgreed(const Plan& plan, const std::vector<Risk>& risks, Consent& consent,
                  const std::filesystem::path& file = {});

//! Every setting of a plan with each of its values, wherever it stands (cases and groups of users too): the keys as in
//! Risk, and the values as text. Pure; any thread.
[[nodiscard]] std::set<std::pair<std::string, std::string>> wordsOfPlan(const Plan& plan);

} // namespace dyno
