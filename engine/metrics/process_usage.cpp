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
#include <sys/resource.h>
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

std::uint64_t switchesOf(std::string_view status)
{
    return fieldOf(status, "\nvoluntary_ctxt_switches:") + fieldOf(status, "\nnonvoluntary_ctxt_switches:");
}

//! All context switches of a thread; nothing when it is gone.
std::optional<std::uint64_t> switchesIn(const std::string& statusFile)
{
    std::array<char, 4096> buffer{};
    const std::string_view status = readStart(statusFile, buffer);
    if (status.empty())
        return {};
    return switchesOf(status);
}

constexpr const char* kGeneratorSource = "load generator process";

void addFaults(std::vector<CounterInfo>& all, const std::string& source)
{
    all.push_back({source, "minor page faults", "faults", true});
    all.push_back({source, "major page faults", "faults", true});
}

void addBytes(std::vector<CounterInfo>& all, const std::string& source)
{
    all.push_back({source, "storage read", "bytes", true});
    all.push_back({source, "storage written", "bytes", true});
}

} // namespace

ProcessUsage::ProcessUsage(int process, std::string source, std::vector<Counted> counted)
    : ProcessUsage(process, std::move(source), std::move(counted), false)
{
}

ProcessUsage::ProcessUsage(int process, std::string source, std::vector<Counted> counted, bool isGenerator)
    : m_process(process)
    , m_source(std::move(source))
    , m_counted(std::move(counted))
    , m_isGenerator(isGenerator)
    , m_hasBytes(lookAtBytes(process).hasBytes)
    , m_threads(fmt::format("{}", process), kThreads)
{
    m_started = lookAt(process).started;
    (void)take();
}

ProcessUsage ProcessUsage::ofGenerator()
{
    return {::getpid(), kGeneratorSource, {}, true};
}

std::vector<CounterInfo> ProcessUsage::counters(const std::string& source)
{
    std::vector<CounterInfo> all{{source, kProcessCpu, "cores", false},
                                 {source, kProcessSwitches, "switches", true},
                                 {source, "resident memory", "bytes", false}};
    addFaults(all, source);
    return all;
}

std::vector<CounterInfo> ProcessUsage::series() const
{
    std::vector<CounterInfo> all;
    if (m_isGenerator)
        addFaults(all, m_source);
    else
        all = counters(m_source);
    if (m_hasBytes)
        addBytes(all, m_source);
    for (const Counted& one : m_counted)
        all.push_back({m_source, one.series->name, one.series->unit, true});
    return all;
}

void ProcessUsage::begin(int process)
{
    std::vector<Counted> counted = std::move(m_counted);
    m_process = process;
    const bool isWhole = childrenNow().empty(); // of children that are there already the kernel counts nothing
    for (Counted& one : counted) {
        one.event = nullptr;
        if (!isWhole)
            continue;
        if (auto event = ProcessEvent::open(process, one.series->kind))
            one.event = std::move(*event);
    }
    ProcessUsage other(process, std::move(m_source), std::move(counted));
    other.m_hasBytes = m_hasBytes; // its series stay
    other.m_followed = std::move(m_followed);
    *this = std::move(other);
}

std::vector<double> ProcessUsage::take()
{
    if (const int now = m_followed ? m_followed->load() : 0; now > 0 && now != m_process) {
        begin(now);
        return std::vector<double>(series().size(), kUnknown);
    }
    const std::int64_t now = nowNs();
    const double seconds = double(now - std::exchange(m_takenNs, now)) * 1e-9;
    if (m_isGenerator)
        return takeOfGenerator(seconds);
    // In this order what ends in between is missing until the next call, and never there twice.
    const double cpu = clockSeconds(m_process);
    Look look = lookWithChildren();
    look.isThere = look.isThere && look.started == m_started;
    const double ofChildren = childrenSeconds(look.endedSeconds);
    // less than before: the number belongs to another process now
    const double own = cpu - std::exchange(m_cpuSeconds, cpu);
    const double used = own < 0 ? kUnknown : own + ofChildren - std::exchange(m_childSeconds, ofChildren);
    const bool known = used >= 0 && look.isThere && seconds > 0;
    std::vector<double> figures{known ? used / seconds : kUnknown};
    constexpr std::size_t kOfAll = 4; // CPU time, switches, memory; and the first fault
    const std::size_t last = m_hasBytes ? BytesWritten : MajorFaults;
    const bool looks = m_children.size() <= kFewChildren || now - m_lookedNs >= kManyEveryNs || !look.isThere;
    if (looks) {
        const double since = double(now - std::exchange(m_lookedNs, now)) * 1e-9;
        Memory memory = look.memory;
        Counts fresh = newCounts(look);
        fresh[Switches] = newSwitches();
        addChildren(fresh, memory);
        const auto rate = [&](double count) { return known && since > 0 ? count / since : kUnknown; };
        figures.push_back(rate(fresh[Switches]));
        figures.push_back(known ? memory.own + memory.shared : kUnknown);
        for (std::size_t what = MinorFaults; what <= last; ++what)
            figures.push_back(what < BytesRead || look.hasBytes ? rate(fresh[what]) : kUnknown);
    }
    figures.resize(kOfAll + last, kUnknown);
    for (const Counted& one : m_counted) {
        const double count = one.event ? one.event->take() : kUnknown;
        figures.push_back(known ? count / seconds : kUnknown);
    }
    return figures;
}

