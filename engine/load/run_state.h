// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the users of one run share: the stop flag, the budget of transactions, the first error of each kind.
#pragma once

#include <dyno/error.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

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
    std::array<std::atomic<std::int64_t>, kCodes> m_known {};
    std::atomic<std::size_t> m_count {0};
    std::mutex m_mutex;
    std::map<std::int32_t, std::string> m_texts;
};

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
    }
    //! Ends the run as failed; the first error wins.
    void fail(Error error);
    [[nodiscard]] std::optional<Error> failure() const;

    //! From here on transactions are taken from a budget; 0 = no limit.
    void setBudget(std::uint64_t transactions)
    {
        m_claimed.store(0, std::memory_order_relaxed);
        m_budget.store(transactions, std::memory_order_relaxed);
    }
    //! False when the budget is used up.
    [[nodiscard]] bool claim()
    {
        const std::uint64_t budget = m_budget.load(std::memory_order_relaxed);
        return budget == 0 || m_claimed.fetch_add(1, std::memory_order_relaxed) < budget;
    }

    ErrorTexts errorTexts;

    std::atomic<int> connected {0}; //!< users that are ready
    std::atomic<int> finished {0};  //!< users that have ended
    void noteConnected() { bump(connected); }
    void noteFinished() { bump(finished); }

private:
    void bump(std::atomic<int>& counter)
    {
        counter.fetch_add(1);
        m_signal.notify();
    }
    Signal& m_signal;
    std::atomic<bool> m_stop {false};
    std::atomic<std::uint64_t> m_budget {0}, m_claimed {0};
    mutable std::mutex m_mutex;
    std::optional<Error> m_failure;
};

} // namespace dyno
