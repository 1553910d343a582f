// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno plan --target URI …: the plan that a run with these flags would carry out, to be kept as a file.
#include "cli/console.h"
#include "cli/plan_flags.h"

#include <dyno/plan.h>

#include <memory>

namespace dyno::cli {

namespace {

int printPlan(const PlanFlags& flags)
{
    const auto plan = planFrom(flags);
    if (!plan)
        return kBadInput;
    print(writePlan(*plan));
    return kDone;
}

} // namespace

void addPlanCommand(CLI::App& app, ExitCode code)
{
    auto flags = std::make_shared<PlanFlags>();
    CLI::App* command =
        app.add_subcommand("plan", "The plan that `dyno run` with these flags would carry out, as a file");
    addTargetFlags(*command, *flags);
    addLoadFlags(*command, *flags);
    command->add_option("--library", flags->library, "the library with your workloads beside it (the user's own)");
    command->footer("A plan holds its scripts:\n  dyno plan --target sqlite:test.db --script mine.sql@9 --script "
                    "rare.sql --users 8 > plan.toml\n");
    command->callback([&code, flags] { code = printPlan(*flags); });
}

} // namespace dyno::cli
