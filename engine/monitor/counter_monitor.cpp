// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/counter_monitor.h"

#include "base/clock.h"
#include "driver/counter_details.h"
#include "driver/server_self.h"
#include "monitor/counter_rates.h"
#include "monitor/server_changes.h"
#include "monitor/thread_time.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace dyno {

namespace {

//! How long before an interval's end the server is asked: long enough for the answer of a busy one, short enough for
//! the figure to belong to the interval.
constexpr std::int64_t kMostAheadNs = 50'000'000;
constexpr std::int64_t kLeastAheadNs = 5'000'000;
constexpr std::int64_t kAheadShare = 20;           //!< of the interval
constexpr std::int64_t kMostAheadShare = 2;        //!< of the interval, where answers take long
constexpr std::int64_t kPaceSlackNs = 100'000'000; //!< borders are not to the nanosecond
//! Of stop(): what is unwanted ends within a second.
constexpr std::chrono::milliseconds kPatience{1500};
constexpr int kLateToTell = 2;                        //!< the second was asked for earlier, and late even so
constexpr std::int64_t kBeforeDigestNs = 500'000'000; //!< in which no snapshot begins
constexpr std::int64_t kSuspendedNs = 50'000'000;     //!< two clocks cannot be read that far apart by chance
constexpr std::int64_t kReopenNs = 1'000'000'000;     //!< between two tries to connect again
constexpr std::int64_t kSelfNs = 900'000'000; //!< between two questions who answers: one each where intervals are 1 s

//! Those of exporters and processes have no rules: they have no name here.
std::vector<std::string> namesOfServer(const std::vector<CounterInfo>& counters)
{
    std::vector<std::string> names;
    for (const CounterInfo& one : counters)
        names.push_back(one.source == "server" ? one.name : std::string());
    return names;
}

std::chrono::steady_clock::time_point timePoint(std::int64_t ns)
{
    return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(ns));
}

} // namespace

//! Belongs to the monitor and to its thread: whoever goes last takes it along.
struct CounterMonitor::Shared
{
    Shared(std::vector<CounterInfo> counters, OpenAdmin opener, Teller who)
        : open(std::move(opener))
        , rates(std::move(counters), who.resets)
        , teller(std::move(who.name))
        , paceNs(who.paceNs)
        , unwanted(std::move(who.unwanted))
        , process(std::move(who.process))
        , suspended(who.suspended)
        , ownMeter(!who.meter)
        , meter(who.meter ? std::move(who.meter) : std::make_shared<AskMeter>())
        , figures(unknown())
        , events(std::move(who.events), namesOfServer(rates.counters()))
    {
    }

    [[nodiscard]] std::vector<double> unknown() const
    {
        return std::vector<double>(rates.counters().size(), std::numeric_limits<double>::quiet_NaN());
    }

    void note(bool& once, std::string text) // with the mutex held
    {
        if (!std::exchange(once, true))
            notes.push_back(std::move(text));
    }

    void loop()
    {
        std::unique_lock lock(mutex);
        while (!stopping) {
            asking = true;
            const std::int64_t borderNs = nextBorderNs;
            lock.unlock();
            const std::int64_t cpuNs = threadCpuNs();
            ask(borderNs);
            askSelf();
            meter->used(threadCpuNs() - cpuNs);
            meter->served(serving.take());
            lock.lock();
            asking = false;
            while (!stopping && (nextNs == 0 || nowNs() < nextNs || digestNs() < nextNs)) {
                // A digest has its time, which a server that answers slowly would let pass.
                if (digestNs() <= nowNs())
                    askDigest(lock);
                else if (snapshotWanted && nowNs() < digestNs() - kBeforeDigestNs)
                    askSnapshot(lock);
                else if (nextNs == 0 && digestsAt.empty())
                    wake.wait(lock);
                else
                    wake.wait_until(lock, timePoint(nextNs == 0 ? digestNs() : std::min(nextNs, digestNs())));
            }
            nextNs = 0;
        }
        ended = true;
        lock.unlock();
        ending.notify_all();
    }

