// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Reading the options of a connection, and sharing what was read among the sessions of a target.
#pragma once

#include "mysql_connection.h"

#include <vector>

namespace dyno::mysql {

//! readOptions() once for all sessions of a target, with the host's name resolved once too; connecting thousands of
//! users neither parses nor asks a name server again. Blocks for a name server in the first call. With tls=verify
//! `host` stays the name, for the library checks the certificate against it, and looks it up for each connection. Any
//! thread.
[[nodiscard]] Expected<std::shared_ptr<const ConnectOptions>> sharedOptions(const ConnectTargetPtr& target);

} // namespace dyno::mysql
