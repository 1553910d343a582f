// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How the users of a load reach their target (TargetSpec::path): directly, through a proxy that Dynobench starts, over
//! a network link that it makes as slow as wanted, or through an address that the person gives. Everything else
//! (loading, counters, settings) connects directly; counters of a server behind a link come over it. Pure functions but
//! for missingProxy(); any thread.
#pragma once

#include "error.h"
#include "value.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

struct TargetSpec;
struct TargetUri;

inline constexpr const char* kDirectPath = "direct";
//! The key of an address that the users' connections go to.
inline constexpr std::string_view kPathKey = "target.path";

//! A place that something listens on: a host with its port, or a Unix socket.
struct Endpoint
{
    std::string host; //!< "" with a socket
    int port = 0;
    std::string socket = {};                   //!< absolute
    [[nodiscard]] std::string display() const; //!< "host:port", "[::1]:port", the socket's path
    bool operator==(const Endpoint&) const = default;
};

//! Limits of a network link to a managed server.
struct LinkShape
{
    double bitsPerSecond = 0; //!< in each direction, 0 = none; 1 kbit/s … 1 Tbit/s
    double delayMs = 0;       //!< added to a round trip, 0 = none; 1 µs … 10 s
    bool operator==(const LinkShape&) const = default;
};
//! "link", "link:1Gbit", "link:100Mbit/5ms", "link:5ms".
[[nodiscard]] std::string linkText(const LinkShape& link);
//! For people: "a network link of 1 Gbit/s with 200 µs more a round trip".
[[nodiscard]] std::string linkName(const LinkShape& link);

//! How a pooler shares its connections to the server among the users.
struct PoolShape
{
    bool perTransaction = false; //!< a user holds one from the begin of a transaction to its end; else until they leave
    int connections = 0;         //!< at most; 0 = one for each user. Always set with perTransaction
    bool operator==(const PoolShape&) const = default;
};
//! "PROXY:session", "PROXY:session/20", "PROXY:transaction/20".
[[nodiscard]] std::string poolText(std::string_view proxy, const PoolShape& pool);

struct TargetPath
{
    enum class Kind { Direct, Proxy, Address, Link };
    Kind kind = Kind::Direct;
    std::string proxy = {}; //!< of Proxy: its id
    Endpoint address = {};  //!< of Address
    LinkShape link = {};    //!< of Link
    PoolShape pool = {};    //!< of Proxy, where it pools
};
//! "direct" (also ""), the id of a proxy, of one that pools also "PROXY:session" or "PROXY:transaction", each with
//! "/CONNECTIONS", "link:RATE[/DELAY]" with a rate in kbit, Mbit or Gbit and a delay in us or
//! ms, "host:port", "[IPv6]:port", or the absolute path of a Unix socket.
[[nodiscard]] Expected<TargetPath> parsePath(std::string_view text);
//! The forms that it takes: "direct, haproxy (started for the users), HOST:PORT, …".
[[nodiscard]] std::string pathForms();
inline constexpr const char* kPathHelp = "how the users reach the target";

//! Why the users of this target cannot go by this path; nothing when they can.
[[nodiscard]] std::optional<Error> pathProblem(const TargetUri& target, const TargetPath& path);
//! Why so many users with these connection knobs cannot go by this path, as far as it shows without starting anything.
[[nodiscard]] std::optional<Error> usersProblem(const TargetUri& target, const TargetPath& path,
                                                const Settings& connection, int users);
//! How many connections reach the server when so many users go by this path.
[[nodiscard]] int connectionsOf(const TargetPath& path, int users);

//! A proxy that Dynobench can start.
struct ProxyInfo
{
    std::string id;       //!< as in a plan
    std::string name;     //!< as people call it
    bool pools = false;   //!< takes a PoolShape
    bool signsIn = false; //!< to the server in place of the users: it is given their password
};
[[nodiscard]] const std::vector<ProxyInfo>& proxies();
//! The name of a proxy, with how it pools, of a link by its limits; any other path as it is.
[[nodiscard]] std::string pathName(std::string_view path);
//! The target's URI without a password, followed by " through PATH" when its path is not direct.
[[nodiscard]] std::string targetText(const TargetSpec& target);

//! Why this path's proxy cannot be started, or its link be made here: what is not installed, or not allowed. Nothing
//! for other paths. Looks into folders and asks programs for their version; any thread but the window's.
[[nodiscard]] std::optional<Error> missingProxy(std::string_view path);

} // namespace dyno
