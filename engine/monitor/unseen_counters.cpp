// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/unseen_counters.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace dyno {

std::vector<UnseenCounters> unseenOfHost(const std::vector<CounterInfo>& series)
{
    const auto has = [&series](std::string_view end) {
        return std::ranges::any_of(series, [end](const CounterInfo& one) { return one.name.ends_with(end); });
    };
    std::vector<UnseenCounters> unseen;
    if (!has(" pressure"))
        unseen.push_back({"pressure on this machine", "start its kernel with psi=1: /proc/pressure is missing"});
    if (!has(" bytes written"))
        unseen.push_back(
            {"disks of this machine", "run Dynobench outside a container that hides them: /proc/diskstats has none"});
    return unseen;
}

std::string unseenText(const std::vector<UnseenCounters>& unseen)
{
    std::vector<std::pair<std::string, std::string>> byRemedy; // and what it is for
    for (const UnseenCounters& one : unseen) {
        const auto same = std::ranges::find(byRemedy, one.remedy, &std::pair<std::string, std::string>::first);
        if (same == byRemedy.end())
            byRemedy.emplace_back(one.remedy, one.what);
        else
            same->second += ", " + one.what;
    }
    std::string text;
    for (const auto& [remedy, what] : byRemedy)
        text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", what, remedy);
    return text;
}

} // namespace dyno
