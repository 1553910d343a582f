// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Finds the program of a managed server and asks it for its version, without starting a server.
#pragma once

#include <dyno/uri.h>

#include <filesystem>
#include <string>

namespace dyno {

struct FoundProgram
{
    std::filesystem::path path;
    std::string product; //!< "MariaDB", "MySQL"
    std::string version; //!< "10.11.19-MariaDB"
};
//! Looks in the URI's `basedir`, else in the path and the usual places. Blocks while the program answers (below 0.1 s).
[[nodiscard]] Expected<FoundProgram> findServerProgram(const TargetUri& target);

} // namespace dyno
