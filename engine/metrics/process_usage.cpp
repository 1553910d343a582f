// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics/process_usage.h"

#include "base/clock.h"

#include <array>
#include <ctime>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace dyno {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

//! The number behind "NAME:" in a status file.
std::uint64_t fieldOf(std::string_view status, std::string_view name)
{
    const std::size_t at = status.find(name);
    if (at == std::string_view::npos)
        return 0;
    status.remove_prefix(at + name.size());
    return nextNumber(status);
}

} // namespace

ProcessUsage::ProcessUsage(int process, std::string source, std::unique_ptr<ProcessEvent> tlbMisses)
    : m_process(process)
    , m_source(std::move(source))
    , m_tlbMisses(std::move(tlbMisses))
    , m_threads(fmt::format("{}", process), kThreads)
{
    (void)take();
}

std::vector<CounterInfo> ProcessUsage::counters(const std::string& source)
{
    return {{source, kProcessCpu, "cores", false}, {source, kProcessSwitches, "switches", true}};
}

std::vector<CounterInfo> ProcessUsage::series() const
{
    std::vector<CounterInfo> all = counters(m_source);
    if (m_tlbMisses)
        all.push_back({m_source, kProcessTlbMisses, "misses", true});
    return all;
}

std::vector<double> ProcessUsage::take()
{
    const std::int64_t now = nowNs();
    const double seconds = double(now - std::exchange(m_takenNs, now)) * 1e-9;
    const double cpu = cpuSeconds();
    const double used = cpu - std::exchange(m_cpuSeconds, cpu);
    const double switches = newSwitches();
    const double misses = m_tlbMisses ? m_tlbMisses->take() : kUnknown;
    // less than before: the number belongs to another process now
    const bool known = used >= 0 && seconds > 0;
    std::vector<double> figures{known ? used / seconds : kUnknown, known ? switches / seconds : kUnknown};
    if (m_tlbMisses)
        figures.push_back(known ? misses / seconds : kUnknown);
    return figures;
}

double ProcessUsage::cpuSeconds()
{
    clockid_t clock{};
    timespec time{};
    if (m_process <= 0 || clock_getcpuclockid(m_process, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return kUnknown;
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

double ProcessUsage::newSwitches()
{
    m_threads.read();
    std::unordered_map<int, std::uint64_t> seen;
    seen.reserve(m_threads.ids().size());
    double sum = 0;
    std::array<char, 4096> buffer{};
    for (std::size_t i = 0; i < m_threads.ids().size(); ++i) {
        const int id = m_threads.ids()[i];
        const std::string_view status = readStart(fmt::format("/proc/{}/task/{}/status", m_process, id), buffer);
        if (status.empty())
            continue;
        const std::uint64_t count =
            fieldOf(status, "\nvoluntary_ctxt_switches:") + fieldOf(status, "\nnonvoluntary_ctxt_switches:");
        seen.emplace(id, count);
        const auto known = m_switches.find(id);
        std::uint64_t before = m_threads.always(i) ? 0 : count;
        if (known != m_switches.end() && known->second <= count)
            before = known->second;
        sum += double(count - before) * m_threads.weight(i);
    }
    const bool any = !seen.empty();
    m_switches.swap(seen);
    return any ? sum : kUnknown;
}

} // namespace dyno
