// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Workload "lua": scripts for sysbench 1.0.20, unchanged. Each call of the script's event() is a transaction; its
//! statements are measured by their first word. Users of a thread share an interpreter.
//!
//! Other than sysbench: a transaction that is restarted is rolled back first; a user has one connection; an event that
//! returns a value, which ends its user in sysbench, ends the run as failed.
#pragma once

#include "workload/workload.h"

#include <string>

namespace dyno::lua {

struct ScriptFile;

[[nodiscard]] const std::vector<const Workload*>& workloads();
//! As Interpreter has it; nothing in a build without one.
[[nodiscard]] std::string syntaxProblem(const ScriptFile& file);

} // namespace dyno::lua
