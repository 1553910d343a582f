// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the load generator itself costs, and whether it got the processor when it wanted it.
#pragma once

#include "metrics/thread_list.h"

#include <dyno/samples.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dyno {

//! Reads the process's own figures from getrusage() and /proc. One thread at a time. What this system does not tell
//! stays 0. A call costs three reads and one more small file for each thread of the process: 0.03 ms with a few threads
//! and 6 µs for each more; above kThreads threads it looks at the oldest ones and a fair share of the others and scales
//! up, so that it stays below 10 ms (bench_self_health: 0.03, 3.0, 7.0, 8.0 ms of CPU time with 1, 512, 1024, 4096
//! threads on a virtual machine of 2 cores).
//!
//! lateStarts and loopLagMs are not its business: they are 0 in what it gives.
class SelfHealth
{
public:
    static constexpr std::size_t kThreads = 1024; //!< threads whose statistics are all read

    SelfHealth();
    ~SelfHealth();
    SelfHealth(const SelfHealth&) = delete;
    SelfHealth& operator=(const SelfHealth&) = delete;

    //! The figures since the last call, or since construction. The cores that may be used are those of the calling
    //! thread, which the threads that it starts inherit.
    [[nodiscard]] ClientHealth take();

private:
    struct Ticks
    {
        std::uint64_t busy = 0, total = 0;
    };
    struct ThreadTimes
    {
        std::uint64_t onCoreNs = 0, waitNs = 0;
    };
    void takeUsage(ClientHealth& health);
    void takeCores(ClientHealth& health);
    void takeThreads(ClientHealth& health);
    [[nodiscard]] std::uint64_t residentBytes() const;

    int m_statm = -1;
    int m_stat = -1;
    std::vector<char> m_text;    //!< the lines of the cores in /proc/stat
    std::vector<bool> m_allowed; //!< cores that may be used, by number
    std::int64_t m_takenNs = 0;
    double m_cpuSeconds = 0;
    std::uint64_t m_switches = 0;
    Ticks m_host;
    std::vector<Ticks> m_cores; //!< by number
    ThreadList m_list;
    std::unordered_map<int, ThreadTimes> m_threads;
};

} // namespace dyno
