// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! ClickHouse in a folder: its own config.xml and users.xml, HTTP on a port of the loopback alone. It has no Unix
//! socket for HTTP, so there always is a password, made for each start of this program, of the only user there is.
#pragma once

#include "driver/preflight_list.h"
#include "server/lifecycle/server_in_folder.h"

namespace dyno {

[[nodiscard]] std::unique_ptr<ServerInFolder> makeClickhouseServer(ServerPlace place);
//! canStartWith() without the ports.
[[nodiscard]] Expected<void> clickhouseCanStart(const ServerBinaries& server, const Settings& wanted);
//! What its settings will be, against what a plan needs.
void clickhousePreflight(const PreflightNeeds& needs, PreflightList& list);
//! ServerRecipe::fileOf().
[[nodiscard]] DataFile clickhouseFile(const std::filesystem::path& below, const std::string& ours);

} // namespace dyno
