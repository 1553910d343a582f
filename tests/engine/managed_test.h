// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the tests of managed servers share: URIs, small knobs, the servers that environment variables name.
#pragma once

#include "driver/driver.h"
#include "server/lifecycle/managed_server.h"
#include "server/lifecycle/server_recipe.h"
#include "support/verify.h"

#include <QTest>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/types.h>

namespace dyno::test {

inline TargetUri managedUri(const std::string& product, std::map<std::string, std::string, std::less<>> query = {})
{
    TargetUri uri;
    uri.kind = TargetKind::Managed;
    uri.scheme = "managed";
    uri.product = product;
    const ServerRecipe* recipe = recipeFor(product);
    uri.driver = recipe ? recipe->names().driver : "mysql";
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

//! InnoDB's rules for long values (two rows must fit a page of 16 KiB): one value of 7 KiB stays in the row, of two one
//! goes to a page of its own, 200 KiB fill 13 pages, with an index of them 14; twenty of 10 KiB lie outside but for
//! pointers, or are refused where 768 bytes of each stay.
inline void checkOffPage(ManagedServer& server, std::uint64_t pagesOfLarge)
{
    constexpr std::uint64_t kPage = 16384, kRows = 20;
    auto admin = adminOf(server);
    VERIFY_OK(admin);
    VERIFY_OK((*admin)->execute("SET innodb_strict_mode = 0"));
    struct Shape
    {
        const char* name;
        std::size_t values, size;
        std::uint64_t pages; //!< of a row
    };
    for (const char* format : {"COMPACT", "DYNAMIC"}) {
        const Shape shapes[] = {
            {"one", 1, 7168, 0}, {"two", 2, 7168, 1}, {"large", 1, 204'800, pagesOfLarge}, {"twenty", 20, 10'240, 20}};
        std::vector<std::string> tables;
        std::map<std::string, std::uint64_t> wanted, found;
        for (const Shape& shape : shapes) {
            const std::string table = std::string(shape.name) + "_" + format;
            std::string columns, values;
            for (std::size_t i = 0; i < shape.values; ++i) {
                columns += ", v" + std::to_string(i) + " LONGBLOB NOT NULL";
                values += ", REPEAT('x', " + std::to_string(shape.size) + ")";
            }
            VERIFY_OK((*admin)->execute("CREATE TABLE " + table + " (id INT PRIMARY KEY" + columns +
                                        ") ENGINE=InnoDB ROW_FORMAT=" + format));
            const bool refused = shape.values == 20 && std::string(format) == "COMPACT";
            for (std::uint64_t row = 1; row <= kRows; ++row) {
                const auto done =
                    (*admin)->execute("INSERT INTO " + table + " VALUES (" + std::to_string(row) + values + ")");
                QVERIFY2(done.has_value() != refused, done ? table.c_str() : done.error().text().c_str());
                QVERIFY(!refused || done.error().text().find("Row size too large") != std::string::npos);
            }
            tables.push_back(table);
            wanted[table] = refused ? 0 : shape.pages * kRows * kPage;
        }
        VERIFY_OK((*admin)->settle(tables));
        for (const DataPart& part : server.offPageParts(tables)) {
            QCOMPARE(part.kind, std::string("off-page"));
            found[part.name] = part.bytes;
        }
        QCOMPARE(found, wanted);
    }
}

//! A table made with these options, of twenty rows with values of 200 KiB: what is said of it; nothing where its pages
//! do not tell what they hold.
inline std::optional<std::uint64_t> offPageWith(ManagedServer& server, const std::string& options)
{
    auto admin = adminOf(server);
    const std::vector<std::string> tables{"options"};
    bool ok =
        admin && (*admin)->execute("DROP TABLE IF EXISTS options") &&
        (*admin)->execute("CREATE TABLE options (id INT PRIMARY KEY, v LONGBLOB NOT NULL) ENGINE=InnoDB " + options);
    for (int row = 1; ok && row <= 20; ++row)
        ok = (*admin)
                 ->execute("INSERT INTO options VALUES (" + std::to_string(row) + ", REPEAT('x', 204800))")
                 .has_value();
    if (!ok || !(*admin)->settle(tables))
        throw std::runtime_error("no table with " + options);
    for (const DataPart& part : server.offPageParts(tables))
        return part.bytes;
    return {};
}

} // namespace dyno::test
