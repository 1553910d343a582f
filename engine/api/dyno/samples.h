// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Plain values that flow from a run to the store and the window. Times are nanoseconds; `tNs` counts from the start
//! of the run's first phase (warm-up if there is one). Made by a session's control thread and never changed
//! afterwards, so that any thread may read them.
#pragma once

#include "histogram.h"
#include "uri.h"
#include "value.h"
#include "value_type.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! Which phase of a run an interval belongs to. Only Measure counts in summaries.
enum class Phase { Prepare, Connect, Warmup, Measure, Done };
[[nodiscard]] const char* toText(Phase phase); //!< "prepare", "connect", "warm-up", "measure", "done"

//! Stopped and Skipped: a person ended it, or it never began because of that; nothing went wrong. Damaged: what was
//! stored of it was changed since, so that nothing can be said of it.
enum class RunStatus { Pending, Running, Done, Failed, Stopped, Cut, Skipped, Damaged };
//! "pending", "running", "done", "failed", "stopped", "cut", "skipped", "damaged"
[[nodiscard]] const char* toText(RunStatus status);
[[nodiscard]] RunStatus runStatusFromText(std::string_view text); //!< Cut for an unknown text

//! Class of an operation, as sysbench counts r/w/o. Group: no operation but the whole transactions of a group of users
//! (LoadGroup); they are in no sum of operations.
enum class OpClass { Read, Write, Other, Group };

//! An operation kind of a workload ("point_select"); its index in WorkloadInfo::operations is its id.
struct OperationInfo
{
    std::string name;
    OpClass opClass = OpClass::Read;
};

//! What sums of operations count.
[[nodiscard]] constexpr bool isSummed(OpClass opClass)
{
    return opClass != OpClass::Group;
}

//! What one interval measured for one operation kind, or for whole transactions.
struct OpInterval
{
    std::uint64_t count = 0;  //!< completed with success
    std::uint64_t errors = 0; //!< completed with an error
    //! Of an operation kind: rows that the successful ones returned or changed, also in transactions that were rolled
    //! back later. None: not known. Not stored.
    std::optional<std::uint64_t> rows{};
    Histogram service; //!< from the actual start
    //! From the intended start, with calls of the measured time that came back after it or never: it may hold more
    //! values than `count`. Empty when equal to `service` (closed loop, or an operation kind that is no group).
    Histogram response;
    [[nodiscard]] const Histogram& responseOrService() const { return response.empty() ? service : response; }
};

struct IntervalSample;
//! All operations of the interval, without groups.
[[nodiscard]] std::uint64_t operationCount(const IntervalSample& sample, const std::vector<OperationInfo>& operations);

//! Self health of the load generator in one interval.
struct ClientHealth
{
    double cpuSeconds = 0;        //!< user + system CPU of this process in the interval
    std::uint64_t rssBytes = 0;   //!< resident memory at its end
    double hostBusy = 0;          //!< share of all cores busy in the interval, 0…1 (every process)
    double schedDelaySeconds = 0; //!< time runnable threads of this process waited for a core
    double allowedBusy = 0;       //!< as hostBusy, of the cores that this process may use (its affinity), 0…1
    int allowedCores = 0;         //!< how many those are, 0 = not known
    double busiestThread = 0;     //!< share of the interval that its busiest thread was on a core, 0…1
    std::uint64_t switches = 0;   //!< context switches of this process, voluntary and not
    std::uint64_t lateStarts = 0; //!< arrivals that a free user took up more than 1 ms late
    double loopLagMs = 0;         //!< event loops: longest time that a ready user waited for its loop
};

//! CounterInfo::source of a series that the imported file of another tool states interval by interval (a percentile, a
//! mean). Such figures are shown as they are and never averaged.
constexpr const char* kStatedSource = "stated";

//! CounterInfo::source of what this machine's kernel tells of the server's process.
constexpr const char* kProcessSource = "server process";
//! Sources of the same of other processes that serve the users end like this: "HAProxy process".
constexpr std::string_view kOfProcess = " process";
//! CounterInfo::source of what the kernel tells of the machine on which the load is generated.
constexpr const char* kHostSource = "host";
constexpr const char* kProcessCpu = "CPU";                   //!< "cores": how many of them it kept busy
constexpr const char* kProcessSwitches = "context switches"; //!< of all its threads, voluntary and not

