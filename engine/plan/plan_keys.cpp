// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_keys.h"

#include "plan/plan_fields.h"

#include <dyno/path.h>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace dyno {

namespace {

constexpr const char* kText = "text";
constexpr const char* kFlag = "true, false";

std::vector<PlanTable> makeTables()
{
    const std::string price = fmt::format("0 to {}", kMaxPrice);
    const std::string users = fmt::format("0 to {}", kMaxUsers);
    return {
        {"",
         "top of the file",
         "What the plan is called, and its tables.",
         {{"title", kText, "", "the question, as cards, charts and lists show it"},
          {"description", kText, "", "what is measured and why"},
          {"target", "table", "", "what is measured"},
          {"workload", "table", "", "what it does"},
          {"set", "table", "",
           "settings that are the same for all points; also `\"exporter.NAME\"` and `\"machine.NAME\"`"},
          {"load", "table", "", "users, times, repeats and everything about the load"},
          {"axis", "list of tables", "", "what varies"},
          {"skip", "list of tables", "", "points that are skipped"},
          {"view", "list of tables", "", "charts that belong to the plan"},
          {"published", "list of tables", "", "published figures to compare with"},
          {"recipe", "table", "", "what the gallery shows of the plan"},
          {"size", "tables", "", "sizes that the plan comes in"},
          {"files", "table", "", "the content of files that `workload.files` names by their digits"}}},
        {"target",
         "[target]",
         "Cases and `--set` reach its keys as `target.KEY`.",
         {{"uri", kText, "", "the database; never with a password"},
          {"path", pathForms(), kDirectPath, kPathHelp},
          {"cost_per_hour", price, "not known", "what its machine costs an hour"},
          {"watts", price + " W", "not known", "what its machine draws"},
          {"currency", "up to 12 bytes", "$", "shown beside the cost; currencies are never converted"}}},
        {"workload",
         "[workload]",
         "Cases and `--set` reach a parameter as `workload.PARAMETER` and the name as `workload.name`.",
         {{"name", kText, "", "one of `dyno workloads`"},
          {"params", "table", "", "parameters by name; `dyno workloads NAME` lists them"},
          {"prepare", "auto, never, always, use", "auto",
           "what happens to tables: load what is missing; load nothing; drop and load; use what is there"},
          {"cleanup", kFlag, "false", "drop the tables after the last run"}}},
        {"group",
         "[[load.group]]",
         "Users with a workload and a pace of their own. Cases and `--set` reach its keys as `load.group.NAME.KEY` and "
         "its parameters as `load.group.NAME.params.PARAMETER`.",
         {{"name", "letters, digits, _ and -", "", "begins the names of its operations and measures"},
          {"users", users, "as in [load]", "users of this group; 0: it takes no part"},
          {"workload", kText, "the plan's", "another workload on the same tables"},
          {"params", "table", "as in [workload]", "parameters that differ from the plan's"},
          {"arrival", "closed, fixed, poisson", "closed, or poisson with a rate", "as in [load]"},
          {"rate", fmt::format("0 to {} a second", kMaxRate), "as many as its users can do", "arrivals of this group"},
          {"think_time", "0 to 3600 s", "0", "pause of a user between two transactions"}}},
        {"phase",
         "[[load.phase]]",
         "A stretch of the measured time with a load of its own; the measured time is the sum of the phases. Cases and "
         "`--set` reach its keys as `load.phase.NAME.KEY` and those of a group as `load.phase.NAME.groups.GROUP.KEY`.",
         {{"name", "letters, digits, _ and -", "", "a part of measures: `tps:NAME`"},
          {"time", fmt::format("0.1 to {} s", kMaxSeconds), "", "how long it lasts"},
          {"ramp", "0 s to its time", "0", "over which users and rate come from the phase before"},
          {"users", "a number, or a share such as 25%", "all", "users that take part; the others rest"},
          {"rate", fmt::format("0 to {} a second", kMaxRate), "as in [load]", "arrivals, in an open loop"},
          {"weights", "table, as { read = 9, write = 1 }", "as the workload has them",
           "how often each section is chosen, such as those of a script with several lines `\\transaction`; one that "
           "is not named is not chosen"},
          {"groups", "table of tables", "", "`users`, `rate` and `weights` of each group by its name"}}},
        {"axis",
         "[[axis]]",
         "Something that varies: each point of the plan has one case of each axis. `--set \"axis.NAME=LABEL;LABEL\"` "
         "keeps some cases, `--set \"axis.NAME[LABEL].FIELD=VALUE\"` gives a case another value.",
         {{"name", kText, "", "as charts and views call it"}, {"cases", "list of tables", "", "its cases, in order"}}},
        {"case",
         "a case of an axis",
         "",
         {{"label", kText, "", "as charts and tables call it"},
          {"set", "table", "", "fields of the plan by their whole names: `\"server.sync_binlog\" = 1`"},
          {"expect", "reads, no reads", "", "what the case claims; runs whose counters disagree are marked"},
          {"optional", kFlag, "false",
           "skipped where its server, or a package it needs, is not installed, or a machine setting may not be "
           "changed"}}},
        {"skip", "[[skip]]", "", {{"cases", "table", "", "all points that have these cases are skipped"}}},
        {"published",
         "[[published]]",
         "Figures that somebody published of this experiment.",
         {{"source", kText, "", "who, and where"},
          {"date", kText, "", "when"},
          {"hardware", kText, "", "machine, server, size of the data"},
          {"measure", kText, "tps", "what the values are of"},
          {"relative_to", kText, "", "label of a case: the values are percent of its figure"},
          {"values", "list of tables", "", "the figures"}}},
        {"value",
         "a published value",
         "",
         {{"cases", "table", "", "the case of each axis; an axis left open: the best over it"},
          {"value", "number", "", "the figure"}}},
        {"recipe",
         "[recipe]",
         "What the gallery and `dyno recipes` show.",
         {{"id", kText, "", "as `dyno run ID` has it"},
          {"summary", kText, "", "one line"},
          {"needs", kText, "", "what has to be installed"},
          {"minutes", "number", "", "about how long it takes, without loading"},
          {"tags", "list of texts", "", "words to find it by"},
          {"departs", "list of texts", "", "how it departs from the post that it repeats, a sentence each"}}},
    };
}

} // namespace

const std::vector<PlanTable>& planTables()
{
    static const std::vector<PlanTable> tables = makeTables();
    return tables;
}

const std::vector<std::string>& planKeys(std::string_view table)
{
    static const std::map<std::string, std::vector<std::string>, std::less<>> names = [] {
        std::map<std::string, std::vector<std::string>, std::less<>> all;
        for (const PlanTable& one : planTables()) {
            for (const PlanKey& key : one.keys)
                all[one.id].push_back(key.name);
        }
        return all;
    }();
    static const std::vector<std::string> none;
    const auto found = names.find(table);
    return found == names.end() ? none : found->second;
}

} // namespace dyno