    //! One question, without the mutex, for the interval that ends at `borderNs`; 0 = before the first one.
    void ask(std::int64_t borderNs)
    {
        if (!admin && nowNs() - triedNs >= kReopenNs) {
            triedNs = nowNs();
            auto opened = open();
            if (!opened)
                return failed(opened.error().message);
            admin = std::move(*opened);
            serving.follow(servingThread(*admin));
            if (const int now = process ? localServer(*admin).process : 0; now > 0)
                *process = now;
        }
        if (!admin)
            return;
        if (places.empty()) {
            findPlaces();
            (void)serving.take(); // no answer's
        }
        const std::int64_t beforeNs = suspended();
        const std::int64_t askedNs = nowNs();
        if (ownMeter)
            meter->asked(askedNs);
        const auto values = admin->counterValues();
        const std::int64_t answeredNs = nowNs();
        const std::int64_t afterNs = suspended();
        if (ownMeter)
            meter->answered(answeredNs);
        if (!values || values->size() != places.size()) {
            admin.reset();
            serving.follow(0); // that thread may serve a user next
            selfOf = nullptr;
            triedNs = answeredNs;
            return failed(values ? std::string("the number of counters changed") : values.error().message);
        }
        std::vector<std::int64_t> told = counterTimes(*admin);
        if (told.size() != places.size()) // somewhere between the two it looked
            told.assign(places.size(), askedNs + (answeredNs - askedNs) / 2);
        const std::int64_t atNs = told.empty() ? answeredNs : told.front();
        std::vector<double> known = unknown();
        std::vector<std::int64_t> times(known.size(), atNs);
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i] < known.size()) {
                known[places[i]] = (*values)[i];
                times[places[i]] = told[i];
            }
        }
        const std::vector<double> raw = known;
        // A server on another machine counted on while ours was suspended, in a time that our clock does not have; and
        // who was suspended between question and answer does not know when the server looked.
        if (afterNs - std::exchange(suspendedAtNs, afterNs) > kSuspendedNs)
            rates.reset();
        std::vector<double> learnt = rates.add(atNs, std::move(known), std::move(times));
        if (afterNs - beforeNs > kSuspendedNs)
            rates.reset();
        const std::lock_guard lock(mutex);
        if (rates.wentDown())
            events.reset();
        events.add(atNs, raw);
        if (rates.wentDown())
            note(toldReset,
                 fmt::format("{}'s counters started again (a restart or a reset): their series have a gap", teller));
        figures = std::move(learnt);
        delayNs = answeredNs - askedNs;
        lateAnswers = borderNs > 0 && answeredNs > borderNs ? lateAnswers + 1 : 0;
        if (paceNs > 0 && lateAnswers >= kLateToTell)
            note(toldSlow,
                 fmt::format("{} answers after the end of the interval: its figures are stored with the next one",
                             teller));
    }

    //! Who answers, and what it may do: at once on a new connection, else now and then. Without the mutex.
    void askSelf()
    {
        if (!admin || (selfOf == admin.get() && nowNs() - selfNs < kSelfNs))
            return;
        const std::int64_t beganNs = nowNs();
        selfOf = admin.get();
        const auto self = admin->self();
        const std::int64_t endedNs = nowNs();
        if (ownMeter && (!self || self->asked)) {
            meter->asked(beganNs);
            meter->answered(endedNs);
        }
        selfNs = endedNs;
        if (!self)
            return;
        // An answer that says nothing of itself is none.
        const bool said = !self->identity.empty() || self->writes;
        const std::int64_t before = said ? std::exchange(selfToldNs, endedNs) : selfToldNs;
        std::string change = changes.add(*self);
        if (change.empty())
            return;
        const std::lock_guard lock(mutex);
        changed.push_back({before, endedNs, std::move(change), {}, {}});
    }

    [[nodiscard]] std::int64_t digestNs() const { return digestsAt.empty() ? INT64_MAX : *digestsAt.begin(); }

    void askDigest(std::unique_lock<std::mutex>& lock)
    {
        askingDigest = true;
        digestsAt.erase(digestsAt.begin());
        const bool isFirst = nextBorderNs == 0; // no interval has begun yet, or none is known here
        lock.unlock();
        DigestReading reading{fail({ErrorKind::Unreachable, "the server could not be asked", {}, {}})};
        const std::int64_t cpuNs = threadCpuNs();
        reading.beganNs = nowNs();
        if (admin)
            reading.entries = admin->statementDigest();
        reading.endedNs = nowNs();
        lock.lock();
        digestCost.cpuNs += threadCpuNs() - cpuNs;
        digestCost.addServer(serving.take());
        if (admin)
            digestCost.add(reading.endedNs - reading.beganNs);
        if (isFirst)
            rates.reset(); // they count from now on, not from before the reading
        if (isFirst && !stopping && (nextNs == 0 || nowNs() < nextNs)) {
            lock.unlock();
            const std::int64_t beforeNs = threadCpuNs();
            ask(0);
            meter->used(threadCpuNs() - beforeNs);
            meter->served(serving.take());
            lock.lock();
        }
        digests.push_back(std::move(reading));
        askingDigest = false;
        ending.notify_all();
    }

    void askSnapshot(std::unique_lock<std::mutex>& lock)
    {
        lock.unlock();
        SnapshotReading reading{fail({ErrorKind::Unreachable, "the server could not be asked", {}, {}})};
        const std::int64_t cpuNs = threadCpuNs();
        reading.beganNs = nowNs();
        if (admin)
            reading.parts = admin->snapshot();
        reading.endedNs = nowNs();
        lock.lock();
        snapshotCost.cpuNs += threadCpuNs() - cpuNs;
        snapshotCost.addServer(serving.take());
        if (admin)
            snapshotCost.add(reading.endedNs - reading.beganNs);
        snapshotWanted = false;
        snapshot = std::move(reading);
        ending.notify_all();
    }

    //! Where each of the counters that this connection tells stands among ours.
    void findPlaces()
    {
        using Name = std::pair<std::string_view, std::string_view>; // with its source
        std::map<Name, std::size_t> ours;
        for (std::size_t i = 0; i < rates.counters().size(); ++i)
            ours.emplace(Name(rates.counters()[i].source, rates.counters()[i].name), i);
        for (const CounterInfo& one : admin->counters()) {
            const auto found = ours.find(Name(one.source, one.name));
            places.push_back(found == ours.end() ? ours.size() : found->second);
        }
    }

    void failed(const std::string& why)
    {
        rates.reset();
        places.clear();
        const std::lock_guard lock(mutex);
        events.reset();
        note(toldFailure, fmt::format("{}'s counters could not be read: {}; their series have gaps", teller, why));
    }

    // Of the thread alone.
    std::unique_ptr<Admin> admin;
    OpenAdmin open;
    ThreadTime serving; //!< of `admin`'s connection
    CounterRates rates; //!< counters() never changes: anybody may read it
    const std::string teller;
    std::vector<std::size_t> places; //!< of what `admin` tells, in its order; beyond all: of none of ours
    const std::int64_t paceNs;
    const std::shared_ptr<std::atomic<bool>> unwanted;
    const std::shared_ptr<std::atomic<int>> process;
    std::int64_t (*const suspended)();
    const bool ownMeter;
    const std::shared_ptr<AskMeter> meter; //!< any thread
    std::int64_t suspendedAtNs = 0;        //!< at the last answer
    std::int64_t triedNs = 0, selfNs = 0, selfToldNs = 0;
    const Admin* selfOf = nullptr; //!< who was asked last; only compared
    ServerChanges changes;

    std::mutex mutex; //!< for all below
    std::condition_variable wake, ending;
    std::vector<double> figures;
    CounterEvents events;
    std::vector<CounterEvent> changed; //!< what is new of `changes`
    std::optional<SnapshotReading> snapshot;
    bool snapshotWanted = false; //!< or asked for now
    std::vector<std::string> notes;
    AskCost digestCost, snapshotCost;
    std::vector<DigestReading> digests;
    std::multiset<std::int64_t> digestsAt; //!< when to ask for them
    bool askingDigest = false;
    std::int64_t nextNs = 0; //!< when to ask; 0 = not known yet
    std::int64_t startedNs = 0, nextBorderNs = 0, delayNs = 0;
    int lateAnswers = 0; //!< one after the other
    bool asking = false, stopping = false, ended = false;
    bool toldFailure = false, toldReset = false, toldLate = false, toldSlow = false, toldLong = false,
         toldSnapshot = false;
    std::thread thread;
};

