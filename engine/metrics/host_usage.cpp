// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics/host_usage.h"

#include "metrics/host_events.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <utility>

namespace dyno {

namespace {

constexpr double kNotTold = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostInterfaces = 256;
constexpr double kSectorBytes = 512; //!< of diskstats, whatever the disk's own are
constexpr double kPercent = 100;
constexpr double kKibibyte = 1024;

//! Splits at blanks.
std::string_view nextWord(std::string_view& text)
{
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    const std::size_t length = std::min(text.find_first_of(" \t\n"), text.size());
    const std::string_view word = text.substr(0, length);
    text.remove_prefix(length);
    return word;
}

std::string_view nextLine(std::string_view& text)
{
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    return line;
}

double numberOf(std::string_view word)
{
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    return problem == std::errc() ? double(number) : kNotTold;
}

//! Fields of a line of diskstats after the name, from 0: see iostats.rst.
constexpr std::array<std::pair<std::size_t, const char*>, 9> kDiskFields{{{0, "reads"},
                                                                          {2, "sectors read"},
                                                                          {3, "read time"},
                                                                          {4, "writes"},
                                                                          {6, "sectors written"},
                                                                          {7, "write time"},
                                                                          {9, "busy time"},
                                                                          {15, "flushes"},
                                                                          {16, "flush time"}}};

//! A figure of each disk: a rate, or the mean of what `count` has for each of `per`.
struct DiskFigure
{
    std::string_view name;
    const char *unit, *count; //!< of kDiskFields
    double scale = 1;
    const char* per = "";
};
constexpr std::array<DiskFigure, 9> kDiskTold{{{"reads", "requests", "reads"},
                                               {"bytes read", "bytes", "sectors read", kSectorBytes},
                                               {"read latency", "ms", "read time", 1, "reads"},
                                               {"writes", "requests", "writes"},
                                               {"bytes written", "bytes", "sectors written", kSectorBytes},
                                               {"write latency", "ms", "write time", 1, "writes"},
                                               {"flushes", "requests", "flushes"},
                                               {"flush latency", "ms", "flush time", 1, "flushes"},
                                               {"busy", "%", "busy time", kPercent * 1e-3}}};
constexpr std::array kDiskNames = [] {
    std::array<std::string_view, kDiskTold.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i)
        names[i] = kDiskTold[i].name;
    return names;
}();

bool isDisk(HostPlace& place, std::string_view name)
{
    for (const char* other : {"loop", "ram", "zram", "sr", "fd", "dm-", "md"}) {
        if (name.starts_with(other))
            return false; // no disk, or one that others carry
    }
    return place.hasDisk(std::string(name)); // no partition
}

} // namespace

HostUsage::HostUsage(std::string root)
    : HostUsage(std::move(root), Link())
{
}

HostUsage::HostUsage(std::string root, Link link)
    : HostUsage(std::make_shared<LocalPlace>(std::move(root)), kHostSource, std::move(link))
{
}

HostUsage::HostUsage(std::shared_ptr<HostPlace> place, std::string source)
    : HostUsage(std::move(place), std::move(source), Link())
{
}

HostUsage::HostUsage(std::shared_ptr<HostPlace> place, std::string source, Link link)
    : m_place(std::move(place))
    , m_source(std::move(source))
    , m_link(std::move(link))
{
    const double tick = 1.0 / m_place->ticksPerSecond();
    add(Kind::Rate, "CPU user", "cores", "cpu user", tick);
    add(Kind::Rate, "CPU system", "cores", "cpu system", tick);
    add(Kind::Rate, "CPU iowait", "cores", "cpu iowait", tick);
    add(Kind::Rate, "CPU steal", "cores", "cpu steal", tick);
    add(Kind::Level, "runnable threads", "threads", "procs_running");
    add(Kind::Level, "threads blocked by I/O", "threads", "procs_blocked");
    add(Kind::Rate, "context switches", "switches", "ctxt");
    add(Kind::Level, "memory available", "bytes", "MemAvailable:", kKibibyte);
    add(Kind::Level, "dirty memory", "bytes", "Dirty:", kKibibyte);
    add(Kind::Level, "transparent huge pages", "bytes", "AnonHugePages:", kKibibyte);
    add(Kind::Rate, "page faults", "faults", "pgfault"); // all of them
    add(Kind::Rate, "major page faults", "faults", "pgmajfault");
    add(Kind::Rate, "pages swapped in", "pages", "pswpin");
    add(Kind::Rate, "pages swapped out", "pages", "pswpout");
    addDisks();
    findInterfaces();
    add(Kind::Rate, "network received", "bytes", "net received");
    add(Kind::Rate, "network sent", "bytes", "net sent");
    add(Kind::Rate, "loopback", "bytes", "net loopback");
    if (!m_link.device.empty()) {
        add(Kind::Rate, kLinkReceived, "bytes", kLinkReceived);
        add(Kind::Rate, kLinkSent, "bytes", kLinkSent);
    }
    if (!m_link.device.empty() && m_link.bitsPerSecond > 0) // each direction has the rate
        add(Kind::Most, "link busy", "%", kLinkReceived, kPercent * 8 / m_link.bitsPerSecond, kLinkSent);
    add(Kind::Rate, "TCP retransmits", "segments", "tcp again");
    add(Kind::Rate, "CPU pressure", "%", "pressure cpu", kPercent * 1e-6);
    add(Kind::Rate, "I/O pressure", "%", "pressure io", kPercent * 1e-6);
    add(Kind::Rate, "memory pressure", "%", "pressure memory", kPercent * 1e-6);

    addGroup();
    addProcessors();
    for (const char* count : kWatchedOfMemory)
        static_cast<void>(slot(count));
    m_last = read();
    m_takenNs = m_place->timeNs();
    // What the kernel does not tell has no series.
    std::vector<CounterInfo> infos;
    std::vector<Series> told;
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        if (m_last[m_series[i].count] == m_last[m_series[i].count]) {
            infos.push_back(std::move(m_infos[i]));
            told.push_back(m_series[i]);
        }
    }
    m_infos = std::move(infos);
    m_series = std::move(told);
}

