// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What stands in the way of a plan on its server, before anything is loaded or changed: `dyno check --target`, the
//! Plan page's list and "Test connection". What asks a server blocks: `dyno` calls it on its main thread, the window
//! in a job.
#pragma once

#include "catalog.h"
#include "trust.h"

#include <string>
#include <vector>

namespace dyno {

struct Plan;
struct RunnerOptions;

enum class PreflightLevel {
    Ok,      //!< looked at and fine
    Note,    //!< good to know when reading the result (durability in force, cipher)
    Warning, //!< the run will work, but may measure something else than meant
    Blocker, //!< the run will fail
};
[[nodiscard]] const char* toText(PreflightLevel level); //!< "ok", "note", "warning", "blocker"

//! A server variable that removes the cause and can be set while the server runs. Applied for the run only and put back
//! like any other knob.
struct PreflightFix
{
    std::string name; //!< variable without scope; "" = there is no safe fix
    Value value;
};

struct PreflightItem
{
    std::string id; //!< stable word for scripts: "max_connections", "data_size", …
    PreflightLevel level = PreflightLevel::Ok;
    std::string what; //!< one sentence with both figures: "1 000 users need 1 000 connections; max_connections is 151"
    std::string remedy; //!< one line; empty when the level is Ok
    PreflightFix fix;
};

struct PreflightReport
{
    std::string target; //!< without a password
    ServerFacts server;
    double roundTripMs = 0;                 //!< median of a few empty statements
    std::vector<std::string> missingRights; //!< that the plan needs and the user does not have: "CREATE on sbtest.*"
    std::vector<PreflightItem> items;
    std::vector<Risk> risks;  //!< what the plan wants here that RunnerOptions::consent does not cover
    std::vector<Risk> agreed; //!< what it does cover of that which shows on the server only
    [[nodiscard]] bool blocked() const
    {
        if (!risks.empty())
            return true;
        for (const PreflightItem& item : items) {
            if (item.level == PreflightLevel::Blocker)
                return true;
        }
        return !missingRights.empty();
    }
};

//! Looks at every remote or embedded target of the plan; a managed server is described by what its option file will
//! say, without starting it. Where the plan wants what nobody agreed to, the report says so (PreflightReport::risks),
//! and only what is harmless all the same is looked at: no program of the plan's is started, no server reached in a way
//! that is asked about. Blocking; takes the connect timeout for each target at most. An error says that a target cannot
//! be reached at all. Any thread but the window's.
[[nodiscard]] Expected<std::vector<PreflightReport>> preflight(const Plan& plan, const RunnerOptions& options);

//! What lookAtPlan() found, with what a person can do about it.
struct PlanFinding
{
    PreflightItem item;
    //! Fields and values, as setField() takes them, that remove the cause; empty = no change of the plan does.
    std::vector<std::pair<std::string, std::string>> changes = {};
    std::string where = {}; //!< path of the field that it is about, as of a fault
    bool atServer = false;  //!< of a server's: the look before a start names it too
};
using PlanFindings = std::vector<PlanFinding>;

//! What can be judged on this machine alone, while a plan is edited: data against memory, caches and disk, files and
//! cores of this machine, what a commit means on unlike servers. The gravest first. Starts no program, connects
//! to no server and opens no data, so that it needs no agreement; the file system is asked about the place of the data,
//! where it is this machine's.
//! The plan must have no faults. Takes some milliseconds; any thread but the window's.
[[nodiscard]] PlanFindings lookAtPlan(const Plan& plan, const RunnerOptions& options);

//! Skips the points of optional cases (Case::optional) whose server is not installed, or lacks a package they need:
//! adds to Plan::skips and returns a sentence for each, "engine MyRocks is skipped: …". The plan stays as it is where
//! finding out needs consent that `options` does not have, and where no point would remain. Blocking, as below;
//! preflight() and a session do it themselves.
[[nodiscard]] std::vector<std::string> skipMissingCases(Plan& plan, const RunnerOptions& options);

//! The look before a start, in the window as in `dyno run`: at remote servers, at what would stop a managed server with
//! the knobs of any point (its program, variables that it does not have, plug-ins, ports, disk), at what MongoDB's
//! protocol does not promise of any server, and whether the data in an SQLite file are the plan's. Empty when the plan
//! has no such target, or when one cannot be reached. What the first run says itself before it changes anything is not
//! in it: tables that are missing, a program that is not here. Data of other parameters are blockers whose id is
//! "data". Blocking, as above.
[[nodiscard]] std::vector<PreflightReport> lookBeforeStart(const Plan& plan, const RunnerOptions& options);
//! Whether lookBeforeStart() looks at this target.
[[nodiscard]] bool isLookedAtBeforeStart(const TargetUri& uri);
//! Whether data that this plan did not make may lie there.
[[nodiscard]] bool mayHoldData(const TargetUri& uri);

} // namespace dyno
