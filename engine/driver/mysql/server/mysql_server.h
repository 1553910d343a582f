// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! MariaDB and MySQL in a folder: knobs in an option file, a Unix socket, an account for TCP.
#pragma once

#include "driver/mysql/mysql_limits.h"
#include "driver/preflight_list.h"
#include "server/lifecycle/server_in_folder.h"

namespace dyno {

[[nodiscard]] std::unique_ptr<ServerInFolder> makeMysqlServer(ServerPlace place);
//! canStartWith() without the ports.
[[nodiscard]] Expected<void> mysqlCanStart(const ServerBinaries& server, const Settings& wanted, bool tcp);
//! What the option file will say, against what a plan needs.
void mysqlPreflight(const PreflightNeeds& needs, const MysqlLimits& limits, PreflightList& list);
//! ServerRecipe::fileOf() of both.
[[nodiscard]] DataFile mysqlFile(const std::filesystem::path& below, const std::string& ours);
//! ServerRecipe::offPageBytes() of both, of InnoDB's tablespaces: those of pages that hold parts of long values, with
//! those that are free again. Of a large file 4096 pages are looked at, evenly spaced.
[[nodiscard]] std::optional<std::uint64_t> mysqlOffPageBytes(const std::filesystem::path& file);

} // namespace dyno
