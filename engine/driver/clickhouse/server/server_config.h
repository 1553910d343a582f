// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How a managed ClickHouse is told its knobs: config.xml for the server and for what its tables are made with,
//! users.xml for what queries get. Source: "Configuration Files", "Server Settings" and "MergeTree tables settings" of
//! ClickHouse's manual.
#pragma once

#include "server/lifecycle/server_binaries.h"

#include <dyno/error.h>
#include <dyno/value.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace dyno {

constexpr const char* kClickhouseUser = "dyno"; //!< the only one
constexpr int kManagedConnections = 4096; //!< max_connections unless a plan says otherwise: the server's own is 1024

//! Where a knob is told, and which table of the server lists it.
enum class KnobPlace {
    Queries,     //!< the profile of the user: system.settings
    Server,      //!< system.server_settings, where the server has that
    Tables,      //!< <merge_tree>: system.merge_tree_settings
    Compression, //!< <compression>: nowhere
};
//! Of a knob of the catalogue.
[[nodiscard]] KnobPlace knobPlaceOf(std::string_view knob);

//! What the server is told beside the plan's knobs.
struct ClickhouseNeeds
{
    std::filesystem::path folder;      //!< of the server: data/, tmp/, files/
    int port = 0;                      //!< of `address`
    std::string address = "127.0.0.1"; //!< of this machine, where nobody comes from elsewhere
};

//! The text of config.xml. `knobs` by name. Error: a knob that the catalogue does not have, or a value that is none of
//! it; all of them at once.
[[nodiscard]] Expected<std::string> configText(const ServerBinaries& server, const ClickhouseNeeds& needs,
                                               const Settings& knobs);
//! The text of users.xml; `passwordHash`: SHA-256 in hexadecimal digits; `from`: the address that the user comes from.
[[nodiscard]] std::string usersText(const ServerBinaries& server, const Settings& knobs, std::string_view passwordHash,
                                    std::string_view from = "127.0.0.1");

} // namespace dyno
