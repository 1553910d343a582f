// SPDX-License-Identifier: GPL-3.0-or-later
// What a ClickHouse server counts while it works: system.events counts up, system.metrics and
// system.asynchronous_metrics are levels; the latter are refreshed once a minute, or a second in newer versions.
#include "clickhouse_admin.h"
#include "clickhouse_statement.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <set>

namespace dyno::clickhouse {

namespace {

constexpr const char* kServer = "server";

struct Counter
{
    const char* name;
    const char* unit;
    const char* table; //!< of "system."
    bool always;       //!< in every version since 18; others are shown where the server knows them
};
//! In the order they are shown.
constexpr std::array kCounters{
    Counter{"Query", "queries", "events", true},
    Counter{"SelectQuery", "queries", "events", true},
    Counter{"InsertQuery", "queries", "events", true},
    Counter{"FailedQuery", "queries", "events", false},
    Counter{"SelectedRows", "rows", "events", false},
    Counter{"SelectedBytes", "bytes", "events", false},
    Counter{"SelectedParts", "parts", "events", true},
    Counter{"SelectedMarks", "marks", "events", true},
    Counter{"InsertedRows", "rows", "events", true},
    Counter{"InsertedBytes", "bytes", "events", true},
    Counter{"DelayedInserts", "inserts", "events", true},
    Counter{"RejectedInserts", "inserts", "events", true},
    Counter{"Merge", "merges", "events", true},
    Counter{"MergedRows", "rows", "events", true},
    Counter{"MergedUncompressedBytes", "bytes", "events", true},
    Counter{"ReadCompressedBytes", "bytes", "events", true},
    Counter{"CompressedReadBufferBytes", "bytes", "events", true},
    Counter{"MarkCacheHits", "look-ups", "events", true},
    Counter{"MarkCacheMisses", "look-ups", "events", true},
    Counter{"UncompressedCacheHits", "look-ups", "events", true},
    Counter{"UncompressedCacheMisses", "look-ups", "events", true},
    Counter{"ReadBufferFromFileDescriptorReadBytes", "bytes", "events", true},
    Counter{"WriteBufferFromFileDescriptorWriteBytes", "bytes", "events", true},
    Counter{"FileSync", "calls", "events", false},
    Counter{"RunningQueries", "queries", "metrics", false},
    Counter{"Merge", "merges", "metrics", true},
    Counter{"MemoryTracking", "bytes", "metrics", true},
    Counter{"PartsActive", "parts", "metrics", false},
    Counter{"MaxPartCountForPartition", "parts", "asynchronous_metrics", true},
    Counter{"MarkCacheBytes", "bytes", "asynchronous_metrics", true},
};

bool isEvent(const Counter& counter)
{
    return std::string_view(counter.table) == "events";
}

//! As it is shown: a name may be that of a count and of a level.
std::string nameOf(const Counter& counter)
{
    return isEvent(counter) ? counter.name : fmt::format("{} (now)", counter.name);
}

std::string key(std::string_view table, std::string_view name)
{
    return fmt::format("{}.{}", table, name);
}

//! table.name and value of all that the server counts now; events that never came are not among them.
constexpr const char* kAll =
    "SELECT concat('events.', event) AS name, toFloat64(value) AS value FROM system.events UNION ALL "
    "SELECT concat('metrics.', metric) AS name, toFloat64(value) AS value FROM system.metrics UNION ALL "
    "SELECT concat('asynchronous_metrics.', metric) AS name, toFloat64(value) AS value FROM "
    "system.asynchronous_metrics";

} // namespace

std::vector<CounterInfo> ClickhouseAdmin::counters()
{
    m_counters.clear();
    const auto now = query(kAll);
    if (!now)
        return {};
    std::set<std::string> known;
    for (const std::vector<std::string>& row : *now) {
        if (!row.at(0).starts_with("events.")) // those only once they came: another connection would find others
            known.insert(row.at(0));
    }
    // Newer versions list the events that never came too, when they are asked for.
    const auto events = query("SELECT event FROM system.events SETTINGS system_events_show_zero_values = 1");
    for (const std::vector<std::string>& row : events.value_or(TextRows()))
        known.insert(key("events", row.at(0)));
    for (const Counter& counter : kCounters) {
        if (counter.always || known.contains(key(counter.table, counter.name)))
            m_counters.push_back({kServer, nameOf(counter), counter.unit, isEvent(counter)});
    }
    return m_counters;
}

Expected<std::vector<double>> ClickhouseAdmin::counterValues()
{
    if (m_counters.empty() && counters().empty())
        return std::vector<double>();
    auto now = query(kAll);
    if (!now)
        return fail(std::move(now.error()));
    std::map<std::string, double, std::less<>> values;
    for (const std::vector<std::string>& row : *now) {
        double value = 0;
        std::from_chars(row.at(1).data(), row.at(1).data() + row.at(1).size(), value);
        values[row.at(0)] = value;
    }
    std::vector<double> all;
    for (const Counter& counter : kCounters) {
        if (std::ranges::find(m_counters, nameOf(counter), &CounterInfo::name) == m_counters.end())
            continue;
        const auto found = values.find(key(counter.table, counter.name));
        all.push_back(found == values.end() ? 0 : found->second);
    }
    return all;
}

std::vector<MainCounter> mainCounters()
{
    return {{CounterRole::Syncs, kServer, "FileSync"},
            {CounterRole::DiskWrites, kServer, "WriteBufferFromFileDescriptorWriteBytes"}};
}

} // namespace dyno::clickhouse
