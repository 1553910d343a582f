// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Any table of separated values, with a map that says which column is what.
#include "base/text.h"
#include "import/format.h"
#include "import/text.h"
#include <dyno/run_fields.h>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <toml++/toml.h>

namespace dyno {

const std::vector<ImportRole>& importRoles()
{
    static const std::vector<ImportRole> roles = [] {
        std::vector<ImportRole> list = {
            {"time", "Time", "when the interval ended or began, see time_is and time_unit", true, {}},
            {"throughput", "Throughput", "transactions a second", true, {}},
            {"transactions", "Transactions", "a count, of the interval or the run", true, {}},
            {"operations", "Operations a second", "statements or calls a second", true, {}},
            {"users", "Users", "concurrent users or threads", true, {}},
            {"errors", "Errors", "a count, of the interval or the run", true, {}},
            {"seconds", "Length", "seconds of the interval or the run", true, {}},
        };
        for (const LatencyField& field : latencyFields()) {
            if (field.percentile != 0)
                list.push_back(
                    {field.id, fmt::format(fmt::runtime(field.label), "latency"), "in latency_unit", true, {}});
        }
        const std::vector<ImportRole> others = {
            {"run", "Run", "rows with the same text here are one run", true, {}},
            {"rows", "A row is", "an interval of a run, or a whole run", false, {"intervals", "runs"}},
            {"time_unit",
             "Unit of time",
             "timestamp: a date and time",
             false,
             {"s", "ms", "us", "ns", "min", "timestamp"}},
            {"time_is", "Time is", "the end or the beginning of its interval", false, {"end", "start"}},
            {"latency_unit", "Unit of latency", "", false, {"ms", "us", "ns", "s"}},
            {"clock",
             "Latency is",
             "service: from the actual start; response: from the intended one",
             false,
             {"service", "response"}},
            {"separator", "Separator", "", false, {"comma", "semicolon", "tab", "space", "pipe"}},
            {"decimal", "Decimal sign", "", false, {"point", "comma"}},
        };
        list.insert(list.end(), others.begin(), others.end());
        return list;
    }();
    return roles;
}

namespace {

const ImportRole* findRole(std::string_view id)
{
    const auto found = std::ranges::find(importRoles(), id, &ImportRole::id);
    return found == importRoles().end() ? nullptr : &*found;
}

Expected<void> setRole(ImportMap& map, std::string_view role, std::string_view value, const std::string& where)
{
    const ImportRole* known = findRole(role);
    if (!known) {
        std::string list;
        for (const ImportRole& one : importRoles())
            list += (list.empty() ? "" : ", ") + one.id;
        return fail({ErrorKind::BadInput, fmt::format("there is no field \"{}\"", import::shown(role, 40)), where,
                     "one of: " + list});
    }
    if (!known->column && std::ranges::find(known->choices, value) == known->choices.end()) {
        return fail({ErrorKind::BadInput, fmt::format("{} cannot be \"{}\"", role, import::shown(value, 40)), where,
                     fmt::format("one of: {}", fmt::join(known->choices, ", "))});
    }
    map[known->id] = value;
    return {};
}

} // namespace

Expected<void> setImportField(ImportMap& map, std::string_view assignment)
{
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos) {
        return fail({ErrorKind::BadInput,
                     fmt::format("\"{}\" is not a field with its value", import::shown(assignment, 60)), "--map",
                     "say --map p95=COLUMN, or name a TOML file with such lines"});
    }
    return setRole(map, import::trimmed(assignment.substr(0, equals)), import::trimmed(assignment.substr(equals + 1)),
                   "--map");
}

Expected<ImportMap> readImportMap(const std::filesystem::path& file)
{
    ImportMap map;
    try {
        const toml::table table = toml::parse_file(file.string());
        for (const auto& [key, node] : table) {
            const std::string where = fmt::format("{}:{}", file.string(), node.source().begin.line);
            std::string value;
            if (const auto text = node.value<std::string>())
                value = *text;
            else if (const auto* number = node.as_integer()) // value<>() converts 1e300 too, which is undefined
                value = fmt::format("{}", number->get());
            else
                return fail({ErrorKind::BadInput,
                             fmt::format("{} is no text and no whole number", std::string_view(key.str())), where,
                             "give a column by its heading or its number"});
            if (auto set = setRole(map, key.str(), value, where); !set)
                return fail(set.error());
        }
    } catch (const toml::parse_error& error) {
        return fail({ErrorKind::BadInput, std::string(error.description()),
                     fmt::format("{}:{}", file.string(), error.source().begin.line),
                     "correct the line, or check the path"});
    }
    return map;
}

