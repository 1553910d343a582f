// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A run's statements as a file that the session keeps, see dyno/statements.h.
#pragma once

#include <dyno/statements.h>

#include <string>
#include <string_view>

namespace dyno {

[[nodiscard]] std::string statementsFile(int run); //!< its name among the session's files; `run` is RunHeader::index
[[nodiscard]] bool isStatementsFile(std::string_view name);
[[nodiscard]] std::string writeStatements(const RunStatements& statements);
//! Reading never fails: what is missing or of another type is not there. Only so much of a stranger's file is read as a
//! run keeps.
[[nodiscard]] RunStatements readStatements(std::string_view json);

//! How much of each a run keeps.
constexpr std::size_t kKeptTables = 32, kKeptPlans = 64, kKeptSteps = 50, kKeptDigest = 50, kKeptParameters = 100;
constexpr std::size_t kKeptText = 4096;       //!< bytes of a statement
constexpr std::size_t kKeptTableText = 16384; //!< of a CREATE TABLE
//! At most so many bytes, with … in place of the rest.
[[nodiscard]] std::string keptText(std::string_view text, std::size_t most = kKeptText);

} // namespace dyno
