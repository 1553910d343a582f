// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/preflight/kind_preflight.h"

#include "driver/preflight_list.h"
#include "load/preflight/preflight_host.h"
#include "load/preflight/server_look.h"
#include "load/target/target.h"
#include "server/knobs/knob_catalog.h"
#include "server/lifecycle/server_binaries.h"
#include "server/lifecycle/server_recipe.h"
#include "server/lifecycle/start_check.h"

#include <dyno/managed_transport.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>

namespace dyno {

namespace {

//! Whether the server takes the knobs of each point; what is the same for several is told once.
void checkKnobSets(const ServerBinaries& program, const TargetNeeds& target, bool tcp, bool encryptionIsTold,
                   PreflightList& list)
{
    std::vector<std::pair<Error, std::vector<std::string>>> told; // with the points
    const auto tell = [&told](const Error& error, const std::string& point) {
        const auto same = [&error](const auto& one) { return one.first.message == error.message; };
        auto found = std::ranges::find_if(told, same);
        if (found == told.end())
            found = told.insert(told.end(), {error, {}});
        if (!point.empty())
            found->second.push_back(point);
    };
    for (const TargetNeeds::KnobSet& set : target.knobSets) {
        Settings server = set.server;
        if (encryptionIsTold)
            server.erase("encryption");
        if (auto can = canStartWith(program, server, tcp); !can)
            tell(can.error(), set.point);
        else if (auto holds = program.recipe->canHold(set.table, server); !holds)
            tell(holds.error(), set.point);
        for (const auto& [name, value] : set.table) {
            if (toText(value).empty() || toText(value) == "false")
                continue; // what is not asked for need not be there
            const auto edition = serverEdition(program.driver(), "table", name, program.name, program.version);
            if (!edition)
                tell(edition.error(), set.point);
        }
    }
    for (const auto& [error, points] : told) {
        constexpr std::size_t kMost = 3;
        std::string where = fmt::format(
            "{}", fmt::join(points.begin(), points.begin() + std::ptrdiff_t(std::min(points.size(), kMost)), "; "));
        if (points.size() > kMost)
            where += fmt::format(" and {} more", points.size() - kMost);
        list.add("server_knobs", PreflightLevel::Blocker,
                 where.empty() ? error.message : fmt::format("{} (at {})", error.message, where), error.remedy);
    }
    if (told.empty() && std::ranges::any_of(target.knobSets, [](const auto& set) { return !set.server.empty(); }))
        list.ok("server_knobs", fmt::format("{} {} has all settings of the plan", program.name, program.version));
}

} // namespace

PreflightReport managedPreflight(const TargetUri& uri, TargetNeeds& target, const RunnerOptions& options)
{
    PreflightReport report;
    report.target = uri.display();
    PreflightList list(report.items);
    const bool tcp = listensOnTcp(uri);
    report.server.transport = tcp ? "TCP" : "Unix socket";
    const auto program = findServer(wishOf(uri));
    if (program) {
        report.server.product = program->name;
        report.server.version = program->version;
        list.ok("server_program", fmt::format("{} {}", program->server.string(), program->version));
        const auto can = target.encrypts ? canEncrypt(*program) : Expected<void>();
        if (!can)
            list.add("encryption", PreflightLevel::Blocker, can.error().message, can.error().remedy);
        else if (target.encrypts)
            list.ok("encryption", "this server can keep the keys of encrypted data");
        checkKnobSets(*program, target, tcp, !can, list);
    } else {
        list.add("server_program", PreflightLevel::Blocker, program.error().message, program.error().remedy);
    }
    target.needs.tcp = tcp;
    if (const ServerRecipe* recipe = recipeFor(uri.product))
        recipe->preflight(program ? &*program : nullptr, target.ofServer(), target.connection, list);
    const auto known = [&target](const std::string& query) -> Expected<bool> {
        return !target.answeredByName.contains(query);
    };
    static_cast<void>(checkProbes(target, known, report.items));
    target.needs.creates = mayLoad(target.policy);
    checkDisk(existing(workDirOf(options)), target, target.restores ? 2 : 1, report, "the copy that is put back");
    checkHost(target, tcp, sourcesIn(target.connection), report);
    // It does not run yet: of another process of the same user the kernel allows the same as of this one.
    checkProcessorCounters(target, {.process = ::getpid()}, report);
    return report;
}

} // namespace dyno
