// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What servers.toml says of the server behind a URI. Its format is at the top of the file that saveRemoteServer()
//! writes.
#pragma once

#include <dyno/servers.h>

#include <optional>
#include <string_view>

namespace dyno {

//! What is known of a remote target; nullopt for a server that is not in the file. Marks of several entries of one
//! server add up: production is production under every URI. The error of a file that is not right names its first
//! fault: whether a server is a production server is not known then.
[[nodiscard]] Expected<std::optional<RemoteServer>> remoteServerOf(const TargetUri& target,
                                                                   const std::filesystem::path& file = {});

//! Reads the format; for remoteServers() and tests.
[[nodiscard]] RemoteServers parseRemoteServers(std::string_view toml, std::string_view name);

} // namespace dyno
