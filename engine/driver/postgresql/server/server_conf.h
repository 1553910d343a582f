// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Writes what a managed PostgreSQL is told: postgresql.conf, pg_hba.conf, pg_ident.conf, arguments.
#pragma once

#include "server/lifecycle/server_binaries.h"

#include <dyno/error.h>
#include <dyno/value.h>

#include <filesystem>
#include <string>
#include <vector>

namespace dyno {

//! max_connections for a server that nobody gave one. Each costs shared memory, some 20 KiB.
constexpr int kDefaultMaxConnections = 1000;

//! What the server is told beside the plan's knobs.
struct ConfNeeds
{
    std::filesystem::path folder; //!< the server's, which holds data/
    std::filesystem::path socketFolder;
    int port = 0;                      //!< of `address`, and part of the socket's name
    bool tcp = false;                  //!< takes connections there, with TLS for who asks for it
    std::string address = "127.0.0.1"; //!< of this machine, where nobody comes from elsewhere
    std::string users = "127.0.0.1";   //!< where they come from
};

//! The names of `postgres --describe-config`; `server` is asked once in a process, for up to 20 s. Valid until the
//! process ends. Any thread.
[[nodiscard]] Expected<const std::vector<std::string>*> postgresqlSettings(const ServerBinaries& server);

//! The text of postgresql.conf: `knobs` by name, each one of `listed` and none that a plan must never set; all faults
//! are reported at once. Sizes become bytes.
[[nodiscard]] Expected<std::string> confText(const ServerBinaries& server, const Settings& knobs,
                                             const std::vector<std::string>& listed);
//! The arguments that keep it private: they win over whatever stands in a file or is set while it runs.
[[nodiscard]] std::vector<std::string> privateArguments(const ConfNeeds& needs);
//! pg_hba.conf: by the socket this user alone, by TCP kLoadUser with a password.
[[nodiscard]] std::string accessText(const ConfNeeds& needs);
//! pg_ident.conf: these accounts of this machine may come as each of ours.
[[nodiscard]] std::string identText(const std::vector<std::string>& users);

} // namespace dyno
