// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Table knobs as workloads append them to what makes a table.
#pragma once

#include <dyno/catalog.h>

#include <string>
#include <string_view>

namespace dyno {

//! SQL: what follows the closing bracket of CREATE TABLE, beginning with a space; `partitionBy` is what the knob
//! "partitions" divides by, e.g. "KEY (id)". Documents: further members of the command "create", beginning with a
//! comma: block_compressor as WiredTiger's, and create_options as it is. Key-value: nothing. Errors: a knob that has no
//! place there.
[[nodiscard]] Expected<std::string> tableSuffix(const SqlDialect& sql, DataModel model, const Settings& tableKnobs,
                                                std::string_view partitionBy);

} // namespace dyno
