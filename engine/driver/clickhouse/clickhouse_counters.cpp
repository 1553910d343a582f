// SPDX-License-Identifier: GPL-3.0-or-later
// What a ClickHouse server counts while it works: system.events counts up, system.metrics and
// system.asynchronous_metrics are levels; the latter are refreshed once a minute, or a second in newer versions.
#include "clickhouse_admin.h"
#include "clickhouse_statement.h"
#include "driver/counter_rules.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

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

constexpr std::string_view kEvents = "events.";
constexpr std::array kCounterUnits{CounterUnit{"*Bytes*", "bytes"}, CounterUnit{"*Microseconds", "µs"},
                                   CounterUnit{"*Milliseconds", "ms"}, CounterUnit{"*Rows", "rows"}};
constexpr std::array kAnything{"*"};

//! Kept beside the chosen ones; `known`: "metrics.Query".
CounterInfo hiddenOf(const std::string& known)
{
    const std::string name = known.substr(known.find('.') + 1);
    if (known.starts_with(kEvents))
        return hiddenCounter(name, {}, kCounterUnits);
    return hiddenCounter(name + " (now)", kAnything, kCounterUnits);
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

constexpr std::string_view kAsynchronous = "asynchronous_metrics.";

//! DiskUsed_default, NetworkReceiveBytes_eth0, OSUserTimeCPU12, Temperature3
bool isOfOneThing(std::string_view metric)
{
    if (metric.starts_with("jemalloc."))
        return false;
    if (metric.find('_') != std::string_view::npos || metric.starts_with("Temperature") || metric.starts_with("EDAC"))
        return true;
    const std::size_t digits = metric.find_last_not_of("0123456789") + 1;
    return digits < metric.size() && metric.substr(0, digits).ends_with("CPU");
}

} // namespace

std::vector<std::string> keptKeys(const std::set<std::string>& known)
{
    std::vector<std::string> kept;
    for (const std::string_view table : {kEvents, std::string_view("metrics."), kAsynchronous}) {
        for (const std::string& one : known) {
            if (one.starts_with(table) &&
                (table != kAsynchronous || !isOfOneThing(std::string_view(one).substr(table.size()))))
                kept.push_back(one);
        }
    }
    return kept;
}

std::vector<CounterInfo> ClickhouseAdmin::counters()
{
    m_counters.clear();
    m_counterKeys.clear();
    const auto now = query(kAll);
    if (!now)
        return {};
    std::set<std::string> known, names;
    for (const std::vector<std::string>& row : *now) {
        if (!row.at(0).starts_with("events.")) // those only once they came: another connection would find others
            known.insert(row.at(0));
    }
    // Newer versions list the events that never came too, when they are asked for.
    const auto events = query("SELECT event FROM system.events SETTINGS system_events_show_zero_values = 1");
    for (const std::vector<std::string>& row : events.value_or(TextRows()))
        known.insert(key("events", row.at(0)));
    for (const Counter& counter : kCounters) {
        const std::string of = key(counter.table, counter.name);
        if (!counter.always && !known.contains(of))
            continue;
        m_counters.push_back({kServer, nameOf(counter), counter.unit, isEvent(counter)});
        m_counterKeys.push_back(of);
        names.insert(m_counters.back().name);
    }
    for (const std::vector<std::string>& row : *now)
        known.insert(row.at(0)); // older versions list only events that came: those are kept too
    for (const std::string& of : m_counterKeys)
        known.erase(of);
    for (const std::string& of : keptKeys(known)) {
        CounterInfo info = hiddenOf(of);
        if (m_counters.size() == kMostCounters || !names.insert(info.name).second)
            continue;
        m_counters.push_back(std::move(info));
        m_counterKeys.push_back(of);
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
        values[row.at(0)] = counterNumberIn(row.at(1));
    }
    std::vector<double> all;
    all.reserve(m_counterKeys.size());
    for (std::size_t i = 0; i < m_counterKeys.size(); ++i) {
        const auto found = values.find(m_counterKeys[i]);
        const bool gone = m_counters[i].hidden && !m_counters[i].rate; // an event that never came is not told
        all.push_back(found != values.end() ? found->second : gone ? std::numeric_limits<double>::quiet_NaN() : 0);
    }
    return all;
}

std::vector<EventRule> eventRules()
{
    return {{.sentence = "merges", .counts = {"Merge", "MergedRows"}, .amount = "MergedRows", .unit = "rows merged"},
            {.sentence = "inserts were delayed: a table had too many parts",
             .counts = {"DelayedInserts"},
             .amount = "DelayedInserts",
             .unit = "inserts"},
            {.sentence = "inserts were rejected: a table had too many parts",
             .counts = {"RejectedInserts"},
             .amount = "RejectedInserts",
             .unit = "inserts"}};
}

std::vector<MainCounter> mainCounters()
{
    return {{CounterRole::Syncs, kServer, "FileSync"},
            {CounterRole::DiskWrites, kServer, "WriteBufferFromFileDescriptorWriteBytes"}};
}

std::vector<CounterGroup> counterGroups()
{
    return {{"Merges",
             {"server/Merge", "server/Merge (now)", "server/MergedRows", "server/MergedUncompressedBytes",
              "server/PartsActive (now)", "server/MaxPartCountForPartition (now)",
              "server/WriteBufferFromFileDescriptorWriteBytes", "server/ReadBufferFromFileDescriptorReadBytes"}},
            {"Inserts",
             {"server/InsertQuery", "server/InsertedRows", "server/InsertedBytes", "server/DelayedInserts",
              "server/RejectedInserts", "server/FileSync", "server/MaxPartCountForPartition (now)",
              "server/MemoryTracking (now)"}}};
}

} // namespace dyno::clickhouse
