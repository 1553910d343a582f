// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which MariaDB servers are installed here.
#pragma once

#include <dyno/error.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

struct MariadbBinaries
{
    std::filesystem::path server;    //!< mariadbd
    std::filesystem::path installer; //!< mariadb-install-db
    std::filesystem::path basedir;   //!< set for one that lies in a folder of its own; else empty
    std::string version;             //!< "10.11.19-MariaDB-0+deb12u1"
};

//! Finds a server below `basedir`, or in the path and the usual places when it is empty. `version` ("10.11" or longer)
//! must be a prefix of the server's, by whole numbers; empty takes the first that is found. The error lists what was
//! found and names the package.
[[nodiscard]] Expected<MariadbBinaries> findMariadb(const std::filesystem::path& basedir, std::string_view version);

//! The version in the output of `mariadbd --version`; "" when it is not a MariaDB server.
[[nodiscard]] std::string mariadbVersionIn(std::string_view output);
//! "10.11" fits "10.11.19-MariaDB", "10.1" does not.
[[nodiscard]] bool versionFits(std::string_view version, std::string_view wanted);

} // namespace dyno
