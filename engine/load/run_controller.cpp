// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/run_controller.h"

#include "base/wall_clock.h"
#include "load/executor/executor.h"
#include "load/executor/pacer.h"
#include "load/load_search.h"
#include "load/phase_times.h"
#include "load/snapshots/snapshot_text.h"
#include "load/snapshots/snapshot_watch.h"
#include "metrics/host_events.h"
#include "metrics/host_usage.h"
#include "metrics/phase_events.h"
#include "metrics/process_usage.h"
#include "metrics/self_health.h"
#include "metrics/steady_state.h"
#include "monitor/counter_monitor.h"

#include <dyno/server_variables.h>
#include <dyno/uri_form.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <functional>
#include <span>
#include <thread>
#include <utility>

namespace dyno {

namespace {

constexpr double kGraceSeconds = 10;              //!< how long a user may take to come back after the end of a run
constexpr double kStoppedGraceSeconds = 3;        //!< the same when somebody asked to stop: a server may be frozen
constexpr std::chrono::milliseconds kEndTurn{20}; //!< of several processes, how long one is waited for at a time
constexpr std::chrono::milliseconds kEndPatience{10'000};   //!< from a server's last answer to its process's end
constexpr std::int64_t kTellNs = 100'000'000;               //!< between two reports before the users begin
constexpr std::int64_t kLostLookNs = 100'000'000;           //!< between two looks at a server that was lost
constexpr std::int64_t kSnapshotLookNs = 50'000'000;        //!< between two looks for the answer to a snapshot
constexpr std::int64_t kSnapshotLateNs = 1'000'000'000;     //!< it is of another moment than the one it was wanted for
constexpr std::chrono::milliseconds kSnapshotPatience{300}; //!< for one that is under way as the run ends
constexpr double kStepGraceSeconds = 1;                     //!< the same in the middle of a step, which may take hours
//! The first part of a probe still holds what the probe before has left behind.
constexpr double kProbeSettles = 0.2;
constexpr std::int64_t kAheadNs = 2'000'000;         //!< of a schedule's first arrival
constexpr std::int64_t kDigestAheadNs = 150'000'000; //!< before the end of the measured time, at most
constexpr std::size_t kKeptDrops = 3600;             //!< intervals whose dropped arrivals are remembered for outages

std::int64_t toNs(double seconds)
{
    return static_cast<std::int64_t>(seconds * 1e9);
}

//! Shards: as many as can be written to at the same time; more would only make sampling dearer.
std::size_t shardsFor(int users)
{
    return std::size_t(std::clamp(users, 1, 2 * std::max(1, int(std::thread::hardware_concurrency()))));
}

double highestRate(const LoadProfile& load)
{
    double highest = std::max(load.arrival.rate, load.arrival.rateTo);
    for (const RateStep& step : load.arrival.steps)
        highest = std::max(highest, step.rate);
    return load.search.what == Search::What::Rate ? std::max(highest, load.search.to) : highest;
}

//! Who the phases of the run's load speak of: its groups in their order, or all users.
std::vector<PhaseCohort> cohortsOf(const RunJob& job, int users)
{
    std::vector<PhaseCohort> cohorts;
    for (const RunGroup& group : job.groups)
        cohorts.push_back({group.name, group.users, group.pace, group.workload->sections()});
    if (cohorts.empty())
        cohorts.push_back({{}, users, job.load.arrival, job.workload.sections()});
    return cohorts;
}

//! The seeds of a group's schedules and the random streams of its arrivals begin here; nobody else's are near.
constexpr std::uint64_t kGroupSeeds = 0x47524F555053ull << 8;

std::vector<OpId> openGroupsOf(const RunJob& job)
{
    std::vector<OpId> open;
    for (const RunGroup& group : job.groups) {
        if (group.pace.open())
            open.push_back(group.counts);
    }
    return open;
}

int connectionsOf(const RunJob& job)
{
    const LoadProfile& load = job.load;
    if (!job.groups.empty()) {
        int users = 0;
        for (const RunGroup& group : job.groups)
            users += group.users;
        return users;
    }
    if (load.search.what == Search::What::Users)
        return int(std::lround(load.search.to));
    return load.users.empty() ? 1 : load.users.front();
}

//! When a phase ends, beside the end of the run.
struct PhaseEnd
{
    double seconds = 0;                //!< 0 = no limit
    double intervalSeconds = 0;        //!< 0 = as the plan has it
    std::function<bool()> afterSample; //!< true: it is over; may be empty
    bool digest = false;               //!< the measured time follows: the digest is read before its end
};

//! The state of one run while it lasts.
class Run
{
public:
    Run(const RunJob& job, RunObserver& observer)
        : m_job(job)
        , m_observer(observer)
        , m_users(connectionsOf(job))
        , m_state(job.control.signal)
        , m_openGroups(openGroupsOf(job))
        , m_recorder(shardsFor(m_users), job.operations.size(),
                     job.load.arrival.open() || !m_openGroups.empty() || job.workload.hasDueTimes(), m_openGroups)
        , m_sampler(m_recorder)
        , m_summary(job.operations, job.place.value_or(workPlaceOf(job.target->uri)))
        , m_steady(job.load.steady)
        , m_phases(job.load, cohortsOf(job, m_users))
        , m_snapshots(job.load.snapshots)
        , m_groupActive(m_phases.any() ? job.groups.size() : 0)
        , m_longestNs(job.operations.size())
    {
        m_summary.setCounters(job.counterInfos, storageReadCounters());
        if (const Objective& wanted = job.load.objective;
            wanted.given() && job.load.search.what == Search::What::Nothing)
            m_summary.setObjective(wanted.percentile, wanted.limitMs, toText(wanted));
        const DriverInfo driver = job.driver.info();
        // Sessions on event loops take no bulk requests.
        m_loops =
            !job.workload.bulkInRuns() && (job.load.executor == ExecutorKind::Loops ||
                                           (job.load.executor == ExecutorKind::Auto && prefersLoops(driver, m_users)));
        ExecutorJob users{job.driver, onLoops(*job.target), job.workload, m_recorder, m_state, m_users, job.load.seed};
        for (std::size_t cohort = 0; cohort < std::max<std::size_t>(1, job.groups.size()); ++cohort)
            m_weights.push_back(m_phases.weights(cohort));
        users.groups = makeGroups();
        users.weights = weightsOf(0);
        m_executor = m_loops ? makeLoopExecutor(users, job.load.loops) : makeThreadExecutor(users);
        m_state.thinkNs = toNs(job.load.arrival.thinkSeconds);
        m_state.driver = job.target->uri.driver;
        m_state.reconnectNs = toNs(job.load.reconnectSeconds);
        if (job.groups.empty() && job.load.arrival.open()) {
            m_pacer = std::make_unique<Pacer>(m_state, job.load.arrival.backlog, m_users,
                                              std::max(highestRate(job.load), m_phases.highestRate(0)));
            m_pacer->queue().setUsers(m_phases.usersOver(0));
            m_state.arrivals = &m_pacer->queue();
        }
    }

    RunSummary execute()
    {
        if (m_job.load.search.what == Search::What::Rate && !m_pacer)
            return conclude(Error{ErrorKind::BadInput, "a closed loop has no rate to search for", "load.arrival",
                                  "use arrival = \"poisson\""});
        std::optional<Error> problem;
        const bool ready = makeReady();
        if (ready)
            problem = connect();
        if (ready && !problem && !cancelled()) {
            begin();
            if (m_job.load.search.what != Search::What::Nothing)
                problem = search();
            else if (m_job.load.warms())
                warmUp();
            // A small budget may be used up already: what was done is still to be sampled.
            if (!problem && (m_intervalStartNs == m_startNs || !over()))
                measure();
            else if (!problem && !cancelled() && !m_state.failure() && m_state.left().users > 0)
                problem = Error{ErrorKind::Failed,
                                fmt::format("the script ended all of {} users in the warm-up (event() returned a "
                                            "value): nothing was measured",
                                            m_users),
                                "load.warmup", "remove the warm-up, or let the script's event() return nothing"};
        }
        m_state.stop();
        m_executor->join(grace());
        tellSteps();
        if (!problem)
            problem = m_state.failure();
        if (problem && !m_serverEnded && !cancelled())
            checkServer(m_state.lostConnection() ? kEndPatience : std::chrono::milliseconds(0), &*problem);
        if (problem && !m_step.empty())
            problem->message = fmt::format("the step {} failed: {}", m_step, problem->message);
        if (!problem && !cancelled())
            problem = m_state.outages.lasting(); // still gone at the end: nothing says that the server is there
        if (!problem && m_unanswered > 0) {
            problem =
                Error{ErrorKind::Failed,
                      fmt::format("calls that never came back: {}, {:g} s after the end they were still unanswered",
                                  m_unanswered, kGraceSeconds),
                      {},
                      "see whether the server still answers and what its error log says; what was measured is kept"};
        }
        tellOutages(nowNs());
        tellNotes(m_job.control.closeNotes());
        endSnapshots();
        tellCounterEvents(true);
        for (std::string& sentence : m_startNs == 0 ? std::vector<std::string>() : m_job.workload.notesOfRun())
            tell(EventKind::Note, std::move(sentence), elapsed());
        return conclude(problem);
    }

private:
    [[nodiscard]] ConnectTargetPtr onLoops(const ConnectTarget& target) const
    {
        auto own = std::make_shared<ConnectTarget>(target);
        own->eventLoop = m_loops;
        return own;
    }
    //! Nullptr: no phase changes them.
    [[nodiscard]] const PhaseWeights* weightsOf(std::size_t cohort) const
    {
        const PhaseWeights& weights = m_weights[cohort];
        const bool any = std::ranges::any_of(weights, [](const auto& one) { return one.has_value(); });
        return any ? &weights : nullptr;
    }
    //! Each open one with a pacer of its own, which makes no arrivals before begin().
    [[nodiscard]] std::vector<UserGroup> makeGroups()
    {
        std::vector<UserGroup> groups;
        // The backlog is that of the run: what may wait in all.
        const auto waiting = std::max<std::ptrdiff_t>(
            1, std::ranges::count_if(m_job.groups, [](const RunGroup& group) { return group.pace.open(); }));
        for (const RunGroup& group : m_job.groups) {
            UserGroup own;
            own.target = onLoops(*group.target);
            own.workload = group.workload.get();
            own.users = group.users;
            own.thinkNs = toNs(group.pace.thinkSeconds);
            own.counts = group.counts;
            own.firstOp = group.firstOp;
            own.active = m_phases.any() ? &m_groupActive[groups.size()] : nullptr;
            own.weights = weightsOf(groups.size());
            if (group.pace.open()) {
                m_groupPacers.push_back(std::make_unique<Pacer>(m_state, m_job.load.arrival.backlog / waiting,
                                                                group.users,
                                                                std::max(1.0, m_phases.highestRate(groups.size()))));
                m_groupPacers.back()->queue().setUsers(m_phases.usersOver(groups.size()));
                own.arrivals = &m_groupPacers.back()->queue();
                own.arrivalStream = kGroupSeeds + m_groupPacers.size();
            }
            groups.push_back(std::move(own));
        }
        return groups;
    }
    //! Without phases of the load their rates hold from the warm-up to the end; with them once more as the measured
    //! time begins.
    void beginGroups(bool measures)
    {
        const std::int64_t startNs =
            m_intervalStartNs == m_startNs ? m_startNs : std::max(m_intervalStartNs, nowNs() + kAheadNs);
        std::size_t number = 0;
        for (std::size_t group = 0; group < m_job.groups.size(); ++group) {
            const Arrival& pace = m_job.groups[group].pace;
            if (!pace.open())
                continue;
            // Each schedule has its own stream of the seed.
            const std::uint64_t seed =
                m_job.load.seed + kGroupSeeds + number + (startNs == m_startNs ? 0 : 2 * kMostGroups);
            Schedule schedule(pace.model,
                              measures && m_phases.any() ? m_phases.profile(group)
                                                         : RateProfile::constant(m_phases.rateBefore(group)),
                              seed);
            if (measures)
                m_groupPacers[number]->queue().followUsers(m_intervalStartNs);
            m_groupPacers[number]->begin(std::move(schedule), startNs);
            ++number;
        }
    }
    //! From now on so many users of a group, or of the run, take part. The users are to be woken.
    void setUsersOf(std::size_t cohort, int users)
    {
        if (m_groupActive.empty())
            m_state.setActiveUsers(users);
        else
            m_groupActive[cohort].store(users, std::memory_order_release);
    }
    [[nodiscard]] int activeUsers() const
    {
        int active = m_groupActive.empty() ? m_state.activeUsers().load() : 0;
        for (const std::atomic<int>& group : m_groupActive)
            active += group.load();
        return active;
    }
    //! Lets users join and rest as the phases have it; when that changes next, INT64_MAX for never.
    std::int64_t followPhases(std::int64_t startNs)
    {
        const std::vector<PhaseTimes::Change>& changes = m_phases.changes();
        const std::int64_t now = nowNs() - startNs;
        bool changed = false;
        for (; m_nextChange < changes.size() && changes[m_nextChange].atNs <= now; ++m_nextChange) {
            setUsersOf(changes[m_nextChange].cohort, changes[m_nextChange].users);
            changed = true;
        }
        if (changed && !m_groupActive.empty())
            m_state.wakeUsers();
        const std::vector<PhaseSpan>& spans = m_phases.spans();
        for (; m_nextPhase < spans.size() && spans[m_nextPhase].fromNs <= now; ++m_nextPhase) {
            m_state.setLoadPhase(m_nextPhase);
            tell(EventKind::Phase,
                 fmt::format("phase {}: {}", spans[m_nextPhase].name,
                             phaseText(m_job.load, m_job.load.phases[m_nextPhase])),
                 startNs + spans[m_nextPhase].fromNs - m_startNs);
        }
        return m_nextChange < changes.size() ? startNs + changes[m_nextChange].atNs : INT64_MAX;
    }
    [[nodiscard]] bool hasArrivals() const { return m_pacer || !m_groupPacers.empty(); }
    //! "8 scans, 4 writes at 500 a second"
    [[nodiscard]] std::string groupsText() const
    {
        std::string text;
        for (const RunGroup& group : m_job.groups) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", group.users, group.name);
            if (group.pace.open())
                text += fmt::format(" at {:g} a second", group.pace.rate);
        }
        return text;
    }
    //! How long a user may take to come back when it is told to end.
    [[nodiscard]] double grace() const
    {
        if (!m_job.workload.steps().empty())
            return kStepGraceSeconds;
        return m_job.control.stopped() ? kStoppedGraceSeconds : kGraceSeconds;
    }
    [[nodiscard]] bool cancelled() const { return m_job.control.stopped() || m_job.control.skipped(); }
    [[nodiscard]] bool over() const { return cancelled() || m_state.stopping() || m_state.finished.load() >= m_users; }
    [[nodiscard]] std::span<ProcessUsage> used() const
    {
        return m_job.used ? std::span(*m_job.used) : std::span<ProcessUsage>();
    }
    //! Nothing comes of waiting for a server that is gone: the run ends. `other`: what it ends with already.
    void checkServer(std::chrono::milliseconds patience, Error* other = nullptr)
    {
        if (m_serverEnded)
            return;
        const ServingProcess* ended = nullptr;
        std::string how;
        // In turn: none of them is waited for while another one has ended already.
        const auto turn = m_job.processes.size() > 1 ? std::min(patience, kEndTurn) : patience;
        const auto until = std::chrono::steady_clock::now() + patience;
        do {
            for (const ServingProcess& one : m_job.processes) {
                how = one.endedBy(turn);
                if (how.empty())
                    continue;
                ended = &one;
                break;
            }
        } while (!ended && !m_job.processes.empty() && std::chrono::steady_clock::now() < until);
        m_serverEnded = ended != nullptr;
        if (!ended)
            return;
        Error error{ErrorKind::Failed,
                    fmt::format("{} ended in the middle of the run: {}", ended->what, how),
                    {},
                    fmt::format("what was measured is kept, and the next run starts {} again", ended->again)};
        if (!other)
            return m_state.fail(std::move(error));
        error.message = other->message + "; " + error.message;
        *other = std::move(error);
    }
    [[nodiscard]] std::int64_t elapsed() const { return nowNs() - m_startNs; }
    void tell(EventKind kind, std::string text, std::int64_t atNs, std::int64_t lengthNs = 0)
    {
        RunEvent event;
        event.tNs = atNs;
        event.lengthNs = lengthNs;
        event.kind = kind;
        event.text = std::move(text);
        m_observer.onEvent(event);
    }

    void tellNotes(std::vector<RunControl::TimedNote> notes)
    {
        for (RunControl::TimedNote& note : notes) {
            const std::int64_t now = m_startNs == 0 ? 0 : elapsed(); // 0: it ends before it begins
            const std::int64_t wanted = m_startNs == 0 || note.atNs == 0 ? now : note.atNs - m_startNs;
            tell(EventKind::Note, std::move(note.text), std::max<std::int64_t>(wanted, 0));
        }
    }

    //! What somebody asked for, and what came of what was asked before.
    void lookForSnapshots()
    {
        if (m_job.control.takeSnapshotWish())
            takeWantedSnapshot();
        if (m_snapshots.underWay())
            tellSnapshot(std::chrono::milliseconds(0));
    }
    void takeWantedSnapshot()
    {
        if (m_startNs == 0)
            return; // nothing to look at yet
        if (m_job.load.snapshots == SnapshotsWhen::Off)
            return refuseSnapshot("the plan has load.snapshots = \"off\"");
        if (!m_job.counters)
            return refuseSnapshot("counters of this target are not read in this run");
        if (m_nothingToAsk)
            return;
        if (m_snapshots.asked(nowNs()))
            beginSnapshot(false);
    }
    //! Once a run: whoever asks again knows.
    void refuseSnapshot(std::string_view why)
    {
        if (!std::exchange(m_toldNoSnapshots, true))
            tell(EventKind::Note, fmt::format("no snapshots: {}", why), elapsed());
    }
    void beginSnapshot(bool stalled)
    {
        m_snapshotWantedNs = nowNs();
        m_snapshotOfStall = stalled;
        m_job.counters->wantSnapshot();
    }
    void tellSnapshot(std::chrono::milliseconds patience)
    {
        const auto reading = m_job.counters->takeSnapshot(patience);
        if (!reading)
            return;
        m_snapshots.answered();
        RunSnapshot snapshot;
        snapshot.tNs = std::max<std::int64_t>(reading->beganNs - m_startNs, 0);
        const std::int64_t lateNs = reading->beganNs - m_snapshotWantedNs;
        const bool late = lateNs > kSnapshotLateNs;
        snapshot.stalled = m_snapshotOfStall && !late;
        snapshot.ms = double(reading->endedNs - reading->beganNs) * 1e-6;
        if (!reading->parts)
            return tell(EventKind::Note, fmt::format("no snapshot: {}", reading->parts.error().message), snapshot.tNs);
        if (reading->parts->empty()) {
            m_nothingToAsk = true;
            return refuseSnapshot("this target has none");
        }
        snapshot.texts = keptTexts(*reading->parts);
        m_observer.onSnapshot(snapshot);
        std::string text = snapshotEvent(*reading->parts, snapshot);
        if (late)
            text += fmt::format(" (taken {:.1f} s late: the server did not answer)", double(lateNs) * 1e-9);
        tell(EventKind::Server, std::move(text), snapshot.tNs);
    }
    void endSnapshots()
    {
        if (m_job.control.takeSnapshotWish())
            takeWantedSnapshot();
        if (m_snapshots.underWay())
            tellSnapshot(cancelled() ? std::chrono::milliseconds(0) : kSnapshotPatience);
        if (m_snapshots.underWay())
            tell(EventKind::Note, "no snapshot: the server had not answered when the run ended", elapsed());
        if (std::string text = m_snapshots.notTaken(); !text.empty())
            tell(EventKind::Note, std::move(text), elapsed());
    }

    //! What counters of the server and of this machine say of events.
    void tellCounterEvents(bool last)
    {
        std::vector<CounterEvent> events;
        if (m_job.counters)
            events = m_job.counters->takeEvents(last);
        if (m_job.hostEvents) {
            std::vector<CounterEvent> more = last ? m_job.hostEvents->takeLast() : m_job.hostEvents->take();
            events.insert(events.end(), more.begin(), more.end());
        }
        for (const CounterEvent& event : events) {
            const std::int64_t from = std::max<std::int64_t>(event.fromNs - m_startNs, 0);
            if (m_startNs > 0)
                tell(EventKind::Server, eventText(event), from,
                     std::max<std::int64_t>(event.toNs - m_startNs - from, 0));
        }
    }

    //! False: it was cancelled.
    bool makeReady()
    {
        const auto goOn = [this, lastNs = nowNs()]() mutable {
            if (nowNs() - lastNs >= kTellNs) {
                lastNs = nowNs();
                m_observer.onPhase(Phase::Connect, 0, m_users);
            }
            return !cancelled();
        };
        for (const RunGroup& group : m_job.groups) {
            if (!group.workload->makeReady(WorkloadInstance::Use::Run, goOn, m_job.load.seed) || cancelled())
                return false;
        }
        return m_job.workload.makeReady(WorkloadInstance::Use::Run, goOn, m_job.load.seed) && !cancelled();
    }

    std::optional<Error> connect()
    {
        m_connectStartNs = nowNs();
        m_job.control.openNotes(m_connectStartNs);
        if (auto started = m_executor->connect(); !started)
            return started.error();
        while (m_state.connected.load() < m_users && !m_state.stopping() && !cancelled()) {
            m_observer.onPhase(Phase::Connect, m_state.connected.load(), m_users);
            m_job.control.signal.waitUntil(nowNs() + kTellNs);
        }
        m_observer.onPhase(Phase::Connect, m_state.connected.load(), m_users);
        return m_state.failure();
    }

    void begin()
    {
        const double connecting = double(nowNs() - m_connectStartNs) / 1e9;
        if (m_job.counters)
            m_job.counters->start();
        if (!m_job.load.warms() && m_job.load.search.what == Search::What::Nothing)
            readFirstDigest();
        eachMonitor([this](CounterMonitor& monitor) { // whose rates count from when they are asked first
            if (&monitor != m_job.counters)
                monitor.start();
        });
        (void)m_sampler.take();
        (void)m_health.take();
        for (ProcessUsage& process : used())
            (void)process.take();
        if (m_job.host)
            (void)m_job.host->take();
        if (m_job.hostEvents)
            m_job.hostEvents->look();
        (void)m_executor->takeLoopLagMs();
        m_busyWaits = m_executor->busyWaits();
        m_startNs = nowNs() + (hasArrivals() ? kAheadNs : 0);
        if (m_job.measured)
            m_job.measured->beganMs = nowMs() + (m_startNs - nowNs()) / 1'000'000;
        for (const EarlyEvent& early : m_job.early)
            tell(early.kind, early.text, early.atNs - m_startNs, early.lengthNs);
        tell(EventKind::Phase,
             fmt::format("{} {}{} connected in {}, {}", m_users, m_users == 1 ? "user" : "users",
                         m_job.groups.empty() ? std::string() : fmt::format(" ({})", groupsText()),
                         connecting < 0.9995 ? fmt::format("{:.3g} ms", connecting * 1e3)
                                             : fmt::format("{:.2f} s", connecting),
                         m_loops        ? "on event loops"
                         : m_users == 1 ? "on a thread"
                                        : "a thread each"),
             0);
        m_intervalStartNs = m_startNs;
        const bool searching = m_job.load.search.what != Search::What::Nothing;
        if (searching)
            m_state.setActiveUsers(0); // the first probe lets them in
        for (std::size_t cohort = 0; m_phases.any() && cohort < std::max<std::size_t>(1, m_groupActive.size());
             ++cohort)
            setUsersOf(cohort, m_phases.usersBefore(cohort));
        if (!m_pacer && !m_job.load.warms() && !searching)
            startMeasuring();
        beginGroups(!m_job.load.warms());
        m_state.beginNs = m_groupPacers.empty() ? 0 : m_startNs;
        m_executor->release();
        if (!m_pacer || searching)
            return;
        if (!m_job.load.warms())
            startMeasuring();
        else
            offer(RateProfile::constant(m_phases.any() ? m_phases.rateBefore(0)
                                                       : RateProfile::of(m_job.load.arrival, 1).rateAt(0)));
    }

    //! Arrivals from now on; `most` of them, 0 = no limit.
    void offer(RateProfile profile, bool emptyRoom = false, std::uint64_t most = 0)
    {
        // It begins a moment ahead: what is due before the users can know of it would be late by our own doing.
        const std::int64_t startNs = std::max(m_intervalStartNs, nowNs() + (m_schedules > 0 ? kAheadNs : 0));
        // Each schedule has its own stream of the seed.
        m_pacer->begin(Schedule(m_job.load.arrival.model, std::move(profile), m_job.load.seed + m_schedules++), startNs,
                       emptyRoom, most);
        if (emptyRoom) { // dropped between two probes, in neither of them
            m_arrivals = m_pacer->queue().arrivals();
            m_dropped = m_pacer->queue().dropped();
        }
    }

    //! What differs between warm-up and measuring: budgets count from here on, and the rate follows its plan.
    void startMeasuring()
    {
        const LoadProfile& load = m_job.load;
        if (!m_pacer) {
            m_state.setBudget(load.events);
            return;
        }
        const bool goesOn = m_schedules > 0 && load.events == 0 && load.arrival.steps.empty() &&
                            load.arrival.rateTo <= 0 && !m_phases.any();
        if (goesOn)
            return; // the same rate as in the warm-up: its arrivals simply continue
        m_pacer->queue().followUsers(m_intervalStartNs);
        offer(m_phases.any() ? m_phases.profile(0) : RateProfile::of(load.arrival, load.timeSeconds), false,
              load.events);
    }

    void warmUp()
    {
        const LoadProfile& load = m_job.load;
        std::uint64_t done = 0;
        PhaseEnd end;
        end.seconds = load.warmupUntilSteady || load.warmupSeconds <= 0 ? load.warmupMaxSeconds : load.warmupSeconds;
        end.afterSample = [&] {
            done += m_last.transaction.count;
            return (load.warmupEvents > 0 && done >= load.warmupEvents) ||
                   (load.warmupUntilSteady && m_steady.steady());
        };
        end.digest = true;
        phase(Phase::Warmup, toText(Phase::Warmup), end);
        if (load.warmupUntilSteady && !over())
            tell(EventKind::Phase,
                 m_steady.steady() ? m_steady.text() : "warm-up ends at its longest time: " + m_steady.text(),
                 m_intervalStartNs - m_startNs);
    }

    void measure()
    {
        const LoadProfile& load = m_job.load;
        if (load.warms() && load.search.what == Search::What::Nothing)
            startMeasuring();
        if (load.warms() && m_phases.any() && !m_groupPacers.empty())
            beginGroups(true);
        std::vector<PhaseSpan> spans = phaseSpans(load, m_intervalStartNs - m_startNs);
        m_summary.setPhases(spans);
        for (PhaseSpan& span : spans)
            span.fromNs += span.rampNs;
        m_snapshots.setStretches(std::move(spans));
        ObjectiveWatch watch(load.objective, load.steady.windowSeconds);
        std::uint64_t rows = 0, transactions = 0;
        double steadySeconds = 0;
        int windows = 0;
        m_steady.reset();
        PhaseEnd end;
        end.seconds = m_job.workload.steps().empty() ? load.timeSeconds : 0;
        end.afterSample = [&] {
            rows += m_last.rows;
            transactions += m_last.transaction.count + m_last.transaction.errors;
            if (load.rows > 0 && rows >= load.rows)
                return note("the wanted rows are changed");
            steadySeconds = m_steady.steady() ? steadySeconds + double(m_last.lengthNs) * 1e-9 : 0;
            if (load.stopAfterSteady > 0 && steadySeconds >= load.steady.windowSeconds) {
                steadySeconds = 0;
                if (++windows >= load.stopAfterSteady)
                    return note("steady for long enough: " + m_steady.text());
            }
            watch.add(m_last);
            if (load.stopOnObjective && load.objective.given() && watch.full() && !watch.holds())
                return note(fmt::format("the objective {} does not hold: {}", toText(load.objective), watch.why()));
            return false;
        };
        const std::int64_t beganNs = m_intervalStartNs;
        if (!m_firstDigestWanted) // of a warm-up whose end nobody knew, and of a search
            readDigest(0);
        if (m_job.measured)
            *m_job.measured = {
                beganNs,
                m_last.lengthNs > 0 ? double(m_summary.operationsIn(m_last)) / (double(m_last.lengthNs) * 1e-9) : 0,
                m_job.measured->beganMs};
        phase(Phase::Measure, kMeasuring, end);
        if (m_digestNs == 0 || nowNs() < m_digestNs) // it ended before its time
            readDigest(0);
        const bool over = m_wasOver; // the users are told to end by now
        const bool timeWasOver = load.timeSeconds > 0 && double(m_intervalStartNs - beganNs) * 1e-9 >= load.timeSeconds;
        if (timeWasOver && !over && load.rows > 0 && rows < load.rows)
            note(fmt::format("the time was over after {} of {} wanted rows", rows, load.rows));
        else if (timeWasOver && !over && load.events > 0)
            note(fmt::format("the time was over before {} done",
                             load.events == 1 ? std::string("1 transaction was")
                                              : fmt::format("{} transactions were", load.events)));
        else if (timeWasOver && !over && transactions == 0)
            note("no transaction ended in the measured time: nothing was measured; give a longer load.time");
    }

    //! Users that left while others were to work on.
    void tellLeft(std::uint64_t transactions)
    {
        const RunState::Left left = m_state.left();
        if (left.users == 0)
            return;
        std::string text = fmt::format("the script ended {} of {} users early (event() returned a value), the first "
                                       "{:.3g} s after the start",
                                       left.users, m_users, double(left.firstNs - m_startNs) * 1e-9);
        if (const std::uint64_t wanted = m_job.load.events; transactions < wanted)
            text += fmt::format(": {} of {} transactions were done", transactions, wanted);
        note(std::move(text));
    }

    void readDigest(std::int64_t atNs)
    {
        if (m_job.counters && m_job.digest)
            m_job.counters->wantDigest(atNs);
    }
    //! While the users are connected and wait: what it costs is in no figure. A server that takes long for it is asked
    //! all the same while they work.
    void readFirstDigest()
    {
        constexpr std::chrono::milliseconds kStep{50};
        constexpr int kMostSteps = 20;
        if (!m_job.counters || !m_job.digest)
            return;
        readDigest(0);
        m_firstDigestWanted = true;
        for (int i = 0; i < kMostSteps && !cancelled() && !m_job.counters->awaitDigests(kStep);)
            ++i;
    }
    //! The same shortly before a warm-up ends.
    void readFirstDigestBefore(std::int64_t endNs)
    {
        if (m_firstDigestWanted || endNs == INT64_MAX)
            return;
        m_firstDigestWanted = true;
        readDigest(endNs - std::min(kDigestAheadNs, (endNs - m_phaseStartNs) / 4));
    }
    //! Once, shortly before the measured time ends where that is known: what servers count by connection goes with the
    //! users.
    void readDigestBefore(std::int64_t endNs)
    {
        if (m_digestNs != 0 || endNs == INT64_MAX)
            return;
        m_digestNs = endNs - std::min(kDigestAheadNs, (endNs - m_phaseStartNs) / 4);
        readDigest(m_digestNs);
    }

    bool note(std::string text)
    {
        tell(EventKind::Note, std::move(text), m_intervalStartNs - m_startNs);
        return true;
    }

    //! Probes until the bisection has its answer, then leaves the load at it.
    std::optional<Error> search()
    {
        const Search& wanted = m_job.load.search;
        const bool byRate = wanted.what == Search::What::Rate;
        const auto named = [byRate](double load) {
            return byRate       ? fmt::format("{:.5g}/s", load)
                   : load < 1.5 ? std::string("1 user")
                                : fmt::format("{:.0f} users", load);
        };
        Bisection bisection(wanted);
        double probed = 0;
        while (const std::optional<double> load = bisection.next()) {
            probed = *load;
            apply(*load, true);
            ObjectiveWatch watch(m_job.load.objective);
            PhaseEnd end;
            end.seconds = wanted.probeSeconds;
            end.intervalSeconds = std::min(m_job.load.intervalSeconds, wanted.probeSeconds * kProbeSettles);
            const std::int64_t settledNs = m_intervalStartNs + toNs(wanted.probeSeconds * kProbeSettles);
            end.afterSample = [&] {
                if (m_intervalStartNs - m_last.lengthNs >= settledNs)
                    watch.add(m_last);
                return m_state.left().users > 0;
            };
            phase(Phase::Warmup, fmt::format("probe {}: {}", bisection.probes() + 1, named(*load)), end);
            if (auto fewer = leftInSearch())
                return fewer;
            if (over())
                return std::nullopt;
            const std::string why = watch.why();
            tell(EventKind::Note,
                 fmt::format("{}: {}", named(*load),
                             why.empty() ? fmt::format("holds ({:.3g} ms)", watch.percentileMs())
                                         : "does not hold: " + why),
                 m_intervalStartNs - m_startNs);
            bisection.result(why.empty());
        }
        m_found = bisection.answer();
        if (m_found <= 0 && bisection.gaveUp())
            return Error{
                ErrorKind::Failed, fmt::format("{} probes gave no answer that could be confirmed", bisection.probes()),
                "load.search",
                "give longer probes (load.search_time) or a coarser load.search_precision; the probes are kept"};
        if (m_found <= 0)
            return Error{ErrorKind::Failed,
                         fmt::format("the objective {} does not hold even at {}", toText(m_job.load.objective),
                                     named(wanted.from)),
                         "load.search", "begin the search lower, or loosen the objective; the probes are kept"};
        // With a probe at the answer just over, its load simply goes on; another one may have left a queue behind.
        apply(m_found, probed != m_found);
        tell(EventKind::Note, fmt::format("found: {}", named(m_found)), m_intervalStartNs - m_startNs);
        if (probed != m_found)
            settle();
        return leftInSearch();
    }

    //! A probe whose users leave says nothing of the load that it was to have.
    [[nodiscard]] std::optional<Error> leftInSearch() const
    {
        if (m_state.left().users == 0 || cancelled() || m_state.failure())
            return {};
        return Error{ErrorKind::Failed,
                     "the script ended users during the search (event() returned a value), so that fewer worked than "
                     "a probe was for",
                     "load.search", "let the script's event() return nothing, or run without load.search"};
    }

    //! For as long as a probe lets users end what they had begun in the last probe's load: its response time is of that
    //! load.
    void settle()
    {
        PhaseEnd end;
        end.seconds = m_job.load.search.probeSeconds;
        phase(Phase::Warmup, kSettling, end);
    }

    void apply(double load, bool emptyRoom)
    {
        if (m_job.load.search.what == Search::What::Rate) {
            offer(RateProfile::constant(load), emptyRoom);
            m_state.setActiveUsers(m_users);
        } else {
            m_state.setActiveUsers(int(std::lround(load)));
        }
    }

    //! One phase, cut into intervals whose borders are computed from its start, so that they do not drift.
    void phase(Phase which, const std::string& name, const PhaseEnd& ends)
    {
        const std::int64_t start = m_phaseStartNs = m_intervalStartNs;
        m_phase = which;
        const bool follows = which == Phase::Measure && m_phases.any();
        const std::int64_t end = follows            ? start + m_phases.endNs()
                                 : ends.seconds > 0 ? start + toNs(ends.seconds)
                                                    : INT64_MAX;
        const std::int64_t step = std::max<std::int64_t>(
            toNs(ends.intervalSeconds > 0 ? ends.intervalSeconds : m_job.load.intervalSeconds), 1'000'000);
        tell(EventKind::Phase, name, start - m_startNs);
        bool endIsNear = false;
        for (;;) {
            const std::int64_t border = follows
                                            ? start + m_phases.borderAfter(m_intervalStartNs - start, step)
                                            : std::min(end, start + ((m_intervalStartNs - start) / step + 1) * step);
            const std::int64_t changeNs = follows ? std::min(border, followPhases(start)) : border;
            if (std::exchange(m_counterBorderNs, border) != border)
                eachMonitor([border](CounterMonitor& monitor) { monitor.intervalEndsAt(border); });
            if (which == Phase::Measure && border == end && !std::exchange(endIsNear, true))
                readDigestBefore(end);
            if (ends.digest && border == end && !std::exchange(endIsNear, true))
                readFirstDigestBefore(end);
            m_activeNow = activeUsers();
            const bool looks = !m_job.processes.empty() && m_state.outages.any(); // a lost connection wakes us
            const std::int64_t lookNs = m_snapshots.underWay() ? kSnapshotLookNs : looks ? kLostLookNs : 0;
            if (!over())
                m_job.control.signal.waitUntil(lookNs > 0 ? std::min(changeNs, nowNs() + lookNs) : changeNs);
            if (follows)
                (void)followPhases(start); // before the interval is told, which takes a moment
            checkServer(std::chrono::milliseconds(0));
            tellSteps();
            tellNotes(m_job.control.takeNotes());
            lookForSnapshots();
            const bool ended = over();
            // So that the last interval holds everything; but where a run fails, it ends: what users bring that come
            // back later from a call in which they hang belongs to no interval.
            if (ended && !cancelled() && !m_state.failure())
                m_executor->join(kGraceSeconds);
            if (!ended && nowNs() < border)
                continue;
            sample(which);
            const bool last = ended || (ends.afterSample && ends.afterSample()) || m_intervalStartNs >= end;
            if (last && which == Phase::Measure)
                endUsers();
            hand();
            if (const std::size_t steps = m_job.workload.steps().size(); steps > 0)
                m_observer.onPhase(which, double(m_stepsDone), double(steps));
            else
                m_observer.onPhase(which, double(m_intervalStartNs - start) / 1e9, std::max(ends.seconds, 0.0));
            if (last)
                return;
        }
    }

    //! The measured time is over: whoever is inside a call may come back within the time of grace. What comes late is
    //! no transaction of the measured time, but percentiles of the response time hold it. In an open loop an arrival
    //! counts whenever it is answered. A closed loop has as many calls under way at the end as at the start, so that
    //! those that ended stand for all; only calls longer than all of them would be hidden by the end. Calls that never
    //! come back are the slowest of all: they count as old as they are. All belong to the last interval. The same holds
    //! for the operations of these transactions, but one that was cut off may have begun a moment before: its age
    //! counts where it is longer than every other.
    void endUsers()
    {
        m_wasOver = over();
        const bool measured = !cancelled() && !m_state.failure() && m_job.workload.steps().empty();
        m_state.stop();
        m_executor->join(grace());
        const std::vector<Unanswered> unanswered = m_state.takeUnanswered();
        if (!measured)
            return;
        const IntervalSample late = m_sampler.take();
        m_late = late.transaction.count;
        m_unanswered = unanswered.size();
        m_summary.setUnanswered(m_unanswered);
        std::vector<std::int64_t> ages;
        std::vector<std::vector<std::int64_t>> agesOfOps(m_last.ops.size());
        for (const Unanswered& one : unanswered) {
            ages.push_back(one.ageNs);
            if (one.group)
                agesOfOps.at(indexOf(*one.group)).push_back(one.ageNs);
            if (one.call)
                agesOfOps.at(indexOf(one.call->op)).push_back(one.call->ageNs);
        }
        Histogram lateOfGroups;
        bool open = m_pacer != nullptr; // of the group whose operations follow its own
        for (std::size_t op = 0; op < m_last.ops.size(); ++op) {
            const bool ofGroup = m_job.operations[op].opClass == OpClass::Group;
            if (ofGroup)
                open = std::ranges::find(m_openGroups, OpId(op)) != m_openGroups.end();
            const Histogram kept = addLate(m_last.ops[op], late.ops[op], m_longestNs[op], agesOfOps[op], ofGroup, open);
            if (ofGroup)
                lateOfGroups.merge(kept);
        }
        if (m_openGroups.empty()) // all users do what they can, or all serve one queue
            addLate(m_last.transaction, late.transaction, m_summary.transactionService().maxNs(), ages, true,
                    m_pacer != nullptr);
        else // what late answers mean differs between groups
            addResponses(m_last.transaction, lateOfGroups);
    }

    //! Answers that came late, to the response times of the last interval.
    static void addResponses(OpInterval& last, const Histogram& times)
    {
        if (times.empty())
            return;
        if (last.response.empty())
            last.response = last.service;
        last.response.merge(times);
    }

    //! `longestNs`: of the intervals before. `all`: each age counts, else those longer than every time. `open`: all
    //! that came late counts. Returns what was added.
    static Histogram addLate(OpInterval& last, const OpInterval& late, std::uint64_t longestNs,
                             const std::vector<std::int64_t>& ages, bool all, bool open)
    {
        const std::uint64_t longest = std::max(longestNs, last.service.maxNs());
        Histogram times = late.responseOrService();
        if (!open)
            times = above(times, longest);
        const std::uint64_t least = all ? 0 : std::max(longest, times.maxNs());
        for (const std::int64_t age : ages) {
            if (const auto ns = std::uint64_t(std::max<std::int64_t>(age, 0)); all || ns > least)
                times.record(ns);
        }
        addResponses(last, times);
        return times;
    }

    //! Of those values the ones in higher buckets than `ns`.
    static Histogram above(const Histogram& values, std::uint64_t ns)
    {
        Histogram higher;
        for (const Histogram::Bucket& bucket : values.buckets()) {
            if (bucket.index > hdr::bucketOf(ns))
                higher.record(std::min(hdr::middleOf(bucket.index), values.maxNs()), bucket.count);
        }
        return higher;
    }

    //! Of the server and of exporters.
    template<class Use>
    void eachMonitor(const Use& use)
    {
        if (m_job.counters)
            use(*m_job.counters);
        for (std::size_t i = 0; m_job.exporters && i < m_job.exporters->size(); ++i)
            use(*(*m_job.exporters)[i]);
    }

    template<class Use>
    void eachPacer(const Use& use)
    {
        if (m_pacer)
            use(*m_pacer);
        for (const auto& pacer : m_groupPacers)
            use(*pacer);
    }

    //! An interval that ends here, into m_last.
    void sample(Phase which)
    {
        eachPacer([](Pacer& pacer) { pacer.catchUp(); });
        IntervalSample sample = m_sampler.take();
        const std::int64_t now = nowNs();
        sample.tNs = m_intervalStartNs - m_startNs;
        sample.lengthNs = now - m_intervalStartNs;
        sample.phase = which;
        sample.users = std::max(0, std::min(m_state.connected.load(), m_activeNow) - m_state.finished.load());
        const std::uint64_t lateStarts = sample.client.lateStarts;
        sample.client = m_health.take();
        sample.client.lateStarts = lateStarts;
        sample.client.loopLagMs = m_executor->takeLoopLagMs();
        const std::uint64_t waits = m_executor->busyWaits();
        sample.lockWaits = waits - std::exchange(m_busyWaits, waits);
        if (hasArrivals()) {
            std::uint64_t arrivals = 0, dropped = 0;
            eachPacer([&](Pacer& pacer) {
                const ArrivalQueue& queue = pacer.queue();
                arrivals += queue.arrivals();
                dropped += queue.dropped();
                sample.backlog += queue.backlog();
            });
            sample.arrivals = arrivals - std::exchange(m_arrivals, arrivals);
            sample.dropped = dropped - std::exchange(m_dropped, dropped);
            m_drops.push_back({m_intervalStartNs, now, sample.dropped});
            if (m_drops.size() > kKeptDrops)
                m_drops.pop_front();
        }
        if (m_job.counters)
            sample.counters = m_job.counters->take();
        eachMonitor([&](CounterMonitor& monitor) {
            for (std::string& text : monitor.takeNotes())
                tell(EventKind::Server, std::move(text), now - m_startNs);
        });
        const std::int64_t readNs = nowNs(), cpuNs = threadCpuNs();
        for (ProcessUsage& process : used()) {
            const std::vector<double> figures = process.take();
            sample.counters.insert(sample.counters.end(), figures.begin(), figures.end());
        }
        if (m_job.host) {
            const std::vector<double> figures = m_job.host->take();
            sample.counters.insert(sample.counters.end(), figures.begin(), figures.end());
        }
        if (m_job.hostEvents)
            m_job.hostEvents->look();
        if (m_job.ownCost && (m_job.host || m_job.hostEvents || !used().empty())) {
            m_job.ownCost->add(nowNs() - readNs);
            m_job.ownCost->cpuNs += threadCpuNs() - cpuNs;
        }
        tellCounterEvents(false);
        for (std::size_t i = 0; m_job.exporters && i < m_job.exporters->size(); ++i) {
            const std::vector<double> figures = (*m_job.exporters)[i]->take();
            sample.counters.insert(sample.counters.end(), figures.begin(), figures.end());
        }
        m_intervalStartNs = now;
        m_steady.add(sample);
        m_last = std::move(sample);
    }

    //! m_last is complete.
    void hand()
    {
        m_summary.add(m_last);
        for (std::size_t op = 0; op < m_last.ops.size() && m_last.phase == Phase::Measure; ++op)
            m_longestNs[op] = std::max(m_longestNs[op], m_last.ops[op].service.maxNs());
        if (m_state.outages.any())
            tellOutages(0);
        if (m_job.counters && !over() && !m_nothingToAsk && m_snapshots.stalls(m_last, nowNs()))
            beginSnapshot(true);
        m_observer.onSample(m_last);
    }

    //! Which of the workload's steps began and ended.
    void tellSteps()
    {
        const std::vector<StepSpec>& steps = m_job.workload.steps();
        for (const StepMark& mark : m_state.takeSteps()) {
            const StepSpec& step = steps[mark.step];
            const std::string& name = m_job.operations[indexOf(step.op)].name;
            if (mark.endNs == 0) {
                m_step = name;
                tell(EventKind::Note, fmt::format("step {} of {}: {}", mark.step + 1, steps.size(), name),
                     mark.startNs - m_startNs);
                continue;
            }
            m_stepsDone = mark.step + 1;
            const std::int64_t length = mark.endNs - mark.startNs;
            if (mark.failed)
                continue; // m_step names what the run ends with
            tell(EventKind::Note,
                 fmt::format("{}{}: {:.3g} s", name, step.times > 1 ? fmt::format(", {} times", step.times) : "",
                             double(length) * 1e-9),
                 mark.startNs - m_startNs, length);
            m_step.clear();
        }
    }

    //! `untilNs` > 0: also one that lasts.
    void tellOutages(std::int64_t untilNs)
    {
        for (const Outage& outage : m_state.outages.take(untilNs)) {
            std::uint64_t lost = 0;
            for (const Drops& drops : m_drops)
                lost += drops.endNs > outage.startNs && drops.startNs < outage.endNs ? drops.count : 0;
            std::string text =
                fmt::format("users without a connection: {} of {}, for {:.3g} s", std::min(outage.users, m_users),
                            m_users, double(outage.endNs - outage.startNs) / 1e9);
            if (hasArrivals())
                text += fmt::format("; dropped arrivals: {}", lost);
            tell(EventKind::Reconnect, std::move(text), outage.startNs - m_startNs, outage.endNs - outage.startNs);
        }
    }

    //! What the run was doing when it failed.
    [[nodiscard]] std::string place() const
    {
        if (m_startNs == 0)
            return "while its users were connecting";
        const double seconds = double(m_intervalStartNs - m_phaseStartNs) * 1e-9;
        return fmt::format("{:.1f} s into {}", std::max(0.0, seconds),
                           m_phase == Phase::Measure ? "the measured time" : "the warm-up");
    }

    RunSummary conclude(const std::optional<Error>& problem)
    {
        RunSummary summary = m_summary.summary();
        summary.errorTexts = m_state.errorTexts.take();
        summary.found = m_found;
        summary.late = m_late;
        if (problem) {
            summary.status = RunStatus::Failed;
            summary.reason = problem->text();
            summary.remedy = problem->remedy;
            summary.place = place();
            tell(EventKind::Error, problem->text(), m_startNs == 0 ? 0 : elapsed());
        } else if (m_job.control.stopped()) {
            summary.status = RunStatus::Stopped;
            summary.reason = "stopped by the user";
        } else if (m_job.control.skipped()) {
            summary.status = RunStatus::Skipped;
            summary.reason = "skipped by the user";
        } else if (summary.transactions == 0 && summary.failed > 0) {
            summary.status = RunStatus::Failed;
            summary.reason = "no transaction succeeded";
            if (!summary.errorTexts.empty())
                summary.reason += fmt::format(": {} (error {})", summary.errorTexts.begin()->second,
                                              errorName(m_state.driver, summary.errorTexts.begin()->first));
            summary.place = place();
            tell(EventKind::Error, summary.reason, elapsed());
        } else {
            summary.status = RunStatus::Done;
            tellLeft(summary.transactions + summary.failed); // those of the last interval too
        }
        return summary;
    }

    struct Drops
    {
        std::int64_t startNs, endNs;
        std::uint64_t count;
    };

    const RunJob& m_job;
    RunObserver& m_observer;
    int m_users;
    bool m_loops = false;
    RunState m_state;
    std::vector<OpId> m_openGroups; //!< operations that count the transactions of groups with arrivals
    Recorder m_recorder;
    IntervalSampler m_sampler;
    SummaryBuilder m_summary;
    SteadyState m_steady;
    SelfHealth m_health;
    PhaseTimes m_phases;                //!< of the load
    std::deque<PhaseWeights> m_weights; //!< of each cohort of m_phases; users hold them
    SnapshotWatch m_snapshots;
    bool m_snapshotOfStall = false;      //!< the one under way
    std::int64_t m_snapshotWantedNs = 0; //!< that one
    bool m_nothingToAsk = false, m_toldNoSnapshots = false;
    std::deque<std::atomic<int>> m_groupActive; //!< of each group, where the load has phases
    std::size_t m_nextChange = 0, m_nextPhase = 0;
    int m_activeNow = 0;                               //!< in the interval under way
    std::unique_ptr<Pacer> m_pacer;                    //!< open loop; outlives the users
    std::vector<std::unique_ptr<Pacer>> m_groupPacers; //!< of the groups with arrivals, in their order; as long
    std::unique_ptr<Executor> m_executor;
    IntervalSample m_last;
    std::vector<std::uint64_t> m_longestNs; //!< of each operation in the measured time
    std::deque<Drops> m_drops;
    std::uint64_t m_busyWaits = 0, m_arrivals = 0, m_dropped = 0;
    std::uint64_t m_schedules = 0; //!< begun so far
    std::uint64_t m_unanswered = 0,
                  m_late = 0; //!< calls at the end: that did not come back, that did in the time of grace
    bool m_serverEnded = false;
    bool m_wasOver = false; //!< over(), when the measured phase ended
    double m_found = 0;
    std::string m_step; //!< under way, of a workload that is a list of them
    std::size_t m_stepsDone = 0;
    bool m_firstDigestWanted = false;   //!< that before the measured time
    std::int64_t m_digestNs = 0;        //!< when the digest at the end of the measured time is read; 0: not known
    std::int64_t m_counterBorderNs = 0; //!< of the interval that the counters are asked for
    std::int64_t m_connectStartNs = 0, m_startNs = 0, m_intervalStartNs = 0, m_phaseStartNs = 0;
    Phase m_phase = Phase::Warmup;
};

} // namespace

bool RunControl::annotate(std::string text, std::int64_t atNs)
{
    {
        const std::lock_guard lock(m_mutex);
        if (atNs != 0 && (m_notesSinceNs == 0 || atNs < m_notesSinceNs))
            return false;
        m_notes.push_back({atNs, std::move(text)});
    }
    signal.notify();
    return true;
}

bool RunControl::askSnapshot()
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_notesSinceNs == 0)
            return false;
        m_snapshotWanted = true;
    }
    signal.notify();
    return true;
}

bool RunControl::takeSnapshotWish()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_snapshotWanted, false);
}

void RunControl::openNotes(std::int64_t sinceNs)
{
    const std::lock_guard lock(m_mutex);
    m_snapshotWanted = false;
    m_notesSinceNs = sinceNs;
}

std::vector<RunControl::TimedNote> RunControl::takeNotes()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_notes, {});
}

std::vector<RunControl::TimedNote> RunControl::closeNotes()
{
    const std::lock_guard lock(m_mutex);
    m_notesSinceNs = 0;
    return std::exchange(m_notes, {});
}

RunSummary executeRun(const RunJob& job, RunObserver& observer)
{
    return Run(job, observer).execute();
}

} // namespace dyno