namespace import {

namespace {

constexpr std::size_t kHeadRows = 20;

char separatorOf(std::string_view word)
{
    return word == "semicolon" ? ';' : word == "tab" ? '\t' : word == "space" ? ' ' : word == "pipe" ? '|' : ',';
}

//! The separator that occurs most in the first line.
std::string_view guessSeparator(std::string_view line)
{
    constexpr std::array kWords = {std::string_view("tab"), std::string_view("semicolon"), std::string_view("comma"),
                                   std::string_view("pipe"), std::string_view("space")};
    std::string_view best = "comma";
    std::ptrdiff_t most = 0;
    for (const std::string_view word : kWords) {
        const auto count = std::ranges::count(line, separatorOf(word));
        if (count > most) {
            best = word;
            most = count;
        }
    }
    return best;
}

//! What a heading says of its column.
std::string_view roleOf(const std::string& heading)
{
    const auto has = [&heading](std::string_view part) { return heading.find(part) != std::string::npos; };
    if (has("99.9") || has("p999"))
        return "p999";
    for (const auto& [part, role] : {std::pair{"p99", "p99"},
                                     {"99th", "p99"},
                                     {"99%", "p99"},
                                     {"p95", "p95"},
                                     {"95th", "p95"},
                                     {"95%", "p95"},
                                     {"p90", "p90"},
                                     {"90th", "p90"},
                                     {"p50", "p50"},
                                     {"median", "p50"}}) {
        if (has(part))
            return role;
    }
    if (has("tps") || has("throughput") || has("transactions/s"))
        return "throughput";
    if (has("qps") || has("ops/s") || has("iops") || has("operations/s"))
        return "operations";
    if (has("avg") || has("mean") || has("average"))
        return "mean";
    if (has("max") || has("longest"))
        return "max";
    if (has("error") || has("failed"))
        return "errors";
    if (has("threads") || has("users") || has("clients") || has("thds") || has("terminals"))
        return "users";
    if (has("time") || has("elapsed") || heading == "sec" || heading == "seconds" || heading == "t")
        return "time";
    return {};
}

//! What a field says of the decimal sign: '.' or ',', or 0 when it may be either ("1.204" is a fraction or a group).
char decimalIn(const std::string& field)
{
    if (field.find_first_of(".,") == std::string::npos)
        return 0;
    const bool point = looseNumberOf(field, false).has_value(), comma = looseNumberOf(field, true).has_value();
    return point == comma ? '\0' : point ? '.' : ',';
}

class ColumnParser final : public Parser
{
public:
    explicit ColumnParser(Collector& collector)
        : m_collector(collector)
    {
        collector.map = collector.options().map;
    }

    bool line(std::string_view text, std::int64_t number) override
    {
        if (trimmed(text).empty() || trimmed(text).starts_with('#'))
            return true;
        if (m_separator == 0)
            m_separator = separatorOf(set("separator", guessSeparator(text)));
        const std::vector<std::string> fields = fieldsOf(text);
        if (m_collector.columns.empty() && begin(fields))
            return true; // headings
        if (m_collector.refused)
            return true;
        if (m_collector.head.size() < kHeadRows)
            m_collector.head.push_back(fields);
        if (m_decided)
            return fields.size() >= m_needed && row(fields);
        // The decimal sign is what the rows have: the first of them wait until it is known.
        m_waiting.push_back({number, std::string(text)});
        m_waitingBytes += text.size();
        constexpr std::size_t kMostWaiting = 1000, kMostBytes = 1 << 20;
        if (m_waiting.size() >= kMostWaiting || m_waitingBytes >= kMostBytes)
            decide();
        return true;
    }

    void end() override
    {
        decide();
        for (auto& [name, state] : m_states)
            finish(state);
    }

private:
    struct Row
    {
        double time = 0, length = 0; //!< seconds; the length may be not a number
        std::vector<std::string> fields;
    };
    struct State
    {
        Run* run = nullptr;
        std::optional<double> last; //!< time of the row before
        std::optional<Row> first;   //!< a row whose length is that to the next one
        double zero = 0, between = kNone;
    };
    std::string set(std::string_view role, std::string_view otherwise)
    {
        const auto found = m_collector.map.find(role);
        if (found == m_collector.map.end())
            m_collector.map[std::string(role)] = otherwise;
        return m_collector.map.find(role)->second;
    }

