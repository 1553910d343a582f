// SPDX-License-Identifier: GPL-3.0-or-later
// What the settings of a managed PostgreSQL will be, against what a plan needs.
#include "driver/driver.h"
#include "driver/postgresql/server/postgresql_server.h"
#include "driver/postgresql/server/server_conf.h"

#include <dyno/runner.h>

namespace dyno {

void postgresqlPreflight(const PreflightNeeds& needs, PreflightList& list)
{
    const auto number = [&](const char* name, std::uint64_t fallback) {
        const auto bytes = parseBytes(textOf(needs.server, name));
        return bytes && *bytes >= 0 ? std::uint64_t(*bytes) : fallback;
    };
    constexpr std::uint64_t kMostConnections = 262'143;
    const auto users = std::uint64_t(needs.users);
    const std::uint64_t kept = number("superuser_reserved_connections", 3) + number("reserved_connections", 0);
    const std::uint64_t needed = users + kept, most = number("max_connections", kDefaultMaxConnections);
    std::string what =
        fmt::format("the users need {}; max_connections will be {}, {} kept for administrators",
                    counted(users, "connection", "connections"), groupedNumber(most), groupedNumber(kept));
    const std::uint64_t wanted = std::min(roundedUp(needed + 10, 50), kMostConnections);
    if (needed <= most)
        list.ok("max_connections", std::move(what));
    else if (needed > kMostConnections)
        list.add("max_connections", PreflightLevel::Blocker, std::move(what),
                 fmt::format("use fewer users: it is {} at most", groupedNumber(kMostConnections)));
    else
        list.add("max_connections", PreflightLevel::Blocker, std::move(what),
                 fmt::format("set server.max_connections = {}", wanted), {"max_connections", std::int64_t(wanted)});
    if (needs.dataBytes == 0)
        return;
    constexpr std::uint64_t kDefaultBuffers = 128ull << 20;
    const std::uint64_t buffers = number("shared_buffers", kDefaultBuffers);
    what = fmt::format("about {} of data; shared_buffers will be {}", sizeText(needs.dataBytes), sizeText(buffers));
    if (needs.dataBytes <= buffers)
        return list.ok("data_size", std::move(what));
    const std::uint64_t capped = std::min(needs.dataBytes, std::uint64_t(1) << 60);
    const std::uint64_t fitting = roundedUp(capped + capped / 4, kDefaultBuffers);
    list.add("data_size", PreflightLevel::Warning, std::move(what),
             fmt::format("data is also read through the operating system's cache, or from the disk: set "
                         "server.shared_buffers to {}, unless that is meant",
                         sizeText(fitting)),
             fitting <= hostFacts().memoryBytes / 2 ? PreflightFix{"shared_buffers", std::int64_t(fitting)}
                                                    : PreflightFix());
}

} // namespace dyno
