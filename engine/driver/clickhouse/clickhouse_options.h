// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a plan's target and connection knobs mean for the HTTP interface.
#pragma once

#include "driver/driver.h"

#include <memory>
#include <string>

namespace dyno::clickhouse {

//! Everything that a connection needs, read once from a ConnectTarget so that a reconnect parses nothing.
struct ConnectOptions
{
    std::string url;           //!< with the settings of each request; never a user or password
    std::string resolve;       //!< HOST:PORT:ADDRESS as libcurl wants it, "" = ask for the name
    std::string user;          //!< "" = the server's default one
    std::string password;      //!< "" = none
    bool tls = false;          //!< https
    bool verify = false;       //!< the certificate and its name are checked
    bool tlsByDefault = false; //!< nothing says so: the server is on another machine
    std::string caFile, caFolder, certFile, keyFile;
    std::string minTlsVersion; //!< "1.2", "1.3", "" = the library's
    int connectTimeoutSeconds = 10;
    bool compress = false; //!< requests; the URL asks for compressed answers
    bool bulk = false;     //!< RequestKind::Bulk may come
};

[[nodiscard]] OptionSpecs connectionOptions();
//! `forSessions`: with the plan's own settings of the load's connections; the control plane has none. Asks no name
//! server.
[[nodiscard]] Expected<ConnectOptions> readOptions(const ConnectTarget& target, bool forSessions);
//! The same for all sessions of a target, whose host's name is asked for once. Blocks for that. Any thread.
[[nodiscard]] Expected<std::shared_ptr<const ConnectOptions>> sharedOptions(const ConnectTargetPtr& target);

} // namespace dyno::clickhouse
