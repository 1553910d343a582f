// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Stretches in which other programs kept a run from the cores. Any thread.
#pragma once

#include <dyno/samples.h>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace dyno {

inline constexpr double kSameInstant = 1e-6; //!< seconds by which the start of an interval may miss the end before it

//! From and to, in seconds from the start of the run; intervals that follow each other are one stretch. `endOf`: the
//! end of the interval that begins there, in ascending order; nothing when it is not known, which ends the list.
[[nodiscard]] std::vector<std::pair<double, double>>
starvedStretches(const Starvation& starvation, const std::function<std::optional<double>(double from)>& endOf);

} // namespace dyno
