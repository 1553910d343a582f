// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics/process_event.h"

#include "metrics/thread_list.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace dyno {

namespace {

constexpr std::uint64_t kTlbLoadMisses = std::uint64_t(PERF_COUNT_HW_CACHE_DTLB) |
                                         (std::uint64_t(PERF_COUNT_HW_CACHE_OP_READ) << 8) |
                                         (std::uint64_t(PERF_COUNT_HW_CACHE_RESULT_MISS) << 16);

int openEvent(int thread, ProcessEvent::Kind kind)
{
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    const bool misses = kind == ProcessEvent::Kind::TlbLoadMisses;
    attributes.type = misses ? PERF_TYPE_HW_CACHE : PERF_TYPE_SOFTWARE;
    attributes.config = misses ? kTlbLoadMisses : std::uint64_t(PERF_COUNT_SW_PAGE_FAULTS);
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

struct Reading
{
    std::uint64_t value = 0, enabledNs = 0, runningNs = 0;
};

} // namespace

Expected<std::unique_ptr<ProcessEvent>> ProcessEvent::open(int process, Kind kind)
{
    ThreadList threads(fmt::format("{}", process), kMostThreads + 1);
    threads.read();
    if (threads.ids().size() > kMostThreads)
        return fail({ErrorKind::Refused, fmt::format("the process has more than {} threads", kMostThreads), {}, {}});
    std::unique_ptr<ProcessEvent> event(new ProcessEvent);
    int error = ESRCH;
    for (const int thread : threads.ids()) {
        const int file = openEvent(thread, kind);
        if (file >= 0)
            event->m_counters.push_back({.file = file});
        else if (errno != ESRCH) // has ended meanwhile
            return fail(whyNot(errno));
    }
    if (event->m_counters.empty())
        return fail(whyNot(error));
    return event;
}

ProcessEvent::~ProcessEvent()
{
    for (const Counter& counter : m_counters)
        ::close(counter.file);
}

double ProcessEvent::take()
{
    double sum = 0;
    bool starved = false;
    for (Counter& counter : m_counters) {
        Reading now;
        if (::read(counter.file, &now, sizeof now) != ssize_t(sizeof now))
            return std::numeric_limits<double>::quiet_NaN();
        const double enabled = double(now.enabledNs - counter.enabledNs);
        const double running = double(now.runningNs - counter.runningNs);
        if (running > 0)
            sum += double(now.value - counter.value) * (enabled / running);
        else
            starved = starved || enabled > 0;
        counter = {counter.file, now.value, now.enabledNs, now.runningNs};
    }
    return starved ? std::numeric_limits<double>::quiet_NaN() : sum;
}

} // namespace dyno
