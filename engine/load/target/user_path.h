// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The way of a point's users to their target: directly, through a proxy that is started for them, or through an
//! address. Loading, counters and settings keep to the direct connection.
#pragma once

#include "driver/driver.h"
#include "server/proxy/managed_proxy.h"

#include <dyno/path.h>
#include <dyno/plan.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace dyno {

//! An error of a connection through `name` says so, and that its remedy is meant for `path`, as the plan has it: what
//! helps is to be done there, not to the target's URI.
[[nodiscard]] Error throughPath(Error error, const std::string& name, const std::string& path);

//! Control thread only. The destructor ends the proxy.
class UserPath
{
public:
    UserPath(std::filesystem::path workDir, std::function<bool()> stopped)
        : m_workDir(std::move(workDir))
        , m_stopped(std::move(stopped))
    {
    }

    struct Way
    {
        ConnectTargetPtr users;    //!< what they connect to; `direct` itself on the direct path
        std::string name;          //!< "HAProxy 2.6.12", the address; "" = direct
        std::string configuration; //!< of a proxy that was started
        std::string note;          //!< what is worth an event; "" = nothing
        std::string warning;       //!< of connections to another machine; "" = nothing
        std::string transport;     //!< how they connect, with the cipher, where it is not as directly; "" = alike
        std::int64_t startNs = 0, startLengthNs = 0; //!< of a proxy
        bool started = false;                        //!< a proxy, just now
    };
    //! Whether the run may write on a server that nobody has looked at yet.
    using MayWrite = std::function<Expected<void>(const TargetUri& uri, Admin& admin)>;
    //! Brings the point's path up and sees that the server answers through it. `direct`: as everything else connects,
    //! with its facts; `distant`: it is on another machine; `mayWriteThere`: asked where the path leads to another
    //! server.
    [[nodiscard]] Expected<Way> open(const PointSpec& point, Driver& driver, ConnectTargetPtr direct,
                                     const ServerFacts& facts, bool distant, const MayWrite& mayWriteThere);
    [[nodiscard]] ManagedProxy* proxy() { return m_proxy.get(); } //!< nullptr when none runs

private:
    [[nodiscard]] Expected<void> startProxy(const TargetPath& path, const PointSpec& point, const ConnectTarget& direct,
                                            bool& started);

    std::filesystem::path m_workDir;
    std::function<bool()> m_stopped;
    std::unique_ptr<ManagedProxy> m_proxy;
};

} // namespace dyno
