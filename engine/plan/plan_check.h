// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Parts of validation that need more than the plan's own words.
#pragma once

#include <dyno/plan.h>

namespace dyno {

//! Faults of what names axes and cases: skips, published figures, views. `faults` holds those found before: an axis
//! whose own name is at fault may be the one that a view means.
void checkNames(const Plan& plan, Faults& faults);
//! Binds the workload of each distinct point and returns the distinct faults of those that refuse their parameters, at
//! the parameter that the workload names.
[[nodiscard]] Faults bindFaults(const Plan& plan);

//! checkPlan() of a plan that need not carry the files that it names.
[[nodiscard]] Faults checkStoredPlan(const Plan& plan);

} // namespace dyno
