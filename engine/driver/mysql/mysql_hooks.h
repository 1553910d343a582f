// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Two system functions as Connector/C sees them. The library does in each connection what once per target is enough,
//! and has no option against it; this program's own symbols come before those of the libraries, so it gets ours. Every
//! other caller gets the original. Where the symbols do not take effect (a static library, another TLS library below
//! Connector/C), connecting is slower and everything else the same.
#pragma once

#include "mysql_connection.h"

#include <memory>
#include <string>

namespace dyno::mysql {

//! From now on, and as long as `options` lives, Connector/C finds `name` at `address` (numeric) without asking a name
//! server. The name itself stays what a certificate is checked against. Any thread.
void rememberAddress(const std::shared_ptr<const ConnectOptions>& options, std::string name, std::string address);

//! How often the library was given a remembered address. For tests.
[[nodiscard]] unsigned long savedLookups();
//! How often the library wanted to load the system's list of authorities for a connection that verifies nothing, and
//! was kept from it. For tests.
[[nodiscard]] unsigned long skippedCaLoads();

} // namespace dyno::mysql
