// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How large the data sets are that tests compare and count on.
#pragma once

#include "workload/workload.h"

#include <QString>
#include <QStringList>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dyno::test {

//! Parameters of a data set that is large enough to take every way of its load, and small enough to compare.
inline Settings smallData(const std::string& workload)
{
    static const std::map<std::string, Settings> known{
        {"ycsb", {{"recordcount", std::int64_t(300)}}},
        {"iibench", {{"initial_rows", std::int64_t(1500)}}},
        {"linkbench", {{"nodes", std::int64_t(500)}}},
        {"randomtransaction", {{"keys", std::int64_t(800)}}},
        {"tpcb", {{"accounts_per_branch", std::int64_t(2000)}}},
        {"recorded", {{"file", std::string("some.log")}}},
        {"script", {{"accounts_per_branch", std::int64_t(2000)}}},
        {"tpcc", {{"customers", std::int64_t(30)}, {"items", std::int64_t(100)}}},
        {"brokerage", {{"customers", std::int64_t(100)}}},
        {"fulltext", {{"documents", std::int64_t(200)}}},
        {"sensordata_file", {{"rows", std::int64_t(600)}}},
        {"large_values", {{"rows", std::int64_t(60)}}},
        {"column_types", {{"rows", std::int64_t(1200)}, {"periods", std::int64_t(50)}}},
        {"sensordata", {{"initial_rows", std::int64_t(1200)}, {"sensors", std::int64_t(50)}}}};
    if (const auto found = known.find(workload); found != known.end())
        return found->second;
    Settings settings;
    for (const OptionSpec& option : findWorkload(workload)->options) {
        if (option.name == "table_size")
            settings.emplace(option.name,
                             std::int64_t(workload == "oltp_read_write" ? 3000 : 500)); // several slices once
        if (option.name == "tables" && option.maximum.value_or(2) >= 2)
            settings.emplace(option.name, std::int64_t(2));
    }
    return settings;
}

//! Parameters as "name=value name=value".
inline Settings settingsOf(const QString& text)
{
    Settings settings;
    for (const QString& param : text.split(' ', Qt::SkipEmptyParts))
        settings[param.section('=', 0, 0).toStdString()] = parseValue(param.section('=', 1).toStdString());
    return settings;
}

//! Workloads with parameters that make other rows than the defaults do, or put them into other tables.
inline const std::vector<std::pair<const char*, const char*>>& otherData()
{
    static const std::vector<std::pair<const char*, const char*>> all{
        {"oltp_read_write", "profile=sysbench-1.0.20"},
        {"oltp_read_write", "rand_type=pareto secondary=true"},
        {"ycsb", "fieldlengthdistribution=zipfian minfieldlength=3"},
        {"ycsb", "profile=ycsb-0.17 insertorder=ordered zeropadding=12"},
        {"ycsb", "dataintegrity=true"},
        {"iibench", "form=mongodb"},
        {"iibench", "form=purchases"},
        {"sensordata", "key=time"},
        {"sensordata", "values=pareto"},
        {"fulltext", "shape=seo"},
        {"tpcc", "profile=sysbench-tpcc"},
        {"tpcc", "profile=tpcc-mysql"},
        {"linkbench", "profile=linkbench"},
        {"large_values", "size_distribution=constant size=5000"},
        {"large_values", "values=3 size_distribution=constant size=3000"},
        {"brokerage", "model=full"},
        {"column_types", "values=poorly months=7"},
        {"large_values", "size_distribution=uniform size_min=100 size_max=20000 random_share=100"}};
    return all;
}

} // namespace dyno::test
