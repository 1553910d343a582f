// SPDX-License-Identifier: GPL-3.0-or-later
// What a server of the MySQL family counts while it works, from its global status.
#include "driver/counter_rules.h"
#include "driver/server_self.h"
#include "mysql_admin.h"

#include <algorithm>
#include <array>
#include <cmath>
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

//! A choice among them would cost the server as much: it makes the whole list first.
constexpr const char* kStatusQuery = "SHOW GLOBAL STATUS";

// MySQL 8.4 Reference Manual and MariaDB's Knowledge Base, "Server Status Variables", say which of them go up and down.
constexpr std::array kLevelNames{"Acl_*",
                                 "Aria_pagecache_blocks_*",
                                 "Binlog_snapshot_position",
                                 "Delayed_insert_threads",
                                 "Deprecated_use_*_timestamp",
                                 "Error_log_buffered_*",
                                 "Error_log_latest_write",
                                 "Global_connection_memory",
                                 "Innodb_available_undo_logs",
                                 "Innodb_buffer_pool_bytes_*",
                                 "Innodb_buffer_pool_pages_data",
                                 "Innodb_buffer_pool_pages_dirty",
                                 "Innodb_buffer_pool_pages_free",
                                 "Innodb_buffer_pool_pages_latched",
                                 "Innodb_buffer_pool_pages_misc",
                                 "Innodb_buffer_pool_pages_old",
                                 "Innodb_buffer_pool_pages_total",
                                 "Innodb_buffer_pool_resize_status_*",
                                 "Innodb_checkpoint_*age",
                                 "Innodb_current_row_locks",
                                 "Innodb_data_pending_*",
                                 "Innodb_encryption_rotation_estimated_iops",
                                 "Innodb_ibuf_free_list",
                                 "Innodb_ibuf_segment_size",
                                 "Innodb_ibuf_size",
                                 "Innodb_mem_*",
                                 "Innodb_num_open_files",
                                 "Innodb_onlineddl_*",
                                 "Innodb_os_log_pending_*",
                                 "Innodb_page_size",
                                 "Innodb_read_views_memory",
                                 "Innodb_redo_log_*size",
                                 "Innodb_redo_log_capacity_resized",
                                 "Innodb_undo_tablespaces_*",
                                 "Key_blocks_*",
                                 "Last_query_*",
                                 "Max_tmp_space_used",
                                 "Max_used_connections",
                                 "Memory_used*",
                                 "Mysqlx_sessions",
                                 "Mysqlx_worker_threads*",
                                 "Not_flushed_delayed_rows",
                                 "Open_files",
                                 "Open_streams",
                                 "Open_table_definitions",
                                 "Open_tables",
                                 "Performance_schema_*_longest_seen",
                                 "Prepared_stmt_count",
                                 "Qcache_free_*",
                                 "Qcache_queries_in_cache",
                                 "Qcache_total_blocks",
                                 "Replica_open_temp_tables",
                                 "Rocksdb_manual_compactions_*",
                                 "Rocksdb_memtable_*",
                                 "Rpl_semi_sync_*_clients",
                                 "Rpl_semi_sync_*_wait_sessions",
                                 "Slave_heartbeat_period",
                                 "Slave_open_temp_tables",
                                 "Slaves_*",
                                 "Ssl_ctx_verify_*",
                                 "Ssl_default_timeout",
                                 "Ssl_session_cache_size",
                                 "Ssl_session_cache_timeout",
                                 "Ssl_used_session_cache_entries",
                                 "Ssl_verify_*",
                                 "Stack_usage",
                                 "Table_open_cache_active_instances",
                                 "Tc_log_max_pages_used",
                                 "Tc_log_page_size",
                                 "Threadpool_*threads",
                                 "Threads_cached",
                                 "Tls_*",
                                 "Tmp_space_used",
                                 "Uptime*",
                                 "wsrep_*_window",
                                 "wsrep_cert_deps_distance",
                                 "wsrep_cert_index_size",
                                 "wsrep_cert_interval",
                                 "wsrep_cluster_*",
                                 "wsrep_*thread_count",
                                 "wsrep_desync_count",
                                 "wsrep_commit_oo*",
                                 "wsrep_apply_oo*",
                                 "wsrep_flow_control_paused",
                                 "wsrep_local_cached_downto",
                                 "wsrep_local_index",
                                 "wsrep_local_*_queue*",
                                 "wsrep_local_state",
                                 "wsrep_open_*",
                                 "wsrep_protocol_version",
                                 "*_avg",
                                 "*_avg_wait_time",
                                 "*_time_max"};
