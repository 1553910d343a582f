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

class ServerRecipe;

//! What managed: takes, see server_recipes.cpp.
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
    const ServerRecipe* recipe = nullptr; //!< never that of one that was found
    std::string name;                     //!< as it calls itself: "Percona Server"
    std::string version;                  //!< "10.11.19-MariaDB-0+deb12u1"
    std::string build;                    //!< "debian-linux-gnu on x86_64 (Debian 12)"
    std::filesystem::path server;
    std::filesystem::path installer;   //!< a program that makes its data folder, where there is one
    std::filesystem::path shippedData; //!< a data folder that came with it, or empty
    std::filesystem::path folder;      //!< as a URI names it; empty for one of the distribution
    // What some servers are told of themselves when they do not lie in /usr; empty otherwise.
    std::filesystem::path basedir;
    std::filesystem::path messages; //!< holds english/errmsg.sys
    std::filesystem::path plugins;
    std::filesystem::path libraries; //!< shared libraries that it brings and does not find by itself

    [[nodiscard]] const char* product() const; //!< as in managed:PRODUCT; "" without a recipe
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
    std::string product = managedProducts().front(); //!< one of them
    std::filesystem::path basedir;                   //!< empty: the path and the usual places
    std::string version; //!< "10.11" or longer: a prefix by whole numbers; empty takes the first found
};
[[nodiscard]] ServerWish wishOf(const TargetUri& uri);

//! Finds a server. Errors say what was looked for, where, what was found instead, and the package to install. Blocks
//! while the programs print their version (0.1 s each).
[[nodiscard]] Expected<ServerBinaries> findServer(const ServerWish& wish);

//! What the output of a server's program says of its version, product by its own words. `version` "" and no recipe when
//! it is none.
[[nodiscard]] ServerBinaries readVersionLine(std::string_view output);
//! "10.11" fits "10.11.19-MariaDB", "10.1" does not.
[[nodiscard]] bool versionFits(std::string_view version, std::string_view wanted);

//! Where programs of the system lie: the folders of the path, then those that an ordinary user's path does not lead to.
[[nodiscard]] std::vector<std::filesystem::path> programFolders();

//! Questions about what lies beside a program; "no" also where one may not look. Any thread.
[[nodiscard]] bool isProgram(const std::filesystem::path& path);
[[nodiscard]] bool isThere(const std::filesystem::path& path);
//! The first that fits, or "".
[[nodiscard]] std::filesystem::path firstThat(const std::vector<std::filesystem::path>& candidates,
                                              bool (*fits)(const std::filesystem::path&));

} // namespace dyno
