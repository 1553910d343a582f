// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The statements of a run as text for a terminal.
#pragma once

#include <dyno/statements.h>

#include <string>

namespace dyno {

//! Kinds of operations by their share of the time, how the server would run their statements, how the tables are made,
//! and what the server counted. `statements`: none where the run keeps none.
[[nodiscard]] std::string statementsText(const StoredRun& run, const std::optional<RunStatements>& statements);

} // namespace dyno
