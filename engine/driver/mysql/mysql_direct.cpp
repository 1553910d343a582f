// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_direct.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <mysql.h>

namespace dyno::mysql {

namespace {
//! Versions of Connector/C that the driver's contract tests have run with on the direct path.
constexpr std::array<std::string_view, 1> kTestedVersions {"3.3.20"};
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
    return directPath(knob, MARIADB_PACKAGE_VERSION, mysql_get_client_info());
}

} // namespace dyno::mysql
