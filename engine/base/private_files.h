// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Folders and files that only their owner may read: 0700 and 0600. Any thread.
#pragma once

#include <filesystem>
#include <system_error>

namespace dyno {

//! Makes what is missing of `folder`, each part for its owner only. A folder that is there stays as it is.
[[nodiscard]] std::error_code makeFolders(const std::filesystem::path& folder);
//! For a folder of Dynobench's own: makes it, and takes the rights of others away where an older version gave them.
[[nodiscard]] std::error_code makePrivateFolder(const std::filesystem::path& folder);
//! Takes the rights of others to a file of ours away; without effect on a file that is not there or is not this user's.
void makePrivateFile(const std::filesystem::path& file);

} // namespace dyno
