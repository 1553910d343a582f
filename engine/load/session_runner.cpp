// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/data_check.h>
#include <dyno/library.h>
#include <dyno/passwords.h>
#include <dyno/preflight.h>
#include <dyno/restore.h>
#include <dyno/runner.h>
#include <dyno/servers.h>
#include <dyno/shown_counters.h>

#include "base/wall_clock.h"
#include "driver/control_calls.h"
#include "load/data/data_jobs.h"
#include "load/run_controller.h"
#include "load/statements/describe.h"
#include "load/statements/digest_difference.h"
#include "load/target/left_changes.h"
#include "load/target/target.h"
#include "load/watched_machines.h"
#include "metrics/host_events.h"
#include "metrics/host_usage.h"
#include "metrics/process_usage.h"
#include "monitor/counter_monitor.h"
#include "monitor/prometheus/exporter_monitor.h"
#include "monitor/unseen_counters.h"
#include "plan/exporters.h"
#include "plan/load_groups.h"
#include "plan/plan_fields.h"
#include "server/host/host_knobs.h"
#include "server/remote/settings_lock.h"
#include "store/session/observing_file.h"
#include "store/session/session_recorder.h"
#include "store/session/session_writer.h"
#include "store/session/snapshots_file.h"
#include "store/session/statements_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cmath>
#include <future>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <thread>

namespace dyno {

namespace {

std::string makeUuid()
{
    std::random_device device;
    std::array<std::uint32_t, 4> words{};
    for (std::uint32_t& word : words)
        word = device();
    words[1] = (words[1] & 0xFFFF0FFFu) | 0x00004000u;
    words[2] = (words[2] & 0x3FFFFFFFu) | 0x80000000u;
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", words[0], words[1] >> 16, words[1] & 0xFFFF,
                       words[2] >> 16, words[2] & 0xFFFF, words[3]);
}

//! Every user needs a descriptor or two: the soft limit on open files is brought up to the hard one.
void raiseFileLimit()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)::setrlimit(RLIMIT_NOFILE, &limit); // refused: connecting will say what is missing
    }
}

//! "dTLB load misses, cycles of the server are not counted: …"
std::string notCounted(const std::vector<const char*>& names, std::string_view reason)
{
    return fmt::format("{} of the server are not counted: {}", fmt::join(names, ", "), reason);
}

//! Whoever shows why a session failed has its reason only: what helps stands in it, at least for the kind of error.
Error withRemedy(Error error)
{
    if (!error.remedy.empty())
        return error;
    if (error.kind == ErrorKind::Unreachable)
        error.remedy = "check that the server runs and that the address is right";
    else if (error.kind == ErrorKind::Storage)
        error.remedy = "check that the folder is writable and has free space";
    return error;
}

constexpr double kFullShare = 0.75; //!< of it: the end of a session has to be kept too

//! The server whose settings a point changes for longer than the session lasts, unless they are put back.
std::optional<TargetUri> serverChangedBy(const PointSpec& point)
{
    auto uri = parseUri(point.target.uri);
    const bool wanted = !point.server.empty() || point.load.instruments != InstrumentsLevel::None;
    const bool changes = uri && wanted && makeTarget({.uri = *uri, .options = {}})->outlivesUs();
    return changes ? std::optional(std::move(*uri)) : std::nullopt;
}

} // namespace

struct SessionRunner::Private : RunObserver
{
    Plan plan;
    RunnerOptions options;
    std::vector<SampleSink*> sinks;
    RunControl control;
    std::thread thread;
    std::mutex mutex;
    std::condition_variable finishedCondition;
    bool finished = false;

    // Control thread only from here on.
    std::set<std::string> silentExporters; //!< which had no answer before the last run
    WatchedMachines machines;
    std::int64_t observedNs = 0;           //!< of the run, with its warm-up
    std::vector<std::string> skippedCases; //!< optional ones, reported at the first run
    SessionHeader header;
    SessionSummary summary;
    std::unique_ptr<SessionWriter> writer;
    std::map<std::string, std::unique_ptr<Target>> targets; //!< by URI
    std::vector<SettingsLock> locks;                        //!< of the servers whose settings the session changes
    std::size_t current = 0;                                //!< index into header.runs
    enum class Silence { None, LeftCalls, Lasts };
    std::map<std::string, Silence> silence; //!< by target, of those that were measured
    std::set<int> skippedPoints;
    std::int64_t earlierEndMs = 0;                      //!< of a session that is continued: when it ended before
    bool nothingBegan = false;                          //!< of a session that is continued: no run of this sitting yet
    std::vector<std::function<void(SampleSink&)>> held; //!< what the library is told of when one begins
    std::optional<ErrorKind> prepareFailed;             //!< why the current run did not begin
    int describeAgain = 3;                              //!< how often more that may fail
    std::int64_t loadStartNs = 0;                       //!< when the current run's users were connected
    std::map<std::string, int> described;               //!< by descriptionKey(), the run before which it was asked for
    std::map<std::uint64_t, std::optional<DeviceFigures>> disks; //!< by device number; none: it cannot be measured
    std::vector<EarlyEvent> ofDisks;                             //!< of measuring them, for the next run that has begun
    std::optional<std::vector<std::string>> unknownNames;        //!< counters in formulas that no run so far has
    std::vector<CounterInfo> lastCounters;                       //!< of a run that has some
    bool keeping = false;                //!< the library cannot be written; what is measured waits in memory
    std::atomic<bool> outOfRoom = false; //!< too much of it waits: the session ends, though nobody stopped it

    template<class Call>
    void tell(Call call)
    {
        if (writer)
            call(static_cast<SampleSink&>(*writer));
        for (SampleSink* sink : sinks)
            call(*sink);
    }

    //! What the library keeps; in a further sitting not before a run begins.
    template<class Value>
    void record(void (SampleSink::*call)(const Value&), const Value& value)
    {
        if (writer && nothingBegan)
            held.emplace_back([call, value](SampleSink& sink) { (sink.*call)(value); });
        else if (writer)
            (static_cast<SampleSink&>(*writer).*call)(value);
        for (SampleSink* sink : sinks)
            (sink->*call)(value);
    }

    //! The library is told of this sitting's runs from here on.
    void beginSitting()
    {
        nothingBegan = false;
        for (const auto& call : std::exchange(held, {}))
            call(*writer);
    }

    // RunObserver
    void onSample(const IntervalSample& sample) override
    {
        observedNs += sample.lengthNs;
        tell([&](SampleSink& sink) { sink.onSample(sample); });
        watchStorage(&sample);
    }
    void onEvent(const RunEvent& event) override { record(&SampleSink::onEvent, event); }
    void onSnapshot(const RunSnapshot& snapshot) override
    {
        if (writer)
            writer->keepFile(snapshotsFile(int(current)), writeSnapshot(snapshot));
    }
    void onPhase(Phase phase, double done, double total) override
    {
        ProgressReport report = progressNow(phase);
        report.phaseFraction = total > 0 ? std::min(1.0, done / total) : 0;
        double inRun = 0;
        if (phase == Phase::Connect) {
            loadStartNs = nowNs();
            report.done = std::uint64_t(done);
            report.total = std::uint64_t(total);
            report.text =
                fmt::format("{} of {} {} connected", report.done, report.total, report.total == 1 ? "user" : "users");
        } else {
            inRun = double(nowNs() - loadStartNs) * 1e-9;
        }
        addTimeLeft(report, inRun);
        tell([&](SampleSink& sink) { sink.onProgress(report); });
    }