//! Those that it has started are the servers and proxies, which have series of their own.
std::vector<double> ProcessUsage::takeOfGenerator(double seconds)
{
    rusage usage{}, ofEnded{};
    Look look = lookAtBytes(m_process);
    ::getrusage(RUSAGE_SELF, &usage);
    ::getrusage(RUSAGE_CHILDREN, &ofEnded);
    look.counts[MinorFaults] = double(usage.ru_minflt);
    look.counts[MajorFaults] = double(usage.ru_majflt);
    const auto faults = double(ofEnded.ru_minflt);
    const bool ended = faults != std::exchange(m_ended[MinorFaults], faults); // no process does without
    std::vector<double> figures;
    for (std::size_t what = MinorFaults; what <= (m_hasBytes ? BytesWritten : MajorFaults); ++what) {
        // The kernel adds the bytes of a process that ended to those of the one that waited for it.
        const bool known = seconds > 0 && !(what >= BytesRead && ended);
        figures.push_back(known ? (look.counts[what] - m_counts[what]) / seconds : kUnknown);
    }
    m_counts = look.counts;
    return figures;
}

ProcessUsage::Look ProcessUsage::lookAt(int process)
{
    Look look;
    std::array<char, 4096> buffer{};
    std::string_view stat = readStart(fmt::format("/proc/{}/stat", process), buffer);
    const std::size_t name = stat.rfind(')'); // it may hold anything
    if (name == std::string_view::npos)
        return look;
    look.isThere = true;
    stat.remove_prefix(std::min(name + 2, stat.size())); // at the third field, the state
    // proc(5): minflt cminflt majflt cmajflt; cutime cstime; starttime
    constexpr int kFaults = 10, kChildrenUser = 16, kStarted = 22;
    int field = 3;
    const auto skipTo = [&](int wanted) {
        for (; field < wanted; ++field)
            stat.remove_prefix(std::min(stat.find(' '), stat.size() - 1) + 1);
    };
    const auto two = [&] {
        field += 2;
        const std::uint64_t own = nextNumber(stat), ended = nextNumber(stat);
        stat.remove_prefix(std::min<std::size_t>(1, stat.size()));
        return double(own + ended);
    };
    skipTo(kFaults);
    look.counts[MinorFaults] = two();
    look.counts[MajorFaults] = two();
    skipTo(kChildrenUser);
    look.endedSeconds = two() / double(::sysconf(_SC_CLK_TCK));
    skipTo(kStarted);
    look.started = nextNumber(stat);
    const Look bytes = lookAtBytes(process);
    look.hasBytes = bytes.hasBytes;
    look.counts[BytesRead] = bytes.counts[BytesRead];
    look.counts[BytesWritten] = bytes.counts[BytesWritten];
    const std::string_view status = readStart(fmt::format("/proc/{}/status", process), buffer);
    look.counts[Switches] = double(switchesOf(status));
    constexpr double kKibibyte = 1024;
    const double all = kKibibyte * double(fieldOf(status, "\nVmRSS:"));
    look.memory.shared = kKibibyte * double(fieldOf(status, "\nRssFile:") + fieldOf(status, "\nRssShmem:"));
    look.memory.own = std::max(0.0, all - look.memory.shared);
    look.memory.shared += kKibibyte * double(fieldOf(status, "\nHugetlbPages:")); // VmRSS is without them
    return look;
}

