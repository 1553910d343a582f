// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A hardware or software event of another process, counted by the kernel (perf_event_open(2)).
#pragma once

#include <dyno/error.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace dyno {

//! Counts what all threads of a process do in user mode, from now on, as one figure: those that it has, and those that
//! they start. Where the hardware has fewer counters than are asked for, the kernel counts for a part of the time, and
//! the count is scaled up. One thread at a time.
class ProcessEvent
{
public:
    static constexpr std::size_t kMostThreads = 1024; //!< a file each

    enum class Kind : std::uint8_t { TlbLoadMisses, Instructions, Cycles, PageFaults };
    //! Error: why the kernel does not count it here, and what helps; or that the process starts threads faster than
    //! they can be found, as it may while users connect.
    [[nodiscard]] static Expected<std::unique_ptr<ProcessEvent>> open(int process, Kind kind);
    ~ProcessEvent();
    ProcessEvent(const ProcessEvent&) = delete;
    ProcessEvent& operator=(const ProcessEvent&) = delete;

    //! Since the last call, or since open(); not a number where the kernel had no counter free.
    [[nodiscard]] double take();

    //! What one counter has counted: in `runningNs` of the `enabledNs` in which there was something to count.
    struct Count
    {
        std::uint64_t value = 0, enabledNs = 0, runningNs = 0;
    };
    //! All of them as if they had counted all the time; not a number where none counted and there was something.
    [[nodiscard]] static double together(const std::vector<Count>& counts);

private:
    ProcessEvent() = default;
    void close();
    std::vector<int> m_files;   //!< a counter each
    std::vector<Count> m_taken; //!< of each, at the last call
};

//! Measures that intervals tell by the series below.
inline constexpr const char* kServerTlbMissesPerOp = "server_tlb_misses_per_op";
inline constexpr const char* kServerInstructionsPerOp = "server_instructions_per_op";
inline constexpr const char* kServerIpc = "server_ipc";
//! Names of the series, among those of kProcessSource: a second, in user mode.
inline constexpr const char* kProcessTlbMisses = "dTLB load misses";
inline constexpr const char* kProcessInstructions = "instructions";
inline constexpr const char* kProcessCycles = "cycles";

//! What the processor counts of a server's process where a view of the plan shows it: counting costs the server a
//! little.
struct ProcessorSeries
{
    ProcessEvent::Kind kind;
    const char* name;
    const char* unit;
    std::vector<const char*> measures; //!< that need it, beside the counter itself
    [[nodiscard]] bool tells(std::string_view measure) const;
};
[[nodiscard]] const std::vector<ProcessorSeries>& processorSeries();

} // namespace dyno