//! A figure that is asked of the server (or the machine) while a run lasts, not measured by the load generator.
struct CounterInfo
{
    std::string source;  //!< who says so: "server", kProcessSource, kHostSource, kStatedSource
    std::string name;    //!< the server's own: "wiredTiger.cache.bytes read into cache"
    std::string unit;    //!< "bytes", "operations"; of a rate without "a second"
    bool rate = true;    //!< the server counts up and the series holds the increase a second; false: a level
    bool hidden = false; //!< kept like the others, but shown only to whoever chooses it by its name
    bool operator==(const CounterInfo&) const = default;
};

//! Whether its figures of intervals may be averaged over time: not those that are means of requests or percentiles.
[[nodiscard]] bool hasMean(const CounterInfo& counter);

//! Whose CPU the counter tells: "server", "HAProxy"; "" for any other counter.
[[nodiscard]] std::string cpuProcessOf(const CounterInfo& counter);

struct IntervalSample
{
    DYNO_VALUE_TYPE(IntervalSample);
    std::int64_t tNs = 0;      //!< start of the interval
    std::int64_t lengthNs = 0; //!< exact length
    Phase phase = Phase::Measure;
    OpInterval transaction;      //!< one unit of the workload (sysbench's event)
    std::vector<OpInterval> ops; //!< per operation kind, index = operation id
    std::uint64_t retried = 0;   //!< transactions restarted after a retryable error
    std::uint64_t dropped = 0;   //!< open loop: arrivals that could not be served
    std::uint64_t arrivals = 0;  //!< open loop: all that were due in the interval
    std::uint64_t backlog = 0;   //!< open loop: due and waiting for a user at the end of the interval
    std::uint64_t rows = 0;      //!< rows changed; those of a transaction count at its commit
    std::uint64_t rollbacks = 0; //!< transactions that ended in a rollback that their definition asks for
    //! Of the right answers of operations that are judged by them, how many were found, and how many there are. Not
    //! stored.
    std::uint64_t found = 0, wanted = 0;
    std::uint64_t reconnects = 0;
    std::uint64_t lockWaits = 0; //!< waits for a lock that the client library handled inside (SQLite's busy handler)
    std::map<std::int32_t, std::uint64_t> errors; //!< by code
    int users = 0;                                //!< connected
    ClientHealth client;
    //! One for each of RunHeader::counters, the latest known at the end of the interval; not a number while not known.
    std::vector<double> counters;
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
    double minMs = 0; //!< to within a bucket; not a number in sessions stored before it was
};
[[nodiscard]] LatencySummary summarize(const Histogram& histogram);
//! One percentile as summarize() tells it: 0 when empty; not a number when all that is known is that it is more than
//! hdr::kMaxValue. Histogram::percentileNs() gives that bound instead, for whoever compares with a limit.
[[nodiscard]] double percentileMs(const Histogram& histogram, double percentile);

//! All that latency figures are made of.
struct LatencyTimes
{
    Histogram service, response; //!< response: empty when it is the same as `service`
    [[nodiscard]] const Histogram& responseOrService() const { return response.empty() ? service : response; }
};

struct OperationSummary
{
    std::string name;
    OpClass opClass = OpClass::Read;
    std::uint64_t count = 0, errors = 0;
    //! See OpInterval::rows. Intervals in the store do not hold it: none after the end of the warm-up was moved, of a
    //! run that was cut off, of groups, of other tools' runs, and in runs stored before this was kept.
    std::optional<std::uint64_t> rows{};
    LatencySummary service, response;
    LatencyTimes times; //!< see RunSummary::times
};

//! Where a phase of the load (LoadPhase) lies on the time axis of a run.
struct PhaseSpan
{
    std::string name;
    std::int64_t fromNs = 0, toNs = 0; //!< as IntervalSample::tNs
    std::int64_t rampNs = 0;           //!< after `fromNs`, in which the load still changes
};

