// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Who may come to a managed server by TCP: every user of this machine reaches its port, so nobody without a password.
//! root@localhost, which has none, is then the socket's alone: without names of hosts (skip_name_resolve) a connection
//! from 127.0.0.1 is not one from localhost.
#pragma once

#include "driver/driver.h"
#include "server/lifecycle/server_binaries.h"

#include <filesystem>
#include <string>

namespace dyno {

constexpr const char* kTcpUser = "dyno";

//! The statement that the server runs before it lets anybody in: the accounts without a password go that its own
//! installation made for other hosts than localhost. "" when it makes none.
[[nodiscard]] std::string tcpInitText(const ServerBinaries& server);
//! Where it lies in a server's folder.
[[nodiscard]] std::filesystem::path tcpInitFile(const std::filesystem::path& folder);

//! Gives kTcpUser@host (an address) this password and all privileges, by the socket as root; not in any of the server's
//! logs. Fails when root could be reached by TCP.
[[nodiscard]] Expected<void> makeTcpAccount(const ServerBinaries& server, Admin& admin, const std::string& host,
                                            const std::string& password);

} // namespace dyno
