// SPDX-License-Identifier: GPL-3.0-or-later
// What a managed mongod or FerretDB will be told, against what a plan needs.
#include "driver/driver.h"
#include "driver/mongodb/server/mongo_options.h"
#include "driver/mongodb/server/mongo_server.h"
#include "driver/mongodb/server/mongodb_recipes.h"

#include <dyno/runner.h>

#include <cstdlib>

namespace dyno {

void mongoPreflight(const ServerBinaries& program, const PreflightNeeds& needs, const Settings& connection,
                    PreflightList& list)
{
    const bool ferretdb = isFerretdb(program);
    if (needs.transactions && !ferretdb && needs.tcp && !textOf(needs.server, kReplicaSet).empty())
        list.add("transactions", program.atLeast({4, 0, 0}) ? PreflightLevel::Ok : PreflightLevel::Blocker,
                 fmt::format("the workload begins transactions; the server will be a replica set of its own, {} {}",
                             program.name, program.version),
                 program.atLeast({4, 0, 0}) ? "" : "replica sets have transactions from MongoDB 4.0 on");
    else if (needs.transactions)
        list.add("transactions", PreflightLevel::Blocker,
                 fmt::format("the workload begins transactions; {}",
                             ferretdb ? "FerretDB has none that can be trusted: what is rolled back may stay"
                                      : "a managed mongod stands alone, and only members of a replica set have them"),
                 ferretdb
                     ? "use a replica set of MongoDB 4.0 or newer, or workload parameters that begin none"
                     : "set server.replSetName with managed:mongodb?transport=tcp, or use workload parameters that "
                       "begin none");
    if (ferretdb) {
        list.ok("product", fmt::format("{} {} answers, not MongoDB: its figures say nothing of MongoDB", program.name,
                                       program.version));
        if (textOf(connection, "write_concern") == "0")
            list.add("write_concern", PreflightLevel::Blocker,
                     "FerretDB answers writes with w=0 too, so that every later answer would belong to another request",
                     "use another connection.write_concern");
        return;
    }
    constexpr std::uint64_t kMostConnections = 65536;
    constexpr const char* kConnections = "maxIncomingConnections";
    const auto set = parseBytes(textOf(needs.server, kConnections));
    const std::uint64_t most = set && *set > 0 ? std::uint64_t(*set) : kMostConnections;
    std::string who =
        fmt::format("{} need{} {}; {} will be {}", counted(std::uint64_t(needs.users), "user", "users"),
                    needs.users == 1 ? "s" : "", counted(std::uint64_t(needs.users), "connection", "connections"),
                    kConnections, groupedNumber(most));
    if (std::uint64_t(needs.users) < most) // the monitor has one more
        list.ok(kConnections, std::move(who));
    else
        list.add(kConnections, PreflightLevel::Blocker, std::move(who),
                 fmt::format("set server.{} = {}", kConnections, needs.users + 10),
                 {kConnections, std::int64_t(needs.users + 10)});
    if (needs.dataBytes == 0)
        return;
    // mongod's own default: half of the memory above 1 GiB, at least 256 MiB.
    constexpr std::uint64_t kGib = 1ull << 30;
    const std::uint64_t memory = hostFacts().memoryBytes;
    const double asked = std::atof(textOf(needs.server, "cacheSizeGB").c_str());
    const std::uint64_t cache =
        asked > 0 ? std::uint64_t(asked * double(kGib)) : std::max(kGib / 4, memory > kGib ? (memory - kGib) / 2 : 0);
    std::string what =
        fmt::format("about {} of data; cacheSizeGB will be {}", sizeText(needs.dataBytes), sizeText(cache));
    if (needs.dataBytes <= cache)
        list.ok("data_size", std::move(what));
    else
        list.add("data_size", PreflightLevel::Warning, std::move(what),
                 "the disk is measured too: set server.cacheSizeGB higher, unless that is meant");
}

} // namespace dyno
