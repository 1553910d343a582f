// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Short names for statements in tables and charts.
#pragma once

#include <string>
#include <string_view>

namespace dyno {

//! "update_pgbench_accounts": the verb, and the table where it is easy to see.
[[nodiscard]] std::string statementName(std::string_view text);

} // namespace dyno
