// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What Dynobench knows of a proxy that it can start between the users and their server: an object of each in a folder
//! of its own, engine/server/proxy/PROXY. This folder has what all of them share (finding the program, private folder,
//! process, clean-up) and asks these objects for the rest.
//!
//! A new proxy is an object in a folder of its own, a line in proxy_recipes.cpp, and its source in CMakeLists.txt.
#pragma once

#include "driver/driver.h"
#include "server/lifecycle/child_process.h"

#include <dyno/path.h>
#include <dyno/uri.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

struct ProxyNames
{
    const char* id;                    //!< as in target.path
    const char* name;                  //!< for people
    std::vector<const char*> programs; //!< names of its program
    std::vector<const char*> drivers;  //!< ids of those whose protocol it speaks; empty: it passes any on
    const char* remedy;                //!< when it is not found
    bool signsIn = false;              //!< it is the server's client itself: it has their password, and ends TLS
    bool pools = false;                //!< it takes a PoolShape
};

//! One way through a proxy.
struct ProxyRoute
{
    Endpoint listens;     //!< where the users come
    Endpoint server;      //!< where their server is
    ConnectTarget target; //!< the server as a direct connection has it, with its password
    int connections = 1;  //!< so many at a time
    PoolShape pool = {};
    std::string version; //!< of the proxy
    std::string folder;  //!< of its files, as its program finds it
};

struct ProxyFile
{
    std::string name, text;
};

//! One proxy. Stateless; any thread.
class ProxyRecipe
{
public:
    explicit ProxyRecipe(ProxyNames names)
        : m_names(std::move(names))
    {
    }
    virtual ~ProxyRecipe() = default;
    [[nodiscard]] const ProxyNames& names() const { return m_names; }
    [[nodiscard]] bool speaks(std::string_view driver) const;

    //! What its program is started with to print its version, and that version; "" when it is not what it prints.
    [[nodiscard]] virtual std::vector<std::string> versionArguments() const = 0;
    [[nodiscard]] virtual std::string readVersion(std::string_view output) const = 0;
    //! Why it cannot lead to this target, which has what is needed of it otherwise; `server`: where that listens, where
    //! this is known.
    [[nodiscard]] virtual std::optional<Error> problem(const TargetUri& /*target*/,
                                                       const std::optional<Endpoint>& /*server*/) const
    {
        return {};
    }
    //! What users with this direct connection do that it forbids, or why it cannot take their place. `version`: its
    //! own, "" = not known yet. Reads no file.
    [[nodiscard]] virtual std::optional<Error> usersProblem(const ConnectTarget& /*direct*/, const PoolShape& /*pool*/,
                                                            const std::string& /*version*/) const
    {
        return {};
    }
    //! Whether it speaks TLS with the users itself, with server.pem and server.key of its folder, whose authority is
    //! ca.pem.
    [[nodiscard]] virtual bool servesTls(const ProxyRoute& /*route*/) const { return false; }
    //! Lets the users ask for that, and trust this authority alone.
    virtual void useTls(ConnectTarget& /*users*/, const std::string& /*authority*/) const {}
    //! How it runs; with another account its files and its socket are that account's.
    [[nodiscard]] virtual ProcessManners manners() const { return {}; }
    //! The text of its configuration, which goes into results: without secrets. It listens there alone, and works in
    //! the foreground.
    [[nodiscard]] virtual std::string configuration(const ProxyRoute& route) const = 0;
    //! Files beside it that only its account may read.
    [[nodiscard]] virtual std::vector<ProxyFile> secretFiles(const ProxyRoute& /*route*/) const { return {}; }
    //! The arguments that start it with a file of that text.
    [[nodiscard]] virtual std::vector<std::string> arguments(const std::filesystem::path& configuration) const = 0;

private:
    ProxyNames m_names;
};

//! All of them, in the order in which people are told of them.
[[nodiscard]] const std::vector<const ProxyRecipe*>& proxyRecipes();
//! Why so many users do not fit a pool; nothing where they do.
[[nodiscard]] std::optional<Error> poolProblem(const ProxyRecipe& recipe, const PoolShape& pool, int users);
//! For people: " (transaction pooling, 20 connections)"; "" of the usual one.
[[nodiscard]] std::string poolName(const PoolShape& pool);
//! nullptr when there is none.
[[nodiscard]] const ProxyRecipe* proxyRecipeFor(std::string_view id);

} // namespace dyno
