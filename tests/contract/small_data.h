// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How large the data sets are that tests compare and count on.
#pragma once

#include "workload/workload.h"

#include <algorithm>
#include <map>
#include <string>

namespace dyno::test {

//! Parameters of a data set that is large enough to take every way of its load, and small enough to compare.
inline Settings smallData(const std::string& workload)
{
    static const std::map<std::string, Settings> known {
        {"ycsb", {{"recordcount", std::int64_t(300)}}},
        {"iibench", {{"initial_rows", std::int64_t(1500)}}},
        {"linkbench", {{"nodes", std::int64_t(500)}}},
        {"tpcb", {{"accounts_per_branch", std::int64_t(2000)}}},
        {"tpcc", {{"customers", std::int64_t(30)}, {"items", std::int64_t(100)}}},
        {"brokerage", {{"customers", std::int64_t(100)}}},
        {"fulltext", {{"documents", std::int64_t(200)}}},
        {"large_values", {{"rows", std::int64_t(60)}}},
        {"sensordata", {{"initial_rows", std::int64_t(1200)}, {"sensors", std::int64_t(50)}}}};
    if (const auto found = known.find(workload); found != known.end())
        return found->second;
    Settings settings;
    for (const OptionSpec& option : findWorkload(workload)->options) {
        if (option.name == "table_size")
            settings.emplace(option.name, std::int64_t(workload == "oltp_read_write" ? 3000 : 500)); // several slices once
        if (option.name == "tables" && option.maximum.value_or(2) >= 2)
            settings.emplace(option.name, std::int64_t(2));
    }
    return settings;
}

} // namespace dyno::test
