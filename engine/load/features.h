// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Whether a server has what a workload needs.
#pragma once

#include "workload/workload.h"

namespace dyno {

//! Asks the workload's probes. Errors: the first thing that is missing; what the server said when it could not be asked.
[[nodiscard]] Expected<void> checkFeatures(Admin& admin, const WorkloadInstance& workload);

} // namespace dyno
