// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Writes the option file of a managed server: the differences of families and versions lie here.
#pragma once

#include "driver/mysql/server/server_options.h"

#include <dyno/error.h>
#include <dyno/value.h>

#include <filesystem>
#include <string>

namespace dyno {

constexpr const char* kEncryptionKnob = "encryption"; //!< Dynobench's own, not a variable
//! Encryption at rest, as that knob says.
enum class Encryption { Off, Tables, All };
[[nodiscard]] Expected<Encryption> encryptionOf(const Settings& knobs);

//! What the server is told beside the plan's knobs.
struct OptionFileNeeds
{
    std::filesystem::path folder; //!< of the server: data/, tmp/, tls/, keys/, server.cnf, server.pid, error.log
    std::filesystem::path socket;
    int port = 0;     //!< of `address`; 0 = by the socket only
    bool tls = false; //!< with the certificates in tls/
    Encryption encryption = Encryption::Off;
    std::string address = "127.0.0.1"; //!< of this machine, where nobody comes from elsewhere
};

//! `knobs` by name; each must be one of `listed` (optionsOf) and none that a plan must never set; all faults are
//! reported at once. What keeps the server private comes last and wins. Booleans of the plan become 1 and 0, log_bin
//! becomes log_bin=binlog or skip-log-bin, sizes become bytes. Knobs of ours are not among the lines: `encryption`
//! comes by `needs`, `load_engine` becomes the line that loads it.
[[nodiscard]] Expected<std::string> optionFileText(const ServerBinaries& server, const OptionFileNeeds& needs,
                                                   const Settings& knobs, const ServerOptions& listed);

//! An empty folder of a MariaDB server's own: where SQL may read and write files, so that it can do so nowhere else.
[[nodiscard]] std::filesystem::path closedFolder(const std::filesystem::path& folder);

//! max_connections for a server that nobody gave one: 10 000, or what the limit of open files allows.
[[nodiscard]] int defaultMaxConnections();

} // namespace dyno
