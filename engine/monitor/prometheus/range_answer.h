// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Reads what a Prometheus server answers to /api/v1/query_range. Pure functions; any thread.
#pragma once

#include <dyno/error.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dyno {

//! One series of an answer.
struct RangeSeries
{
    struct Point
    {
        std::int64_t ms = 0; //!< since 1970, UTC
        double value = 0;    //!< not a number: stale, or there was none
    };
    std::string metric; //!< its name, which functions take away: "" then
    std::vector<std::pair<std::string, std::string>> labels;
    std::vector<Point> points; //!< in the order of time

    [[nodiscard]] std::string labelText() const; //!< `{cpu="0",mode="idle"}`; "" without labels
};

//! An answer that says "error" becomes one, with the server's own words. What is no such answer, or only half of one,
//! is refused whole.
[[nodiscard]] Expected<std::vector<RangeSeries>> readRangeAnswer(std::string_view json);
[[nodiscard]] bool isRangeError(std::string_view json); //!< an answer that says "error"

//! Prometheus' base units, which names of metrics end with: "bytes" of "node_disk_read_bytes_total"; "" for none.
[[nodiscard]] std::string unitOfMetric(std::string_view name);
//! The only metric that a query names; "" where there are several, or none.
[[nodiscard]] std::string metricOfQuery(std::string_view query);

} // namespace dyno
