// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/preflight/preflight_host.h"

#include "driver/preflight_list.h"
#include "metrics/process_event.h"
#include "plan/plan_order.h"
#include "server/host/host_knobs.h"

#include <dyno/machine_settings.h>
#include <dyno/runner.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mntent.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>

namespace dyno {

namespace {

namespace fs = std::filesystem;
using Level = PreflightLevel;

constexpr std::uint64_t kOwnFiles = 100;      //!< library, session file, sockets of the control plane
constexpr std::uint64_t kThreadedUsers = 512; //!< of `auto`, that may have a thread and so two files each

std::string firstLine(const fs::path& file)
{
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

void openFiles(const TargetNeeds& target, PreflightList& list)
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max == RLIM_INFINITY)
        return;
    const auto users = std::uint64_t(target.needs.users);
    // A user on a thread of its own keeps a second one, by which its connection can be cut.
    const std::uint64_t needed = users + (target.threads ? users : std::min(users, kThreadedUsers)) + kOwnFiles;
    std::string what =
        fmt::format("{} need{} about {} here; the limit is {}", counted(users, "user", "users"), users == 1 ? "s" : "",
                    counted(needed, "open file", "open files"), groupedNumber(limit.rlim_max));
    if (needed <= limit.rlim_max)
        return list.ok("client_files", std::move(what)); // the soft limit is raised when a session starts
    list.add(
        "client_files", Level::Blocker, std::move(what),
        fmt::format("raise the limit (ulimit -Hn {}, or LimitNOFILE), or use fewer users", roundedUp(needed, 1024)));
}

void ports(const TargetNeeds& target, int sources, const HostFiles& files, PreflightList& list)
{
    std::ifstream in(files.root / "proc/sys/net/ipv4/ip_local_port_range");
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    if (!(in >> low >> high) || high < low)
        return;
    const std::uint64_t range = (high - low + 1) * std::uint64_t(std::max(1, sources));
    const auto users = std::uint64_t(target.needs.users);
    std::string what = fmt::format("{} over TCP; the local ports allow {} to one server",
                                   counted(users, "user", "users"), groupedNumber(range));
    if (users > range)
        list.add("local_ports", Level::Blocker, std::move(what),
                 "name more addresses in connection.source_addresses, use the Unix socket, or widen "
                 "net.ipv4.ip_local_port_range");
    else if (users > range - range / 10)
        list.add("local_ports", Level::Warning, std::move(what),
                 "others on this host need ports too: name more addresses in connection.source_addresses");
    else
        list.ok("local_ports", std::move(what));
}

void clockSource(const HostFiles& files, PreflightList& list)
{
    const std::string source =
        firstLine(files.root / "sys/devices/system/clocksource/clocksource0/current_clocksource");
    if (source.empty())
        return;
    static constexpr std::array<std::string_view, 4> kFast = {"tsc", "kvm-clock", "arch_sys_counter",
                                                              "hyperv_clocksource_tsc_page"};
    std::string what = fmt::format("this host's clock source is {}", source);
    if (std::find(kFast.begin(), kFast.end(), source) != kFast.end())
        return list.ok("clock_source", std::move(what));
    list.add("clock_source", Level::Warning, std::move(what),
             "reading the time is slow with it: choose tsc, where the kernel offers it, in "
             "/sys/devices/system/clocksource");
}

void governor(const HostFiles& files, PreflightList& list)
{
    std::set<std::string> found;
    std::error_code error;
    for (fs::directory_iterator cpu(files.root / "sys/devices/system/cpu", error), end; !error && cpu != end;
         cpu.increment(error)) {
        if (std::string name = firstLine(cpu->path() / "cpufreq/scaling_governor"); !name.empty())
            found.insert(std::move(name));
    }
    if (found.empty())
        return list.ok("cpu_governor", "this host shows no CPU frequency governor");
    std::string names;
    for (const std::string& name : found)
        names += (names.empty() ? "" : ", ") + name;
    std::string what = fmt::format("this host's CPU governor is {}", names);
    if (found.size() == 1 && *found.begin() == "performance")
        return list.ok("cpu_governor", std::move(what));
    list.add("cpu_governor", Level::Warning, std::move(what),
             "the clock rate follows the load: cpupower frequency-set -g performance");
}

std::optional<Error> problemOf(HostKnobs& machine, const Settings& wanted)
{
    for (const auto& [name, value] : wanted) {
        const auto now = machine.variable(name);
        if (!now)
            return now.error();
        if (*now == toText(value))
            continue;
        if (const auto may = machine.maySet(name); !may)
            return may.error();
    }
    return {};
}

void machineSettings(const TargetNeeds& target, const HostFiles& files, PreflightList& list)
{
    HostKnobs machine(target.place, files.root);
    for (const auto& [name, value] : target.machine) {
        if (const auto problem = problemOf(machine, {{name, value}})) {
            list.add("host_settings", Level::Blocker, problem->text(), problem->remedy);
            return;
        }
    }
    if (!target.machine.empty())
        list.ok("host_settings", "this process may change the settings of this host that the plan asks for");
}

} // namespace