std::size_t HostUsage::slot(std::string key)
{
    const auto found = std::ranges::find(m_keys, key);
    if (found != m_keys.end())
        return std::size_t(found - m_keys.begin());
    m_keys.push_back(std::move(key));
    return m_keys.size() - 1;
}

void HostUsage::add(Kind kind, std::string name, const char* unit, std::string key, double scale, std::string per)
{
    Series series{kind, slot(std::move(key)), 0, scale};
    if (!per.empty())
        series.per = slot(std::move(per));
    m_series.push_back(series);
    // Cores and shares are seconds a second: they read as levels.
    const bool counts = kind == Kind::Rate && std::string_view(unit) != "cores" && std::string_view(unit) != "%";
    m_infos.push_back({m_source, std::move(name), unit, counts});
}

//! The busiest first.
void HostUsage::addDisks()
{
    std::multimap<double, std::string, std::greater<>> disks;
    for (std::string_view all = text("/proc/diskstats"); !all.empty();) {
        std::string_view line = nextLine(all);
        nextWord(line);
        nextWord(line);
        const std::string_view name = nextWord(line);
        const double reads = numberOf(nextWord(line));
        for (int i = 0; i < 3; ++i)
            nextWord(line);
        const double requests = reads + numberOf(nextWord(line));
        if (requests > 0 && isDisk(*m_place, name))
            disks.emplace(requests, name);
    }
    for (const auto& [requests, name] : disks) {
        if (m_disks.size() == kDisks)
            break;
        m_disks.push_back(name);
        const auto key = [&disk = name](const char* what) { return fmt::format("{} {}", disk, what); };
        for (const DiskFigure& one : kDiskTold) {
            const std::string per(one.per);
            add(per.empty() ? Kind::Rate : Kind::Mean, key(one.name.data()), one.unit, key(one.count), one.scale,
                per.empty() ? per : key(one.per));
        }
    }
}

std::span<const std::string_view> HostUsage::diskFigures()
{
    return kDiskNames;
}

//! Those of a device: bridges, bonds and tunnels carry the same bytes again. In a container there may be none of them.
void HostUsage::findInterfaces()
{
    std::vector<std::string> others;
    for (std::string_view all = text("/proc/net/dev"); !all.empty();) {
        std::string_view line = nextLine(all);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos)
            continue;
        line = line.substr(0, colon);
        std::string name(nextWord(line));
        if (name == "lo" || name == m_link.device)
            continue;
        std::vector<std::string>& names = m_place->isDevice(name) ? m_interfaces : others;
        if (names.size() < kMostInterfaces)
            names.push_back(std::move(name));
    }
    if (m_interfaces.empty())
        m_interfaces = std::move(others);
}

std::vector<double> HostUsage::take()
{
    const std::vector<double> before = std::exchange(m_last, read());
    const std::int64_t now = m_place->timeNs();
    const double seconds = double(now - std::exchange(m_takenNs, now)) * 1e-9;
    std::vector<double> figures;
    figures.reserve(m_series.size());
    for (const Series& one : m_series) {
        const double value = m_last[one.count];
        // A count that went down began again, or its disk was replaced.
        const double more = value < before[one.count] ? kNotTold : value - before[one.count];
        if (one.kind == Kind::Level) {
            figures.push_back(value * one.scale);
        } else if (one.kind == Kind::Rate) {
            figures.push_back(seconds > 0 ? more * one.scale / seconds : kNotTold);
        } else if (one.kind == Kind::Most) {
            const double other = m_last[one.per] < before[one.per] ? kNotTold : m_last[one.per] - before[one.per];
            figures.push_back(seconds > 0 ? std::max(more, other) * one.scale / seconds : kNotTold);
        } else {
            const double requests = m_last[one.per] - before[one.per];
            figures.push_back(requests > 0 ? more * one.scale / requests : kNotTold);
        }
    }
    return figures;
}

