// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the users of one run share: the stop flag, the budget of transactions, the first error of each kind.
#pragma once

#include "metrics/recorder.h"

#include <dyno/error.h>

#include <array>
#include <atomic>
#include <climits>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! Wakes the control thread; what it waits for lies in atomics and in RunState.
class Signal
{
public:
    void notify()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_raised = true;
        }
        m_condition.notify_all();
    }
    //! Waits until notify() was called since the last wait, or until `deadlineNs` on nowNs()'s clock.
    void waitUntil(std::int64_t deadlineNs);

private:
    std::mutex m_mutex;
    std::condition_variable m_condition;
    bool m_raised = false;
};

//! Keeps the first text of each error code. Asking whether a code is new takes no lock.
class ErrorTexts
{
public:
    [[nodiscard]] bool wants(std::int32_t code) const;
    void add(std::int32_t code, const std::string& text);
    [[nodiscard]] std::map<std::int32_t, std::string> take();

private:
    static constexpr std::size_t kCodes = 16;
    std::array<std::atomic<std::int64_t>, kCodes> m_known{};
    std::atomic<std::size_t> m_count{0};
    std::mutex m_mutex;
    std::map<std::int32_t, std::string> m_texts;
};

//! What users wait at when they wait for a time: a change that concerns all of them wakes them early. Any thread.
class WakeUp
{
public:
    //! Changes with each wakeAll(); read it before looking at what one would wait for.
    [[nodiscard]] std::uint32_t ticket() const { return m_ticket.load(std::memory_order_acquire); }
    //! Threads: until `deadlineNs` on nowNs()'s clock, or a wakeAll() after `ticket` was read.
    void waitUntil(std::uint32_t ticket, std::int64_t deadlineNs);
    void wakeAll();
    //! Event loops: `eventFd` is written to at each wakeAll(). The caller takes it off again before closing it.
    void add(int eventFd);
    void remove(int eventFd);

private:
    std::atomic<std::uint32_t> m_ticket{0};
    std::mutex m_mutex;
    std::vector<int> m_eventFds;
};

//! A stretch in which at least one user had lost its connection.
struct Outage
{
    std::int64_t startNs = 0, endNs = 0;
    int users = 0; //!< that lost it
};

//! Keeps track of lost connections. Any thread; never called while all is well.
class Outages
{
public:
    void lost(std::int64_t nowNs, const Error& why);
    void back(std::int64_t nowNs);
    //! Those that are over; with `nowNs` > 0 also the one that lasts, as if it ended then.
    [[nodiscard]] std::vector<Outage> take(std::int64_t nowNs = 0);
    //! Why the first of those that have no connection now lost it; nothing when all are connected.
    [[nodiscard]] std::optional<Error> lasting();
    [[nodiscard]] bool any() const { return m_any.load(std::memory_order_acquire); }

private:
    std::mutex m_mutex;
    std::atomic<bool> m_any{false}; //!< something to take
    int m_down = 0;
    Outage m_current;
    Error m_why; //!< of m_current
    std::vector<Outage> m_over;
};

//! A step of a workload's list (WorkloadInstance::steps()) that began, or that ended.
struct StepMark
{
    std::size_t step = 0;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0; //!< 0: it begins
    bool failed = false;
};

//! A transaction that was broken off when the time of grace was over.
struct Unanswered
{
    std::int64_t ageNs = 0;             //!< since it was due or begun
    std::optional<CallUnderWay> call{}; //!< the operation that it was in, where that is known
    std::optional<OpId> group{};        //!< of a group: the operation that counts its transactions
};

class ArrivalQueue;

//! Shared by all users of a run and the control thread.
class RunState
{
public:
    explicit RunState(Signal& signal)
        : m_signal(signal)
    {
    }

    [[nodiscard]] bool stopping() const { return m_stop.load(std::memory_order_relaxed); }
    void stop()
    {
        m_stop.store(true, std::memory_order_relaxed);
        m_signal.notify();
        wake.wakeAll();
    }
    void wakeUsers() { wake.wakeAll(); }
    //! Ends the run as failed; the first error wins.
    void fail(Error error);
    [[nodiscard]] std::optional<Error> failure() const;

