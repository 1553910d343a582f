// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The flags that make a plan without a file; shared by run, prepare and cleanup.
#pragma once

#include <dyno/plan.h>
#include <dyno/trust.h>

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace dyno::cli {

struct PlanFlags
{
    std::string target, path, workload;
    std::string costPerHour, watts, currency;
    std::map<std::string, std::string> load; //!< fields of [load], as typed
    std::vector<std::string> params, knobs;
    std::vector<std::string> scripts, builtins, definitions; //!< of the workload "script"
    std::string lua, luaOptions;                             //!< file and options of the workload "lua"
    bool prepare = false, cleanup = false;
    std::string existing; //!< "refuse" (or empty), "use", "rebuild"
    std::string optionFile;
    std::string library; //!< beside which the workloads of one's own lie; "": the user's own

    //! The workload, named or said by a script.
    [[nodiscard]] bool hasWorkload() const
    {
        return !workload.empty() || !scripts.empty() || !builtins.empty() || !lua.empty();
    }
    //! What was typed for a field of [load], "" if nothing was.
    [[nodiscard]] std::string typed(const std::string& field) const
    {
        const auto found = load.find(field);
        return found == load.end() ? std::string() : found->second;
    }
};

//! Target, workload, parameters: what every command with flags takes.
void addTargetFlags(CLI::App& command, PlanFlags& flags);
//! The fields of [load] that the former do not have, and what a target costs.
void addLoadFlags(CLI::App& command, PlanFlags& flags);
//! --allow KEY (trust.h), for commands that take a plan of somebody else's.
void addAllowFlag(CLI::App& command, std::vector<std::string>& allow);
//! The first flag given that only makes sense with --target, "" if none.
[[nodiscard]] std::string firstPlanFlag(const CLI::App& command);

//! Says every fault and returns nothing when there is one. Remote targets are only loaded into with --prepare: nobody's
//! tables are made or changed by accident.
[[nodiscard]] std::optional<Plan> planFrom(const PlanFlags& flags);
//! What was typed is agreed to; but a workload of one's own in a library that is named may be anybody's: its statements
//! need an agreement of their own.
void allowTyped(const PlanFlags& flags, const Plan& plan, Consent& consent);
//! The password of --option-file, "" without one; nothing (and a message) when it cannot be had or is not that of the
//! server which a password of this plan is for. A plan without such a server needs none.
[[nodiscard]] std::optional<std::string> passwordFrom(const PlanFlags& flags, const Plan& plan);

} // namespace dyno::cli
