// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A real server that speaks MongoDB's protocol for a test program: the one that DYNO_TEST_MONGODB names (a URI), or a
//! FerretDB on SQLite of our own: the program that DYNO_TEST_FERRETDB names, or `ferretdb` on the path, or the one below
//! the build folder. Each fixture gets a database of its own, which goes when the fixture goes.
#pragma once

#include "driver/driver.h"
#include "server/child_process.h"
#include "support/mariadb_fixture.h"

#include <filesystem>
#include <memory>
#include <string>

namespace dyno::test {

struct MongoServerOptions
{
    bool tls = false;        //!< on tlsPort(), with certificates()
    bool clientCertificates = false; //!< with tls: asks each client for one that certificates().ca signed
    bool unixSocket = false; //!< at socket() too
};

class MongoFixture
{
public:
    MongoFixture() = default;
    ~MongoFixture() { stop(); }
    MongoFixture(const MongoFixture&) = delete;
    MongoFixture& operator=(const MongoFixture&) = delete;

    //! "" when a server can be had, else why not: the text of QSKIP. `own`: a server that somebody else started will not
    //! do.
    [[nodiscard]] static std::string whyMissing(bool own = false);
    //! Starts the server, or takes the one that is named. On the test's main thread.
    [[nodiscard]] Expected<void> start();
    //! Always a server of our own.
    [[nodiscard]] Expected<void> startOwn(const MongoServerOptions& options = {});
    //! Drops the database and ends a server of our own.
    void stop();
    //! Kills the server of our own as a crash does; restart() brings it back with its data on the same port.
    void kill() { m_process.kill(); }
    [[nodiscard]] Expected<void> restart();

    [[nodiscard]] bool own() const { return !m_folder.empty(); }
    [[nodiscard]] int port() const { return m_uri.port; }
    [[nodiscard]] int tlsPort() const { return m_tlsPort; }
    [[nodiscard]] std::string socket() const { return (m_folder / "s.sock").string(); }
    [[nodiscard]] const TestCertificates& certificates() const { return m_certificates; }
    [[nodiscard]] const TargetUri& uri() const { return m_uri; }
    //! The URI as text, for command lines and plans.
    [[nodiscard]] std::string uriText() const { return m_uri.display(); }
    //! A target with the driver's default knobs overlaid with `connection`.
    [[nodiscard]] ConnectTargetPtr target(StatementSet statements = {}, const Settings& connection = {}) const;
    [[nodiscard]] Expected<std::unique_ptr<Admin>> admin() const;

private:
    [[nodiscard]] Expected<void> launch();

    ChildProcess m_process;
    std::filesystem::path m_folder;
    std::vector<std::string> m_command;
    TestCertificates m_certificates;
    int m_tlsPort = 0;
    TargetUri m_uri;
};

//! A target of the MongoDB driver at `uri`, with the driver's default knobs overlaid with `connection`.
[[nodiscard]] ConnectTargetPtr mongoTarget(const TargetUri& uri, StatementSet statements = {},
                                           const Settings& connection = {});

} // namespace dyno::test

//! In initTestCase(): skips the whole program when there is no server, fails when it does not start.
#define DYNO_START_MONGO(fixture)                                                                                      \
    do {                                                                                                               \
        if (const std::string why = dyno::test::MongoFixture::whyMissing(); !why.empty())                              \
            QSKIP(why.c_str());                                                                                        \
        const auto startedMongo = (fixture).start();                                                                   \
        QVERIFY2(startedMongo, startedMongo ? "" : startedMongo.error().text().c_str());                               \
    } while (false)
