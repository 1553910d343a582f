// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/executor/run_state.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

namespace dyno {

void Signal::waitUntil(std::int64_t deadlineNs)
{
    const std::chrono::steady_clock::time_point deadline{std::chrono::nanoseconds(deadlineNs)};
    std::unique_lock lock(m_mutex);
    m_condition.wait_until(lock, deadline, [this] { return m_raised; });
    m_raised = false;
}

bool ErrorTexts::wants(std::int32_t code) const
{
    const std::size_t count = m_count.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) {
        if (m_known[i].load(std::memory_order_relaxed) == code)
            return false;
    }
    return count < kCodes;
}

void ErrorTexts::add(std::int32_t code, const std::string& text)
{
    const std::lock_guard lock(m_mutex);
    const std::size_t count = m_count.load(std::memory_order_relaxed);
    if (count >= kCodes || !m_texts.emplace(code, text).second)
        return;
    m_known[count].store(code, std::memory_order_relaxed);
    m_count.store(count + 1, std::memory_order_release);
}

std::map<std::int32_t, std::string> ErrorTexts::take()
{
    const std::lock_guard lock(m_mutex);
    return m_texts;
}

void WakeUp::waitUntil(std::uint32_t ticket, std::int64_t deadlineNs)
{
    static_assert(sizeof(m_ticket) == sizeof(std::uint32_t) && std::atomic<std::uint32_t>::is_always_lock_free);
    timespec deadline{};
    deadline.tv_sec = deadlineNs / 1'000'000'000;
    deadline.tv_nsec = deadlineNs % 1'000'000'000;
    // The absolute form of the wait: CLOCK_MONOTONIC, to the nanosecond. Spurious returns are the caller's to handle.
    ::syscall(SYS_futex, &m_ticket, FUTEX_WAIT_BITSET_PRIVATE, ticket, &deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void WakeUp::wakeAll()
{
    m_ticket.fetch_add(1, std::memory_order_acq_rel);
    ::syscall(SYS_futex, &m_ticket, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
    const std::lock_guard lock(m_mutex);
    for (const int fd : m_eventFds) {
        const std::uint64_t one = 1;
        (void)!::write(fd, &one, sizeof one);
    }
}

void WakeUp::add(int eventFd)
{
    const std::lock_guard lock(m_mutex);
    m_eventFds.push_back(eventFd);
}

void WakeUp::remove(int eventFd)
{
    const std::lock_guard lock(m_mutex);
    std::erase(m_eventFds, eventFd);
}

void Outages::lost(std::int64_t nowNs, const Error& why)
{
    const std::lock_guard lock(m_mutex);
    if (m_down++ == 0) {
        m_current = {nowNs, 0, 0};
        m_why = why;
    }
    ++m_current.users;
    m_any.store(true, std::memory_order_release);
}

void Outages::back(std::int64_t nowNs)
{
    const std::lock_guard lock(m_mutex);
    if (--m_down > 0)
        return;
    m_current.endNs = nowNs;
    m_over.push_back(m_current);
}

std::optional<Error> Outages::lasting()
{
    const std::lock_guard lock(m_mutex);
    return m_down > 0 ? std::optional(m_why) : std::nullopt;
}

std::vector<Outage> Outages::take(std::int64_t nowNs)
{
    const std::lock_guard lock(m_mutex);
    std::vector<Outage> over = std::exchange(m_over, {});
    if (nowNs > 0 && m_down > 0) {
        over.push_back(m_current);
        over.back().endNs = nowNs;
        m_down = 0;
    }
    m_any.store(m_down > 0, std::memory_order_release);
    return over;
}

void RunState::fail(Error error)
{
    {
        const std::lock_guard lock(m_mutex);
        if (!m_failure)
            m_failure = std::move(error);
    }
    stop();
}

void RunState::noteLeft(std::int64_t nowNs)
{
    const std::lock_guard lock(m_mutex);
    if (m_left.users++ == 0 || nowNs < m_left.firstNs)
        m_left.firstNs = nowNs;
}

RunState::Left RunState::left() const
{
    const std::lock_guard lock(m_mutex);
    return m_left;
}

void RunState::noteStep(StepMark mark, int users)
{
    {
        const std::lock_guard lock(m_mutex);
        StepUsers& known = m_stepUsers[mark.step];
        if (mark.endNs == 0) {
            if (known.begun++ > 0)
                return;
            known.startNs = mark.startNs;
        } else {
            known.failed = known.failed || mark.failed;
            if (++known.ended < users)
                return;
            mark.startNs = known.startNs;
            mark.failed = known.failed;
        }
        m_steps.push_back(std::move(mark));
    }
    m_signal.notify();
}

void RunState::noteUnanswered(const Unanswered& transaction)
{
    const std::lock_guard lock(m_mutex);
    m_unanswered.push_back(transaction);
}

std::vector<Unanswered> RunState::takeUnanswered()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_unanswered, {});
}

std::vector<StepMark> RunState::takeSteps()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_steps, {});
}

std::optional<Error> RunState::failure() const
{
    const std::lock_guard lock(m_mutex);
    return m_failure;
}

} // namespace dyno
