// SPDX-License-Identifier: GPL-3.0-or-later
// What a server of the MySQL family counts while it works, from its global status.
#include "mysql_admin.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace dyno::mysql {

namespace {

struct StatusCounter
{
    const char* name;
    const char* unit;
    bool rate = true;
};

//! In the order they are shown. Not every product and version has all of them (Binlog_bytes_written and
//! Innodb_history_list_length are MariaDB's, Innodb_checkpoint_age is Percona's and MariaDB's).
constexpr std::array kStatus{
    StatusCounter{"Questions", "statements"},
    StatusCounter{"Com_commit", "commits"},
    StatusCounter{"Com_rollback", "rollbacks"},
    StatusCounter{"Innodb_buffer_pool_read_requests", "reads"},
    StatusCounter{"Innodb_buffer_pool_reads", "reads"},
    StatusCounter{"Aria_pagecache_reads", "reads"},
    StatusCounter{"Key_reads", "reads"},
    StatusCounter{"Rocksdb_block_cache_miss", "reads"},
    StatusCounter{"Rocksdb_bytes_written", "bytes"}, // by its users
    StatusCounter{"Rocksdb_wal_bytes", "bytes"},
    StatusCounter{"Rocksdb_wal_synced", "syncs"},
    StatusCounter{"Rocksdb_flush_write_bytes", "bytes"},
    StatusCounter{"Rocksdb_compact_read_bytes", "bytes"},
    StatusCounter{"Rocksdb_compact_write_bytes", "bytes"},
    StatusCounter{"Rocksdb_memtable_total", "bytes", false},
    StatusCounter{"Rocksdb_stall_total_slowdowns", "stalls"},
    StatusCounter{"Rocksdb_stall_total_stops", "stalls"},
    StatusCounter{"Rocksdb_stall_micros", "µs"},
    StatusCounter{"Rocksdb_snapshot_conflict_errors", "conflicts"},
    StatusCounter{"Rocksdb_row_lock_deadlocks", "deadlocks"},
    StatusCounter{"Rocksdb_row_lock_wait_timeouts", "timeouts"},
    StatusCounter{"Innodb_buffer_pool_wait_free", "waits"},
    StatusCounter{"Innodb_buffer_pool_pages_dirty", "pages", false},
    StatusCounter{"Innodb_data_read", "bytes"},
    StatusCounter{"Innodb_data_written", "bytes"},
    StatusCounter{"Innodb_data_fsyncs", "calls"},
    StatusCounter{"Innodb_os_log_written", "bytes"},
    StatusCounter{"Innodb_log_waits", "waits"},
    StatusCounter{"Innodb_checkpoint_age", "bytes", false},
    StatusCounter{"Innodb_history_list_length", "transactions", false},
    StatusCounter{"Innodb_row_lock_waits", "waits"},
    StatusCounter{"Innodb_row_lock_current_waits", "waits", false},
    StatusCounter{"Binlog_bytes_written", "bytes"},
    StatusCounter{"Bytes_received", "bytes"},
    StatusCounter{"Bytes_sent", "bytes"},
    StatusCounter{"Created_tmp_disk_tables", "tables"},
    StatusCounter{"Threads_running", "threads", false},
    StatusCounter{"Threads_connected", "connections", false},
};

//! MyRocks has tables of figures besides, which are there where its plug-in is.
constexpr const char* kOfColumnFamilies = "Rocksdb_bytes_written";

//! Of each column family as a whole (the engine's own is not counted) and of the store, as names and values. A family's
//! levels are in the same table.
constexpr const char* kFamiliesQuery =
    "SELECT CONCAT('compaction.', cf_name, '.Sum.', type), value FROM information_schema.rocksdb_compaction_stats "
    "WHERE "
    "cf_name <> '__system__' AND level = 'Sum' AND type IN ('NumFiles', 'SizeBytes', 'WriteGB', 'WriteAmp') UNION ALL "
    "SELECT CONCAT('cf.', cf_name, '.', stat_type), value FROM information_schema.rocksdb_cfstats WHERE cf_name <> "
    "'__system__' AND stat_type IN ('CUR_SIZE_ALL_MEM_TABLES', 'COMPACTION_PENDING') UNION ALL SELECT stat_type, value "
    "FROM information_schema.rocksdb_dbstats WHERE stat_type IN ('DB_BLOCK_CACHE_USAGE', 'DB_NUM_SNAPSHOTS') ORDER BY "
    "1";
constexpr std::size_t kMostOfFamilies = 200; //!< figures; a run's series are kept for each interval

constexpr std::array kOfFamilies{
    StatusCounter{"NumFiles", "files", false},
    StatusCounter{"SizeBytes", "bytes", false},
    StatusCounter{"WriteGB", "GiB"},
    StatusCounter{"WriteAmp", "", false},
    StatusCounter{"CUR_SIZE_ALL_MEM_TABLES", "bytes", false},
    StatusCounter{"COMPACTION_PENDING", "", false},
    StatusCounter{"DB_BLOCK_CACHE_USAGE", "bytes", false},
    StatusCounter{"DB_NUM_SNAPSHOTS", "snapshots", false},
};

std::vector<CounterInfo> countersOfFamilies(const TextRows& rows)
{
    std::vector<CounterInfo> all;
    for (const std::vector<std::string>& row : rows) {
        for (const StatusCounter& one : kOfFamilies) {
            if (row.at(0).ends_with(one.name) && all.size() < kMostOfFamilies)
                all.push_back({"server", row.at(0), one.unit, one.rate});
        }
    }
    return all;
}

std::string statusQuery(const std::vector<CounterInfo>& counters)
{
    std::string names;
    for (const CounterInfo& counter : counters)
        names += (names.empty() ? "" : ", ") + sqlQuoted(counter.name);
    return fmt::format("SHOW GLOBAL STATUS WHERE Variable_name IN ({})", names);
}

double numberIn(const std::string& text)
{
    double value = std::numeric_limits<double>::quiet_NaN();
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

} // namespace

std::vector<MainCounter> mainCounters()
{
    return {{CounterRole::ServerCpu, kProcessSource, kProcessCpu},
            {CounterRole::Syncs, "server", "Innodb_data_fsyncs"},
            {CounterRole::DirtyPages, "server", "Innodb_buffer_pool_pages_dirty"},
            {CounterRole::DiskWrites, "server", "Innodb_data_written"}};
}

// MySQL 8.0 Reference Manual, "Server Status Variables", says what each of them counts.
std::vector<MoveReading> moveReadings()
{
    return {
        {"server", "Innodb_buffer_pool_wait_free", true,
         "No clean page was free in the buffer pool, so pages had to be written before others could be read"},
        {"server", "Innodb_log_waits", true,
         "The log buffer was full, so transactions had to wait until it was written"},
        {"server", "Innodb_row_lock_waits", true, "Transactions waited for each other's row locks"},
        {"server", "Innodb_row_lock_current_waits", true, "Transactions waited for each other's row locks"},
        {"server", "Rocksdb_stall_total_stops", true, "MyRocks stopped writes until flushes or compactions caught up"},
        {"server", "Rocksdb_stall_micros", true, "MyRocks slowed writes down until flushes or compactions caught up"},
        {"server", "Created_tmp_disk_tables", true, "Statements wrote temporary tables to disk"}};
}

std::vector<CounterInfo> MysqlAdmin::counters()
{
    std::vector<CounterInfo> known;
    for (const StatusCounter& status : kStatus)
        known.push_back({"server", status.name, status.unit, status.rate});
    m_counters.clear();
    const auto rows = query(statusQuery(known));
    for (std::size_t i = 0; rows && i < known.size(); ++i) {
        const auto has = [&](const std::vector<std::string>& row) { return row.at(0) == known[i].name; };
        if (std::any_of(rows->begin(), rows->end(), has))
            m_counters.push_back(known[i]);
    }
    m_ofStatus = m_counters.size();
    if (std::ranges::find(m_counters, kOfColumnFamilies, &CounterInfo::name) != m_counters.end()) {
        if (const auto families = query(kFamiliesQuery)) // without the right to see it there is none
            std::ranges::move(countersOfFamilies(*families), std::back_inserter(m_counters));
    }
    return m_counters;
}

Expected<std::vector<double>> MysqlAdmin::counterValues()
{
    if (m_counters.empty() && counters().empty())
        return std::vector<double>();
    auto rows = query(statusQuery({m_counters.begin(), m_counters.begin() + std::ptrdiff_t(m_ofStatus)}));
    if (!rows)
        return fail(rows.error());
    if (m_ofStatus < m_counters.size()) {
        if (auto families = query(kFamiliesQuery)) // without them the status still counts, and they have no figure
            std::ranges::move(*families, std::back_inserter(*rows));
    }
    std::vector<double> values(m_counters.size(), std::numeric_limits<double>::quiet_NaN());
    for (const std::vector<std::string>& row : *rows) {
        for (std::size_t i = 0; i < m_counters.size(); ++i) {
            if (row.at(0) == m_counters[i].name)
                values[i] = numberIn(row.at(1));
        }
    }
    return values;
}

} // namespace dyno::mysql
