// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Folders of embedded engines that keep their data in one. Those that Dynobench made carry a mark, so that somebody
//! else's are known without the engine's library.
#pragma once

#include "base/sqlite_file.h"

#include <dyno/error.h>

#include <filesystem>

namespace dyno {

//! Makes the folder, for its owner only, and marks it as made by Dynobench. It is not there yet, or empty.
[[nodiscard]] Expected<void> markDataFolder(const std::filesystem::path& folder);
[[nodiscard]] bool isOurDataFolder(const std::filesystem::path& folder);
//! Removes what is in a folder that carries the mark, and the mark; the folder itself stays. Others are left alone.
void emptyDataFolder(const std::filesystem::path& folder);
//! What a benchmark would find there: Known is a marked one, an empty one is as good as Missing, a folder with anything
//! else is of others. Changes nothing. Any thread.
[[nodiscard]] FileLook::State lookAtDataFolder(const std::filesystem::path& folder);
//! True when a folder holds anything but the mark, or a file is there. Any thread.
[[nodiscard]] bool holdsData(const std::filesystem::path& place, bool folder);
//! What a person calls the place of the data: "folder" or "file".
[[nodiscard]] const char* nounOf(bool folder);

} // namespace dyno
