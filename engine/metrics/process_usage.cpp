// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics/process_usage.h"

#include "base/clock.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <optional>
#include <unistd.h>
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

//! CPU time of one process; not a number when it is gone.
double clockSeconds(int process)
{
    clockid_t clock{};
    timespec time{};
    if (process <= 0 || clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return kUnknown;
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

//! CPU time of its children that have ended, for which it has waited.
double endedSeconds(int process)
{
    std::array<char, 1024> buffer{};
    std::string_view stat = readStart(fmt::format("/proc/{}/stat", process), buffer);
    const std::size_t name = stat.rfind(')'); // it may hold anything
    if (name == std::string_view::npos)
        return 0;
    stat.remove_prefix(name + 2);     // at the third field, the state
    constexpr int kChildrenUser = 16; // proc(5): cutime, cstime
    for (int field = 3; field < kChildrenUser; ++field)
        stat.remove_prefix(std::min(stat.find(' ') + 1, stat.size()));
    const std::uint64_t user = nextNumber(stat), system = nextNumber(stat);
    return double(user + system) / double(::sysconf(_SC_CLK_TCK));
}

//! All context switches of a thread; nothing when it is gone.
std::optional<std::uint64_t> switchesIn(const std::string& statusFile)
{
    std::array<char, 4096> buffer{};
    const std::string_view status = readStart(statusFile, buffer);
    if (status.empty())
        return {};
    return fieldOf(status, "\nvoluntary_ctxt_switches:") + fieldOf(status, "\nnonvoluntary_ctxt_switches:");
}

} // namespace

ProcessUsage::ProcessUsage(int process, std::string source, std::vector<Counted> counted)
    : m_process(process)
    , m_source(std::move(source))
    , m_counted(std::move(counted))
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
    for (const Counted& one : m_counted)
        all.push_back({m_source, one.series->name, one.series->unit, true});
    return all;
}

std::vector<double> ProcessUsage::take()
{
    const std::int64_t now = nowNs();
    const double seconds = double(now - std::exchange(m_takenNs, now)) * 1e-9;
    readChildren();
    const double cpu = cpuSeconds(), ofChildren = childrenSeconds();
    // less than before: the number belongs to another process now
    const double own = cpu - std::exchange(m_cpuSeconds, cpu);
    const double used = own < 0 ? kUnknown : own + ofChildren - std::exchange(m_childSeconds, ofChildren);
    const double switches = newSwitches() + newSwitchesOfChildren();
    const bool known = used >= 0 && seconds > 0;
    std::vector<double> figures{known ? used / seconds : kUnknown, known ? switches / seconds : kUnknown};
    for (const Counted& one : m_counted) {
        const double count = one.event->take();
        figures.push_back(known ? count / seconds : kUnknown);
    }
    return figures;
}

double ProcessUsage::cpuSeconds()
{
    return clockSeconds(m_process);
}

void ProcessUsage::readChildren()
{
    m_children.clear();
    std::ifstream in(fmt::format("/proc/{0}/task/{0}/children", m_process));
    for (int child = 0; in >> child;)
        m_children.push_back(child);
}

double ProcessUsage::childrenSeconds()
{
    // In this order one that ends in between is missing until the next call, and never there twice.
    double sum = endedSeconds(m_process);
    for (const int child : m_children) {
        const double one = clockSeconds(child);
        sum += one >= 0 ? one : 0;
    }
    return std::max(sum, m_childSeconds);
}

double ProcessUsage::newSwitchesOfChildren()
{
    std::unordered_map<int, std::uint64_t> seen;
    const std::size_t looked = std::min(m_children.size(), kThreads);
    const double weight = looked > 0 ? double(m_children.size()) / double(looked) : 1;
    double sum = 0;
    for (std::size_t i = 0; i < looked; ++i) {
        const int child = m_children[i];
        const auto count = switchesIn(fmt::format("/proc/{}/status", child));
        if (!count)
            continue;
        seen.emplace(child, *count);
        const auto known = m_childSwitches.find(child);
        // One that is new has done all of it since the last call, unless it only was not looked at.
        const std::uint64_t fresh = looked == m_children.size() ? 0 : *count;
        sum += double(*count - (known != m_childSwitches.end() ? std::min(known->second, *count) : fresh)) * weight;
    }
    m_childSwitches.swap(seen);
    return sum;
}

double ProcessUsage::newSwitches()
{
    m_threads.read();
    std::unordered_map<int, std::uint64_t> seen;
    seen.reserve(m_threads.ids().size());
    double sum = 0;
    for (std::size_t i = 0; i < m_threads.ids().size(); ++i) {
        const int id = m_threads.ids()[i];
        const auto count = switchesIn(fmt::format("/proc/{}/task/{}/status", m_process, id));
        if (!count)
            continue;
        seen.emplace(id, *count);
        const auto known = m_switches.find(id);
        std::uint64_t before = m_threads.always(i) ? 0 : *count;
        if (known != m_switches.end() && known->second <= *count)
            before = known->second;
        sum += double(*count - before) * m_threads.weight(i);
    }
    const bool any = !seen.empty();
    m_switches.swap(seen);
    return any ? sum : kUnknown;
}

} // namespace dyno
