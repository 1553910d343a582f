// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The [recipe] table of a plan: what describes it, as text and as values. Any thread.
#pragma once

#include <dyno/catalog.h>
#include <dyno/plan.h>

#include <string>
#include <string_view>

namespace dyno {

//! From the text of a plan, whatever its faults: what cannot be read is empty. `described`: see OwnRecipe.
[[nodiscard]] RecipeInfo describeRecipe(std::string_view toml, bool* described = nullptr);
//! writePlan() with a [recipe] table of what describes it; title and departures are the plan's.
[[nodiscard]] std::string writeRecipe(const Plan& plan, const RecipeInfo& about);

} // namespace dyno
