// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A stored session as text for a terminal.
#pragma once

#include <dyno/report.h>

#include <string>
#include <vector>

namespace dyno {

//! One line a point: means over its runs that ended as done, with the 95 % interval where there are two or more.
[[nodiscard]] std::string pointTable(const StoredSession& session);
//! Title, target, software, host, then pointTable(), then what a reader must know (failed runs, client at its limit).
[[nodiscard]] std::string sessionText(const StoredSession& session);
//! One run: knobs in force, the server's counters over the measured time (of those that are kept and
//! not shown the ones that `counterNames` mean, see shown_counters.h), variables that changed while it ran, what
//! lies in the data folder, the option file, and what the server wrote.
[[nodiscard]] std::string runText(const StoredSession& session, const StoredRun& run,
                                  const std::vector<IntervalSample>& intervals,
                                  const std::vector<std::string>& counterNames = {});
//! What did not go well, one sentence a line; empty when all is well.
[[nodiscard]] std::string warningsText(const StoredSession& session);
//! The pivot that the plan's first view asks for, or tps by users and the first axis.
[[nodiscard]] PivotRequest pivotOf(const Plan& plan);
//! The quotable sentence about that pivot, "" when there is nothing to compare.
[[nodiscard]] std::string conclusionOf(const StoredSession& session);

} // namespace dyno
