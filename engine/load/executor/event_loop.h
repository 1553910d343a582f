// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Many users on one thread: epoll wakes whoever has something to read, a heap of times wakes whoever pauses.
#pragma once

#include "load/executor/executor.h"
#include "load/executor/virtual_user.h"

#include <sys/epoll.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

namespace dyno {

//! add() and prepare() before live() begins on its thread; release(), endBy(), busyWaits() and takeLagNs() from
//! another.
class EventLoop
{
public:
    explicit EventLoop(const ExecutorJob& job);
    ~EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    void add(int user, std::unique_ptr<Session> session);
    [[nodiscard]] Expected<void> prepare();
    //! Connects the users, a limited number at the same time, lets them run when release() was called, returns when all
    //! have ended.
    void live();
    void release();
    //! Breaks the connection of users that have not ended by then (nowNs()'s clock); the run must be stopping.
    void endBy(std::int64_t deadlineNs);
    //! Closes all sessions; after live() has returned.
    void clear();
    [[nodiscard]] std::uint64_t busyWaits() const;
    [[nodiscard]] std::int64_t takeLagNs() { return m_lagNs.exchange(0, std::memory_order_relaxed); }

private:
    enum class Stage : std::uint8_t { Idle, Connecting, Connected, Running, Ended };
    struct Slot
    {
        int user = 0;
        std::unique_ptr<Session> session;
        UserPart part;
        std::optional<UserContext> context;
        Task<bool> connecting;
        Task<void> running;
        std::coroutine_handle<> waiter;
        Stage stage = Stage::Idle;
        int fd = -1;              //!< registered with epoll
        std::uint32_t events = 0; //!< as registered
        std::uint32_t token = 0;  //!< of the last wait; timers of earlier waits are stale
        bool pausing = false;
    };
    struct Timer
    {
        std::int64_t atNs;
        std::uint32_t slot;
        std::uint32_t token;
        bool operator>(const Timer& other) const { return atNs > other.atNs; }
    };

    void start(Slot& slot);
    void run(Slot& slot);
    void go(Slot& slot, std::coroutine_handle<> handle);
    void settle(Slot& slot);
    void waitForSession(Slot& slot);
    void sessionReady(Slot& slot, IoEvents events);
    void startConnecting();
    void wakePausing();
    void fireTimers();
    void runReady();
    void abortAll();
    void ended(Slot& slot);
    [[nodiscard]] std::int64_t nextWakeNs() const;
    void handleEvents(int count);
    [[nodiscard]] std::uint32_t indexOf(const Slot& slot) const { return std::uint32_t(&slot - m_slots.data()); }
    [[nodiscard]] bool owns(const Slot& slot, int fd) const;
    void forget(Slot& slot);
    void fail(const Slot& slot, const char* problem);
    void setTimer(const Slot& slot, std::int64_t atNs);

    ExecutorJob m_job;
    std::vector<Slot> m_slots;
    std::deque<std::uint32_t> m_ready; //!< users that gave others a turn
    std::priority_queue<Timer, std::vector<Timer>, std::greater<>> m_timers;
    static constexpr std::uint32_t kNobody = UINT32_MAX;
    std::vector<std::uint32_t> m_owners; //!< by descriptor: whose connection is watched under that number
    int m_epoll = -1;
    int m_wakeFd = -1;
    std::size_t m_nextToConnect = 0;
    int m_connecting = 0;
    std::size_t m_live = 0;
    bool m_running = false; //!< release() has been seen
    bool m_aborted = false;
    std::vector<epoll_event> m_events;
    std::atomic<bool> m_released{false};
    std::atomic<std::int64_t> m_endNs{INT64_MAX};
    std::atomic<std::int64_t> m_lagNs{0};
};

} // namespace dyno
