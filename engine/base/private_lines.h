// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A list of lines in the data folder that is this user's alone (0600, no link) and that several processes add to. Any
//! thread.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace dyno {

//! The lines of `file` without their ends; none of a file that others may read or that is not this user's.
[[nodiscard]] std::set<std::string, std::less<>> privateLines(const std::filesystem::path& file);

//! Adds lines, in one piece. A file of more than `mostBytes` begins anew. Without effect where the file cannot be
//! written, or is not this user's alone: what is not on the list is asked again.
void addPrivateLines(const std::filesystem::path& file, const std::vector<std::string>& lines, std::size_t mostBytes);

} // namespace dyno
