// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What another process of this machine uses while a run lasts: a managed server, a proxy.
#pragma once

#include "metrics/process_event.h"
#include "metrics/thread_list.h"

#include <dyno/samples.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace dyno {

//! CPU time of a whole process by its CPU-time clock (clock_getcpuclockid(3): nanoseconds, threads that ended included)
//! and context switches of its threads by /proc/PID/task/TID/status; what a thread did between the last look and its
//! end is missing. Above kThreads threads a fair share is looked at and scaled up. The processes that it has started
//! itself count with it, as there are servers with a process for each connection; of those that have ended the kernel
//! keeps whole ticks (10 ms). One thread at a time; a call costs a file for each of them, 10 µs or so.
class ProcessUsage
{
public:
    static constexpr std::size_t kThreads = 256;

    //! Of one of processorSeries(), counted with the rest.
    struct Counted
    {
        const ProcessorSeries* series;
        std::unique_ptr<ProcessEvent> event;
    };
    //! `source`: CounterInfo::source of its series.
    explicit ProcessUsage(int process, std::string source = kProcessSource, std::vector<Counted> counted = {});
    //! The series that every one has, and those of this one: what take() gives a value for, in its order.
    [[nodiscard]] static std::vector<CounterInfo> counters(const std::string& source = kProcessSource);
    [[nodiscard]] std::vector<CounterInfo> series() const;
    //! A second of the time since the last call, or since construction; not a number once the process is gone.
    [[nodiscard]] std::vector<double> take();

private:
    [[nodiscard]] double cpuSeconds(); //!< since its start; not a number when it is gone
    void readChildren();
    [[nodiscard]] double childrenSeconds(); //!< of m_children and of those that have ended; never less than before
    [[nodiscard]] double newSwitches();
    [[nodiscard]] double newSwitchesOfChildren();

    int m_process;
    std::string m_source;
    std::vector<Counted> m_counted;
    ThreadList m_threads;
    std::unordered_map<int, std::uint64_t> m_switches; //!< of each thread at the last call
    std::vector<int> m_children; //!< processes that it has started and that still run, the oldest first
    std::unordered_map<int, std::uint64_t> m_childSwitches;
    double m_cpuSeconds = 0, m_childSeconds = 0;
    std::int64_t m_takenNs = 0;
};

} // namespace dyno
