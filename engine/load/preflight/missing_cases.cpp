// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Optional cases whose server or package is not installed on this machine.
#include <dyno/preflight.h>

#include "load/target/target.h"
#include "server/lifecycle/server_binaries.h"
#include "server/lifecycle/server_recipe.h"
#include "server/lifecycle/start_check.h"

#include <dyno/machine_settings.h>
#include <dyno/path.h>
#include <dyno/runner.h>
#include <dyno/trust.h>

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace dyno {

namespace {

//! Which server or package is missing for a point. Nothing when none is, or when something else is wrong: pre-flight
//! reports that.
class Missing
{
public:
    Missing(const Plan& plan, const RunnerOptions& options)
        : m_plan(plan)
        , m_options(options)
    {
    }

    const std::optional<Error>& of(const PointSpec& point)
    {
        Settings settings = point.server;
        for (const auto& [name, value] : point.host)
            settings.emplace("host." + name, value);
        const std::tuple key(point.target.uri, point.target.path, std::move(settings));
        const auto known = m_known.find(key);
        return known != m_known.end() ? known->second : m_known.emplace(key, look(point)).first->second;
    }

private:
    [[nodiscard]] std::optional<Error> look(const PointSpec& point) const
    {
        if (auto proxy = missingProxy(point.target.path))
            return proxy;
        const auto uri = parseUri(point.target.uri);
        if (!uri)
            return {};
        if (auto problem = machineProblem(point.host, placeOf(*uri, workDirOf(m_options))))
            return problem;
        if (uri->kind != TargetKind::Managed)
            return {};
        const std::vector<Risk> risks = uncovered(risksOf(m_plan, point.target.uri), m_options.consent);
        if (std::ranges::any_of(risks, &Risk::atLook))
            return {};
        const auto program = findServer(wishOf(*uri));
        if (!program)
            return program.error();
        const auto can = program->recipe->canStart(*program, point.server, false);
        const bool lacks = !can && can.error().kind == ErrorKind::Refused;
        return lacks ? std::optional(can.error()) : std::nullopt;
    }

    const Plan& m_plan;
    const RunnerOptions& m_options;
    std::map<std::tuple<std::string, std::string, Settings>, std::optional<Error>> m_known;
};

bool has(const PointSpec& point, const CaseRef& wanted)
{
    return std::ranges::any_of(
        point.cases, [&wanted](const CaseRef& one) { return one.axis == wanted.axis && one.label == wanted.label; });
}

} // namespace

std::vector<std::string> skipMissingCases(Plan& plan, const RunnerOptions& options)
{
    std::vector<CaseRef> cases;
    for (const Axis& axis : plan.axes) {
        for (const Case& one : axis.cases) {
            if (one.optional)
                cases.push_back({axis.name, one.label});
        }
    }
    if (cases.empty())
        return {};
    std::vector<std::string> told;
    std::vector<Skip> skips;
    const std::vector<PointSpec> points = expand(plan).points;
    Missing missing(plan, options);
    for (const CaseRef& one : cases) {
        std::vector<Skip> single;
        std::size_t all = 0;
        const Error* why = nullptr;
        for (const PointSpec& point : points) {
            if (!has(point, one))
                continue;
            ++all;
            if (const auto& error = missing.of(point)) {
                why = &*error;
                single.push_back({.cases = point.cases});
            }
        }
        if (!why)
            continue;
        if (single.size() == all)
            single.assign(1, {.cases = {one}});
        skips.insert(skips.end(), single.begin(), single.end());
        told.push_back(fmt::format("{} {} is skipped: {}", one.axis, one.label, why->text()));
    }
    Plan rest = plan;
    rest.skips.insert(rest.skips.end(), skips.begin(), skips.end());
    if (told.empty() || expand(rest).points.empty())
        return {};
    plan.skips = std::move(rest.skips);
    return told;
}

} // namespace dyno
