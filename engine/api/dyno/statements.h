// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The statements of a run: how the tables are made, how the server would run each kind, and what the server itself
//! counted of its statements in the measured time. Plain values and functions; any thread.
#pragma once

#include "library.h"
#include "table_info.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

struct TableText
{
    std::string name;
    std::string text;     //!< how it is made
    bool planned = false; //!< as the workload makes it: the server does not say how it is there
};

//! A kind of statement, with how the server would run it. It was not run for that.
struct StatementPlan
{
    std::string operation; //!< RunHeader::operations has it; "": no operation is known to send it
    std::string text;
    std::vector<std::string> parameters; //!< that it was explained with
    std::vector<PlanStep> steps;
    std::string noPlan; //!< why there are none
};

//! What the server counted of one kind of statement in the measured time.
struct DigestRow
{
    std::string schema; //!< database that it was run in; "": none
    std::string text;   //!< without literals
    std::uint64_t count = 0, errors = 0;
    double seconds = 0; //!< in the server, of all
    std::optional<std::uint64_t> rowsSent, rowsExamined;
    std::optional<double> p99Ms; //!< only of kinds that the server had not counted before
    [[nodiscard]] double meanMs() const { return count > 0 ? seconds * 1e3 / double(count) : 0; }
};

struct RunStatements
{
    //! Index of the run before which tables and plans were asked for: this one, or an earlier one of the same target
    //! and workload. -1: nobody asked.
    int describedIn = -1;
    std::vector<TableText> tables;
    std::vector<StatementPlan> plans;
    std::size_t moreTables = 0, morePlans = 0; //!< that are not kept
    double describeMs = 0;                     //!< what asking took
    std::vector<DigestRow> digest;             //!< by time
    std::size_t moreDigest = 0;                //!< kinds that are not kept
    double moreSeconds = 0;                    //!< of those
    std::string noDigest;                      //!< why the server tells none; "": it does
    std::string digestNote;                    //!< why its figures are not all of the measured time; "": they are
    double digestMs = 0;                       //!< what its two readings took
};

//! Of a run of the session, by its RunHeader::index; tables and plans are those of `describedIn`. Nothing: the run
//! keeps none, as those of older versions.
[[nodiscard]] Expected<std::optional<RunStatements>> runStatements(Library& library, std::string_view session, int run);

//! A kind of operation as the load generator measured it.
struct KindShare
{
    std::string name;
    OpClass opClass = OpClass::Read;
    std::uint64_t count = 0, errors = 0;
    double share = 0; //!< of the time of all operations, 0…1
    double meanMs = 0, p99Ms = 0;
    std::optional<std::uint64_t> rows; //!< see OperationSummary::rows
};
//! Those that were called, the largest share first. Groups of users are none.
[[nodiscard]] std::vector<KindShare> kindShares(const RunSummary& run);

} // namespace dyno
