// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What asking for figures costs: the one who is asked by its answers, the load generator by its CPU time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <optional>

namespace dyno {

struct AskCost
{
    std::uint64_t requests = 0;
    std::int64_t totalNs = 0, longestNs = 0; //!< of answers, with those that failed
    std::int64_t cpuNs = 0;                  //!< of the thread that asks
    std::optional<std::int64_t> serverNs;    //!< CPU of the server's thread that answers; nothing where nobody knows

    void add(std::int64_t answerNs)
    {
        ++requests;
        totalNs += answerNs;
        longestNs = std::max(longestNs, answerNs);
    }
    void addServer(std::optional<std::int64_t> ns)
    {
        if (ns)
            serverNs = serverNs.value_or(0) + *ns;
    }
};

//! CPU time of the calling thread since its start.
[[nodiscard]] inline std::int64_t threadCpuNs()
{
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

} // namespace dyno
