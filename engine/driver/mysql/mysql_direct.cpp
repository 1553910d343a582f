// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_direct.h"

#include "mysql_library.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace dyno::mysql {

namespace {
//! Versions of Connector/C that the driver's contract tests have run with on the direct path.
constexpr std::array<std::string_view, 1> kTestedVersions{"3.3.20"};
} // namespace

std::string directPath(std::string_view knob, std::string_view built, std::string_view loaded)
{
    if (knob == "off")
        return "off";
    if (built != loaded)
        return fmt::format("off: built with Connector/C {}, but {} is loaded", built, loaded);
    if (std::ranges::find(kTestedVersions, loaded) == kTestedVersions.end())
        return fmt::format("off: Connector/C {} is not tested", loaded);
    return std::string(kDirect);
}

std::string directPath(std::string_view knob)
{
#if DYNO_ORACLE_CLIENT
    return knob == "off" ? "off" : fmt::format("off: not with {}", kLibrary);
#else
    return directPath(knob, MARIADB_PACKAGE_VERSION, mysql_get_client_info());
#endif
}

std::size_t directFrom(const ConnectTarget& target)
{
    const std::string knob = textOf(target.connection, "direct", "auto");
    if (directPath(knob) != kDirect)
        return SIZE_MAX;
    return knob == "always" ? 0 : kDirectFrom;
}

std::string directPath(const ConnectTarget& target)
{
    std::string path = directPath(textOf(target.connection, "direct", "auto"));
    if (path != kDirect)
        return path;
    if (target.eventLoop)
        return "off: users live on event loops";
    const std::size_t from = directFrom(target);
    const bool any = std::ranges::any_of(target.statements, [from](const StatementSpec& one) {
        return one.preparable && one.parameters.size() >= from;
    });
    return any ? path : fmt::format("off: no statement has {} values or more", from);
}

} // namespace dyno::mysql