    ProgressReport progressNow(Phase phase) const
    {
        ProgressReport report;
        report.run = int(current);
        report.runs = int(header.runs.size());
        report.phase = phase;
        report.paused = control.paused();
        return report;
    }

    //! A list of steps takes what it took the time before.
    [[nodiscard]] double expectedSeconds(int point) const
    {
        const PointSpec& spec = header.points[std::size_t(point)];
        const WorkloadInfo* info = findWorkload(spec.workload.name);
        for (auto run = summary.runs.rbegin(); info && info->steps && run != summary.runs.rend(); ++run) {
            if (run->point == point && run->status == RunStatus::Done)
                return run->seconds;
        }
        return plannedSeconds(spec.load);
    }

    void addTimeLeft(ProgressReport& report, double secondsIntoRun) const
    {
        double before = 0, after = 0;
        bool known = true;
        for (std::size_t i = header.firstRun; i < header.runs.size(); ++i) {
            const PointSpec& point = header.points[std::size_t(header.runs[i].point)];
            known = known && point.load.timeSeconds > 0;
            (i < current ? before : after) += expectedSeconds(header.runs[i].point);
        }
        const double total = before + after;
        if (!known || total <= 0) {
            const std::size_t all = header.runs.size() - header.firstRun;
            report.fraction = all == 0 ? 0 : double(current - header.firstRun) / double(all);
            return;
        }
        // A search or a warm-up may take longer than planned: the run's own share is never used up before its end.
        if (current >= header.runs.size())
            return;
        const double thisRun = expectedSeconds(header.runs[current].point);
        const double into = std::min(secondsIntoRun, thisRun);
        report.fraction = std::clamp((before + into) / total, 0.0, 1.0);
        report.secondsLeft = std::max(0.0, after - into);
    }

    void start()
    {
        header.id = options.continues ? options.continues->id : makeUuid();
        thread = std::thread([this] { run(); });
    }

    void run()
    {
        try {
            runSession();
        } catch (const std::exception& problem) {
            summary.status = RunStatus::Failed;
            summary.reason = fmt::format("internal error: {}", problem.what());
        }
        restoreTargets();
        letGoOfSettings();
        finish();
    }

    void runSession()
    {
        raiseFileLimit();
        const Faults faults = checkPlan(plan);
        if (!faults.empty()) {
            failSession({ErrorKind::BadInput, faults.front().what, faults.front().where, faults.front().remedy});
            return;
        }
        if (auto refusal = refusalOf(plan, options.consent)) {
            failSession(*refusal);
            return;
        }
        if (!options.library.empty()) {
            WriterPatience patience;
            patience.keptBytes = options.keptBytes;
            auto opened = SessionWriter::open(options.library, patience);
            if (!opened) {
                failSession(opened.error());
                return;
            }
            writer = std::move(*opened);
        }
        if (!options.continues) // whose runs are those of its first sitting
            skippedCases = skipMissingCases(plan, options);
        Expansion expansion = expand(plan);
        header.title = plan.title.empty() ? plan.workload.name : plan.title;
        header.startedMs = nowMs();
        header.software = fmt::format("dynobench {}", softwareVersion());
        header.host = hostFacts();
        header.plan = plan;
        header.points = std::move(expansion.points);
        addKnownPrices(header.points, {}, options.workDir);
        header.runs = std::move(expansion.runs);
        if (options.continues && !takeUp(*options.continues)) {
            writer.reset();
            return;
        }
        if (!mayTouchTargets() || !haveSettings()) {
            writer.reset(); // nothing began: no session to keep
            return;
        }
        if (!claimSession()) {
            writer.reset();
            return;
        }

        for (current = header.firstRun; current < header.runs.size() && !control.stopped(); ++current) {
            waitWhilePaused();
            if (control.stopped())
                break;
            if (skippedPoints.contains(header.runs[current].point)) {
                passOver();
                continue;
            }
            if (isSilent(header.runs[current]))
                continue;
            oneRun();
            if (control.skippedPoint())
                skippedPoints.insert(header.runs[current].point);
            noteSilence(header.runs[current]);
            if (unreachableFromTheStart() || waitsForSpace())
                break;
        }
        tellUnknownNames();
        if (control.stopped() && !outOfRoom) {
            summary.status = RunStatus::Stopped;
            summary.reason = "stopped by the user";
        }
        dropTablesIfAsked();
    }

    //! From here on nobody else can continue the session.
    bool claimSession()
    {
        if (!options.continues) {
            header.startedMs = nowMs();
            tell([&](SampleSink& sink) { sink.onSessionStarted(header); });
            return true;
        }
        if (!takeUp(*options.continues)) // locks may have been waited for
            return false;
        writer->onSessionStarted(header);
        // A library that cannot be written now is no reason: see watchStorage().
        if (const auto claimed = writer->flush(); !claimed && claimed.error().kind == ErrorKind::BadInput) {
            failSession(claimed.error());
            return false;
        }
        nothingBegan = true;
        for (SampleSink* sink : sinks)
            sink->onSessionStarted(header);
        return true;
    }

    //! Goes on with a stored session, unless another process continued it meanwhile.
    bool takeUp(const SessionHeader& told)
    {
        const auto library = Library::open(options.library, Library::Mode::ReadOnly);
        const auto stored = library ? (*library)->session(told.id) : Expected<StoredSession>(fail(library.error()));
        if (!stored) {
            failSession(stored.error());
            return false;
        }
        const bool same = stored->header.runs.size() == told.firstRun && stored->runs.size() == told.earlier.size() &&
                          stored->info.status != RunStatus::Running;
        if (!same) {
            failSession(continuedElsewhere(stored->info.title));
            return false;
        }
        header.title = told.title;
        header.startedMs = told.startedMs;
        header.runs = told.runs;
        header.sitting = told.sitting;
        header.firstRun = told.firstRun;
        header.earlier = told.earlier;
        earlierEndMs = stored->info.finishedMs;
        for (const StoredRun& run : stored->runs) {
            lookAtFormulas(run.header.counters);
            if (run.header.device && stored->header.host.name == header.host.name)
                takeDisk(*run.header.device);
        }
        return true;
    }

    //! Measured in an earlier sitting. A server of ours may have got a new folder beside the old one.
    void takeDisk(const DeviceFigures& figures)
    {
        const std::filesystem::path folder(figures.folder);
        struct stat info = {};
        if (!folder.empty() && (::stat(folder.c_str(), &info) == 0 || ::stat(folder.parent_path().c_str(), &info) == 0))
            disks.emplace(static_cast<std::uint64_t>(info.st_dev), figures);
    }

    //! A run of a point that is skipped.
    void passOver()
    {
        RunSummary result;
        result.point = header.runs[current].point;
        result.repeat = header.runs[current].repeat;
        result.sitting = header.sitting;
        result.status = RunStatus::Skipped;
        result.reason = "skipped by the user, with its point";
        summary.runs.push_back(result);
        record(&SampleSink::onRunFinished, result);
    }

