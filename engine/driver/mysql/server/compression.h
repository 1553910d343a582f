// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Compression of pages of a managed MariaDB: since 10.7 all ways but zlib lie in plug-ins ("compression providers").
#pragma once

#include "server/lifecycle/server_binaries.h"

#include <dyno/error.h>
#include <dyno/value.h>

#include <string>

namespace dyno {

//! The plug-in that the knobs need: "provider_lz4"; "" when they need none.
[[nodiscard]] std::string compressionProviderOf(const ServerBinaries& server, const Settings& knobs);

//! Whether this server brings that plug-in. Error: names the missing file and the package. Blocks for up to a second.
[[nodiscard]] Expected<void> canCompress(const ServerBinaries& server, const Settings& knobs);

} // namespace dyno
