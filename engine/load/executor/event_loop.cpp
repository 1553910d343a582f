// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/executor/event_loop.h"

#include "base/clock.h"

#include <fmt/format.h>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <exception>
#include <system_error>

namespace dyno {

namespace {

constexpr int kHandshakes = 128; //!< handshakes under way at the same time
constexpr std::size_t kBatch = 256;
constexpr std::uint64_t kWakeTag = UINT64_MAX;

//! epoll_wait() to the nanosecond where the kernel has it (5.11), else to the millisecond, rounded up.
int waitFor(int epoll, epoll_event* events, int room, std::int64_t timeoutNs)
{
    static std::atomic<bool> s_precise{true};
    if (s_precise.load(std::memory_order_relaxed)) {
        timespec timeout{};
        timeout.tv_sec = timeoutNs / 1'000'000'000;
        timeout.tv_nsec = timeoutNs % 1'000'000'000;
        const long ready =
            ::syscall(SYS_epoll_pwait2, epoll, events, room, timeoutNs < 0 ? nullptr : &timeout, nullptr, 0);
        if (ready >= 0 || (errno != ENOSYS && errno != EPERM)) // EPERM: an older container's filter of system calls
            return int(ready);
        s_precise.store(false, std::memory_order_relaxed);
    }
    return ::epoll_wait(epoll, events, room,
                        timeoutNs < 0 ? -1 : int(std::min<std::int64_t>((timeoutNs + 999'999) / 1'000'000, 60'000)));
}

} // namespace

EventLoop::EventLoop(const ExecutorJob& job)
    : m_job(job)
    , m_events(kBatch)
{
}

EventLoop::~EventLoop()
{
    if (m_wakeFd >= 0) {
        m_job.state.wake.remove(m_wakeFd);
        ::close(m_wakeFd);
    }
    if (m_epoll >= 0)
        ::close(m_epoll);
}

void EventLoop::add(int user, std::unique_ptr<Session> session)
{
    Slot& slot = m_slots.emplace_back();
    slot.user = user;
    slot.session = std::move(session);
}

Expected<void> EventLoop::prepare()
{
    m_epoll = ::epoll_create1(EPOLL_CLOEXEC);
    m_wakeFd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = kWakeTag;
    if (m_epoll < 0 || m_wakeFd < 0 || ::epoll_ctl(m_epoll, EPOLL_CTL_ADD, m_wakeFd, &event) != 0)
        return dyno::fail({ErrorKind::Failed,
                           fmt::format("cannot make an event loop: {}", std::generic_category().message(errno)),
                           {},
                           "raise the limit on open files"});
    m_job.state.wake.add(m_wakeFd);
    m_live = m_slots.size();
    return {};
}

void EventLoop::live()
{
    ::prctl(PR_SET_TIMERSLACK, 1000UL);
    for (Slot& slot : m_slots) {
        slot.part = partOf(m_job, slot.user);
        slot.context.emplace(*slot.session, m_job.recorder.shard(std::size_t(slot.user)), slot.part.place);
        slot.context->setSharesThread(true);
    }
    while (m_live > 0) {
        startConnecting();
        runReady();
        const std::int64_t wakeNs = nextWakeNs();
        const std::int64_t timeout = wakeNs == INT64_MAX ? -1 : std::max<std::int64_t>(0, wakeNs - nowNs());
        const int count = waitFor(m_epoll, m_events.data(), int(m_events.size()), timeout);
        const std::int64_t readyNs = nowNs();
        if (count > 0)
            handleEvents(count);
        fireTimers();
        const std::int64_t lag = nowNs() - readyNs;
        if (lag > m_lagNs.load(std::memory_order_relaxed))
            m_lagNs.store(lag, std::memory_order_relaxed);
        if (m_job.state.stopping() && !m_aborted && nowNs() >= m_endNs.load(std::memory_order_relaxed))
            abortAll();
    }
}

void EventLoop::release()
{
    m_released.store(true, std::memory_order_release);
    m_job.state.wakeUsers();
}

void EventLoop::endBy(std::int64_t deadlineNs)
{
    m_endNs.store(deadlineNs, std::memory_order_relaxed);
    m_released.store(true, std::memory_order_release);
    m_job.state.wakeUsers();
}

void EventLoop::clear()
{
    m_slots.clear();
}

std::uint64_t EventLoop::busyWaits() const
{
    std::uint64_t sum = 0;
    for (const Slot& slot : m_slots)
        sum += slot.session ? slot.session->busyWaits() : 0;
    return sum;
}

void EventLoop::startConnecting()
{
    while (m_nextToConnect < m_slots.size() && m_connecting < kHandshakes) {
        Slot& slot = m_slots[m_nextToConnect++];
        if (m_job.state.stopping())
            ended(slot);
        else
            start(slot);
    }
}

void EventLoop::start(Slot& slot)
{
    slot.stage = Stage::Connecting;
    ++m_connecting;
    try {
        slot.connecting = connectUser(*slot.context, slot.part.target->statements, m_job.state);
        slot.connecting.start();
        settle(slot);
    } catch (const std::exception& problem) {
        fail(slot, problem.what());
        --m_connecting;
        ended(slot);
    }
}

void EventLoop::run(Slot& slot)
{
    slot.stage = Stage::Running;
    slot.running = runUser(*slot.context, slot.part, m_job.state);
    slot.running.start();
    settle(slot);
}

//! Resumes the coroutine that waited, and sees what it waits for next.
void EventLoop::go(Slot& slot, std::coroutine_handle<> handle)
{
    ++slot.token;
    slot.pausing = false;
    coro::run(handle);
    settle(slot);
}

void EventLoop::settle(Slot& slot)
{
    slot.waiter = slot.context->takeWaiter();
    if (slot.waiter) {
        const std::int64_t until = slot.context->takePause();
        if (until <= 0)
            return waitForSession(slot);
        slot.pausing = true;
        if (until == 1)
            m_ready.push_back(indexOf(slot));
        else if (until != INT64_MAX) // else wakePausing() finds it: a timer of each rest would stay for the whole run
            setTimer(slot, until);
        return;
    }
    if (slot.stage == Stage::Running) {
        slot.running.result(); // throws what ended it
        return ended(slot);
    }
    --m_connecting;
    if (!slot.connecting.result())
        return ended(slot);
    slot.connecting = {};
    slot.stage = Stage::Connected;
    if (m_running)
        run(slot);
}

void EventLoop::setTimer(const Slot& slot, std::int64_t atNs)
{
    m_timers.push({atNs, indexOf(slot), slot.token});
}

void EventLoop::waitForSession(Slot& slot)
{
    const IoWait wait = slot.session->ioWait();
    const std::uint32_t events =
        (wait.read ? std::uint32_t(EPOLLIN) : 0u) | (wait.write ? std::uint32_t(EPOLLOUT) : 0u);
    if (!owns(slot, wait.fd) || events != slot.events || wait.fresh) {
        epoll_event event{};
        event.events = events;
        event.data.u64 = indexOf(slot);
        // A closed descriptor has left the set by itself, and its number may be in use again.
        if (::epoll_ctl(m_epoll, EPOLL_CTL_MOD, wait.fd, &event) != 0 &&
            ::epoll_ctl(m_epoll, EPOLL_CTL_ADD, wait.fd, &event) != 0)
            throw std::system_error(errno, std::generic_category(), "cannot watch a connection");
        if (std::size_t(wait.fd) >= m_owners.size())
            m_owners.resize(std::size_t(wait.fd) + 1, kNobody);
        m_owners[std::size_t(wait.fd)] = indexOf(slot);
        slot.fd = wait.fd;
        slot.events = events;
    }
    if (wait.timeoutMs >= 0)
        setTimer(slot, nowNs() + std::int64_t(wait.timeoutMs) * 1'000'000);
}

void EventLoop::sessionReady(Slot& slot, IoEvents events)
{
    ++slot.token;
    if (slot.session->resume(events) == Progress::Pending)
        return waitForSession(slot);
    go(slot, std::exchange(slot.waiter, {}));
}

void EventLoop::handleEvents(int count)
{
    for (int i = 0; i < count; ++i) {
        const epoll_event& event = m_events[std::size_t(i)];
        if (event.data.u64 == kWakeTag) {
            std::uint64_t value = 0;
            (void)!::read(m_wakeFd, &value, sizeof value);
            wakePausing();
            continue;
        }
        Slot& slot = m_slots[std::size_t(event.data.u64)];
        if (!slot.waiter || slot.pausing || slot.stage == Stage::Ended) {
            // Nobody waits: the server said something by itself, or hung up. Not heard again until somebody waits.
            forget(slot);
            continue;
        }
        IoEvents ready;
        // An error or a hang-up is delivered as what is waited for, so that the library itself finds the reason.
        const bool broken = (event.events & (EPOLLHUP | EPOLLERR)) != 0;
        ready.read = ((event.events & EPOLLIN) != 0 || broken) && (slot.events & EPOLLIN) != 0;
        ready.write = ((event.events & EPOLLOUT) != 0 || broken) && (slot.events & EPOLLOUT) != 0;
        try {
            sessionReady(slot, ready);
        } catch (const std::exception& problem) {
            fail(slot, problem.what());
            ended(slot);
        }
    }
}

bool EventLoop::owns(const Slot& slot, int fd) const
{
    return fd >= 0 && slot.fd == fd && m_owners[std::size_t(fd)] == indexOf(slot);
}

//! Its descriptor is not watched any more. The number may meanwhile belong to another user's connection.
void EventLoop::forget(Slot& slot)
{
    if (owns(slot, slot.fd)) {
        ::epoll_ctl(m_epoll, EPOLL_CTL_DEL, slot.fd, nullptr);
        m_owners[std::size_t(slot.fd)] = kNobody;
    }
    slot.fd = -1;
    slot.events = 0;
}

//! The run's state has changed: released, stopped, another schedule.
void EventLoop::wakePausing()
{
    const bool begin = m_released.load(std::memory_order_acquire) && !m_running;
    m_running = m_running || begin;
    const bool stopping = m_job.state.stopping();
    for (Slot& slot : m_slots) {
        try {
            if (slot.stage == Stage::Connected && m_running)
                run(slot);
            else if (slot.pausing && slot.stage != Stage::Ended)
                go(slot, std::exchange(slot.waiter, {}));
        } catch (const std::exception& problem) {
            fail(slot, problem.what());
            ended(slot);
        }
    }
    if (stopping) {
        while (m_nextToConnect < m_slots.size())
            ended(m_slots[m_nextToConnect++]);
    }
}

void EventLoop::runReady()
{
    for (std::size_t left = m_ready.size(); left > 0; --left) {
        Slot& slot = m_slots[m_ready.front()];
        m_ready.pop_front();
        if (slot.stage == Stage::Ended || !slot.pausing)
            continue;
        try {
            go(slot, std::exchange(slot.waiter, {}));
        } catch (const std::exception& problem) {
            fail(slot, problem.what());
            ended(slot);
        }
    }
}

void EventLoop::fireTimers()
{
    while (!m_timers.empty() && m_timers.top().atNs <= nowNs()) {
        const Timer timer = m_timers.top();
        m_timers.pop();
        Slot& slot = m_slots[timer.slot];
        if (timer.token != slot.token || slot.stage == Stage::Ended || !slot.waiter)
            continue;
        try {
            if (slot.pausing)
                go(slot, std::exchange(slot.waiter, {}));
            else
                sessionReady(slot, {.timeout = true});
        } catch (const std::exception& problem) {
            fail(slot, problem.what());
            ended(slot);
        }
    }
}

std::int64_t EventLoop::nextWakeNs() const
{
    std::int64_t at = m_ready.empty() ? INT64_MAX : 0;
    if (!m_timers.empty())
        at = std::min(at, m_timers.top().atNs);
    if (!m_aborted && m_job.state.stopping())
        at = std::min(at, m_endNs.load(std::memory_order_relaxed));
    return at;
}

//! The time of grace is over: requests under way end as disconnected.
void EventLoop::abortAll()
{
    m_aborted = true;
    m_job.state.giveUpWaiting();
    for (Slot& slot : m_slots) {
        if (slot.stage != Stage::Ended && slot.session)
            slot.session->abort();
    }
}

void EventLoop::ended(Slot& slot)
{
    if (slot.stage == Stage::Ended)
        return;
    slot.stage = Stage::Ended;
    slot.waiter = {};
    forget(slot);
    slot.connecting = {};
    slot.running = {};
    --m_live;
    m_job.state.noteFinished();
}

void EventLoop::fail(const Slot& slot, const char* problem)
{
    m_job.state.fail({ErrorKind::Failed, fmt::format("user {}: {}", slot.user + 1, problem), {}, {}});
}

} // namespace dyno
