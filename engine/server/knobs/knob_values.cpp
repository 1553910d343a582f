// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/knobs/knob_values.h"
#include "base/text.h"
#include <dyno/server_variables.h>

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <thread>
#include <vector>

namespace dyno {

namespace {

std::optional<bool> switchOf(std::string_view word)
{
    if (word == "on" || word == "1" || word == "true" || word == "yes")
        return true;
    if (word == "off" || word == "0" || word == "false" || word == "no")
        return false;
    return {};
}

std::optional<double> numberOf(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return {};
    return value;
}

std::vector<std::string_view> items(std::string_view text)
{
    std::vector<std::string_view> result;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string_view item = text.substr(0, comma);
        if (!item.empty())
            result.push_back(item);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
    return result;
}

bool allIn(const std::vector<std::string_view>& some, const std::vector<std::string_view>& all)
{
    return std::all_of(some.begin(), some.end(),
                       [&](std::string_view item) { return std::find(all.begin(), all.end(), item) != all.end(); });
}

//! An item of optimizer_switch and its like: what such a list does not name stays as it is.
bool isSwitch(std::string_view item)
{
    return item.ends_with("=on") || item.ends_with("=off");
}

} // namespace

bool sameSetting(const Value& wanted, std::string_view actual)
{
    const std::string want = lowered(toText(wanted));
    const std::string have = lowered(actual);
    if (sameValue(want, have))
        return true;
    const auto there = items(have);
    const auto asked = items(want);
    if (asked.empty() || !allIn(asked, there))
        return false;
    return std::all_of(asked.begin(), asked.end(), isSwitch) || allIn(there, asked);
}

std::string printedLike(const Value& wanted, std::string_view now)
{
    if (const auto* flag = std::get_if<bool>(&wanted))
        return numberOf(now) ? (*flag ? "1" : "0") : (*flag ? "ON" : "OFF");
    std::string text = toText(wanted);
    const std::string word = lowered(text);
    if (now == "ON" || now == "OFF") {
        const auto on = switchOf(word);
        return on ? (*on ? "ON" : "OFF") : text;
    }
    if (!numberOf(now))
        return text;
    if (const auto number = numberOf(word); number && now.find('.') != now.npos)
        return fmt::format("{:.6f}", *number);
    if (const auto bytes = numberOf(word) ? std::nullopt : parseBytes(word))
        return std::to_string(*bytes);
    return text;
}

Error notTaken(std::string_view name, const Value& wanted, std::string_view actual)
{
    return {ErrorKind::Refused,
            fmt::format("{}={} was asked for, but {}={} is in force", name, toText(wanted), name, actual),
            {},
            fmt::format("the server rounds or limits it: write {}={}, or another value that it takes", name, actual)};
}

Expected<std::string> setAndVerify(Admin& admin, std::string_view name, const Value& value,
                                   std::chrono::milliseconds patience)
{
    if (auto set = admin.setVariable(name, value); !set)
        return fail(std::move(set.error()));
    const auto until = std::chrono::steady_clock::now() + patience;
    // Only these are changed in the background; any other that shows a wrong value was rounded.
    const bool mayTakeTime = std::ranges::any_of(serverVariables(), [name](const ServerVariables& one) {
        return std::ranges::find(one.slow, name) != one.slow.end();
    });
    while (true) {
        auto actual = admin.variable(name);
        if (!actual || sameSetting(value, *actual) || lowered(toText(value)) == "default")
            return actual;
        if (!mayTakeTime || std::chrono::steady_clock::now() > until)
            return fail(notTaken(name, value, *actual));
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

std::string unfitText(std::string_view name, std::string_view value)
{
    if (hasControlByte(value))
        return fmt::format("{} holds a line break or another control character", name);
    // At its longest: each of these is written with a backslash before it.
    const auto escaped = std::count_if(value.begin(), value.end(), [](char c) { return c == '"' || c == '\\'; });
    if (name.size() + value.size() + std::size_t(escaped) + std::string_view("=\"\"").size() > kLongestOptionLine)
        return fmt::format(
            "{} is longer than a line of an option file may be ({} bytes): the server would read the rest "
            "as another setting",
            name, kLongestOptionLine);
    return {};
}

} // namespace dyno
