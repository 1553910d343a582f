// SPDX-License-Identifier: GPL-3.0-or-later
// What a server of the MySQL family counts while it works, from its global status.
#include "mysql_counters.h"

#include "base/clock.h"
#include "base/text.h"
#include "driver/counter_rules.h"
#include "driver/server_self.h"
#include "driver/serving_process.h"
#include "mysql_admin.h"
#include "mysql_grants.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <poll.h>
#include <set>

namespace dyno::mysql {

namespace {

constexpr std::array<std::string_view, 2> kServerPrograms{"mariadbd", "mysqld"}; // of /proc/ID/comm

struct StatusCounter
{
    const char* name;
    const char* unit;
    bool rate = true;
};

//! In the order they are shown. Not every product and version has all of them (Binlog_bytes_written and
//! Innodb_history_list_length are MariaDB's, Innodb_checkpoint_age is Percona's and MariaDB's, or see
//! addCheckpointAge()).
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

//! "INFORMATION_SCHEMA INNODB_METRICS Table": of those that are on. MySQL says so in STATUS, MariaDB since 10.5 in
//! ENABLED.
constexpr std::array kMetricsOn{"STATUS = 'enabled'", "ENABLED"};
constexpr const char* kMetricsQuery = "SELECT NAME, COUNT{} FROM information_schema.INNODB_METRICS WHERE {}";
constexpr const char* kSetMember = "set_member"; //!< that of the last batch, or how many there were

//! Levels, whatever TYPE says: "counter" is what is counted while it is on, up and down.
constexpr std::array kMetricLevels{"*_avg*",
                                   "buffer_flush_n_to_flush_*",
                                   "buffer_flush_pct_*",
                                   "ddl_background_drop_indexes",
                                   "ddl_online_create_index",
                                   "ddl_pending_alter_table",
                                   "ibuf_size",
                                   "lock_rec_locks",
                                   "lock_row_lock_current_waits",
                                   "lock_table_locks",
                                   "log_lsn_checkpoint_age",
                                   "os_pending_*",
                                   "trx_active_transactions"};
//! Counts, although TYPE says "value".
constexpr std::array kMetricCounts{"lock_deadlocks", "lock_timeouts", "log_checkpoints", "log_lsn_*", "purge_*_count"};
constexpr std::array kMetricUnits{
    CounterUnit{"log_lsn_*", "bytes"},       CounterUnit{"log_max_modified_age_*", "bytes"},
    CounterUnit{"*bytes*", "bytes"},         CounterUnit{"*_usec", "µs"},
    CounterUnit{"buffer_*_pages", "pages"},  CounterUnit{"buffer_page_*", "pages"},
    CounterUnit{"*_waits", "waits"},         CounterUnit{"*_scanned*", "pages"},
    CounterUnit{"lock_row_lock_time*", "ms"}};

template<std::size_t N>
bool fitsOne(std::string_view name, const std::array<const char*, N>& patterns)
{
    return std::ranges::any_of(patterns, [name](const char* pattern) { return fitsPattern(name, pattern); });
}

bool isMetricLevel(std::string_view name, std::string_view type)
{
    if (fitsOne(name, kMetricLevels))
        return true;
    if (type == kSetMember)
        return name.ends_with("_per_call") || name.ends_with("_pages");
    return type == "value" && !fitsOne(name, kMetricCounts);
}

//! "… (innodb_pages_read)" at the end of a metric's comment: the status has it under this name. "" for none.
std::string_view statusNameIn(std::string_view comment)
{
    const std::size_t open = comment.rfind('(');
    return open == std::string_view::npos || !comment.ends_with(')')
               ? std::string_view()
               : comment.substr(open + 1, comment.size() - open - 2);
}

//! "QUERY_RESPONSE_TIME" of MariaDB's and Percona's plug-in: statements that took no longer than the name says, and
//! longer than that of the row before.
constexpr const char* kResponseTimesQuery =
    "SELECT CONCAT('Query_response_time_', REPLACE(LOWER(TRIM(TIME)), ' ', '_')), COUNT FROM "
    "information_schema.QUERY_RESPONSE_TIME";

//! "Thread Groups in the Unix Implementation of the Thread Pool" of MariaDB: over all groups.
constexpr const char* kThreadPoolQuery =
    "SELECT * FROM (SELECT SUM(QUEUE_LENGTH) AS Threadpool_queue_length, SUM(ACTIVE_THREADS) AS "
    "Threadpool_active_threads, SUM(STANDBY_THREADS) AS Threadpool_standby_threads, SUM(IS_STALLED) AS "
    "Threadpool_stalled_groups FROM information_schema.THREAD_POOL_GROUPS) g, (SELECT SUM(STALLS) AS "
    "Threadpool_stalls, SUM(THROTTLES) AS Threadpool_throttles, SUM(WAKES) AS Threadpool_wakes, "
    "SUM(WAKES_DUE_TO_STALL) AS Threadpool_wakes_due_to_stall, SUM(THREAD_CREATIONS) AS "
    "Threadpool_thread_creations, SUM(THREAD_CREATIONS_DUE_TO_STALL) AS Threadpool_thread_creations_due_to_stall, "
    "SUM(DEQUEUES_BY_LISTENER) AS Threadpool_dequeues_by_listener, SUM(DEQUEUES_BY_WORKER) AS "
    "Threadpool_dequeues_by_worker FROM information_schema.THREAD_POOL_STATS) s";

//! Of all its sources: MariaDB's words, MySQL's since 8.0.22, MySQL's before.
constexpr std::array kReplicaAsks{"SHOW ALL SLAVES STATUS", "SHOW REPLICA STATUS", "SHOW SLAVE STATUS"};
constexpr const char* kReplicaSeconds = "Replica_seconds_behind";
constexpr const char* kReplicaLog = "Replica_relay_log_space";
constexpr const char* kReplicaToApply = "Replica_bytes_to_apply";
constexpr int kReplicaFirstPatienceMs = 1000; //!< what does not say whether it is one is none
constexpr int kReplicaPatienceMs = 20;        //!< what takes longer is in no interval

constexpr unsigned kSyntaxError = 1064;
constexpr std::array<unsigned, 3> kNoRight{1044, 1142, 1227};

bool isForWantOfRight(unsigned code)
{
    return std::ranges::find(kNoRight, code) != kNoRight.end();
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
                                 "Threadpool_queue_length",
                                 "Threadpool_stalled_groups",
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
constexpr std::array kUnitNames{CounterUnit{"*bytes*", "bytes"},
                                CounterUnit{"Memory_used*", "bytes"},
                                CounterUnit{"Innodb_mem_*", "bytes"},
                                CounterUnit{"Innodb_lsn_*", "bytes"},
                                CounterUnit{"*_age", "bytes"},
                                CounterUnit{"Com_*", "statements"},
                                CounterUnit{"Handler_*", "calls"},
                                CounterUnit{"*_pages*", "pages"},
                                CounterUnit{"*_waits", "waits"},
                                CounterUnit{"Innodb_row_lock_time*", "ms"},
                                CounterUnit{"Uptime*", "s"},
                                CounterUnit{"*_threads", "threads"},
                                CounterUnit{"*_syncs", "calls"},
                                CounterUnit{"*_fsyncs", "calls"},
                                CounterUnit{"Query_response_time_*", "statements"}};

} // namespace

void addCheckpointAge(TextRows& status)
{
    const auto valueOf = [&status](std::string_view name) {
        const auto row = std::ranges::find_if(status, [name](const auto& one) { return one.at(0) == name; });
        return row == status.end() ? std::numeric_limits<double>::quiet_NaN() : counterNumberIn(row->at(1));
    };
    // log_files_capacity.cc: two of 32 parts are kept free, and what InnoDB aims at is 5 % less than the rest.
    constexpr double kUsable = 30.0 / 32 * 0.95;
    const double age = valueOf("Innodb_redo_log_current_lsn") - valueOf("Innodb_redo_log_checkpoint_lsn");
    const double limit = valueOf("Innodb_redo_log_capacity_resized") * kUsable;
    if (!std::isfinite(age) || std::isfinite(valueOf("Innodb_checkpoint_age")))
        return;
    status.push_back({"Innodb_checkpoint_age", fmt::format("{:.0f}", std::max(age, 0.0))});
    if (limit > 0 && !std::isfinite(valueOf("Innodb_checkpoint_max_age")))
        status.push_back({"Innodb_checkpoint_max_age", fmt::format("{:.0f}", limit)});
}

TextRows replicaFigures(const std::vector<std::string>& columns, const TextRows& sources)
{
    // MySQL has other names for them since 8.0.22.
    const auto columnOf = [&columns](std::string_view before, std::string_view now) {
        const auto is = [&](const std::string& name) { return name == before || name == now; };
        return std::size_t(std::ranges::find_if(columns, is) - columns.begin());
    };
    const std::size_t seconds = columnOf("Seconds_Behind_Master", "Seconds_Behind_Source"),
                      log = columnOf("Relay_Log_Space", "Relay_Log_Space"),
                      got = columnOf("Read_Master_Log_Pos", "Read_Source_Log_Pos"),
                      gotOf = columnOf("Master_Log_File", "Source_Log_File"),
                      applied = columnOf("Exec_Master_Log_Pos", "Exec_Source_Log_Pos"),
                      appliedOf = columnOf("Relay_Master_Log_File", "Relay_Source_Log_File");
    std::map<const char*, double> largest;
    for (const std::vector<std::string>& row : sources) {
        const auto cellAt = [&row](std::size_t column) { return column < row.size() ? row[column] : std::string(); };
        const auto take = [&largest](const char* name, double value) {
            double& most = largest.emplace(name, value).first->second;
            most = std::isfinite(value) ? std::max(most, value) : value; // stays not a number when it is none
        };
        take(kReplicaSeconds, counterNumberIn(cellAt(seconds)));
        take(kReplicaLog, counterNumberIn(cellAt(log)));
        const bool same = cellAt(gotOf) == cellAt(appliedOf); // positions of two files cannot be compared
        take(kReplicaToApply, same ? counterNumberIn(cellAt(got)) - counterNumberIn(cellAt(applied))
                                   : std::numeric_limits<double>::quiet_NaN());
    }
    TextRows figures;
    for (const auto& [name, value] : largest) {
        if (std::isfinite(value))
            figures.push_back({name, fmt::format("{:.0f}", value)});
    }
    return figures;
}

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
    constexpr double kMebibytes = 1.0 / (1024 * 1024);
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
             .unit = "stops"},
            {.sentence = "MyRocks flushed memtables",
             .counts = {"Rocksdb_flush_write_bytes"},
             .amount = "Rocksdb_flush_write_bytes",
             .unit = "MiB written",
             .scale = kMebibytes},
            {.sentence = "MyRocks compaction",
             .counts = {"Rocksdb_compact_write_bytes"},
             .amount = "Rocksdb_compact_write_bytes",
             .unit = "MiB written",
             .scale = kMebibytes}};
}

