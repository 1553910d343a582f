// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which options a server of the MySQL family has, as its program lists them.
#pragma once

#include "server/lifecycle/server_binaries.h"

#include <dyno/error.h>

#include <map>
#include <string>
#include <string_view>

namespace dyno {

//! Options under the names of their variables ('_' for '-'), with their defaults as the program prints them.
using ServerOptions = std::map<std::string, std::string, std::less<>>;

//! Reads the table at the end of `mysqld --verbose --help`. Empty when there is none.
[[nodiscard]] ServerOptions readServerOptions(std::string_view help);

//! What `server` lists, with the variables of `plugin` when one is named. The program is asked once in a process for
//! each plug-in, for up to 20 s, and again when its file changes. Valid until the process ends. Any thread.
[[nodiscard]] Expected<const ServerOptions*> optionsOf(const ServerBinaries& server, const std::string& plugin = {});

} // namespace dyno
