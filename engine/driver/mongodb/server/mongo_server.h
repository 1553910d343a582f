// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! mongod and FerretDB 1 in a folder: knobs in a configuration file or among the arguments, a Unix socket, an account
//! for TCP.
#pragma once

#include "driver/preflight_list.h"
#include "server/lifecycle/server_in_folder.h"

namespace dyno {

[[nodiscard]] std::unique_ptr<ServerInFolder> makeMongoServer(ServerPlace place);
//! canStartWith() without the ports.
[[nodiscard]] Expected<void> mongoCanStart(const ServerBinaries& server, const Settings& wanted, bool tcp);
//! What the server will be told, against what a plan needs.
void mongoPreflight(const ServerBinaries& program, const PreflightNeeds& needs, const Settings& connection,
                    PreflightList& list);
//! ServerRecipe::fileOf() of each.
[[nodiscard]] DataFile mongodbFile(const std::filesystem::path& below, const std::string& ours);
[[nodiscard]] DataFile ferretdbFile(const std::string& file, const std::string& ours);

} // namespace dyno