std::vector<CounterGroup> counterGroups()
{
    return {{"InnoDB flushing",
             {"server/Innodb_buffer_pool_pages_dirty", "server/Innodb_buffer_pool_pages_flushed",
              "server/Innodb_data_written", "server/Innodb_data_fsyncs", "server/Innodb_checkpoint_age",
              "server/Innodb_os_log_written", "server/Innodb_buffer_pool_wait_free", "server/Innodb_log_waits",
              "server/buffer_flush_adaptive_total_pages", "server/buffer_flush_background_total_pages",
              "server/buffer_flush_sync_total_pages"}},
            {"InnoDB reads",
             {"server/Innodb_buffer_pool_read_requests", "server/Innodb_buffer_pool_reads", "server/Innodb_data_reads",
              "server/Innodb_data_read", "server/Innodb_pages_read", "server/Innodb_buffer_pool_read_ahead",
              "server/Innodb_rows_read", "server/Innodb_history_list_length", "server/trx_rseg_history_len"}},
            {"Locks",
             {"server/Innodb_row_lock_waits", "server/Innodb_row_lock_current_waits", "server/Innodb_row_lock_time",
              "server/Innodb_deadlocks", "server/lock_deadlocks", "server/lock_timeouts",
              "server/innodb_rwlock_s_os_waits", "server/innodb_rwlock_sx_os_waits", "server/innodb_rwlock_x_os_waits",
              "server/Table_locks_waited", "server/Com_rollback", "server/Rocksdb_row_lock_wait_timeouts",
              "server/Rocksdb_row_lock_deadlocks", "server/Rocksdb_snapshot_conflict_errors"}},
            {"Log and binlog",
             {"server/Innodb_os_log_written", "server/Innodb_log_writes", "server/Innodb_log_write_requests",
              "server/Innodb_log_waits", "server/Binlog_bytes_written", "server/Binlog_commits",
              "server/Binlog_group_commits", "server/Binlog_cache_disk_use"}},
            {"Connections and threads",
             {"server/Threads_running", "server/Threads_connected", "server/Threads_created", "server/Connections",
              "server/Aborted_connects", "server/Threadpool_threads", "server/Threadpool_queue_length",
              "server/Threadpool_stalls", "server/Bytes_received", "server/Bytes_sent"}},
            {"MyRocks",
             {"server/Rocksdb_bytes_written", "server/Rocksdb_wal_bytes", "server/Rocksdb_flush_write_bytes",
              "server/Rocksdb_compact_write_bytes", "server/Rocksdb_compact_read_bytes", "server/Rocksdb_stall_micros",
              "server/Rocksdb_memtable_total", "server/Rocksdb_block_cache_miss"}}};
}

