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

//! The knob, else the URI's query; "" when neither is given.
[[nodiscard]] std::string knobOrQuery(const ConnectTarget& target, std::string_view name);
//! "NAME cannot be "VALUE"", with what would be right.
[[nodiscard]] Error badOption(const ConnectTarget& target, std::string_view name, std::string_view value,
                              std::string_view right);
[[nodiscard]] OptionSpec choiceOption(std::string name, std::string label, std::string help, std::string fallback,
                                      std::vector<std::string> choices);

} // namespace dyno::mysql
