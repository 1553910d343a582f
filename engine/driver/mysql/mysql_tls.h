// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The TLS options of a connection: reading and checking them, and where trusted authorities come from.
#pragma once

#include "mysql_connection.h"

namespace dyno::mysql {

//! Reads tls, tls_ca, tls_cert, tls_key, tls_min_version and tls_ciphers into `options`; the URI's query counts where a
//! knob is empty. Errors name the knob: a word that does not exist, a file that cannot be read or is not PEM, a
//! certificate without its key, verify on a system without any list of authorities.
[[nodiscard]] Expected<void> readTls(const ConnectTarget& target, ConnectOptions& options);

//! Sets them on a handle that is not connected. Nothing when TLS is off.
void setTls(MYSQL* mysql, const ConnectOptions& options);

//! How to mend a failed TLS connection, from the library's text.
[[nodiscard]] std::string tlsRemedy(const ConnectOptions& options, std::string_view text);

} // namespace dyno::mysql