void MysqlAdmin::addCounter(CounterInfo info)
{
    if (m_counters.size() < kMostCounters && m_counterPlaces.emplace(info.name, m_counters.size()).second)
        m_counters.push_back(std::move(info));
}

//! The rows, or an error; one for want of `right` is noted, with what nobody sees without it.
Expected<TextRows> MysqlAdmin::figures(std::string_view select, std::string_view what, std::string_view right)
{
    auto rows = query(select);
    if (!rows && isForWantOfRight(mysql_errno(m_connection.get())))
        m_unseen.push_back({std::string(what), fmt::format("GRANT {} ON *.* TO", right),
                            quotedAccount(cell("SELECT CURRENT_USER()"))});
    return rows;
}

Expected<TextRows> MysqlAdmin::figuresInColumns(std::string_view select)
{
    std::vector<std::string> names;
    const auto rows = query(select, &names);
    if (!rows)
        return fail(rows.error());
    TextRows pairs;
    for (std::size_t i = 0; !rows->empty() && i < names.size(); ++i)
        pairs.push_back({names[i], rows->front().at(i)});
    return pairs;
}

void MysqlAdmin::addFamilies()
{
    if (!m_counterPlaces.contains(kOfColumnFamilies))
        return;
    const auto rows = figures(kFamiliesQuery, "MyRocks' column families", "PROCESS");
    const std::vector<CounterInfo> found = countersOfFamilies(rows.value_or(TextRows()));
    for (const CounterInfo& one : found)
        addCounter(one);
    if (!found.empty())
        m_more.push_back({kFamiliesQuery});
}

