// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Whether a server has what a workload needs.
#pragma once

#include "workload/engine_needs.h"

namespace dyno {

//! What the workload needs of a server, and the storage engines that its tables are made with.
[[nodiscard]] std::vector<FeatureProbe> probesOf(const WorkloadInstance& workload, const DriverInfo& driver);

//! Errors: the first thing that is missing; what the server said when it could not be asked.
[[nodiscard]] Expected<void> checkFeatures(Admin& admin, const std::vector<FeatureProbe>& probes);

} // namespace dyno
