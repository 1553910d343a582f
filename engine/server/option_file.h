// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Writes the option file of a managed MariaDB.
#pragma once

#include <dyno/error.h>
#include <dyno/value.h>

#include <filesystem>
#include <string>

namespace dyno {

struct ServerPaths
{
    std::filesystem::path folder;  //!< of the server: data/, tmp/, server.cnf, server.pid, error.log
    std::filesystem::path basedir; //!< empty for a server of the distribution
    std::filesystem::path socket;
};

//! `knobs` by name; all faults of names and values are reported at once. Booleans of the plan become 1 and 0, log_bin
//! becomes log_bin=binlog or skip-log-bin, sizes become bytes.
[[nodiscard]] Expected<std::string> optionFileText(const ServerPaths& paths, const Settings& knobs);

//! max_connections for a server that nobody gave one: 10 000, or what the limit of open files allows.
[[nodiscard]] int defaultMaxConnections();

} // namespace dyno