    [[nodiscard]] std::vector<std::string> fieldsOf(std::string_view text) const
    {
        if (m_separator != ' ')
            return csvFields(text, m_separator);
        std::vector<std::string> fields;
        for (const std::string_view word : words(text))
            fields.emplace_back(word);
        return fields;
    }

    //! Chooses the decimal sign from the rows that wait, and reads them.
    void decide()
    {
        if (m_decided)
            return;
        m_decided = true;
        std::map<char, std::size_t> votes;
        std::array<bool, 2> seen{}; // '.' and ',' where they may be either
        for (const auto& [number, text] : m_waiting) {
            const std::vector<std::string> fields = fieldsOf(text);
            for (const auto& [role, at] : m_columns) {
                if (role == "run" || (role == "time" && m_timestamps) || at >= fields.size())
                    continue;
                ++votes[decimalIn(fields[at])];
                seen[0] = seen[0] || fields[at].find('.') != std::string::npos;
                seen[1] = seen[1] || fields[at].find(',') != std::string::npos;
            }
        }
        const bool told = votes['.'] != votes[','];
        const bool comma = told ? votes[','] > votes['.'] : seen[1] && m_separator == ';';
        m_comma = set("decimal", comma ? "comma" : "point") == "comma";
        if (!told && (seen[0] || seen[1])) {
            m_collector.note(
                fmt::format("whether the decimal sign is a point or a comma is not certain from the rows: it was "
                            "taken for a {}; say --map decimal=… if it is not",
                            m_comma ? "comma" : "point"));
        }
        for (const auto& [number, text] : std::exchange(m_waiting, {})) {
            const std::vector<std::string> fields = fieldsOf(text);
            if (fields.size() < m_needed || !row(fields))
                m_collector.unknown(number, text);
        }
    }

    //! The first row; true when it has headings: not all of it are numbers.
    bool begin(const std::vector<std::string>& fields)
    {
        if (m_collector.map.contains("decimal")) {
            m_decided = true;
            m_comma = set("decimal", "point") == "comma";
        }
        const bool headings = std::ranges::any_of(
            fields, [](const auto& f) { return !looseNumberOf(f, false) && !looseNumberOf(f, true) && !timeOf(f); });
        for (std::size_t i = 0; i < fields.size(); ++i)
            m_collector.columns.push_back(headings && !fields[i].empty() ? shown(fields[i], 60)
                                                                         : fmt::format("{}", i + 1));
        if (headings && std::ranges::none_of(m_collector.map, [](const auto& one) {
                const ImportRole* role = findRole(one.first);
                return role && role->column;
            })) {
            for (std::size_t i = 0; i < fields.size(); ++i) {
                const std::string_view role = roleOf(lowered(fields[i]));
                if (!role.empty() && !m_collector.map.contains(role))
                    m_collector.map[std::string(role)] = m_collector.columns[i];
            }
            m_collector.note("which column is what was taken from the headings");
        }
        for (const auto& [role, column] : m_collector.map) {
            const ImportRole* known = findRole(role);
            if (!known || !known->column)
                continue;
            const auto at = columnOf(column);
            if (!at) {
                m_collector.refused = Error{ErrorKind::BadInput,
                                            fmt::format("there is no column \"{}\" ({})", column, role),
                                            {},
                                            fmt::format("the columns are: {}", fmt::join(m_collector.columns, ", "))};
                return true;
            }
            m_columns[role] = *at;
            m_needed = std::max(m_needed, *at + 1);
        }
        const bool figures = std::ranges::any_of(m_columns, [](const auto& one) {
            return one.first != "time" && one.first != "run" && one.first != "users" && one.first != "seconds";
        });
        if (!figures) {
            m_collector.refused =
                Error{ErrorKind::BadInput,
                      "no column has a figure",
                      {},
                      fmt::format("say which: --map time=… --map throughput=… --map p95=…; the columns are: {}",
                                  fmt::join(m_collector.columns, ", "))};
            return true;
        }
        m_wholeRuns =
            set("rows", m_columns.contains("time") || m_columns.contains("seconds") ? "intervals" : "runs") == "runs";
        const std::string unit = set("time_unit", "s");
        m_timestamps = unit == "timestamp";
        m_timeScale = unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : unit == "ns" ? 1e-9 : unit == "min" ? 60 : 1;
        m_timeIsEnd = set("time_is", "end") == "end";
        const std::string latency = set("latency_unit", "ms");
        m_latencyScale = latency == "us" ? 1e-3 : latency == "ns" ? 1e-6 : latency == "s" ? 1e3 : 1;
        m_clock = set("clock", "service") == "response" ? Clock::Response : Clock::Service;
        return headings;
    }

