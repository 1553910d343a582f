// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan must not set on a server.
#include "server/knobs/knob_catalog.h"

#include "base/text.h"
#include "server/knobs/knob_guard.h"

#include <algorithm>
#include <fmt/format.h>

namespace dyno {

namespace {

//! '*' stands for any characters.
bool matches(std::string_view pattern, std::string_view name)
{
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos)
        return pattern == name;
    if (!name.starts_with(pattern.substr(0, star)))
        return false;
    const std::string_view rest = pattern.substr(star + 1);
    for (std::size_t at = star; at <= name.size(); ++at) {
        if (matches(rest, name.substr(at)))
            return true;
    }
    return false;
}

bool anyMatches(const std::vector<std::string>& patterns, std::string_view name)
{
    return std::any_of(patterns.begin(), patterns.end(),
                       [name](const std::string& pattern) { return matches(pattern, name); });
}

bool looksLikePath(std::string_view text)
{
    return text.find_first_of("/\\") != std::string_view::npos || text.find("..") != std::string_view::npos;
}

} // namespace

std::optional<std::string> neverNamed(std::string_view driver, std::string_view name)
{
    std::string plain = lowered(name);
    std::replace(plain.begin(), plain.end(), '-', '_');
    for (const NeverRule& rule : neverRules()) {
        if (rule.driver == driver && anyMatches(rule.names, plain) && !anyMatches(rule.except, plain))
            return rule.reason;
    }
    return {};
}

std::optional<std::string> neverAllowed(std::string_view driver, std::string_view name, const Value& value)
{
    if (auto reason = neverNamed(driver, name))
        return reason;
    const KnobInfo* knob = findKnob(driver, "server", name);
    const OptionType type = knob ? knob->option.type : OptionType::Text;
    const bool fits = type != OptionType::Text && coerce(knob->option, value);
    if (!fits && looksLikePath(toText(value)))
        return fmt::format("its value \"{}\" looks like a path of the server's machine", toText(value));
    if (type == OptionType::Bool && !fits) // log_bin = "NAME" would name files
        return fmt::format("it takes on or off only, not \"{}\"", toText(value));
    return {};
}

} // namespace dyno