//! What the status has too is not kept twice.
void MysqlAdmin::addMetrics(const TextRows& status)
{
    std::set<std::string, std::less<>> known;
    for (const std::vector<std::string>& row : status)
        known.insert(lowered(row.at(0)));
    for (const char* on : kMetricsOn) {
        const auto rows =
            figures(fmt::format(fmt::runtime(kMetricsQuery), ", TYPE, COMMENT", on), "InnoDB's metrics", "PROCESS");
        if (!rows)
            continue;
        for (const std::vector<std::string>& row : *rows) {
            if (known.contains(lowered(row.at(0))) || known.contains(statusNameIn(row.at(3))))
                continue;
            CounterInfo info = hiddenCounter(row.at(0), {}, kMetricUnits);
            info.rate = !isMetricLevel(row.at(0), row.at(2));
            addCounter(std::move(info));
        }
        m_more.push_back({fmt::format(fmt::runtime(kMetricsQuery), "", on)});
        return;
    }
}

void MysqlAdmin::addResponseTimes()
{
    const auto rows = query(kResponseTimesQuery);
    if (!rows || rows->empty()) // no such plug-in
        return;
    for (const std::vector<std::string>& row : *rows)
        addCounter(hiddenCounter(row.at(0), {}, kUnitNames));
    m_more.push_back({kResponseTimesQuery});
}

