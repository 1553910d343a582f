// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Opening and making the files: libraries (write-ahead log, many processes) and `.dyno` files (one file, one session).
#pragma once

#include "store/library/database.h"
#include <dyno/library.h>

namespace dyno {

enum class FileKind { LibraryFile, DynoFile };

//! Makes an empty store at `file`. It appears under its name only when it is complete; when another process makes it at
//! the same time, one of the two stays. An empty file of that name is replaced.
[[nodiscard]] Expected<void> createStore(const std::filesystem::path& file, FileKind kind);

//! Opens a store after looking at the file: missing (ReadWrite makes a library), foreign, newer, cut off, damaged.
//! Older versions are migrated (ReadOnly: a copy in memory). Nothing is changed in a file that is refused.
[[nodiscard]] Expected<std::unique_ptr<Database>> openStore(const std::filesystem::path& file, Library::Mode mode);

//! Reads all pages; an error says what can still be read.
[[nodiscard]] Expected<void> checkPages(Database& database);

} // namespace dyno
