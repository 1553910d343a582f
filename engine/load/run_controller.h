// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One run from connecting to the last interval, on the control thread.
#pragma once

#include "load/executor/run_state.h"
#include "monitor/ask_cost.h"
#include "workload/workload.h"

#include <dyno/runner.h>
#include <dyno/snapshots.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace dyno {

//! Orders from outside to the control thread of a session. Any thread.
class RunControl
{
public:
    Signal signal;

    void stop()
    {
        m_stop = true;
        signal.notify();
    }
    void skip(bool wholePoint)
    {
        if (wholePoint)
            m_skipPoint = true;
        m_skip = true;
        signal.notify();
    }
    void setPaused(bool on)
    {
        m_paused = on;
        signal.notify();
    }
    //! A note for the run under way, at `atNs` on nowNs()'s clock; false, and nothing is kept, when none is under way
    //! or it began later. Without a time: at the moment when a run takes it up, of this run or of the next one.
    bool annotate(std::string text, std::int64_t atNs = 0);

    [[nodiscard]] bool stopped() const { return m_stop; }
    [[nodiscard]] bool skipped() const { return m_skip; }
    [[nodiscard]] bool paused() const { return m_paused; }
    [[nodiscard]] bool skippedPoint() const { return m_skipPoint; } //!< all runs of the current one's point
    void clearSkip() { m_skip = m_skipPoint = false; }
    struct TimedNote
    {
        std::int64_t atNs = 0; //!< 0: now
        std::string text;
    };
    //! A snapshot of the server is wanted; false when no run is under way.
    bool askSnapshot();
    [[nodiscard]] bool takeSnapshotWish(); //!< once for all that were asked for since the last call
    void openNotes(std::int64_t sinceNs);  //!< a run is under way since then
    [[nodiscard]] std::vector<TimedNote> takeNotes();
    [[nodiscard]] std::vector<TimedNote> closeNotes(); //!< the last ones of the run under way

private:
    std::atomic<bool> m_stop{false}, m_skip{false}, m_skipPoint{false}, m_paused{false};
    std::mutex m_mutex;
    std::vector<TimedNote> m_notes;
    std::int64_t m_notesSinceNs = 0; //!< 0: no run is under way
    bool m_snapshotWanted = false;
};

//! An event from before the run's first phase, with its absolute time.
struct EarlyEvent
{
    std::int64_t atNs = 0;
    EventKind kind = EventKind::Server;
    std::string text;
    std::int64_t lengthNs = 0; //!< 0 for an instant
};

class CounterMonitor;
class HostEvents;
class HostUsage;
class ProcessUsage;

//! A process of ours that serves the users.
struct ServingProcess
{
    std::string what;    //!< in sentences: "the managed server", "HAProxy"
    std::string again;   //!< where the next run starts it again: "the server", "HAProxy"
    std::string counted; //!< CounterInfo::source of what it uses
    int process = 0;     //!< its id
    //! How it ended, waiting so long for that; "" while it runs. Control thread.
    std::function<std::string(std::chrono::milliseconds)> endedBy = {};
};

//! A group of users that takes part, in the order of its operations.
struct RunGroup
{
    std::string name;
    int users = 0;
    ConnectTargetPtr target; //!< with the statements of its workload
    std::shared_ptr<const WorkloadInstance> workload;
    Arrival pace;
    OpId counts{};  //!< operation that counts its transactions
    OpId firstOp{}; //!< of its workload
};

//! Where the measured time of a run lay on nowNs()'s clock.
struct MeasuredTime
{
    std::int64_t fromNs = 0;     //!< 0: it did not come to that
    double operationsBefore = 0; //!< a second, in the interval before it; 0 without a warm-up
    std::int64_t beganMs = 0;    //!< when the first phase began, since 1970, UTC; 0: none did
};

struct RunJob
{
    Driver& driver;
    ConnectTargetPtr target;
    const WorkloadInstance& workload;
    std::vector<OperationInfo> operations;
    LoadProfile load; //!< users has one value
    RunControl& control;
    std::vector<EarlyEvent> early;              //!< told with negative times
    std::vector<CounterInfo> counterInfos = {}; //!< of the intervals' counters: RunHeader::counters
    CounterMonitor* counters = nullptr;         //!< of the server, started with the first phase; may be none
    bool digest = false;                        //!< those tell the digest of the server's statements, too
    HostEvents* hostEvents = nullptr;           //!< of this machine
    std::vector<ProcessUsage>* used =
        nullptr;               //!< of servers and proxies, then of this one; these figures follow the counters
    HostUsage* host = nullptr; //!< of this machine; its figures follow those
    std::vector<ServingProcess> processes = {};
    //! Of a mixed load: then `workload` and the pace of `load` are nobody's.
    std::vector<RunGroup> groups = {};
    std::optional<WorkPlace> place = {}; //!< where the target works, if its own address does not say so: behind a path
    AskCost* ownCost = nullptr;          //!< filled with what reading `used` and `host` cost
    std::vector<std::unique_ptr<CounterMonitor>>* exporters = nullptr; //!< and other machines; their figures come last
    MeasuredTime* measured = nullptr;                                  //!< filled while it runs
};

//! Hears of a run; called on the control thread.
class RunObserver
{
public:
    virtual ~RunObserver() = default;
    virtual void onSample(const IntervalSample&) = 0;
    virtual void onEvent(const RunEvent&) = 0;
    //! With an event of the same time.
    virtual void onSnapshot(const RunSnapshot& /*snapshot*/) {}
    //! `done` of `total` is users while connecting, steps of a workload that is a list of them, seconds of the phase
    //! otherwise.
    virtual void onPhase(Phase phase, double done, double total) = 0;
};

//! Runs it. The summary's status says how it ended; point and repeat are the caller's.
[[nodiscard]] RunSummary executeRun(const RunJob& job, RunObserver& observer);

} // namespace dyno
