// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/value.h>

#include "base/nearest.h"
#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace dyno {

namespace {

bool equalIgnoringCase(std::string_view a, std::string_view b)
{
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (lowered(a[i]) != lowered(b[i]))
            return false;
    }
    return true;
}

std::optional<std::int64_t> parseInteger(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        return {};
    return value;
}

//! A finite decimal number that fills `text`; "inf" and "nan" are words, not numbers.
std::optional<double> parseReal(std::string_view text)
{
    if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string_view::npos)
        return {};
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return {};
    return value;
}

std::optional<bool> parseBool(std::string_view text)
{
    for (const char* word : {"true", "on", "yes", "1"}) {
        if (equalIgnoringCase(text, word))
            return true;
    }
    for (const char* word : {"false", "off", "no", "0"}) {
        if (equalIgnoringCase(text, word))
            return false;
    }
    return {};
}

//! The length of the number (digits and a point) at the start of `text`.
std::size_t numberLength(std::string_view text)
{
    const std::size_t end = text.find_first_not_of("0123456789.");
    return end == std::string_view::npos ? text.size() : end;
}

std::optional<std::int64_t> wholeOf(double value)
{
    // 2^63 itself is not representable as std::int64_t; both borders are exact doubles.
    if (!(value >= -0x1.0p63 && value < 0x1.0p63) || value != std::floor(value))
        return {};
    return static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> integerFrom(const Value& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return *integer;
    if (const auto* real = std::get_if<double>(&value))
        return wholeOf(*real);
    if (const auto* text = std::get_if<std::string>(&value)) {
        if (const auto integer = parseInteger(trimmed(*text)))
            return integer;
        if (const auto real = parseReal(trimmed(*text)))
            return wholeOf(*real);
    }
    return {};
}

std::optional<double> realFrom(const Value& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return double(*integer);
    if (const auto* real = std::get_if<double>(&value))
        return std::isfinite(*real) ? std::optional(*real) : std::nullopt;
    if (const auto* text = std::get_if<std::string>(&value))
        return parseReal(trimmed(*text));
    return {};
}

std::optional<bool> boolFrom(const Value& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag;
    if (const auto* text = std::get_if<std::string>(&value))
        return parseBool(trimmed(*text));
    const auto integer = integerFrom(value);
    if (integer && (*integer == 0 || *integer == 1))
        return *integer == 1;
    return {};
}

std::optional<std::int64_t> bytesFrom(const Value& value)
{
    if (const auto* text = std::get_if<std::string>(&value)) {
        if (const auto bytes = parseBytes(*text))
            return bytes;
    }
    return integerFrom(value);
}

std::optional<double> secondsFrom(const Value& value)
{
    if (const auto* text = std::get_if<std::string>(&value))
        return parseSeconds(*text);
    return realFrom(value);
}

//! A choice matches in any case; what boolFrom() takes matches the choice that spells it, since OFF and on read as
//! Bool, and a choice may have been a flag before.
std::optional<std::string> choiceFrom(const OptionSpec& option, const Value& value)
{
    const std::optional<bool> flag = boolFrom(value);
    const std::string text = toText(value);
    for (const std::string& choice : option.choices) {
        if (equalIgnoringCase(choice, trimmed(text)))
            return choice;
    }
    if (flag) {
        for (const std::string& choice : option.choices) {
            if (parseBool(choice) == *flag)
                return choice;
        }
    }
    return {};
}

std::string quoted(const Value& value)
{
    return std::holds_alternative<std::string>(value) ? fmt::format("\"{}\"", toText(value)) : toText(value);
}

//! "a whole number", "one of OFF, NORMAL, FULL": what the type takes, without its range.
std::string kindText(const OptionSpec& option)
{
    switch (option.type) {
    case OptionType::Bool:
        return "true or false";
    case OptionType::Integer:
        return "a whole number";
    case OptionType::Real:
        return "a number";
    case OptionType::Text:
        return "a text";
    case OptionType::Choice: {
        std::string all;
        for (const std::string& choice : option.choices)
            all += (all.empty() ? "" : ", ") + (choice.empty() ? std::string("nothing (\"\")") : choice);
        return "one of " + all;
    }
    case OptionType::Duration:
        return "a duration such as 30s, 2m or 500ms";
    case OptionType::Bytes:
        return "a size in bytes such as 4096, 64M or 1GiB";
    }
    return {};
}

//! A border as a person writes it: 1, 0.5, 1e+19.
std::string borderText(double border)
{
    const auto whole = wholeOf(border);
    return whole ? fmt::format("{}", *whole) : fmt::format("{}", border);
}

std::string rangeText(const OptionSpec& option)
{
    const std::string unit = option.unit.empty() ? std::string() : " " + option.unit;
    if (option.minimum && option.maximum)
        return fmt::format(" from {} to {}{}", borderText(*option.minimum), borderText(*option.maximum), unit);
    if (option.minimum)
        return fmt::format(" of at least {}{}", borderText(*option.minimum), unit);
    if (option.maximum)
        return fmt::format(" of at most {}{}", borderText(*option.maximum), unit);
    return {};
}

Error refusal(const OptionSpec& option, const Value& value)
{
    return {ErrorKind::BadInput, fmt::format("{} is not {}{}", quoted(value), kindText(option), rangeText(option)),
            option.name, fmt::format("give {}{}", kindText(option), rangeText(option))};
}

bool inRange(const OptionSpec& option, double value)
{
    return (!option.minimum || value >= *option.minimum) && (!option.maximum || value <= *option.maximum);
}

const Value* find(const Settings& settings, std::string_view name)
{
    const auto it = settings.find(name);
    return it == settings.end() ? nullptr : &it->second;
}

} // namespace

