// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics/self_health.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace dyno {

namespace {

using Text = std::array<char, 512>;

//! The start of a file, read at once; kernel files give one consistent answer for a read from their beginning.
std::string_view readStart(int fd, Text& buffer)
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

} // namespace

SelfHealth::SelfHealth()
    : m_statm(open("/proc/self/statm", O_RDONLY | O_CLOEXEC))
    , m_stat(open("/proc/stat", O_RDONLY | O_CLOEXEC))
{
    cpuSince();
    hostBusySince();
    schedDelaySince();
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
    return {.cpuSeconds = cpuSince(),
            .rssBytes = residentBytes(),
            .hostBusy = hostBusySince(),
            .schedDelaySeconds = schedDelaySince()};
}

double SelfHealth::cpuSince()
{
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    const double now = secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
    return std::max(0.0, now - std::exchange(m_cpuSeconds, now));
}

std::uint64_t SelfHealth::residentBytes() const
{
    // "size resident shared …" in pages
    Text buffer;
    std::string_view text = readStart(m_statm, buffer);
    nextNumber(text);
    return nextNumber(text) * std::uint64_t(sysconf(_SC_PAGESIZE));
}

double SelfHealth::hostBusySince()
{
    // "cpu  user nice system idle iowait irq softirq steal …" in ticks over all cores. A core that waits for a disk is
    // free for others; one that the hypervisor took away (steal) is not.
    Text buffer;
    std::string_view text = readStart(m_stat, buffer);
    if (!text.starts_with("cpu "))
        return 0;
    text.remove_prefix(4);
    std::uint64_t total = 0;
    std::uint64_t idle = 0;
    for (int column = 0; column < 8; ++column) {
        const std::uint64_t ticks = nextNumber(text);
        total += ticks;
        if (column == 3 || column == 4)
            idle += ticks;
    }
    const std::uint64_t busy = total - idle;
    // The kernel may correct iowait downwards, so differences can be negative.
    const double busyTicks = double(busy) - double(std::exchange(m_hostBusyTicks, busy));
    const double totalTicks = double(total) - double(std::exchange(m_hostTotalTicks, total));
    return totalTicks > 0 ? std::clamp(busyTicks / totalTicks, 0.0, 1.0) : 0.0;
}

double SelfHealth::schedDelaySince()
{
    // "time on a core, time waiting for one while runnable, time slices": one file a thread. /proc/self/schedstat
    // speaks of the main thread only. A thread that ended since the last call takes its last wait with it.
    const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir("/proc/self/task"), closedir);
    if (!tasks)
        return 0;
    std::unordered_map<int, std::uint64_t> now;
    now.reserve(m_waitNs.size() + 8);
    std::uint64_t sinceNs = 0;
    Text buffer;
    while (const dirent* entry = readdir(tasks.get())) {
        const std::string_view name = entry->d_name;
        int id = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), id).ec != std::errc())
            continue;
        const int fd = openat(dirfd(tasks.get()), (std::string(name) + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        std::string_view text = readStart(fd, buffer);
        close(fd);
        nextNumber(text);
        const std::uint64_t waited = nextNumber(text);
        const auto before = m_waitNs.find(id);
        const std::uint64_t known = before == m_waitNs.end() ? 0 : before->second;
        // a smaller figure: the number now belongs to a new thread
        sinceNs += waited >= known ? waited - known : waited;
        now.emplace(id, waited);
    }
    m_waitNs.swap(now);
    return double(sinceNs) * 1e-9;
}

} // namespace dyno