void MysqlAdmin::addThreadPool()
{
    const auto rows = figuresInColumns(kThreadPoolQuery);
    if (!rows || rows->empty() || rows->front().at(1).empty()) // no groups: each connection has a thread
        return;
    for (const std::vector<std::string>& row : *rows)
        addCounter(hiddenCounter(row.at(0), kLevelNames, kUnitNames));
    m_more.push_back({kThreadPoolQuery, true});
}

//! The answer to m_replicaAsk; none: not within `patienceMs`. It may wait for whoever starts or stops replication.
std::optional<Expected<TextRows>> MysqlAdmin::replicaAnswer(int patienceMs, std::vector<std::string>* columns)
{
    MYSQL* mysql = m_replica.get();
    pollfd socket{.fd = socketOf(mysql), .events = POLLIN, .revents = 0};
    if (::poll(&socket, 1, patienceMs) <= 0)
        return std::nullopt;
    m_replicaAsked = false;
    if (mysql_read_query_result(mysql) != 0)
        return fail(commandError(mysql, m_replicaAsk));
    return readRows(mysql, m_replicaAsk, columns);
}

bool MysqlAdmin::askReplica()
{
    m_replicaAsked = mysql_send_query(m_replica.get(), m_replicaAsk, std::strlen(m_replicaAsk)) == 0;
    return m_replicaAsked;
}

void MysqlAdmin::addReplica()
{
    m_replica = newConnection(m_options);
    if (!m_replica || !connect(m_replica.get(), m_options))
        m_replica.reset();
    bool isReplica = false;
    for (const char* ask : kReplicaAsks) {
        m_replicaAsk = ask;
        if (!m_replica || !askReplica())
            break;
        const auto rows = replicaAnswer(kReplicaFirstPatienceMs, nullptr);
        const unsigned code = !rows || *rows ? 0 : mysql_errno(m_replica.get());
        if (code == kSyntaxError)
            continue;
        if (isForWantOfRight(code)) {
            const bool monitors =
                rows->error().message.find("SLAVE MONITOR") != std::string::npos; // MariaDB since 10.5
            m_unseen.push_back({"how far this server is behind if it is a replica",
                                fmt::format("GRANT {} ON *.* TO", monitors ? "SLAVE MONITOR" : "REPLICATION CLIENT"),
                                quotedAccount(cell("SELECT CURRENT_USER()")), false});
        }
        isReplica = rows && *rows && !(*rows)->empty();
        break;
    }
    if (!isReplica) {
        m_replicaAsk = nullptr;
        m_replica.reset();
        return;
    }
    addCounter({"server", kReplicaSeconds, "s", false});
    for (const char* name : {kReplicaLog, kReplicaToApply})
        addCounter({.source = "server", .name = name, .unit = "bytes", .rate = false, .hidden = true});
}

//! What the server answers at once. Until it answers there are no figures of it, and nothing else waits.
TextRows MysqlAdmin::replicaNow()
{
    const auto isGone = [](const Expected<TextRows>& answer) {
        return !answer && answer.error().kind == ErrorKind::Unreachable;
    };
    if (!m_replica)
        return {};
    if (m_replicaAsked) {
        const auto late = replicaAnswer(0, nullptr); // of an interval before
        if (!late)
            return {};
        if (isGone(*late)) {
            m_replica.reset();
            return {};
        }
    }
    std::vector<std::string> columns;
    const auto answer = askReplica() ? replicaAnswer(kReplicaPatienceMs, &columns)
                                     : Expected<TextRows>(fail(commandError(m_replica.get(), m_replicaAsk)));
    if (answer && isGone(*answer))
        m_replica.reset();
    return answer && *answer ? replicaFigures(columns, **answer) : TextRows();
}

