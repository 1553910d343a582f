// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Encryption at rest of a managed server: what has to lie where before it starts, and whether it is in force after.
//! Control thread only.
#pragma once

#include "driver/driver.h"
#include "driver/mysql/server/option_file.h"
#include "server/lifecycle/server_binaries.h"

#include <filesystem>
#include <functional>

namespace dyno {

//! Whether this server brings what keeps keys, without making anything. Error: names the missing file and the package.
//! Blocks for up to a second.
[[nodiscard]] Expected<void> canKeepKeys(const ServerBinaries& server);

//! Before the start: makes the key file (MariaDB), or the manifests that load the keyring component (MySQL), in the
//! server's folder. Error when this server brings nothing to keep keys with: names the missing file and the package.
[[nodiscard]] Expected<void> prepareEncryption(const ServerBinaries& server, const std::filesystem::path& folder);

//! After the start: reads back that what is asked for is in force, and waits a minute at most until it is. `stopped`:
//! somebody wants to stop; may be empty.
[[nodiscard]] Expected<void> verifyEncryption(const ServerBinaries& server, Encryption wanted, Admin& admin,
                                              const std::function<bool()>& stopped);

} // namespace dyno
