// SPDX-License-Identifier: GPL-3.0-or-later
// What the settings of a managed ClickHouse will be, against what a plan needs.
#include "driver/clickhouse/server/clickhouse_server.h"
#include "driver/clickhouse/server/server_config.h"
#include "driver/driver.h"

namespace dyno {

void clickhousePreflight(const PreflightNeeds& needs, PreflightList& list)
{
    constexpr int kOwnConnections = 5; // the control plane, and the watch of its counters
    const auto users = std::uint64_t(needs.users);
    for (const auto& [name, fallback] : {std::pair("max_connections", std::uint64_t(kManagedConnections)),
                                         std::pair("max_concurrent_queries", std::uint64_t(0))}) {
        const auto set = parseBytes(textOf(needs.server, name));
        const std::uint64_t most = set && *set >= 0 ? std::uint64_t(*set) : fallback;
        if (most == 0) // no limit
            continue;
        const std::uint64_t needed = users + kOwnConnections, wanted = roundedUp(needed, 50);
        std::string what =
            fmt::format("{} need{} up to {}; {} will be {}", counted(users, "user", "users"), users == 1 ? "s" : "",
                        counted(needed, "request at once", "requests at once"), name, groupedNumber(most));
        if (needed <= most)
            list.ok(name, std::move(what));
        else
            list.add(name, PreflightLevel::Blocker, std::move(what), fmt::format("set server.{} = {}", name, wanted),
                     {name, std::int64_t(wanted)});
    }
}

} // namespace dyno