std::vector<CounterInfo> MysqlAdmin::counters()
{
    m_counters.clear();
    m_counterPlaces.clear();
    m_more.clear();
    m_unseen.clear();
    m_replicaAsk = nullptr;
    m_replica.reset();
    m_replicaAsked = false;
    TextRows status = query(kStatusQuery).value_or(TextRows());
    addCheckpointAge(status);
    for (const StatusCounter& one : kStatus) {
        if (std::ranges::any_of(status, [&](const auto& row) { return row.at(0) == one.name; }))
            addCounter({"server", one.name, one.unit, one.rate});
    }
    addFamilies();
    addReplica();
    for (const std::vector<std::string>& row : status) {
        if (std::isfinite(counterNumberIn(row.at(1))))
            addCounter(hiddenCounter(row.at(0), kLevelNames, kUnitNames));
    }
    addThreadPool();
    addResponseTimes();
    addMetrics(status);
    return m_counters;
}

Expected<std::vector<double>> MysqlAdmin::counterValues()
{
    if (m_counters.empty() && counters().empty())
        return std::vector<double>();
    std::vector<double> values(m_counters.size(), std::numeric_limits<double>::quiet_NaN());
    std::int64_t beganNs = nowNs();
    const auto take = [&](const TextRows& rows) {
        const std::int64_t atNs = beganNs + (nowNs() - beganNs) / 2; // somewhere between the two it looked
        if (m_counterTimes.size() != values.size())
            m_counterTimes.assign(values.size(), atNs);
        for (const std::vector<std::string>& row : rows) {
            if (const auto place = m_counterPlaces.find(row.at(0)); place != m_counterPlaces.end()) {
                values[place->second] = counterNumberIn(row.at(1));
                m_counterTimes[place->second] = atNs;
            }
        }
    };
    m_counterTimes.clear();
    auto rows = query(kStatusQuery);
    if (!rows)
        return fail(rows.error());
    addCheckpointAge(*rows);
    take(*rows);
    for (const MoreFigures& one : m_more) {
        // Without them the status still counts, and they have no figure.
        beganNs = nowNs();
        if (const auto more = one.inColumns ? figuresInColumns(one.select) : query(one.select))
            take(*more);
    }
    beganNs = nowNs();
    if (m_replicaAsk)
        take(replicaNow());
    return values;
}

std::vector<UnseenCounters> MysqlAdmin::unseenCounters()
{
    std::vector<UnseenCounters> unseen = m_unseen;
    (void)servingThread();
    if (m_threadUnseen)
        unseen.push_back({"the server's CPU time for observing it", "GRANT SELECT ON performance_schema.threads TO",
                          quotedAccount(cell("SELECT CURRENT_USER()"))});
    return unseen;
}

std::int64_t MysqlAdmin::servingThread()
{
    m_threadUnseen = false;
    if (m_options.distant || !isLocal(m_uri))
        return 0;
    // MariaDB, which says 0 where a pool of threads serves; MySQL.
    for (const char* select : {"SELECT TID FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()",
                               "SELECT THREAD_OS_ID FROM performance_schema.threads WHERE PROCESSLIST_ID = "
                               "CONNECTION_ID() AND @@thread_handling = 'one-thread-per-connection'"}) {
        if (const auto rows = query(select))
            return rows->empty() ? 0 : threadOfServer(rows->front().at(0), kServerPrograms);
    }
    m_threadUnseen = isForWantOfRight(mysql_errno(m_connection.get()));
    return 0;
}

LocalServer MysqlAdmin::localServer()
{
    if (m_options.distant || !isLocal(m_uri))
        return {};
    return serverBehind(socketOf(m_connection.get()), kServerPrograms, servingThread());
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