constexpr std::array kUnitNames{CounterUnit{"*bytes*", "bytes"},      CounterUnit{"Memory_used*", "bytes"},
                                CounterUnit{"Innodb_mem_*", "bytes"}, CounterUnit{"Innodb_lsn_*", "bytes"},
                                CounterUnit{"*_age", "bytes"},        CounterUnit{"Com_*", "statements"},
                                CounterUnit{"Handler_*", "calls"},    CounterUnit{"*_pages*", "pages"},
                                CounterUnit{"*_waits", "waits"},      CounterUnit{"Innodb_row_lock_time*", "ms"},
                                CounterUnit{"Uptime*", "s"},          CounterUnit{"*_threads", "threads"},
                                CounterUnit{"*_syncs", "calls"},      CounterUnit{"*_fsyncs", "calls"}};

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

// "InnoDB checkpoints: adaptive flushing": above seven eighths of what the log may hold, pages are written without
// pause.
std::vector<EventRule> eventRules()
{
    return {{.sentence = "InnoDB flushed furiously: redo log nearly full",
             .counts = {},
             .amount = {},
             .unit = {},
             .level = "Innodb_checkpoint_age",
             .limit = "Innodb_checkpoint_max_age",
             .share = 0.875},
            {.sentence = "no free page in InnoDB's buffer pool",
             .counts = {"Innodb_buffer_pool_wait_free"},
             .amount = "Innodb_buffer_pool_wait_free",
             .unit = "waits"},
            {.sentence = "InnoDB's log buffer was full",
             .counts = {"Innodb_log_waits"},
             .amount = "Innodb_log_waits",
             .unit = "waits"},
            {.sentence = "MyRocks stopped writes",
             .counts = {"Rocksdb_stall_total_stops"},
             .amount = "Rocksdb_stall_total_stops",
             .unit = "stops"}};
}

std::vector<CounterGroup> counterGroups()
{
    return {{"InnoDB flushing",
             {"server/Innodb_buffer_pool_pages_dirty", "server/Innodb_buffer_pool_pages_flushed",
              "server/Innodb_data_written", "server/Innodb_data_fsyncs", "server/Innodb_checkpoint_age",
              "server/Innodb_os_log_written", "server/Innodb_buffer_pool_wait_free", "server/Innodb_log_waits"}},
            {"InnoDB reads",
             {"server/Innodb_buffer_pool_read_requests", "server/Innodb_buffer_pool_reads", "server/Innodb_data_reads",
              "server/Innodb_data_read", "server/Innodb_pages_read", "server/Innodb_buffer_pool_read_ahead",
              "server/Innodb_rows_read", "server/Innodb_history_list_length"}},
            {"Locks",
             {"server/Innodb_row_lock_waits", "server/Innodb_row_lock_current_waits", "server/Innodb_row_lock_time",
              "server/Innodb_deadlocks", "server/Table_locks_waited", "server/Com_rollback",
              "server/Rocksdb_row_lock_wait_timeouts", "server/Rocksdb_row_lock_deadlocks",
              "server/Rocksdb_snapshot_conflict_errors"}},
            {"Log and binlog",
             {"server/Innodb_os_log_written", "server/Innodb_log_writes", "server/Innodb_log_write_requests",
              "server/Innodb_log_waits", "server/Binlog_bytes_written", "server/Binlog_commits",
              "server/Binlog_group_commits", "server/Binlog_cache_disk_use"}},
            {"Connections and threads",
             {"server/Threads_running", "server/Threads_connected", "server/Threads_created", "server/Connections",
              "server/Aborted_connects", "server/Threadpool_threads", "server/Bytes_received", "server/Bytes_sent"}},
            {"MyRocks",
             {"server/Rocksdb_bytes_written", "server/Rocksdb_wal_bytes", "server/Rocksdb_flush_write_bytes",
              "server/Rocksdb_compact_write_bytes", "server/Rocksdb_compact_read_bytes", "server/Rocksdb_stall_micros",
              "server/Rocksdb_memtable_total", "server/Rocksdb_block_cache_miss"}}};
}

