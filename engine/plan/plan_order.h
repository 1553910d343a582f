// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! In which order the points run, and which runs begin with a restart of the server or with loading.
#pragma once

#include <dyno/catalog.h>
#include <dyno/plan.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dyno {

//! The runs of `points`, in the plan's order, with RunSlot::restart and RunSlot::loads as far as they are known before
//! any server was asked.
[[nodiscard]] std::vector<RunSlot> runsOf(const std::vector<PointSpec>& points, const LoadProfile& load);

//! Binds a point's workload as it will run.
[[nodiscard]] Expected<std::shared_ptr<const class WorkloadInstance>> bindPoint(const PointSpec& point);
//! The sum, or the largest number where it would not fit.
[[nodiscard]] constexpr std::uint64_t addedSizes(std::uint64_t one, std::uint64_t other)
{
    return one <= UINT64_MAX - other ? one + other : UINT64_MAX;
}
//! A group of users with its workload; a point without groups has none of them.
struct BoundGroup
{
    std::string name;
    int users = 0;
    bool changesRows = true;
    std::shared_ptr<const class WorkloadInstance> workload; //!< shared by groups that bind the same
};
//! Those that take part. `base`: of the point, and of groups that do the same.
[[nodiscard]] Expected<std::vector<BoundGroup>> bindGroups(const PointSpec& point,
                                                           std::shared_ptr<const class WorkloadInstance> base);
//! The conditions of the point's data: the workload's, of which each group that takes part states the same. Another one
//! that changes rows may leave what the others do not. Those that a workload asks after each run are all kept, of every
//! group.
[[nodiscard]] Expected<std::vector<struct DataCheck>> checksOf(const PointSpec& point,
                                                               std::shared_ptr<const class WorkloadInstance> base);
//! Rough size of the point's data in bytes, loaded and added by a run that ends after a number of rows or transactions.
[[nodiscard]] std::uint64_t estimatedBytes(const class WorkloadInstance& workload, const LoadProfile& load);
//! The tables that a point's load makes, their indexes, and the parameters that shape their rows: equal keys of points
//! with the same seed mean equal data.
[[nodiscard]] std::string dataKey(const PointSpec& point, const class WorkloadInstance& workload);
//! True when all tables of `user` are among those that `owner` loads, with the same rows in them.
[[nodiscard]] bool usesDataOf(const PointSpec& user, const class WorkloadInstance& workload, const PointSpec& owner,
                              const class WorkloadInstance& loaded);
//! True: a run of the point changes `tables`, its own, so much that the next one must start from newly loaded ones
//! (TableSpec::freshEachRun), or nobody knows how much: a group changes rows by statements of somebody's own.
[[nodiscard]] bool usesTablesUp(const PointSpec& point, const std::vector<struct TableSpec>& tables);
//! The parameters that affect data (OptionSpec::affectsData) with their values, but for those that count tables (their
//! unit): they say nothing about what is in one; and Workload::moreOfData().
[[nodiscard]] std::map<std::string, std::string> dataParams(const class Workload& workload, const Settings& params);
//! Points that would bind the same: the key of what bind() sees.
[[nodiscard]] std::string bindKey(const PointSpec& point);

} // namespace dyno
