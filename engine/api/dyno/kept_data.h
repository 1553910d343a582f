// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The look into servers that Dynobench keeps with their data, before the window starts a plan. Called by
//! jobs of the window, on a thread of theirs: what asks a server blocks.
#pragma once

#include "preflight.h"
#include "runner.h"
#include "uri.h"

#include <vector>

namespace dyno {

//! Whether this target is a managed server with a name: its data outlive the session.
[[nodiscard]] bool keepsData(const TargetUri& uri);
//! Whether its data are made by a session and go with it: a managed server or a file without a name.
[[nodiscard]] bool isOfOneSession(const TargetUri& uri);

//! Whether some point of the plan would start such a server with other settings than it was last started with. Starts
//! nothing.
[[nodiscard]] bool changesKeptSettings(const Plan& plan, const RunnerOptions& options);

//! Whether what such servers hold is the plan's, and what of it would be changed: starts each one that is there as it
//! was last started, whatever the plan sets, and stops it again. Its items are blockers whose id is "data", as
//! lookBeforeStart() has them for other targets; its risks are other settings of a server that holds tables which
//! Dynobench did not make. Nothing of a server that is not there yet or that somebody has, nor where the plan takes or
//! replaces whatever is there under the same settings. One that is given up because of RunnerOptions::stopped, or does
//! not end and is killed, is told as a warning whose id is "server". Blocking: some seconds for each. Any thread but
//! the window's.
[[nodiscard]] std::vector<PreflightReport> lookAtKeptData(const Plan& plan, const RunnerOptions& options);

} // namespace dyno
