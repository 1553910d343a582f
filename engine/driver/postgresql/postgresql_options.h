// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a plan and a URI say about connections, for libpq.
#pragma once

#include "postgresql_connection.h"

namespace dyno::postgresql {

//! The connection knobs, in the order of the form.
[[nodiscard]] OptionSpecs connectionOptions();
//! The URI's query gives TLS where the knobs are empty. Errors name the knob. Refuses a password that would go to
//! another machine without TLS.
[[nodiscard]] Expected<ConnectOptions> readOptions(const ConnectTarget& target);
//! The same once for all sessions of a target, with the host's name resolved once too; connecting thousands of users
//! neither parses nor asks a name server again. Blocks for a name server in the first call. Any thread.
[[nodiscard]] Expected<std::shared_ptr<const ConnectOptions>> sharedOptions(const ConnectTargetPtr& target);

} // namespace dyno::postgresql
