// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/unseen_counters.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace dyno {

namespace {

//! Why a file of the kernel tells nothing; "" = it has text.
std::string whySilent(const std::string& root, const std::string& file)
{
    std::error_code problem;
    if (!std::filesystem::exists(root + file, problem))
        return problem ? fmt::format("{} cannot be read: {}", file, problem.message())
                       : fmt::format("there is no {}", file);
    errno = 0;
    std::ifstream text(root + file);
    if (text && text.peek() != std::ifstream::traits_type::eof())
        return {};
    const int number = errno;
    return number != 0 ? fmt::format("{} cannot be read: {}", file, std::generic_category().message(number))
                       : fmt::format("{} is empty", file);
}

} // namespace

std::vector<UnseenCounters> unseenOfHost(const std::vector<CounterInfo>& series, const std::string& root)
{
    const auto has = [&series](std::string_view end) {
        return std::ranges::any_of(series, [end](const CounterInfo& one) { return one.name.ends_with(end); });
    };
    std::vector<UnseenCounters> unseen;
    if (!has(" pressure")) {
        std::error_code ignored;
        const std::string why = whySilent(root, "/proc/pressure/cpu");
        unseen.push_back(
            {"pressure on this machine", !std::filesystem::exists(root + "/proc/pressure", ignored)
                                             ? "there is no /proc/pressure: start its kernel with psi=1, if it has PSI"
                                         : why.empty() ? "/proc/pressure/cpu says nothing that is known"
                                                       : why});
    }
    if (!has(" bytes written")) {
        const std::string why = whySilent(root, "/proc/diskstats");
        unseen.push_back({"disks of this machine", why.empty() ? "/proc/diskstats has no disk that was used" : why});
    }
    return unseen;
}

std::vector<UnseenCounters> unseenOfProcess(const LocalServer& server, const std::string& root)
{
    if (server.process <= 0 && server.unseen.empty())
        return {};
    if (server.process <= 0)
        return {{"CPU time, context switches, memory and storage bytes of the server's process", server.unseen}};
    const std::string why = whySilent(root, fmt::format("/proc/{}/io", server.process));
    if (why.empty())
        return {};
    return {{"storage bytes read and written by the server's process",
             why + ": run Dynobench as root or as the server's user"}};
}

std::string whyNoProcess(const LocalServer& server, bool observes, bool isHere)
{
    if (!observes)
        return "load.counters is false, and nothing is asked about the server's process: set it to true";
    if (!server.unseen.empty())
        return server.unseen;
    return isHere ? "Dynobench does not look for the process of this kind of server"
                  : "the server is on another machine";
}

std::vector<UnseenCounters> unseenOfRun(std::vector<UnseenCounters> unseen)
{
    std::erase_if(unseen, [](const UnseenCounters& one) { return !one.sure; });
    for (UnseenCounters& one : unseen)
        one.account = one.account.empty() ? "" : "this account";
    return unseen;
}

std::string unseenText(const std::vector<UnseenCounters>& unseen)
{
    std::vector<std::pair<std::string, std::string>> byRemedy; // and what it is for
    for (const UnseenCounters& one : unseen) {
        const auto same = std::ranges::find(byRemedy, one.command(), &std::pair<std::string, std::string>::first);
        if (same == byRemedy.end())
            byRemedy.emplace_back(one.command(), one.what);
        else
            same->second += ", " + one.what;
    }
    std::string text;
    for (const auto& [remedy, what] : byRemedy)
        text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", what, remedy);
    return text;
}

} // namespace dyno
