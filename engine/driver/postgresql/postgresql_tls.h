// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How connections to a PostgreSQL server are encrypted: what a plan and a URI say about it. For the driver, and for
//! proxies that are the server's client themselves; without a client library. Any thread.
#pragma once

#include "driver/driver.h"

namespace dyno::postgresql {

enum class Tls { Off, Required, Verify };

//! Off on a Unix socket. Reads no file.
[[nodiscard]] Expected<Tls> tlsModeOf(const ConnectTarget& target);

//! PEM files and the oldest protocol ("1.2", "1.3"); "" = none.
struct TlsFiles
{
    std::string ca, cert, key, oldest;
};
//! What Verify verifies with is always set.
[[nodiscard]] Expected<TlsFiles> tlsFilesOf(const ConnectTarget& target, Tls mode);

} // namespace dyno::postgresql
