// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The tables of a library, and how an older one is brought up to date.
#pragma once

#include "store/library/database.h"

#include <span>

namespace dyno {

//! "Dyno" in ASCII: tells our files from other SQLite files (PRAGMA application_id).
constexpr std::int32_t kApplicationId = 0x44796e6f;
constexpr int kSchemaVersion = 7;

//! Columns of the table interval without its run, in the order of their values wherever rows of it are written or
//! copied.
constexpr const char* kIntervalColumns =
    "idx, t_ns, length_ns, phase, users, retried, dropped, reconnects, lock_waits, errors, cpu_s, rss_bytes, host_busy,"
    " sched_delay_s, arrivals, backlog, changed_rows, rollbacks, allowed_busy, allowed_cores, busiest_thread, switches,"
    " late_starts, loop_lag_ms";

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
