// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The door to servers: programs that are installed, managed instances and their folders, remote servers that are
//! known by name, settings that were changed and not put back. What is known of remote servers lies in
//! dataFolder()/servers.toml, which a person can read and write; it never holds a password. Calls block, up to some
//! seconds: never on the GUI thread.
#pragma once

#include "catalog.h"
#include "plan.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace dyno {

//! A server program on this machine.
struct ServerProgram
{
    std::string product; //!< "mariadb", "mysql": as in managed:PRODUCT
    std::string name;    //!< "MariaDB", "MySQL", "Percona Server"
    std::string version; //!< "10.11.19-MariaDB-0+deb12u1"
    std::string build;   //!< rest of its version line: machine, comment
    std::filesystem::path program;
    std::filesystem::path basedir; //!< of one that lies in a folder of its own, else empty
    std::string uri;               //!< "managed:mysql?basedir=/opt/mysql-8.0.31"
};
//! All that are found: in the path, in usual places, in `folders` and below dataFolder()/servers (unpacked tarballs),
//! best known first. Folders that hold no server are left out.
[[nodiscard]] std::vector<ServerProgram> installedServers(const std::vector<std::filesystem::path>& folders = {});

enum class InstanceState {
    Stopped, //!< its data lies there, nothing runs
    Running, //!< by this process
    Busy,    //!< by another Dynobench that lives
    Left,    //!< its owner died: its folder is cleared away at the next start of a managed server, or with remove()
};
[[nodiscard]] const char* toText(InstanceState state); //!< "stopped", "running", "busy", "left"

//! A managed server's folder.
struct ServerInstance
{
    std::string name;    //!< the folder's
    std::string product; //!< "mariadb"
    std::string version;
    InstanceState state = InstanceState::Stopped;
    bool named = false; //!< made by a person (managed:mariadb?name=…): kept until it is removed; else a session's own
    std::string uri;    //!< what a plan says to use it: "managed:mariadb?name=shop"; "" when it is a session's own
    std::filesystem::path folder;
    std::uint64_t bytes = 0; //!< on disk
    int process = 0;         //!< id of the server's process, 0 when it does not run
    std::string socket;      //!< "" when it does not run
    Price price = {};        //!< of its machine; for plans that use it by its name and say none themselves
};

//! The managed instances below one work folder. One thread, which must outlive it: the kernel stops the servers that it
//! started when that thread ends.
class ManagedInstances
{
public:
    explicit ManagedInstances(std::filesystem::path workDir = {}); //!< empty: dataFolder()
    ~ManagedInstances();                                           //!< stops what it started
    ManagedInstances(const ManagedInstances&) = delete;
    ManagedInstances& operator=(const ManagedInstances&) = delete;

