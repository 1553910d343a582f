// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How a connection may prove who the user is. The server chooses the method, and whoever answers under its name does
//! so too: a method that reveals the password is used only where the other end is known.
//!
//! | connection                        | methods                                                                   |
//! |-----------------------------------|---------------------------------------------------------------------------|
//! | Unix socket, verified TLS         | these, and those that send the password                                   |
//! | loopback                          | those that prove without revealing, and RSA with the key the server shows |
//! | any other, TLS unchecked included | those that prove without revealing                                        |
//!
//! The list is a positive one: methods with identities of this machine (GSSAPI), with questions at the terminal
//! (dialog) and old ones are never used.
#pragma once

#include "mysql_connection.h"

namespace dyno::mysql {

//! With Connector/C: puts our caching_sha2_password and mysql_clear_password before the library's, which ask nobody
//! whether the other end is known. Once, after the library is initialised and before the first connection.
void registerMethods();

//! Whether the password may go into such a connection at all: not each library keeps it from a server that is not
//! known.
[[nodiscard]] Expected<void> mayUsePassword(const ConnectTarget& target, const ConnectOptions& options);

//! Tells a handle that is not connected yet which methods it may use.
void restrictMethods(MYSQL* mysql, const ConnectOptions& options);

//! The library's number for a method that is not allowed on this connection (CR_PLUGIN_NOT_ALLOWED).
inline constexpr unsigned kMethodNotAllowed = 5010;

} // namespace dyno::mysql
