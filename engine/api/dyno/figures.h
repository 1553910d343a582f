// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How figures are rounded in tables, sentences and exports, with a point as decimal sign. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace dyno {

//! Three significant digits or more, groups of digits parted by a narrow no-break space: "0.0123", "4.94", "12 345".
//! "–" for what is not a number.
[[nodiscard]] std::string figureText(double value);
//! A unit of time, in milliseconds.
struct TimeUnit
{
    const char* name;
    double ms;
};
//! The unit in which this many milliseconds read well, of ns, µs, ms and s: "9.40 µs", not "0.00940 ms". ms for 0 and
//! for what is not a number.
[[nodiscard]] TimeUnit timeUnitOf(double ms);
//! Milliseconds in the unit that fits: "9.40 µs", "1.20 s"; "–" for what is not a number.
[[nodiscard]] std::string timeText(double ms);
//! Times and bytes, of which each figure has the unit that fits: a table's head names none for them.
[[nodiscard]] bool unitFollowsSize(std::string_view unit);
//! A figure with its unit: "812 transactions/s"; what is in ms or bytes in the unit that fits.
[[nodiscard]] std::string amountText(double value, std::string_view unit);
//! Its interval in the unit that amountText() takes for `value`, which stands beside it: "[801, 823]".
[[nodiscard]] std::string boundsText(double low, double high, double value, std::string_view unit);

//! A ratio: "0.0042", "0.053", "1.02", "12.5", "12 300".
[[nodiscard]] std::string ratioText(double value);

} // namespace dyno
