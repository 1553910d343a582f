// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The one formatter of numbers and units, in the user's locale with thin thousands separators. Any thread.
#pragma once

#include <QDateTime>
#include <QString>

#include <limits>

namespace dyno {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN(); //!< a figure that is not there

} // namespace dyno

namespace dyno::format {

[[nodiscard]] QString count(qint64 value);      //!< "1 234 567"
[[nodiscard]] QString rate(double perSecond);   //!< three significant figures or more, no unit: "3 087", "12.3", "0.52"
[[nodiscard]] QString time(double ms);          //!< with the unit that fits: "9.40 µs", "1.20 s"
[[nodiscard]] QString bytes(double bytes);      //!< with unit: "2.1 GiB"
[[nodiscard]] QString percent(double fraction); //!< "6 %"
[[nodiscard]] QString ratio(double value);      //!< "1.44×", "0.053×"
[[nodiscard]] QString duration(double seconds); //!< "11 min", "45 s", "1 h 20 min"
[[nodiscard]] QString clock(double seconds);    //!< "02:30" on time axes and in event lists, "−00:04" before zero
[[nodiscard]] QString when(qint64 msSinceEpoch); //!< "today 15:12", "20 Nov 2026, 15:12"
[[nodiscard]] QString day(qint64 msSinceEpoch);  //!< "today", "yesterday", "17 Nov", of another year "17 Nov 2025"
[[nodiscard]] QString ago(qint64 msSinceEpoch);  //!< "just now", "20 min ago", "3 h ago", from a day on as day()
[[nodiscard]] QString number(double value, int decimals);

} // namespace dyno::format
