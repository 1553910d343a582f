// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A proxy that Dynobench starts between the users and their server, in a private folder, listening on a Unix socket
//! there where the server does so too, else on a port of 127.0.0.1.
#pragma once

#include "server/lifecycle/child_process.h"
#include "server/lifecycle/private_folder.h"
#include "server/proxy/proxy_recipe.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dyno {

struct ProxyProgram
{
    std::filesystem::path file;
    std::string version;
};
//! The first in these folders that says that it is one; the error says what was looked for, and what to install. Blocks
//! while programs print their version.
[[nodiscard]] Expected<ProxyProgram> findProxy(const ProxyRecipe& recipe,
                                               const std::vector<std::filesystem::path>& folders);
[[nodiscard]] Expected<ProxyProgram> findProxy(const ProxyRecipe& recipe); //!< in programFolders()

//! Control thread only, and that thread must outlive it: the kernel kills the process when the thread ends, however it
//! ends.
class ManagedProxy
{
public:
    //! Finds the program and makes the folder. Starts nothing.
    [[nodiscard]] static Expected<std::unique_ptr<ManagedProxy>> create(const ProxyRecipe& recipe,
                                                                        const std::filesystem::path& workDir);
    ~ManagedProxy() { stop(); }

    //! Runs between its own place and this server with room for so many users; starts it again only where it has ended
    //! or was told something else. Returns whether it did so, once it listens. `stopped`: somebody wants to stop.
    [[nodiscard]] Expected<bool> ensure(const ConnectTarget& target, const Endpoint& server, int users,
                                        const PoolShape& pool = {}, const std::function<bool()>& stopped = {});
    void stop(); //!< at once: it holds nothing that could be lost
    //! Where the users connect, while it runs.
    [[nodiscard]] const Endpoint& listens() const { return m_route.listens; }
    //! Turns users of the server into its own, while it runs.
    void lead(ConnectTarget& users) const;
    [[nodiscard]] int process() { return m_process.running() ? int(m_process.pid()) : 0; }
    //! How it ended without having been stopped, waiting so long for its end; "" while it runs.
    [[nodiscard]] std::string endedBy(std::chrono::milliseconds patience);
    [[nodiscard]] const ProxyRecipe& recipe() const { return m_recipe; }
    [[nodiscard]] const ProxyProgram& program() const { return m_program; }
    [[nodiscard]] const std::string& configuration() const { return m_text; } //!< as it was last started with

private:
    ManagedProxy(const ProxyRecipe& recipe, ProxyProgram program, PrivateFolder folder)
        : m_recipe(recipe)
        , m_program(std::move(program))
        , m_folder(std::move(folder))
    {
    }
    [[nodiscard]] Expected<void> start(const std::function<bool()>& stopped);
    //! Where its files lie: in a folder of its account's, where it has one of its own.
    [[nodiscard]] std::filesystem::path ownFolder() const;
    [[nodiscard]] Expected<void> writeFiles();
    [[nodiscard]] std::filesystem::path socketLike(const std::string& server) const;
    [[nodiscard]] std::filesystem::path logFile() const { return m_folder.path() / "proxy.log"; }

    const ProxyRecipe& m_recipe;
    ProxyProgram m_program;
    PrivateFolder m_folder;
    ChildProcess m_process; //!< after the folder: it ends before that goes
    ProxyRoute m_route;
    std::string m_text;
    std::vector<ProxyFile> m_secrets;
};

} // namespace dyno
