// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The knobs tls, tls_ca, tls_cert, tls_key and tls_min_version of a connection, else of the URI's query, for drivers.
#pragma once

#include "driver/driver.h"

#include <optional>

namespace dyno {

enum class TlsMode { Off, Required, Verify };

//! off, required, verify and the words that mean one of them; nullopt for others.
[[nodiscard]] std::optional<TlsMode> tlsModeIn(std::string_view word);
//! Where nothing is said: verify to another machine, and wherever an authority is named, which means that it is asked.
[[nodiscard]] TlsMode usualTlsMode(bool local, bool authority);
//! What `tls` says, or the usual one. An error for another word.
[[nodiscard]] Expected<TlsMode> tlsModeOf(const ConnectTarget& target);
//! The same for servers that have no TLS at a Unix socket: off where the URI names one.
[[nodiscard]] Expected<TlsMode> tlsModeOffAtSocket(const ConnectTarget& target);

struct TlsOptions
{
    TlsMode mode = TlsMode::Off;
    bool byDefault = false;              //!< nothing says so: the server is on another machine
    std::string ca, caFolder, cert, key; //!< PEM files, a folder of hashed names; "" = none
    std::string oldest;                  //!< "1.2", "1.3", "" = the library's
};

//! How a driver's connection takes them.
struct TlsPlace
{
    bool caFolder = true; //!< its library takes authorities in a folder too
    bool socket = false;  //!< a Unix socket, which has no TLS
};
//! Everything but the driver's own. With TlsMode::Verify and no authority those of the system. Errors: a file that
//! cannot be read or is not PEM, a certificate without its key, one without TLS, another version.
[[nodiscard]] Expected<TlsOptions> readTlsOptions(const ConnectTarget& target, TlsMode mode, TlsPlace place = {});

} // namespace dyno
