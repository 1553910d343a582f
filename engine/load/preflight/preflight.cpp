// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Pre-flight of a plan: what it needs, asked of each of its targets.
#include <dyno/preflight.h>

#include "driver/control_calls.h"
#include "driver/preflight_list.h"
#include "load/data/others_data.h"
#include "load/preflight/preflight_needs.h"
#include "load/preflight/server_look.h"
#include "load/target/target.h"
#include "load/target/user_path.h"
#include "server/proxy/managed_proxy.h"

#include <dyno/machine_settings.h>
#include <dyno/passwords.h>
#include <dyno/path.h>
#include <dyno/uri_form.h>

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

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

//! Whether the addresses by which users come lead to the server. Nobody sends anything there who has not agreed to it.
void lookThroughPaths(const TargetUri& uri, const TargetNeeds& target, const std::vector<Risk>& open,
                      const RunnerOptions& options, PreflightReport& report)
{
    PreflightList list(report.items);
    Driver* driver = driverFor(uri.driver);
    std::vector<Error> dead;
    for (const auto& [text, needs] : target.paths) {
        const auto path = parsePath(text);
        if (!driver || !path || path->kind != TargetPath::Kind::Address || pathProblem(uri, *path) ||
            std::ranges::find(open, kPathKey, &Risk::key) != open.end())
            continue;
        ConnectTarget users = lookTarget(uri, needs.connection, driver->info());
        users.distant = !isLocal(uri);
        setEndpoint(users.uri, path->address);
        const auto admin = controlAdmin(*driver, users, options.stopped);
        const auto facts = admin ? (*admin)->facts() : tl::unexpected(admin.error());
        if (!facts) {
            dead.push_back(throughPath(facts.error(), text, text));
            continue;
        }
        const std::string direct = driver->serverIdentity(report.server.variables);
        const std::string reached = driver->serverIdentity(facts->variables);
        if (direct.empty() || reached.empty() || direct == reached) {
            list.ok("users_path", fmt::format("users reach the server through {}", text));
            continue;
        }
        list.add("users_path", PreflightLevel::Warning,
                 fmt::format("{} leads to another server than {}", text, uri.display()),
                 fmt::format("correct {}, or ignore this if it is intended", kPathKey));
        auto risk = othersDataRisk(**admin, users.uri, {.tables = target.tables, .writes = target.writes});
        if (!risk)
            dead.push_back(throughPath(risk.error(), text, text));
        else if (*risk)
            (options.consent.covers(**risk) ? report.agreed : report.risks).push_back(std::move(**risk));
    }
    // Runs that go by another path are measured all the same.
    const auto level = dead.size() == target.paths.size() ? PreflightLevel::Blocker : PreflightLevel::Warning;
    for (const Error& error : dead)
        list.add("users_path", level, error.message, error.remedy);
}

//! What the installed version of a path's proxy does not do for its users.
void lookAtProxy(const TargetUri& uri, const std::string& text, const TargetNeeds::Path& needs, PreflightList& list)
{
    const auto path = parsePath(text);
    const ProxyRecipe* recipe = path ? proxyRecipeFor(path->proxy) : nullptr;
    const auto program = recipe ? findProxy(*recipe) : fail(Error());
    if (!program)
        return;
    if (const int shared = connectionsOf(*path, needs.users); shared < needs.users)
        list.ok("proxy_pool", fmt::format("{} share {} to the server, through {}",
                                          counted(std::uint64_t(needs.users), "user", "users"),
                                          counted(std::uint64_t(shared), "connection", "connections"), pathName(text)));
    std::set<std::string> told;
    for (const Settings& connection : needs.others) {
        ConnectTarget direct;
        direct.uri = uri;
        direct.connection = connection;
        const auto problem = recipe->usersProblem(direct, path->pool, program->version);
        if (problem && told.insert(problem->message).second)
            list.add("proxy_users", PreflightLevel::Blocker, problem->message, problem->remedy);
    }
}

} // namespace

Expected<std::vector<PreflightReport>> preflight(const Plan& asked, const RunnerOptions& options)
{
    Plan plan = asked;
    const std::vector<std::string> missing = skipMissingCases(plan, options);
    std::vector<PreflightReport> reports;
    const std::optional<TargetUri> owner = passwordOwner(plan);
    for (TargetNeeds& target : needsOf(plan, options.consent)) {
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
            auto report = makeTarget({.uri = *uri, .options = options})->preflight(target);
            if (!report)
                return fail(std::move(report.error()));
            lookThroughPaths(*uri, target, risks, options, *report);
            reports.push_back(std::move(*report));
        }
        PreflightList list(reports.back().items);
        for (const auto& [path, needs] : target.paths) {
            if (const auto problem = missingProxy(path))
                list.add("proxy_program", PreflightLevel::Blocker, problem->message, problem->remedy);
            else
                lookAtProxy(*uri, path, needs, list);
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
