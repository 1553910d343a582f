// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What another process of this machine uses while a run lasts: a server, a proxy.
#pragma once

#include "metrics/process_event.h"
#include "metrics/thread_list.h"

#include <dyno/samples.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace dyno {

//! CPU time of a whole process by its CPU-time clock (clock_getcpuclockid(3): nanoseconds, threads that ended included)
//! and context switches of its threads by /proc/PID/task/TID/status; what a thread did between the last look and its
//! end is missing. Above kThreads threads a fair share is looked at and scaled up. Page faults are those of
//! /proc/PID/stat, bytes those that it had storage read and write (/proc/PID/io, proc(5)); where the kernel does not
//! show them to this user they have no series. The processes that it has started itself count with it, as there are
//! servers with a process for each connection; of those that have ended the kernel keeps whole ticks (10 ms). Resident
//! memory (status: Rss…) is the private memory of each, and once what they share: as much as the one that has most of
//! it, since each maps the same buffers and programs; huge pages (HugetlbPages) are shared buffers, too. Pss would be
//! exact, but the kernel walks all pages for it. Faults and bytes are unknown where children ended that nobody had
//! looked at, or while the process was looked at.
//! One thread at a time; a call costs three files for each process and one for each thread, 6 µs or so each. More than
//! kFewChildren of them are looked at once in kManyEveryNs at most: in between only CPU time is known.
class ProcessUsage
{
public:
    static constexpr std::size_t kThreads = 256, kFewChildren = 32;
    static constexpr std::int64_t kManyEveryNs = 900'000'000; //!< an interval of a second comes early at times

    //! Of one of processorSeries(), counted with the rest.
    struct Counted
    {
        const ProcessorSeries* series;
        std::unique_ptr<ProcessEvent> event;
    };
    //! `source`: CounterInfo::source of its series.
    explicit ProcessUsage(int process, std::string source = kProcessSource, std::vector<Counted> counted = {});
    //! From now on of the process with this number, wherever it changes to: of a server that is started again. While
    //! it stays that of a process that is gone, nothing is known.
    void follow(std::shared_ptr<const std::atomic<int>> process) { m_followed = std::move(process); }
    //! This process: what ClientHealth does not tell, without the processes that it has started.
    [[nodiscard]] static ProcessUsage ofGenerator();
    //! The series that every other one has, and those of this one: what take() gives a value for, in its order.
    [[nodiscard]] static std::vector<CounterInfo> counters(const std::string& source = kProcessSource);
    [[nodiscard]] std::vector<CounterInfo> series() const;
    //! A second of the time since the last call, or since construction; not a number once the process is gone.
    [[nodiscard]] std::vector<double> take();

private:
    enum What : std::size_t { MinorFaults, MajorFaults, BytesRead, BytesWritten, Switches, kWhats };
    //! Since the start of a process, of the children it has waited for too; Switches: of its first thread.
    using Counts = std::array<double, kWhats>;
    struct Memory
    {
        double own = 0, shared = 0; //!< bytes
    };
    struct Look
    {
        Counts counts{};
        Memory memory;
        std::uint64_t started = 0; //!< its process, in the kernel's ticks since it began itself
        double endedSeconds = 0;   //!< CPU time of children that have ended, for which it has waited
        bool isThere = false;
        bool hasBytes = false;
    };
    ProcessUsage(int process, std::string source, std::vector<Counted> counted, bool isGenerator);
    [[nodiscard]] static Look lookAt(int process);
    [[nodiscard]] static Look lookAtBytes(int process); //!< those alone
    void begin(int process);                            //!< another one
    [[nodiscard]] std::vector<double> takeOfGenerator(double seconds);
    [[nodiscard]] std::vector<int> childrenNow() const;
    //! The children, and the process itself, so that what it has counted of ended ones is of those that are not there;
    //! m_isUnsure where they end too fast for that.
    [[nodiscard]] Look lookWithChildren();
    //! What is new of the process, the children it has waited for included: those that were counted before are not
    //! again.
    [[nodiscard]] Counts newCounts(const Look& own);
    //! Adds what is new of m_children, and their memory; above kThreads of them a fair share is scaled up.
    void addChildren(Counts& fresh, Memory& memory);
    [[nodiscard]] double childrenSeconds(double ended); //!< with those that still run; never less than before
    [[nodiscard]] double newSwitches();

    int m_process;
    std::uint64_t m_started = 0; //!< a later process may have its number
    std::shared_ptr<const std::atomic<int>> m_followed;
    std::string m_source;
    std::vector<Counted> m_counted;
    bool m_isGenerator = false;
    bool m_hasBytes = false; //!< the kernel shows them
    ThreadList m_threads;
    std::unordered_map<int, std::uint64_t> m_switches; //!< of each thread at the last call
    std::vector<int> m_children;       //!< processes that it has started and that still run, the oldest first
    std::vector<int> m_childrenBefore; //!< at the last look at them, in the order of numbers
    bool m_lookedAtAll = true, m_isUnsure = false, m_wasUnsure = false;
    std::int64_t m_lookedNs = 0;                  //!< when they were looked at
    std::unordered_map<int, Counts> m_ofChildren; //!< then
    Counts m_counts{};                            //!< of the process itself, likewise
    Counts m_ended{}; //!< of children that are gone, which m_counts will have or has: it was counted already
    double m_cpuSeconds = 0, m_childSeconds = 0;
    std::int64_t m_takenNs = 0;
};

} // namespace dyno
