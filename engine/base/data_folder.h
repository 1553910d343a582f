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
//! What a benchmark would find there: Known are marked and empty ones, a folder with anything else is of others.
//! Changes nothing. Any thread.
[[nodiscard]] FileLook::State lookAtDataFolder(const std::filesystem::path& folder);

} // namespace dyno
