// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <limits>

namespace dyno {

//! A figure that is not there: not measured, or of nothing.
inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

} // namespace dyno
