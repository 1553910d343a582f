// SPDX-License-Identifier: GPL-3.0-or-later
// The instruments of performance_schema and InnoDB's metrics as settings: for each kind one text that says which of
// them are on, so that they are put back one by one as they were (driver/state_list.h).
#include "mysql_admin.h"

#include "base/text.h"
#include "driver/state_list.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace dyno::mysql {

namespace {

constexpr std::string_view kKindPrefix = "setup_instruments.";
constexpr std::string_view kConsumerPrefix = "setup_consumers.";
constexpr std::string_view kMetricsName = "innodb_metrics";
constexpr std::string_view kUserStatistics = "userstat";

struct InstrumentKind
{
    std::string_view prefix; //!< of the instruments' names; the setting's name ends with it
    InstrumentsLevel from;
};
//! Kinds with states of their own on servers as they come, so that their texts are short.
constexpr std::array<InstrumentKind, 8> kInstrumentKinds{{
    {"statement/", InstrumentsLevel::Light},
    {"stage/", InstrumentsLevel::Full},
    {"transaction", InstrumentsLevel::Full},
    {"wait/io/file/", InstrumentsLevel::Full},
    {"wait/io/socket/", InstrumentsLevel::Full},
    {"wait/io/table/", InstrumentsLevel::Full},
    {"wait/lock/", InstrumentsLevel::Full},
    {"wait/synch/", InstrumentsLevel::Full},
}};

//! Where what they measure goes; without the histories, which only keep the last ones.
struct InstrumentConsumer
{
    std::string_view name;
    InstrumentsLevel from;
};
constexpr std::array<InstrumentConsumer, 7> kConsumers{{
    {"global_instrumentation", InstrumentsLevel::Light},
    {"thread_instrumentation", InstrumentsLevel::Light},
    {"statements_digest", InstrumentsLevel::Light},
    {"events_statements_current", InstrumentsLevel::Light},
    {"events_stages_current", InstrumentsLevel::Full},
    {"events_transactions_current", InstrumentsLevel::Full},
    {"events_waits_current", InstrumentsLevel::Full},
}};

//! Whether it is on, and timed where that is another thing: "YES", "NO", "YES/NO".
std::string instrumentWord(const std::string& enabled, const std::string& timed)
{
    return enabled == timed ? enabled : fmt::format("{}/{}", enabled, timed);
}

Expected<States> statesOf(MysqlAdmin& admin, std::string_view select)
{
    auto rows = admin.query(select);
    if (!rows)
        return fail(std::move(rows.error()));
    States states;
    for (const std::vector<std::string>& row : *rows) {
        if (row.at(0).find('|') == std::string::npos) // such a name could not be written down: it stays as it is
            states.emplace(row.at(0), row.size() > 2 ? instrumentWord(row.at(1), row.at(2)) : row.at(1));
    }
    return states;
}

//! The kind's instruments that have both states.
std::string selectKind(std::string_view prefix)
{
    return fmt::format("SELECT NAME, ENABLED, TIMED FROM performance_schema.setup_instruments WHERE NAME LIKE {} AND "
                       "TIMED IS NOT NULL",
                       sqlQuoted(std::string(prefix) + "%"));
}

std::string selectConsumer(std::string_view name)
{
    return fmt::format("SELECT NAME, ENABLED FROM performance_schema.setup_consumers WHERE NAME = {}", sqlQuoted(name));
}

//! One by one where they can be switched so; those of the buffer pool's kinds of pages only together.
std::string selectMetrics(const char* state)
{
    return fmt::format("SELECT IF(NAME LIKE 'buffer\\_page\\_%', 'module_buffer_page', NAME), {} FROM "
                       "information_schema.innodb_metrics",
                       state);
}

Expected<States> metricStates(MysqlAdmin& admin)
{
    auto states = statesOf(admin, selectMetrics("UPPER(STATUS)"));
    return states ? states : statesOf(admin, selectMetrics("IF(ENABLED, 'ENABLED', 'DISABLED')")); // MariaDB 10.5
}

//! Of a setting that namesInstruments().
Expected<States> settingStates(MysqlAdmin& admin, std::string_view name)
{
    if (name == kMetricsName)
        return metricStates(admin);
    return statesOf(admin, name.starts_with(kConsumerPrefix) ? selectConsumer(name.substr(kConsumerPrefix.size()))
                                                             : selectKind(name.substr(kKindPrefix.size())));
}

//! Names that are to have another state, by that state.
std::map<std::string, std::vector<std::string>> changesOf(const States& now, const StateList& wanted)
{
    std::map<std::string, std::vector<std::string>> changes;
    for (const auto& [name, state] : now) {
        if (const std::string_view next = wanted.of(name); next != state)
            changes[std::string(next)].push_back(sqlQuoted(name));
    }
    return changes;
}

//! "1 consumer", "3 consumers"
std::string countOf(std::size_t count, std::string_view one)
{
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::size_t countNot(const States& states, std::string_view state)
{
    return std::size_t(std::ranges::count_if(states, [state](const auto& one) { return one.second != state; }));
}

//! What `level` wants of performance_schema; what of it is not so: "performance_schema: 214 instruments and 1
//! consumer".
Expected<std::string> instrumentsInSchema(MysqlAdmin& admin, InstrumentsLevel level, Settings& wanted)
{
    std::size_t instruments = 0, consumers = 0;
    for (const InstrumentKind& kind : kInstrumentKinds) {
        if (kind.from > level)
            continue;
        const auto states = statesOf(admin, selectKind(kind.prefix));
        if (!states)
            return fail(states.error());
        if (states->empty())
            continue;
        wanted.emplace(fmt::format("{}{}", kKindPrefix, kind.prefix), std::string("YES"));
        instruments += countNot(*states, "YES");
    }
    for (const InstrumentConsumer& consumer : kConsumers) {
        if (consumer.from > level)
            continue;
        const auto states = statesOf(admin, selectConsumer(consumer.name));
        if (!states)
            return fail(states.error());
        if (states->empty())
            continue;
        wanted.emplace(fmt::format("{}{}", kConsumerPrefix, consumer.name), std::string("YES"));
        consumers += countNot(*states, "YES");
    }
    std::vector<std::string> parts;
    if (instruments > 0)
        parts.push_back(countOf(instruments, "instrument"));
    if (consumers > 0)
        parts.push_back(countOf(consumers, "consumer"));
    return parts.empty() ? std::string() : fmt::format("performance_schema: {}", fmt::join(parts, " and "));
}

} // namespace

bool namesInstruments(std::string_view name)
{
    return name.starts_with(kKindPrefix) || name.starts_with(kConsumerPrefix) || name == kMetricsName;
}

Expected<InstrumentSettings> MysqlAdmin::instruments(InstrumentsLevel level)
{
    // lookUp(): servers of the family without it have no such variable either.
    const auto schema = lookUp("performance_schema");
    if (!schema && schema.error().kind != ErrorKind::BadInput)
        return fail(schema.error());
    const bool inSchema = schema && *schema == "ON";
    InstrumentSettings settings;
    std::vector<std::string> parts;
    if (inSchema) {
        auto counted = instrumentsInSchema(*this, level, settings.wanted);
        if (!counted)
            return fail(std::move(counted.error()));
        if (!counted->empty())
            parts.push_back(std::move(*counted));
    }
    if (const auto statistics = lookUp(kUserStatistics)) {
        settings.wanted.emplace(kUserStatistics, true);
        if (*statistics != "ON")
            parts.emplace_back(kUserStatistics);
    }
    // Some of the family have another engine.
    if (const auto metrics = level == InstrumentsLevel::Full ? metricStates(*this) : Expected<States>(States());
        metrics && !metrics->empty()) {
        settings.wanted.emplace(kMetricsName, std::string("ENABLED"));
        if (const std::size_t count = countNot(*metrics, "ENABLED"); count > 0)
            parts.push_back(countOf(count, "InnoDB metric"));
    }
    const char* const why = inSchema ? ""
                            : schema ? "performance_schema is off, and cannot be switched on while the server runs"
                                     : "the server has no performance_schema";
    if (settings.wanted.empty())
        return fail({ErrorKind::Refused, why, m_uri.display(),
                     schema ? "set the knob performance_schema of a managed server, or set it in the server's option "
                              "file and restart it"
                            : ""});
    settings.what = fmt::format("{}", fmt::join(parts, ", "));
    if (!inSchema)
        settings.what = fmt::format("{} ({})", parts.empty() ? "nothing" : settings.what,
                                    schema ? "performance_schema is off" : "the server has no performance_schema");
    return settings;
}

Expected<std::string> MysqlAdmin::instrumentState(std::string_view name)
{
    const auto states = settingStates(*this, name);
    if (!states)
        return fail(states.error());
    if (states->empty())
        return fail({ErrorKind::BadInput, fmt::format("the server has no instruments \"{}\"", name), m_uri.display(),
                     "they may belong to a plugin that was removed"});
    return StateList(*states).text();
}

Expected<void> MysqlAdmin::setInstruments(std::string_view name, const std::string& state)
{
    const StateList wanted(state);
    const bool metrics = name == kMetricsName, consumer = name.starts_with(kConsumerPrefix);
    std::vector<std::string_view> known{"YES", "NO"};
    if (metrics)
        known = {"ENABLED", "DISABLED"};
    else if (!consumer)
        known.insert(known.end(), {"YES/NO", "NO/YES"});
    if (!wanted.allAmong(known))
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not a state of {}", state, name), m_uri.display(),
                     fmt::format("write {}", fmt::join(known, ", "))});
    const auto now = settingStates(*this, name);
    if (!now)
        return fail(now.error());
    for (const auto& [next, names] : changesOf(*now, wanted)) {
        std::string command;
        if (metrics) {
            for (const std::string& one : names)
                command += fmt::format("{}SET GLOBAL innodb_monitor_{} = {}", command.empty() ? "" : "; ",
                                       next == "ENABLED" ? "enable" : "disable", one);
        } else if (consumer) {
            command = fmt::format("UPDATE performance_schema.setup_consumers SET ENABLED = '{}' WHERE NAME IN ({})",
                                  next, fmt::join(names, ", "));
        } else {
            const auto slash = next.find('/');
            command = fmt::format(
                "UPDATE performance_schema.setup_instruments SET ENABLED = '{}', TIMED = '{}' WHERE NAME IN ({})",
                next.substr(0, slash), slash == next.npos ? next : next.substr(slash + 1), fmt::join(names, ", "));
        }
        if (auto done = execute(command); !done)
            return done;
    }
    return {};
}

} // namespace dyno::mysql
