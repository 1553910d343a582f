// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Whether tables that were there before were made as a point wants them.
#pragma once

#include "workload/workload.h"

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! Which of `knobs` (scope "table") a CREATE TABLE as the server shows it does not have, as "row_format=COMPRESSED".
//! What cannot be seen in it (create_options) is passed over. `wanted`: what the workload would make the table with;
//! its partitions count, for not every table of a workload has any.
[[nodiscard]] std::vector<std::string> missingTableOptions(std::string_view createTable, const Settings& knobs,
                                                           std::string_view wanted);

//! Looks at the tables of a server that shows how they were made; the error names the first one that was made
//! otherwise, and what to do.
[[nodiscard]] Expected<void> checkTableOptions(Admin& admin, const SqlDialect& sql,
                                               const std::vector<TableSpec>& tables, const Settings& knobs);

} // namespace dyno
