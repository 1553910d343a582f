// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How the users of a load reach their target (TargetSpec::path): directly, through a proxy that Dynobench starts, or
//! through an address that the person gives. Everything else (loading, counters, settings) connects directly.
//! Pure functions but for missingProxy(); any thread.
#pragma once

#include "error.h"

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

struct TargetPath
{
    enum class Kind { Direct, Proxy, Address };
    Kind kind = Kind::Direct;
    std::string proxy = {}; //!< of Proxy: its id
    Endpoint address = {};  //!< of Address
};
//! "direct" (also ""), the id of a proxy, "host:port", "[IPv6]:port", or the absolute path of a Unix socket.
[[nodiscard]] Expected<TargetPath> parsePath(std::string_view text);
//! The forms that it takes: "direct, haproxy (started for the users), HOST:PORT, …".
[[nodiscard]] std::string pathForms();
inline constexpr const char* kPathHelp = "how the users reach the target";

//! Why the users of this target cannot go by this path; nothing when they can.
[[nodiscard]] std::optional<Error> pathProblem(const TargetUri& target, const TargetPath& path);

//! A proxy that Dynobench can start.
struct ProxyInfo
{
    std::string id;   //!< as in a plan
    std::string name; //!< as people call it
};
[[nodiscard]] const std::vector<ProxyInfo>& proxies();
//! The name of a proxy by its id; any other path as it is.
[[nodiscard]] std::string pathName(std::string_view path);
//! The target's URI without a password, followed by " through PATH" when its path is not direct.
[[nodiscard]] std::string targetText(const TargetSpec& target);

//! Why this path's proxy cannot be started here: it is not installed. Nothing for other paths. Looks into folders and
//! asks programs for their version; any thread but the window's.
[[nodiscard]] std::optional<Error> missingProxy(std::string_view path);

} // namespace dyno
