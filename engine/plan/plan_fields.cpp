// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_fields.h"

#include "server/knob_guard.h"
#include "base/text.h"

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
        return bad(fmt::format("\"{}\" is not a number", toText(value)), remedy());
    if (!(number >= low && number <= high))
        return bad(fmt::format("{:g} is out of range", number), remedy());
    return number;
}

Expected<bool> flagFrom(const Value& value)
{
    const Value parsed = std::holds_alternative<std::string>(value) ? parseValue(std::get<std::string>(value)) : value;
    if (const auto* flag = std::get_if<bool>(&parsed))
        return *flag;
    return bad(fmt::format("\"{}\" is neither true nor false", toText(value)), "true or false");
}

//! "500:10s, 1000:10s"
Expected<std::vector<RateStep>> stepsFrom(const Value& value)
{
    const std::string text = toText(value);
    const auto wrong = [&](std::string_view part) {
        return bad(fmt::format("\"{}\" is not a step", part), "steps are RATE:TIME, such as \"500:10s, 1000:10s\"");
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
        const auto time = secondsFrom(std::string(trimmed(part.substr(colon + 1))), 0, kMaxSeconds);
        if (!rate || !time || *time <= 0)
            return wrong(part);
        steps.push_back({*rate, *time});
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    return steps;
}

//! "p99 <= 20ms"; "" for none.
Expected<Objective> objectiveFrom(const Value& value)
{
    const std::string text = toText(value);
    std::string_view rest = trimmed(text);
    if (rest.empty())
        return Objective();
    const auto wrong = [&] {
        return bad(fmt::format("\"{}\" is not an objective", text),
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
    const auto seconds = secondsFrom(std::string(trimmed(rest)), 0, 3600);
    if (!seconds || *seconds <= 0)
        return wrong();
    objective.limitMs = *seconds * 1e3;
    return objective;
}

//! "rate 100..20000", "users 1..256"; "" for none. Keeps the other fields of `search`.
Expected<Search> searchFrom(const Value& value, Search search)
{
    const std::string text = toText(value);
    std::string_view rest = trimmed(text);
    search.what = Search::What::Nothing;
    if (rest.empty())
        return search;
    const auto wrong = [&] {
        return bad(fmt::format("\"{}\" is not a search", text), "what and from where to where: \"rate 100..20000\" or \"users 1..256\"");
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

const std::vector<std::string>& targetFields()
{
    static const std::vector<std::string> fields{"uri", "cost_per_hour", "watts", "currency"};
    return fields;
}

Expected<void> setTargetField(TargetSpec& target, std::string_view name, const Value& value)
{
    const auto* text = std::get_if<std::string>(&value);
    if (name == "uri") {
        if (!text)
            return bad("a target's URI is text", "such as \"sqlite:data.db\"");
        target.uri = *text;
        return {};
    }
    if (name == "cost_per_hour")
        return store(realFrom(value, 0, kMaxPrice, " an hour; 0 when it is not known"), target.price.costPerHour);
    if (name == "watts")
        return store(realFrom(value, 0, kMaxPrice, " W; 0 when they are not known"), target.price.watts);
    if (name == "currency") {
        constexpr std::size_t kLongest = 12; // bytes: "$", "€", "EUR", "credits"
        if (!text || trimmed(*text).empty() || text->size() > kLongest)
            return bad(fmt::format("\"{}\" is not a currency", toText(value)),
                       "a short name as it is to be shown, such as \"$\", \"€\" or \"CHF\"");
        target.price.currency = trimmed(*text);
        return {};
    }
    return bad(fmt::format("there is no target.{}", name), suggestion(name, targetFields()));
}

const std::vector<std::string>& loadFields()
{
    static const std::vector<std::string> fields{
        "users",  "time",    "events",    "rows",   "warmup",  "warmup_events", "warmup_max", "interval", "repeats", "order",
        "seed",   "executor", "loops",    "loaders", "arrival", "rate",         "rate_to",    "steps",    "think_time",
        "backlog", "objective", "search", "search_time", "search_precision", "search_confirm", "steady_window", "steady_slope",
        "steady_deviation", "stop_when_steady", "stop_on_objective", "reconnect", "restart", "data", "counters"};
    return fields;
}

const std::vector<std::string>& loadFieldsOfCases()
{
    // What holds for the plan as a whole: the order of runs, how data is loaded, how results are judged.
    static const std::vector<std::string> fields = [] {
        std::vector<std::string> some;
        for (const std::string& field : loadFields()) {
            if (field != "repeats" && field != "order" && field != "loaders" && field != "restart" && field != "data")
                some.push_back(field);
        }
        return some;
    }();
    return fields;
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
    return wordFrom(text, std::array{PreparePolicy::Auto, PreparePolicy::Never, PreparePolicy::Always, PreparePolicy::Use});
}

Expected<Centre> centreFrom(std::string_view text)
{
    return wordFrom(text, std::array{Centre::Mean, Centre::Median});
}

Expected<RelativeTo> relativeToFrom(std::string_view text)
{
    return wordFrom(text, std::array{RelativeTo::Baseline, RelativeTo::Best});
}

Expected<double> viewSecondsFrom(const Value& value)
{
    return secondsFrom(value, 0, kMaxSeconds);
}

namespace {

//! The fields of the arrival model. An error says when `name` is none of them: false.
Expected<bool> setArrivalField(LoadProfile& load, std::string_view name, const Value& value)
{
    Arrival& arrival = load.arrival;
    const auto done = [](const Expected<void>& set) -> Expected<bool> {
        if (!set)
            return tl::unexpected(set.error());
        return true;
    };
    //! A rate alone means an open loop, as sysbench's --rate does.
    const auto opens = [&](const Expected<void>& set, bool given) -> Expected<bool> {
        if (set && given && !arrival.open())
            arrival.model = ArrivalModel::Poisson;
        return done(set);
    };
    if (name == "arrival")
        return done(store(wordFrom(toText(value), std::array{ArrivalModel::Closed, ArrivalModel::Fixed, ArrivalModel::Poisson}),
                          arrival.model));
    if (name == "rate") {
        const auto set = store(realFrom(value, 0, kMaxRate, " a second"), arrival.rate);
        return opens(set, arrival.rate > 0);
    }
    if (name == "rate_to") {
        const auto set = store(realFrom(value, 0, kMaxRate, " a second"), arrival.rateTo);
        return opens(set, arrival.rateTo > 0);
    }
    if (name == "steps") {
        const auto set = store(stepsFrom(value), arrival.steps);
        if (set && !arrival.steps.empty()) {
            load.timeSeconds = 0;
            for (const RateStep& step : arrival.steps)
                load.timeSeconds += step.seconds;
        }
        return opens(set, !arrival.steps.empty());
    }
    if (name == "think_time")
        return done(store(secondsFrom(value, 0, 3600), arrival.thinkSeconds));
    if (name == "backlog")
        return done(store(integerFrom(value, 0, 1 << 24, " arrivals"), arrival.backlog));
    return false;
}

//! The fields of warm-up, objective, search and the further ends of a run.
Expected<bool> setEndField(LoadProfile& load, std::string_view name, const Value& value)
{
    const auto done = [](const Expected<void>& set) -> Expected<bool> {
        if (!set)
            return tl::unexpected(set.error());
        return true;
    };
    if (name == "warmup") {
        load.warmupUntilSteady = toText(value) == "steady";
        if (load.warmupUntilSteady) {
            load.warmupSeconds = 0;
            return true;
        }
        return done(store(secondsFrom(value, 0, kMaxSeconds), load.warmupSeconds));
    }
    if (name == "warmup_events")
        return done(store(integerFrom(value, 0, std::int64_t(1) << 53, " transactions"), load.warmupEvents));
    if (name == "warmup_max")
        return done(store(secondsFrom(value, 1, kMaxSeconds), load.warmupMaxSeconds));
    if (name == "rows")
        return done(store(integerFrom(value, 0, std::int64_t(1) << 53, " rows"), load.rows));
    if (name == "objective")
        return done(store(objectiveFrom(value), load.objective));
    if (name == "search") {
        const auto set = store(searchFrom(value, load.search), load.search);
        if (set && load.search.what == Search::What::Rate && !load.arrival.open())
            load.arrival.model = ArrivalModel::Poisson;
        return done(set);
    }
    if (name == "search_time")
        return done(store(secondsFrom(value, 0.2, kMaxSeconds), load.search.probeSeconds));
    if (name == "search_precision")
        return done(store(realFrom(value, 0.001, 1, ""), load.search.precision));
    if (name == "search_confirm")
        return done(store(integerFrom(value, 0, 20, " probes"), load.search.confirm));
    if (name == "steady_window")
        return done(store(secondsFrom(value, 0.5, 3600), load.steady.windowSeconds));
    if (name == "steady_slope")
        return done(store(realFrom(value, 0.001, 1, " of the mean"), load.steady.slope));
    if (name == "steady_deviation")
        return done(store(realFrom(value, 0.001, 1, " of the mean"), load.steady.deviation));
    if (name == "stop_when_steady")
        return done(store(integerFrom(value, 0, 1000, " windows"), load.stopAfterSteady));
    if (name == "stop_on_objective")
        return done(store(flagFrom(value), load.stopOnObjective));
    if (name == "counters")
        return done(store(flagFrom(value), load.counters));
    if (name == "reconnect")
        return done(store(secondsFrom(value, 0, 3600), load.reconnectSeconds));
    return false;
}

} // namespace

double plannedSeconds(const LoadProfile& load)
{
    const Search& search = load.search;
    if (search.what != Search::What::Nothing) {
        const double halves = std::log2(std::max(1.0, std::log(search.to / search.from) / std::log1p(search.precision)));
        return (2 + std::ceil(halves) + search.confirm) * search.probeSeconds + load.timeSeconds;
    }
    const double warm = load.warmupUntilSteady ? std::min(load.warmupMaxSeconds, 2 * load.steady.windowSeconds) : load.warmupSeconds;
    return warm + load.timeSeconds;
}

Expected<void> setLoadField(LoadProfile& load, std::string_view name, const Value& value)
{
    if (name == "users")
        return store(userListFrom(value), load.users);
    if (name == "time")
        return store(secondsFrom(value, 0, kMaxSeconds), load.timeSeconds);
    if (name == "events")
        return store(integerFrom(value, 0, std::int64_t(1) << 53, " transactions"), load.events);
    if (name == "interval")
        return store(secondsFrom(value, 0.1, 10), load.intervalSeconds);
    if (name == "repeats")
        return store(integerFrom(value, 1, kMaxRepeats, ""), load.repeats);
    if (name == "order")
        return store(wordFrom(toText(value), std::array{RunOrder::AsListed, RunOrder::Interleaved, RunOrder::Shuffled,
                                                          RunOrder::FewestRestarts}),
                     load.order);
    if (name == "restart")
        return store(wordFrom(toText(value), std::array{RestartPolicy::WhenNeeded, RestartPolicy::EachPoint,
                                                          RestartPolicy::EachRun}),
                     load.restart);
    if (name == "data")
        return store(wordFrom(toText(value), std::array{DataPolicy::Keep, DataPolicy::Restore}), load.data);
    if (name == "seed")
        return store(integerFrom(value, 0, INT64_MAX, ""), load.seed);
    if (name == "loaders")
        return store(integerFrom(value, 0, 1024, " sessions, 0 for one a core"), load.loaders);
    if (name == "loops")
        return store(integerFrom(value, 0, kMostLoops, " threads, 0 for half the cores"), load.loops);
    if (name == "executor")
        return store(wordFrom(toText(value), std::array{ExecutorKind::Auto, ExecutorKind::Threads, ExecutorKind::Loops}),
                     load.executor);
    for (const auto set : {setArrivalField, setEndField}) {
        const Expected<bool> known = set(load, name, value);
        if (!known)
            return tl::unexpected(known.error());
        if (*known)
            return {};
    }
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
    if (scope == "target")
        return setTargetField(point.target, name, value);
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
    const DriverInfo* info = findDriver(driver);
    return info && info->freeVariables && (scope == "server" || scope == "connection");
}

std::string otherOwner(std::string_view driver, std::string_view scope, std::string_view name)
{
    if (knobOption(driver, scope, name))
        return {};
    const auto& all = knobCatalog();
    const auto owner = std::ranges::find_if(all, [&](const KnobInfo& knob) {
        return !knob.driver.empty() && knob.driver != driver && knob.scope == scope &&
               findKnob(knob.driver, scope, name) == &knob;
    });
    return owner == all.end() ? std::string() : owner->driver;
}

} // namespace dyno
