// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Fresh data folders: initialised once per server and copied from then on. Control thread only.
#pragma once

#include "server/lifecycle/server_binaries.h"

#include <dyno/value.h>

#include <cstdint>
#include <filesystem>
#include <functional>

namespace dyno {

//! Fills `folder` with a fresh data folder of this server: a copy of one below `workDir`/templates, which is made on
//! first use (0.6 s MariaDB, 2 to 4 s MySQL); `initialisation` holds the server variables that it is made with. Others
//! may use the same work folder at the same time. `stopped`: whether somebody wants to stop; asked while a folder is
//! being made, here or by another process: it is given up then (Interrupted), and what was made in part is removed.
[[nodiscard]] Expected<void> fillFromTemplate(const std::filesystem::path& workDir, const ServerBinaries& server,
                                              const Settings& initialisation, const std::filesystem::path& folder,
                                              const std::function<bool()>& stopped = {});

//! The data folders that are kept to be copied.
struct TemplateSpace
{
    int folders = 0;
    std::uint64_t bytes = 0; //!< on disk
};
//! Any thread. A folder of templates that is a link belongs to whoever made it: it counts as empty and is left alone.
[[nodiscard]] TemplateSpace templateSpace(const std::filesystem::path& workDir);
//! Removes them, unless one is just being copied; they are made again when they are needed. Returns what is gone. Any
//! thread.
TemplateSpace removeTemplates(const std::filesystem::path& workDir);

} // namespace dyno
