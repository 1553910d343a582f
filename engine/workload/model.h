// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dyno/catalog.h>

#include <algorithm>

namespace dyno {

//! What bind() makes an instance for: the driver's preferred model of those that the workload has a form for (as
//! commonModel(), which was asked before and found one).
[[nodiscard]] inline DataModel modelFor(const WorkloadInfo& workload, const DriverInfo& driver)
{
    const auto found = std::ranges::find_first_of(driver.models, workload.models);
    return found == driver.models.end() ? workload.models.front() : *found;
}

} // namespace dyno
