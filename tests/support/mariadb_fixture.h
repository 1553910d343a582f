// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One real MariaDB for a test program: a private one, or the one that DYNO_TEST_MYSQL_SOCKET names (user root, no
//! password). Each fixture gets a database of its own, which goes when the fixture goes.
#pragma once

#include "driver/driver.h"
#include "server/lifecycle/child_process.h"
#include "server/lifecycle/managed_server.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace dyno::test {

//! Certificates made for one test program: an authority, a server's certificate for "localhost" and a client's signed
//! by it, and another authority that signed nothing. PEM files.
struct TestCertificates
{
    std::filesystem::path ca, serverCert, serverKey, clientCert, clientKey, otherCa;
    //! Makes them in `folder` with the program openssl.
    [[nodiscard]] static Expected<TestCertificates> make(const std::filesystem::path& folder);
};

//! How a server on TCP is started, see MariadbFixture::startOnNetwork().
struct NetworkOptions
{
    bool tls = false;                 //!< with certificates(); else the server has no TLS
    std::vector<std::string> options; //!< more options of mariadbd, such as "--max-connections=20"
};

class MariadbFixture
{
public:
    MariadbFixture() = default;
    ~MariadbFixture() { stop(); }
    MariadbFixture(const MariadbFixture&) = delete;
    MariadbFixture& operator=(const MariadbFixture&) = delete;

    //! "" when a server can be had, else why not: the text of QSKIP. `own`: a server that somebody else started will
    //! not do.
    [[nodiscard]] static std::string whyMissing(bool own = false);
    //! Starts the server and makes the database. Call it on the test's main thread. `folder`: with the server's
    //! programs; "": the one of the system.
    [[nodiscard]] Expected<void> start(const Settings& serverKnobs = {}, const std::string& folder = {});
    //! A server of our own on a free port of 127.0.0.1 (and its socket), with any options; a managed server listens on
    //! its socket only. uri() names it as 127.0.0.1.
    [[nodiscard]] Expected<void> startOnNetwork(const NetworkOptions& network);
    void stop();

    //! After startOnNetwork() with TLS.
    [[nodiscard]] const TestCertificates& certificates() const { return m_certificates; }
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
    //! nullptr when the server is not a managed one.
    [[nodiscard]] ManagedServer* managed() const { return m_server.get(); }

private:
    [[nodiscard]] Expected<void> makeDatabase();

    std::unique_ptr<ManagedServer> m_server;
    ChildProcess m_process;         //!< startOnNetwork()
    std::filesystem::path m_folder; //!< of m_process
    TestCertificates m_certificates;
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
