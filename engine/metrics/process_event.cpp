// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics/process_event.h"

#include "metrics/thread_list.h"

#include <dyno/samples.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace dyno {

namespace {

constexpr std::uint64_t kTlbLoadMisses = std::uint64_t(PERF_COUNT_HW_CACHE_DTLB) |
                                         (std::uint64_t(PERF_COUNT_HW_CACHE_OP_READ) << 8) |
                                         (std::uint64_t(PERF_COUNT_HW_CACHE_RESULT_MISS) << 16);

int openEvent(int thread, ProcessEvent::Kind kind)
{
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    switch (kind) {
    case ProcessEvent::Kind::TlbLoadMisses:
        attributes.type = PERF_TYPE_HW_CACHE;
        attributes.config = kTlbLoadMisses;
        break;
    case ProcessEvent::Kind::Instructions:
        attributes.type = PERF_TYPE_HARDWARE;
        attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
        break;
    case ProcessEvent::Kind::Cycles:
        attributes.type = PERF_TYPE_HARDWARE;
        attributes.config = PERF_COUNT_HW_CPU_CYCLES;
        break;
    case ProcessEvent::Kind::PageFaults:
        attributes.type = PERF_TYPE_SOFTWARE;
        attributes.config = PERF_COUNT_SW_PAGE_FAULTS;
        break;
    }
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attributes.inherit = 1;
    attributes.exclude_kernel = 1; // all that kernel.perf_event_paranoid = 2, its usual value, allows
    attributes.exclude_hv = 1;
    return int(::syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

Error whyNot(int error)
{
    if (error == EACCES || error == EPERM) {
        std::ifstream in("/proc/sys/kernel/perf_event_paranoid");
        int paranoid = 0;
        const std::string now = in >> paranoid ? fmt::format(": kernel.perf_event_paranoid is {}", paranoid) : "";
        return {ErrorKind::Refused,
                fmt::format("the kernel does not allow it{}", now),
                {},
                "set kernel.perf_event_paranoid to 2 or less; containers may forbid it whatever it is"};
    }
    if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
        return {ErrorKind::Refused,
                "the processor shows no such counter",
                {},
                "virtual machines often hide the counters of the processor: measure on a machine without one"};
    if (error == ENOSYS)
        return {ErrorKind::Refused, "this kernel was built without perf events", {}, "use another kernel"};
    return {ErrorKind::Refused, std::strerror(error), {}, {}};
}

} // namespace

bool ProcessorSeries::tells(std::string_view measure) const
{
    return std::ranges::find(measures, measure) != measures.end() ||
           measure == fmt::format("counter:{}/{}", kProcessSource, name);
}

const std::vector<ProcessorSeries>& processorSeries()
{
    using Kind = ProcessEvent::Kind;
    static const std::vector<ProcessorSeries> kSeries = {
        {Kind::TlbLoadMisses, kProcessTlbMisses, "misses", {kServerTlbMissesPerOp}},
        {Kind::Instructions, kProcessInstructions, "instructions", {kServerInstructionsPerOp, kServerIpc}},
        {Kind::Cycles, kProcessCycles, "cycles", {kServerIpc}},
    };
    return kSeries;
}

Expected<std::unique_ptr<ProcessEvent>> ProcessEvent::open(int process, Kind kind)
{
    constexpr int kTries = 20;
    std::unique_ptr<ProcessEvent> event(new ProcessEvent);
    ThreadList threads(fmt::format("{}", process), kMostThreads + 1);
    threads.read();
    for (int i = 0; i < kTries; ++i) {
        if (threads.ids().size() > kMostThreads)
            return fail(
                {ErrorKind::Refused, fmt::format("the process has more than {} threads", kMostThreads), {}, {}});
        event->close();
        std::vector<int> known = threads.ids();
        for (const int thread : known) {
            const int file = openEvent(thread, kind);
            if (file >= 0)
                event->m_files.push_back(file);
            else if (errno != ESRCH) // has ended meanwhile
                return fail(whyNot(errno));
        }
        if (event->m_files.empty())
            return fail(whyNot(ESRCH));
        event->m_taken.resize(event->m_files.size());
        // One that was started meanwhile is counted or not, as who started it was by then. Without such a one all that
        // come later have parents that are counted.
        threads.read();
        std::ranges::sort(known);
        if (std::ranges::all_of(threads.ids(), [&](int id) { return std::ranges::binary_search(known, id); }))
            return event;
    }
    return fail({ErrorKind::Refused,
                 "the process kept starting threads while its counters were opened",
                 {},
                 "run again, or remove the view that asks for them"});
}

ProcessEvent::~ProcessEvent()
{
    close();
}

void ProcessEvent::close()
{
    for (const int file : m_files)
        ::close(file);
    m_files.clear();
    m_taken.clear();
}

double ProcessEvent::take()
{
    std::vector<Count> since;
    since.reserve(m_files.size());
    for (std::size_t i = 0; i < m_files.size(); ++i) {
        Count now;
        if (::read(m_files[i], &now, sizeof now) != ssize_t(sizeof now))
            return std::numeric_limits<double>::quiet_NaN();
        const Count before = std::exchange(m_taken[i], now);
        since.push_back({now.value - before.value, now.enabledNs - before.enabledNs, now.runningNs - before.runningNs});
    }
    return together(since);
}

double ProcessEvent::together(const std::vector<Count>& counts)
{
    double value = 0, enabled = 0, running = 0;
    for (const Count& one : counts) {
        value += double(one.value);
        enabled += double(one.enabledNs);
        running += double(one.runningNs);
    }
    if (running > 0)
        return value * (enabled / running);
    return enabled > 0 ? std::numeric_limits<double>::quiet_NaN() : 0;
}

} // namespace dyno
