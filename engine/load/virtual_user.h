// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A virtual user's life as two coroutines, the same for every executor: connect, then run until told to stop.
#pragma once

#include "coro/task.h"
#include "load/run_state.h"
#include "workload/workload.h"

namespace dyno {

//! Connects and prepares all statements. An error fails the run; the user must not be run then.
[[nodiscard]] Task<bool> connectUser(UserContext& user, const StatementSet& statements, RunState& state);

//! Closed loop: one transaction after the other until the run stops or its budget is used up. Rules of sysbench
//! (WORKLOADS 5.1): a retryable error rolls back and restarts the transaction inside the same latency sample; other
//! errors count as failed, or end the run where the profile says so; a lost connection ends the run.
[[nodiscard]] Task<void> runUser(UserContext& user, const WorkloadInstance& workload, RunState& state);

} // namespace dyno
