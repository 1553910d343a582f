// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Sizes of data that follow the memory of the server: see DataMultiple in plan.h.
#pragma once

#include <dyno/plan.h>

namespace dyno {

//! A parameter that is a multiple of the point's cache, and the number in its place.
struct ResolvedMultiple
{
    std::string parameter;
    std::int64_t value = 0; //!< the workload estimates that many times the cache for its data
    //! Alike for points with the same parameters as written and an equally large cache. These get the same number, the
    //! largest that any of them needs: engines and servers are compared over the same rows.
    std::string group;
};
//! nullopt when none of the point's parameters is a multiple. The error names the parameter as "workload.table_size".
[[nodiscard]] Expected<std::optional<ResolvedMultiple>> resolvedMultiple(const PointSpec& point);

} // namespace dyno
