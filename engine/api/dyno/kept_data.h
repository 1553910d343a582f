// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The look into servers that Dynobench keeps with their data, before the window starts a plan.
#pragma once

#include "preflight.h"
#include "uri.h"

#include <vector>

namespace dyno {

//! Whether this target is a managed server with a name: its data outlive the session.
[[nodiscard]] bool keepsData(const TargetUri& uri);

//! Whether what such servers hold is the plan's: starts each one that is there, with the settings of the plan's first point on it,
//! and stops it again. Its items are blockers whose id is "data", as lookBeforeStart() has them for other targets. Nothing of a
//! server that is not there yet, that somebody has, or that does not start (the run says so), nor where the plan takes or replaces
//! whatever is there. Blocking: some seconds for each. Any thread but the window's.
[[nodiscard]] std::vector<PreflightReport> lookAtKeptData(const Plan& plan, const RunnerOptions& options);

} // namespace dyno
