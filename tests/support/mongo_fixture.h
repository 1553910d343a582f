// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A real server that speaks MongoDB's protocol for a test program: the one that DYNO_TEST_MONGODB names (a URI), or
//! one of our own: a FerretDB on SQLite (the program that DYNO_TEST_FERRETDB names, or `ferretdb` on the path, or the
//! one below the build folder) or a mongod (the program that DYNO_TEST_MONGOD names). Each fixture gets a database of
//! its own, which goes when the fixture goes.
#pragma once

#include "driver/driver.h"
#include "server/lifecycle/child_process.h"
#include "support/mariadb_fixture.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace dyno::test {

enum class MongoProduct {
    Any, //!< FerretDB where there is one, else mongod
    Ferretdb,
    Mongod,
};

struct MongoServerOptions
{
    MongoProduct product = MongoProduct::Any;
    bool tls = false;                //!< on tlsPort(), with certificates()
    bool clientCertificates = false; //!< with tls: asks each client for one that certificates().ca signed
    bool unixSocket = false;         //!< at socket() too
    // mongod only:
    bool tlsOnly = false; //!< with tls: refuses connections without it
    bool users = false;   //!< with access control; uri() is that of the user "root", who may do everything
    int members = 0;      //!< of a replica set "rs"; 0: stands alone
    std::vector<std::string> options = {}; //!< more arguments
};

class MongoFixture
{
public:
    MongoFixture() = default;
    ~MongoFixture() { stop(); }
    MongoFixture(const MongoFixture&) = delete;
    MongoFixture& operator=(const MongoFixture&) = delete;

    //! "" when a server can be had, else why not: the text of QSKIP. `own`: a server that somebody else started will
    //! not do.
    [[nodiscard]] static std::string whyMissing(bool own = false);
    //! The same for a server of our own of just that product.
    [[nodiscard]] static std::string whyMissing(MongoProduct product);
    //! Starts the server, or takes the one that is named. On the test's main thread.
    [[nodiscard]] Expected<void> start();
    //! Always a server of our own.
    [[nodiscard]] Expected<void> startOwn(const MongoServerOptions& options = {});
    //! Drops the database and ends a server of our own.
    void stop();
    //! Kills the server of our own (or that member) as a crash does; restart() brings it back with its data on the same
    //! port.
    void kill(std::size_t member = 0) { m_members.at(member)->process.kill(); }
    [[nodiscard]] Expected<void> restart(std::size_t member = 0);
    //! Which member of the set is the primary now; waits up to 30 s for one. −1: none was elected.
    [[nodiscard]] int primary() const;

    [[nodiscard]] bool own() const { return !m_folder.empty(); }
    [[nodiscard]] bool mongod() const { return own() && m_mongod; }
    [[nodiscard]] int port() const { return m_members.empty() ? m_uri.port : m_members.front()->port; }
    [[nodiscard]] int tlsPort() const { return m_tlsPort; }
    [[nodiscard]] std::string socket() const { return (m_folder / "s.sock").string(); }
    [[nodiscard]] const TestCertificates& certificates() const { return m_certificates; }
    [[nodiscard]] const TargetUri& uri() const { return m_uri; }
    //! One member of the set, alone.
    [[nodiscard]] TargetUri memberUri(std::size_t member) const;
    //! The URI as text, for command lines and plans.
    [[nodiscard]] std::string uriText() const { return m_uri.display(); }
    //! A target with the driver's default knobs overlaid with `connection`.
    [[nodiscard]] ConnectTargetPtr target(StatementSet statements = {}, const Settings& connection = {}) const;
    [[nodiscard]] Expected<std::unique_ptr<Admin>> admin() const;
    //! Connection knobs without which this server does not let anybody in: tls and its files.
    [[nodiscard]] const Settings& neededKnobs() const { return m_needed; }

private:
    struct Member
    {
        ChildProcess process;
        int port = 0;
        std::filesystem::path folder;
        std::vector<std::string> command;
    };
    [[nodiscard]] std::vector<std::string> ferretdbCommand(const MongoServerOptions& options, Member& member);
    [[nodiscard]] std::vector<std::string> mongodCommand(const MongoServerOptions& options, Member& member) const;
    [[nodiscard]] Expected<void> makeCertificates(const MongoServerOptions& options);
    [[nodiscard]] Expected<void> launch(Member& member);
    [[nodiscard]] Expected<void> makeSet(int members);
    [[nodiscard]] Expected<void> makeUser();

    std::vector<std::unique_ptr<Member>> m_members;
    std::filesystem::path m_folder;
    TestCertificates m_certificates;
    std::filesystem::path m_clientPem; //!< certificate and key of a client in one file
    int m_tlsPort = 0;
    bool m_mongod = false;
    Settings m_needed;
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
