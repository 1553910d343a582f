// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Data on a server of the user's that Dynobench did not make: whoever's plan it is, a run may change something beside
//! them, or in them, only after an agreement.
#pragma once

#include "driver/driver.h"

#include <dyno/catalog.h>
#include <dyno/plan.h>
#include <dyno/trust.h>

#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! True when some operation of the workload changes data, or its load settles, which locks the tables while their pages
//! are written.
[[nodiscard]] bool writesData(const WorkloadInfo& workload, const LoadProfile& load);
//! The same of the workloads of a point's groups.
[[nodiscard]] bool groupsWrite(const PointSpec& point);

//! What a run does with a database.
struct DataUse
{
    std::vector<std::string> tables = {}; //!< of its workload
    bool makes = false;                   //!< those that are missing, or all
    bool drops = false;                   //!< those that are there, to make them anew
    bool writes = false;                  //!< into them, or locks them
};

//! Names of tables and views that carry no note of Dynobench's.
[[nodiscard]] Expected<std::vector<std::string>> tablesOfOthers(Admin& admin);
//! The first of them: "customers, orders, parts and 2 more".
[[nodiscard]] std::string shortList(std::vector<std::string> names);

//! The risk of that use where the database holds tables that Dynobench did not make: any, when it never made one there,
//! else those of the workload. Nothing for a use that only reads. Reads the database's names and notes.
[[nodiscard]] Expected<std::optional<Risk>> othersDataRisk(Admin& admin, const TargetUri& target, const DataUse& use);

} // namespace dyno
