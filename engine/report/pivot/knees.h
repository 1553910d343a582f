// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dyno/report.h>

#include <string>
#include <vector>

namespace dyno::report {

//! findKnee() of each series of each facet. Along x: numbers, what the cases of the axis set, else their places.
[[nodiscard]] std::vector<Knee> kneesOf(const std::vector<StoredSession>& sessions, const Pivot& pivot);
//! "Knee of the curve (Kneedle): key cache = 16 MiB."; "" where nobody asked for it.
[[nodiscard]] std::string kneesText(const Pivot& pivot);

} // namespace dyno::report
