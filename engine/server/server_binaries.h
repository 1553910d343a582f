// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which database servers are installed here: the one place that looks for their programs.
#pragma once

#include <dyno/servers.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

enum class ServerFamily { Mariadb, Mysql, Mongodb, Ferretdb };

//! What managed: takes: "mariadb", "mysql", "mongodb", "ferretdb".
[[nodiscard]] std::vector<std::string> managedProducts();

//! The first three numbers of a version.
struct ServerVersion
{
    int major = 0, minor = 0, patch = 0;
    auto operator<=>(const ServerVersion&) const = default;
};
[[nodiscard]] ServerVersion serverVersionOf(std::string_view text);

//! A server's program and what it needs to be started.
struct ServerBinaries
{
    ServerFamily family = ServerFamily::Mariadb;
    std::string name;    //!< "MariaDB", "MySQL", "Percona Server", "MongoDB", "FerretDB"
    std::string version; //!< "10.11.19-MariaDB-0+deb12u1"
    std::string build;   //!< "debian-linux-gnu on x86_64 (Debian 12)"; MongoDB: its modules and machine
    std::filesystem::path server;
    std::filesystem::path installer;   //!< mariadb-install-db; MySQL before 5.7: mysql_install_db, or empty
    std::filesystem::path shippedData; //!< MySQL before 5.7: a data folder that came with it, or empty
    std::filesystem::path folder;      //!< as a URI names it; empty for one of the distribution
    // What a server of the MySQL family is told of itself when it does not lie in /usr; empty otherwise.
    std::filesystem::path basedir;
    std::filesystem::path messages; //!< holds english/errmsg.sys
    std::filesystem::path plugins;
    std::filesystem::path libraries; //!< shared libraries that it brings and does not find by itself

    [[nodiscard]] const char* product() const; //!< as in managed:PRODUCT
    [[nodiscard]] const char* driver() const;  //!< id of the driver that speaks to it
    [[nodiscard]] bool atLeast(ServerVersion wanted) const { return serverVersionOf(version) >= wanted; }
    //! Variables that its programs need: "LD_LIBRARY_PATH=…".
    [[nodiscard]] std::vector<std::string> environment() const;
    //! managed:PRODUCT, with the folder where there is one.
    [[nodiscard]] std::string uri() const;
    //! Where a plugin's file would lie, asking the program when its folder is not known. Blocks for up to a second.
    [[nodiscard]] std::filesystem::path pluginFolder() const;
};

//! What is looked for.
struct ServerWish
{
    std::string product = "mariadb"; //!< one of managedProducts()
    std::filesystem::path basedir;   //!< empty: the path and the usual places
    std::string version;             //!< "10.11" or longer: a prefix by whole numbers; empty takes the first found
};
[[nodiscard]] ServerWish wishOf(const TargetUri& uri);

//! Finds a server. Errors say what was looked for, where, what was found instead, and the package to install. Blocks
//! while the programs print their version (0.1 s each).
[[nodiscard]] Expected<ServerBinaries> findServer(const ServerWish& wish);

//! What the output of `mysqld --version` says, of `mongod --version`, of `ferretdb --version`; family by its own words.
//! `version` "" when it is none.
[[nodiscard]] ServerBinaries readVersionLine(std::string_view output);
//! "10.11" fits "10.11.19-MariaDB", "10.1" does not.
[[nodiscard]] bool versionFits(std::string_view version, std::string_view wanted);

} // namespace dyno
