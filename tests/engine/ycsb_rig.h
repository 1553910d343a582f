// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! YCSB with a user whose session records.
#pragma once

#include "support/recording_rig.h"
#include "workload/ycsb/key.h"

#include <map>
#include <string>
#include <vector>

namespace dyno::test::ycsb_rig {

inline const WorkloadInfo& info()
{
    return workloadFor("ycsb")->info();
}

inline DriverInfo driverOf(DataModel model)
{
    DriverInfo driver = driverFor("null")->info();
    driver.models = {model};
    return driver;
}

inline Expected<std::shared_ptr<const WorkloadInstance>> tryBind(const Settings& params, const DriverInfo& driver,
                                                                 const Settings& tableKnobs = {})
{
    Faults faults;
    const Settings complete = resolve(info().options, params, "workload", faults);
    if (!faults.empty())
        return fail({ErrorKind::BadInput, faults.front().what, faults.front().where, {}});
    return workloadFor("ycsb")->bind(complete, driver, tableKnobs);
}

//! YCSB in one model with a user whose session records.
struct Rig : RecordingRig
{
    explicit Rig(const Settings& params = {}, DataModel model = DataModel::Sql, UserPlace place = {})
        : RecordingRig("ycsb", tryBind(params, driverOf(model)).value(), place)
    {
    }
    std::map<std::string, std::uint64_t> counts()
    {
        std::map<std::string, std::uint64_t> result;
        const IntervalSample sample = IntervalSampler(user.recorder).take();
        for (std::size_t i = 0; i < sample.ops.size(); ++i)
            result[info->operations[i].name] = sample.ops[i].count;
        return result;
    }
};

inline std::string keyOf(std::int64_t number, bool ordered = false, int padding = 1)
{
    ycsb::KeyText text;
    return std::string(ycsb::writeKey(text, number, ordered ? ycsb::KeyForm::Ordered : ycsb::KeyForm::Hashed, padding));
}

//! Rows of a load as lines "key|field|…", in the order in which they were sent.
inline std::vector<std::string> loadedRows(const Settings& params, DataModel model, std::int64_t first,
                                           std::int64_t last, std::uint64_t seed = 5)
{
    Rig rig(params, model, {UserId(0), 1, seed});
    if (complete(rig.instance->load(rig.user.context, {1, first, last}), rig.user.context) != Outcome::Ok)
        return {};
    const std::size_t columns = model == DataModel::KeyValue ? 2 : rig.instance->tables().front().columns.size();
    std::vector<std::string> rows;
    for (const Recorded& request : rig.session.requests) {
        for (std::size_t i = 0; i < request.texts.size(); ++i) {
            if (i % columns == 0)
                rows.emplace_back();
            rows.back() += request.texts[i] + '|';
        }
    }
    return rows;
}

} // namespace dyno::test::ycsb_rig
