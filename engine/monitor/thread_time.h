// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! CPU time of a thread of another process, from /proc/PID/task/TID/schedstat (Documentation/scheduler/
//! sched-stats.rst).
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

namespace dyno {

//! One thread at a time.
class ThreadTime
{
public:
    //! The kernel's number of the thread from now on; 0 = none.
    void follow(std::int64_t thread)
    {
        const std::string number = std::to_string(thread);
        m_file = thread > 0 ? "/proc/" + number + "/task/" + number + "/schedstat" : std::string();
        m_lastNs = read();
    }
    //! Nanoseconds since the last call or follow(); nothing where the kernel does not say, or the thread is gone.
    [[nodiscard]] std::optional<std::int64_t> take()
    {
        const std::optional<std::int64_t> before = m_lastNs;
        m_lastNs = before ? read() : before;
        return before && m_lastNs && *m_lastNs >= *before ? std::optional(*m_lastNs - *before) : std::nullopt;
    }

private:
    [[nodiscard]] std::optional<std::int64_t> read() const
    {
        if (m_file.empty())
            return {};
        std::ifstream file(m_file);
        std::int64_t ns = 0;
        return file >> ns ? std::optional(ns) : std::nullopt;
    }

    std::string m_file;
    std::optional<std::int64_t> m_lastNs;
};

} // namespace dyno