std::vector<CounterInfo> MysqlAdmin::counters()
{
    m_counters.clear();
    m_counterPlaces.clear();
    const auto rows = query(kStatusQuery);
    for (const StatusCounter& status : kStatus) {
        const auto has = [&](const std::vector<std::string>& row) { return row.at(0) == status.name; };
        if (rows && std::ranges::any_of(*rows, has))
            m_counters.push_back({"server", status.name, status.unit, status.rate});
    }
    m_ofFamilies = false;
    if (std::ranges::find(m_counters, kOfColumnFamilies, &CounterInfo::name) != m_counters.end()) {
        if (const auto families = query(kFamiliesQuery)) { // without the right to see it there is none
            const std::vector<CounterInfo> told = countersOfFamilies(*families);
            m_ofFamilies = !told.empty();
            std::ranges::copy(told, std::back_inserter(m_counters));
        }
    }
    for (std::size_t i = 0; i < m_counters.size(); ++i)
        m_counterPlaces.emplace(m_counters[i].name, i);
    for (const std::vector<std::string>& row : rows.value_or(TextRows())) {
        if (m_counters.size() == kMostCounters)
            break;
        if (std::isfinite(counterNumberIn(row.at(1))) && m_counterPlaces.emplace(row.at(0), m_counters.size()).second)
            m_counters.push_back(hiddenCounter(row.at(0), kLevelNames, kUnitNames));
    }
    return m_counters;
}

Expected<std::vector<double>> MysqlAdmin::counterValues()
{
    if (m_counters.empty() && counters().empty())
        return std::vector<double>();
    auto rows = query(kStatusQuery);
    if (!rows)
        return fail(rows.error());
    if (m_ofFamilies) {
        if (auto families = query(kFamiliesQuery)) // without them the status still counts, and they have no figure
            std::ranges::move(*families, std::back_inserter(*rows));
    }
    std::vector<double> values(m_counters.size(), std::numeric_limits<double>::quiet_NaN());
    for (const std::vector<std::string>& row : *rows) {
        if (const auto place = m_counterPlaces.find(row.at(0)); place != m_counterPlaces.end())
            values[place->second] = counterNumberIn(row.at(1));
    }
    return values;
}

Expected<ServerSelf> MysqlAdmin::self()
{
    // Each product has other names for what tells its servers apart for sure; all have these. A server that is asked
    // for one that it has not refuses the whole.
    constexpr const char* kWho = "SELECT CONCAT(@@hostname, ':', @@port), CONCAT(@@datadir, ' ', @@server_id),"
                                 " @@global.read_only";
    for (const char* more : {", @@server_uuid", ", @@server_uid", ""}) {
        const std::string text = m_selfQuery.value_or(std::string(kWho) + more);
        const auto rows = text.empty() ? Expected<TextRows>(TextRows()) : query(text);
        if (!rows && rows.error().kind == ErrorKind::Unreachable)
            return fail(rows.error());
        // For want of time or memory this time: what is known, or not yet, stays so.
        constexpr std::array<unsigned, 7> kPassing{1037, 1038, 1041, 1205, 1317, 1969, 3024};
        if (!rows && (m_selfQuery || std::ranges::find(kPassing, mysql_errno(m_connection.get())) != kPassing.end()))
            return ServerSelf{{}, {}, {}, true};
        if (text.empty())
            return ServerSelf();
        if (rows && (rows->empty() || rows->front().size() < 3))
            return ServerSelf();
        if (rows) {
            m_selfQuery = text;
            const std::vector<std::string>& row = rows->front();
            ServerSelf self{{}, row[0], row[2] == "0" || row[2] == "OFF", true};
            for (const std::string& cell : row)
                self.identity += &cell == &row[2] ? std::string() : cell + ' ';
            return self;
        }
    }
    m_selfQuery.emplace();
    return ServerSelf();
}

} // namespace dyno::mysql
