// SPDX-License-Identifier: GPL-3.0-or-later
// What the option file of a managed MariaDB or MySQL will say, against what a plan needs.
#include "driver/driver.h"
#include "driver/mysql/server/mysql_server.h"
#include "driver/mysql/server/option_file.h"

#include <dyno/runner.h>

namespace dyno {

void mysqlPreflight(const PreflightNeeds& needs, const MysqlLimits& limits, PreflightList& list)
{
    const auto number = [&](const char* name, std::uint64_t fallback) {
        const auto bytes = parseBytes(textOf(needs.server, name));
        return bytes && *bytes >= 0 ? std::uint64_t(*bytes) : fallback;
    };
    const auto limit = [&](const char* name, std::uint64_t needed, std::uint64_t value, std::uint64_t most,
                           const char* otherwise, const std::string& what) {
        std::string text = fmt::format("{}; {} will be {}", what, name, groupedNumber(value));
        if (needed <= value)
            return list.ok(name, std::move(text));
        const std::uint64_t wanted = std::min(roundedUp(needed + 10, 50), most);
        if (needed > most)
            return list.add(name, PreflightLevel::Blocker, std::move(text),
                            fmt::format("{}: it is {} at most", otherwise, groupedNumber(most)));
        list.add(name, PreflightLevel::Blocker, std::move(text), fmt::format("set server.{} = {}", name, wanted),
                 {name, std::int64_t(wanted)});
    };
    constexpr std::uint64_t kMostConnections = 100'000, kDefaultStatements = 1'048'576; // of both products
    const auto users = std::uint64_t(needs.users);
    const std::string who = counted(users, "user", "users");
    limit("max_connections", users, number("max_connections", std::uint64_t(defaultMaxConnections())), kMostConnections,
          "use fewer users",
          fmt::format("{} need{} {}", who, users == 1 ? "s" : "", counted(users, "connection", "connections")));
    const std::uint64_t statements = users * std::uint64_t(needs.statementsPerUser);
    if (needs.prepared && statements > 0)
        limit(
            "max_prepared_stmt_count", statements, number("max_prepared_stmt_count", kDefaultStatements),
            limits.statements, "use protocol=text, fewer tables or fewer users",
            fmt::format("{} prepare{} {}", who, users == 1 ? "s" : "", counted(statements, "statement", "statements")));
    constexpr std::uint64_t kDefaultPool = 128ull << 20;
    const std::uint64_t pool = number("innodb_buffer_pool_size", kDefaultPool);
    if (needs.dataBytes > 0) {
        std::string what = fmt::format("about {} of data; innodb_buffer_pool_size will be {}",
                                       sizeText(needs.dataBytes), sizeText(pool));
        const std::uint64_t most = std::min(needs.dataBytes, std::uint64_t(1) << 60);
        const std::uint64_t wanted = roundedUp(most + most / 4, kDefaultPool);
        if (needs.dataBytes <= pool)
            list.ok("data_size", std::move(what));
        else
            list.add("data_size", PreflightLevel::Warning, std::move(what),
                     fmt::format("the disk is measured too: set server.innodb_buffer_pool_size to {}, unless that is "
                                 "meant",
                                 sizeText(wanted)),
                     wanted <= hostFacts().memoryBytes / 2
                         ? PreflightFix{"innodb_buffer_pool_size", std::int64_t(wanted)}
                         : PreflightFix());
    }
    constexpr int kManyUsers = 1000;
    if (needs.users > kManyUsers && limits.threadPool) {
        const std::string handling = textOf(needs.server, "thread_handling", "one-thread-per-connection");
        std::string what = fmt::format("{}; thread_handling will be {}", who, handling);
        if (handling == "pool-of-threads")
            list.ok("thread_handling", std::move(what));
        else
            list.add("thread_handling", PreflightLevel::Warning, std::move(what),
                     "set server.thread_handling = pool-of-threads",
                     {"thread_handling", std::string("pool-of-threads")});
    }
}

} // namespace dyno
