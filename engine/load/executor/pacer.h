// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Open loop: arrivals come when the schedule says so, and any free user takes the next one. A user claims an arrival a
//! little ahead of its time and waits for it; when all users are busy, due arrivals wait, and whoever takes one counts
//! its response time from when it was due.
#pragma once

#include "load/executor/run_state.h"
#include "load/executor/schedule.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace dyno {

//! One arrival that a user has claimed.
struct ClaimedArrival
{
    std::int64_t dueNs = 0;   //!< on nowNs()'s clock
    std::uint64_t number = 0; //!< in the order of the schedule since the run's start
};

//! From a time on so many users take part; see ArrivalQueue::setUsers().
struct UsersFrom
{
    std::int64_t atNs = 0;
    int users = 0;
};

//! Who claims. Of users who rest at times, none claims what is due while it rests.
struct Claimant
{
    int user = 0;
    std::int64_t nowNs = 0;   //!< what is due by now waits for anybody
    bool restsByThen = false; //!< told: what comes next is for others, until the number of users changes
};

//! The arrivals between the schedule and the users: one producer, any number of users, no lock. Time comes from
//! outside, so that tests need no waiting.
class ArrivalQueue
{
public:
    //! `backlog` arrivals may be due and waiting; at most `users` are claimed ahead of their time.
    ArrivalQueue(std::uint64_t backlog, int users, double highestRate);

    //! Producer: the schedule from `startNs` on; arrivals of an earlier one that are due at or after `startNs` and not
    //! served are taken back, without counting them. `emptyRoom`: those that are due and wait are dropped.
    //! `most`: the schedule ends after so many arrivals, 0 = never.
    void begin(Schedule schedule, std::int64_t startNs, bool emptyRoom = false, std::uint64_t most = 0);
    //! Producer: brings the queue up to `nowNs`: makes arrivals due soon, counts those that are due, drops what is
    //! beyond the backlog limit (the newest first, as a full waiting room turns customers away).
    void advance(std::int64_t nowNs);
    //! Before the users begin: how many take part, from times in order after the one of followUsers().
    void setUsers(std::vector<UsersFrom> changes) { m_users = std::move(changes); }
    //! Before arrivals of that time are made.
    void followUsers(std::int64_t startNs) { m_usersFromNs.store(startNs, std::memory_order_release); }
    //! Users: the next arrival; nothing when none is made yet (ask again after the producer's next turn).
    [[nodiscard]] std::optional<ClaimedArrival> claim(Claimant* claimant = nullptr);
    //! Users: all arrivals of a schedule with an end are made; when claim() has none, there is none any more.
    [[nodiscard]] bool allMade() const { return m_allMade.load(std::memory_order_acquire); }
    //! Users: nothing arrives any more until begin() is called again; what was made may still be claimed.
    [[nodiscard]] bool quiet() const { return m_quiet.load(std::memory_order_acquire); }
    //! Users: whether an arrival claimed ahead of its time still stands; false after begin() took it back.
    [[nodiscard]] bool stands(const ClaimedArrival& arrival) const
    {
        return arrival.number >= m_generationStart.load(std::memory_order_acquire) ||
               arrival.dueNs < m_cutNs.load(std::memory_order_acquire);
    }

    [[nodiscard]] std::uint64_t arrivals() const { return m_arrivals.load(std::memory_order_relaxed); } //!< due so far
    [[nodiscard]] std::uint64_t dropped() const { return m_dropped.load(std::memory_order_relaxed); }
    //! Due and not claimed yet, as of the last advance().
    [[nodiscard]] std::uint64_t backlog() const { return m_backlog.load(std::memory_order_relaxed); }

    static constexpr std::int64_t kAheadNs = 100'000'000; //!< how far ahead of its time an arrival is made

private:
    // What a slot holds besides the time at which its arrival is due.
    static constexpr std::int64_t kGone = INT64_MIN;      //!< dropped, or taken back
    static constexpr std::int64_t kTaken = INT64_MIN + 1; //!< by a user
    using Slot = std::atomic<std::int64_t>;
    [[nodiscard]] std::size_t at(std::uint64_t number) const { return number & (m_slots.size() - 1); }
    [[nodiscard]] bool restsAt(int user, std::int64_t dueNs) const;
    [[nodiscard]] bool makeOne(std::int64_t nowNs);
    void passDue(std::int64_t nowNs);
    [[nodiscard]] std::uint64_t waiting() const;
    void drawNext();

    std::uint64_t m_limit;
    std::uint64_t m_claimAhead;
    std::vector<Slot> m_slots;
    alignas(64) std::atomic<std::uint64_t> m_head{0};     //!< nothing before it is left to be claimed
    alignas(64) std::atomic<std::uint64_t> m_produced{0}; //!< one behind the last that is made
    alignas(64) std::atomic<std::uint64_t> m_taken{0};    //!< by users
    std::atomic<std::uint64_t> m_generationStart{0};
    std::atomic<std::int64_t> m_cutNs{INT64_MAX};
    std::vector<UsersFrom> m_users; //!< empty: all take part at all times
    std::atomic<std::int64_t> m_usersFromNs{INT64_MAX};
    // Producer only.
    std::optional<Schedule> m_schedule;
    std::vector<std::int64_t> m_dueNs; //!< by slot
    std::uint64_t m_left = 0;          //!< arrivals that the schedule may still give
    std::int64_t m_startNs = 0;
    std::int64_t m_nextNs = INT64_MAX; //!< due time of the arrival that is made next
    std::uint64_t m_due = 0;           //!< first arrival that is not due yet
    std::uint64_t m_takenBack = 0;     //!< taken by users ahead of their time and then taken back
    // Written by the producer.
    std::atomic<std::uint64_t> m_arrivals{0}, m_dropped{0}, m_backlog{0};
    std::atomic<bool> m_allMade{false}, m_quiet{false};
};

//! Runs a queue against the clock on a thread of its own. begin() and the counters: control thread.
class Pacer
{
public:
    Pacer(RunState& state, std::uint64_t backlog, int users, double highestRate);
    ~Pacer();
    void begin(Schedule schedule, std::int64_t startNs, bool emptyRoom = false, std::uint64_t most = 0);
    void catchUp(); //!< brings the counters up to now
    void end();     //!< makes no more arrivals; those that are due stay
    [[nodiscard]] ArrivalQueue& queue() { return m_queue; }

private:
    void live();
    RunState& m_state;
    ArrivalQueue m_queue;
    std::mutex m_mutex; //!< between begin() and the thread's turns; never taken by users
    std::condition_variable m_wake;
    bool m_ended = false;
    std::thread m_thread;
};

} // namespace dyno
