// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the tests of managed servers share: URIs, small knobs, the servers that environment variables name.
#pragma once

#include "driver/driver.h"
#include "server/lifecycle/managed_server.h"

#include <QTest>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/types.h>

namespace dyno::test {

inline TargetUri managedUri(const std::string& product, std::map<std::string, std::string, std::less<>> query = {})
{
    TargetUri uri;
    uri.kind = TargetKind::Managed;
    uri.scheme = "managed";
    uri.product = product;
    uri.driver = product == "mongodb" || product == "ferretdb" ? "mongodb" : "mysql";
    uri.query = std::move(query);
    return uri;
}

//! The folder that an environment variable names; "" when it is not set.
inline std::string basedirIn(const char* variable)
{
    const char* value = std::getenv(variable);
    return value ? value : "";
}

//! Small, so that many servers start quickly and beside each other.
inline Settings smallKnobs(Settings more = {})
{
    more.try_emplace("innodb_buffer_pool_size", std::int64_t(32) << 20);
    return more;
}

inline pid_t serverPid(const std::filesystem::path& folder)
{
    std::ifstream in(folder / "server.pid");
    pid_t pid = 0;
    in >> pid;
    return pid;
}

inline bool processExists(pid_t pid)
{
    return pid > 1 && ::kill(pid, 0) == 0;
}

inline Expected<std::unique_ptr<Admin>> adminOf(const ManagedServer& server, const Settings& connection = {})
{
    ConnectTarget target;
    target.uri = server.connectUri();
    target.connection = connection;
    Driver* driver = driverFor(target.uri.driver);
    if (!driver)
        return fail({ErrorKind::Unreachable, "this build has no driver " + target.uri.driver, {}, {}});
    return driver->admin(target);
}

//! A variable's value, or what went wrong.
inline std::string variableOf(const ManagedServer& server, const char* name)
{
    auto admin = adminOf(server);
    return admin ? (*admin)->variable(name).value_or("(unknown)") : admin.error().text();
}

} // namespace dyno::test

#define VERIFY_OK(expected)                                                                                            \
    do {                                                                                                               \
        const auto& checked = (expected);                                                                              \
        QVERIFY2(checked, checked ? "" : checked.error().text().c_str());                                              \
    } while (false)
//! An error whose text holds `part`.
#define VERIFY_SAYS(expected, part)                                                                                    \
    do {                                                                                                               \
        const auto& checked = (expected);                                                                              \
        QVERIFY(!checked);                                                                                             \
        const std::string said = checked.error().text();                                                               \
        QVERIFY2(said.find(part) != std::string::npos, said.c_str());                                                  \
    } while (false)
