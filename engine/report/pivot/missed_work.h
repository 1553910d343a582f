// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Whether a run did as much as its point asks for.
#pragma once

#include <dyno/library.h>

namespace dyno::report {

//! In the measured time; false when no such number is asked for. Of transactions, those that failed count too, and what
//! the users had in work where a warm-up ended may lie on its other side. A search ends by its own rules.
[[nodiscard]] bool reachedRows(const LoadProfile& load, const RunSummary& run);
[[nodiscard]] bool reachedEvents(const PointSpec& point, const RunSummary& run);
//! Transactions that are asked for; 0 = none are.
[[nodiscard]] std::uint64_t wantedEvents(const LoadProfile& load);

} // namespace dyno::report
