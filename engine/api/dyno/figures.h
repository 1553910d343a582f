// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How figures are rounded in tables, sentences and exports, with a point as decimal sign. Pure functions; any thread.
#pragma once

#include <string>

namespace dyno {

//! Three significant digits or more, groups of digits parted by a narrow no-break space: "0.0123", "4.94", "12 345".
//! "–" for what is not a number.
[[nodiscard]] std::string figureText(double value);
//! A ratio: "0.0042", "0.053", "1.02", "12.5", "12 300".
[[nodiscard]] std::string ratioText(double value);

} // namespace dyno