std::optional<Error> machineProblem(const Settings& host, const std::filesystem::path& data)
{
    HostKnobs machine(data);
    return problemOf(machine, host);
}

bool isOfThisMachine(const fs::path& place, const HostFiles& files)
{
    const std::unique_ptr<FILE, int (*)(FILE*)> table(::setmntent((files.root / "proc/self/mounts").c_str(), "r"),
                                                      ::endmntent);
    std::error_code failed;
    const fs::path path = fs::absolute(place, failed).lexically_normal();
    if (!table || failed)
        return false;
    static constexpr std::array<std::string_view, 4> kNoDisk = {"tmpfs", "ramfs", "overlay", "zfs"};
    std::size_t longest = 0;
    bool ours = false;
    mntent entry = {};
    std::array<char, 4096> text = {};
    while (::getmntent_r(table.get(), &entry, text.data(), int(text.size()))) {
        const fs::path folder = entry.mnt_dir;
        const auto parts = std::size_t(std::distance(folder.begin(), folder.end()));
        const auto end = std::ranges::mismatch(folder, path).in1;
        if (parts < longest || end != folder.end())
            continue;
        longest = parts; // a later one lies over an earlier one
        ours = std::string_view(entry.mnt_fsname).starts_with("/dev/") ||
               std::ranges::find(kNoDisk, std::string_view(entry.mnt_type)) != kNoDisk.end();
    }
    return ours;
}

void checkHost(const TargetNeeds& target, bool tcp, int sources, PreflightReport& report, const HostFiles& files)
{
    PreflightList list(report.items);
    openFiles(target, list);
    if (tcp)
        ports(target, sources, files, list);
    clockSource(files, list);
    governor(files, list);
    machineSettings(target, files, list);
}

void checkProcessorCounters(const TargetNeeds& target, const LocalServer& server, PreflightReport& report)
{
    PreflightList list(report.items);
    std::vector<const char*> all;
    std::map<std::string, std::pair<std::vector<const char*>, std::string>> refused; // by reason, with what helps
    for (const ProcessorSeries* series : target.processor) {
        all.push_back(series->name);
        if (server.process <= 0)
            continue;
        if (const auto counted = ProcessEvent::open(server.process, series->kind); !counted) {
            auto& [names, remedy] = refused[counted.error().message];
            names.push_back(series->name);
            remedy = counted.error().remedy;
        }
    }
    if (all.empty())
        return;
    if (server.process <= 0)
        refused[server.unseen] = {all, "remove the views that ask for them, or go on without them"};
    for (const auto& [reason, what] : refused)
        list.add("processor_counters", Level::Warning,
                 fmt::format("{} of the server cannot be counted: {}", fmt::join(what.first, ", "), reason),
                 what.second);
    if (refused.empty())
        list.ok("processor_counters", fmt::format("the kernel counts {}", fmt::join(all, ", ")));
}

void checkOpenFiles(const TargetNeeds& target, PreflightReport& report)
{
    PreflightList list(report.items);
    openFiles(target, list);
}

std::string writesText(const TargetNeeds& target, int copies, std::string_view with)
{
    const std::uint64_t loaded = target.needs.creates ? target.needs.dataBytes : 0;
    std::string text = "nothing is loaded";
    if (loaded > 0)
        text = fmt::format("loading writes about {}{}", sizeText(addedSizes(loaded, copies > 1 ? loaded : 0)),
                           copies > 1 ? fmt::format(" with {}", with) : "");
    if (target.scratchBytes > 0)
        text += fmt::format(", and the run needs about {}{} for a while", sizeText(target.scratchBytes),
                            loaded > 0 ? " more" : "");
    return text;
}

void checkDisk(const fs::path& folder, const TargetNeeds& target, int copies, PreflightReport& report,
               std::string_view with)
{
    PreflightList list(report.items);
    std::error_code error;
    const fs::space_info space = fs::space(folder, error);
    const std::uint64_t loaded = target.needs.creates ? target.needs.dataBytes : 0;
    const std::uint64_t needed = addedSizes(addedSizes(loaded, copies > 1 ? loaded : 0), target.scratchBytes);
    if (error) {
        if (needed > 0)
            list.add("free_disk", Level::Note,
                     fmt::format("{}; free space in {} cannot be seen: {}", writesText(target, copies, with),
                                 folder.string(), error.message()),
                     "look at the server's free space yourself");
        return;
    }
    std::string what =
        fmt::format("{}; {} free in {}", writesText(target, copies, with), sizeText(space.available), folder.string());
    if (needed > space.available)
        list.add("free_disk", Level::Blocker, std::move(what), "free space, or use less data");
    else if (needed > space.available / 2)
        list.add("free_disk", Level::Warning, std::move(what), "logs and changes need space too: free some");
    else
        list.ok("free_disk", std::move(what));
}

} // namespace dyno
