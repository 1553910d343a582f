// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Plain values that flow from a run to the store and the window. Times are nanoseconds; `tNs` counts from the start
//! of the run's first phase (warm-up if there is one).
#pragma once

#include "histogram.h"
#include "value.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dyno {

//! Which phase of a run an interval belongs to. Only Measure counts in summaries.
enum class Phase { Prepare, Connect, Warmup, Measure, Done };
[[nodiscard]] const char* toText(Phase phase); //!< "prepare", "connect", "warm-up", "measure", "done"

enum class RunStatus { Pending, Running, Done, Failed, Stopped, Cut };
[[nodiscard]] const char* toText(RunStatus status); //!< "pending", "running", "done", "failed", "stopped", "cut"
[[nodiscard]] RunStatus runStatusFromText(std::string_view text); //!< Cut for an unknown text

//! Class of an operation, as sysbench counts r/w/o.
enum class OpClass { Read, Write, Other };

//! An operation kind of a workload ("point_select"); its index in WorkloadInfo::operations is its id.
struct OperationInfo
{
    std::string name;
    OpClass opClass = OpClass::Read;
};

//! What one interval measured for one operation kind, or for whole transactions.
struct OpInterval
{
    std::uint64_t count = 0;  //!< completed with success
    std::uint64_t errors = 0; //!< completed with an error
    Histogram service;        //!< from the actual start
    Histogram response;       //!< from the intended start; empty when equal to `service` (closed loop)
    [[nodiscard]] const Histogram& responseOrService() const { return response.empty() ? service : response; }
};

//! Self health of the load generator in one interval.
struct ClientHealth
{
    double cpuSeconds = 0;       //!< user + system CPU of this process in the interval
    std::uint64_t rssBytes = 0;  //!< resident memory at its end
    double hostBusy = 0;         //!< share of all cores busy in the interval, 0…1 (every process)
    double schedDelaySeconds = 0; //!< time runnable threads of this process waited for a core
};

struct IntervalSample
{
    std::int64_t tNs = 0;      //!< start of the interval
    std::int64_t lengthNs = 0; //!< exact length
    Phase phase = Phase::Measure;
    OpInterval transaction;         //!< one unit of the workload (sysbench's event)
    std::vector<OpInterval> ops;    //!< per operation kind, index = operation id
    std::uint64_t retried = 0;      //!< transactions restarted after a retryable error
    std::uint64_t dropped = 0;      //!< open loop: arrivals that could not be served
    std::uint64_t reconnects = 0;
    std::uint64_t lockWaits = 0;    //!< waits for a lock that the client library handled inside (SQLite's busy handler)
    std::map<std::int32_t, std::uint64_t> errors; //!< by code
    int users = 0;                  //!< connected
    ClientHealth client;
};

enum class EventKind { Phase, Knob, Stall, Error, Reconnect, Server, Note };
[[nodiscard]] const char* toText(EventKind kind);

//! Something on the time axis of a run.
struct RunEvent
{
    std::int64_t tNs = 0;
    std::int64_t lengthNs = 0; //!< 0 for an instant
    EventKind kind = EventKind::Note;
    std::string text;
};

struct LatencySummary
{
    double meanMs = 0, p50Ms = 0, p90Ms = 0, p95Ms = 0, p99Ms = 0, p999Ms = 0, maxMs = 0;
};
[[nodiscard]] LatencySummary summarize(const Histogram& histogram);

struct OperationSummary
{
    std::string name;
    OpClass opClass = OpClass::Read;
    std::uint64_t count = 0, errors = 0;
    LatencySummary service, response;
};

//! Result of one run; figures leave the warm-up out.
struct RunSummary
{
    int point = 0;  //!< index into SessionHeader::points
    int repeat = 1; //!< 1-based
    RunStatus status = RunStatus::Pending;
    std::string reason;  //!< why it did not end as done; "" otherwise
    double seconds = 0;  //!< length of the measured phase
    std::uint64_t transactions = 0, queries = 0, retried = 0, dropped = 0, reconnects = 0;
    std::uint64_t failed = 0; //!< transactions given up after an error
    std::uint64_t lockWaits = 0; //!< see IntervalSample::lockWaits
    double tps = 0, qps = 0;
    std::map<std::int32_t, std::uint64_t> errors;       //!< by code
    std::map<std::int32_t, std::string> errorTexts;     //!< first text per code
    LatencySummary service, response;                   //!< of transactions
    std::vector<OperationSummary> operations;
    double cpuUsPerOp = 0;        //!< generator CPU per operation (statement or call)
    std::uint64_t rssBytes = 0;   //!< largest seen
    bool clientLimited = false;
    std::string clientReason;
};

//! Adds intervals up to a RunSummary; also used to move the warm-up boundary afterwards.
//!
//! A run is limited by its client when, averaged over the measured time, the machine's cores were at least 95 % busy,
//! this process used at least half of the CPU time that was spent, and its threads spent more than 5 % of the time they
//! wanted to run (CPU time + waiting for a core) waiting for a core: then a faster server could not have shown more. A
//! full machine alone is no sign of it (a server that shares the machine and fills it is the limit itself), nor is
//! waiting alone (a few late wake-ups on an idle machine).
//! An embedded engine is never called so: its work is done on the generator's own threads, waiting for a core included,
//! and that is what is being measured.
class SummaryBuilder
{
public:
    //! `embedded`: the target is an engine inside this process. `cores`: of the machine that generated the load, 0 = this
    //! machine's.
    explicit SummaryBuilder(std::vector<OperationInfo> operations, bool embedded = false, int cores = 0);
    void add(const IntervalSample& sample); //!< intervals of other phases than Measure are ignored, but for memory
    //! Fills every figure; status, reason, point, repeat and errorTexts are the caller's.
    [[nodiscard]] RunSummary summary() const;
    [[nodiscard]] const Histogram& transactionService() const { return m_transaction.service; }

private:
    std::vector<OperationInfo> m_operations;
    OpInterval m_transaction;
    std::vector<OpInterval> m_ops;
    RunSummary m_sums;
    double m_cpuSeconds = 0, m_hostBusySeconds = 0, m_schedDelaySeconds = 0;
    bool m_separateResponse = false;
    bool m_embedded = false;
    int m_cores = 1;
};

} // namespace dyno
