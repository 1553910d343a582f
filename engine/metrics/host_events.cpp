// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics/host_events.h"

#include "base/clock.h"
#include "base/suspended.h"
#include "metrics/host_usage.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>
#include <system_error>

namespace dyno {

namespace {

constexpr const char* kThrottled = "thermal_throttle";
constexpr std::size_t kMostHeatFiles = 256;
constexpr std::int64_t kLooksApartNs = 950'000'000; //!< intervals of a second are not to the nanosecond

std::vector<EventRule> hostRules()
{
    return {
        {.sentence = "this machine read pages back from swap",
         .counts = {"pswpin"},
         .amount = "pswpin",
         .unit = "pages"},
        {.sentence = "this machine swapped memory out", .counts = {"pswpout"}, .amount = "pswpout", .unit = "pages"},
        {.sentence = "out of memory: the kernel ended a process", .counts = {"oom_kill"}},
        {.sentence = "cores of this machine were slowed down because they were hot",
         .counts = {kThrottled},
         .amount = kThrottled,
         .unit = "times"}};
}

std::vector<std::string> hostNames()
{
    std::vector<std::string> names(kWatchedOfMemory.begin(), kWatchedOfMemory.end());
    names.emplace_back(kThrottled);
    return names;
}

std::string wholeFile(const std::string& name)
{
    std::ifstream file(name);
    return {std::istreambuf_iterator<char>(file), {}};
}

double countIn(std::string_view text)
{
    std::uint64_t count = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
    return problem == std::errc() ? double(count) : std::numeric_limits<double>::quiet_NaN();
}

} // namespace

HostEvents::HostEvents(const HostUsage& usage, const std::string& root)
    : m_usage(usage)
    , m_events(hostRules(), hostNames())
{
    std::error_code problem;
    std::set<std::string> cores; // logical ones of a core have the same count
    for (const auto& entry : std::filesystem::directory_iterator(root + "/sys/devices/system/cpu", problem)) {
        const std::string file = (entry.path() / "thermal_throttle/core_throttle_count").string();
        if (m_heat.size() >= kMostHeatFiles || !std::filesystem::exists(file, problem))
            continue;
        const std::string package = wholeFile((entry.path() / "topology/physical_package_id").string());
        const std::string core = wholeFile((entry.path() / "topology/core_id").string());
        if (core.empty() || cores.insert(package + ":" + core).second)
            m_heat.emplace_back(file, 0);
    }
}

void HostEvents::look()
{
    using namespace std::chrono;
    const std::int64_t now = nowNs();
    const std::int64_t wall = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
    look(now, wall, now + suspendedNs());
}

void HostEvents::look(std::int64_t nowNs, std::int64_t wallNs, std::int64_t bootNs)
{
    if (m_nowNs != 0 && nowNs - m_nowNs < kLooksApartNs)
        return;
    std::vector<double> values;
    for (const char* name : kWatchedOfMemory)
        values.push_back(m_usage.latest(name));
    double heat = m_heat.empty() ? std::numeric_limits<double>::quiet_NaN() : 0;
    for (auto& [file, last] : m_heat) {
        const double count = countIn(wholeFile(file));
        last = std::isnan(count) ? last : count; // a core that is offline has none
        heat += last;
    }
    values.push_back(heat);
    m_events.add(nowNs, values);
    if (m_nowNs != 0) {
        const double slept = double((bootNs - m_bootNs) - (nowNs - m_nowNs)) * 1e-9;
        if (slept > kClockJump)
            m_jumps.push_back({m_nowNs, nowNs, fmt::format("this machine was suspended for {:.1f} s", slept), {}, {}});
        const double jump = double((wallNs - m_wallNs) - (bootNs - m_bootNs)) * 1e-9;
        if (std::abs(jump) > kClockJump)
            m_jumps.push_back({m_nowNs,
                               nowNs,
                               fmt::format("the clock of this machine was set {} by {:.1f} s",
                                           jump > 0 ? "forward" : "back", std::abs(jump)),
                               {},
                               {}});
    }
    m_nowNs = nowNs;
    m_wallNs = wallNs;
    m_bootNs = bootNs;
}

std::vector<CounterEvent> HostEvents::withJumps(std::vector<CounterEvent> events)
{
    events.insert(events.end(), std::make_move_iterator(m_jumps.begin()), std::make_move_iterator(m_jumps.end()));
    m_jumps.clear();
    return events;
}

std::vector<CounterEvent> HostEvents::take()
{
    return withJumps(m_events.take());
}

std::vector<CounterEvent> HostEvents::takeLast()
{
    return withJumps(m_events.takeLast());
}

} // namespace dyno
