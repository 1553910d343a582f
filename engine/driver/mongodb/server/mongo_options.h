// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How a managed server of MongoDB's protocol is told its knobs: mongod by a configuration file, FerretDB 1 by its
//! command line. Source: "Configuration File Options" and "MongoDB Server Parameters" of MongoDB's manual,
//! "Configuration flags" of FerretDB's.
#pragma once

#include "server/lifecycle/server_binaries.h"

#include <dyno/error.h>
#include <dyno/value.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! What the server is told beside the plan's knobs.
struct MongoNeeds
{
    std::filesystem::path folder; //!< of the server: data/, state/, tls/, keys/, server.cnf, error.log
    std::filesystem::path socket;
    int port = 0;    //!< of `address`, 0 = by the socket only; mongod takes TLS there too, if a client wants it. With
                     //!< a port, the server asks for the account kMongoUser
    int tlsPort = 0; //!< FerretDB's port for TLS
    std::string address = "127.0.0.1"; //!< of this machine, where nobody comes from elsewhere
};

//! Of a server that listens on a port.
constexpr const char* kMongoUser = "dyno";
constexpr const char* kFerretdbUsersDatabase = "dynobench"; //!< FerretDB makes the user when it makes this one
constexpr const char* kMongodUsersDatabase = "admin";

//! True for a knob that stands in the configuration file under a name of its own; others are server parameters, which
//! may be set while it runs. journalCommitInterval is both.
[[nodiscard]] bool isMongodOption(std::string_view knob);

constexpr const char* kSetKey = "keys/set.key";    //!< in the folder of the server: what members of a set share
constexpr const char* kReplicaSet = "replSetName"; //!< the knob
//! The name of the set whose only member the server is to be; "" when it stands alone.
[[nodiscard]] std::string replicaSetOf(const Settings& knobs);

//! The text of mongod's configuration file (YAML). `knobs` by name. Error: a knob that this build cannot have, or a
//! value with a line break.
[[nodiscard]] Expected<std::string> mongodConfig(const ServerBinaries& server, const MongoNeeds& needs,
                                                 const Settings& knobs);

//! FerretDB's arguments, without the program. Error: a knob that it does not have, or a value that is none of it.
[[nodiscard]] Expected<std::vector<std::string>> ferretdbArguments(const MongoNeeds& needs, const Settings& knobs);

} // namespace dyno