//! What a phase of the load measured.
struct PhaseSummary
{
    std::string name;
    std::int64_t fromNs = 0, rampNs = 0; //!< as in its PhaseSpan
    double seconds = 0;                  //!< measured in it
    std::uint64_t transactions = 0, failed = 0;
    LatencySummary service, response;
    LatencyTimes times; //!< see RunSummary::times
    [[nodiscard]] double tps() const { return seconds > 0 ? double(transactions) / seconds : 0; }
};

//! Whether other programs (or a quota) kept the load generator from the cores in this interval: its threads waited for
//! one more than a fifth of the time that they wanted one, and more than a tenth of the interval, while they and the
//! target used less than three quarters of the cores that they may use. Threads that only wait for one another use all
//! of them. `cores`: of the machine that generated the load. `targetCpuSeconds`: what a server beside it used; it is no
//! other program. False for an interval that is too short to tell (below 50 ms).
[[nodiscard]] bool starvedOfCores(const IntervalSample& sample, int cores, double targetCpuSeconds = 0);

//! The intervals for which starvedOfCores() holds.
struct Starvation
{
    static constexpr std::size_t kMostStarts = 1000;
    std::uint64_t intervals = 0, of = 0;              //!< so many of all that were judged
    double seconds = 0, ofSeconds = 0;                //!< of their time, so much of all; 0 in older runs
    double waitedSeconds = 0;                         //!< for a core in them, of all threads
    std::vector<std::int64_t> startsNs;               //!< tNs of the first kMostStarts of them
    [[nodiscard]] bool holds(std::int64_t tNs) const; //!< the interval that begins there is one
};
[[nodiscard]] std::string toText(const Starvation& starvation); //!< in words; "" when there is no such interval

//! What became of LoadProfile::objective in the measured time.
struct ObjectiveVerdict
{
    std::string text; //!< the objective: "p99 <= 20ms"
    bool met = false;
    std::optional<double>
        valueMs;     //!< its percentile of the response time; none: nothing was done, or more than is told
    std::string why; //!< why it is broken: "p99 is 98 ms"; "" when it is met
};

constexpr const char* kGeneratorProcess = "load generator";
//! What one process used in the measured time.
struct ProcessUse
{
    std::string name; //!< cpuProcessOf(), or kGeneratorProcess
    double cores = 0; //!< how many of them it kept busy
};

