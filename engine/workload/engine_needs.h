// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a workload asks of the storage engine that its tables are made with. MySQL family; elsewhere there is nothing
//! to ask.
#pragma once

#include "workload/workload.h"

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! The name under which SHOW ENGINES and SHOW CREATE TABLE have an engine that CREATE TABLE takes by another one too;
//! else as it is given.
[[nodiscard]] std::string_view engineNameOf(std::string_view name);
//! As the tables name them, each once. Where a plan names none they name InnoDB.
[[nodiscard]] std::vector<std::string> enginesOf(const std::vector<TableSpec>& tables);
//! Servers take foreign keys of any engine, and most engines forget them.
[[nodiscard]] bool keepsForeignKeys(std::string_view engine);

//! That each of these tables' engines has transactions. `why` follows "the storage engine X has no transactions",
//! `remedy` what to name instead.
[[nodiscard]] std::vector<FeatureProbe> transactionProbes(const std::vector<TableSpec>& tables, const SqlDialect& sql,
                                                          std::string_view why, std::string_view remedy = {});
//! For workloads whose data would be wrong without them.
[[nodiscard]] std::vector<FeatureProbe> transactionProbes(const std::vector<TableSpec>& tables, const SqlDialect& sql);

} // namespace dyno