    [[nodiscard]] std::vector<ServerInstance> list();
    //! Makes and starts a named instance of managed:PRODUCT?…&name=NAME; starts it when it is there already. `knobs`
    //! are server variables.
    Expected<ServerInstance> start(const TargetUri& uri, const Settings& knobs = {});
    Expected<void> stop(const std::string& name);   //!< its data stays
    Expected<void> remove(const std::string& name); //!< with its data; not one that runs
    //! Kept in the folder of a named instance, whoever runs it, and gone with it. Price() takes it away.
    Expected<void> setPrice(const std::string& name, const Price& price);
    [[nodiscard]] std::string logTail(const std::string& name, int lines = 50) const;
    [[nodiscard]] std::vector<DataPart> dataParts(const std::string& name) const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

//! Space below a work folder that nobody uses: what sessions left that were killed, and what is kept to save time.
struct LeftSpace
{
    int files = 0;           //!< private SQLite databases, their logs and copies, of sessions that are gone
    int folders = 0;         //!< of sessions' managed servers whose owner is gone and that nobody wants kept
    std::uint64_t bytes = 0; //!< of these on disk
    int templates = 0;       //!< initialised data folders that servers start from; made again when they are needed
    std::uint64_t templateBytes = 0;
    [[nodiscard]] bool empty() const { return files == 0 && folders == 0 && templates == 0; }
};
//! `workDir` empty: dataFolder(). Any thread.
[[nodiscard]] LeftSpace leftSpace(const std::filesystem::path& workDir = {});
//! Removes it. What a living process uses stays, and so does a folder of templates that is a link to another place.
//! Returns what is gone; what cannot be removed is not among it. Any thread.
LeftSpace removeLeftSpace(const std::filesystem::path& workDir = {});

//! A server that somebody else runs.
struct RemoteServer
{
    std::string uri;         //!< as display() gives it: without a password
    std::string name;        //!< "" = the URI
    bool production = false; //!< ask before any change or load
    //! Shell commands of the user for knobs that need a restart. `apply` gets the variables as lines NAME=VALUE on its
    //! standard input and writes them where the server will read them; then `restart` restarts the server; both must
    //! end with 0 within 5 minutes. Afterwards the values are read back. "" = there is none.
    std::string apply, restart;
    Price price = {}; //!< of its machine; for plans that lead to it and say none themselves
    bool operator==(const RemoteServer&) const = default;
};
struct RemoteServers
{
    std::vector<RemoteServer> servers;
    Faults faults; //!< of servers.toml, with lines; what is right of it is in `servers`
};
[[nodiscard]] std::filesystem::path remoteServersFile();                           //!< dataFolder()/servers.toml
[[nodiscard]] RemoteServers remoteServers(const std::filesystem::path& file = {}); //!< empty: remoteServersFile()
//! Adds it, or replaces the one with its URI.
Expected<void> saveRemoteServer(const RemoteServer& server, const std::filesystem::path& file = {});
Expected<void> forgetRemoteServer(std::string_view uri, const std::filesystem::path& file = {});

//! True when both lead to the same server: its socket or its host and port (localhost is 127.0.0.1), whatever user,
//! database or TLS they name.
[[nodiscard]] bool sameServer(const TargetUri& a, const TargetUri& b);
//! "mysql://ann@db1:3306": server and user of a remote target, the same text for all URIs that lead to them.
[[nodiscard]] std::string accountOf(const TargetUri& uri);

//! The prices of known servers and of named instances for the targets of these points that lead to them; what the plan
//! itself says stands. A file that cannot be read gives none. `file` empty: remoteServersFile(); `workDir` of the
//! instances, empty: dataFolder().
void addKnownPrices(std::vector<PointSpec>& points, const std::filesystem::path& file = {},
                    const std::filesystem::path& workDir = {});

//! A setting of a remote server that a Dynobench changed and did not put back before it ended.
struct LeftChange
{
    std::string target; //!< URI without password
    std::string name, oldValue, newValue;
    std::int64_t changedMs = 0; //!< since 1970, UTC; 0 = not known
    bool ownerAlive = false;    //!< a session is running that will put it back itself
};
[[nodiscard]] Expected<std::vector<LeftChange>> leftChanges(const std::filesystem::path& library);

enum class RestoreOutcome {
    Restored,    //!< the old value is in force again
    WasBack,     //!< it already was
    OthersValue, //!< somebody else set a third value meanwhile: shown, not overwritten
    Failed,
};
struct RestoredKnob
{
    std::string target, name, oldValue, ourValue, foundValue;
    RestoreOutcome outcome = RestoreOutcome::Failed;
    std::string text; //!< of a failure
};
//! Puts back what is left changed on `target` ("" = on all) and whose owner is gone. `password` is
//! for `target`, or without one for the only remote server on the list, and for none of several; so is DYNO_PASSWORD
//! when it is empty, see passwordFor().
//! What could not be put back stays written down. `overwrite`: values of others too.
[[nodiscard]] Expected<std::vector<RestoredKnob>> restoreLeftChanges(const std::filesystem::path& library,
                                                                     std::string_view target = {},
                                                                     const std::string& password = {},
                                                                     bool overwrite = false);
//! Takes them off the list without touching the server.
Expected<void> forgetLeftChanges(const std::filesystem::path& library, std::string_view target);

//! A variable in force and what the server would have without being told.
struct VariableState
{
    std::string name, value, defaultValue; //!< default "" = not known
    bool knob = false;                     //!< the catalogue knows it
    bool dynamic = false;                  //!< can be set while it runs
};
//! All variables of a target that answers.
[[nodiscard]] Expected<std::vector<VariableState>> serverVariables(const TargetUri& target);

} // namespace dyno
