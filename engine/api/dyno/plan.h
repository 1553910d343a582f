// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The plan: what a person wants measured, and its TOML form (a contract: extend it, do not bend it).
#pragma once

#include "value.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dyno {

//! One labelled value of an axis: sets fields of the plan by scope-qualified name, e.g. "server.sync_binlog" = 1,
//! "connection.synchronous" = "OFF", "workload.table_size" = 1000, "load.users" = 4, "target.uri" = "sqlite:a.db".
struct Case
{
    std::string label;
    Settings set;
    int line = 0; //!< in the plan file, 0 if none
};

struct Axis
{
    std::string name;
    std::vector<Case> cases;
    int line = 0;
};

enum class RunOrder { AsListed, Interleaved, Shuffled };
enum class ExecutorKind { Auto, Threads, Loops };
//! Auto: create and load what is missing, verify what is there. Never: verify only. Always: drop and load.
enum class PreparePolicy { Auto, Never, Always };

struct LoadProfile
{
    std::vector<int> users = {1}; //!< closed loop: concurrent users; more than one value is an axis called "users"
    double timeSeconds = 10;      //!< measured time, 0 = no limit (then `events` must be set)
    std::uint64_t events = 0;     //!< stop after this many transactions in all, 0 = no limit
    double warmupSeconds = 0;     //!< before the measured time; recorded, left out of summaries
    double intervalSeconds = 1;   //!< 0.1…10
    int repeats = 1;
    RunOrder order = RunOrder::AsListed;
    std::uint64_t seed = 1; //!< same seed, same rows and same streams of requests
    ExecutorKind executor = ExecutorKind::Auto;
    int loaders = 0;        //!< sessions that load data in parallel, 0 = number of cores
};

struct WorkloadSpec
{
    std::string name;
    Settings params;
    PreparePolicy prepare = PreparePolicy::Auto;
    bool cleanup = false; //!< drop the tables after the last run
    int line = 0;
};

struct TargetSpec
{
    std::string uri; //!< see uri.h; never holds a password
    int line = 0;
};

//! A chart that belongs to the plan: see report.h for measures.
struct View
{
    std::string chart = "lines"; //!< "lines" | "bars" | "time"
    std::string measure = "tps";
    std::string x = "users";
    std::string series;
    std::string facet;
    std::string baseline; //!< label of the series that ratios refer to; "" = the first
};

//! One of the sizes a recipe comes in: fields of the plan as `--set path=value` takes them ([size.quick] in TOML).
struct PlanSize
{
    std::string name; //!< "quick", "laptop", "published"
    std::vector<std::pair<std::string, std::string>> fields;
};

struct Plan
{
    std::string title;
    std::string description;
    TargetSpec target;
    WorkloadSpec workload;
    Settings set; //!< base settings by scope-qualified name, the same for all points ([set] in TOML)
    LoadProfile load;
    std::vector<Axis> axes;
    std::vector<View> views;
    std::vector<PlanSize> sizes; //!< what applySize() chooses from; empty for a plan of one size
    std::string source; //!< recipe id or file it came from; not written to TOML
};

//! One (axis, case label) of a point.
struct CaseRef
{
    std::string axis;
    std::string label;
    bool operator==(const CaseRef&) const = default;
};

//! One combination of cases with everything resolved. Knobs are split by scope, names without the scope.
struct PointSpec
{
    std::vector<CaseRef> cases; //!< in axis order; "users" last if it is an axis
    TargetSpec target;
    WorkloadSpec workload;
    Settings server, connection, table, client, host;
    LoadProfile load; //!< users has exactly one value
    [[nodiscard]] int users() const { return load.users.empty() ? 1 : load.users.front(); }
    //! "flush=0, 16 users": case labels joined.
    [[nodiscard]] std::string label() const;
};

struct RunSlot
{
    int point = 0;  //!< index into points
    int repeat = 1; //!< 1-based
};

struct Expansion
{
    std::vector<PointSpec> points;
    std::vector<RunSlot> runs;   //!< in the order of execution
    double estimatedSeconds = 0; //!< runs with warm-up and connecting; loading is not known beforehand
    std::uint64_t estimatedBytes = 0; //!< data on disk, from the workload's own estimate; 0 = unknown
};

struct ParsedPlan
{
    std::optional<Plan> plan; //!< set when `faults` is empty
    Faults faults;            //!< all of them, with lines
};

//! Reads a plan. `name` is only used in fault messages. Checks syntax, types, unknown keys, and everything that
//! checkPlan() does.
[[nodiscard]] ParsedPlan parsePlan(std::string_view toml, std::string_view name);
[[nodiscard]] ParsedPlan readPlan(const std::filesystem::path& file);
//! The TOML form; parsePlan(writePlan(p)) gives p again.
[[nodiscard]] std::string writePlan(const Plan& plan);
//! Faults that need no server: unknown workload or parameter, knob of a wrong scope or type, empty axis, duplicate
//! labels, ranges.
[[nodiscard]] Faults checkPlan(const Plan& plan);
//! Full expansion: every combination of cases, in the plan's order, with repeats. The plan must have no faults.
[[nodiscard]] Expansion expand(const Plan& plan);
//! Sets one field as `--set path=value` does: "load.users=1,4", "workload.tables=2", "target.uri=…", "axis.NAME=a;b"
//! keeps only those cases, other paths go to Plan::set.
[[nodiscard]] Expected<void> setField(Plan& plan, std::string_view path, std::string_view value);
//! Applies one of Plan::sizes with setField() and drops the others; the error names the sizes there are. Nothing is
//! changed when there is an error.
[[nodiscard]] Expected<void> applySize(Plan& plan, std::string_view size);
//! "as-listed", "interleaved", "shuffled"; "auto", "threads", "loops"; "auto", "never", "always": the words of TOML.
[[nodiscard]] const char* toText(RunOrder order);
[[nodiscard]] const char* toText(ExecutorKind executor);
[[nodiscard]] const char* toText(PreparePolicy policy);

} // namespace dyno
