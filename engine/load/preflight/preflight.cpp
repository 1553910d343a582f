// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Pre-flight of a plan: what it needs, asked of each of its targets.
#include <dyno/preflight.h>

#include "driver/preflight_list.h"
#include "load/preflight/preflight_needs.h"
#include "load/preflight/server_look.h"
#include "load/target/target.h"
#include "load/target/user_path.h"

#include <dyno/machine_settings.h>
#include <dyno/passwords.h>
#include <dyno/path.h>
#include <dyno/uri_form.h>

#include <algorithm>
#include <optional>

namespace dyno {

namespace {

constexpr const char* kSkippedCase = "skipped_case";
constexpr const char* kRemedyOfSkipped = "install it, or go on without it";

//! A look would do already what the plan must not do yet.
PreflightReport notLookedAt(const TargetUri& uri)
{
    PreflightReport report;
    report.target = uri.display();
    PreflightList(report.items)
        .add("agreement", PreflightLevel::Note,
             "not looked at: what the plan asks for here would begin with a look already",
             "agree to it first, or remove it from the plan");
    return report;
}

} // namespace

Expected<std::vector<PreflightReport>> preflight(const Plan& asked, const RunnerOptions& options)
{
    Plan plan = asked;
    const std::vector<std::string> missing = skipMissingCases(plan, options);
    std::vector<PreflightReport> reports;
    const std::optional<TargetUri> owner = passwordOwner(plan);
    for (TargetNeeds& target : needsOf(plan)) {
        target.mayReplaceOthers = options.consent.covers(kReplaceTables);
        auto uri = parseUri(target.uri);
        if (!uri)
            return fail(uri.error());
        target.place = placeOf(*uri, workDirOf(options));
        std::vector<Risk> risks = uncovered(risksOf(plan, target.uri), options.consent);
        if (std::ranges::any_of(risks, &Risk::atLook)) {
            reports.push_back(notLookedAt(*uri));
        } else {
            uri->password = passwordFor(*uri, owner, options.password);
            auto report = makeTarget({.uri = std::move(*uri), .options = options})->preflight(target);
            if (!report)
                return fail(std::move(report.error()));
            reports.push_back(std::move(*report));
        }
        PreflightList list(reports.back().items);
        for (const std::string& path : target.paths) {
            if (const auto problem = missingProxy(path))
                list.add("proxy_program", PreflightLevel::Blocker, problem->message, problem->remedy);
        }
        risks.insert(risks.end(), reports.back().risks.begin(), reports.back().risks.end());
        reports.back().risks = std::move(risks);
    }
    for (const std::string& sentence : reports.empty() ? std::vector<std::string>() : missing)
        PreflightList(reports.front().items).add(kSkippedCase, PreflightLevel::Note, sentence, kRemedyOfSkipped);
    return reports;
}

std::vector<PreflightReport> lookBeforeStart(const Plan& plan, const RunnerOptions& options)
{
    const Expansion expansion = expand(plan);
    const std::vector<PointSpec>& points = expansion.points;
    const bool asked = std::any_of(points.begin(), points.end(), [](const PointSpec& point) {
        const auto uri = parseUri(point.target.uri);
        return uri && isLookedAtBeforeStart(*uri);
    });
    if (!asked)
        return {};
    const auto firstUri = expansion.runs.empty()
                              ? Expected<TargetUri>(fail(Error()))
                              : parseUri(points[std::size_t(expansion.runs.front().point)].target.uri);
    const std::string first = firstUri ? firstUri->display() : std::string();
    auto reports = preflight(plan, options);
    if (!reports)
        return {};
    for (PreflightReport& report : *reports) {
        auto uri = parseUri(report.target);
        if (!uri)
            continue;
        const auto target = makeTarget({.uri = std::move(*uri), .options = options});
        std::erase_if(report.items, [&](const PreflightItem& item) {
            return item.id != kSkippedCase && !target->toldBeforeStart(item, report.target == first);
        });
    }
    return std::move(*reports);
}

bool isLookedAtBeforeStart(const TargetUri& uri)
{
    return mayHoldData(uri) || uri.kind == TargetKind::Managed;
}

bool mayHoldData(const TargetUri& uri)
{
    const DriverInfo* driver = findDriver(uri.driver);
    return uri.kind == TargetKind::Remote || (driver && driver->warnsBeforeStart) || (isFile(uri) && !uri.path.empty());
}

} // namespace dyno
