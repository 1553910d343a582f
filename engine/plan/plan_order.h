// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! In which order the points run, and which runs begin with a restart of the server or with loading.
#pragma once

#include <dyno/catalog.h>
#include <dyno/plan.h>

#include <cstdint>
#include <map>
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
//! Rough size of the point's data in bytes, loaded and added by a run that ends after a number of rows or transactions.
[[nodiscard]] std::uint64_t estimatedBytes(const class WorkloadInstance& workload, const LoadProfile& load);
//! The tables that a point's load makes, their indexes, and the parameters that shape their rows: equal keys of points
//! with the same seed mean equal data.
[[nodiscard]] std::string dataKey(const PointSpec& point, const class WorkloadInstance& workload);
//! The parameters that affect data (OptionSpec::affectsData) with their values, but for those that count tables (their
//! unit): they say nothing about what is in one.
[[nodiscard]] std::map<std::string, std::string> dataParams(const struct WorkloadInfo& info, const Settings& params);
//! Points that would bind the same: the key of what bind() sees.
[[nodiscard]] std::string bindKey(const PointSpec& point);

} // namespace dyno
