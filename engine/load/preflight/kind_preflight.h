// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What stands in the way of a plan on each kind of target; Target::preflight() asks.
#pragma once

#include "load/preflight/preflight_needs.h"

#include <dyno/preflight.h>
#include <dyno/runner.h>

namespace dyno {

//! Looks at the file, where the engine has one.
[[nodiscard]] PreflightReport embeddedPreflight(const TargetUri& uri, TargetNeeds& target,
                                                const RunnerOptions& options);
//! A managed server is ours to configure: what its option file will say, and what this host allows.
[[nodiscard]] PreflightReport managedPreflight(const TargetUri& uri, TargetNeeds& target, const RunnerOptions& options);
//! Connects and asks; the error says that it cannot be reached.
[[nodiscard]] Expected<PreflightReport> remotePreflight(const TargetUri& uri, TargetNeeds& target,
                                                        const RunnerOptions& options);

} // namespace dyno