    [[nodiscard]] std::optional<std::size_t> columnOf(const std::string& name) const
    {
        const auto found = std::ranges::find(m_collector.columns, name);
        if (found != m_collector.columns.end())
            return static_cast<std::size_t>(found - m_collector.columns.begin());
        const auto number = countOf(name);
        if (number && *number >= 1 && *number <= m_collector.columns.size())
            return static_cast<std::size_t>(*number - 1);
        return std::nullopt;
    }

    //! Not a number when there is no such column, or nothing in it.
    [[nodiscard]] double value(const std::vector<std::string>& fields, std::string_view role, bool* bad = nullptr) const
    {
        const auto at = m_columns.find(role);
        if (at == m_columns.end() || fields[at->second].empty())
            return kNone;
        const auto number = looseNumberOf(fields[at->second], m_comma);
        if (!number && bad)
            *bad = true;
        return number.value_or(kNone);
    }

    bool row(const std::vector<std::string>& fields)
    {
        bool bad = false;
        for (const auto& [role, at] : m_columns) {
            if (role != "run" && role != "time")
                (void)value(fields, role, &bad);
        }
        if (bad)
            return false;
        return m_wholeRuns ? wholeRun(fields) : interval(fields);
    }

    Run& begin(const std::string& name, const std::vector<std::string>& fields)
    {
        Run& run = m_collector.begin();
        run.clock = m_clock;
        if (!name.empty())
            run.cases = {{m_collector.columns[m_columns["run"]], shown(name, 80)}};
        if (const double users = value(fields, "users"); users > 0)
            run.users = static_cast<int>(std::min(users, 1e7));
        return run;
    }

    bool wholeRun(const std::vector<std::string>& fields)
    {
        if (m_collector.full())
            return false;
        const auto at = m_columns.find("run");
        Run& run = begin(at == m_columns.end() ? std::string() : fields[at->second], fields);
        run.tps = value(fields, "throughput");
        run.qps = value(fields, "operations");
        run.transactions = value(fields, "transactions");
        run.errors = value(fields, "errors");
        run.seconds = value(fields, "seconds");
        for (const LatencyField& field : latencyFields())
            (void)run.latency.set(field.percentile, value(fields, field.id) * m_latencyScale);
        return true;
    }

    bool interval(const std::vector<std::string>& fields)
    {
        const auto at = m_columns.find("run");
        const std::string name = at == m_columns.end() ? std::string() : fields[at->second];
        if (!m_states.contains(name) && (m_states.size() >= kMostRuns || m_collector.full()))
            return false;
        State& state = m_states[name];
        const double length = value(fields, "seconds");
        if (m_columns.contains("seconds") && !(length > 0))
            return false;
        std::optional<double> time =
            m_columns.contains("time") ? timeOfRow(fields) : std::optional(state.last.value_or(0) + length);
        // Back in time: another run, which the map does not tell.
        if (!time || (state.last && *time <= *state.last) || (state.first && *time <= state.first->time))
            return false;
        if (!state.run)
            state.run = &begin(name, fields);
        Row row{*time, length, fields};
        const bool absolute = m_timestamps || *time > 1e8;
        if (std::isfinite(length)) {
            emit(state, row, m_timeIsEnd || !m_columns.contains("time") ? *time - length : *time, length, absolute);
            state.last = time;
        } else if (m_timeIsEnd && state.last) {
            emit(state, row, *state.last, *time - *state.last, absolute);
            state.last = time;
        } else if (!state.first) {
            state.first = std::move(row); // its length is that to the next one
        } else {
            // The first one is as long as the second, but did not begin before the run.
            const double between = *time - state.first->time;
            const bool fromZero = m_timeIsEnd && !absolute && state.first->time > 0 && state.first->time < between;
            const double first = fromZero ? state.first->time : between;
            emit(state, *state.first, m_timeIsEnd ? state.first->time - first : state.first->time, first, absolute);
            state.between = between;
            if (m_timeIsEnd) {
                emit(state, row, state.first->time, between, absolute);
                state.last = time;
                state.first.reset();
            } else {
                state.first = std::move(row);
            }
        }
        return true;
    }

