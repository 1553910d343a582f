// SPDX-License-Identifier: GPL-3.0-or-later
// What a PostgreSQL server counts while it works, from its statistics views. Sessions hand in what they have counted at
// the end of a transaction, about once a second: over shorter intervals these figures come in steps.
#include "postgresql_counters.h"

#include "driver/counter_rules.h"
#include "driver/server_self.h"
#include "driver/serving_process.h"
#include "driver/sql_text.h"
#include "postgresql_admin.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <utility>

namespace dyno::postgresql {

namespace {

// Of /proc/ID/comm; the second is a link to the first, by which some packages start it.
constexpr std::array<std::string_view, 2> kServerPrograms{"postgres", "postmaster"};

//! A view that is asked, as one row.
struct View
{
    const char* name;
    const char* row; //!< {}: the wanted expressions
};
constexpr std::array kViews{
    View{"pg_stat_database", "SELECT {} FROM pg_stat_database WHERE datname = current_database()"},
    View{"pg_stat_bgwriter", "SELECT {} FROM pg_stat_bgwriter"},
    View{"pg_stat_checkpointer", "SELECT {} FROM pg_stat_checkpointer"},
    View{"pg_stat_wal", "SELECT {} FROM pg_stat_wal"},
    View{"pg_stat_io", "SELECT {} FROM pg_stat_io"},
    // Of its standbys the one that is furthest behind; no row of a server without any.
    View{"pg_stat_replication", "SELECT {} FROM pg_stat_replication"},
    View{"pg_stat_activity", "SELECT {} FROM pg_stat_activity WHERE backend_type = 'client backend'"},
};

//! In the order they are shown. Versions count in different places: the first one of a name whose columns there are
//! counts.
struct Counter
{
    const char* name;
    const char* unit;
    bool rate;
    const char* view;
    const char* columns;    //!< that it needs, separated by blanks
    const char* expression; //!< "": the column
};
constexpr std::array kCounters{
    Counter{"xact_commit", "transactions", true, "pg_stat_database", "xact_commit", ""},
    Counter{"xact_rollback", "transactions", true, "pg_stat_database", "xact_rollback", ""},
    Counter{"blks_hit", "pages", true, "pg_stat_database", "blks_hit", ""},
    Counter{"blks_read", "pages", true, "pg_stat_database", "blks_read", ""},
    Counter{"blk_read_time", "ms", true, "pg_stat_database", "blk_read_time", ""},
    Counter{"blk_write_time", "ms", true, "pg_stat_database", "blk_write_time", ""},
    Counter{"tup_returned", "rows", true, "pg_stat_database", "tup_returned", ""},
    Counter{"tup_fetched", "rows", true, "pg_stat_database", "tup_fetched", ""},
    Counter{"tup_inserted", "rows", true, "pg_stat_database", "tup_inserted", ""},
    Counter{"tup_updated", "rows", true, "pg_stat_database", "tup_updated", ""},
    Counter{"tup_deleted", "rows", true, "pg_stat_database", "tup_deleted", ""},
    Counter{"temp_bytes", "bytes", true, "pg_stat_database", "temp_bytes", ""},
    Counter{"deadlocks", "deadlocks", true, "pg_stat_database", "deadlocks", ""},
    Counter{"wal_records", "records", true, "pg_stat_wal", "wal_records", ""},
    Counter{"wal_fpi", "pages", true, "pg_stat_wal", "wal_fpi", ""},
    Counter{"wal_bytes", "bytes", true, "pg_stat_wal", "wal_bytes", ""},
    Counter{"wal_buffers_full", "waits", true, "pg_stat_wal", "wal_buffers_full", ""},
    Counter{"wal_sync", "calls", true, "pg_stat_wal", "wal_sync", ""},
    Counter{"wal_sync", "calls", true, "pg_stat_io", "fsyncs read_bytes", "SUM(fsyncs) FILTER (WHERE object = 'wal')"},
    Counter{"data_fsyncs", "calls", true, "pg_stat_io", "fsyncs", "SUM(fsyncs) FILTER (WHERE object <> 'wal')"},
    Counter{"data_written", "bytes", true, "pg_stat_io", "write_bytes",
            "SUM(write_bytes) FILTER (WHERE object <> 'wal')"},
    Counter{"data_written", "bytes", true, "pg_stat_io", "writes op_bytes", "SUM(writes * op_bytes)"},
    Counter{"data_written", "bytes", true, "pg_stat_bgwriter", "buffers_checkpoint buffers_clean buffers_backend",
            "(buffers_checkpoint + buffers_clean + buffers_backend) * current_setting('block_size')::bigint"},
    Counter{"checkpoints_timed", "checkpoints", true, "pg_stat_checkpointer", "num_timed", "num_timed"},
    Counter{"checkpoints_timed", "checkpoints", true, "pg_stat_bgwriter", "checkpoints_timed", ""},
    Counter{"checkpoints_req", "checkpoints", true, "pg_stat_checkpointer", "num_requested", "num_requested"},
    Counter{"checkpoints_req", "checkpoints", true, "pg_stat_bgwriter", "checkpoints_req", ""},
    Counter{"buffers_checkpoint", "pages", true, "pg_stat_checkpointer", "buffers_written", "buffers_written"},
    Counter{"buffers_checkpoint", "pages", true, "pg_stat_bgwriter", "buffers_checkpoint", ""},
    Counter{"buffers_clean", "pages", true, "pg_stat_bgwriter", "buffers_clean", ""},
    Counter{"buffers_backend", "pages", true, "pg_stat_bgwriter", "buffers_backend", ""},
    Counter{"buffers_backend", "pages", true, "pg_stat_io", "writes",
            "SUM(writes) FILTER (WHERE backend_type = 'client backend' AND object = 'relation')"},
    Counter{"active", "connections", false, "pg_stat_activity", "state", "COUNT(*) FILTER (WHERE state = 'active')"},
    Counter{"waiting_for_locks", "connections", false, "pg_stat_activity", "wait_event_type",
            "COUNT(*) FILTER (WHERE wait_event_type = 'Lock')"},
    Counter{"replication_bytes_behind", "bytes", false, "pg_stat_replication", "replay_lsn flush_lsn sent_lsn",
            "MAX(pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE "
            "pg_current_wal_lsn() END, COALESCE(replay_lsn, flush_lsn, sent_lsn)))"},
    Counter{"replication_seconds_behind", "s", false, "pg_stat_replication", "replay_lag flush_lag",
            "MAX(EXTRACT(EPOCH FROM COALESCE(replay_lag, flush_lag)))"},
    Counter{"numbackends", "connections", false, "pg_stat_database", "numbackends", ""},
};

//! Columns that are numbers and count nothing, or are of a row each where several are added up.
constexpr std::array kNoCounters{"*.datid", "*.numbackends", "pg_stat_io.op_bytes", "pg_stat_activity.*",
                                 "pg_stat_replication.*"};
constexpr std::array<CounterUnit, 3> kUnitNames{CounterUnit{"*bytes*", "bytes"}, CounterUnit{"*_time", "ms"},
                                                CounterUnit{"*buffers*", "pages"}};
//! A view with a row for each kind of process and object.
constexpr std::string_view kOfManyRows = "pg_stat_io";

struct ViewColumns
{
    std::set<std::string> all, numbers;
};

//! "view.column" of what this server has.
ViewColumns columnsOf(PostgresqlAdmin& admin)
{
    std::string views;
    for (const View& view : kViews)
        views += fmt::format("{}{}", views.empty() ? "" : ", ", sqlText(view.name));
    const auto rows =
        admin.query(fmt::format("SELECT c.relname || '.' || a.attname, a.atttypid IN ('int4'::regtype, "
                                "'int8'::regtype, 'float8'::regtype, 'numeric'::regtype) FROM pg_class c JOIN "
                                "pg_attribute a "
                                "ON a.attrelid = c.oid WHERE c.relnamespace = "
                                "'pg_catalog'::regnamespace AND c.relname IN ({})",
                                views));
    // Not everybody may read it.
    const auto standbys = admin.query("SELECT 1 FROM pg_stat_replication LIMIT 1");
    ViewColumns columns;
    for (const std::vector<std::string>& row : rows.value_or(TextRows())) {
        if (row.at(0).starts_with("pg_stat_replication.") && (!standbys || standbys->empty()))
            continue;
        columns.all.insert(row.at(0));
        if (row.at(1) == "t")
            columns.numbers.insert(row.at(0));
    }
    return columns;
}

bool hasAll(const std::set<std::string>& columns, const Counter& counter)
{
    std::string_view left = counter.columns;
    while (!left.empty()) {
        const std::string_view one = left.substr(0, left.find(' '));
        if (!columns.contains(fmt::format("{}.{}", counter.view, one)))
            return false;
        left.remove_prefix(std::min(left.size(), one.size() + 1));
    }
    return true;
}

} // namespace

std::vector<MainCounter> mainCounters()
{
    return {{CounterRole::ServerCpu, kProcessSource, kProcessCpu},
            {CounterRole::Syncs, "server", "wal_sync"},
            {CounterRole::DiskWrites, "server", "data_written"}};
}

// PostgreSQL's manual, "The Cumulative Statistics System", says what each of them counts.
std::vector<MoveReading> moveReadings()
{
    return {
        {"server", "checkpoints_req", true,
         "Checkpoints were begun because the log had grown to max_wal_size, and not by the clock"},
        {"server", "wal_fpi", true,
         "Pages were written whole to the log, as the first change of each after a checkpoint is"},
        {"server", "wal_buffers_full", true, "The log's buffers were full, so it was written before a commit asked"},
        {"server", "buffers_backend", true, "Sessions had to write pages themselves to find room for others"},
        {"server", "waiting_for_locks", true, "Transactions waited for each other's locks"},
        {"server", "deadlocks", true, "Transactions waited for each other and one of them was rolled back"},
        {"server", "temp_bytes", true, "Sorts and joins did not fit in work_mem and wrote to disk"}};
}

//! A spread checkpoint writes its pages with pauses between them.
std::vector<EventRule> eventRules()
{
    return {{.sentence = "checkpoint",
             .counts = {"checkpoints_timed", "checkpoints_req"},
             .amount = "buffers_checkpoint",
             .unit = "pages written"}};
}

std::vector<CounterGroup> counterGroups()
{
    return {{"Checkpoints and WAL",
             {"server/wal_bytes", "server/wal_sync", "server/wal_fpi", "server/wal_records", "server/wal_buffers_full",
              "server/checkpoints_timed", "server/checkpoints_req", "server/buffers_checkpoint", "server/data_written",
              "server/data_fsyncs"}},
            {"Buffers",
             {"server/blks_hit", "server/blks_read", "server/buffers_clean", "server/buffers_backend",
              "server/pg_stat_bgwriter.buffers_alloc", "server/pg_stat_bgwriter.maxwritten_clean", "server/temp_bytes",
              "server/pg_stat_database.temp_files"}},
            {"Locks and conflicts",
             {"server/waiting_for_locks", "server/deadlocks", "server/xact_rollback",
              "server/pg_stat_database.conflicts", "server/active", "server/numbackends"}},
            {"Standbys", {"server/replication_bytes_behind", "server/replication_seconds_behind"}}};
}

CounterChoice countersFor(const std::set<std::string>& columns, const std::set<std::string>& numbers)
{
    CounterChoice choice;
    std::string names, from;
    std::array<std::string, kViews.size()> wanted; //!< expressions of each view
    std::set<std::string> chosen;                  //!< columns that are counters by themselves
    for (const Counter& counter : kCounters) {
        const bool there =
            std::ranges::find(choice.counters, counter.name, &CounterInfo::name) != choice.counters.end();
        if (there || !hasAll(columns, counter))
            continue;
        const auto view =
            std::size_t(std::ranges::find(kViews, std::string_view(counter.view), &View::name) - kViews.begin());
        wanted[view] += fmt::format("{}{} AS {}", wanted[view].empty() ? "" : ", ",
                                    *counter.expression ? counter.expression : counter.columns, counter.name);
        names += fmt::format("{}{}", names.empty() ? "" : ", ", counter.name);
        choice.counters.push_back({"server", counter.name, counter.unit, counter.rate});
        chosen.insert(fmt::format("{}.{}", counter.view, counter.columns));
    }
    for (const std::string& one : numbers) {
        const auto fits = [&one](const char* pattern) { return fitsPattern(one, pattern); };
        const std::string_view of = std::string_view(one).substr(0, one.find('.'));
        const auto view = std::size_t(std::ranges::find(kViews, of, &View::name) - kViews.begin());
        if (chosen.contains(one) || std::ranges::any_of(kNoCounters, fits) || view == kViews.size())
            continue;
        const std::string column = one.substr(one.find('.') + 1); // of the server's own catalogue: words
        const std::string name = fmt::format("hidden{}", choice.counters.size());
        wanted[view] += fmt::format("{}{} AS {}", wanted[view].empty() ? "" : ", ",
                                    of == kOfManyRows ? fmt::format("SUM({})", column) : column, name);
        names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
        choice.counters.push_back(hiddenCounter(one, {}, kUnitNames));
    }
    for (std::size_t i = 0; i < kViews.size(); ++i) {
        if (!wanted[i].empty())
            from += fmt::format("{}({}) v{}", from.empty() ? "" : ", ",
                                fmt::format(fmt::runtime(kViews[i].row), wanted[i]), i);
    }
    if (!choice.counters.empty())
        choice.query = fmt::format("SELECT {} FROM {}", names, from);
    return choice;
}

std::vector<CounterInfo> PostgresqlAdmin::counters()
{
    const ViewColumns columns = columnsOf(*this);
    m_counters = countersFor(columns.all, columns.numbers);
    return m_counters.counters;
}

//! Without the right the views have only one's own account's whole. What is not there now is not missed.
std::vector<UnseenCounters> PostgresqlAdmin::unseenCounters()
{
    // Other processes of the server have no database, or no account.
    constexpr std::array kHidden{
        std::pair("SELECT quote_ident(current_user) FROM pg_stat_activity WHERE backend_type IS NULL AND state IS NULL "
                  "AND datid IS NOT NULL AND usesysid IS NOT NULL LIMIT 1",
                  "connections of other accounts in active and waiting_for_locks"),
        std::pair("SELECT quote_ident(current_user) FROM pg_stat_replication WHERE state IS NULL LIMIT 1",
                  "how far standbys are behind")};
    std::vector<UnseenCounters> unseen;
    for (const auto& [select, what] : kHidden) {
        if (const auto rows = query(select); rows && !rows->empty())
            unseen.push_back({what, "GRANT pg_read_all_stats TO", rows->front().at(0)});
    }
    return unseen;
}

std::int64_t PostgresqlAdmin::servingThread()
{
    return m_local ? threadOfServer(cell("SELECT pg_backend_pid()"), kServerPrograms) : 0;
}

LocalServer PostgresqlAdmin::localServer()
{
    return m_local ? serverBehind(PQsocket(m_connection.get()), kServerPrograms, servingThread()) : LocalServer();
}

Expected<std::vector<double>> PostgresqlAdmin::counterValues()
{
    if (m_counters.counters.empty() && counters().empty())
        return std::vector<double>();
    const auto rows = query(m_counters.query);
    if (!rows)
        return fail(rows.error());
    std::vector<double> values(m_counters.counters.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; !rows->empty() && i < values.size(); ++i)
        values[i] = counterNumberIn(rows->front().at(i));
    return values;
}

Expected<ServerSelf> PostgresqlAdmin::self()
{
    // A replica has its primary's identifier: their addresses tell them apart.
    constexpr const char* kAnswering =
        "SELECT coalesce(nullif(current_setting('cluster_name', true), '') || ' ', '') ||"
        " coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'port ' || current_setting('port')),"
        " NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off', {}";
    for (const SelfForm form : {SelfForm::Cluster, SelfForm::Address}) {
        if (m_selfForm.value_or(form) != form)
            continue;
        const std::string text =
            fmt::format(fmt::runtime(kAnswering),
                        form == SelfForm::Cluster ? "(SELECT system_identifier FROM pg_control_system())" : "''");
        ++m_asked;
        const Result result(PQexec(m_connection.get(), text.c_str()));
        if (!succeeded(result.get())) {
            Error error = commandError(result.get(), text);
            if (error.kind == ErrorKind::Unreachable)
                return fail(std::move(error));
            // For want of time or memory this time: what is known, or not yet, stays so.
            constexpr std::array<std::string_view, 5> kPassing{"40", "53", "55", "57", "58"};
            const std::string state = sqlStateOf(failureOf(m_connection.get(), result.get()).code);
            if (m_selfForm || std::ranges::find(kPassing, state.substr(0, 2)) != kPassing.end())
                return ServerSelf{{}, {}, {}, true};
            continue; // an account that may not see it, or no PostgreSQL of Debian's
        }
        if (PQntuples(result.get()) < 1 || PQnfields(result.get()) < 3)
            return ServerSelf{{}, {}, {}, true};
        m_selfForm = form;
        const auto cell = [&result](int column) { return std::string(PQgetvalue(result.get(), 0, column)); };
        return ServerSelf{cell(2) + ' ' + cell(0), cell(0), cell(1) == "t", true};
    }
    m_selfForm = SelfForm::None;
    return ServerSelf();
}

} // namespace dyno::postgresql
