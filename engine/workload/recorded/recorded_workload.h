// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Workload "recorded": runs the statements of a server's log again, either at their recorded times, each session by a
//! user, or as fast as the users can. What ends otherwise than in the recording is counted.
#pragma once

#include "workload/workload.h"

namespace dyno::recorded {

[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::recorded
