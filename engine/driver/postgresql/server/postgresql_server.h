// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! PostgreSQL in a folder: knobs in postgresql.conf, a Unix socket for this user alone, a password for TCP. It refuses
//! to run as root and then runs under another account (ProcessManners): that owns the data folder and the socket's, and
//! gets through none of those above.
#pragma once

#include "driver/preflight_list.h"
#include "server/lifecycle/server_in_folder.h"

namespace dyno {

//! Made by initdb; the control plane's, and nobody's else.
constexpr const char* kSuperuser = "postgres";
//! Owns kManagedDatabase; may look at statistics and make checkpoints, but neither run programs nor touch files.
constexpr const char* kLoadUser = "dyno";

[[nodiscard]] std::unique_ptr<ServerInFolder> makePostgresqlServer(ServerPlace place);
//! canStartWith() without the ports.
[[nodiscard]] Expected<void> postgresqlCanStart(const ServerBinaries& server, const Settings& wanted, bool tcp);
//! What its settings will be, against what a plan needs.
void postgresqlPreflight(const PreflightNeeds& needs, PreflightList& list);
//! ServerRecipe::fileOf(). Files have numbers for names: which is which table's only the server knows.
[[nodiscard]] DataFile postgresqlFile(const std::filesystem::path& below, const std::string& ours);

} // namespace dyno