    //! From here on each user does its part of `transactions` and ends; 0 = no limit. The part depends on the user's
    //! number alone, so that two runs of the same plan do the same work whatever their threads did.
    void setBudget(std::uint64_t transactions)
    {
        m_budget.store(transactions, std::memory_order_relaxed);
        m_budgetRound.fetch_add(1, std::memory_order_release);
    }
    //! Changes with setBudget(): a user begins to count anew.
    [[nodiscard]] std::uint32_t budgetRound() const { return m_budgetRound.load(std::memory_order_acquire); }
    [[nodiscard]] std::uint64_t budgetOf(std::uint64_t user, std::uint64_t users) const
    {
        const std::uint64_t budget = m_budget.load(std::memory_order_relaxed);
        return budget == 0 ? UINT64_MAX : budget / users + (user < budget % users ? 1 : 0);
    }
    //! Users with a number from here on rest (a search over the number of users, phases of the load).
    void setActiveUsers(int users)
    {
        m_activeUsers.store(users, std::memory_order_release);
        wakeUsers();
    }
    [[nodiscard]] const std::atomic<int>& activeUsers() const { return m_activeUsers; }
    //! The phase of the load by its number: the first one until the second begins. For transactions that begin.
    [[nodiscard]] std::size_t loadPhase() const { return m_loadPhase.load(std::memory_order_relaxed); }
    void setLoadPhase(std::size_t number) { m_loadPhase.store(number, std::memory_order_relaxed); }

    // Set before the users begin.
    ArrivalQueue* arrivals = nullptr; //!< open loop; nullptr = closed
    std::int64_t thinkNs = 0;         //!< closed loop: pause between two transactions
    std::int64_t beginNs = 0;         //!< of groups with arrivals: those without them begin then too; 0 = at once
    std::string driver;               //!< whose codes errors have: see errorName()
    std::int64_t reconnectNs = 0;     //!< how long a lost connection is tried again; 0 = the run fails at once

    //! A user lost its connection and tries to have it again; wakes the control thread. Any thread.
    void noteLost(std::int64_t nowNs, const Error& why)
    {
        outages.lost(nowNs, why);
        m_signal.notify();
    }
    void noteLostConnection() { m_lost.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool lostConnection() const { return m_lost.load(std::memory_order_relaxed); } //!< some user, ever
    //! The time of grace is over: calls under way are broken off from here on. Any thread.
    void giveUpWaiting() { m_gaveUp.store(true, std::memory_order_release); }
    [[nodiscard]] bool gaveUpWaiting() const { return m_gaveUp.load(std::memory_order_acquire); }
    void noteUnanswered(const Unanswered& transaction); //!< any thread
    [[nodiscard]] std::vector<Unanswered> takeUnanswered();

    //! Users that have left for good, as their workload has no more for them (WorkloadInstance::isOver()).
    struct Left
    {
        int users = 0;
        std::int64_t firstNs = 0;
    };
    void noteLeft(std::int64_t nowNs); //!< any thread
    [[nodiscard]] Left left() const;

    //! What became of the workload's steps, where so many users do each one: it begins with the first of them and ends
    //! with the last. Any thread.
    void noteStep(StepMark mark, int users);
    [[nodiscard]] std::vector<StepMark> takeSteps();

    ErrorTexts errorTexts;
    Outages outages;
    WakeUp wake;

    std::atomic<int> connected{0}; //!< users that are ready
    std::atomic<int> finished{0};  //!< users that have ended
    void noteConnected() { bump(connected); }
    void noteFinished() { bump(finished); }

private:
    void bump(std::atomic<int>& counter)
    {
        counter.fetch_add(1);
        m_signal.notify();
    }
    Signal& m_signal;
    std::atomic<bool> m_stop{false}, m_gaveUp{false}, m_lost{false};
    std::atomic<std::uint64_t> m_budget{0};
    std::atomic<std::uint32_t> m_budgetRound{0};
    std::atomic<int> m_activeUsers{INT_MAX};
    std::atomic<std::size_t> m_loadPhase{0};
    mutable std::mutex m_mutex;
    std::optional<Error> m_failure;
    struct StepUsers
    {
        int begun = 0, ended = 0;
        std::int64_t startNs = 0;
        bool failed = false;
    };
    std::vector<StepMark> m_steps;
    std::map<std::size_t, StepUsers> m_stepUsers;
    Left m_left;
    std::vector<Unanswered> m_unanswered;
};

} // namespace dyno
