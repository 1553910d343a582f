// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Sections that the report and the post share, as Markdown.
#pragma once

#include <dyno/report.h>

#include <string>
#include <vector>

namespace dyno::report {

[[nodiscard]] std::string setUp(const std::vector<StoredSession>& sessions);
[[nodiscard]] std::string differenceTable(const std::vector<StoredSession>& sessions);
//! Everything a reader has to know before believing the table.
[[nodiscard]] std::string honestNotes(const std::vector<StoredSession>& sessions, const Pivot& pivot);

} // namespace dyno::report
