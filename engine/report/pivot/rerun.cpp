// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/rerun.h>

#include "report/format.h"
#include <dyno/catalog.h>
#include <dyno/missing_runs.h>
#include <dyno/report.h>
#include <dyno/uri.h>

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace dyno {

namespace {

void compareHosts(const HostFacts& then, const HostFacts& now, std::vector<std::string>& notes)
{
    const auto differ = [&notes](const char* what, const std::string& before, const std::string& after) {
        if (!before.empty() && before != after)
            notes.push_back(fmt::format("the load generator's {} was {}, here it is {}", what, before,
                                        after.empty() ? "not known" : after));
    };
    differ("processor", then.cpu, now.cpu);
    if (then.cores > 0)
        differ("number of cores", std::to_string(then.cores), std::to_string(now.cores));
    // A kernel takes a little more or less of it for itself.
    const double memory = static_cast<double>(then.memoryBytes), own = static_cast<double>(now.memoryBytes);
    if (memory > 0 && std::max(memory, own) > 1.02 * std::min(memory, own))
        differ("memory", report::bytes(memory), report::bytes(own));
    differ("operating system", then.os, now.os);
    differ("kernel", then.kernel, now.kernel);
    if (!then.name.empty() && then.name != now.name)
        notes.push_back("it ran on another machine: " + then.name);
}

//! Names of the variables that the run's knobs stand for: a server may have its own for a knob.
std::set<std::string> variablesSet(const RunHeader& run)
{
    std::set<std::string> names;
    for (const auto& [name, value] : run.effective)
        names.insert(name);
    for (const KnobInfo& knob : knobs()) {
        if (knob.scope != "server" || !names.contains(knob.option.name))
            continue;
        if (const auto edition = editionFor(knob, run.server.product, run.server.version))
            names.insert(edition->name);
    }
    return names;
}

void tellServers(const StoredSession& session, std::vector<std::string>& notes)
{
    std::set<std::string> products;
    std::size_t variables = 0, unset = 0;
    for (const StoredRun& run : session.runs) {
        const ServerFacts& server = run.header.server;
        if (!server.product.empty())
            products.insert(server.version.empty() ? server.product : server.product + " " + server.version);
        const std::set<std::string> set = variablesSet(run.header);
        const auto left = static_cast<std::size_t>(
            std::ranges::count_if(server.variables, [&set](const auto& one) { return !set.contains(one.first); }));
        if (left > unset) {
            unset = left;
            variables = server.variables.size();
        }
    }
    for (const std::string& product : products)
        notes.push_back(fmt::format("the target was {}; what runs now is known only when it starts", product));
    if (unset > 0) {
        notes.push_back(
            fmt::format("the plan sets no value for {} of {} server variables: they keep the server's current ones",
                        unset, variables));
    }
}

void tellData(const StoredSession& session, std::vector<std::string>& notes)
{
    const Plan& plan = session.header.plan;
    const bool remote = std::ranges::any_of(session.header.points, [](const PointSpec& point) {
        const auto uri = parseUri(point.target.uri);
        return uri && uri->kind == TargetKind::Remote;
    });
    if (remote && plan.workload.prepare != PreparePolicy::Always)
        notes.push_back("the tables on the server are used as they are now, including later writes");
    if (plan.load.warmupUntilSteady || plan.load.stopAfterSteady > 0 || plan.load.stopOnObjective)
        notes.push_back("the length of warm-up and runs depends on what is measured");
}

} // namespace

Expected<Rerun> rerunOf(const StoredSession& session, const HostFacts& here, std::string_view software)
{
    if (isImported(session)) {
        return fail({ErrorKind::BadInput, "another tool measured this session, so there is no plan to run",
                     session.info.title, "make a plan with the same workload on the Plan page"});
    }
    Rerun again{session.header.plan, {}};
    // Optional cases were left out where they could not run; perhaps they can here.
    std::erase_if(again.plan.skips, [&plan = again.plan](const Skip& skip) {
        return skip.cases.size() == 1 && std::ranges::any_of(plan.axes, [&skip](const Axis& axis) {
                   return axis.name == skip.cases.front().axis &&
                          std::ranges::any_of(axis.cases, [&skip](const Case& one) {
                              return one.optional && one.label == skip.cases.front().label;
                          });
               });
    });
    std::vector<std::string>& notes = again.notReproduced;
    const Expansion expansion = expand(again.plan);
    const int planned = countRuns(session).planned; // further sittings add runs to the plan's
    if (expansion.points.size() != session.header.points.size() || int(expansion.runs.size()) != planned) {
        notes.push_back(
            fmt::format("the plan gave {} and {} then, and gives {} and {} in this version",
                        report::counted(static_cast<long long>(session.header.points.size()), "point", "points"),
                        report::counted(planned, "run", "runs"),
                        report::counted(static_cast<long long>(expansion.points.size()), "point", "points"),
                        report::counted(static_cast<long long>(expansion.runs.size()), "run", "runs")));
    }
    if (!session.header.software.empty() && session.header.software != software)
        notes.push_back(fmt::format("it was made with {}, this is {}", session.header.software, software));
    compareHosts(session.header.host, here, notes);
    tellServers(session, notes);
    tellData(session, notes);
    return again;
}

} // namespace dyno
