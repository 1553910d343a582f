// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What is done with a workload's data beside running: conditions asked after a run.
#pragma once

#include "load/target/target.h"

#include <dyno/data_check.h>

namespace dyno {

//! The conditions of the point of `slot`, asked of its target after that run. One that cannot be asked is a result.
//! Empty conditions: the workload states none.
[[nodiscard]] DataCheckReport reportOn(const std::vector<PointSpec>& points, const RunSlot& slot, Target& target,
                                       const std::function<bool()>& goOn);
//! Tells it in one line: an error when a condition does not hold, else a note. The caller knows its time.
[[nodiscard]] RunEvent eventOf(const DataCheckReport& report);

} // namespace dyno
