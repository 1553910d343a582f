// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a person reads of a stall, wherever it is shown. Any thread.
#pragma once

#include <dyno/stalls.h>

#include <QString>

namespace dyno {

//! "stall", "dip", "latency stall"
[[nodiscard]] QString stallWord(const Stall& stall);
//! "stall, 3 s", "p99 ×50, 3 s": beside its band in a plot.
[[nodiscard]] QString stallNote(const Stall& stall);
//! "stall, 3 s: down to 12 of 950 transactions/s", "latency stall, 3 s: p99 210 ms where 4 ms is usual"
[[nodiscard]] QString stallText(const Stall& stall);
//! "down to 12 from 950 transactions/s (−99 %)", "p99 up to 210 ms from 4 ms (×53), while …"
[[nodiscard]] QString stallDepth(const Stall& stall);

} // namespace dyno
