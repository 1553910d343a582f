// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A database file of SQLite with what lies beside it.
#pragma once

#include <filesystem>

namespace dyno {

//! With its logs; no error when it is not there.
void removeSqliteFile(const std::filesystem::path& file);
//! Where the file is kept as it was loaded.
[[nodiscard]] std::filesystem::path copyOf(const std::filesystem::path& file);

} // namespace dyno
