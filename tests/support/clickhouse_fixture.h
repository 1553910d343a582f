// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One real ClickHouse for a test program: the program clickhouse-server that DYNO_TEST_CLICKHOUSE names (./test
//! unpacks one), else that of the system's path. Each fixture is a server of its own, in a folder below /tmp, with its
//! HTTP interface at a free port of 127.0.0.1.
#pragma once

#include "driver/driver.h"
#include "server/lifecycle/child_process.h"
#include "support/mariadb_fixture.h"

#include <filesystem>
#include <memory>
#include <string>

namespace dyno::test {

constexpr const char* kClickhouseUser =
    "dyno"; //!< with kClickhousePassword; may do everything, as "default" without one
constexpr const char* kClickhouseReader = "reader";     //!< without a password; may only read
constexpr const char* kClickhouseWriter = "writer";     //!< without a password; makes and drops no tables
constexpr const char* kClickhouseStranger = "stranger"; //!< without a password; may use the database default alone
constexpr const char* kClickhousePassword = "Secret's of \\ the tests";

class ClickhouseFixture
{
public:
    ClickhouseFixture() = default;
    ~ClickhouseFixture() { stop(); }
    ClickhouseFixture(const ClickhouseFixture&) = delete;
    ClickhouseFixture& operator=(const ClickhouseFixture&) = delete;

    //! "" when a server can be had, else why not: the text of QSKIP.
    [[nodiscard]] static std::string whyMissing();
    //! The server's program; "" when there is none.
    [[nodiscard]] static std::filesystem::path program();
    //! Starts it with the database sbtest. `tls`: also at tlsPort(), with certificates(). On the test's main thread.
    [[nodiscard]] Expected<void> start(bool tls = false);
    //! Ends the server and removes its folder.
    void stop();
    //! Ends the server as a crash does; restart() brings it back with its data, on the same ports.
    void kill() { m_process.kill(); }
    [[nodiscard]] Expected<void> restart();

    [[nodiscard]] int port() const { return m_port; }
    [[nodiscard]] int tlsPort() const { return m_tlsPort; }
    [[nodiscard]] const TestCertificates& certificates() const { return m_certificates; }
    [[nodiscard]] std::filesystem::path folder() const { return m_folder; }
    [[nodiscard]] const TargetUri& uri() const { return m_uri; }
    //! A target with the driver's default knobs overlaid with `connection`; at uri().
    [[nodiscard]] ConnectTargetPtr target(StatementSet statements = {}, const Settings& connection = {},
                                          const Settings& extra = {}) const;
    //! The same at another URI.
    [[nodiscard]] static ConnectTargetPtr targetAt(const TargetUri& uri, StatementSet statements = {},
                                                   const Settings& connection = {}, const Settings& extra = {});
    [[nodiscard]] Expected<std::unique_ptr<Admin>> admin() const;

private:
    [[nodiscard]] Expected<void> writeFiles(bool tls);
    [[nodiscard]] Expected<void> launch();

    ChildProcess m_process;
    std::filesystem::path m_folder;
    TestCertificates m_certificates;
    int m_port = 0, m_tlsPort = 0;
    TargetUri m_uri;
};

} // namespace dyno::test

//! In initTestCase(): skips the whole program when no server is there, fails when it does not start.
#define DYNO_START_CLICKHOUSE(fixture, ...)                                                                            \
    do {                                                                                                               \
        if (const std::string why = dyno::test::ClickhouseFixture::whyMissing(); !why.empty())                         \
            QSKIP(why.c_str());                                                                                        \
        const auto startedClickhouse = (fixture).start(__VA_ARGS__);                                                   \
        QVERIFY2(startedClickhouse, startedClickhouse ? "" : startedClickhouse.error().text().c_str());                \
    } while (false)
