// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Target URIs: `sqlite:PATH` (`sqlite:` alone is a private file of the session), `mysql://user@host:port/db?socket=…`,
//! `managed:mariadb[?version=…&basedir=…]`, `null:[?service_us=…]`, and the others of the command-line contract.
//! Pure functions; any thread.
#pragma once

#include "error.h"
#include "value_type.h"

#include <map>
#include <string>
#include <string_view>

namespace dyno {

enum class TargetKind { Embedded, Managed, Remote };

struct TargetUri
{
    DYNO_VALUE_TYPE(TargetUri);
    TargetKind kind = TargetKind::Remote;
    std::string scheme;               //!< "sqlite", "mysql", "managed", "null", …
    std::string driver;               //!< driver id: "sqlite", "mysql", "null"; for managed the driver of the product
    std::string product;              //!< managed: "mariadb", "mysql"
    std::string user, host, database; //!< "" = the driver's default
    std::string path;                 //!< embedded: the file or folder; ~/ is the home folder
    int port = 0;                     //!< 0 = the driver's default
    std::map<std::string, std::string, std::less<>> query;
    std::string password; //!< only ever from outside the URI; never printed

    //! The URI again, percent-encoded where needed, always without a password.
    [[nodiscard]] std::string display() const;
};

//! Parses and checks a URI. A password inside it is refused: the remedy names DYNO_PASSWORD, the option file and
//! the keyring. Unknown schemes and drivers that this build lacks are faults with a remedy, and so are control
//! characters anywhere, hosts that are neither isHostName() nor an address, and a socket beside a host that is not this
//! machine.
[[nodiscard]] Expected<TargetUri> parseUri(std::string_view text);
//! True when the target's work is done on the load generator's own threads: an embedded engine, and the null target
//! unless its URI tells it to take as long as a server does (service_us=50 or more, which is waited for on a timer).
[[nodiscard]] bool worksInProcess(const TargetUri& uri);
//! Where a target's work takes cores from the load generator.
enum class WorkPlace {
    InProcess,     //!< see worksInProcess()
    OnThisMachine, //!< by a server beside it
    Elsewhere,     //!< nowhere here
};
[[nodiscard]] WorkPlace workPlaceOf(const TargetUri& uri);
//! True for what may stand for a host: one or more of the letters a to z in any case, digits, '-', '_' and '.'. Nothing
//! else is given to a client library as a host, except IPv6 addresses and MongoDB's sockets and lists of hosts.
[[nodiscard]] bool isHostName(std::string_view text);
//! True for "localhost" and the addresses of this machine's loopback interface (127.0.0.0/8, ::1).
[[nodiscard]] bool isLoopback(std::string_view host);
//! True when no network lies between: a Unix socket, loopback, or no host at all; of a list of hosts, all of them.
//! A connection to any other server is encrypted and the server verified, unless the plan or the URI says otherwise.
[[nodiscard]] bool isLocal(const TargetUri& uri);
//! `text` without a password, for messages about URIs that cannot be parsed.
[[nodiscard]] std::string redactUri(std::string_view text);

} // namespace dyno
