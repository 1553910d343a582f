// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/load_fields.h>

#include "plan/field_values.h"
#include "plan/plan_fields.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <type_traits>

namespace dyno {

namespace {

constexpr std::int64_t kMostCounted = std::int64_t(1) << 53; //!< what a double holds exactly

//! A number or flag of a profile. `member`: [](auto& load) -> auto& { return load.events; }
template<class Member>
Value valueOf(const LoadProfile& load, Member member)
{
    const auto& value = member(load);
    using T = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double>)
        return value;
    else
        return static_cast<std::int64_t>(value);
}

//! What an older or damaged file holds is not checked here: only that it is a number that fits.
template<class T>
void assign(T& into, const Value& value)
{
    if constexpr (std::is_same_v<T, bool>) {
        if (const auto* flag = std::get_if<bool>(&value))
            into = *flag;
    } else if constexpr (std::is_same_v<T, double>) {
        if (const auto* real = std::get_if<double>(&value))
            into = *real;
        else if (const auto* whole = std::get_if<std::int64_t>(&value))
            into = double(*whole);
    } else {
        if (const auto* whole = std::get_if<std::int64_t>(&value))
            into = static_cast<T>(*whole);
        else if (const auto* real = std::get_if<double>(&value); real && std::abs(*real) < double(kMostCounted))
            into = static_cast<T>(static_cast<std::int64_t>(*real));
    }
}

template<class Member>
LoadField::Stored storedAs(std::string path, Member member)
{
    return {std::move(path), [member](const LoadProfile& load) { return valueOf(load, member); },
            [member](LoadProfile& load, const Value& value) { assign(member(load), value); }};
}

//! A word is stored as its number, `last` the highest that there is.
template<class Enum, class Member>
LoadField::Stored storedWord(std::string path, Member member, Enum last)
{
    return {std::move(path), [member](const LoadProfile& load) { return valueOf(load, member); },
            [member, last](LoadProfile& load, const Value& value) {
                int number = static_cast<int>(member(load));
                assign(number, value);
                member(load) = static_cast<Enum>(std::clamp(number, 0, static_cast<int>(last)));
            }};
}

//! "0.1 to 10 s", "0 or more" where only a mistake is larger than the limit.
std::string rangeText(double low, double high, std::string_view unit)
{
    constexpr double kLimitOfMistakes = 1e9;
    const std::string after(unit.substr(0, unit.find(','))); // what 0 means stands in the help
    return high >= kLimitOfMistakes ? fmt::format("{} or more{}", low, after)
                                    : fmt::format("{} to {}{}", low, high, after);
}

template<class Member>
LoadField duration(std::string name, Member member, double low, double high, std::string path, std::string help)
{
    LoadField field;
    field.name = std::move(name);
    field.kind = LoadFieldKind::Duration;
    field.help = std::move(help);
    field.range = rangeText(low, high, " s");
    field.set = [member, low, high](LoadProfile& load, const Value& value) {
        return putInto(member(load), durationFrom(value, low, high));
    };
    field.value = [member](const LoadProfile& load) { return valueOf(load, member); };
    field.stored = {storedAs(std::move(path), member)};
    return field;
}

template<class Member>
LoadField count(std::string name, Member member, std::int64_t low, std::int64_t high, std::string unit,
                std::string path, std::string help)
{
    LoadField field;
    field.name = std::move(name);
    field.help = std::move(help);
    field.range = rangeText(double(low), double(high), unit);
    field.set = [member, low, high, unit = std::move(unit)](LoadProfile& load, const Value& value) {
        return putInto(member(load), integerFrom(value, low, high, unit));
    };
    field.value = [member](const LoadProfile& load) { return valueOf(load, member); };
    field.stored = {storedAs(std::move(path), member)};
    return field;
}

template<class Member>
LoadField real(std::string name, Member member, double low, double high, std::string unit, std::string path,
               std::string help)
{
    LoadField field = count(std::move(name), member, 0, 0, {}, std::move(path), std::move(help));
    field.range = rangeText(low, high, unit);
    field.set = [member, low, high, unit = std::move(unit)](LoadProfile& load, const Value& value) {
        return putInto(member(load), realFrom(value, low, high, unit));
    };
    return field;
}

template<class Member, class Enum, std::size_t N>
LoadField word(std::string name, Member member, const std::array<Enum, N>& all, std::string path, std::string help)
{
    LoadField field;
    field.name = std::move(name);
    field.kind = LoadFieldKind::Word;
    field.help = std::move(help);
    for (const Enum one : all)
        field.range += (field.range.empty() ? "" : ", ") + std::string(toText(one));
    field.set = [member, all](LoadProfile& load, const Value& value) {
        return putInto(member(load), wordFrom(toText(value), all));
    };
    field.value = [member](const LoadProfile& load) { return Value(std::string(toText(member(load)))); };
    field.stored = {storedWord(std::move(path), member, *std::ranges::max_element(all))};
    return field;
}

template<class Member>
LoadField flag(std::string name, Member member, std::string path, std::string help)
{
    LoadField field;
    field.name = std::move(name);
    field.kind = LoadFieldKind::Flag;
    field.help = std::move(help);
    field.range = "true, false";
    field.set = [member](LoadProfile& load, const Value& value) { return putInto(member(load), flagFrom(value)); };
    field.value = [member](const LoadProfile& load) { return valueOf(load, member); };
    field.stored = {storedAs(std::move(path), member)};
    return field;
}

//! A rate alone means an open loop, as sysbench's --rate does.
void openLoop(LoadProfile& load)
{
    if (!load.arrival.open())
        load.arrival.model = ArrivalModel::Poisson;
}

LoadField usersField()
{
    LoadField field;
    field.name = "users";
    field.kind = LoadFieldKind::Users;
    field.help = "numbers of concurrent users, such as 1,4,16; bulk_insert has a table for each (1)";
    field.range = fmt::format("1 to {}, one or several", kMaxUsers);
    field.ofData = field.ofImports = field.alwaysWritten = true;
    field.set = [](LoadProfile& load, const Value& value) { return putInto(load.users, userListFrom(value)); };
    field.value = [](const LoadProfile& load) { return Value(fmt::format("{}", fmt::join(load.users, ","))); };
    return field;
}

LoadField warmupField()
{
    LoadField field = duration(
        "warmup", [](auto& load) -> auto& { return load.warmupSeconds; }, 0, kMaxSeconds, "/warmup",
        "seconds before that, excluded from the figures, or \"steady\" (0)");
    field.ofImports = true;
    field.range += ", or steady";
    field.set = [seconds = field.set](LoadProfile& load, const Value& value) -> Expected<void> {
        load.warmupUntilSteady = toText(value) == "steady";
        if (!load.warmupUntilSteady)
            return seconds(load, value);
        load.warmupSeconds = 0;
        return {};
    };
    field.value = [](const LoadProfile& load) {
        return load.warmupUntilSteady ? Value(std::string("steady")) : Value(load.warmupSeconds);
    };
    field.stored.push_back(
        storedAs("/warmup_until_steady", [](auto& load) -> auto& { return load.warmupUntilSteady; }));
    return field;
}

template<class Member>
LoadField rateField(std::string name, Member member, std::string path, std::string help)
{
    LoadField field = real(std::move(name), member, 0, kMaxRate, " a second", std::move(path), std::move(help));
    field.unit = "a second";
    field.zero = "none";
    field.set = [set = field.set, member](LoadProfile& load, const Value& value) {
        Expected<void> done = set(load, value);
        if (done && member(load) > 0)
            openLoop(load);
        return done;
    };
    return field;
}

LoadField stepsField()
{
    LoadField field;
    field.name = "steps";
    field.kind = LoadFieldKind::Text;
    field.help = "rates one after the other, such as 500:10s,1000:10s";
    field.range = "RATE:TIME, one or several";
    field.set = [](LoadProfile& load, const Value& value) {
        Expected<void> done = putInto(load.arrival.steps, stepsFrom(value));
        if (done && !load.arrival.steps.empty()) {
            load.timeSeconds = 0;
            for (const RateStep& step : load.arrival.steps)
                load.timeSeconds += step.seconds;
            openLoop(load);
        }
        return done;
    };
    field.value = [](const LoadProfile& load) { return Value(toText(load.arrival.steps)); };
    return field;
}

LoadField observeField()
{
    LoadField field;
    field.name = "observe";
    field.kind = LoadFieldKind::List;
    field.help = "counters to show beside the usual ones, such as Key_reads,Innodb_log_waits; all are kept";
    field.range = "names, * stands for any text";
    field.compared = false; // the same is asked of the server
    field.set = [](LoadProfile& load, const Value& value) { return putInto(load.observe, namesFrom(value)); };
    field.value = [](const LoadProfile& load) { return Value(fmt::format("{}", fmt::join(load.observe, ","))); };
    return field;
}

LoadField objectiveField()
{
    LoadField field;
    field.name = "objective";
    field.kind = LoadFieldKind::Text;
    field.help = "what must hold, such as \"p99 <= 20ms\"";
    field.range = "pN <= TIME";
    field.set = [](LoadProfile& load, const Value& value) { return putInto(load.objective, objectiveFrom(value)); };
    field.value = [](const LoadProfile& load) { return Value(toText(load.objective)); };
    field.stored = {storedAs("/objective/percentile", [](auto& load) -> auto& { return load.objective.percentile; }),
                    storedAs("/objective/limit_ms", [](auto& load) -> auto& { return load.objective.limitMs; })};
    return field;
}

LoadField searchField()
{
    LoadField field;
    field.name = "search";
    field.kind = LoadFieldKind::Text;
    field.help = "the highest load at which it holds: rate 100..20000 or users 1..256";
    field.range = "rate A..B, users A..B";
    field.set = [](LoadProfile& load, const Value& value) {
        Expected<void> done = putInto(load.search, searchFrom(value, load.search));
        if (done && load.search.what == Search::What::Rate)
            openLoop(load);
        return done;
    };
    field.value = [](const LoadProfile& load) { return Value(toText(load.search)); };
    field.stored = {storedWord(
                        "/search/what", [](auto& load) -> auto& { return load.search.what; }, Search::What::Users),
                    storedAs("/search/from", [](auto& load) -> auto& { return load.search.from; }),
                    storedAs("/search/to", [](auto& load) -> auto& { return load.search.to; })};
    return field;
}

LoadField withZero(LoadField field, std::string zero)
{
    field.zero = std::move(zero);
    return field;
}

//! What holds for a plan as a whole: the order of runs, how data is loaded, what each run begins with.
LoadField wholePlan(LoadField field)
{
    field.ofPlan = true;
    return field;
}

std::vector<LoadField> makeFields()
{
    using L = std::vector<LoadField>;
    L fields;
    const auto add = [&](LoadField field) -> LoadField& { return fields.emplace_back(std::move(field)); };

    add(usersField());
    LoadField& time = add(duration(
        "time", [](auto& load) -> auto& { return load.timeSeconds; }, 0, kMaxSeconds, "/time",
        "measured seconds of a run, or 30s, 2m; 0 = no limit (10)"));
    time.ofImports = time.alwaysWritten = true;
    add(withZero(count(
                     "events", [](auto& load) -> auto& { return load.events; }, 0, kMostCounted, " transactions",
                     "/events", "end a run after this many transactions; then --time is 0 unless given"),
                 "none"));
    add(withZero(count(
                     "rows", [](auto& load) -> auto& { return load.rows; }, 0, kMostCounted, " rows", "/rows",
                     "end a run after this many changed and committed rows, 0 = no limit (0)"),
                 "none"));
    add(warmupField());
    add(withZero(count(
                     "warmup_events", [](auto& load) -> auto& { return load.warmupEvents; }, 0, kMostCounted,
                     " transactions", "/warmup_events", "transactions before the measured time (0)"),
                 "none"));
    add(duration(
        "warmup_max", [](auto& load) -> auto& { return load.warmupMaxSeconds; }, 1, kMaxSeconds, "/warmup_max",
        "how long a warm-up until steady may take (300s)"));
    add(duration(
        "interval", [](auto& load) -> auto& { return load.intervalSeconds; }, 0.1, 10, "/interval",
        "seconds between samples, 0.1 to 10 (1)"));
    LoadField& repeats = add(wholePlan(count(
        "repeats", [](auto& load) -> auto& { return load.repeats; }, 1, kMaxRepeats, "", "/repeats",
        "runs of each point (1)")));
    repeats.alwaysWritten = true;
    repeats.compared = false;
    LoadField& order = add(wholePlan(word(
        "order", [](auto& load) -> auto& { return load.order; },
        std::array{RunOrder::AsListed, RunOrder::Interleaved, RunOrder::Shuffled, RunOrder::FewestRestarts}, "/order",
        "of the runs: as-listed, interleaved, shuffled or fewest-restarts (as-listed)")));
    order.alwaysWritten = true;
    LoadField& seed = add(count(
        "seed", [](auto& load) -> auto& { return load.seed; }, 0, INT64_MAX, "", "/seed",
        "same seed, same rows and same requests (1)"));
    seed.ofData = seed.ofImports = true;
    add(word(
        "executor", [](auto& load) -> auto& { return load.executor; },
        std::array{ExecutorKind::Auto, ExecutorKind::Threads, ExecutorKind::Loops}, "/executor",
        "auto, threads or loops (auto)"));
    LoadField& loaders =
        add(withZero(wholePlan(count(
                         "loaders", [](auto& load) -> auto& { return load.loaders; }, 0, 1024,
                         " sessions, 0 for one a core", "/loaders", "sessions that load the data, 0 = one a core (0)")),
                     "one a core"));
    loaders.ofData = true;
    loaders.compared = false;
    add(withZero(count(
                     "loops", [](auto& load) -> auto& { return load.loops; }, 0, kMostLoops,
                     " threads, 0 for half the cores", "/loops", "threads of the event loops, 0 = half the cores (0)"),
                 "half the cores"));

    add(word(
        "arrival", [](auto& load) -> auto& { return load.arrival.model; },
        std::array{ArrivalModel::Closed, ArrivalModel::Fixed, ArrivalModel::Poisson}, "/arrival/model",
        "closed, fixed or poisson (closed; poisson with --rate)"));
    add(rateField(
        "rate", [](auto& load) -> auto& { return load.arrival.rate; }, "/arrival/rate",
        "arrivals a second (open loop), whatever the server does"));
    add(rateField(
        "rate_to", [](auto& load) -> auto& { return load.arrival.rateTo; }, "/arrival/rate_to",
        "the rate moves there over the measured time"));
    add(stepsField());
    add(duration(
        "think_time", [](auto& load) -> auto& { return load.arrival.thinkSeconds; }, 0, 3600, "/arrival/think",
        "closed loop: pause of a user between two transactions (0)"));
    add(count(
        "backlog", [](auto& load) -> auto& { return load.arrival.backlog; }, 0, 1 << 24, " arrivals",
        "/arrival/backlog", "open loop: arrivals that may wait; what comes beyond is dropped (100000)"));

    add(objectiveField());
    add(searchField());
    add(duration(
        "search_time", [](auto& load) -> auto& { return load.search.probeSeconds; }, 0.2, kMaxSeconds, "/search/probe",
        "how long each probe of a search takes (5s)"));
    add(real(
        "search_precision", [](auto& load) -> auto& { return load.search.precision; }, 0.001, 1, "",
        "/search/precision", "a search ends when its range is narrower than this share (0.05)"));
    add(count(
        "search_confirm", [](auto& load) -> auto& { return load.search.confirm; }, 0, 20, " probes", "/search/confirm",
        "probes at the answer that must hold too (2)"));
    add(duration(
        "steady_window", [](auto& load) -> auto& { return load.steady.windowSeconds; }, 0.5, 3600, "/steady/window",
        "over how long a run must be steady to count as such (10s)"));
    add(real(
        "steady_slope", [](auto& load) -> auto& { return load.steady.slope; }, 0.001, 1, " of the mean",
        "/steady/slope", "share of the mean by which a steady window may rise or fall (0.05)"));
    add(real(
        "steady_deviation", [](auto& load) -> auto& { return load.steady.deviation; }, 0.001, 1, " of the mean",
        "/steady/deviation", "share of the mean by which an interval of it may be off (0.2)"));
    add(withZero(count(
                     "stop_when_steady", [](auto& load) -> auto& { return load.stopAfterSteady; }, 0, 1000, " windows",
                     "/stop_after_steady", "end a run after this many steady windows, 0 = do not (0)"),
                 "none"));
    add(flag(
        "stop_on_objective", [](auto& load) -> auto& { return load.stopOnObjective; }, "/stop_on_objective",
        "true: end a run when the objective failed over a steady window (false)"));
    add(wholePlan(word(
        "restart", [](auto& load) -> auto& { return load.restart; },
        std::array{RestartPolicy::WhenNeeded, RestartPolicy::EachPoint, RestartPolicy::EachRun}, "/restart",
        "of the server: when-needed, each-point or each-run (when-needed)")));
    add(wholePlan(word(
        "data", [](auto& load) -> auto& { return load.data; }, std::array{DataPolicy::Keep, DataPolicy::Restore},
        "/data", "what a run begins with: keep, or restore, a copy of the loaded data (keep)")));
    add(duration(
        "reconnect", [](auto& load) -> auto& { return load.reconnectSeconds; }, 0, 3600, "/reconnect",
        "how long a lost connection is tried again (10s)"));
    add(flag(
        "settle", [](auto& load) -> auto& { return load.settle; }, "/settle",
        "true: before each run wait until changed pages are written and old versions of rows are gone (false)"));
    add(flag(
        "prewarm", [](auto& load) -> auto& { return load.prewarm; }, "/prewarm",
        "true: before each run read the tables and their indexes once (false)"));
    LoadField& probe = add(wholePlan(flag(
        "probe", [](auto& load) -> auto& { return load.probe; }, "/probe",
        "true: measure first what the disk of the data can do, as `dyno probe` does (false)")));
    probe.compared = false; // it is over before the first run
    add(flag(
        "counters", [](auto& load) -> auto& { return load.counters; }, "/counters",
        "false: do not ask the server for its counters, nor read the host's (true)"));
    LoadField& snapshots = add(wholePlan(word(
        "snapshots", [](auto& load) -> auto& { return load.snapshots; },
        std::array{SnapshotsWhen::Off, SnapshotsWhen::OnDemand, SnapshotsWhen::Stalls}, "/snapshots",
        "what the server does at a moment, kept with the run: on-demand, stalls (also while one lasts) or off "
        "(on-demand)")));
    snapshots.compared = false; // nothing is asked while all goes well
    add(word(
        "instruments", [](auto& load) -> auto& { return load.instruments; },
        std::array{InstrumentsLevel::None, InstrumentsLevel::Light, InstrumentsLevel::Full}, "/instruments",
        "server instruments switched on for each run and put back afterwards: none, light (statements) or full (waits "
        "too) "
        "(none)"));
    add(wholePlan(observeField()));
    for (LoadField& field : fields) {
        for (const char* name : {"time", "warmup", "interval", "repeats", "loaders", "executor"})
            field.checkedAgain = field.checkedAgain || field.name == name;
    }
    return fields;
}

} // namespace

const std::vector<LoadField>& loadFields()
{
    static const std::vector<LoadField> fields = makeFields();
    return fields;
}

const LoadField* findLoadField(std::string_view name)
{
    const auto found = std::ranges::find(loadFields(), name, &LoadField::name);
    return found == loadFields().end() ? nullptr : &*found;
}

} // namespace dyno
