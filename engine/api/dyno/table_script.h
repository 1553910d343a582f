// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The tables of a plan's first target, and a script made for one of them.
#pragma once

#include "error.h"
#include "table_info.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dyno {

struct Plan;
struct RunnerOptions;

struct TablesRead
{
    std::string target; //!< without a password
    std::vector<TableInfo> tables;
    std::size_t more = 0; //!< tables that are not in the list, because it would be too long
};

//! Reads them on a connection of its own, which it closes. Under the same agreements as tryScript(), also while the
//! script has mistakes: nothing of it is sent. Blocking; any thread but the window's.
[[nodiscard]] Expected<TablesRead> readTables(const Plan& plan, const RunnerOptions& options);

//! The smallest and the largest value of a key.
struct KeyRange
{
    std::int64_t first = 1, last = 1;
};
//! Transactions that read, change, insert and delete rows by the table's key, with weights. An error says what such a
//! table lacks. Any thread.
[[nodiscard]] Expected<std::string> scriptForTable(const TableInfo& table, const KeyRange& keys);
//! The same with the range of its key read from the plan's first target. As readTables().
[[nodiscard]] Expected<std::string> readTableScript(const Plan& plan, const RunnerOptions& options,
                                                    const TableInfo& table);

} // namespace dyno