CounterMonitor::CounterMonitor(std::vector<CounterInfo> counters, OpenAdmin open, Teller teller)
    : m_shared(std::make_shared<Shared>(std::move(counters), std::move(open), std::move(teller)))
{
}

CounterMonitor::CounterMonitor(std::vector<CounterInfo> counters, OpenAdmin open)
    : CounterMonitor(std::move(counters), std::move(open), Teller())
{
}

CounterMonitor::~CounterMonitor()
{
    stop();
}

void CounterMonitor::start()
{
    m_shared->nextBorderNs = 0;
    m_shared->startedNs = nowNs();
    m_shared->thread = std::thread([shared = m_shared] {
        try {
            shared->loop();
        } catch (const std::exception& problem) { // without counters, but with the run
            const std::lock_guard lock(shared->mutex);
            shared->note(shared->toldFailure,
                         fmt::format("{}'s counters could not be read: {}", shared->teller, problem.what()));
            shared->ended = true;
            shared->ending.notify_all();
        }
    });
}

void CounterMonitor::intervalEndsAt(std::int64_t borderNs)
{
    const std::int64_t length = std::max<std::int64_t>(0, borderNs - nowNs());
    {
        const std::lock_guard lock(m_shared->mutex);
        const std::int64_t before = m_shared->nextBorderNs > 0 ? m_shared->nextBorderNs : m_shared->startedNs;
        if (m_shared->paceNs > 0 && borderNs - before < m_shared->paceNs - kPaceSlackNs)
            return;
        const std::int64_t usual = std::min(std::max(length / kAheadShare, kLeastAheadNs), kMostAheadNs);
        const std::int64_t slow = std::min(m_shared->delayNs + m_shared->delayNs / 4, length / kMostAheadShare);
        const std::int64_t at = borderNs - std::max(usual, slow);
        if (m_shared->askingDigest && m_shared->nextNs > 0)
            m_shared->note(m_shared->toldLong, "the server takes longer than an interval to report the digest of its "
                                               "statements: the series of its counters have gaps");
        if (m_shared->snapshotWanted && m_shared->nextNs > 0)
            m_shared->note(m_shared->toldSnapshot, "the server takes longer than an interval to report a snapshot: the "
                                                   "series of its counters have gaps");
        if (m_shared->asking && m_shared->nextNs > 0)
            m_shared->note(
                m_shared->toldLate,
                fmt::format("{} takes longer than an interval to report its counters: their series have gaps",
                            m_shared->teller));
        m_shared->nextNs = std::max<std::int64_t>(at, 1);
        m_shared->nextBorderNs = borderNs;
    }
    m_shared->wake.notify_all();
}

