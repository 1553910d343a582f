// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Rows a second over a number of rows instead of a stretch of time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dyno::report {

//! Of a series of measured intervals.
struct RowCourse
{
    std::vector<std::uint64_t> rows; //!< changed in each
    std::vector<double> seconds;     //!< that each lasted, above 0
};
//! At the end of each interval: rows a second over the `last` rows up to there; not a number while there are fewer. The
//! interval in which the stretch begins counts in part, as if its rows came evenly.
[[nodiscard]] std::vector<double> ratesOfLastRows(const RowCourse& course, double last);

//! Of "rows:2000000" the number; none of any other measure.
[[nodiscard]] std::optional<std::uint64_t> lastRowsOf(std::string_view measure);

} // namespace dyno::report
