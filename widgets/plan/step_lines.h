// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the folded steps of a plan say. Pure functions; any thread.
#pragma once

#include "plan/step_card.h"

#include <dyno/plan.h>

#include <cstdint>

namespace dyno {

[[nodiscard]] StepLine targetLine(const Plan& plan);
//! `bytes`: of the data, as PlanCheck::bytes; 0 = not known.
[[nodiscard]] StepLine workloadLine(const Plan& plan, std::uint64_t bytes);
[[nodiscard]] StepLine axesLine(const Plan& plan);
[[nodiscard]] StepLine loadLine(const Plan& plan);
[[nodiscard]] StepLine observeLine(const Plan& plan);
[[nodiscard]] StepLine aboutLine(const Plan& plan);

} // namespace dyno
