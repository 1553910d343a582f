// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/run_state.h"

#include <chrono>
#include <utility>

namespace dyno {

void Signal::waitUntil(std::int64_t deadlineNs)
{
    const std::chrono::steady_clock::time_point deadline {std::chrono::nanoseconds(deadlineNs)};
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

void RunState::fail(Error error)
{
    {
        const std::lock_guard lock(m_mutex);
        if (!m_failure)
            m_failure = std::move(error);
    }
    stop();
}

std::optional<Error> RunState::failure() const
{
    const std::lock_guard lock(m_mutex);
    return m_failure;
}

} // namespace dyno
