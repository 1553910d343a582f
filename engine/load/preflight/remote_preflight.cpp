// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/preflight/kind_preflight.h"

#include "driver/preflight_list.h"
#include "load/preflight/preflight_host.h"
#include "load/preflight/server_look.h"
#include "monitor/unseen_counters.h"
#include <dyno/server_variables.h>

#include <fmt/format.h>

#include <iterator>

namespace dyno {

namespace {

bool isHere(const PreflightReport& report, const TargetUri& uri)
{
    return report.server.transport == "Unix socket" || isLocal(uri);
}

} // namespace

Expected<PreflightReport> remotePreflight(const TargetUri& uri, TargetNeeds& target, const RunnerOptions& options)
{
    Driver* driver = driverFor(uri.driver);
    if (!driver)
        return fail({ErrorKind::BadInput,
                     fmt::format("this build has no driver for {}", uri.display()),
                     {},
                     "see `dyno drivers`"});
    auto admin = driver->admin(lookTarget(uri, target.connection, driver->info()));
    if (!admin)
        return fail(std::move(admin.error()));
    std::vector<PreflightItem> items;
    PreflightReport found;
    if (uri.database.empty() && !target.tables.empty()) {
        PreflightList(items).add("database", PreflightLevel::Blocker, "the URI names no database",
                                 fmt::format("name one: {}://user@host/DATABASE", uri.scheme));
    } else if (auto looked = checkTables(target, **admin, items); !looked) {
        return fail(std::move(looked.error()));
    } else if (auto asked = checkServer(target, **admin, items); !asked) {
        return fail(std::move(asked.error()));
    } else if (auto others = checkOthersData(uri, target, **admin, options, found); !others) {
        return fail(std::move(others.error()));
    }
    if (uri.database.empty())
        target.needs.rights.clear(); // on what?
    auto report = (*admin)->preflight(target.ofServer());
    if (!report)
        return report;
    LocalServer server;
    if (target.observes) {
        (void)(*admin)->counters();
        if (const std::vector<UnseenCounters> unseen = unseenCounters(**admin); !unseen.empty())
            PreflightList(report->items)
                .add("unseen_counters", PreflightLevel::Note, fmt::format("runs will not show {}", unseenText(unseen)),
                     "give the account these rights, or go on without these series");
        server = localServer(**admin);
        if (const std::vector<UnseenCounters> unseen = unseenOfProcess(server); !unseen.empty())
            PreflightList(report->items)
                .add("server_process", PreflightLevel::Note, fmt::format("runs will not show {}", unseenText(unseen)),
                     "run Dynobench where it sees the server's process, or go on without these series");
    }
    report->target = uri.display();
    report->risks = std::move(found.risks);
    report->agreed = std::move(found.agreed);
    report->items.insert(report->items.begin(), std::make_move_iterator(items.begin()),
                         std::make_move_iterator(items.end()));
    std::string folder;
    bool written = false; //!< a log holds each change once more
    for (const ServerVariables& one : serverVariables()) {
        if (one.driver != uri.driver)
            continue;
        folder = textOf(report->server.variables, one.dataFolder);
        const Value log = parseValue(textOf(report->server.variables, one.changeLog));
        written = std::holds_alternative<bool>(log) && std::get<bool>(log);
    }
    if (isHere(*report, uri) && !folder.empty()) {
        checkDisk(folder, target, written ? 2 : 1, *report);
    } else if ((target.needs.creates && target.needs.dataBytes > 0) || target.scratchBytes > 0) {
        PreflightList(report->items)
            .add("free_disk", PreflightLevel::Note,
                 fmt::format("{}; the server's free space cannot be seen from here", writesText(target, 1, {})),
                 "look at the server's free space yourself");
    }
    checkHost(target, report->server.transport == "TCP", sourcesIn(target.connection), *report);
    if (server.process <= 0)
        server.unseen = whyNoProcess(server, target.observes, isHere(*report, uri));
    checkProcessorCounters(target, server, *report);
    return report;
}

} // namespace dyno