std::string toText(const Value& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "true" : "false";
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return fmt::format("{}", *integer);
    if (const auto* real = std::get_if<double>(&value)) {
        // The shortest form that reads back to the same number, and never one that reads back as an integer.
        std::string text = fmt::format("{}", *real);
        if (std::isfinite(*real) && text.find_first_of(".e") == std::string::npos)
            text += ".0";
        return text;
    }
    return std::get<std::string>(value);
}

Value parseValue(std::string_view text)
{
    const std::string_view word = trimmed(text);
    for (const char* yes : {"true", "on"}) {
        if (equalIgnoringCase(word, yes))
            return true;
    }
    for (const char* no : {"false", "off"}) {
        if (equalIgnoringCase(word, no))
            return false;
    }
    if (const auto integer = parseInteger(word))
        return *integer;
    if (const auto real = parseReal(word))
        return *real;
    return std::string(text);
}

bool sameValue(std::string_view a, std::string_view b)
{
    if (equalIgnoringCase(a, b))
        return true;
    if (const auto one = parseBool(a), other = parseBool(b); one && other)
        return *one == *other;
    if (const auto one = parseReal(a), other = parseReal(b); one && other)
        return *one == *other;
    const auto one = parseBytes(a), other = parseBytes(b);
    return one && other && *one == *other;
}

std::optional<std::int64_t> parseBytes(std::string_view text)
{
    const std::string_view word = trimmed(text);
    const std::size_t length = numberLength(word);
    const auto number = parseReal(word.substr(0, length));
    if (!number)
        return {};
    std::string_view unit = trimmed(word.substr(length));
    // K, KB and KiB all mean 1024, as in the servers' own option files.
    double factor = 1;
    if (!unit.empty()) {
        const std::size_t power = std::string_view("bkmgtp").find(lowered(unit.front()));
        if (power == std::string_view::npos)
            return {};
        factor = std::ldexp(1.0, int(power) * 10);
        unit.remove_prefix(1);
        if (!unit.empty() && (power == 0 || !(equalIgnoringCase(unit, "b") || equalIgnoringCase(unit, "ib"))))
            return {};
    }
    if (factor == 1) {
        // digits alone stay exact above 2^53
        if (const auto exact = parseInteger(word.substr(0, length)))
            return exact;
    }
    return wholeOf(*number * factor);
}