    //! The target and the path to it: a path may be down while others are not.
    [[nodiscard]] std::string targetOf(const RunSlot& slot) const
    {
        return targetText(header.points[std::size_t(slot.point)].target);
    }
    [[nodiscard]] bool isSilent(const RunSlot& slot) const
    {
        const auto found = silence.find(targetOf(slot));
        return found != silence.end() && found->second == Silence::Lasts;
    }
    //! A server that left calls unanswered is asked once more, by the next run: one that does not answer then is left
    //! alone. So is one that does not answer at the beginning of a further sitting.
    void noteSilence(const RunSlot& slot)
    {
        const RunSummary& run = summary.runs.back();
        Silence& known = silence[targetOf(slot)];
        const bool unreachable = prepareFailed == ErrorKind::Unreachable;
        if (run.unanswered > 0)
            known = Silence::LeftCalls;
        else if (nothingBegan && unreachable)
            known = Silence::Lasts;
        else if (known == Silence::LeftCalls)
            known = unreachable ? Silence::Lasts : Silence::None;
        const auto left = std::count_if(header.runs.begin() + std::ptrdiff_t(current) + 1, header.runs.end(),
                                        [&](const RunSlot& later) { return targetOf(later) == targetOf(slot); });
        if (known != Silence::Lasts || left == 0)
            return;
        RunEvent event;
        event.kind = EventKind::Error;
        const std::string& path = header.points[std::size_t(slot.point)].target.path;
        event.text =
            fmt::format("the server does not answer{}{}: runs not started: {}; what was measured is kept",
                        path == kDirectPath ? "" : " through " + pathName(path), nothingBegan ? "" : " any more", left);
        onEvent(event);
    }

    //! A server that would let the next point wait without an end.
    [[nodiscard]] bool waitsForSpace() const
    {
        return std::ranges::any_of(targets, [](const auto& target) { return target.second->stuck(); });
    }

    //! Nothing answers and nothing was measured: the other points would only repeat the message.
    [[nodiscard]] bool unreachableFromTheStart() const
    {
        const auto pathOf = [this](const PointSpec& point) -> const std::string& { return point.target.path; };
        const std::string& tried = header.points[std::size_t(header.runs[current].point)].target.path;
        const bool onePath = std::ranges::all_of(
            header.points, [&](const std::string& path) { return path == tried; },
            pathOf); // another one may lead there
        return !options.continues && onePath && summary.runs.size() == 1 && summary.status == RunStatus::Failed &&
               summary.runs.front().seconds <= 0 &&
               (summary.errorKind == ErrorKind::Unreachable || summary.errorKind == ErrorKind::Refused ||
                summary.errorKind == ErrorKind::BadInput);
    }

