// SPDX-License-Identifier: GPL-3.0-or-later
// What only this machine tells of itself: limits of the control group that this process is in, and how fast and hot its
// processors are. Source: cgroups(7), Documentation/admin-guide/cgroup-v2.rst, cpufreq and hwmon in
// Documentation/ of Linux.
#include "metrics/host_usage.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <ctime>
#include <initializer_list>
#include <limits>
#include <sys/resource.h>

namespace dyno {

namespace {

constexpr std::size_t kMostClocks = 4, kMostHeats = 4; //!< a few tell it; some kernels interrupt the core for each
constexpr std::int64_t kStateEveryNs = 1'000'000'000;  //!< at most as often
constexpr std::int64_t kSlowNs = 1'000'000;            //!< reading them must not take longer
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

std::int64_t clockNs(clockid_t which)
{
    timespec time{};
    clock_gettime(which, &time);
    return std::int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

//! What reading costs: of this thread's work, and of its sleep, but not what other threads took of the core meanwhile.
class ReadingCost
{
public:
    ReadingCost()
        : m_sleeps(sleeps())
        , m_wallNs(clockNs(CLOCK_MONOTONIC))
        , m_cpuNs(clockNs(CLOCK_THREAD_CPUTIME_ID))
    {
    }
    [[nodiscard]] bool isSlow() const
    {
        return clockNs(CLOCK_THREAD_CPUTIME_ID) - m_cpuNs > kSlowNs ||
               (sleeps() > m_sleeps && clockNs(CLOCK_MONOTONIC) - m_wallNs > kSlowNs);
    }

private:
    static long sleeps()
    {
        rusage usage{};
        getrusage(RUSAGE_THREAD, &usage);
        return usage.ru_nvcsw;
    }
    long m_sleeps;
    std::int64_t m_wallNs, m_cpuNs;
};

//! At most `most` of them, from all parts of the list.
void keepSome(std::vector<std::string>& files, std::size_t most)
{
    std::vector<std::string> some;
    const std::size_t kept = std::min(files.size(), most);
    for (std::size_t i = 0; i < kept; ++i)
        some.push_back(files[i * files.size() / kept]);
    files.swap(some);
}

} // namespace

//! The folder of the nearest group from the one of this process up to the root that `limits` (names of files of version
//! 2 and 1) set a limit; "" where none does. In a container the path is often the one outside of it: what is mounted is
//! then found on the way up.
std::string HostUsage::limitedGroup(std::string_view controller, std::initializer_list<const char*> limits)
{
    constexpr double kNoLimit = double(std::uint64_t(1) << 62); // version 1 says the largest number, version 2 "max"
    const std::string groups(text("/proc/self/cgroup"));        // "4:cpu,cpuacct:/PATH", version 2: "0::/PATH"
    for (std::string_view all = groups; !all.empty();) {
        const std::string_view line = all.substr(0, all.find('\n'));
        all.remove_prefix(std::min(all.size(), line.size() + 1));
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string_view::npos)
            continue;
        const std::string_view controllers = line.substr(first + 1, second - first - 1);
        if (!controllers.empty() && !hasWord(controllers, controller))
            continue;
        std::string path(line.substr(second + 1));
        if (path == "/")
            path.clear();
        for (bool isRoot = false; !isRoot;) {
            isRoot = path.empty();
            for (const std::string_view mount : {controllers, controller}) {
                std::string folder = "/sys/fs/cgroup";
                if (!controllers.empty())
                    folder.append("/").append(mount);
                folder += path;
                for (const char* const name : limits) {
                    const double limit = firstNumber(text(folder + "/" + name));
                    if (limit > 0 && limit < kNoLimit)
                        return folder;
                }
            }
            const std::size_t above = path.rfind('/');
            path.resize(above == std::string::npos ? 0 : above);
        }
    }
    return {};
}

//! Only what is limited has series.
void HostUsage::addGroup()
{
    if (const std::string group = limitedGroup("cpu", {"cpu.max", "cpu.cfs_quota_us"}); !group.empty()) {
        m_groupStat = group + "/cpu.stat";
        add(Kind::Rate, "CPU quota used up", "periods", "group throttled");
        add(Kind::Rate, "waiting for CPU quota", "ms", "group throttled us", 1e-3);
    }
    if (const std::string group = limitedGroup("memory", {"memory.max", "memory.limit_in_bytes"}); !group.empty()) {
        m_groupMemory = group + "/memory.current";
        if (text(m_groupMemory).empty())
            m_groupMemory = group + "/memory.usage_in_bytes";
        add(Kind::Level, "memory of the control group", "bytes", "group memory");
    }
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

//! Where reading them is quick: Linux 4.13 to 5.17 wakes up a core that was asked long ago and sleeps 10 ms for it.
void HostUsage::addProcessors()
{
    for (const std::string& name : m_place->list("/sys/devices/system/cpu")) {
        if (name.starts_with("cpu") && std::isdigit(static_cast<unsigned char>(name.back())) != 0)
            m_clocks.push_back("/sys/devices/system/cpu/" + name + "/cpufreq/scaling_cur_freq");
    }
    keepSome(m_clocks, kMostClocks);
    findSensors();
    keepSome(m_heats, kMostHeats);
    for (std::vector<std::string>* const files : {&m_clocks, &m_heats}) {
        const ReadingCost cost;
        std::erase_if(*files, [this](const std::string& file) { return text(file).empty(); });
        if (cost.isSlow())
            files->clear();
    }
    if (!m_clocks.empty()) {
        add(Kind::Level, "CPU clock", "MHz", "clock mean", 1e-3);
        add(Kind::Level, "slowest CPU clock", "MHz", "clock least", 1e-3);
    }
    if (!m_heats.empty())
        add(Kind::Level, "CPU temperature", "°C", "heat", 1e-3);
}

//! Of whole processors: a sensor of a core is asked by interrupting it. Those of disks and cards may be slow to ask.
void HostUsage::findSensors()
{
    constexpr std::array kOfProcessors{"coretemp", "k10temp", "zenpower", "cpu_thermal"};
    constexpr std::array kWhole{"Package", "Physical", "Tctl", "Tdie"}; // their labels; cpu_thermal has none
    for (const std::string& name : m_place->list("/sys/class/hwmon")) {
        const std::string folder = "/sys/class/hwmon/" + name;
        const std::string driver(text(folder + "/name"));
        if (std::ranges::none_of(kOfProcessors, [&driver](const char* one) { return driver.starts_with(one); }))
            continue;
        for (const std::string& file : m_place->list(folder)) {
            if (!file.starts_with("temp") || !file.ends_with("_input"))
                continue;
            const std::string sensor = folder + "/" + file.substr(0, file.rfind('_'));
            const std::string label(text(sensor + "_label"));
            if (label.empty()
                    ? file == "temp1_input" && !driver.starts_with("coretemp")
                    : std::ranges::any_of(kWhole, [&label](const char* one) { return label.starts_with(one); }))
                m_heats.push_back(sensor + "_input");
        }
    }
    if (!m_heats.empty())
        return;
    for (const std::string& name : m_place->list("/sys/class/thermal")) {
        const std::string folder = "/sys/class/thermal/" + name;
        const std::string type(name.starts_with("thermal_zone") ? text(folder + "/type") : std::string_view());
        if (type.starts_with("x86_pkg_temp") || type.starts_with("cpu"))
            m_heats.push_back(folder + "/temp");
    }
}

//! Of a core that is offline nothing is known.
void HostUsage::readProcessorState(std::vector<double>& values)
{
    if (m_clocks.empty() && m_heats.empty())
        return;
    const std::int64_t now = m_place->timeNs();
    if (!m_stateNs || now - *m_stateNs >= kStateEveryNs) {
        m_stateNs = now;
        double sum = 0;
        int known = 0;
        m_slowestClock = m_heat = kUnread;
        for (const std::string& file : m_clocks) {
            const double clock = firstNumber(text(file)); // kHz
            if (!(clock > 0))
                continue;
            sum += clock;
            ++known;
            m_slowestClock = std::fmin(m_slowestClock, clock);
        }
        for (const std::string& file : m_heats)
            m_heat = std::fmax(m_heat, firstNumber(text(file))); // thousandths of a degree
        m_meanClock = known > 0 ? sum / known : kUnread;
    }
    set(values, "clock mean", m_meanClock);
    set(values, "clock least", m_slowestClock);
    set(values, "heat", m_heat);
}

} // namespace dyno