std::optional<double> parseSeconds(std::string_view text)
{
    std::string_view rest = trimmed(text);
    if (rest.empty())
        return {};
    double seconds = 0;
    double previousUnit = std::numeric_limits<double>::infinity();
    while (!rest.empty()) {
        const std::size_t length = numberLength(rest);
        const auto number = parseReal(rest.substr(0, length));
        if (!number)
            return {};
        rest = trimmed(rest.substr(length));
        const std::size_t unitEnd = rest.find_first_of("0123456789. \t");
        const std::string_view unit = rest.substr(0, unitEnd);
        rest = trimmed(rest.substr(unit.size()));
        double factor = 0;
        if (unit.empty() && rest.empty() && std::isinf(previousUnit))
            factor = 1; // a bare number is seconds, but not as the tail of "1m30"
        else if (unit == "us" || unit == "\u00b5s")
            factor = 1e-6;
        else if (unit == "ms")
            factor = 1e-3;
        else if (unit == "s" || unit == "sec")
            factor = 1;
        else if (unit == "m" || unit == "min")
            factor = 60;
        else if (unit == "h")
            factor = 3600;
        else if (unit == "d")
            factor = 86400;
        // Larger units first, each once: "1h30m", not "30m1h".
        if (factor <= 0 || factor >= previousUnit)
            return {};
        seconds += *number * factor;
        previousUnit = factor;
    }
    return seconds;
}

Expected<Value> coerce(const OptionSpec& option, const Value& value)
{
    switch (option.type) {
    case OptionType::Bool:
        if (const auto flag = boolFrom(value))
            return Value(*flag);
        break;
    case OptionType::Integer:
        if (const auto integer = integerFrom(value); integer && inRange(option, double(*integer)))
            return Value(*integer);
        break;
    case OptionType::Bytes:
        if (const auto bytes = bytesFrom(value); bytes && inRange(option, double(*bytes)))
            return Value(*bytes);
        break;
    case OptionType::Real:
        if (const auto real = realFrom(value); real && inRange(option, *real))
            return Value(*real);
        break;
    case OptionType::Duration:
        if (const auto seconds = secondsFrom(value); seconds && inRange(option, *seconds))
            return Value(*seconds);
        break;
    case OptionType::Choice:
        if (const auto choice = choiceFrom(option, value))
            return Value(*choice);
        break;
    case OptionType::Text:
        return Value(toText(value));
    }
    return fail(refusal(option, value));
}

Settings resolve(const OptionSpecs& options, const Settings& given, std::string_view where, Faults& faults)
{
    const std::string prefix = where.empty() || where.ends_with('.') ? std::string(where) : std::string(where) + ".";
    Settings settings;
    constexpr std::size_t kMostNames = 12; // of a longer list nobody reads more
    std::vector<std::string> names;
    for (const OptionSpec& option : options) {
        names.push_back(option.name);
        settings[option.name] = coerce(option, option.defaultValue).value_or(option.defaultValue);
    }
    for (const auto& [name, value] : given) {
        const auto option =
            std::find_if(options.begin(), options.end(), [&](const OptionSpec& o) { return o.name == name; });
        if (option == options.end()) {
            const std::string nearest = nearestName(name, names);
            std::string remedy = "there are no options here";
            if (!nearest.empty())
                remedy = fmt::format("did you mean \"{}\"?", nearest);
            else if (names.size() > kMostNames)
                remedy = fmt::format("there are {}, such as \"{}\"", names.size(), names.front());
            else if (!names.empty())
                remedy = fmt::format("known: {}", fmt::join(names, ", "));
            faults.push_back({.where = prefix + name,
                              .what = fmt::format("there is no option \"{}\"", name),
                              .remedy = std::move(remedy)});
            continue;
        }
        const Expected<Value> checked = coerce(*option, value);
        if (checked)
            settings[name] = *checked;
        else
            faults.push_back(
                {.where = prefix + name, .what = checked.error().message, .remedy = checked.error().remedy});
    }
    return settings;
}

bool boolOf(const Settings& settings, std::string_view name, bool fallback)
{
    const Value* value = find(settings, name);
    return value ? boolFrom(*value).value_or(fallback) : fallback;
}

std::int64_t integerOf(const Settings& settings, std::string_view name, std::int64_t fallback)
{
    const Value* value = find(settings, name);
    if (!value)
        return fallback;
    if (const auto* flag = std::get_if<bool>(value))
        return *flag ? 1 : 0;
    return bytesFrom(*value).value_or(fallback);
}

double realOf(const Settings& settings, std::string_view name, double fallback)
{
    const Value* value = find(settings, name);
    if (!value)
        return fallback;
    if (const auto real = realFrom(*value))
        return *real;
    return secondsFrom(*value).value_or(fallback);
}

std::string textOf(const Settings& settings, std::string_view name, std::string_view fallback)
{
    const Value* value = find(settings, name);
    return value ? toText(*value) : std::string(fallback);
}

} // namespace dyno
