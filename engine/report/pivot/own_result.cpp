// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a session found, as figures that stand beside the next results of the same plan.
#include <dyno/own_recipes.h>

#include "report/pivot/labels.h"
#include <dyno/report.h>
#include <dyno/uri.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <map>
#include <set>

namespace dyno {

namespace {

std::string hardwareOf(const StoredSession& session)
{
    const HostFacts& host = session.header.host;
    std::set<std::string> servers;
    for (const StoredRun& run : session.runs) {
        const ServerFacts& server = run.header.server;
        if (!server.product.empty())
            servers.insert(server.version.empty() ? server.product : server.product + " " + server.version);
    }
    // What a server far away runs on is not known here.
    const bool elsewhere = std::ranges::any_of(session.header.points, [](const PointSpec& point) {
        const auto uri = parseUri(point.target.uri);
        return uri && workPlaceOf(*uri) == WorkPlace::Elsewhere;
    });
    std::vector<std::string> parts;
    for (const std::string& part : {host.cpu, host.os}) { // not the machine's name: the file may go to others
        if (!part.empty())
            parts.push_back(part);
    }
    if (host.cores > 0)
        parts.insert(parts.begin() + (host.cpu.empty() ? 0 : 1), fmt::format("{} cores", host.cores));
    if (elsewhere && !parts.empty())
        parts.front().insert(0, "client: ");
    parts.insert(parts.end(), servers.begin(), servers.end());
    return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace

std::vector<Published> resultOf(const StoredSession& session, std::string_view by)
{
    const std::set<std::int64_t> again = report::runsTriedAgain(session);
    std::vector<std::string> measures;
    for (const View& view : session.header.plan.views) {
        if (std::ranges::find(measures, view.measure) == measures.end())
            measures.push_back(view.measure);
    }
    if (measures.empty())
        measures.push_back(View().measure); // what a plan without views shows
    std::vector<Published> all;
    for (const std::string& measure : measures) {
        std::map<int, std::vector<RunFigure>> points;
        for (const StoredRun& run : session.runs) {
            if (run.summary.status != RunStatus::Done || again.contains(run.id))
                continue;
            if (const auto figure = figureOfRun(run.summary, settingOf(session, run), measure))
                points[run.header.point].push_back(*figure);
        }
        Published published;
        const std::time_t started = session.info.startedMs / 1000;
        published.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(started));
        published.source =
            fmt::format("Own result{}{}: session “{}”", by.empty() ? "" : " of ", by, session.info.title);
        published.hardware = hardwareOf(session);
        published.measure = measure;
        for (const auto& [point, runs] : points) {
            const double value = figureOfPoint(runs, measure).mean;
            if (point >= 0 && std::size_t(point) < session.header.points.size() && std::isfinite(value))
                published.values.push_back({session.header.points[std::size_t(point)].cases, value});
        }
        if (!published.values.empty())
            all.push_back(std::move(published));
    }
    return all;
}

} // namespace dyno
