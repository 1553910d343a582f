// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What all pre-flight checks need: a list to add to, and figures as they stand in its sentences.
#pragma once

#include <dyno/preflight.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dyno {

//! Beside a result whose connections were encrypted for whoever answered (ServerFacts::unverified).
inline constexpr const char* kUnverifiedServer =
    "TLS without a check of the server's certificate and name: someone in between could read and change everything";

//! Beside a result of a server on another machine without TLS.
inline constexpr const char* kOpenConnection =
    "not encrypted over a network: anyone on the way could read and change everything";

//! Adds items to a report.
class PreflightList
{
public:
    explicit PreflightList(std::vector<PreflightItem>& items)
        : m_items(items)
    {
    }
    void ok(const char* id, std::string what) { add(id, PreflightLevel::Ok, std::move(what), {}); }
    void add(const char* id, PreflightLevel level, std::string what, std::string remedy, PreflightFix fix = {})
    {
        m_items.push_back({id, level, std::move(what), std::move(remedy), std::move(fix)});
    }

private:
    std::vector<PreflightItem>& m_items;
};

//! "a=1, b=ON; the plan sets b to OFF for its runs": what the server says now, and what will be set when a run starts.
//! A value that is the server's already is not told. `now`: name and value; `planned`: PreflightNeeds::planned.
inline std::string durabilityText(const std::vector<std::pair<std::string, std::string>>& now,
                                  const std::map<std::string, std::vector<std::string>>& planned)
{
    const auto plain = [](std::string text) { // as a server understands it: ON, true and 1 are the same
        std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
        if (text == "on" || text == "true" || text == "yes")
            return std::string("1");
        return text == "off" || text == "false" || text == "no" ? std::string("0") : text;
    };
    std::string text, changes;
    for (const auto& [name, value] : now) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
        const auto found = planned.find(name);
        if (found == planned.end() || (found->second.size() == 1 && plain(found->second.front()) == plain(value)))
            continue;
        std::string values;
        for (const std::string& one : found->second)
            values += (values.empty() ? "" : " or ") + one;
        changes += fmt::format("{}{} to {}", changes.empty() ? "" : ", ", name, values);
    }
    return changes.empty() ? text : fmt::format("{}; the plan sets {} for its runs", text, changes);
}

//! 16000 → "16 000", as the rest of the program writes numbers.
inline std::string groupedNumber(std::uint64_t number)
{
    std::string text = fmt::format("{}", number);
    for (std::size_t at = text.size(); at > 3; at -= 3)
        text.insert(at - 3, " ");
    return text;
}
//! "1 user", "1 000 users".
inline std::string counted(std::uint64_t number, const char* one, const char* many)
{
    return groupedNumber(number) + " " + (number == 1 ? one : many);
}
//! 134217728 → "128 MiB".
inline std::string sizeText(std::uint64_t bytes)
{
    static constexpr std::array kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = double(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    const bool whole = unit == 0 || value >= 100 || value == double(std::uint64_t(value));
    return whole ? fmt::format("{:.0f} {}", value, kUnits[unit]) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}
//! The next multiple of `step` that is at least `value`.
inline std::uint64_t roundedUp(std::uint64_t value, std::uint64_t step)
{
    return (value + step - 1) / step * step;
}

} // namespace dyno
