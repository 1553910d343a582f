// SPDX-License-Identifier: GPL-3.0-or-later
// What a server of the MySQL family counts while it works, from its global status.
#include "mysql_admin.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
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
    return {{"server", "Innodb_buffer_pool_wait_free", true,
             "No clean page was free in the buffer pool, so pages had to be written before others could be read"},
            {"server", "Innodb_log_waits", true,
             "The log buffer was full, so transactions had to wait until it was written"},
            {"server", "Innodb_row_lock_waits", true, "Transactions waited for each other's row locks"},
            {"server", "Innodb_row_lock_current_waits", true, "Transactions waited for each other's row locks"},
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
    return m_counters;
}

Expected<std::vector<double>> MysqlAdmin::counterValues()
{
    if (m_counters.empty() && counters().empty())
        return std::vector<double>();
    const auto rows = query(statusQuery(m_counters));
    if (!rows)
        return fail(rows.error());
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