    void waitWhilePaused()
    {
        while (control.paused() && !control.stopped()) {
            ProgressReport report = progressNow(Phase::Prepare);
            report.text = "paused";
            addTimeLeft(report, 0);
            tell([&](SampleSink& sink) { sink.onProgress(report); });
            control.signal.waitUntil(nowNs() + 1'000'000'000);
        }
    }

    void failSession(const Error& error)
    {
        if (summary.status == RunStatus::Failed)
            return; // the first error wins
        summary.status = RunStatus::Failed;
        summary.errorKind = error.kind;
        summary.reason = withRemedy(error).text();
    }

    Expected<Target*> targetFor(const PointSpec& point)
    {
        auto& target = targets[point.target.uri];
        if (!target) {
            auto uri = parseUri(point.target.uri);
            if (!uri)
                return tl::unexpected(uri.error());
            uri->password = passwordFor(*uri, passwordOwner(plan), options.password);
            auto made = makeTarget({.uri = *uri,
                                    .options = options,
                                    .recordChange =
                                        [this](const std::string& changed, const KnobChange& change) {
                                            return writer ? writer->recordKnobChange(changed, change.name,
                                                                                     change.oldValue, change.newValue)
                                                          : Expected<void>();
                                        },
                                    .stopped = [this] { return control.stopped() && !outOfRoom; }});
            if (made->outlivesUs())
                putBackLeftChanges(*uri);
            target = std::move(made);
        }
        return target.get();
    }

    //! Settings that a Dynobench changed on this server before it was killed go back before anything is measured there:
    //! what it set must not be taken for what the owner had. It may have recorded into another library.
    void putBackLeftChanges(const TargetUri& uri)
    {
        std::vector<std::filesystem::path> libraries;
        if (writer)
            libraries.push_back(options.library);
        std::vector<std::string> names{uri.display()};
        bool locked = false;
        for (const SettingsLock& lock : locks) {
            if (!lock.means(names.front()))
                continue;
            locked = true;
            libraries.insert(libraries.end(), lock.libraries().begin(), lock.libraries().end());
            names.insert(names.end(), lock.targets().begin(), lock.targets().end()); // other URIs of the same server
        }
        std::error_code ignored;
        for (std::size_t i = 0; i < libraries.size(); ++i) {
            const bool own = i > 0 && std::filesystem::equivalent(libraries[i], options.library, ignored);
            if (!own && std::filesystem::exists(libraries[i], ignored))
                putBackLeftChanges(libraries[i], names, locked);
        }
    }

    void putBackLeftChanges(const std::filesystem::path& library, const std::vector<std::string>& names, bool locked)
    {
        UnaskedRestore what;
        what.targets = names;
        what.workDir = workDirOf(options);
        what.haveLocks = locked;
        what.stopped = [this] { return control.stopped(); };
        what.password = options.password;
        what.passwordOwner = passwordOwner(plan);
        what.confirmed = options.confirmed;
        const auto restored = restoreUnasked(library, what);
        for (std::size_t i = 0; restored && i < restored->size(); ++i) {
            RunEvent event;
            event.kind = EventKind::Knob;
            event.text = toText((*restored)[i]);
            onEvent(event);
        }
        if (!restored) { // the run goes on: the library's own error shows at the next flush
            RunEvent event;
            event.kind = EventKind::Error;
            event.text = restored.error().text();
            onEvent(event);
        }
    }

    //! True when every target may be loaded and changed.
    bool mayTouchTargets()
    {
        for (const PointSpec& point : header.points) {
            const auto uri = parseUri(point.target.uri);
            const auto refusal =
                uri ? makeTarget({.uri = *uri, .options = options})->refusal() : std::optional<Error>();
            if (refusal) {
                failSession(*refusal);
                return false;
            }
        }
        return true;
    }

    //! Takes the locks of the machine and of every server whose settings the plan changes, before anything is touched.
    //! False: another session has one, or somebody does not want to wait for it any longer.
    bool haveSettings()
    {
        const bool machine =
            std::ranges::any_of(header.points, [](const PointSpec& point) { return !point.host.empty(); });
        if (machine && !lockSettings(LockedThing::ofMachine(), "this machine"))
            return false;
        for (const SettingsLock& lock : locks) { // the machine's: what sessions left that were killed
            for (const std::filesystem::path& library : lock.libraries()) {
                if (std::error_code ignored; std::filesystem::exists(library, ignored))
                    putBackLeftChanges(library, {hostTarget()}, true);
            }
        }
        std::map<std::string, TargetUri> servers; // in one order for all: two that wait never wait for each other
        for (const PointSpec& point : header.points) {
            auto uri = serverChangedBy(point);
            if (!uri)
                continue;
            uri->user.clear(); // of the server, whoever comes to it
            std::string name = accountOf(*uri);
            servers.try_emplace(std::move(name), *uri);
        }
        for (const auto& [name, uri] : servers) {
            if (!lockSettings(LockedThing::ofServer(uri), uri.display()))
                return false;
        }
        return haveIdentities();
    }

    //! The same servers by what they say of themselves. One that cannot be asked has one URI as far as is known.
    bool haveIdentities()
    {
        std::map<std::string, std::pair<TargetUri, std::vector<std::string>>> servers; // by identity, with their locks
        for (const PointSpec& point : header.points) {
            auto uri = serverChangedBy(point);
            if (!uri)
                continue;
            const std::string name = LockedThing::ofServer(*uri).name;
            const auto known = [&name](const auto& one) { return std::ranges::count(one.second.second, name) > 0; };
            if (std::ranges::any_of(servers, known))
                continue;
            uri->password = passwordFor(*uri, passwordOwner(plan), options.password);
            if (const std::string identity = askIdentity(*uri, [this] { return control.stopped(); }); !identity.empty())
                servers.try_emplace(identity, *uri, std::vector<std::string>()).first->second.second.push_back(name);
        }
        for (const auto& [identity, server] : servers) {
            for (SettingsLock& lock : locks) {
                if (std::ranges::count(server.second, lock.name()) > 0)
                    lock.remember(identity);
            }
            if (!lockSettings(LockedThing::ofServer(identity, server.first), server.first.display()))
                return false;
        }
        return true;
    }

    //! Takes one lock, waiting for it where that is wanted.
    bool lockSettings(const LockedThing& thing, const std::string& shown)
    {
        for (;;) {
            auto lock = SettingsLock::attempt(thing, workDirOf(options), header.id, options.library);
            if (!lock) {
                failSession(lock.error());
                return false;
            }
            if (lock->held()) {
                locks.push_back(std::move(*lock));
                return true;
            }
            const SettingsHolder& holder = lock->holder();
            std::string who = holder.process > 0 ? fmt::format("process {}", holder.process) : "another process";
            if (!holder.session.empty())
                who += fmt::format(", session {}", holder.session);
            if (!options.waits) {
                const bool machine = thing.targets.front() == hostTarget();
                // Not "refused", which a server does as well: it is there and answers.
                failSession(
                    {ErrorKind::BadInput,
                     fmt::format("a session that runs now changes settings of the same {} ({}); nothing was changed",
                                 machine ? "machine" : "server", who),
                     shown, "wait for its end (`dyno run … --wait` does)"});
                return false;
            }
            ProgressReport report = progressNow(Phase::Prepare);
            report.text = fmt::format("waiting for another session that changes settings of {} ({})", shown, who);
            for (SampleSink* sink : sinks)
                sink->onProgress(report);
            control.signal.waitUntil(nowNs() + 200'000'000);
            if (control.stopped()) {
                summary.status = RunStatus::Stopped;
                summary.reason = "stopped by the user";
                return false;
            }
        }
    }

    //! The next session may change them. What is still changed is remembered with the lock.
    void letGoOfSettings()
    {
        for (SettingsLock& lock : locks) {
            std::vector<std::filesystem::path> left;
            for (const std::filesystem::path& library : lock.libraries()) {
                const auto changes = leftChanges(library);
                const bool some = !changes || std::ranges::any_of(*changes, [&lock](const LeftChange& change) {
                    return lock.means(change.target);
                });
                if (some)
                    left.push_back(library);
            }
            lock.release(left);
        }
        locks.clear();
    }

    bool onLoadProgress(const LoadProgress& load)
    {
        ProgressReport report = progressNow(Phase::Prepare);
        putInto(report, load);
        addTimeLeft(report, 0);
        if (report.secondsLeft >= 0 && load.secondsLeft > 0)
            report.secondsLeft += load.secondsLeft;
        tell([&](SampleSink& sink) { sink.onProgress(report); });
        return !control.stopped() && !control.skipped();
    }

    void oneRun()
    {
        control.clearSkip();
        const RunSlot slot = header.runs[current];
        const std::int64_t startedMs = nowMs();
        const PointSpec& point = header.points[std::size_t(slot.point)];
        ProgressReport preparing = progressNow(Phase::Prepare);
        preparing.text = "preparing the target";
        addTimeLeft(preparing, 0);
        tell([&](SampleSink& sink) { sink.onProgress(preparing); });

        RunHeader run;
        run.index = int(current);
        run.point = slot.point;
        run.repeat = slot.repeat;
        run.operations = operationsOf(point);

        probeDisk(point, run);
        Expected<ReadyTarget> ready = prepare(point);
        prepareFailed = ready ? std::nullopt : std::optional(ready.error().kind);
        RunSummary result;
        const bool leavesNothing =
            !ready && (prepareFailed == ErrorKind::Unreachable || prepareFailed == ErrorKind::Refused ||
                       (prepareFailed == ErrorKind::Interrupted && control.stopped()));
        if (nothingBegan && !leavesNothing)
            beginSitting();
        if (!ready) {
            record(&SampleSink::onRunStarted, run);
            result = unprepared(point, ready.error());
        } else {
            ready->events.insert(ready->events.begin(), ofDisks.begin(), ofDisks.end());
            ofDisks.clear();
            run.server = ready->facts;
            run.effective = ready->effective;
            readOperations(point, *ready, run);
            for (const auto& [name, value] : ready->workload->ofResult())
                run.effective.insert_or_assign("workload." + name, value);
            run.dataBytes = ready->dataBytes;
            run.optionFile = ready->optionFile;
            std::vector<UnseenCounters> unseen;
            LocalServer server;
            run.counters = countersOf(point, *ready, unseen, server);
            // Of a server of others, which may be started again while it runs.
            const auto followed = server.process > 0 ? std::make_shared<std::atomic<int>>(server.process) : nullptr;
            const std::unique_ptr<CounterMonitor> counters = monitorFor(run.counters, *ready, followed);
            std::vector<ProcessUsage> used;
            const auto addUsed = [&](int process, const std::string& source) {
                const bool isServer = source == kProcessSource;
                if (isServer)
                    server.process = process;
                used.emplace_back(process, source,
                                  isServer ? processorCountsOf(process, *ready) : std::vector<ProcessUsage::Counted>());
                const std::vector<CounterInfo> told = used.back().series();
                run.counters.insert(run.counters.end(), told.begin(), told.end());
            };
            if (followed) {
                addUsed(server.process, kProcessSource);
                used.back().follow(followed);
            }
            for (const ServingProcess& one : ready->processes)
                addUsed(one.process, one.counted);
            std::vector<const char*> uncounted;
            for (const ProcessorSeries* series : wantedOfProcessor(header.plan))
                uncounted.push_back(series->name);
            if (!uncounted.empty() && server.process <= 0) {
                const std::string why = worksInProcess(ready->connect->uri)
                                            ? "it has no process of its own"
                                            : whyNoProcess(server, point.load.counters, isLocal(*ready->connect));
                ready->events.push_back({nowNs(), EventKind::Note, notCounted(uncounted, why)});
            }
            std::optional<HostUsage> host;
            std::optional<HostEvents> hostEvents;
            if (point.load.counters) {
                used.push_back(ProcessUsage::ofGenerator());
                const std::vector<CounterInfo> own = used.back().series();
                run.counters.insert(run.counters.end(), own.begin(), own.end());
                const auto path = parsePath(point.target.path);
                host.emplace("", HostUsage::Link{ready->linkDevice, path ? path->link.bitsPerSecond : 0});
                hostEvents.emplace(*host);
                run.counters.insert(run.counters.end(), host->series().begin(), host->series().end());
                std::ranges::move(unseenOfHost(host->series()), std::back_inserter(unseen));
                std::ranges::move(unseenOfProcess(server), std::back_inserter(unseen));
            }
            if (const std::string hidden = unseenText(unseenOfRun(std::move(unseen))); !hidden.empty())
                ready->events.push_back({nowNs(), EventKind::Note, fmt::format("not observed: {}", hidden)});
            std::vector<std::unique_ptr<CounterMonitor>> exporters = watchedElsewhere(run.counters, *ready);
            lookAtFormulas(run.counters);
            for (std::string& sentence : showCounters(run.counters, point.load.observe))
                ready->events.push_back({nowNs(), EventKind::Note, std::move(sentence)});
            RunStatements statements = describe(point, *ready);
            record(&SampleSink::onRunStarted, run);
            if (header.sitting > 1)
                ready->events.push_back({nowNs(), EventKind::Note, sittingNote(startedMs)});
            for (std::string& sentence : std::exchange(skippedCases, {}))
                ready->events.push_back({nowNs(), EventKind::Note, std::move(sentence)});
            RunJob job{*ready->driver, ready->users, *ready->workload,        run.operations,
                       point.load,     control,      std::move(ready->events)};
            job.counterInfos = run.counters;
            job.counters = counters.get();
            job.digest = writer && ready->driver->hasDigest();
            job.groups = std::move(ready->groups);
            job.place = workPlaceOf(ready->connect->uri);
            job.used = &used;
            job.host = host ? &*host : nullptr;
            job.hostEvents = hostEvents ? &*hostEvents : nullptr;
            job.processes = std::move(ready->processes);
            job.exporters = &exporters;
            MeasuredTime measured;
            job.measured = &measured;
            AskCost ownCost;
            job.ownCost = &ownCost;
            observedNs = 0;
            result = executeRun(job, *this);
            // Not where the clock was set back in between.
            if (measured.beganMs >= startedMs)
                result.beganAfterMs = int(std::min<std::int64_t>(measured.beganMs - startedMs, INT_MAX));
            for (const std::unique_ptr<CounterMonitor>& one : exporters) // not one after the other
                one->endSoon();
            keepStatements(std::move(statements), point, *ready, counters.get(), result, measured);
            keepObserving(counters.get(), ownCost, exporters);
            if (outOfRoom && result.status == RunStatus::Stopped)
                result.reason = summary.reason; // not by the user
            if (result.status == RunStatus::Failed)
                failSession({ErrorKind::Failed, result.reason, {}, {}});
            // A server that left calls unanswered would leave the questions unanswered, too.
            if (auto target = targetFor(point); target && result.seconds > 0 && result.unanswered == 0) {
                const RunAftermath after = (*target)->aftermath(point);
                tell([&](SampleSink& sink) { sink.onRunAftermath(after); });
                const bool always =
                    ready->workload->checksEachRun() || std::ranges::any_of(job.groups, [](const RunGroup& group) {
                        return group.workload && group.workload->checksEachRun();
                    });
                if (!control.stopped())
                    checkDataAfter(slot, **target, always, result);
            }
        }
        result.point = slot.point;
        result.repeat = slot.repeat;
        result.sitting = header.sitting;
        result.startedMs = startedMs;
        if (const auto target = targetFor(point)) {
            result.loadRetries = (*target)->loadRetries();
            if (ready)
                result.indexSeconds = (*target)->indexSeconds();
        }
        summary.runs.push_back(result);
        record(&SampleSink::onRunFinished, result);
        checkStorage();
    }

    //! What the disk of the point's data can do, before the first run on it; where it cannot be measured, an event says
    //! why, and the session goes on. No event names the folder: sessions are given to others.
    void probeDisk(const PointSpec& point, RunHeader& run)
    {
        const auto target = header.plan.load.probe ? targetFor(point) : Expected<Target*>(fail({}));
        const auto folder = target ? (*target)->dataFolder() : Expected<std::filesystem::path>(fail({}));
        struct stat info = {};
        if (!folder || folder->empty() || ::stat(folder->c_str(), &info) != 0)
            return; // what is wrong shows when the run is prepared
        const auto disk = static_cast<std::uint64_t>(info.st_dev);
        if (const auto known = disks.find(disk); known != disks.end()) {
            run.device = known->second;
            return;
        }
        DeviceProbeRequest request = options.probe;
        request.folder = folder->string();
        const std::int64_t startNs = nowNs();
        const auto tellWhat = [this](const std::string& what) {
            ProgressReport report = progressNow(Phase::Prepare);
            report.text = fmt::format("measuring the disk: {}", what);
            addTimeLeft(report, 0);
            tell([&](SampleSink& sink) { sink.onProgress(report); });
        };
        const auto figures = probeDevice(
            request, [this] { return control.stopped() || control.skipped(); }, tellWhat);
        const std::int64_t lengthNs = nowNs() - startNs;
        if (figures || figures.error().kind != ErrorKind::Interrupted)
            run.device = disks.emplace(disk, figures ? std::optional(*figures) : std::nullopt).first->second;
        std::string text =
            fmt::format("measured what the disk of the data can do, in {:.1f} s", double(lengthNs) * 1e-9);
        if (!figures)
            text = fmt::format("the disk of the data was not measured: {}",
                               Error{figures.error().kind, figures.error().message, {}, figures.error().remedy}.text());
        ofDisks.push_back({startNs, EventKind::Note, std::move(text), lengthNs});
    }

    //! A counter may be one of another product's runs alone.
    void lookAtFormulas(const std::vector<CounterInfo>& counters)
    {
        if (counters.empty() || (unknownNames && unknownNames->empty()))
            return;
        std::vector<std::string> measures;
        for (const View& view : header.plan.views)
            measures.push_back(view.measure);
        const std::vector<std::string> here = unknownInFormulas(measures, counters);
        if (!unknownNames)
            unknownNames = here;
        std::erase_if(*unknownNames, [&here](const std::string& name) { return std::ranges::count(here, name) == 0; });
        lastCounters = counters;
    }

    //! Where all runs were: one that was not may have the counter.
    void tellUnknownNames()
    {
        const bool isLeft = std::ranges::any_of(silence, [](const auto& one) { return one.second == Silence::Lasts; });
        if (control.stopped() || current < header.runs.size() || !skippedPoints.empty() || isLeft)
            return;
        for (const std::string& name : unknownNames.value_or(std::vector<std::string>())) {
            RunEvent event;
            event.tNs = loadStartNs > 0 && !prepareFailed ? nowNs() - loadStartNs : 0;
            event.text = unknownInFormula(name, lastCounters);
            onEvent(event);
        }
    }

    //! Of a workload whose file says what they are.
    void readOperations(const PointSpec& point, const ReadyTarget& ready, RunHeader& run)
    {
        const Workload* workload = workloadFor(point.workload.name);
        if (!workload || !workload->operationsOfFile())
            return;
        const auto goOn = [this] { return !control.stopped() && !control.skipped(); };
        if (!ready.workload->makeReady(WorkloadInstance::Use::Run, goOn, point.load.seed))
            return; // the run does not begin either
        if (std::vector<OperationInfo> read = ready.workload->operationsOfRun(); !read.empty())
            run.operations = std::move(read);
    }

    //! Of a run whose target was not brought to where it could begin: what was done of it, and why it ended.
    RunSummary unprepared(const PointSpec& point, const Error& problem)
    {
        const Error error = withRemedy(problem);
        RunSummary result;
        const bool interrupted = error.kind == ErrorKind::Interrupted;
        if (interrupted) {
            result.status = control.skipped() && !control.stopped() ? RunStatus::Skipped : RunStatus::Stopped;
            result.reason = result.status == RunStatus::Skipped ? "skipped by the user" : error.text();
            return result;
        }
        result.status = RunStatus::Failed;
        result.reason = error.text();
        result.remedy = error.remedy;
        const std::int64_t now = nowNs();
        if (auto target = targetFor(point)) {
            result.place = (*target)->doing();
            for (const EarlyEvent& early : std::exchange(ofDisks, {}))
                onEvent({early.atNs - now, early.lengthNs, early.kind, early.text});
            for (const EarlyEvent& early : (*target)->takeEvents())
                onEvent({early.atNs - now, early.lengthNs, early.kind, early.text});
        }
        onEvent({0, 0, EventKind::Error, error.text()});
        failSession(error);
        return result;
    }

    //! What is common to a sitting, and not to those before it, is told with each of its runs.
    [[nodiscard]] std::string sittingNote(std::int64_t startedMs) const
    {
        std::string text = fmt::format("measured in sitting {} of the session", header.sitting);
        if (earlierEndMs > 0 && startedMs > earlierEndMs)
            text += fmt::format(", {} min after the one before ended", (startedMs - earlierEndMs) / 60'000);
        return text;
    }

    //! What views of the plan show; where the kernel does not count it, an event says why.
    std::vector<ProcessUsage::Counted> processorCountsOf(int process, ReadyTarget& ready) const
    {
        std::vector<ProcessUsage::Counted> counted;
        std::map<std::string, std::vector<const char*>> refused; // by reason
        for (const ProcessorSeries* series : wantedOfProcessor(header.plan)) {
            auto event = ProcessEvent::open(process, series->kind);
            if (event)
                counted.push_back({series, std::move(*event)});
            else
                refused[withRemedy(event.error()).text()].push_back(series->name);
        }
        for (const auto& [reason, names] : refused)
            ready.events.push_back({nowNs(), EventKind::Note, notCounted(names, reason)});
        return counted;
    }

    //! Asks the workload's conditions, where a sink wants them, or the workload itself: then what does not hold makes
    //! the run a failed one.
    void checkDataAfter(const RunSlot& slot, Target& target, bool always, RunSummary& result)
    {
        std::vector<DataCheckSink*> wanting;
        for (SampleSink* sink : sinks) {
            if (auto* wants = dynamic_cast<DataCheckSink*>(sink))
                wanting.push_back(wants);
        }
        if (wanting.empty() && !always)
            return;
        const std::int64_t startNs = nowNs();
        const DataCheckReport report = reportOn(header.points, slot, target, [this] { return !control.stopped(); });
        // Stopped meanwhile: what was measured is whole, and nobody knows the answers.
        if (report.conditions.empty() || (control.stopped() && !report.holds()))
            return;
        RunEvent event = eventOf(report);
        event.tNs = startNs - loadStartNs;
        event.lengthNs = nowNs() - startNs;
        onEvent(event);
        for (DataCheckSink* sink : wanting)
            sink->onDataChecked(report);
        if (!always || report.holds() || result.status != RunStatus::Done)
            return;
        result.status = RunStatus::Failed;
        result.reason = event.text;
        failSession({ErrorKind::Failed, result.reason, {}, {}});
    }

    //! What the target tells of itself while it works, asked on a connection that is closed again before the users
    //! come; and the process of a server that is not ours.
    std::vector<CounterInfo> countersOf(const PointSpec& point, ReadyTarget& ready, std::vector<UnseenCounters>& unseen,
                                        LocalServer& server) const
    {
        if (!point.load.counters)
            return {};
        if (worksInProcess(ready.connect->uri)) {
            const auto inside = ready.driver->watcher(*ready.connect);
            return inside ? (*inside)->counters() : std::vector<CounterInfo>();
        }
        const auto admin = controlAdmin(*ready.driver, *ready.connect, [this] { return control.stopped(); });
        if (admin) {
            std::vector<CounterInfo> counters = (*admin)->counters();
            unseen = unseenCounters(**admin);
            if (std::ranges::count(ready.processes, kProcessSource, &ServingProcess::counted) == 0)
                server = localServer(**admin);
            if (counters.size() >= kMostCounters)
                ready.events.push_back(
                    {nowNs(), EventKind::Note,
                     fmt::format("the server may have more than {0} counters: {0} are kept", kMostCounters)});
            return counters;
        }
        constexpr const char* kUnread = "the server's counters could not be read";
        ready.events.push_back({nowNs(), EventKind::Server, fmt::format("{}: {}", kUnread, admin.error().message)});
        if (isLocal(*ready.connect)) // the message, which may name an account, stands in that event alone
            server.unseen = kUnread;
        return {};
    }

    //! Tables and plans, once for all points that have the same.
    RunStatements describe(const PointSpec& point, const ReadyTarget& ready)
    {
        RunStatements statements;
        if (!writer || !point.load.counters || !canDescribe(ready))
            return statements;
        const auto [found, first] = described.try_emplace(descriptionKey(point), int(current));
        statements.describedIn = found->second;
        if (!first)
            return statements;
        const auto stopped = [this] { return control.stopped() || control.skipped(); };
        if (!describeStatements(point, ready, stopped, statements) && --describeAgain > 0)
            described.erase(found); // the next run asks again
        return statements;
    }

    void keepStatements(RunStatements statements, const PointSpec& point, const ReadyTarget& ready,
                        CounterMonitor* counters, const RunSummary& run, const MeasuredTime& measured)
    {
        const Driver& driver = *ready.driver;
        if (!writer || !point.load.counters || (statements.describedIn < 0 && !driver.hasDigest()))
            return;
        // A server that hangs holds up no stop; one that a person stopped answers at once, if it does.
        constexpr std::chrono::milliseconds kOfAnEnd{1500}, kOfAStop{300};
        const bool hangs = run.unanswered > 0 || run.status == RunStatus::Failed;
        const auto patience = hangs                           ? std::chrono::milliseconds(0)
                              : run.status == RunStatus::Done ? kOfAnEnd
                                                              : kOfAStop;
        const auto readings = counters ? counters->takeDigests(patience) : std::vector<CounterMonitor::DigestReading>();
        constexpr std::size_t kBeforeAndAfter = 2;
        for (std::size_t i = 0; i < std::min(readings.size(), kBeforeAndAfter); ++i) {
            const CounterMonitor::DigestReading& reading = readings[i];
            statements.digestMs += double(reading.endedNs - reading.beganNs) / 1e6;
            if (!reading.entries && statements.noDigest.empty())
                statements.noDigest = keptText(reading.entries.error().message);
        }
        if (!driver.hasDigest())
            statements.noDigest = "Dynobench reads no statement counts of this server";
        else if (statements.noDigest.empty() && !counters)
            statements.noDigest = "the server's counters were not read in this run";
        else if (statements.noDigest.empty() && readings.size() < kBeforeAndAfter)
            statements.noDigest = "the server's own count was not read both before and after the measured time";
        else if (statements.noDigest.empty())
            fillDigest(statements, *readings[0].entries, *readings[1].entries, ready.connect->uri.database);
        if (statements.noDigest.empty())
            noteReadings(statements, readings, run, measured);
        writer->keepFile(statementsFile(int(current)), writeStatements(statements));
    }

    //! What of the digest is not of the measured time, or lacks.
    static void noteReadings(RunStatements& statements, const std::vector<CounterMonitor::DigestReading>& readings,
                             const RunSummary& run, const MeasuredTime& measured)
    {
        const auto add = [&note = statements.digestNote](const std::string& text) {
            note += (note.empty() ? "" : "; ") + text;
        };
        constexpr double kMostOfIt = 0.7; // the readings take a moment
        const double between = double(readings[1].beganNs - readings[0].endedNs) * 1e-9;
        if (between < run.seconds * kMostOfIt)
            add(fmt::format("the readings are {:.1f} s apart, of {:.1f} s measured", std::max(between, 0.0),
                            run.seconds));
        if (measured.fromNs <= 0)
            return;
        const CounterMonitor::DigestReading& first = readings[0];
        if (const std::int64_t lateNs = first.endedNs - measured.fromNs; lateNs > 0)
            return add(
                fmt::format("the first reading ended {:.0f} ms after the measured time began: what ran until then "
                            "may be missing",
                            std::max(1.0, double(lateNs) * 1e-6)));
        // Somewhere between the two it looked.
        const double ahead = double(measured.fromNs - (first.beganNs + (first.endedNs - first.beganNs) / 2)) * 1e-9;
        const double early = std::round(ahead * measured.operationsBefore);
        if (early >= 1)
            add(fmt::format("about {} of the warm-up's last {} are in it",
                            early < 1.5 ? std::string("1 operation") : fmt::format("{:.0f} operations", early),
                            ahead < 0.9995 ? fmt::format("{:.0f} ms", ahead * 1e3) : fmt::format("{:.1f} s", ahead)));
    }

    //! What observing cost, beside the figures it gave.
    void keepObserving(const CounterMonitor* counters, const AskCost& own,
                       const std::vector<std::unique_ptr<CounterMonitor>>& others)
    {
        if (!writer)
            return;
        ObservingCost cost;
        cost.seconds = double(observedNs) * 1e-9;
        const auto add = [&cost](std::string source, const char* what, const AskCost& one) {
            constexpr double kMs = 1e-6;
            if (one.requests > 0 || one.cpuNs > 0)
                cost.sources.push_back({std::move(source), what, one.requests,
                                        double(one.totalNs) * kMs / double(std::max<std::uint64_t>(1, one.requests)),
                                        double(one.longestNs) * kMs, double(one.cpuNs) * kMs,
                                        one.serverNs ? std::optional(double(*one.serverNs) * kMs) : std::nullopt});
        };
        if (counters) {
            add(counters->source(), "counters", counters->cost());
            add(counters->source(), "statement digest", counters->digestCost());
            add(counters->source(), "snapshots", counters->snapshotCost());
        }
        add(kHostSource, "kernel files", own);
        for (const auto& one : others)
            add(one->source(), "series", one->cost());
        writer->keepFile(observingFile(int(current)), observingJson(cost));
    }

    static std::unique_ptr<CounterMonitor> monitorFor(const std::vector<CounterInfo>& counters,
                                                      const ReadyTarget& ready,
                                                      std::shared_ptr<std::atomic<int>> process)
    {
        if (counters.empty())
            return nullptr;
        CounterMonitor::Teller teller;
        teller.events = ready.driver->eventRules();
        teller.process = std::move(process);
        return std::make_unique<CounterMonitor>(
            counters, [driver = ready.driver, target = ready.connect] { return driver->watcher(*target); },
            std::move(teller));
    }

    //! Exporters, then other machines, which are asked at the same time.
    std::vector<std::unique_ptr<CounterMonitor>> watchedElsewhere(std::vector<CounterInfo>& counters,
                                                                  ReadyTarget& ready)
    {
        std::vector<CounterInfo> ofMachines;
        std::vector<EarlyEvent> events;
        auto watched = std::async(std::launch::async | std::launch::deferred, [&] {
            return machines.watch(header.plan, ofMachines, events,
                                  [this] { return control.stopped() || control.skipped(); });
        });
        std::vector<std::unique_ptr<CounterMonitor>> monitors = watchedExporters(counters, ready);
        std::ranges::move(watched.get(), std::back_inserter(monitors));
        std::ranges::move(ofMachines, std::back_inserter(counters));
        std::ranges::move(events, std::back_inserter(ready.events));
        return monitors;
    }

    //! Those that answer, with their series; all are asked at the same time. One that does not has none in this run,
    //! and an event says why.
    std::vector<std::unique_ptr<CounterMonitor>> watchedExporters(std::vector<CounterInfo>& counters,
                                                                  ReadyTarget& ready)
    {
        constexpr std::int64_t kShortPatienceNs = 1'000'000'000; // of those that have not answered before
        std::vector<ExporterAddress> addresses;
        for (const Exporter& one : exportersOf(header.plan))
            addresses.push_back({one.name, one.url, one.include});
        std::vector<std::future<Expected<ExporterSeries>>> asked; // each is waited for at the latest when it goes
        for (const ExporterAddress& one : addresses) {
            const std::int64_t untilNs = silentExporters.contains(one.name) ? nowNs() + kShortPatienceNs : 0;
            // Where there are no more threads, it is asked when the answer is waited for.
            asked.push_back(std::async(std::launch::async | std::launch::deferred, [this, &one, untilNs] {
                return seriesOf(one, [this, untilNs] {
                    return control.stopped() || control.skipped() || (untilNs > 0 && nowNs() > untilNs);
                });
            }));
        }
        silentExporters.clear();
        std::vector<std::unique_ptr<CounterMonitor>> monitors;
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const auto found = asked[i].get();
            if (!found || found->series.size() < found->matching)
                ready.events.push_back({nowNs(), EventKind::Server, exporterNote(addresses[i].name, found)});
            if (!found) {
                if (!control.stopped() && !control.skipped()) // else nobody knows whether it is slow
                    silentExporters.insert(addresses[i].name);
                continue;
            }
            counters.insert(counters.end(), found->counters.begin(), found->counters.end());
            monitors.push_back(monitorOf(addresses[i], *found));
        }
        return monitors;
    }

    static std::string exporterNote(const std::string& exporter, const Expected<ExporterSeries>& found)
    {
        if (!found)
            return fmt::format("the exporter \"{}\" has no series in this run: {}; the run goes on without them",
                               exporter, found.error().message);
        std::string text = fmt::format("the exporter \"{}\" has {} series: the first {} are stored", exporter,
                                       found->matching, found->series.size());
        if (found->tooLong > 0)
            text += fmt::format("; {} with too long a name are skipped", found->tooLong);
        return text + "; patterns choose others";
    }

    Expected<ReadyTarget> prepare(const PointSpec& point)
    {
        auto target = targetFor(point);
        if (!target)
            return tl::unexpected(target.error());
        std::vector<EarlyEvent> early;
        for (auto& [uri, other] : targets) {
            if (!other || other.get() == *target)
                continue;
            for (EarlyEvent& event : other->rest())
                early.push_back(std::move(event));
        }
        auto ready = (*target)->prepare(point, [this](const LoadProgress& load) { return onLoadProgress(load); });
        if (ready)
            ready->events.insert(ready->events.begin(), std::make_move_iterator(early.begin()),
                                 std::make_move_iterator(early.end()));
        return ready;
    }

    //! Between runs everything queued is brought to disk. What cannot be written does not end the measuring.
    void checkStorage()
    {
        if (!writer)
            return;
        (void)writer->flush(); // its error is what watchStorage() looks at
        watchStorage(nullptr);
    }

    //! Says when the library takes nothing any more, and when it does again; ends the session before memory runs out.
    //! `sample`: the interval that has just ended, if one has.
    void watchStorage(const IntervalSample* sample)
    {
        if (!writer || outOfRoom)
            return;
        const auto problem = writer->problem();
        if (problem && !keeping) {
            std::string text =
                fmt::format("{} ({}); what is measured stays in memory ({} MiB at most{}) and is written as "
                            "soon as the library can be written again",
                            problem->message, options.library.string(), options.keptBytes >> 20,
                            sample ? lastsText(*sample) : std::string());
            tellOfStorage(EventKind::Error, std::move(text));
        } else if (!problem && keeping) {
            tellOfStorage(EventKind::Note, "the library can be written again: what stayed in memory is stored");
        }
        keeping = problem.has_value();
        if (!keeping || writer->keptShare() < kFullShare)
            return;
        outOfRoom = true;
        const Error error{
            ErrorKind::Storage,
            fmt::format("the session ends early: {}, and the memory for what waits to be stored is nearly used up",
                        problem->message),
            options.library.string(), "make room, or choose a library on another disk with --library FILE"};
        failSession(error);
        tellOfStorage(EventKind::Error, error.text());
        control.stop();
    }

    //! ", which lasts about 20 min"
    [[nodiscard]] std::string lastsText(const IntervalSample& sample) const
    {
        const double intervals = kFullShare * double(options.keptBytes) / double(bytesInMemory(sample));
        return fmt::format(", which lasts about {:.0f} min", std::max(1.0, intervals * double(sample.lengthNs) / 60e9));
    }

    void tellOfStorage(EventKind kind, std::string text)
    {
        RunEvent event;
        event.kind = kind;
        event.tNs = loadStartNs > 0 ? nowNs() - loadStartNs : 0;
        event.text = std::move(text);
        onEvent(event);
    }

    void dropTablesIfAsked()
    {
        if (plan.workload.cleanup && !control.stopped()) {
            for (const PointSpec& point : header.points) { // points may differ in their tables
                const auto found = silence.find(point.target.uri);
                if (found != silence.end() && found->second != Silence::None)
                    continue; // it would not answer
                if (auto target = targetFor(point); target && !(*target)->stuck()) {
                    if (auto dropped = (*target)->dropTables(point); !dropped)
                        failSession(dropped.error());
                }
            }
        }
    }

    //! Told beside what the session failed with, too.
    void tellNotRestored(const Error& error)
    {
        if (summary.status == RunStatus::Failed)
            summary.reason += "; " + error.text();
        else
            failSession(error);
    }

    //! One that had to be killed is told; what was measured is none the worse for it.
    void endKeptServers()
    {
        for (auto& [uri, target] : targets) {
            const auto ended = target ? target->end() : Expected<void>();
            if (ended)
                continue;
            RunEvent event;
            event.kind = EventKind::Server;
            event.tNs = loadStartNs > 0 ? nowNs() - loadStartNs : 0;
            event.text = fmt::format("{}: {}", redactUri(uri), ended.error().message);
            onEvent(event);
            if (summary.status != RunStatus::Done)
                summary.reason += (summary.reason.empty() ? "" : "; ") + event.text;
        }
    }

    //! However the session ended: nothing stays changed, nothing stays running.
    void restoreTargets()
    {
        const auto record = [this](const std::string& of, const std::vector<std::string>& except) {
            if (writer)
                (void)writer->recordKnobsRestored(of, except);
            RunEvent event;
            event.kind = EventKind::Knob;
            event.tNs = loadStartNs > 0 ? nowNs() - loadStartNs : 0;
            event.text = except.empty() ? fmt::format("settings put back: {}", of)
                                        : fmt::format("settings not put back: {}: {}", of, fmt::join(except, ", "));
            onEvent(event);
        };
        for (auto& [uri, target] : targets) {
            try {
                if (!target)
                    continue;
                if (auto restored = target->restore(record); !restored)
                    tellNotRestored(restored.error());
            } catch (const std::exception& problem) { // the other targets are put back all the same
                failSession({ErrorKind::Failed, fmt::format("internal error: {}", problem.what()), redactUri(uri), {}});
            }
        }
        endKeptServers();
        targets.clear(); // stops managed servers
    }

    //! The library did not take the end of the session.
    void storeElsewhere(const Error& problem)
    {
        summary.storageProblem = problem.message;
        if (const auto file = writer->rescue())
            summary.storedIn = file->string();
        else
            failSession(
                {ErrorKind::Storage,
                 fmt::format("the session could not be stored: {}, and {}", problem.message, file.error().message),
                 options.library.string(), "the figures that are printed are all that is left of it"});
    }

    void finish()
    {
        summary.finishedMs = nowMs();
        if (writer && nothingBegan) {
            writer->takeBackSitting();
            (void)writer->flush(); // what cannot be taken back is shown as not run
            summary.storedIn = options.library.string();
            writer.reset();
        } else if (writer) {
            writer->onSessionFinished(summary);
            if (auto flushed = writer->flush(); !flushed)
                storeElsewhere(flushed.error());
            else
                summary.storedIn = options.library.string();
            writer.reset();
        }
        for (SampleSink* sink : sinks)
            sink->onSessionFinished(summary);
        {
            const std::lock_guard lock(mutex);
            finished = true;
        }
        finishedCondition.notify_all();
    }
};

SessionRunner::SessionRunner(Plan plan, RunnerOptions options, std::vector<SampleSink*> sinks)
    : d(std::make_unique<Private>())
{
    d->plan = std::move(plan);
    d->options = std::move(options);
    d->sinks = std::move(sinks);
}

SessionRunner::~SessionRunner()
{
    stop();
    if (d->thread.joinable())
        d->thread.join();
}

void SessionRunner::start()
{
    d->start();
}

void SessionRunner::stop()
{
    d->control.stop();
}

void SessionRunner::skipRun()
{
    d->control.skip(false);
}

void SessionRunner::skipPoint()
{
    d->control.skip(true);
}

void SessionRunner::setPaused(bool on)
{
    d->control.setPaused(on);
}

bool SessionRunner::takeSnapshot()
{
    return d->control.askSnapshot();
}

bool SessionRunner::annotate(std::string text, std::int64_t begunNs)
{
    return d->control.annotate(std::move(text), begunNs);
}

void SessionRunner::wait()
{
    std::unique_lock lock(d->mutex);
    d->finishedCondition.wait(lock, [this] { return d->finished; });
}

bool SessionRunner::finished() const
{
    const std::lock_guard lock(d->mutex);
    return d->finished;
}

std::string SessionRunner::sessionId() const
{
    return d->header.id;
}

} // namespace dyno
