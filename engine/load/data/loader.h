// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Loads a workload's data in parallel, also within one table.
#pragma once

#include "load/executor/run_state.h"
#include "workload/workload.h"

#include <dyno/runner.h>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

struct LoadProgress
{
    std::uint64_t rows = 0, totalRows = 0;
    std::string table; //!< the one being loaded
    std::string part;  //!< of which that table is loaded one by one, in the singular: "warehouse"; "" if not in parts
    std::int64_t parts = 0, partsDone = 0; //!< of that table
    double secondsLeft = -1;               //!< −1 = not known: before the first rows, and while indexes are built
    bool finishing = false;                //!< building indexes after the last row
    int tries = 0; //!< of what the server ended for a lock, the one under way: 2 … kMostLoadTries; 0 = nothing waits
    std::string waitsFor; //!< then the server's words and code
    std::string note;     //!< what a person should know of how it is done, "" if nothing: LoadResult::note
};

//! "loading stock: 200000 of 1000000 rows, 1 of 10 warehouses", with what it waits for and the note if there are any.
[[nodiscard]] std::string toText(const LoadProgress& progress);

//! Rows, share, words and tries; time left is the caller's.
void putInto(ProgressReport& report, const LoadProgress& progress);

//! Called on the calling thread about ten times a second; false cancels.
using LoadProgressCallback = std::function<bool(const LoadProgress&)>;

constexpr int kMostLoadTries = 20; //!< of a statement or transaction

struct LoaderJob
{
    Driver& driver;
    ConnectTargetPtr target; //!< its statements are the workload's loaderStatements(); `loader` is set
    const WorkloadInstance& workload;
    std::vector<TableSpec> tables; //!< that exist and are empty
    int sessions = 1;
    std::uint64_t seed = 1;
    std::filesystem::path folder = {}; //!< where a server on this machine keeps its files; "" = not known
};

//! How a load went, also one that failed.
struct LoadResult
{
    bool bulk = false;          //!< the driver's bulk path was taken
    std::string note;           //!< why it was not, although it could have been: said once
    std::vector<bool> complete; //!< for each table: it has all its rows and what comes after them
    bool abandoned = false;     //!< cancelled, or given up, while the server was busy for us; it may be so still
    bool noRoom = false;        //!< it stood still for want of disk: the server may wait with whatever else is written
    std::map<std::int32_t, std::uint64_t>
        retries; //!< statements and transactions that were sent again, by the error that ended them
    std::optional<double> indexSeconds; //!< from the first to the last that came after the rows; none: none did
};

//! Rows of all tables are handed out in order to `sessions` loader sessions, also within one table; where it has parts
//! (TableSpec::rowsPerPart), each session works on a part of its own. What a table needs after its rows (an index) is
//! done by the session that finished its last slice, and TableSpec::afterAll by the one that finished the last table.
//! Rows go in bulk where the workload and the driver can and the connection knob `bulk_load` is not "off"; a server
//! that refuses gets statements. What the server ended so that others could go on (a deadlock, a lock that did not
//! come) is sent again, a transaction as a whole, up to kMostLoadTries times. Blocks. Errors: the first one, with the
//! table and the server's words; that the load stands still because there is no room in LoaderJob::folder; or that
//! progress() cancelled.
[[nodiscard]] Expected<void> loadTables(const LoaderJob& job, const LoadProgressCallback& progress, LoadResult& result);

} // namespace dyno
