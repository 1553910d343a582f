// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The first target of a plan with a script, for who works on it from the script's page: no session is under way, and
//! nothing is made or started for it.
#pragma once

#include "load/target/target.h"

#include <dyno/plan.h>
#include <dyno/runner.h>

#include <memory>

namespace dyno {

//! `lua`: also of a script for sysbench.
[[nodiscard]] Expected<PointSpec> firstScriptPoint(const Plan& plan, bool lua = false);
//! What is there now.
[[nodiscard]] Expected<std::unique_ptr<Target>> runningTarget(const TargetUri& uri, const RunnerOptions& options);

} // namespace dyno