    [[nodiscard]] std::optional<double> timeOfRow(const std::vector<std::string>& fields) const
    {
        const std::string& text = fields[m_columns.at("time")];
        std::optional<double> time;
        if (m_timestamps) {
            if (const auto ms = timeOf(text))
                time = double(*ms) / 1000;
        } else if (const auto number = looseNumberOf(text, m_comma)) {
            time = *number * m_timeScale;
        }
        return time && std::abs(*time) < 1e11 ? time : std::nullopt;
    }

    void emit(State& state, const Row& row, double start, double seconds, bool absolute)
    {
        Run& run = *state.run;
        if (run.empty()) {
            state.zero = absolute || start < 0 ? start : 0;
            if (absolute)
                run.startedMs = std::llround(start * 1000);
        }
        const auto orNone = [](double one) { return std::isfinite(one) && one > 0 ? one : 0; };
        const double rate = value(row.fields, "throughput");
        const double transactions = value(row.fields, "transactions");
        const double users = value(row.fields, "users");
        run.add({.start = start - state.zero,
                 .seconds = seconds,
                 .users = users > 0 ? static_cast<int>(std::min(users, 1e7)) : 0,
                 .transactions = orNone(std::isfinite(transactions) ? transactions : rate * seconds),
                 .errors = orNone(value(row.fields, "errors"))});
        if (const double perSecond = value(row.fields, "operations"); std::isfinite(perSecond))
            run.operation("operation", OpClass::Other, perSecond * seconds);
        for (const LatencyField& field : latencyFields()) {
            const double percent = field.percentile, ms = value(row.fields, field.id) * m_latencyScale;
            if (!std::isfinite(ms))
                continue;
            if (percent > 0 && percent < 100)
                run.latencyPercentile(percent, ms);
            else
                run.stated(percent < 0 ? "latency mean" : "latency max", "ms", ms,
                           percent < 0 ? Fold::Mean : Fold::Highest);
        }
        m_collector.bound(run);
    }

    void finish(State& state)
    {
        if (!state.first || !state.run)
            return;
        const bool absolute = m_timestamps || state.first->time > 1e8;
        if (!std::isfinite(state.between) && m_timeIsEnd && !absolute && state.first->time > 0) {
            emit(state, *state.first, 0, state.first->time, false); // all that is told
            return;
        }
        if (!std::isfinite(state.between)) {
            m_collector.note("a run of one row has no length: how long its interval was is not told");
            return;
        }
        emit(state, *state.first, state.first->time, state.between, absolute);
    }

    Collector& m_collector;
    char m_separator = 0;
    std::vector<std::pair<std::int64_t, std::string>> m_waiting; //!< rows until m_decided, with their numbers
    std::size_t m_waitingBytes = 0;
    bool m_decided = false, m_comma = false, m_wholeRuns = false, m_timestamps = false, m_timeIsEnd = true;
    double m_timeScale = 1, m_latencyScale = 1;
    Clock m_clock = Clock::Service;
    std::size_t m_needed = 1;
    std::map<std::string, std::size_t, std::less<>> m_columns;
    std::map<std::string, State> m_states;
};

} // namespace

Format columns()
{
    return {.info = {"csv", "table of values", "Any CSV: --map says which column is what", true},
            .recognise = [](const Head& head) -> std::string {
                // A heading and rows of as many fields, with figures in them.
                if (head.lines.size() < 2)
                    return {};
                const char separator = separatorOf(guessSeparator(head.lines[0]));
                const std::size_t fields = csvFields(head.lines[0], separator).size();
                const std::vector<std::string> second = csvFields(head.lines[1], separator);
                const bool figures = std::ranges::any_of(
                    second, [](const auto& f) { return looseNumberOf(f, false) || looseNumberOf(f, true); });
                if (separator == ' ' || fields < 2 || second.size() != fields || !figures)
                    return {};
                return fmt::format("its lines have {} fields between separators", fields);
            },
            .lines = [](Collector& collector) -> std::unique_ptr<Parser> {
                collector.origin.tool = "table of values";
                collector.origin.warmup = "not told";
                return std::make_unique<ColumnParser>(collector);
            }};
}

} // namespace import
} // namespace dyno
