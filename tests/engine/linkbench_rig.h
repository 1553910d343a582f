// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! LinkBench over a session that records, and what its rows and draws are compared with.
#pragma once

#include "support/recording_rig.h"
#include "workload/linkbench/linkbench.h"

#include <cmath>
#include <string>
#include <vector>

namespace dyno::linkbench {

using namespace dyno::test;

inline const WorkloadInfo& info()
{
    return workloadFor("linkbench")->info();
}

inline Expected<std::shared_ptr<const WorkloadInstance>>
tryBind(const Settings& params, DataModel model = DataModel::Document, const Settings& knobs = {})
{
    return tryBindModel("linkbench", params, model, knobs);
}

struct Rig : RecordingRig
{
    explicit Rig(const Settings& params = {}, UserPlace place = {}, DataModel model = DataModel::Document)
        : RecordingRig("linkbench", tryBind(params, model).value(), place)
    {
    }
};

//! Only one kind of request.
inline Settings only(const std::string& operation, const Settings& more = {})
{
    Settings params = more;
    for (std::size_t i = 0; i < kOps; ++i)
        params[info().operations[i].name + "_percent"] = info().operations[i].name == operation ? 100.0 : 0.0;
    return params;
}

inline std::string keyOf(int type, std::int64_t id1, std::int64_t id2)
{
    return std::to_string(kFirstLinkType + type) + ':' + std::to_string(id1) + ':' + std::to_string(id2);
}

//! Each row that the recorded requests insert, as text.
inline void addRows(const Rig& rig, std::size_t columns, std::vector<std::string>& rows)
{
    for (const Recorded& request : rig.session.requests) {
        for (std::size_t i = 0; i < request.params.size(); ++i) {
            if (i % columns == 0)
                rows.emplace_back();
            rows.back() += std::to_string(request.number(i)) + '|' + request.texts[i] + '|';
        }
    }
}

//! Of counts against what is expected of each.
template<class Numbers>
double chiSquare(const Numbers& found, const Numbers& expected)
{
    double sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        sum += (found[i] - expected[i]) * (found[i] - expected[i]) / expected[i];
    return sum;
}

} // namespace dyno::linkbench
