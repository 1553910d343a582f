// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Sees to it that the data a point needs is there: checks the shape of tables that exist, creates and loads the
//! others.
#pragma once

#include "load/data/data_note.h"
#include "load/data/loader.h"

#include <dyno/data_check.h>
#include <dyno/plan.h>

#include <string>

namespace dyno {

struct DatasetJob
{
    Driver& driver;
    Admin& admin;
    const ConnectTarget& target;
    const WorkloadInstance& workload;
    PreparePolicy policy = PreparePolicy::Auto;
    int users = 1;     //!< of the run that will use the data
    bool ours = false; //!< the target belongs to Dynobench (embedded, managed): wrong data is replaced
    int loaders = 0;   //!< 0 = number of cores
    std::uint64_t seed = 1;
    DataOrigin origin = {};       //!< originOf() the point
    bool replaceOthers = false;   //!< a person agreed that tables without a note of ours are dropped
    LoadResult* result = nullptr; //!< set when something was loaded, or was to be
};

//! Afterwards every table of the workload exists with the workload's columns. A load that fails or is cancelled leaves
//! no half table: they are dropped, or, where that cannot be, known as unfinished (Admin::unfinishedLoads()) and
//! replaced by the next load. Errors: a table that exists with another shape (named, with both column lists), or that
//! Dynobench loaded with other parameters (unless it is ours: then it is loaded anew), a table that is missing under
//! PreparePolicy::Never, a load that failed. `warnings` gets what is odd but usable, such as another number of rows,
//! and how the load was done if not as wanted. True when anything was loaded.
[[nodiscard]] Expected<bool> ensureDataset(const DatasetJob& job, const LoadProgressCallback& progress,
                                           std::vector<std::string>& warnings);
//! Number of rows for which a condition is not true. An answer that is no number is an error.
[[nodiscard]] Expected<std::int64_t> violationsOf(Admin& admin, const DataCheck& check);
//! Asks the workload's conditions of the tables, one query each; `goOn` (may be empty) is asked before each. A query
//! that fails is a result. Errors: a table that is missing, has another shape or is incomplete.
[[nodiscard]] Expected<std::vector<ConditionResult>> checkDataset(Admin& admin, const WorkloadInstance& workload,
                                                                  int users, const std::function<bool()>& goOn);
//! The same with these conditions alone.
[[nodiscard]] Expected<std::vector<ConditionResult>> checkDataset(Admin& admin, const WorkloadInstance& workload,
                                                                  int users, const std::vector<DataCheck>& checks,
                                                                  const std::function<bool()>& goOn);
//! What is wrong with a table that is there: its parameters, its columns, or that its load was interrupted; nothing
//! when it will do, or will be loaded anew. `note` (may be nullptr): of that table.
[[nodiscard]] std::optional<Error> unfitTable(const TableSpec& table, const std::vector<std::string>& columns,
                                              const DataNote* note, const DataOrigin& wanted, PreparePolicy policy);
//! Other rows than those of the load, where a run would insert their keys again (TableSpec::keysRepeat): an earlier run
//! has added some, or has also taken some away.
[[nodiscard]] std::optional<Error> keysInTheWay(const TableSpec& table, std::int64_t rows);
//! The refusal of a table without a note of ours; `key`: what the agreement would be to (trust.h).
[[nodiscard]] Error madeByOthers(const std::string& table, std::string_view key);
//! Drops the workload's tables that are there, if they have its columns or those that Dynobench loaded them with; such
//! without a note of ours only with `dropOthers`.
[[nodiscard]] Expected<void> dropDataset(Admin& admin, const WorkloadInstance& workload, int users, bool dropOthers);

} // namespace dyno
