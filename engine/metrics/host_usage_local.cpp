// SPDX-License-Identifier: GPL-3.0-or-later
// What only this machine tells of itself: limits of the control group that this process is in, and how fast and hot its
// processors are. Source: cgroups(7), Documentation/admin-guide/cgroup-v2.rst, cpufreq and hwmon in
// Documentation/ of Linux.
#include "metrics/host_usage.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace dyno {

namespace {

constexpr std::size_t kMostProcessors = 64; //!< of which the clock is read: a file each
constexpr double kUnread = std::numeric_limits<double>::quiet_NaN();

double firstNumber(std::string_view text)
{
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() ? number : kUnread;
}

//! Behind "NAME " at the start of a line.
double countNamed(std::string_view text, std::string_view name)
{
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.starts_with(name) && line.substr(name.size()).starts_with(' '))
            return firstNumber(line.substr(name.size() + 1));
    }
    return kUnread;
}

bool hasWord(std::string_view list, std::string_view word)
{
    while (!list.empty()) {
        const std::string_view one = list.substr(0, list.find(','));
        if (one == word)
            return true;
        list.remove_prefix(std::min(list.size(), one.size() + 1));
    }
    return false;
}

} // namespace

//! The file of a controller in the group of this process; "" where there is none. In a container the group's path is
//! the one outside of it, and its own group is what is mounted.
std::string HostUsage::groupFile(std::string_view controller, const std::string& name)
{
    const std::string groups(text("/proc/self/cgroup")); // "4:cpu,cpuacct:/PATH", version 2: "0::/PATH"
    std::vector<std::string> files;
    for (std::string_view all = groups; !all.empty();) {
        const std::string_view line = all.substr(0, all.find('\n'));
        all.remove_prefix(std::min(all.size(), line.size() + 1));
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string_view::npos)
            continue;
        const std::string_view controllers = line.substr(first + 1, second - first - 1);
        const std::string path(line.substr(second + 1));
        if (!controllers.empty() && !hasWord(controllers, controller))
            continue;
        for (const std::string_view folder : {controllers, controller}) {
            const std::string mount = "/sys/fs/cgroup" + (controllers.empty() ? "" : "/" + std::string(folder));
            files.push_back(mount + (path == "/" ? "" : path) + "/" + name);
            if (path != "/")
                files.push_back(mount + "/" + name);
        }
    }
    for (const std::string& file : files) {
        if (!text(file).empty())
            return file;
    }
    return {};
}

//! Where it is limited, or another one than the machine's.
void HostUsage::addGroup()
{
    const std::string quota = groupFile("cpu", "cpu.cfs_quota_us"); // version 1; the root has it too, with -1
    const bool isOld = !quota.empty();
    if (!isOld || firstNumber(text(quota)) > 0) {
        m_groupStat = groupFile("cpu", "cpu.stat");
        const double throttled = countNamed(text(m_groupStat), "nr_throttled"); // the root of version 2 has none
        if (!(throttled >= 0))
            m_groupStat.clear();
    }
    if (!m_groupStat.empty()) {
        add(Kind::Rate, "CPU quota used up", "periods", "group throttled");
        add(Kind::Rate, "waiting for CPU quota", "ms", "group throttled us", 1e-3);
    }
    m_groupMemory = groupFile("memory", "memory.current");
    if (m_groupMemory.empty()) {
        const double limit = firstNumber(text(groupFile("memory", "memory.limit_in_bytes")));
        constexpr double kNoLimit = double(std::uint64_t(1) << 62);
        if (limit > 0 && limit < kNoLimit)
            m_groupMemory = groupFile("memory", "memory.usage_in_bytes");
    }
    if (!m_groupMemory.empty())
        add(Kind::Level, "memory of the control group", "bytes", "group memory");
}

void HostUsage::readGroup(std::vector<double>& values)
{
    if (!m_groupStat.empty()) {
        const std::string_view stat = text(m_groupStat);
        set(values, "group throttled", countNamed(stat, "nr_throttled"));
        const double microseconds = countNamed(stat, "throttled_usec"); // version 1: throttled_time, in ns
        set(values, "group throttled us",
            std::isnan(microseconds) ? countNamed(stat, "throttled_time") * 1e-3 : microseconds);
    }
    if (!m_groupMemory.empty())
        set(values, "group memory", firstNumber(text(m_groupMemory)));
}

void HostUsage::addProcessors()
{
    for (const std::string& name : m_place->list("/sys/devices/system/cpu")) {
        const std::string file = "/sys/devices/system/cpu/" + name + "/cpufreq/scaling_cur_freq";
        if (name.starts_with("cpu") && m_clocks.size() < kMostProcessors && !text(file).empty())
            m_clocks.push_back(file);
    }
    for (const std::string& name : m_place->list("/sys/class/hwmon")) {
        const std::string folder = "/sys/class/hwmon/" + name;
        const std::string driver(text(folder + "/name"));
        // Others are those of disks and cards, which may be slow to ask.
        constexpr std::array kOfProcessors{"coretemp", "k10temp", "zenpower", "cpu_thermal"};
        if (std::ranges::none_of(kOfProcessors, [&driver](const char* one) { return driver.starts_with(one); }))
            continue;
        for (const std::string& file : m_place->list(folder)) {
            if (file.starts_with("temp") && file.ends_with("_input"))
                m_heats.push_back(folder + "/" + file);
        }
    }
    std::vector<std::string> zones;
    for (const std::string& name : m_place->list("/sys/class/thermal")) {
        const std::string folder = "/sys/class/thermal/" + name;
        const std::string type(m_heats.empty() ? text(folder + "/type") : std::string_view());
        if (name.starts_with("thermal_zone") && (type.starts_with("x86_pkg_temp") || type.starts_with("cpu")))
            zones.push_back(folder + "/temp");
    }
    m_heats.insert(m_heats.end(), zones.begin(), zones.end());
    if (!m_clocks.empty()) {
        add(Kind::Level, "CPU clock", "MHz", "clock mean", 1e-3);
        add(Kind::Level, "slowest CPU clock", "MHz", "clock least", 1e-3);
    }
    if (!m_heats.empty())
        add(Kind::Level, "CPU temperature", "°C", "heat", 1e-3);
}

//! Of a core that is offline nothing is known.
void HostUsage::readProcessorState(std::vector<double>& values)
{
    double sum = 0, least = kUnread, most = kUnread;
    int known = 0;
    for (const std::string& file : m_clocks) {
        const double clock = firstNumber(text(file)); // kHz
        if (!(clock > 0))
            continue;
        sum += clock;
        ++known;
        least = std::fmin(least, clock);
    }
    for (const std::string& file : m_heats)
        most = std::fmax(most, firstNumber(text(file))); // thousandths of a degree
    set(values, "clock mean", known > 0 ? sum / known : kUnread);
    set(values, "clock least", least);
    set(values, "heat", most);
}

} // namespace dyno
