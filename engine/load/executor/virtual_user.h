// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A virtual user's life as two coroutines, the same for every executor: connect, then run until told to stop.
#pragma once

#include "coro/task.h"
#include "load/executor/run_state.h"
#include "workload/workload.h"

#include <optional>
#include <vector>

namespace dyno {

//! Of each phase of the load; nullopt: as the workload has them.
using PhaseWeights = std::vector<std::optional<SectionSums>>;

//! What one user does.
struct UserPart
{
    ConnectTargetPtr target;
    const WorkloadInstance* workload = nullptr;
    UserPlace place;
    bool grouped = false; //!< false: pace and arrivals are the run's
    ArrivalQueue* arrivals = nullptr;
    std::int64_t thinkNs = 0;
    std::uint64_t arrivalStream = 0;
    const std::atomic<int>* active = nullptr; //!< of its group: see UserGroup; nullptr: RunState::activeUsers
    const PhaseWeights* weights = nullptr;    //!< by phase of the load; nullptr: none has any
};

//! Connects and prepares all statements. An error fails the run; the user must not be run then.
[[nodiscard]] Task<bool> connectUser(UserContext& user, const StatementSet& statements, RunState& state);

//! One transaction after the other until the run stops or the user's part of the budget is done. Closed loop: the next
//! one begins when the last has ended, after the think time. Open loop: the next arrival, whose response time counts
//! from when it was due (Schroeder, Wierman, Harchol-Balter, "Open versus closed: a cautionary tale", NSDI 2006).
//!
//! Rules of sysbench (WORKLOADS 5.1): a retryable error rolls back and restarts the transaction, inside the same
//! latency sample or outside it (WorkloadInstance::retriesInSample()); other errors count as failed, or end the run
//! where the profile says so. A lost connection is tried again with growing pauses for RunState::reconnectNs; then the
//! run fails.
[[nodiscard]] Task<void> runUser(UserContext& user, const UserPart& part, RunState& state);

} // namespace dyno
