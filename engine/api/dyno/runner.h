// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The door to running a plan: one SessionRunner executes one plan on its own control thread and tells its sinks.
#pragma once

#include "catalog.h"
#include "device_probe.h"
#include "plan.h"
#include "samples.h"
#include "servers.h"
#include "trust.h"
#include "value_type.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dyno {

//! Facts about the machine that generates the load.
struct HostFacts
{
    std::string name, os, kernel, cpu;
    int cores = 0;
    std::uint64_t memoryBytes = 0;
};
[[nodiscard]] HostFacts hostFacts();

//! Everything known before the first run.
struct SessionHeader
{
    DYNO_VALUE_TYPE(SessionHeader);
    std::string id; //!< 128-bit random, lower-case hex with dashes (UUID version 4)
    std::string title;
    std::int64_t startedMs = 0; //!< since 1970, UTC
    std::string software;       //!< "dynobench 0.1.0"
    HostFacts host;
    Plan plan;
    std::vector<PointSpec> points;
    std::vector<RunSlot> runs;
    // Of a session that is continued: its runs are followed by those that it lacks.
    int sitting = 1;                 //!< which execution this is
    std::size_t firstRun = 0;        //!< of `runs`, the first one of this sitting
    std::vector<RunSummary> earlier; //!< the runs of the sittings before
};

//! Before each run.
struct RunHeader
{
    DYNO_VALUE_TYPE(RunHeader);
    int index = 0; //!< 0-based position in SessionHeader::runs
    int point = 0;
    int repeat = 1;
    std::vector<OperationInfo> operations;
    ServerFacts server;                //!< after the point's knobs were applied
    Settings effective;                //!< the point's knobs with the values read back from the target
    std::uint64_t dataBytes = 0;       //!< size of the data on disk before the run, 0 = unknown
    std::string optionFile;            //!< of a managed server, its text
    std::vector<CounterInfo> counters; //!< series of the run's intervals; empty: the target tells none
    //! What the disk of the data can do, measured once in the session (LoadProfile::probe). None where it was not.
    std::optional<DeviceFigures> device;
};

//! After each run that measured something, before onRunFinished().
struct RunAftermath
{
    DYNO_VALUE_TYPE(RunAftermath);
    ServerFacts server;              //!< as in RunHeader, after the run
    std::vector<DataPart> dataParts; //!< managed servers: what the data folder holds
    std::string errorLog;            //!< managed servers: what the server wrote since the run's preparation began
};

//! How far the session is; sent at least at each phase change and each interval.
struct ProgressReport
{
    int run = 0;  //!< 0-based index of the current run
    int runs = 0; //!< in all, with those of earlier sittings
    Phase phase = Phase::Prepare;
    double fraction = 0;               //!< of the whole session, 0…1
    double phaseFraction = 0;          //!< of the phase, 0…1
    double secondsLeft = -1;           //!< of the whole session, −1 = not known
    std::string text;                  //!< "loading sbtest1: 420 000 of 1 000 000 rows"; English, for logs
    std::uint64_t done = 0, total = 0; //!< rows while preparing, users while connecting
    //! While data is loaded: a statement or transaction that the server ended for a lock is at its `tries`th try, of
    //! `mostTries`; 0 = none is. `waitsFor`: the server's error, English.
    int tries = 0, mostTries = 0;
    std::string waitsFor;
    bool paused = false;
};

struct SessionSummary
{
    RunStatus status = RunStatus::Done; //!< Done, Failed (some run failed), Stopped
    std::string reason;
    ErrorKind errorKind = ErrorKind::Failed; //!< kind of the first error when status is Failed
    std::vector<RunSummary> runs;            //!< of the runs that started, in order
    std::int64_t finishedMs = 0;
    //! The file that holds the session: the library, or a .dyno file beside it (or in the temporary folder) where the
    //! library could not take it; "" when it is stored nowhere.
    std::string storedIn;
    std::string storageProblem; //!< why it is not in the library; "" when it is, or was not to be
};

//! Receives what a session measures. All calls come from the session's control thread, one after the other, and must
//! not block: copy the value and return.
class SampleSink
{
public:
    virtual ~SampleSink() = default;
    virtual void onSessionStarted(const SessionHeader&) {}
    virtual void onProgress(const ProgressReport&) {}
    virtual void onRunStarted(const RunHeader&) {}
    virtual void onSample(const IntervalSample&) {}
    virtual void onEvent(const RunEvent&) {}
    virtual void onRunAftermath(const RunAftermath&) {}
    virtual void onRunFinished(const RunSummary&) {}
    virtual void onSessionFinished(const SessionSummary&) {}
};

