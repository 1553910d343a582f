// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What another process of this machine uses while a run lasts: a managed server, a proxy.
#pragma once

#include "metrics/thread_list.h"

#include <dyno/samples.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace dyno {

//! CPU time of a whole process by its CPU-time clock (clock_getcpuclockid(3): nanoseconds, threads that ended included)
//! and context switches of its threads by /proc/PID/task/TID/status; what a thread did between the last look and its
//! end is missing. Above kThreads threads a fair share is looked at and scaled up. One thread at a time; a call costs a
//! file for each of them, 10 µs or so.
class ProcessUsage
{
public:
    static constexpr std::size_t kThreads = 256;

    explicit ProcessUsage(int process);
    //! The series that take() gives a value for, in its order; `source`: CounterInfo::source.
    [[nodiscard]] static std::vector<CounterInfo> counters(const std::string& source = kProcessSource);
    //! A second of the time since the last call, or since construction; not a number once the process is gone.
    [[nodiscard]] std::vector<double> take();

private:
    [[nodiscard]] double cpuSeconds(); //!< since its start; not a number when it is gone
    [[nodiscard]] double newSwitches();

    int m_process;
    ThreadList m_threads;
    std::unordered_map<int, std::uint64_t> m_switches; //!< of each thread at the last call
    double m_cpuSeconds = 0;
    std::int64_t m_takenNs = 0;
};

} // namespace dyno
