// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the fitted line of a sync's cost says of K. Any thread.
#pragma once

#include "analysis.h"

namespace dyno {

//! Few runs may leave 0 within the 95 % interval of K, and where times bend the line may meet the axis below 0, which
//! no time is.
enum class SyncConstant { None, Clear, Unclear, BelowZero };
[[nodiscard]] SyncConstant constantOf(const SyncCost& cost);
//! Upper end of the interval of K in ms; 0 without a line.
[[nodiscard]] double highestConstant(const SyncCost& cost);

} // namespace dyno