ProcessUsage::Look ProcessUsage::lookAtBytes(int process)
{
    Look look;
    std::array<char, 4096> buffer{};
    const std::string_view io = readStart(fmt::format("/proc/{}/io", process), buffer);
    look.hasBytes = io.find("\nread_bytes:") != std::string_view::npos;
    look.counts[BytesRead] = double(fieldOf(io, "\nread_bytes:"));
    look.counts[BytesWritten] = double(fieldOf(io, "\nwrite_bytes:"));
    return look;
}

ProcessUsage::Counts ProcessUsage::newCounts(const Look& own)
{
    // Those that are no longer there have been waited for: `own`, which was read later, has what they did.
    std::erase_if(m_ofChildren, [this](const auto& one) {
        if (std::ranges::find(m_children, one.first) != m_children.end())
            return false;
        for (std::size_t what = MinorFaults; what <= BytesWritten; ++what)
            m_ended[what] += one.second[what];
        return true;
    });
    Counts fresh{};
    for (std::size_t what = MinorFaults; what <= BytesWritten; ++what) {
        const double more = own.counts[what] - m_counts[what];
        const double again = std::clamp(more, 0.0, m_ended[what]);
        m_ended[what] -= again;
        fresh[what] = more - again;
    }
    m_counts = own.counts;
    return fresh;
}

std::vector<int> ProcessUsage::childrenNow() const
{
    std::vector<int> children;
    std::ifstream in(fmt::format("/proc/{0}/task/{0}/children", m_process));
    for (int child = 0; in >> child;)
        children.push_back(child);
    return children;
}

ProcessUsage::Look ProcessUsage::lookWithChildren()
{
    constexpr int kMostTries = 3;
    Look look;
    m_isUnsure = false;
    m_children = childrenNow();
    for (int i = 0; i < kMostTries; ++i) {
        look = lookAt(m_process);
        std::vector<int> after = childrenNow();
        std::vector<int> gone = std::exchange(m_children, after);
        // Of those that came since the last look all is new, wherever it is counted.
        std::erase_if(gone, [this](int one) { return !std::ranges::binary_search(m_childrenBefore, one); });
        std::ranges::sort(gone);
        std::ranges::sort(after);
        if (std::ranges::includes(after, gone))
            return look;
    }
    m_isUnsure = true;
    return look;
}

double ProcessUsage::childrenSeconds(double ended)
{
    double sum = ended;
    for (const int child : m_children) {
        const double one = clockSeconds(child);
        sum += one >= 0 ? one : 0;
    }
    return std::max(sum, m_childSeconds);
}

void ProcessUsage::addChildren(Counts& fresh, Memory& memory)
{
    // What the process had counted of those that ended meanwhile is known at the look after that.
    const bool unsure = std::exchange(m_wasUnsure, m_isUnsure) || m_isUnsure;
    if (unsure)
        m_ended = {};
    std::unordered_map<int, Counts> seen;
    const std::size_t looked = std::min(m_children.size(), kThreads);
    const bool all = looked == m_children.size();
    const double weight = looked > 0 ? double(m_children.size()) / double(looked) : 1;
    double own = 0;
    for (std::size_t i = 0; i < looked; ++i) {
        const int child = m_children[i];
        const Look look = lookAt(child);
        if (!look.isThere)
            continue;
        seen.emplace(child, look.counts);
        own += look.memory.own;
        memory.shared = std::max(memory.shared, look.memory.shared);
        const auto known = m_ofChildren.find(child);
        // One that is new has done all of it since the last look, unless it only was not looked at.
        const bool isNew = !std::ranges::binary_search(m_childrenBefore, child);
        for (std::size_t what = 0; what < kWhats; ++what) {
            const double count = look.counts[what];
            const double before = known != m_ofChildren.end() ? std::min(known->second[what], count)
                                  : isNew                     ? 0
                                                              : count;
            fresh[what] += (count - before) * weight;
        }
    }
    memory.own += own * weight;
    for (const auto& [child, counts] : m_ofChildren) {
        for (std::size_t what = MinorFaults; !seen.contains(child) && what <= BytesWritten; ++what)
            m_ended[what] += counts[what];
    }
    std::vector<int> now = m_children;
    std::ranges::sort(now);
    const bool ended = !std::ranges::includes(now, m_childrenBefore);
    m_childrenBefore.swap(now);
    // Of children that were not looked at nobody knows what of it the process has counted again.
    const bool sawAll = std::exchange(m_lookedAtAll, all) && all;
    for (std::size_t what = MinorFaults; (unsure || (ended && !sawAll)) && what <= BytesWritten; ++what)
        fresh[what] = kUnknown;
    m_ofChildren.swap(seen);
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
