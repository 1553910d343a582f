// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One real MariaDB for a test program: a private one, or the one that DYNO_TEST_MYSQL_SOCKET names (user root, no
//! password). Each fixture gets a database of its own, which goes when the fixture goes.
#pragma once

#include "driver/driver.h"
#include "server/managed_server.h"

#include <memory>
#include <string>

namespace dyno::test {

class MariadbFixture
{
public:
    MariadbFixture() = default;
    ~MariadbFixture() { stop(); }
    MariadbFixture(const MariadbFixture&) = delete;
    MariadbFixture& operator=(const MariadbFixture&) = delete;

    //! "" when a server can be had, else why not: the text of QSKIP.
    [[nodiscard]] static std::string whyMissing();
    //! Starts the server and makes the database. Call it on the test's main thread.
    [[nodiscard]] Expected<void> start(const Settings& serverKnobs = {});
    void stop();

    [[nodiscard]] const TargetUri& uri() const { return m_uri; }
    //! The URI as text, for command lines and plans.
    [[nodiscard]] std::string uriText() const { return m_uri.display(); }
    //! Socket and database, for other programs (sysbench, mariadb).
    [[nodiscard]] std::string socket() const;
    [[nodiscard]] std::string database() const { return m_uri.database; }
    //! A target with the driver's default knobs overlaid with `connection`.
    [[nodiscard]] ConnectTargetPtr target(StatementSet statements = {}, const Settings& connection = {},
                                          const Settings& extra = {}) const;
    [[nodiscard]] Expected<std::unique_ptr<Admin>> admin() const;
    //! nullptr when the server is not ours.
    [[nodiscard]] ManagedServer* managed() const { return m_server.get(); }

private:
    std::unique_ptr<ManagedServer> m_server;
    TargetUri m_uri;
};

} // namespace dyno::test

//! In initTestCase(): skips the whole program when no server is installed, fails when it does not start.
#define DYNO_START_MARIADB(fixture, ...)                                                                               \
    do {                                                                                                               \
        if (const std::string why = dyno::test::MariadbFixture::whyMissing(); !why.empty())                            \
            QSKIP(why.c_str());                                                                                        \
        const auto startedMariadb = (fixture).start(__VA_ARGS__);                                                      \
        QVERIFY2(startedMariadb, startedMariadb ? "" : startedMariadb.error().text().c_str());                         \
    } while (false)
