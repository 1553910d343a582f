// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Loads a workload's data in parallel, also within one table.
#pragma once

#include "load/run_state.h"
#include "workload/workload.h"

#include <functional>

namespace dyno {

struct LoadProgress
{
    std::uint64_t rows = 0, totalRows = 0;
    std::string table;        //!< the one being loaded
    double secondsLeft = -1;  //!< −1 = not known yet
    bool finishing = false;   //!< building indexes after the last row
};

//! Called on the calling thread about ten times a second; false cancels.
using LoadProgressCallback = std::function<bool(const LoadProgress&)>;

struct LoaderJob
{
    Driver& driver;
    ConnectTargetPtr target; //!< its statements are the workload's
    const WorkloadInstance& workload;
    std::vector<TableSpec> tables; //!< that exist and are empty
    int sessions = 1;
    std::uint64_t seed = 1;
};

//! Slices of all tables are handed out in order to `sessions` loader sessions; what a table needs after its rows (an
//! index) is done by the session that finished its last slice. Blocks. Errors: the first one, with its text.
[[nodiscard]] Expected<void> loadTables(const LoaderJob& job, const LoadProgressCallback& progress);

} // namespace dyno
