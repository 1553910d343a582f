// SPDX-License-Identifier: GPL-3.0-or-later
// What a ClickHouse server does at a moment.
#include "clickhouse_admin.h"

#include <fmt/format.h>

namespace dyno::clickhouse {

Expected<std::vector<SnapshotPart>> ClickhouseAdmin::snapshot()
{
    auto queries = query(fmt::format("SELECT query_id, user, round(elapsed, 3), read_rows, written_rows, memory_usage, "
                                     "query FROM system.processes WHERE query NOT LIKE '%system.processes%' ORDER BY "
                                     "elapsed DESC LIMIT {}",
                                     kSnapshotRows + 1));
    if (!queries)
        return fail(queries.error());
    constexpr std::size_t kQueryColumn = 6;
    std::vector<SnapshotPart> parts;
    SnapshotPart running{"Queries",
                         briefOf(queries->size(), "statement"),
                         {},
                         {"query", "user", "s", "rows read", "rows written", "memory", "statement"},
                         std::move(*queries),
                         kQueryColumn};
    parts.push_back(std::move(running));
    auto merges =
        query(fmt::format("SELECT database, table, round(elapsed, 3), round(progress, 3), num_parts, rows_read, "
                          "rows_written, memory_usage FROM system.merges ORDER BY elapsed DESC LIMIT {}",
                          kSnapshotRows + 1));
    if (!merges) {
        parts.push_back(missingPart("Merges", merges.error().message));
        return parts;
    }
    SnapshotPart merging{"Merges",
                         {},
                         {},
                         {"database", "table", "s", "progress", "parts", "rows read", "rows written", "memory"},
                         std::move(*merges)};
    if (!merging.rows.empty())
        merging.brief = briefOf(merging.rows.size(), "merge");
    parts.push_back(std::move(merging));
    return parts;
}

} // namespace dyno::clickhouse