//! Result of one run; figures leave the warm-up out.
struct RunSummary
{
    DYNO_VALUE_TYPE(RunSummary);
    int point = 0;  //!< index into SessionHeader::points
    int repeat = 1; //!< 1-based
    RunStatus status = RunStatus::Pending;
    std::string reason;         //!< why it did not end as done; "" otherwise
    std::string place;          //!< of a failed run: what it was doing: "while loading data", "12.3 s into measuring"
    std::string remedy;         //!< of a failed run: what helps; it stands in `reason`, too. "" when nobody knows
    std::int64_t startedMs = 0; //!< since 1970, UTC; 0 in runs stored before this was kept
    int sitting = 1; //!< which execution of the session's plan it belongs to: RunnerOptions::continues makes the next
    //! Milliseconds from startedMs to the beginning of the first phase; -1 where none began, and in runs stored before
    //! this was kept.
    int beganAfterMs = -1;
    double seconds = 0; //!< length of the measured phase
    std::uint64_t transactions = 0, queries = 0, retried = 0, dropped = 0, reconnects = 0;
    std::uint64_t failed = 0;                                            //!< transactions given up after an error
    std::uint64_t arrivals = 0, rows = 0, rollbacks = 0, lateStarts = 0; //!< see IntervalSample and ClientHealth
    std::uint64_t lockWaits = 0;                                         //!< see IntervalSample::lockWaits
    std::uint64_t backlog = 0; //!< open loop: arrivals that waited for a user when the measured phase ended
    //! Calls that were under way when the measured phase ended and did not come back in the time of grace. Their age
    //! counts as their response time, and that of the operation that each was in; both are longer in truth. They are no
    //! transactions. 0 in runs stored before this was kept.
    std::uint64_t unanswered = 0;
    //! Transactions that were under way when the measured phase ended and were done in the time of grace. They are none
    //! of `transactions`. In an open loop all are in the response time, in a closed loop those that took longer than
    //! every other; the same goes for their operations. 0 in runs stored before this was kept.
    std::uint64_t late = 0;
    //! Of a run with an objective that is not a search's; none in runs stored before this was kept.
    std::optional<ObjectiveVerdict> objective;
    double tps = 0, qps = 0;
    std::map<std::int32_t, std::uint64_t> errors;   //!< by code
    std::map<std::int32_t, std::string> errorTexts; //!< first text per code
    //! What the load of the run's data sent again, statements and transactions that the server had ended for a lock, by
    //! code. None where nothing was loaded for this run, and in runs stored before this was kept.
    std::optional<std::map<std::int32_t, std::uint64_t>> loadRetries;
    //! Time for what the load did after the rows: indexes. None where nothing was loaded for this run, and in runs
    //! stored before this was kept.
    std::optional<double> indexSeconds;
    LatencySummary service, response; //!< of transactions
    //! What these figures are of. Empty where only the figures are known: another tool's report, an older session whose
    //! intervals are too many to read.
    LatencyTimes times;
    std::vector<OperationSummary> operations;
    std::vector<PhaseSummary> phases; //!< of the load, those that were reached; most runs have none
    double found = 0;                 //!< the search's answer: transactions a second or users; 0 = none
    double cpuUsPerOp = 0;            //!< generator CPU per operation (statement or call)
    std::uint64_t rssBytes = 0;       //!< largest seen
    //! Of the server's process per operation: CPU time, context switches. None where it is not known (a server on
    //! another machine, in a container, behind a tunnel), and of an embedded engine, whose work is the generator's own.
    std::optional<double> serverCpuUsPerOp, serverSwitchesPerOp;
    //! Pages that the server read from storage for each operation. None where its counters do not tell.
    std::optional<double> storageReadsPerOp;
    //! Share of the right answers that were found, of operations that are judged by them (IntervalSample::found). None
    //! where there are no such operations. Stored intervals do not hold it: it stays that of the recorded window.
    std::optional<double> recall;
    //! The load generator first, then the processes that it started to serve the users. Empty where it started none,
    //! and in runs stored before this was kept.
    std::vector<ProcessUse> processes;
    bool clientLimited = false;
    std::string clientReason;
    Starvation starvation; //!< the measured intervals; older runs have it of what works in process only
    //! Of a run that another tool measured: which, and what its latency figures are ("sysbench 1.0.20, events, service
    //! time, ±0.9 %"); "" for a run of our own.
    std::string origin;
    //! Of such a run: the measures that its file tells, by their ids in report.h ("tps", "service_p95"). All others are
    //! not known: not a number where they are real numbers, 0 where they are counts.
    std::vector<std::string> told;
    //! True when the figure of this measure is known: always for a run of our own.
    [[nodiscard]] bool tells(std::string_view measure) const;
};

//! Tells whether the load generator was the limit, so that a faster server could not have shown more. Fed with the
//! intervals to judge: all measured ones for a run, the last few for a live line. It says so when, over their time,
//! - the machine's cores were at least 95 % busy, this process used at least half of the CPU time that was spent, and
//!   its threads spent more than 5 % of the time they wanted to run (CPU time + waiting for a core) waiting for one. A
//!   full machine alone is no sign of it (a server that shares the machine and fills it is the limit itself), nor is
//!   waiting alone (a few late wake-ups on an idle machine);
//! - it is pinned to some of the machine's cores, these were at least 95 % busy, and its threads waited more than 20 %
//!   of the time they wanted to run;
//! - its busiest thread was on a core at least 95 % of the time: an event loop that is full;
//! - open loop: more than 1 % of the arrivals were late starts (a free user took them up more than 1 ms late);
//! - other programs kept it from the cores (starvedOfCores()) for at least 1 % of the time, so that a 99th percentile
//!   may be their doing. Where a server beside the generator does not tell what it uses, other programs are not known
//!   from it.
//! Of an embedded engine only the last is said: its work is done on the generator's own threads, and that is what is
//! being measured.
class ClientVerdict
{
public:
    //! `embedded`: see worksInProcess() in uri.h; if not, it is a server beside the generator. `cores`: of the machine
    //! that generated the load, 0 = this machine's.
    explicit ClientVerdict(bool embedded = false, int cores = 0);
    explicit ClientVerdict(WorkPlace place, int cores = 0);
    void setCounters(const std::vector<CounterInfo>& counters); //!< RunHeader::counters: what a server beside it uses
    void add(const IntervalSample& sample);                     //!< whatever its phase
    //! What limits the load generator, with figures, one part a rule; "" when nothing does.
    [[nodiscard]] std::string reason() const;
    [[nodiscard]] double cpuSeconds() const { return m_cpuSeconds; }
    [[nodiscard]] const Starvation& starvation() const { return m_starvation; }

private:
    [[nodiscard]] bool starved(const IntervalSample& sample) const;

