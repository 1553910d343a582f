// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Where virtual users live. The thread executor gives each user a thread of its own and suits blocking drivers; event
//! loops implement the same interface.
#pragma once

#include "load/executor/run_state.h"
#include "load/executor/virtual_user.h"
#include "metrics/recorder.h"
#include "workload/workload.h"

#include <memory>
#include <vector>

namespace dyno {

//! Users of a run that do the same, where there are several groups of them.
struct UserGroup
{
    ConnectTargetPtr target; //!< with the statements of its workload
    const WorkloadInstance* workload = nullptr;
    int users = 0;
    ArrivalQueue* arrivals = nullptr; //!< open loop; nullptr = closed
    std::int64_t thinkNs = 0;
    std::uint64_t arrivalStream = 0; //!< random stream of its arrivals
    OpId counts{};                   //!< operation that counts its transactions
    OpId firstOp{};                  //!< of its workload
    //! Those of it with a number from here on rest, and wait at RunState::wake; nullptr: as the run says.
    const std::atomic<int>* active = nullptr;
    const PhaseWeights* weights = nullptr; //!< see UserPart
};

//! What an executor needs to run users; everything outlives it.
struct ExecutorJob
{
    Driver& driver;
    ConnectTargetPtr target;
    const WorkloadInstance& workload;
    Recorder& recorder;
    RunState& state;
    int users = 1; //!< of all groups
    std::uint64_t seed = 1;
    std::vector<UserGroup> groups = {};    //!< none: all users do the same
    const PhaseWeights* weights = nullptr; //!< see UserPart; without groups
};

//! What the user with this number does.
[[nodiscard]] UserPart partOf(const ExecutorJob& job, int user);

//! Control thread only. Order: connect(), release(), join().
class Executor
{
public:
    virtual ~Executor() = default; //!< stops and joins
    //! Starts connecting all users; progress shows in RunState::connected, errors in RunState::failure().
    virtual Expected<void> connect() = 0;
    //! Lets all connected users begin at once.
    virtual void release() = 0;
    //! Waits for all users after RunState::stop(); sessions that do not come back within `graceSeconds` are aborted.
    virtual void join(double graceSeconds) = 0;
    //! Lock waits inside the client library so far, of all users (Session::busyWaits()).
    [[nodiscard]] virtual std::uint64_t busyWaits() const = 0;
    //! Event loops: the longest time since the last call that a ready user waited for its loop, ms.
    [[nodiscard]] virtual double takeLoopLagMs() { return 0; }
};

//! A thread for each user. Blocking drivers; few users.
[[nodiscard]] std::unique_ptr<Executor> makeThreadExecutor(const ExecutorJob& job);
//! `loops` threads share the users (0 = chosen by the cores). Drivers whose sessions answer Pending; many users.
[[nodiscard]] std::unique_ptr<Executor> makeLoopExecutor(const ExecutorJob& job, int loops);
//! Event loops for this number of users when the plan leaves the choice (ExecutorKind::Auto)?
[[nodiscard]] bool prefersLoops(const DriverInfo& driver, int users);

} // namespace dyno
