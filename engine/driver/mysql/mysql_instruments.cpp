// SPDX-License-Identifier: GPL-3.0-or-later
// The instruments of performance_schema and InnoDB's metrics as settings: for each kind one text that says which of
// them are on, so that they are put back one by one as they were. Written as the state of most of the kind, then every
// other one with its name: "NO|YES=wait/io/file/sql/binlog|YES=…".
#include "mysql_admin.h"

#include "base/text.h"

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

using States = std::map<std::string, std::string, std::less<>>; //!< by name

//! A kind's states as one text, see above.
std::string statesText(const States& states)
{
    std::map<std::string_view, std::size_t> counts;
    for (const auto& [name, state] : states)
        ++counts[state];
    const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
    std::string text = most == counts.end() ? std::string() : std::string(most->first);
    for (const auto& [name, state] : states) {
        if (state != most->first)
            text += fmt::format("|{}={}", state, name);
    }
    return text;
}

//! What a text of states says of one name.
class WantedStates
{
public:
    explicit WantedStates(std::string_view text)
    {
        m_most = text.substr(0, text.find('|'));
        while (text.find('|') != text.npos) {
            text.remove_prefix(text.find('|') + 1);
            const std::string_view one = text.substr(0, text.find('|'));
            if (const auto mark = one.find('='); mark != one.npos)
                m_others.emplace(one.substr(mark + 1), one.substr(0, mark));
            else
                m_others.emplace(std::string(), one); // no name has it: its state is looked at all the same
        }
    }
    [[nodiscard]] std::string_view of(std::string_view name) const
    {
        const auto found = m_others.find(name);
        return found == m_others.end() ? m_most : std::string_view(found->second);
    }
    [[nodiscard]] bool allAmong(const std::vector<std::string_view>& states) const
    {
        const auto known = [&states](std::string_view one) { return std::ranges::count(states, one) > 0; };
        return known(m_most) && std::ranges::all_of(m_others, [&known](const auto& one) { return known(one.second); });
    }

private:
    std::string_view m_most;
    States m_others;
};

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
std::map<std::string, std::vector<std::string>> changesOf(const States& now, const WantedStates& wanted)
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
    if (!schema || *schema != "ON")
        return fail({ErrorKind::Refused,
                     schema ? "performance_schema is off, and cannot be switched on while the server runs"
                            : "the server has no performance_schema",
                     m_uri.display(),
                     schema ? "set the knob performance_schema of a managed server, or set it in the server's option "
                              "file and restart it"
                            : ""});
    InstrumentSettings settings;
    std::size_t instruments = 0, consumers = 0;
    for (const InstrumentKind& kind : kInstrumentKinds) {
        if (kind.from > level)
            continue;
        const auto states = statesOf(*this, selectKind(kind.prefix));
        if (!states)
            return fail(states.error());
        if (states->empty())
            continue;
        settings.wanted.emplace(fmt::format("{}{}", kKindPrefix, kind.prefix), std::string("YES"));
        instruments += countNot(*states, "YES");
    }
    for (const InstrumentConsumer& consumer : kConsumers) {
        if (consumer.from > level)
            continue;
        const auto states = statesOf(*this, selectConsumer(consumer.name));
        if (!states)
            return fail(states.error());
        if (states->empty())
            continue;
        settings.wanted.emplace(fmt::format("{}{}", kConsumerPrefix, consumer.name), std::string("YES"));
        consumers += countNot(*states, "YES");
    }
    std::vector<std::string> parts;
    if (instruments > 0)
        parts.push_back(countOf(instruments, "instrument"));
    if (consumers > 0)
        parts.push_back(countOf(consumers, "consumer"));
    if (!parts.empty())
        settings.what = fmt::format("performance_schema: {}", fmt::join(parts, " and "));
    if (const auto statistics = lookUp(kUserStatistics)) {
        settings.wanted.emplace(kUserStatistics, true);
        if (*statistics != "ON")
            settings.what += fmt::format("{}{}", settings.what.empty() ? "" : ", ", kUserStatistics);
    }
    if (level < InstrumentsLevel::Full)
        return settings;
    const auto metrics = metricStates(*this);
    if (!metrics) // some of the family have another engine
        return settings;
    settings.wanted.emplace(kMetricsName, std::string("ENABLED"));
    if (const std::size_t count = countNot(*metrics, "ENABLED"); count > 0)
        settings.what += fmt::format("{}{}", settings.what.empty() ? "" : ", ", countOf(count, "InnoDB metric"));
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
    return statesText(*states);
}

Expected<void> MysqlAdmin::setInstruments(std::string_view name, const std::string& state)
{
    const WantedStates wanted(state);
    const bool metrics = name == kMetricsName, consumer = name.starts_with(kConsumerPrefix);
    std::vector<std::string_view> known{"YES", "NO"};
    if (metrics)
        known = {"ENABLED", "DISABLED"};
    else if (!consumer)
        known.insert(known.end(), {"YES/NO", "NO/YES"});
    if (!wanted.allAmong(known))
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" is no state of {}", state, name), m_uri.display(),
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
