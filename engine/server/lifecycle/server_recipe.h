// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What Dynobench knows of a server that it can start, by an object of each product in the folder of the driver that
//! speaks to it: engine/driver/DRIVER/server. This folder has what all of them share (folder, process, restart, copy of
//! the data, clean-up) and asks these objects for the rest.
//!
//! Includes go from the recipes to this folder; here only server_recipes.cpp, the list, includes recipes. The drivers
//! themselves (engine/driver/DRIVER) include neither. Recipes are in every build, also in one without their driver.
//!
//! A new product is an object in its driver's folder, a line in server_recipes.cpp, and its sources in CMakeLists.txt.
#pragma once

#include "server/lifecycle/child_process.h"
#include "server/lifecycle/server_binaries.h"

#include <compare>
#include <dyno/servers.h>
#include <dyno/value.h>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dyno {

class Driver;
class PreflightList;
class ServerInFolder;
struct PreflightNeeds;
struct ServerPlace;

//! How a server is called, and where its programs lie.
struct ServerNames
{
    const char* product; //!< as in managed:PRODUCT; also the word of knob editions for it
    const char* driver;  //!< id of the driver that speaks to it
    //! Another word, in lower case, that is part of the name of a server of this product; nullptr when there is none.
    const char* alsoCalled;
    std::vector<const char*> programs; //!< names of the server's program, the usual one first
    std::vector<const char*> folders;  //!< where it lies, besides the system's path and usual folders
    const char* what;                  //!< "MariaDB server", for messages
    const char* remedy;                //!< when none is found
    const char* remedyInFolder;        //!< when there is none in the folder that somebody named
    bool needsDriver;                  //!< cannot be started without the driver
    bool tcpOnly = false;              //!< has no Unix socket for its protocol
};

//! What a file of a data folder is.
struct DataFile
{
    std::string kind;  //!< as in DataPart
    std::string table; //!< "" = of none
    auto operator<=>(const DataFile&) const = default;
};

//! One product. Stateless; any thread, except for what make() makes.
class ServerRecipe
{
public:
    explicit ServerRecipe(ServerNames names)
        : m_names(std::move(names))
    {
    }
    virtual ~ServerRecipe() = default;
    [[nodiscard]] const ServerNames& names() const { return m_names; }

    //! Where its programs lie below the folder `top` besides the usual places, those to be taken first first. Default:
    //! nowhere.
    [[nodiscard]] virtual std::vector<std::filesystem::path> foldersBelow(const std::filesystem::path& /*top*/) const
    {
        return {};
    }
    //! What its program is started with to print its version.
    [[nodiscard]] virtual std::vector<std::string> versionArguments() const { return {"--version"}; }
    //! What a program that prints no version when it is asked says of it otherwise. Blocks for up to some seconds.
    //! Default: nothing.
    [[nodiscard]] virtual std::string versionOtherwise(const std::filesystem::path& server) const;
    //! Reads that: name, version and build. False when it is not what this product prints.
    [[nodiscard]] virtual bool readVersion(std::string_view output, ServerBinaries& read) const = 0;
    //! Fills in what lies beside the program `found.server`.
    virtual void lookAround(ServerBinaries& found) const = 0;
    //! Why it cannot be used; "" when it can. Default: it can.
    [[nodiscard]] virtual std::string unusable(const ServerBinaries& found) const;
    //! See ServerBinaries::pluginFolder(). Default: it has none.
    [[nodiscard]] virtual std::filesystem::path pluginFolder(const ServerBinaries& server) const;

    //! How its programs run and end. Default: as ours, by the usual signals.
    [[nodiscard]] virtual ProcessManners manners() const { return {}; }
    //! Whether its programs find the data folder under kHandedFolder: it is there then, and belongs to the account of
    //! manners(). Default: no, they are told its name.
    [[nodiscard]] virtual bool handsDataOver() const { return false; }
    //! Whether this version takes over data that another one has made. Default: of the first two numbers alike.
    [[nodiscard]] virtual bool takesDataOf(const ServerVersion& made, const ServerVersion& version) const
    {
        return made.major == version.major && made.minor == version.minor;
    }

    //! The command that makes the data folder `folder`, with `temporary` for temporary files; empty when a shipped one
    //! is copied instead, which is the default.
    [[nodiscard]] virtual std::vector<std::string> initialiseCommand(const ServerBinaries& server,
                                                                     const std::filesystem::path& folder,
                                                                     const std::filesystem::path& temporary,
                                                                     const Settings& initialisation) const;
    //! A server in a folder, not started: its option file, arguments and accounts, and when it is ready. Control
    //! thread.
    [[nodiscard]] virtual std::unique_ptr<ServerInFolder> make(ServerPlace place) const = 0;
    //! canStartWith() without the ports.
    [[nodiscard]] virtual Expected<void> canStart(const ServerBinaries& server, const Settings& wanted,
                                                  bool tcp) const = 0;
    //! Whether a server that is started with `wanted` has what tables with these options need. Default: it has.
    [[nodiscard]] virtual Expected<void> canHold(const Settings& table, const Settings& wanted) const;
    //! Whether it brings what keeps keys for the knob `encryption`. Error: what is missing and the package. Blocks for
    //! up to a second. Default: an error, it has no such knob.
    [[nodiscard]] virtual Expected<void> canEncrypt(const ServerBinaries& server) const;
    //! What stands in the way of a plan once it runs, as far as can be told without starting it. `server`: nullptr when
    //! none was found; `connection`: knobs of that scope.
    virtual void preflight(const ServerBinaries* server, const PreflightNeeds& needs, const Settings& connection,
                           PreflightList& list) const = 0;

    //! Arguments, one behind the other, that a server in `folder` is started with and no other process has.
    [[nodiscard]] virtual std::vector<std::string> marks(const std::filesystem::path& folder) const = 0;
    //! What a line of its log says that tells an error; "" when it tells none. A part of `line`.
    [[nodiscard]] virtual std::string_view errorIn(std::string_view line) const = 0;
    //! What the file `below` (path from the data folder) is; tables of the database `ours` are named without it.
    [[nodiscard]] virtual DataFile fileOf(const std::filesystem::path& below, const std::string& ours) const = 0;
    //! Of a table's file: bytes in pages that hold values outside the rows. Default: its files do not say.
    [[nodiscard]] virtual std::optional<std::uint64_t> offPageBytes(const std::filesystem::path& /*file*/) const
    {
        return {};
    }
    //! Whether the log of a start that failed says that processes of a killed server are not gone yet: the next try may
    //! succeed. Default: no.
    [[nodiscard]] virtual bool saysOthersStillEnd(std::string_view /*log*/) const { return false; }

private:
    ServerNames m_names;
};

//! All of them, in the order in which people are told of them.
[[nodiscard]] const std::vector<const ServerRecipe*>& serverRecipes();
//! nullptr when there is none.
[[nodiscard]] const ServerRecipe* recipeFor(std::string_view product);
//! The driver that speaks to it; an error that says how to build it when this build has none.
[[nodiscard]] Expected<Driver*> driverOf(const ServerRecipe& recipe);

} // namespace dyno