std::vector<double> CounterMonitor::take()
{
    const std::lock_guard lock(m_shared->mutex);
    return std::exchange(m_shared->figures, m_shared->unknown());
}

std::vector<std::string> CounterMonitor::takeNotes()
{
    const std::lock_guard lock(m_shared->mutex);
    return std::exchange(m_shared->notes, {});
}

void CounterMonitor::wantDigest(std::int64_t atNs)
{
    {
        const std::lock_guard lock(m_shared->mutex);
        m_shared->digestsAt.insert(atNs);
    }
    m_shared->wake.notify_all();
}

bool CounterMonitor::awaitDigests(std::chrono::milliseconds patience)
{
    std::unique_lock lock(m_shared->mutex);
    return m_shared->ending.wait_for(lock, patience, [this] {
        return m_shared->ended || (!m_shared->askingDigest && m_shared->digestNs() > nowNs());
    });
}

std::vector<CounterMonitor::DigestReading> CounterMonitor::takeDigests(std::chrono::milliseconds patience)
{
    (void)awaitDigests(patience);
    const std::lock_guard lock(m_shared->mutex);
    return std::exchange(m_shared->digests, {});
}

AskCost CounterMonitor::cost() const
{
    return m_shared->meter->cost(nowNs());
}

AskCost CounterMonitor::digestCost() const
{
    const std::lock_guard lock(m_shared->mutex);
    return m_shared->digestCost;
}

AskCost CounterMonitor::snapshotCost() const
{
    const std::lock_guard lock(m_shared->mutex);
    return m_shared->snapshotCost;
}

std::string CounterMonitor::source() const
{
    const std::vector<CounterInfo>& counters = m_shared->rates.counters();
    return counters.empty() ? std::string() : counters.front().source;
}

std::vector<CounterEvent> CounterMonitor::takeEvents(bool last)
{
    const std::lock_guard lock(m_shared->mutex);
    std::vector<CounterEvent> events = last ? m_shared->events.takeLast() : m_shared->events.take();
    std::vector<CounterEvent> changed = std::exchange(m_shared->changed, {});
    events.insert(events.end(), changed.begin(), changed.end());
    std::ranges::stable_sort(events, {}, &CounterEvent::fromNs);
    return events;
}

void CounterMonitor::wantSnapshot()
{
    {
        const std::lock_guard lock(m_shared->mutex);
        m_shared->snapshotWanted = true;
    }
    m_shared->wake.notify_all();
}

std::optional<CounterMonitor::SnapshotReading> CounterMonitor::takeSnapshot(std::chrono::milliseconds patience)
{
    std::unique_lock lock(m_shared->mutex);
    m_shared->ending.wait_for(lock, patience, [this] { return m_shared->ended || !m_shared->snapshotWanted; });
    return std::exchange(m_shared->snapshot, std::nullopt);
}

void CounterMonitor::endSoon()
{
    if (m_shared->unwanted)
        *m_shared->unwanted = true;
    const std::lock_guard lock(m_shared->mutex);
    m_shared->stopping = true;
    m_shared->wake.notify_all();
}

void CounterMonitor::stop()
{
    endSoon();
    std::unique_lock lock(m_shared->mutex);
    if (!m_shared->thread.joinable())
        return;
    const bool ended = m_shared->ending.wait_for(lock, kPatience, [this] { return m_shared->ended; });
    std::thread thread = std::move(m_shared->thread);
    lock.unlock();
    if (ended)
        thread.join();
    else
        thread.detach();
}

} // namespace dyno
