// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics/self_health.h"

#include "base/clock.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sched.h>
#include <span>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace dyno {

namespace {

using Text = std::array<char, 512>;

//! The start of a file, read at once; kernel files give one consistent answer for a read from their beginning.
std::string_view readStart(int fd, std::span<char> buffer)
{
    const ssize_t size = fd < 0 ? -1 : pread(fd, buffer.data(), buffer.size(), 0);
    return size > 0 ? std::string_view(buffer.data(), std::size_t(size)) : std::string_view();
}

//! Takes the next number off the front of `text`; 0 at the end of the line.
std::uint64_t nextNumber(std::string_view& text)
{
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::uint64_t number = 0;
    const char* end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
    text.remove_prefix(std::size_t(end - text.data()));
    return number;
}

double secondsOf(const timeval& time)
{
    return double(time.tv_sec) + double(time.tv_usec) * 1e-6;
}

std::size_t coresOfMachine()
{
    return std::size_t(std::max(1L, sysconf(_SC_NPROCESSORS_CONF)));
}

//! Which cores the calling thread may use, by number; empty when that is not known.
std::vector<bool> allowedCores()
{
    // The kernel wants room for all cores that it can ever have, which may be more than there are.
    for (std::size_t bits = std::bit_ceil(std::max<std::size_t>(1024, coresOfMachine())); bits <= 65536; bits *= 2) {
        const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(bits), [](cpu_set_t* s) { CPU_FREE(s); });
        const std::size_t size = CPU_ALLOC_SIZE(bits);
        if (!set || sched_getaffinity(0, size, set.get()) != 0)
            continue;
        std::vector<bool> allowed;
        for (std::size_t core = 0; core < bits; ++core) {
            if (CPU_ISSET_S(core, size, set.get())) {
                allowed.resize(core + 1);
                allowed[core] = true;
            }
        }
        return allowed;
    }
    return {};
}

//! Threads that are always looked at, however many there are: the oldest, which are those that others wait for.
constexpr std::size_t kOldest = 64;

} // namespace

SelfHealth::SelfHealth()
    : m_statm(open("/proc/self/statm", O_RDONLY | O_CLOEXEC))
    , m_stat(open("/proc/stat", O_RDONLY | O_CLOEXEC))
    , m_text(256 * (1 + coresOfMachine()))
{
    (void)take();
}

SelfHealth::~SelfHealth()
{
    for (const int fd : {m_statm, m_stat}) {
        if (fd >= 0)
            close(fd);
    }
}

ClientHealth SelfHealth::take()
{
    ClientHealth health;
    takeUsage(health);
    health.rssBytes = residentBytes();
    takeCores(health);
    takeThreads(health);
    return health;
}

void SelfHealth::takeUsage(ClientHealth& health)
{
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return;
    const double seconds = secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
    health.cpuSeconds = std::max(0.0, seconds - std::exchange(m_cpuSeconds, seconds));
    const auto switches = std::uint64_t(usage.ru_nvcsw) + std::uint64_t(usage.ru_nivcsw);
    health.switches = switches - std::exchange(m_switches, switches);
}

std::uint64_t SelfHealth::residentBytes() const
{
    // "size resident shared …" in pages
    Text buffer;
    std::string_view text = readStart(m_statm, buffer);
    nextNumber(text);
    return nextNumber(text) * std::uint64_t(sysconf(_SC_PAGESIZE));
}

