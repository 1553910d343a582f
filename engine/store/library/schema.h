// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The tables of a library, and how an older one is brought up to date.
#pragma once

#include "store/library/database.h"

#include <span>
#include <string>

namespace dyno {

//! "Dyno" in ASCII: tells our files from other SQLite files (PRAGMA application_id).
constexpr std::int32_t kApplicationId = 0x44796e6f;
constexpr int kSchemaVersion = 8;

//! Columns of the table interval without its run, in the order of their values wherever rows of it are written or
//! copied: those of intervalFields(), with the errors before the first of the generator's health. `newest`: only those
//! that a library of that version has.
[[nodiscard]] std::string intervalColumns(int newest = kSchemaVersion);

//! One step from version `from` to `from + 1`. Steps are never changed once released.
struct Migration
{
    int from = 0;
    void (*apply)(Database& database) = nullptr; //!< inside a transaction; errors stick to the database
};
[[nodiscard]] std::span<const Migration> migrations();

//! Makes all tables in an empty database, as they are in `version`.
[[nodiscard]] Expected<void> createSchema(Database& database, int version = kSchemaVersion);

//! Brings `database` from its version to `target` in one transaction, after copying the file to
//! `FILE.before-vN` (a number is added if that exists; no copy for one in memory). Nothing is changed when it fails.
[[nodiscard]] Expected<void> migrate(Database& database, std::span<const Migration> steps, int target);

} // namespace dyno
