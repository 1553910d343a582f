// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Whether a managed server could be started with the knobs of a point, without making or starting it. Blocks while
//! the server's program lists its options, where it does (up to a second, once for each program).
#pragma once

#include "server/lifecycle/server_binaries.h"

#include <dyno/error.h>
#include <dyno/value.h>

namespace dyno {

//! `wanted`: names without scope, as the plan has them. Error: knobs that this server does not have or never takes, a
//! missing key or plug-in for encryption, a missing compression provider, no free port (`tcp`); with the remedy.
[[nodiscard]] Expected<void> canStartWith(const ServerBinaries& server, const Settings& wanted, bool tcp);

//! Whether this server brings what keeps keys for encryption at rest, without making anything. Error: names the missing
//! file and the package. Blocks for up to a second.
[[nodiscard]] Expected<void> canEncrypt(const ServerBinaries& server);

} // namespace dyno
