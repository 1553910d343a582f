// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Sections that the report and the post share, as Markdown.
#pragma once

#include <dyno/report.h>

#include <string>
#include <vector>

namespace dyno::report {

//! "oltp_update_index, table_size = 1 000 000": the workloads of its points, with what is not their default and the
//! same in all.
[[nodiscard]] std::string workloadText(const StoredSession& session);
[[nodiscard]] std::string setUp(const std::vector<StoredSession>& sessions);
//! "innodb_buffer_pool_size = 536870912, …" of what is the same in all runs; "" where nothing was set.
[[nodiscard]] std::string knobsReadBack(const StoredSession& session);
[[nodiscard]] std::string differenceTable(const std::vector<StoredSession>& sessions);
//! Everything a reader has to know before believing the table.
[[nodiscard]] std::string honestNotes(const std::vector<StoredSession>& sessions, const Pivot& pivot);

} // namespace dyno::report
