// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_fields.h"

#include "base/nearest.h"

#include <dyno/catalog.h>

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace dyno {

std::string nearest(std::string_view name, std::span<const std::string> candidates)
{
    // A name longer than any of ours is no typing error; the bound also keeps the search small.
    if (name.empty() || name.size() > 80)
        return {};
    if (std::string near = nearestName(name, candidates); !near.empty())
        return near;
    // "synch", "flush_log": a cut or lengthened word is meant, however much of it is missing
    for (const std::string& candidate : candidates) {
        if (name.size() >= 3 && candidate.size() >= 3 && (candidate.starts_with(name) || name.starts_with(candidate)))
            return candidate;
    }
    return {};
}

std::string joined(std::span<const std::string> parts, std::string_view separator)
{
    return fmt::format("{}", fmt::join(parts.begin(), parts.end(), separator));
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates)
{
    if (const std::string near = nearest(name, candidates); !near.empty())
        return fmt::format("did you mean \"{}\"?", near);
    if (candidates.empty())
        return {};
    std::vector<std::string> named; // a case that has no label yet is no choice
    std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(named),
                 [](const std::string& one) { return !one.empty(); });
    if (named.empty())
        return "nothing that could be meant has a name yet: give it one";
    constexpr std::size_t kShown = 12; // more than that nobody reads
    if (named.size() <= kShown)
        return "one of: " + joined(named);
    return fmt::format("there are {}, such as \"{}\"", named.size(), named.front());
}

std::string likelyName(std::string_view typed, std::span<const std::string> names)
{
    return nearest(typed, names);
}

} // namespace dyno
