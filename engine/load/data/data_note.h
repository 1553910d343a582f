// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What Dynobench writes down beside a table that it has loaded (Admin::dataNotes()), so that the next run notices when
//! it was made with other parameters. Tables without a note were made by somebody else: they are counted and described
//! only.
#pragma once

#include "workload/workload.h"

#include <dyno/plan.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! Which data a point wants: the workload's parameters that shape its rows.
struct DataOrigin
{
    std::string data; //!< WorkloadInfo::dataName; empty: nothing is noted and nothing compared
    int version = 1;
    std::uint64_t seed = 1;
    std::map<std::string, std::string> params;
};
//! Takes dataParams().
[[nodiscard]] DataOrigin originOf(const PointSpec& point);

//! The note of one table.
struct DataNote
{
    DataOrigin origin;
    std::int64_t rows = 0; //!< that the load made
    std::vector<std::string> columns;
};
[[nodiscard]] std::string toText(const DataNote& note);
//! Nothing when it cannot be read: it was damaged, or a later version of Dynobench wrote it.
[[nodiscard]] std::optional<DataNote> readDataNote(std::string_view text);

//! "table_size 1000 instead of 2000", one for each that differs; the seed is not among them.
[[nodiscard]] std::vector<std::string> differences(const DataOrigin& found, const DataOrigin& wanted);
//! The refusal of a table that was loaded with other parameters.
[[nodiscard]] Error otherParameters(const std::string& table, const std::vector<std::string>& differences);

} // namespace dyno
