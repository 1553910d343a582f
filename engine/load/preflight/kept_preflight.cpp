// SPDX-License-Identifier: GPL-3.0-or-later
// The look into servers that are kept with their data.
#include <dyno/kept_data.h>

#include "driver/control_calls.h"
#include "driver/preflight_list.h"
#include "load/preflight/server_look.h"
#include "load/target/kept_server.h"
#include "load/target/target.h"
#include "server/lifecycle/managed_server.h"
#include "server/lifecycle/private_folder.h"

#include <dyno/uri_form.h>

#include <algorithm>
#include <optional>
#include <system_error>

namespace dyno {

namespace {

namespace fs = std::filesystem;

//! The folder of a kept server that has data; nothing is made for a look.
std::optional<fs::path> keptFolder(const TargetUri& uri, const RunnerOptions& options)
{
    std::error_code ignored;
    if (!keepsData(uri))
        return {};
    fs::path folder = namedServersFolder(workDirOf(options)) / uri.query.at("name");
    return fs::exists(folder / "data", ignored) ? std::optional(std::move(folder)) : std::nullopt;
}

//! A kept server's, which runs as it was last started meanwhile; nothing when it cannot be looked at. `server`:
//! settings of each point on it.
PreflightReport keptData(const TargetUri& uri, TargetNeeds& target, const std::vector<Settings>& server,
                         const RunnerOptions& options)
{
    PreflightReport report;
    report.target = uri.display();
    Driver* const driver = driverFor(uri.driver);
    if (!driver || !keptFolder(uri, options))
        return report;
    auto kept = ManagedServer::create(uri, workDirOf(options));
    if (!kept)
        return report;
    (*kept)->setStopped(options.stopped);
    const auto tellServer = [&report](const Error& error) {
        PreflightList(report.items).add("server", PreflightLevel::Warning, error.message, "see its error log");
    };
    const KeptKnobs knobs = keptKnobs((*kept)->folder());
    std::optional<std::vector<std::string>> others;
    if (auto found = othersOn(**kept, uri, options.stopped)) {
        others = std::move(*found);
    } else if (found.error().kind == ErrorKind::Interrupted) {
        tellServer(found.error());
        if (const auto ended = (*kept)->stop(); !ended)
            tellServer(ended.error());
        return report;
    }
    for (const Settings& wanted : server) {
        for (Risk& risk : keptRisks(uri, knobChanges(knobs, uri.driver, wanted), others)) {
            std::vector<Risk>& into = options.consent.covers(risk) ? report.agreed : report.risks;
            if (std::ranges::find(into, risk) == into.end())
                into.push_back(std::move(risk));
        }
    }
    if (others) {
        ConnectTarget connect;
        connect.uri = (*kept)->connectUri();
        Faults none;
        connect.connection = resolve(driver->info().connection, {}, "connection", none);
        auto admin = controlAdmin(*driver, connect, options.stopped);
        if (!admin || !checkOthersData(uri, target, **admin, options, report) ||
            !checkTables(target, **admin, report.items))
            report.items.clear();
    }
    std::erase_if(report.items, [](const PreflightItem& item) { return item.id != "data"; });
    if (const auto ended = (*kept)->stop(); !ended)
        tellServer(ended.error());
    return report;
}

//! Whether one of these settings differs from what the server was last started with.
bool changesKept(const TargetUri& uri, const std::vector<Settings>& server, const RunnerOptions& options)
{
    const auto folder = keptFolder(uri, options);
    if (!folder)
        return false;
    const KeptKnobs knobs = keptKnobs(*folder);
    return std::ranges::any_of(server,
                               [&](const Settings& one) { return !knobChanges(knobs, uri.driver, one).empty(); });
}

} // namespace

bool keepsData(const TargetUri& uri)
{
    return uri.kind == TargetKind::Managed && uri.query.contains("name");
}

bool isOfOneSession(const TargetUri& uri)
{
    return uri.kind == TargetKind::Managed ? !keepsData(uri) : isFile(uri) && uri.path.empty();
}

bool changesKeptSettings(const Plan& plan, const RunnerOptions& options)
{
    const std::vector<PointSpec> points = expand(plan).points;
    return std::ranges::any_of(points, [&options](const PointSpec& point) {
        const auto uri = parseUri(point.target.uri);
        return uri && changesKept(*uri, {point.server}, options);
    });
}

std::vector<PreflightReport> lookAtKeptData(const Plan& plan, const RunnerOptions& options)
{
    std::vector<PreflightReport> reports;
    if (refusalOf(plan, options.consent))
        return reports;
    const std::vector<PointSpec> points = expand(plan).points;
    for (TargetNeeds& target : needsOf(plan, options.consent)) {
        const auto uri = parseUri(target.uri);
        const auto point = std::ranges::find(points, target.uri, [](const PointSpec& one) { return one.target.uri; });
        if (!uri || !keepsData(*uri) || point == points.end())
            continue;
        if (options.stopped && options.stopped())
            break;
        std::vector<Settings> server; // of all points on it
        for (const PointSpec& one : points) {
            if (one.target.uri == target.uri && std::ranges::find(server, one.server) == server.end())
                server.push_back(one.server);
        }
        const bool asks = target.policy == PreparePolicy::Auto || target.policy == PreparePolicy::Never;
        if (!asks && !changesKept(*uri, server, options))
            continue;
        PreflightReport report = keptData(*uri, target, server, options);
        const auto isOfData = [](const PreflightItem& item) { return item.id == "data"; };
        if (!asks)
            std::erase_if(report.items, isOfData);
        if (report.blocked() || !report.agreed.empty() || !std::ranges::all_of(report.items, isOfData))
            reports.push_back(std::move(report));
    }
    return reports;
}

} // namespace dyno