void SelfHealth::takeCores(ClientHealth& health)
{
    // "cpu  user nice system idle iowait irq softirq steal …" in ticks over all cores, then the same for "cpu0", "cpu1"
    // … that are on line. A core that waits for a disk is free for others; one that the hypervisor took away (steal) is
    // not.
    m_allowed = allowedCores();
    Ticks allowedBefore;
    Ticks allowedNow;
    std::string_view text = readStart(m_stat, m_text);
    const auto share = [](const Ticks& now, const Ticks& before) {
        // The kernel may correct iowait downwards, so differences can be negative.
        const double total = double(now.total) - double(before.total);
        const double busy = double(now.busy) - double(before.busy);
        return total > 0 ? std::clamp(busy / total, 0.0, 1.0) : 0.0;
    };
    while (text.starts_with("cpu")) {
        text.remove_prefix(3);
        const bool whole = text.starts_with(' ');
        const std::size_t core = whole ? 0 : nextNumber(text);
        Ticks now;
        for (int column = 0; column < 8; ++column) {
            const std::uint64_t ticks = nextNumber(text);
            now.total += ticks;
            if (column != 3 && column != 4)
                now.busy += ticks;
        }
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
        if (whole) {
            health.hostBusy = share(now, m_host);
            m_host = now;
            continue;
        }
        if (core >= m_cores.size())
            m_cores.resize(core + 1);
        if (core < m_allowed.size() && m_allowed[core]) {
            ++health.allowedCores;
            allowedBefore.busy += m_cores[core].busy;
            allowedBefore.total += m_cores[core].total;
            allowedNow.busy += now.busy;
            allowedNow.total += now.total;
        }
        m_cores[core] = now;
    }
    health.allowedBusy = share(allowedNow, allowedBefore);
}

void SelfHealth::listThreads()
{
    m_ids.clear();
    m_always = 0;
    m_scale = 1;
    const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir("/proc/self/task"), closedir);
    if (!tasks)
        return;
    while (const dirent* entry = readdir(tasks.get())) {
        const std::string_view name = entry->d_name;
        int id = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), id).ec == std::errc())
            m_ids.push_back(id);
    }
    m_always = std::min(m_ids.size(), kThreads);
    if (m_ids.size() <= kThreads)
        return;
    // The kernel lists the oldest first. The others are drawn by their number, so that the same ones are looked at the
    // next time.
    m_always = kOldest;
    const std::size_t others = m_ids.size() - kOldest;
    const std::size_t every = (others + kThreads - kOldest - 1) / (kThreads - kOldest);
    const auto drawn = std::remove_if(m_ids.begin() + std::ptrdiff_t(kOldest), m_ids.end(),
                                      [every](int id) { return std::size_t(id) % every != 0; });
    m_ids.erase(drawn, m_ids.end());
    if (m_ids.size() > kOldest)
        m_scale = double(others) / double(m_ids.size() - kOldest);
}

void SelfHealth::takeThreads(ClientHealth& health)
{
    // "time on a core, time waiting for one while runnable, time slices": one file a thread. /proc/self/schedstat
    // speaks of the main thread only. A thread that ended since the last call takes its last figures with it.
    const std::int64_t now = nowNs();
    const double elapsedNs = double(now - std::exchange(m_takenNs, now));
    listThreads();
    std::unordered_map<int, ThreadTimes> seen;
    seen.reserve(m_ids.size());
    std::uint64_t busiestNs = 0;
    double waitNs = 0;
    Text buffer;
    for (std::size_t i = 0; i < m_ids.size(); ++i) {
        const int fd = open(fmt::format("/proc/self/task/{}/schedstat", m_ids[i]).c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        std::string_view text = readStart(fd, buffer);
        close(fd);
        const std::uint64_t onCore = nextNumber(text);
        const ThreadTimes times{onCore, nextNumber(text)};
        seen.emplace(m_ids[i], times);
        const auto known = m_threads.find(m_ids[i]);
        // A drawn thread may have been there before without having been looked at.
        ThreadTimes before = i < m_always ? ThreadTimes() : times;
        // a smaller figure: the number now belongs to a new thread
        if (known != m_threads.end() && known->second.onCoreNs <= times.onCoreNs &&
            known->second.waitNs <= times.waitNs)
            before = known->second;
        busiestNs = std::max(busiestNs, times.onCoreNs - before.onCoreNs);
        waitNs += double(times.waitNs - before.waitNs) * (i < m_always ? 1.0 : m_scale);
    }
    m_threads.swap(seen);
    health.schedDelaySeconds = waitNs * 1e-9;
    if (elapsedNs > 0)
        health.busiestThread = std::min(1.0, double(busiestNs) / elapsedNs);
}

} // namespace dyno