double HostUsage::latest(std::string_view count) const
{
    const auto found = std::ranges::find(m_keys, count);
    return found == m_keys.end() ? kNotTold : m_last[std::size_t(found - m_keys.begin())];
}

void HostUsage::forget()
{
    std::ranges::fill(m_last, kNotTold);
}

std::vector<double> HostUsage::read()
{
    std::vector<double> values(m_keys.size(), kNotTold);
    readProcessors(values);
    readNamed(values, "/proc/meminfo");
    readNamed(values, "/proc/vmstat");
    readDisks(values);
    readNetwork(values);
    readPressure(values);
    readGroup(values);
    readProcessorState(values);
    return values;
}

void HostUsage::set(std::vector<double>& values, std::string_view key, double value) const
{
    const auto found = std::ranges::find(m_keys, key);
    if (found != m_keys.end())
        values[std::size_t(found - m_keys.begin())] = value;
}

void HostUsage::readProcessors(std::vector<double>& values)
{
    for (std::string_view all = text("/proc/stat"); !all.empty();) {
        std::string_view line = nextLine(all);
        const std::string_view name = nextWord(line);
        if (name == "cpu") { // user nice system idle iowait irq softirq steal
            std::array<double, 8> ticks{};
            for (double& one : ticks)
                one = numberOf(nextWord(line));
            set(values, "cpu user", ticks[0] + ticks[1]);
            set(values, "cpu system", ticks[2] + ticks[5] + ticks[6]);
            set(values, "cpu iowait", ticks[4]);
            set(values, "cpu steal", ticks[7]);
        } else if (name == "ctxt" || name == "procs_running" || name == "procs_blocked") {
            set(values, name, numberOf(nextWord(line)));
        }
    }
}

//! Lines with a name and a number.
void HostUsage::readNamed(std::vector<double>& values, const char* file)
{
    for (std::string_view all = text(file); !all.empty();) {
        std::string_view line = nextLine(all);
        const std::string_view name = nextWord(line);
        set(values, name, numberOf(nextWord(line)));
    }
}

void HostUsage::readDisks(std::vector<double>& values)
{
    for (std::string_view all = m_disks.empty() ? std::string_view() : text("/proc/diskstats"); !all.empty();) {
        std::string_view line = nextLine(all);
        nextWord(line);
        nextWord(line);
        const std::string name(nextWord(line));
        if (std::ranges::find(m_disks, name) == m_disks.end())
            continue;
        std::size_t at = 0;
        for (const auto& [field, what] : kDiskFields) {
            std::string_view word;
            for (; at <= field; ++at)
                word = nextWord(line);
            set(values, fmt::format("{} {}", name, what), numberOf(word));
        }
    }
}

void HostUsage::readNetwork(std::vector<double>& values)
{
    double received = 0, sent = 0;
    std::string_view all = text("/proc/net/dev");
    const bool told = !all.empty();
    while (!all.empty()) {
        std::string_view line = nextLine(all);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos)
            continue;
        std::string_view words = line.substr(0, colon);
        const std::string_view name = nextWord(words);
        line.remove_prefix(colon + 1);
        const double in = numberOf(nextWord(line));
        for (int i = 0; i < 7; ++i) // packets errs drop fifo frame compressed multicast
            nextWord(line);
        const double out = numberOf(nextWord(line));
        if (name == "lo") {
            set(values, "net loopback", in);
        } else if (name == m_link.device) {
            set(values, kLinkReceived, in);
            set(values, kLinkSent, out);
        } else if (std::ranges::find(m_interfaces, name) != m_interfaces.end()) {
            received += in;
            sent += out;
        }
    }
    if (told) {
        set(values, "net received", received);
        set(values, "net sent", sent);
    }
    // Two lines that begin with Tcp: the names, then the numbers.
    std::string_view names;
    for (all = text("/proc/net/snmp"); !all.empty();) {
        std::string_view line = nextLine(all);
        if (nextWord(line) != "Tcp:")
            continue;
        if (names.empty()) {
            names = line;
            continue;
        }
        while (!names.empty() && !line.empty()) {
            const std::string_view name = nextWord(names), word = nextWord(line);
            if (name == "RetransSegs")
                set(values, "tcp again", numberOf(word));
        }
        break;
    }
}

void HostUsage::readPressure(std::vector<double>& values)
{
    for (const char* what : {"cpu", "io", "memory"}) {
        // some avg10=0.00 avg60=0.00 avg300=0.00 total=12345
        std::string_view all = text(fmt::format("/proc/pressure/{}", what));
        const std::string_view line = nextLine(all);
        constexpr std::string_view kTotal = "total=";
        const std::size_t at = line.find(kTotal);
        if (at != std::string_view::npos)
            set(values, fmt::format("pressure {}", what), numberOf(line.substr(at + kTotal.size())));
    }
}

} // namespace dyno
