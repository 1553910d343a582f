// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_fields.h"

#include "server/knob_guard.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::array kKnobScopes{"server", "connection", "table", "client", "host"};

tl::unexpected<Error> bad(std::string message, std::string remedy)
{
    return fail({ErrorKind::BadInput, std::move(message), {}, std::move(remedy)});
}

Expected<std::int64_t> integerFrom(const Value& value, std::int64_t low, std::int64_t high, std::string_view unit)
{
    const auto remedy = [&] { return fmt::format("a whole number from {} to {}{}", low, high, unit); };
    const Value parsed = std::holds_alternative<std::string>(value) ? parseValue(std::get<std::string>(value)) : value;
    const auto* number = std::get_if<std::int64_t>(&parsed);
    if (!number)
        return bad(fmt::format("\"{}\" is not a whole number", toText(value)), remedy());
    if (*number < low || *number > high)
        return bad(fmt::format("{} is out of range", *number), remedy());
    return *number;
}

Expected<double> secondsFrom(const Value& value, double low, double high)
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
        return bad(fmt::format("\"{}\" is not a duration", toText(value)), remedy());
    if (*seconds < low || *seconds > high)
        return bad(fmt::format("{} s is out of range", *seconds), remedy());
    return *seconds;
}

template<class Enum, std::size_t N>
Expected<Enum> wordFrom(std::string_view text, const std::array<Enum, N>& all)
{
    std::vector<std::string> words;
    for (const Enum value : all) {
        if (text == toText(value))
            return value;
        words.emplace_back(toText(value));
    }
    return bad(fmt::format("\"{}\" is not one of the choices", text), suggestion(text, words));
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

//! Copies an Expected's value into `into`, or hands its error on.
template<class From, class To>
Expected<void> store(const Expected<From>& from, To& into)
{
    if (!from)
        return tl::unexpected(from.error());
    into = static_cast<To>(*from);
    return {};
}

} // namespace

const char* toText(RunOrder order)
{
    switch (order) {
    case RunOrder::AsListed:
        return "as-listed";
    case RunOrder::Interleaved:
        return "interleaved";
    case RunOrder::Shuffled:
        return "shuffled";
    }
    return "";
}

const char* toText(ExecutorKind executor)
{
    switch (executor) {
    case ExecutorKind::Auto:
        return "auto";
    case ExecutorKind::Threads:
        return "threads";
    case ExecutorKind::Loops:
        return "loops";
    }
    return "";
}

const char* toText(PreparePolicy policy)
{
    switch (policy) {
    case PreparePolicy::Auto:
        return "auto";
    case PreparePolicy::Never:
        return "never";
    case PreparePolicy::Always:
        return "always";
    }
    return "";
}

ScopedName splitScope(std::string_view key)
{
    const std::size_t dot = key.find('.');
    if (dot == std::string_view::npos)
        return {{}, key};
    return {key.substr(0, dot), key.substr(dot + 1)};
}

bool isKnobScope(std::string_view scope)
{
    return std::find(kKnobScopes.begin(), kKnobScopes.end(), scope) != kKnobScopes.end();
}

const std::vector<std::string>& allScopes()
{
    static const std::vector<std::string> scopes{"target", "server", "connection", "table",
                                                 "client", "host",   "workload",   "load"};
    return scopes;
}

const std::vector<std::string>& loadFields()
{
    static const std::vector<std::string> fields{"users",   "time",  "events", "warmup",   "interval",
                                                 "repeats", "order", "seed",   "executor", "loaders"};
    return fields;
}

const std::vector<std::string>& loadFieldsOfCases()
{
    static const std::vector<std::string> fields{"users", "time", "events", "warmup", "interval", "seed", "executor"};
    return fields;
}

std::string laterLoadField(std::string_view name)
{
    static const std::vector<std::string> later{"rate",       "arrival", "arrivals", "ramp",
                                                "think_time", "pacing",  "search"};
    if (std::find(later.begin(), later.end(), name) == later.end())
        return {};
    return "only the closed loop is in this version: each user sends its next transaction when the last one is done";
}

Expected<int> usersFrom(const Value& value)
{
    const auto number = integerFrom(value, 1, kMaxUsers, " users");
    if (!number)
        return tl::unexpected(number.error());
    return int(*number);
}

Expected<PreparePolicy> prepareFrom(std::string_view text)
{
    return wordFrom(text, std::array{PreparePolicy::Auto, PreparePolicy::Never, PreparePolicy::Always});
}

