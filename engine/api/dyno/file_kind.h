// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Whose a file is, before it is opened.
#pragma once

#include <filesystem>

namespace dyno {

//! True for a library or a `.dyno` file, also one that is cut off; false for one that cannot be read. Any thread. Safe
//! for a library that this process has open: reading and closing such a file by other means than SQLite's would take
//! away the locks that keep other processes from deleting its write-ahead log (sqlite.org/howtocorrupt.html,
//! section 2.2).
[[nodiscard]] bool isDynoFile(const std::filesystem::path& file);

} // namespace dyno