struct RunnerOptions
{
    std::filesystem::path library; //!< library to record into; empty = do not record
    std::filesystem::path
        workDir; //!< folder for managed servers and relative SQLite paths; empty = the user's data folder
    bool keepManagedData = false; //!< leave a managed server's data folder behind
    bool confirmed = false;       //!< a person agreed to load and to change a server that is marked "production"
    bool waits = false;           //!< for a session that changes settings of the same server, instead of refusing
    Consent consent;              //!< what of the plan's risks a person agreed to; a plan with others is not touched
    //! Memory for what the library cannot take because it is full or gone; the session ends early when three quarters
    //! of it are used. An interval takes 3 to 6 KiB a kind of operation.
    std::size_t keptBytes = std::size_t(64) << 20;
    //! prepareData(), cleanupData(), checkData(): true when somebody wants to stop, asked on their thread while a
    //! server is waited for; may be empty. A SessionRunner has stop().
    std::function<bool()> stopped = {};
    //! How LoadProfile::probe measures; its folder is the data's.
    DeviceProbeRequest probe = {.folder = {}, .seconds = 3};
    std::string password; //!< for passwordOwner() of the plan alone; "" = DYNO_PASSWORD, else none
    //! A session of `library` whose missing runs are to be run, see continuationOf(); the plan is its own. nullptr: a
    //! new session.
    std::shared_ptr<const SessionHeader> continues = nullptr;
};

//! Where things lie by default: $XDG_DATA_HOME/dynobench (or ~/.local/share/dynobench).
[[nodiscard]] std::filesystem::path dataFolder();
//! $XDG_CACHE_HOME/dynobench: what can be worked out again.
[[nodiscard]] std::filesystem::path cacheFolder();
[[nodiscard]] std::filesystem::path defaultLibrary(); //!< dataFolder()/library.dynolib

//! Runs one plan. Construct, start(), then wait() or rely on onSessionFinished(). All members may be called from any
//! thread. The destructor stops and waits.
class SessionRunner
{
public:
    //! `sinks` must outlive the runner.
    SessionRunner(Plan plan, RunnerOptions options, std::vector<SampleSink*> sinks);
    ~SessionRunner();
    SessionRunner(const SessionRunner&) = delete;
    SessionRunner& operator=(const SessionRunner&) = delete;

    void start();
    void stop();             //!< ends the current run as stopped, keeps what was measured, skips the rest
    void skipRun();          //!< ends the current run as skipped and goes on with the next one
    void skipPoint();        //!< the same, and none of the point's other runs begins
    void setPaused(bool on); //!< takes effect between runs
    //! Adds a note event to the current run, at its current time or at `begunNs`, nanoseconds on
    //! std::chrono::steady_clock. False, and nothing is kept, when that is a time of no run or of an earlier one: then
    //! it is for Library::annotate().
    bool annotate(std::string text, std::int64_t begunNs = 0);
    //! Asks the server of the current run what it does now; the answer is an event, and its texts are kept with the
    //! run, see <dyno/snapshots.h>. False when no run is under way.
    bool takeSnapshot();
    void wait(); //!< until the session is finished and everything is stored
    [[nodiscard]] bool finished() const;
    [[nodiscard]] std::string sessionId() const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

//! Only the load or the removal of the data (`dyno prepare`, `dyno cleanup`). `progress` comes from a worker thread;
//! returning false cancels.
using ProgressCallback = std::function<bool(const ProgressReport&)>;
//! What prepareData() did, of the targets that it was done with.
struct PreparedData
{
    //! A sentence without a full stop each: settings changed, servers started, how data was loaded when not as wanted,
    //! what differs in data that was there already.
    std::vector<std::string> notes;
    bool loaded = false; //!< anything, anywhere
};
//! `prepared`, unless it is nullptr, is filled also when a later target fails.
[[nodiscard]] Expected<void> prepareData(const Plan& plan, const RunnerOptions& options,
                                         const ProgressCallback& progress, PreparedData* prepared = nullptr);
[[nodiscard]] Expected<void> cleanupData(const Plan& plan, const RunnerOptions& options);

} // namespace dyno
