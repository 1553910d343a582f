// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One real PostgreSQL for a test program: that below the folder that DYNO_TEST_POSTGRESQL names (./test unpacks one),
//! else one of the system. Each fixture is a server of its own with a fresh cluster, at a Unix socket and a free port
//! of 127.0.0.1. PostgreSQL refuses to run as root: the server then runs as nobody, in a folder below /tmp.
#pragma once

#include "driver/driver.h"
#include "server/lifecycle/child_process.h"
#include "support/mariadb_fixture.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace dyno::test {

struct PostgresqlServerOptions
{
    bool tls = false; //!< with certificates(); else the server has no TLS
    //! Settings of the server: "max_connections=20".
    std::vector<std::string> settings = {};
    //! Lines of pg_hba.conf that come before the fixture's own, which let everybody in by the socket and ask for
    //! kPostgresqlPassword on 127.0.0.1 (SCRAM).
    std::vector<std::string> access = {};
    //! Names the server's folder.
    const char* variable = "DYNO_TEST_POSTGRESQL";
};

constexpr const char* kVectorServer = "DYNO_TEST_PGVECTOR"; //!< of a PostgreSQL with pgvector
constexpr const char* kPostgresqlUser = "postgres";         //!< may do everything
constexpr const char* kPostgresqlPassword = "Secret of the tests";

class PostgresqlFixture
{
public:
    PostgresqlFixture() = default;
    ~PostgresqlFixture() { stop(); }
    PostgresqlFixture(const PostgresqlFixture&) = delete;
    PostgresqlFixture& operator=(const PostgresqlFixture&) = delete;

    //! "" when a server can be had, else why not: the text of QSKIP. `variable` as in PostgresqlServerOptions.
    [[nodiscard]] static std::string whyMissing(const char* variable = PostgresqlServerOptions().variable);
    //! The folder with the programs postgres and initdb; "" when there is none.
    [[nodiscard]] static std::filesystem::path programs(const char* variable = PostgresqlServerOptions().variable);
    //! Makes a cluster with the database database() and starts it. On the test's main thread.
    [[nodiscard]] Expected<void> start(const PostgresqlServerOptions& options = {});
    //! Ends the server and removes its folder.
    void stop();
    //! Ends the server as a crash does; restart() brings it back with its data, on the same socket and port.
    void kill() { m_process.kill(); }
    [[nodiscard]] Expected<void> restart();
    //! Stops or continues the server's main process, which takes new connections (SIGSTOP, SIGCONT).
    [[nodiscard]] int process() const { return int(m_process.pid()); }

    [[nodiscard]] int port() const { return m_port; }
    //! Path of the socket: FOLDER/.s.PGSQL.PORT.
    [[nodiscard]] std::string socket() const;
    [[nodiscard]] std::string database() const { return "sbtest"; }
    [[nodiscard]] const TestCertificates& certificates() const { return m_certificates; }
    [[nodiscard]] std::filesystem::path folder() const { return m_folder; }
    [[nodiscard]] std::filesystem::path log() const { return m_folder / "error.log"; }
    //! By the socket, as kPostgresqlUser.
    [[nodiscard]] const TargetUri& uri() const { return m_uri; }
    //! By 127.0.0.1, with the password.
    [[nodiscard]] TargetUri networkUri() const;
    //! uri() as text, for command lines and plans.
    [[nodiscard]] std::string uriText() const { return m_uri.display(); }
    //! A target with the driver's default knobs overlaid with `connection`; at uri().
    [[nodiscard]] ConnectTargetPtr target(StatementSet statements = {}, const Settings& connection = {},
                                          const Settings& extra = {}) const;
    //! The same at another URI.
    [[nodiscard]] static ConnectTargetPtr targetAt(const TargetUri& uri, StatementSet statements = {},
                                                   const Settings& connection = {}, const Settings& extra = {});
    [[nodiscard]] Expected<std::unique_ptr<Admin>> admin() const;

private:
    [[nodiscard]] std::filesystem::path data() const { return m_folder / "data"; }
    [[nodiscard]] Expected<void> makeCluster(const PostgresqlServerOptions& options);
    [[nodiscard]] Expected<void> launch();

    ChildProcess m_process;
    std::filesystem::path m_folder, m_programs;
    TestCertificates m_certificates;
    int m_port = 0;
    TargetUri m_uri;
};

} // namespace dyno::test

//! In initTestCase(): skips the whole program when no server is installed, fails when it does not start.
#define DYNO_START_POSTGRESQL(fixture, ...)                                                                            \
    do {                                                                                                               \
        if (const std::string why = dyno::test::PostgresqlFixture::whyMissing(); !why.empty())                         \
            QSKIP(why.c_str());                                                                                        \
        const auto startedPostgresql = (fixture).start(__VA_ARGS__);                                                   \
        QVERIFY2(startedPostgresql, startedPostgresql ? "" : startedPostgresql.error().text().c_str());                \
    } while (false)
