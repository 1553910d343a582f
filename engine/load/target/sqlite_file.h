// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A database file of SQLite with what lies beside it; copies of files and folders of embedded engines.
#pragma once

#include <dyno/error.h>

#include <filesystem>

namespace dyno {

//! With its logs; no error when it is not there.
void removeSqliteFile(const std::filesystem::path& file);
//! A new, empty file beside this one, for a copy of it.
[[nodiscard]] Expected<std::filesystem::path> newFileBeside(const std::filesystem::path& file);
//! The same for a folder.
[[nodiscard]] Expected<std::filesystem::path> newFolderBeside(const std::filesystem::path& folder);

} // namespace dyno
