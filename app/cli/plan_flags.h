// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The flags that make a plan without a file; shared by run, prepare and cleanup.
#pragma once

#include <dyno/plan.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dyno::cli {

struct PlanFlags
{
    std::string target, workload;
    std::string costPerHour, watts, currency;
    std::string users, time, events, warmup, interval, repeats, seed, executor, loaders, loops;
    std::string rate, arrival, rateTo, steps, thinkTime, objective, search, reconnect;
    std::vector<std::string> params, knobs;
    bool prepare = false, cleanup = false;
    std::string existing; //!< "refuse" (or empty), "use", "rebuild"
    std::string optionFile;
};

//! Target, workload, parameters: what every command with flags takes.
void addTargetFlags(CLI::App& command, PlanFlags& flags);
//! Load, repeats, order.
void addLoadFlags(CLI::App& command, PlanFlags& flags);
//! --allow KEY (trust.h), for commands that take a plan of somebody else's.
void addAllowFlag(CLI::App& command, std::vector<std::string>& allow);
//! The first flag given that only makes sense with --target, "" if none.
[[nodiscard]] std::string firstPlanFlag(const CLI::App& command);

//! Says every fault and returns nothing when there is one. Remote targets are only loaded into with --prepare: nobody's
//! tables are made or changed by accident.
[[nodiscard]] std::optional<Plan> planFrom(const PlanFlags& flags);
//! The password of --option-file, "" without one; nothing (and a message) when it cannot be had or is not that of the
//! server which a password of this plan is for. A plan without such a server needs none.
[[nodiscard]] std::optional<std::string> passwordFrom(const PlanFlags& flags, const Plan& plan);

} // namespace dyno::cli
