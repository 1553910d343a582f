// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Looks at files that may be SQLite databases which this process has open. Whoever opens and closes such a file by other
//! means than SQLite's takes away all locks of this process on it (sqlite.org/howtocorrupt.html, section 2.2).
#pragma once

#include <dyno/error.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace dyno {

//! The first `size` bytes of a regular file, fewer when it is shorter; nothing when it cannot be read. Reads through SQLite,
//! takes no lock and changes nothing. Any thread.
[[nodiscard]] std::optional<std::string> beginningOf(const std::filesystem::path& file, std::size_t size);

//! True for a file that begins as each SQLite database does, whatever follows.
[[nodiscard]] bool isSqliteFile(const std::filesystem::path& file);

//! Why a benchmark must not have its tables in this file: it is a library or a `.dyno` file. Nothing when it may.
[[nodiscard]] std::optional<Error> refusalAsTarget(const std::filesystem::path& file);

} // namespace dyno
