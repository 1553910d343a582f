// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/field_values.h"

#include "base/text.h"
#include "plan/plan_fields.h"

#include <algorithm>
#include <cmath>

namespace dyno {

tl::unexpected<Error> badValue(std::string message, std::string remedy)
{
    return fail({ErrorKind::BadInput, std::move(message), {}, std::move(remedy)});
}

Expected<std::int64_t> integerFrom(const Value& value, std::int64_t low, std::int64_t high, std::string_view unit)
{
    const auto remedy = [&] { return fmt::format("a whole number from {} to {}{}", low, high, unit); };
    const Value parsed = std::holds_alternative<std::string>(value) ? parseValue(std::get<std::string>(value)) : value;
    const auto* number = std::get_if<std::int64_t>(&parsed);
    if (!number)
        return badValue(fmt::format("\"{}\" is not a whole number", toText(value)), remedy());
    if (*number < low || *number > high)
        return badValue(fmt::format("{} is out of range", *number), remedy());
    return *number;
}

Expected<double> durationFrom(const Value& value, double low, double high)
{
    const auto remedy = [&] {
        return fmt::format("a duration from {} to {} s, such as \"30s\", \"2m\" or 30", low, high);
    };
    std::optional<double> seconds;
    if (const auto* text = std::get_if<std::string>(&value))
        seconds = parseSeconds(*text);
    else if (const auto* whole = std::get_if<std::int64_t>(&value))
        seconds = double(*whole);
    else if (const auto* real = std::get_if<double>(&value))
        seconds = *real;
    if (!seconds || !std::isfinite(*seconds))
        return badValue(fmt::format("\"{}\" is not a duration", toText(value)), remedy());
    if (*seconds < low || *seconds > high)
        return badValue(fmt::format("{} s is out of range", *seconds), remedy());
    return *seconds;
}

Expected<std::vector<int>> userListFrom(const Value& value)
{
    const auto* text = std::get_if<std::string>(&value);
    std::vector<int> users;
    if (!text) {
        const auto one = usersFrom(value);
        if (!one)
            return tl::unexpected(one.error());
        users.push_back(*one);
        return users;
    }
    std::string_view rest = *text;
    while (true) {
        const std::size_t end = rest.find_first_of(",;");
        std::string_view item = rest.substr(0, end);
        while (!item.empty() && item.front() == ' ')
            item.remove_prefix(1);
        while (!item.empty() && item.back() == ' ')
            item.remove_suffix(1);
        const auto one = usersFrom(std::string(item));
        if (!one)
            return tl::unexpected(one.error());
        users.push_back(*one);
        if (end == std::string_view::npos)
            return users;
        rest.remove_prefix(end + 1);
    }
}

Expected<double> realFrom(const Value& value, double low, double high, std::string_view unit)
{
    const auto remedy = [&] { return fmt::format("a number from {:g} to {:g}{}", low, high, unit); };
    const Value parsed = std::holds_alternative<std::string>(value) ? parseValue(std::get<std::string>(value)) : value;
    double number = 0;
    if (const auto* whole = std::get_if<std::int64_t>(&parsed))
        number = double(*whole);
    else if (const auto* real = std::get_if<double>(&parsed))
        number = *real;
    else
        return badValue(fmt::format("\"{}\" is not a number", toText(value)), remedy());
    if (!(number >= low && number <= high))
        return badValue(fmt::format("{:g} is out of range", number), remedy());
    return number;
}

Expected<bool> flagFrom(const Value& value)
{
    const Value parsed = std::holds_alternative<std::string>(value) ? parseValue(std::get<std::string>(value)) : value;
    if (const auto* flag = std::get_if<bool>(&parsed))
        return *flag;
    return badValue(fmt::format("\"{}\" is neither true nor false", toText(value)), "true or false");
}

Expected<std::vector<RateStep>> stepsFrom(const Value& value)
{
    const std::string text = toText(value);
    const auto wrong = [&](std::string_view part) {
        return badValue(fmt::format("\"{}\" is not a step", part),
                        "steps are RATE:TIME, such as \"500:10s, 1000:10s\"");
    };
    std::vector<RateStep> steps;
    std::string_view rest = text;
    while (!trimmed(rest).empty()) {
        const std::size_t end = rest.find(',');
        const std::string_view part = trimmed(rest.substr(0, end));
        const std::size_t colon = part.find(':');
        if (colon == std::string_view::npos)
            return wrong(part);
        const auto rate = realFrom(std::string(trimmed(part.substr(0, colon))), 0, kMaxRate, " a second");
        const auto time = durationFrom(std::string(trimmed(part.substr(colon + 1))), 0, kMaxSeconds);
        if (!rate || !time || *time <= 0)
            return wrong(part);
        steps.push_back({*rate, *time});
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    return steps;
}

Expected<std::vector<std::string>> namesFrom(const Value& value)
{
    constexpr std::size_t kMostNames = 50, kLongestName = 120; // a stranger's plan has some too
    const std::string text = toText(value);
    std::vector<std::string> names;
    std::string_view rest = text;
    while (!trimmed(rest).empty()) {
        const std::size_t end = rest.find(',');
        const std::string_view name = trimmed(rest.substr(0, end));
        const auto isControl = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; };
        if (name.empty() || name.size() > kLongestName || std::ranges::any_of(name, isControl))
            return badValue(fmt::format("name {} of the list is empty, too long or not printable", names.size() + 1),
                            "names such as \"Key_reads, Innodb_log_waits\"");
        if (names.size() == kMostNames)
            return badValue("the list of names is too long", fmt::format("at most {} names", kMostNames));
        names.emplace_back(name);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    return names;
}

Expected<Objective> objectiveFrom(const Value& value)
{
    const std::string text = toText(value);
    std::string_view rest = trimmed(text);
    if (rest.empty())
        return Objective();
    const auto wrong = [&] {
        return badValue(fmt::format("\"{}\" is not an objective", text),
                        "a percentile and a time, such as \"p99 <= 20ms\", \"p99.9 <= 0.1s\" or \"max <= 1s\"");
    };
    const std::size_t sign = rest.find_first_of("<=");
    if (sign == std::string_view::npos)
        return wrong();
    const std::string_view name = trimmed(rest.substr(0, sign));
    rest.remove_prefix(sign);
    while (!rest.empty() && (rest.front() == '<' || rest.front() == '='))
        rest.remove_prefix(1);
    Objective objective;
    if (name == "max") {
        objective.percentile = 100;
    } else if (name == "p999") {
        objective.percentile = 99.9; // as in the JSON of a result
    } else {
        const auto percentile = name.starts_with('p') ? realFrom(std::string(name.substr(1)), 1, 100, "") : wrong();
        if (!percentile)
            return wrong();
        objective.percentile = *percentile;
    }
    const auto seconds = durationFrom(std::string(trimmed(rest)), 0, 3600);
    if (!seconds || *seconds <= 0)
        return wrong();
    objective.limitMs = *seconds * 1e3;
    return objective;
}

Expected<Search> searchFrom(const Value& value, Search search)
{
    const std::string text = toText(value);
    std::string_view rest = trimmed(text);
    search.what = Search::What::Nothing;
    if (rest.empty())
        return search;
    const auto wrong = [&] {
        return badValue(fmt::format("\"{}\" is not a search", text),
                        "what and from where to where: \"rate 100..20000\" or \"users 1..256\"");
    };
    const bool users = rest.starts_with("users ");
    if (!users && !rest.starts_with("rate "))
        return wrong();
    rest.remove_prefix(users ? 6 : 5);
    const std::size_t dots = rest.find("..");
    if (dots == std::string_view::npos)
        return wrong();
    const double most = users ? double(kMaxUsers) : kMaxRate;
    const auto from = realFrom(std::string(trimmed(rest.substr(0, dots))), users ? 1 : 1e-3, most, "");
    const auto to = realFrom(std::string(trimmed(rest.substr(dots + 2))), users ? 1 : 1e-3, most, "");
    if (!from || !to || *from >= *to || (users && (*from != std::floor(*from) || *to != std::floor(*to))))
        return wrong();
    search.what = users ? Search::What::Users : Search::What::Rate;
    search.from = *from;
    search.to = *to;
    return search;
}

tl::unexpected<Error> notAChoice(std::string_view text, const std::vector<std::string>& words)
{
    return badValue(fmt::format("\"{}\" is not one of the choices", text), suggestion(text, words));
}

} // namespace dyno
