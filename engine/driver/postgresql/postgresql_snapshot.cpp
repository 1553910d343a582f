// SPDX-License-Identifier: GPL-3.0-or-later
// What a PostgreSQL server does at a moment: who waits for what.
#include "postgresql_admin.h"

#include <algorithm>
#include <string>

namespace dyno::postgresql {

namespace {

constexpr const char* kActivity =
    "SELECT a.pid, COALESCE(a.usename::text, ''), COALESCE(a.datname::text, ''), COALESCE(a.application_name, ''), "
    "COALESCE(a.client_addr::text, ''), COALESCE(a.backend_type, ''), COALESCE(a.state, ''), "
    "COALESCE(a.wait_event_type, ''), COALESCE(a.wait_event, ''), COALESCE(round(extract(epoch FROM clock_timestamp() "
    "- "
    "a.xact_start)::numeric, 3)::text, ''), COALESCE(round(extract(epoch FROM clock_timestamp() - "
    "a.query_start)::numeric, 3)::text, ''), COALESCE(a.query, '') FROM pg_stat_activity a WHERE a.pid <> "
    "pg_backend_pid() ORDER BY COALESCE(a.state = 'active', false) DESC, a.xact_start NULLS LAST, a.pid LIMIT ";
constexpr const char* kWaitingLocks = "SELECT l.pid, l.locktype, COALESCE(l.relation::regclass::text, ''), l.mode, "
                                      "array_to_string(pg_blocking_pids(l.pid), "
                                      "' ') FROM pg_locks l WHERE NOT l.granted ORDER BY l.pid LIMIT ";
constexpr std::size_t kStateColumn = 6, kQueryColumn = 11;

} // namespace

Expected<std::vector<SnapshotPart>> PostgresqlAdmin::snapshot()
{
    const std::string limit = std::to_string(kSnapshotRows + 1);
    auto activity = query(kActivity + limit);
    if (!activity)
        return fail(activity.error());
    std::vector<SnapshotPart> parts;
    SnapshotPart sessions{"pg_stat_activity",
                          {},
                          {},
                          {"pid", "user", "database", "application", "client", "process", "state", "wait type",
                           "wait event", "transaction s", "statement s", "statement"},
                          std::move(*activity),
                          kQueryColumn};
    const auto active = std::ranges::count_if(sessions.rows, [](const std::vector<std::string>& row) {
        return row.size() > kStateColumn && row[kStateColumn] == "active";
    });
    sessions.brief = briefOf(std::size_t(active), "statement");
    parts.push_back(std::move(sessions));
    auto waiting = query(kWaitingLocks + limit);
    if (!waiting) {
        parts.push_back(missingPart("Lock waits", waiting.error().message));
        return parts;
    }
    SnapshotPart locks{"Lock waits", {}, {}, {"pid", "kind", "relation", "mode", "blocked by"}, std::move(*waiting)};
    if (!locks.rows.empty())
        locks.brief = briefOf(locks.rows.size(), "lock wait");
    parts.push_back(std::move(locks));
    return parts;
}

} // namespace dyno::postgresql
