// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What asking costs while it goes on: one asks, another one reads.
#pragma once

#include "monitor/ask_cost.h"

#include <mutex>

namespace dyno {

//! One question at a time. Any thread; times of nowNs().
class AskMeter
{
public:
    void asked(std::int64_t atNs)
    {
        const std::lock_guard lock(m_mutex);
        m_askedNs = atNs;
    }
    //! Or it failed. Nothing when nobody was asked.
    void answered(std::int64_t atNs)
    {
        const std::lock_guard lock(m_mutex);
        if (m_askedNs > 0)
            m_cost.add(atNs - m_askedNs);
        m_askedNs = 0;
    }
    void used(std::int64_t cpuNs)
    {
        const std::lock_guard lock(m_mutex);
        m_cost.cpuNs += cpuNs;
    }
    void served(std::optional<std::int64_t> serverNs)
    {
        const std::lock_guard lock(m_mutex);
        m_cost.addServer(serverNs);
    }
    //! With a question that has no answer yet, as long as it took so far.
    [[nodiscard]] AskCost cost(std::int64_t atNs) const
    {
        const std::lock_guard lock(m_mutex);
        AskCost cost = m_cost;
        if (m_askedNs > 0)
            cost.add(std::max<std::int64_t>(0, atNs - m_askedNs));
        return cost;
    }

private:
    mutable std::mutex m_mutex;
    AskCost m_cost;
    std::int64_t m_askedNs = 0; //!< 0 = nobody is asked now
};

} // namespace dyno