Expected<void> setLoadField(LoadProfile& load, std::string_view name, const Value& value)
{
    if (name == "users")
        return store(userListFrom(value), load.users);
    if (name == "time")
        return store(secondsFrom(value, 0, kMaxSeconds), load.timeSeconds);
    if (name == "events")
        return store(integerFrom(value, 0, std::int64_t(1) << 53, " transactions"), load.events);
    if (name == "warmup")
        return store(secondsFrom(value, 0, kMaxSeconds), load.warmupSeconds);
    if (name == "interval")
        return store(secondsFrom(value, 0.1, 10), load.intervalSeconds);
    if (name == "repeats")
        return store(integerFrom(value, 1, kMaxRepeats, ""), load.repeats);
    if (name == "order")
        return store(wordFrom(toText(value), std::array{RunOrder::AsListed, RunOrder::Interleaved, RunOrder::Shuffled}),
                     load.order);
    if (name == "seed")
        return store(integerFrom(value, 0, INT64_MAX, ""), load.seed);
    if (name == "loaders")
        return store(integerFrom(value, 0, 1024, " sessions, 0 for one a core"), load.loaders);
    if (name == "executor") {
        auto kind = wordFrom(toText(value), std::array{ExecutorKind::Auto, ExecutorKind::Threads, ExecutorKind::Loops});
        if (kind && *kind == ExecutorKind::Loops)
            return bad("event loops are not in this version", "use \"threads\" or \"auto\"");
        return store(kind, load.executor);
    }
    if (const std::string later = laterLoadField(name); !later.empty())
        return bad(fmt::format("there is no load.{} in this version", name), later);
    return bad(fmt::format("there is no load.{}", name), suggestion(name, loadFields()));
}

Expected<void> applyToPoint(PointSpec& point, std::string_view key, const Value& value)
{
    const auto [scope, name] = splitScope(key);
    const auto put = [&, n = name](Settings& settings) -> Expected<void> {
        settings.insert_or_assign(std::string(n), value);
        return {};
    };
    if (scope == "server")
        return put(point.server);
    if (scope == "connection")
        return put(point.connection);
    if (scope == "table")
        return put(point.table);
    if (scope == "client")
        return put(point.client);
    if (scope == "host")
        return put(point.host);
    if (scope == "load") {
        const auto& allowed = loadFieldsOfCases();
        if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
            const auto& all = loadFields();
            if (std::find(all.begin(), all.end(), name) != all.end())
                return bad(fmt::format("load.{} holds for the whole plan", name), "write it under [load]");
            LoadProfile scratch;
            return setLoadField(scratch, name, value);
        }
        if (name == "users") {
            const auto one = usersFrom(value);
            if (!one)
                return tl::unexpected(one.error());
            point.load.users = {*one};
            return {};
        }
        return setLoadField(point.load, name, value);
    }
    if (scope == "target") {
        if (name != "uri")
            return bad(fmt::format("there is no target.{}", name), "a target has one field: target.uri");
        const auto* text = std::get_if<std::string>(&value);
        if (!text)
            return bad("a target's URI is text", "such as \"sqlite:data.db\"");
        point.target.uri = *text;
        return {};
    }
    if (scope == "workload") {
        if (name != "name")
            return put(point.workload.params);
        const auto* text = std::get_if<std::string>(&value);
        if (!text)
            return bad("a workload's name is text", "such as \"oltp_read_write\"");
        point.workload.name = *text;
        return {};
    }
    if (scope.empty())
        return bad(fmt::format("\"{}\" has no scope", key),
                   fmt::format("write SCOPE.{}, with a scope of: {}", name, joined(allScopes())));
    return bad(fmt::format("there is no scope \"{}\"", scope), suggestion(scope, allScopes()));
}

const OptionSpec* knobOption(std::string_view driver, std::string_view scope, std::string_view name)
{
    if (const KnobInfo* knob = findKnob(driver, scope, name))
        return &knob->option;
    if (scope != "connection")
        return nullptr;
    const DriverInfo* info = findDriver(driver);
    if (!info)
        return nullptr;
    const auto found = std::find_if(info->connection.begin(), info->connection.end(),
                                    [&](const OptionSpec& option) { return option.name == name; });
    return found == info->connection.end() ? nullptr : &*found;
}

std::vector<std::string> knobNames(std::string_view driver, std::string_view scope)
{
    std::vector<std::string> names;
    for (const KnobInfo& knob : knobs(driver)) {
        if (knob.scope == scope)
            names.push_back(knob.option.name);
    }
    return names;
}

bool takesFreeVariables(std::string_view driver, std::string_view scope)
{
    return driver == "mysql" && (scope == "server" || scope == "connection");
}

} // namespace dyno
