// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics/host_place.h"

#include "base/clock.h"

#include <dyno/visible_text.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace dyno {

namespace {

constexpr std::size_t kPlaceBytes = std::size_t(256) << 10; //!< /proc/stat has a number for each interrupt
constexpr std::size_t kMostNames = 1024;                    //!< of disks or interfaces
constexpr std::size_t kLongestName = 64;
constexpr double kMostTicks = 10'000;
constexpr std::string_view kGreeting = "dynobench-host";
constexpr std::string_view kUptime = "/proc/uptime";
constexpr std::array<std::string_view, 10> kHostFiles{
    "/proc/stat",     "/proc/meminfo",      "/proc/vmstat",      "/proc/diskstats",       "/proc/net/dev",
    "/proc/net/snmp", "/proc/pressure/cpu", "/proc/pressure/io", "/proc/pressure/memory", kUptime};

std::string_view lineOf(std::string_view& text)
{
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    return line;
}

std::optional<double> realOf(std::string_view text)
{
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(number) || number < 0)
        return {};
    return number;
}

//! Names become names of series.
bool isDeviceName(std::string_view name)
{
    return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-_.!@").find(c) != std::string_view::npos;
    });
}

tl::unexpected<Error> oddHost(std::string text)
{
    return fail({ErrorKind::Failed, std::move(text), {}, {}});
}

} // namespace

LocalPlace::LocalPlace(std::string root)
    : m_root(std::move(root))
    , m_buffer(kPlaceBytes)
{
}

//! The kernel gives some files in pieces of a page.
std::string_view LocalPlace::text(std::string_view file)
{
    const int fd = open((m_root + std::string(file)).c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return {};
    std::size_t size = 0;
    for (ssize_t more = 1; more > 0 && size < m_buffer.size(); size += std::size_t(std::max<ssize_t>(more, 0)))
        more = ::read(fd, m_buffer.data() + size, m_buffer.size() - size);
    close(fd);
    return {m_buffer.data(), size};
}

bool LocalPlace::hasDisk(const std::string& name)
{
    std::error_code problem;
    return std::filesystem::exists(std::filesystem::path(m_root + "/sys/block") / name, problem);
}

bool LocalPlace::isDevice(const std::string& interface)
{
    std::error_code problem;
    return std::filesystem::exists(m_root + "/sys/class/net/" + interface + "/device", problem);
}

std::vector<std::string> LocalPlace::list(const std::string& folder)
{
    std::vector<std::string> names;
    std::error_code problem;
    for (const auto& entry : std::filesystem::directory_iterator(m_root + folder, problem))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

std::int64_t LocalPlace::timeNs()
{
    return nowNs();
}

double LocalPlace::ticksPerSecond()
{
    return double(std::max(1L, sysconf(_SC_CLK_TCK)));
}

//! One process an answer: grep writes each line behind its file's name. It stands between single quotes in the command
//! of a login shell that may be any, so that it has none itself, and no exclamation mark and no line break.
const std::string& hostScript()
{
    static const std::string script =
        fmt::format("LC_ALL=C; export LC_ALL; echo {0}; echo \"kernel $(uname -s)\"; "
                    "echo \"ticks $(getconf CLK_TCK 2>/dev/null || echo 100)\"; "
                    "for i in /sys/block/*; do echo \"disk ${{i##*/}}\"; done; "
                    "for i in /sys/class/net/*; do if [ -e $i/device ]; then echo \"device ${{i##*/}}\"; fi; done; "
                    "echo {1}; "
                    "while read -r x; do grep -s -v -H ^intr {2}; echo {1}; done",
                    kGreeting, kHostEnd, fmt::join(kHostFiles, " "));
    return script;
}

Expected<void> AnsweredPlace::greet(std::string_view greeting)
{
    m_disks.clear();
    m_devices.clear();
    bool began = false;
    std::string kernel;
    while (!greeting.empty()) {
        const std::string_view line = lineOf(greeting);
        if (!began) {
            began = line == kGreeting;
            continue;
        }
        const std::size_t blank = line.find(' ');
        if (blank == std::string_view::npos)
            continue;
        const std::string_view what = line.substr(0, blank), value = line.substr(blank + 1);
        if (what == "kernel") {
            kernel = visibleText(value.substr(0, kLongestName));
        } else if (what == "ticks") {
            const auto ticks = realOf(value);
            m_ticks = ticks && *ticks >= 1 && *ticks <= kMostTicks ? *ticks : m_ticks;
        } else if ((what == "disk" || what == "device") && isDeviceName(value)) {
            auto& names = what == "disk" ? m_disks : m_devices;
            if (names.size() < kMostNames)
                names.emplace(value);
        }
    }
    if (!began)
        return oddHost("it does not answer like a POSIX shell");
    if (kernel != "Linux")
        return oddHost(fmt::format("its kernel is {}: only Linux reports what is read here", kernel));
    return {};
}

Expected<void> AnsweredPlace::answer(std::string_view answer)
{
    for (auto& [file, text] : m_texts)
        text.clear();
    while (!answer.empty()) {
        const std::string_view line = lineOf(answer);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || std::ranges::find(kHostFiles, line.substr(0, colon)) == kHostFiles.end())
            continue;
        std::string& text = m_texts[std::string(line.substr(0, colon))];
        text += line.substr(colon + 1);
        text += '\n';
    }
    const std::string_view uptime = text(kUptime);
    const auto seconds = realOf(uptime.substr(0, uptime.find(' ')));
    constexpr double kLongest = 1e9; // 30 years
    if (!seconds || *seconds > kLongest || !text("/proc/stat").starts_with("cpu "))
        return oddHost("what it answers is not Linux' /proc");
    m_timeNs = std::int64_t(*seconds * 1e9);
    return {};
}

std::string_view AnsweredPlace::text(std::string_view file)
{
    const auto found = m_texts.find(file);
    return found == m_texts.end() ? std::string_view() : std::string_view(found->second);
}

} // namespace dyno
