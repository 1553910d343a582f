// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Looks at files that may be SQLite databases which this process has open. Whoever opens and closes such a file by
//! other means than SQLite's takes away all locks of this process on it (sqlite.org/howtocorrupt.html, section 2.2).
#pragma once

#include <dyno/error.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! The first `size` bytes of a regular file, fewer when it is shorter; nothing when it cannot be read. Reads through
//! SQLite, takes no lock and changes nothing. Any thread.
[[nodiscard]] std::optional<std::string> beginningOf(const std::filesystem::path& file, std::size_t size);

//! True for a file that begins as each SQLite database does, whatever follows.
[[nodiscard]] bool isSqliteFile(const std::filesystem::path& file);

//! True for a database in WAL mode.
[[nodiscard]] bool isWalFile(const std::filesystem::path& file);

//! A path as it stands in a SQLite URI, percent-encoded.
[[nodiscard]] std::string sqliteUriPath(const std::filesystem::path& path);

//! The URI that opens a database, with SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, and changes nothing on the disk: neither
//! the file, nor a -wal or -shm beside it. Where a log was left without its index, what is only in the log is not seen.
[[nodiscard]] std::string unchangedSqliteUri(const std::filesystem::path& file);

//! Why a benchmark must not have its tables in this file: it is a library or a `.dyno` file. Nothing when it may.
[[nodiscard]] std::optional<Error> refusalAsTarget(const std::filesystem::path& file);

//! What a benchmark would find where it is about to have its tables.
struct FileLook
{
    enum class State {
        Missing, //!< nothing is there yet
        Known,   //!< only tables with a note of Dynobench's (Admin::dataNotes()), none at all, a folder, or sessions
        Others,  //!< tables or views without such a note, whatever else is there
        Empty,   //!< a file of no bytes that no database has a log beside
        Unknown, //!< there, but no database that can be looked into
    };
    State state = State::Missing;
    std::vector<std::string> tables; //!< of Others, by name
};
//! Changes nothing, not even what lies beside the file; waits for nobody's lock. Any thread.
[[nodiscard]] FileLook lookAtFile(const std::filesystem::path& file);

} // namespace dyno