    WorkPlace m_place;
    int m_cores;
    std::vector<std::size_t> m_processesCpu; //!< indexes of the counters of all processes that serve the users
    bool m_serverTold = false;               //!< the server is among them
    Starvation m_starvation;
    int m_allowedCores = 0;
    double m_seconds = 0, m_cpuSeconds = 0, m_delaySeconds = 0;
    double m_hostBusySeconds = 0, m_allowedBusySeconds = 0, m_busiestSeconds = 0;
    std::uint64_t m_arrivals = 0, m_lateStarts = 0;
};

//! Adds intervals up to a RunSummary; also used to move the warm-up boundary afterwards.
class SummaryBuilder
{
public:
    //! `embedded`, `place` and `cores` as for ClientVerdict, which gives clientLimited and clientReason.
    explicit SummaryBuilder(std::vector<OperationInfo> operations, bool embedded = false, int cores = 0);
    SummaryBuilder(std::vector<OperationInfo> operations, WorkPlace place, int cores = 0);
    //! RunHeader::counters: without them the summary tells nothing of the server's process. `storageReads`: names of
    //! those that RunSummary::storageReadsPerOp adds up, storageReadCounters() of server_variables.h.
    void setCounters(const std::vector<CounterInfo>& counters, const std::vector<std::string>& storageReads = {});
    //! What RunSummary::objective is judged by: the percentile (100 = the largest), its limit, its words. It is met
    //! when the percentile of the response time is within the limit and nothing failed, was dropped or left unanswered.
    void setObjective(double percentile, double limitMs, std::string text);
    //! RunSummary::phases: an interval counts where its middle lies.
    void setPhases(const std::vector<PhaseSpan>& phases);
    //! RunSummary::unanswered; their ages are in the intervals' response.
    void setUnanswered(std::uint64_t calls) { m_sums.unanswered = calls; }
    void add(const IntervalSample& sample); //!< intervals of other phases than Measure are ignored, but for memory
    //! Fills every figure; status, reason, point, repeat and errorTexts are the caller's.
    [[nodiscard]] RunSummary summary() const;
    [[nodiscard]] const Histogram& transactionService() const { return m_transaction.service; }
    [[nodiscard]] std::uint64_t operationsIn(const IntervalSample& sample) const
    {
        return operationCount(sample, m_operations);
    }

private:
    //! Counters of the server that tell the same, added up over the intervals that tell them.
    struct CounterUse
    {
        std::vector<std::size_t> counters; //!< indexes into the samples' counters
        double sum = 0;
        std::uint64_t operations = 0, transactions = 0; //!< of those intervals
        void add(const IntervalSample& sample, std::uint64_t operationsOfSample);
        [[nodiscard]] std::optional<double> perOperation() const;
    };

    std::vector<OperationInfo> m_operations;
    std::uint64_t m_found = 0, m_wanted = 0;
    CounterUse m_processCpu, m_processSwitches, m_storageReads;
    //! CPU of a process, added up over the intervals that tell it.
    struct ProcessSum
    {
        std::string name;
        std::size_t counter = 0;
        double coreSeconds = 0, seconds = 0;
    };
    std::vector<ProcessSum> m_processes;
    OpInterval m_transaction;
    std::vector<OpInterval> m_ops;
    struct PhaseSum
    {
        PhaseSpan span;
        double seconds = 0;
        OpInterval transaction;
    };
    std::vector<PhaseSum> m_phases;
    [[nodiscard]] ObjectiveVerdict verdict(const RunSummary& summary, const Histogram& response) const;
    RunSummary m_sums;
    double m_percentile = 0, m_limitMs = 0; //!< of the objective; 0 = none
    std::string m_objective;
    ClientVerdict m_client;
};

} // namespace dyno
