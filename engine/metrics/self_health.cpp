// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics/self_health.h"

#include "base/clock.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sched.h>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace dyno {

namespace {

using Text = std::array<char, 512>;

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

} // namespace

SelfHealth::SelfHealth()
    : m_statm(open("/proc/self/statm", O_RDONLY | O_CLOEXEC))
    , m_stat(open("/proc/stat", O_RDONLY | O_CLOEXEC))
    , m_text(256 * (1 + coresOfMachine()))
    , m_list("self", kThreads)
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

void SelfHealth::takeThreads(ClientHealth& health)
{
    // "time on a core, time waiting for one while runnable, time slices": one file a thread. /proc/self/schedstat
    // speaks of the main thread only. A thread that ended since the last call takes its last figures with it.
    const std::int64_t now = nowNs();
    const double elapsedNs = double(now - std::exchange(m_takenNs, now));
    m_list.read();
    std::unordered_map<int, ThreadTimes> seen;
    seen.reserve(m_list.ids().size());
    std::uint64_t busiestNs = 0;
    double waitNs = 0;
    Text buffer;
    for (std::size_t i = 0; i < m_list.ids().size(); ++i) {
        const int id = m_list.ids()[i];
        std::string_view text = readStart(fmt::format("/proc/self/task/{}/schedstat", id), buffer);
        if (text.empty())
            continue;
        const std::uint64_t onCore = nextNumber(text);
        const ThreadTimes times{onCore, nextNumber(text)};
        seen.emplace(id, times);
        const auto known = m_threads.find(id);
        // A drawn thread may have been there before without having been looked at.
        ThreadTimes before = m_list.always(i) ? ThreadTimes() : times;
        // a smaller figure: the number now belongs to a new thread
        if (known != m_threads.end() && known->second.onCoreNs <= times.onCoreNs &&
            known->second.waitNs <= times.waitNs)
            before = known->second;
        busiestNs = std::max(busiestNs, times.onCoreNs - before.onCoreNs);
        waitNs += double(times.waitNs - before.waitNs) * m_list.weight(i);
    }
    m_threads.swap(seen);
    health.schedDelaySeconds = waitNs * 1e-9;
    if (elapsedNs > 0)
        health.busiestThread = std::min(1.0, double(busiestNs) / elapsedNs);
}

} // namespace dyno
