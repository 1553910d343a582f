// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno check PLAN.toml: all faults, or what the plan would do.
#include "cli/console.h"
#include "core/plan_source.h"
#include "core/text_table.h"

#include <dyno/catalog.h>

#include <fmt/format.h>
#include <memory>

namespace dyno::cli {

namespace {

int check(const PlanRequest& request, bool listPoints)
{
    const LoadedPlan loaded = loadPlan(request);
    if (!loaded.plan) {
        for (const Fault& fault : loaded.faults)
            say(faultText(loaded.name, fault));
        say(fmt::format("{}: {} {}", loaded.name, loaded.faults.size(),
                        loaded.faults.size() == 1 ? "fault" : "faults"));
        return kBadInput;
    }
    const Expansion expansion = expand(*loaded.plan);
    print(fmt::format("{}: {} {}, {} {}, about {}", loaded.name, expansion.points.size(),
                      expansion.points.size() == 1 ? "point" : "points", expansion.runs.size(),
                      expansion.runs.size() == 1 ? "run" : "runs", durationText(expansion.estimatedSeconds)));
    if (loaded.plan->load.timeSeconds == 0)
        print(" and the time that the transactions take");
    print(" without loading");
    if (expansion.estimatedBytes > 0)
        print(fmt::format(", about {} of data", bytesText(double(expansion.estimatedBytes))));
    print("\n");
    if (!listPoints)
        return kDone;
    TextTable table({">", "point", ">users", "workload", "target"});
    for (std::size_t i = 0; i < expansion.points.size(); ++i) {
        const PointSpec& point = expansion.points[i];
        table.add({fmt::format("{}", i + 1), point.label(), fmt::format("{}", point.users()), point.workload.name,
                   redactUri(point.target.uri)});
    }
    print(table.text());
    return kDone;
}

} // namespace

void addCheckCommand(CLI::App& app, ExitCode code)
{
    struct Options
    {
        PlanRequest request;
        bool points = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("check", "All faults of a plan, or how many runs it makes and how long they take");
    command->add_option("PLAN", options->request.source, "a plan's file or a recipe")->required();
    command->add_option("--size", options->request.size, "a size of the recipe: quick, laptop, published");
    command->add_option("--set", options->request.sets, "PATH=VALUE: change a field, such as load.users=1,4")
        ->allow_extra_args(false);
    command->add_flag("--points", options->points, "list the points");
    command->callback([&code, options] { code = check(options->request, options->points); });
}

} // namespace dyno::cli
