// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Resolving a server's name once, for drivers whose library would ask a name server for each connection, and wait.
#pragma once

#include <string>

namespace dyno {

//! An IPv4 or IPv6 address in numbers.
[[nodiscard]] bool isAddress(const std::string& text);
//! The address that a library would end up with: the first that something listens at, where there are several. The name
//! itself when there is none, so that connecting tells why. Blocks for a name server and up to `timeoutSeconds` for
//! each address. Any thread.
[[nodiscard]] std::string addressOf(const std::string& name, int port, int timeoutSeconds);

} // namespace dyno
