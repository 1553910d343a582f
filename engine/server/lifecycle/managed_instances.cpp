// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/lifecycle/child_process.h"
#include "server/lifecycle/data_parts.h"
#include "server/lifecycle/managed_server.h"
#include "server/lifecycle/private_folder.h"
#include "server/lifecycle/server_in_folder.h"
#include "server/remote/server_price.h"

#include <dyno/runner.h>
#include <dyno/servers.h>

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <unistd.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

std::string lineOf(const fs::path& file)
{
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

Error notNamed(const TargetUri& uri)
{
    return {ErrorKind::BadInput, fmt::format("{} has no name, so it belongs to a session", uri.display()),
            uri.display(),
            fmt::format("write managed:{}?name=NAME for a server that stays", managedProducts().front())};
}

} // namespace

const char* toText(InstanceState state)
{
    switch (state) {
    case InstanceState::Stopped:
        return "stopped";
    case InstanceState::Running:
        return "running";
    case InstanceState::Busy:
        return "busy";
    case InstanceState::Left:
        return "left";
    }
    return "";
}

struct ManagedInstances::Private
{
    fs::path workDir;
    std::map<std::string, std::unique_ptr<ManagedServer>> servers; //!< what this keeper started, by name

    //! A named one, else a session's; by the folder's name.
    [[nodiscard]] fs::path folderOf(const std::string& name) const
    {
        std::error_code ignored;
        for (const fs::path& kind : {namedServersFolder(workDir), sessionServersFolder(workDir)}) {
            if (isServerName(name) && fs::is_directory(kind / name, ignored))
                return kind / name;
        }
        return {};
    }

    [[nodiscard]] ServerInstance describe(const fs::path& folder, bool named) const
    {
        ServerInstance instance;
        instance.name = folder.filename().string();
        instance.named = named;
        instance.folder = folder;
        const FolderFacts facts = readFolderFacts(folder);
        instance.product = facts.product;
        instance.version = facts.version;
        if (named)
            instance.uri = fmt::format("managed:{}?name={}", facts.product, instance.name);
        if (named)
            instance.price = readInstancePrice(folder);
        const FolderState state = folderState(folder);
        instance.process = state.server;
        std::error_code ignored;
        const bool kept = named || fs::exists(folder / "keep", ignored);
        if (state.locked)
            instance.state = state.owner == ::getpid() ? InstanceState::Running : InstanceState::Busy;
        else
            instance.state = kept && state.server == 0 ? InstanceState::Stopped : InstanceState::Left;
        // A server of ours that ended by itself, or is only being made.
        if (instance.state == InstanceState::Running && state.server == 0 && servers.contains(instance.name))
            instance.state = InstanceState::Stopped;
        const fs::path socketFolder = lineOf(folder / "socket");
        std::vector<fs::path> sockets = {socketFolder / "s", socketFolder / "s.sock"}; // none with TCP alone
        for (const fs::directory_entry& entry : fs::directory_iterator(socketFolder, ignored))
            sockets.push_back(entry.path()); // the others' names hold a port
        const auto there = std::ranges::find_if(sockets, [](const fs::path& path) {
            std::error_code none;
            return fs::is_socket(path, none);
        });
        if (instance.process > 0 && there != sockets.end())
            instance.socket = there->string();
        instance.bytes = allocatedBytes(folder);
        return instance;
    }
};

ManagedInstances::ManagedInstances(fs::path workDir)
    : d(std::make_unique<Private>())
{
    std::error_code ignored;
    d->workDir = fs::absolute(workDir.empty() ? dataFolder() : workDir, ignored);
}

ManagedInstances::~ManagedInstances() = default; // each server stops when it goes

std::vector<ServerInstance> ManagedInstances::list()
{
    std::vector<ServerInstance> instances;
    for (const bool named : {true, false}) {
        std::error_code error;
        for (const fs::directory_entry& entry :
             fs::directory_iterator(named ? namedServersFolder(d->workDir) : sessionServersFolder(d->workDir), error)) {
            if (entry.is_directory(error))
                instances.push_back(d->describe(entry.path(), named));
        }
    }
    std::sort(instances.begin(), instances.end(), [](const ServerInstance& a, const ServerInstance& b) {
        return a.named != b.named ? a.named : a.name < b.name;
    });
    return instances;
}

Expected<ServerInstance> ManagedInstances::start(const TargetUri& uri, const Settings& knobs)
{
    const auto name = uri.query.find("name");
    if (uri.kind != TargetKind::Managed || name == uri.query.end())
        return fail(notNamed(uri));
    auto& server = d->servers[name->second];
    if (!server || !server->running()) {
        server.reset(); // lets go of the folder of one that died
        auto created = ManagedServer::create(uri, d->workDir);
        if (!created) {
            d->servers.erase(name->second);
            return fail(std::move(created.error()));
        }
        server = std::move(*created);
    }
    if (auto started = server->ensure(knobs); !started) {
        d->servers.erase(name->second);
        return fail(std::move(started.error()));
    }
    return d->describe(server->folder(), true);
}

Expected<void> ManagedInstances::stop(const std::string& name)
{
    const auto found = d->servers.find(name);
    if (found != d->servers.end()) {
        auto stopped = found->second->stop();
        d->servers.erase(found); // lets go of the folder, so that a session can use it
        return stopped;
    }
    const fs::path folder = d->folderOf(name);
    if (folder.empty())
        return fail({ErrorKind::BadInput, fmt::format("there is no server \"{}\"", name), d->workDir.string(), {}});
    const FolderState state = folderState(folder);
    if (!state.locked)
        return {};
    return fail({ErrorKind::Refused, fmt::format("the server \"{}\" belongs to process {}", name, state.owner),
                 folder.string(), state.owner == ::getpid() ? "end the session that uses it" : "stop it there"});
}

Expected<void> ManagedInstances::remove(const std::string& name)
{
    if (const auto found = d->servers.find(name); found != d->servers.end()) {
        if (found->second->running())
            return fail({ErrorKind::Refused, fmt::format("the server \"{}\" is running", name),
                         found->second->folder().string(), "stop it first"});
        d->servers.erase(found);
    }
    const fs::path folder = d->folderOf(name);
    if (folder.empty())
        return fail({ErrorKind::BadInput, fmt::format("there is no server \"{}\"", name), d->workDir.string(), {}});
    return PrivateFolder::remove(folder);
}

Expected<void> ManagedInstances::setPrice(const std::string& name, const Price& price)
{
    const fs::path folder = d->folderOf(name);
    if (folder.empty() || folder.parent_path() != namedServersFolder(d->workDir))
        return fail({ErrorKind::BadInput, fmt::format("there is no server \"{}\" with a name", name),
                     d->workDir.string(), "start it first: it is made at its first start, by a run too"});
    return writeInstancePrice(folder, price);
}

std::string ManagedInstances::logTail(const std::string& name, int lines) const
{
    const fs::path folder = d->folderOf(name);
    return folder.empty() ? std::string() : tailOf(folder / "error.log", lines);
}

std::vector<DataPart> ManagedInstances::dataParts(const std::string& name) const
{
    const fs::path folder = d->folderOf(name);
    if (folder.empty())
        return {};
    return dataPartsOf(readFolderFacts(folder).product, folder / "data", folder / "tmp", kManagedDatabase);
}

} // namespace dyno
