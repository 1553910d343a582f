// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno check PLAN.toml: all faults, or what the plan would do.
//! dyno check PLAN.toml --preflight and dyno check --target URI …: what stands in its way on the server and on this
//! host.
#include "cli/console.h"
#include "cli/listing_json.h"
#include "cli/plan_flags.h"
#include "core/plan_source.h"
#include "core/preflight_text.h"
#include "core/text_table.h"

#include <dyno/agreements.h>
#include <dyno/catalog.h>
#include <dyno/followers.h>
#include <dyno/load_phases.h>
#include <dyno/path.h>
#include <dyno/preflight.h>
#include <dyno/servers.h>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <optional>

namespace dyno::cli {

namespace {

struct CheckOptions
{
    PlanRequest request;
    PlanFlags flags;
    std::vector<std::string> allow; //!< keys
    bool points = false;
    bool preflight = false;
    bool json = false;
};

//! Says all faults; nothing when there are any.
std::optional<Plan> planOf(const PlanRequest& request, Consent& consent, bool json = false)
{
    LoadedPlan loaded = loadPlan(request);
    if (json && !loaded.plan)
        printDocument(planCheckJson(loaded.name, loaded.faults, nullptr, nullptr, {}));
    for (const Fault& fault : loaded.faults)
        say(faultText(loaded.name, fault));
    if (!loaded.plan)
        say(fmt::format("{}: {} {}", loaded.name, loaded.faults.size(),
                        loaded.faults.size() == 1 ? "fault" : "faults"));
    consent = std::move(loaded.consent);
    return std::move(loaded.plan);
}

//! What a run would ask about. Nothing is agreed to by a look.
std::vector<Risk> stillAsked(const Plan& plan, Consent& consent)
{
    const std::vector<Risk> risks = risksOf(plan);
    recallAgreed(plan, risks, consent);
    return uncovered(risks, consent);
}

int check(const PlanRequest& request, bool listPoints, bool json)
{
    Consent consent;
    const std::optional<Plan> plan = planOf(request, consent, json);
    if (!plan)
        return kBadInput;
    const std::string& name = request.source;
    Expansion expansion = expand(*plan);
    Plan here = *plan; // as a run would have it
    std::error_code ignored;
    resolvePaths(here, std::filesystem::current_path(ignored));
    const std::vector<Risk> risks = stillAsked(here, consent);
    if (json) {
        printDocument(planCheckJson(name, {}, &*plan, &expansion, risks));
        return kDone;
    }
    print(fmt::format("{}: {} {}, {} {}, about {}", name, expansion.points.size(),
                      expansion.points.size() == 1 ? "point" : "points", expansion.runs.size(),
                      expansion.runs.size() == 1 ? "run" : "runs", durationText(expansion.estimatedSeconds)));
    if (plan->load.timeSeconds == 0)
        print(" and the time that the transactions take");
    print(" without loading");
    if (expansion.estimatedBytes > 0)
        print(fmt::format(", about {} of data", bytesText(double(expansion.estimatedBytes))));
    print("\n");
    if (!expansion.points.empty() && !plan->load.phases.empty()) {
        const LoadProfile& load = expansion.points.front().load;
        TextTable phases({"phase", ">seconds", ">ramp s", "load"});
        for (const LoadPhase& phase : load.phases)
            phases.add({phase.name, fmt::format("{:g}", phase.seconds), fmt::format("{:g}", phase.rampSeconds),
                        phaseText(load, phase)});
        print(phases.text());
        if (expansion.points.size() > 1)
            print("(phases of the first point)\n");
    }
    if (!risks.empty())
        say(risksText(name, risks));
    if (!listPoints)
        return kDone;
    addKnownPrices(expansion.points); // as a run does
    const bool priced = std::ranges::any_of(expansion.points, [](const PointSpec& point) {
        return point.target.price.costPerHour > 0 || point.target.price.watts > 0;
    });
    std::vector<std::string> heads{">", "point", ">users", "workload", "target"};
    std::vector<std::string> multiples; // written as "4 x cache"
    for (const PointSpec& point : expansion.points) {
        for (const auto& [parameter, value] : multiplesOf(*plan, point)) {
            if (std::ranges::find(multiples, parameter) == multiples.end())
                multiples.push_back(parameter);
        }
    }
    for (const std::string& parameter : multiples)
        heads.push_back(">" + parameter);
    std::vector<std::string> followers; // written as "same as server.NAME"
    for (const PointSpec& point : expansion.points) {
        for (const auto& [path, value] : followersOf(*plan, point)) {
            if (std::ranges::find(followers, path) == followers.end())
                followers.push_back(path);
        }
    }
    for (const std::string& path : followers)
        heads.push_back(">" + path);
    if (priced)
        heads.insert(heads.end(), {">cost/h", ">W"});
    TextTable table(heads);
    for (std::size_t i = 0; i < expansion.points.size(); ++i) {
        const PointSpec& point = expansion.points[i];
        std::string users = point.load.groups.empty() ? fmt::format("{}", point.users()) : std::string();
        for (const LoadGroup& group : point.load.groups) {
            if (const int own = group.users.value_or(point.users()); own > 0)
                users += fmt::format("{}{} {}", users.empty() ? "" : ", ", own, group.name);
        }
        std::vector<std::string> cells{fmt::format("{}", i + 1), point.label(), std::move(users), point.workload.name,
                                       targetText(point.target)};
        for (const std::string& parameter : multiples)
            cells.push_back(textOf(point.workload.params, parameter, "-"));
        const Settings resolved = followersOf(*plan, point);
        for (const std::string& path : followers)
            cells.push_back(textOf(resolved, path, "-"));
        const Price& price = point.target.price;
        if (priced) {
            cells.push_back(price.costPerHour > 0 ? fmt::format("{}{}", price.currency, price.costPerHour) : "-");
            cells.push_back(price.watts > 0 ? fmt::format("{}", price.watts) : "-");
        }
        table.add(std::move(cells));
    }
    print(table.text());
    return kDone;
}

//! The plan of the flags. Without a workload a server can still be looked at.
std::optional<Plan> planOfFlags(const PlanFlags& flags)
{
    if (flags.hasWorkload() || !flags.params.empty() || !flags.knobs.empty())
        return planFrom(flags);
    Plan plan;
    const auto uri = parseUri(flags.target);
    if (!uri) {
        report(uri.error());
        return {};
    }
    plan.target.uri = uri->display();
    if (const std::string users = flags.typed("users"); !users.empty()) {
        if (const auto done = setField(plan, "load.users", users); !done) {
            report(done.error());
            return {};
        }
    }
    return plan;
}

int lookAhead(Plan plan, Consent consent, const CheckOptions& options)
{
    for (const std::string& key : options.allow)
        consent.allow(key);
    const auto password = passwordFrom(options.flags, plan);
    if (!password)
        return kBadInput;
    std::error_code ignored;
    resolvePaths(plan, std::filesystem::current_path(ignored));
    static_cast<void>(stillAsked(plan, consent)); // what was agreed to earlier
    RunnerOptions runner;
    runner.password = *password;
    runner.consent = std::move(consent);
    auto reports = preflight(plan, runner);
    if (!reports)
        return report(reports.error());
    std::vector<Risk> risks; // each once, whatever targets it is about
    for (PreflightReport& one : *reports) {
        Consent earlier;
        recallAgreed(plan, one.risks, earlier); // what shows on the server only
        one.risks = uncovered(std::move(one.risks), earlier);
        std::ranges::copy_if(one.risks, std::back_inserter(risks),
                             [&risks](const Risk& risk) { return std::ranges::find(risks, risk) == risks.end(); });
    }
    if (!risks.empty())
        say(risksText(options.request.source, risks));
    if (options.json) {
        printDocument(preflightJson(*reports));
    } else {
        for (const PreflightReport& one : *reports)
            print((&one == reports->data() ? "" : "\n") + preflightText(one));
    }
    const bool blocked =
        std::any_of(reports->begin(), reports->end(), [](const PreflightReport& one) { return one.blocked(); });
    return blocked ? kBadInput : kDone;
}

int checkWith(const CLI::App& command, const CheckOptions& options)
{
    const std::string flag = firstPlanFlag(command);
    if (options.request.source.empty()) {
        if (options.flags.target.empty())
            return badInput("nothing to check", "give a plan's file, a recipe (`dyno recipes`), or --target");
        if (!options.request.size.empty() || !options.request.sets.empty() || options.points)
            return badInput("--size, --set and --points belong to a plan", "without a plan use the flags: `dyno check "
                                                                           "--help`");
        PlanFlags flags = options.flags;
        flags.library = options.request.library;
        auto plan = planOfFlags(flags);
        Consent typed;
        if (plan)
            allowTyped(flags, *plan, typed);
        return plan ? lookAhead(std::move(*plan), std::move(typed), options) : kBadInput;
    }
    if (!flag.empty())
        return badInput(fmt::format("{} is for checks without a plan", flag),
                        "with a plan use --set, such as --set load.users=1,4");
    if (!options.preflight) {
        return check(options.request, options.points, options.json);
    }
    Consent consent;
    auto plan = planOf(options.request, consent);
    return plan ? lookAhead(std::move(*plan), std::move(consent), options) : kBadInput;
}

} // namespace

void addCheckCommand(CLI::App& app, ExitCode code)
{
    auto options = std::make_shared<CheckOptions>();
    CLI::App* command =
        app.add_subcommand("check", "All faults of a plan and what it amounts to, or what stands in its "
                                    "way on the server (exit code 2 when something will fail)");
    command->add_option("PLAN", options->request.source, "a plan's file or a recipe");
    command->add_option("--size", options->request.size, "a size of the recipe: quick, laptop, published");
    command->add_option("--set", options->request.sets, "PATH=VALUE: change a field, such as load.users=1,4")
        ->allow_extra_args(false);
    command->add_option("--library", options->request.library,
                        "the library with your recipes beside it (the user's own)");
    command->add_flag("--points", options->points, "list the points");
    command->add_flag("--preflight", options->preflight,
                      "look at the plan's servers and this host too: connections, rights, limits, other load");
    command->add_flag("--json", options->json, "print one JSON document: faults or points, or the pre-flight");
    addAllowFlag(*command, options->allow);
    addTargetFlags(*command, options->flags);
    addLoadFlags(*command, options->flags);
    command->callback([&code, options, command] { code = checkWith(*command, *options); });
}

} // namespace dyno::cli
