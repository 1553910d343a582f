// SPDX-License-Identifier: GPL-3.0-or-later
#include "clickhouse_fixture.h"

#include "server/lifecycle/free_port.h"
#include "server/lifecycle/server_log.h"
#include "support/patience_time.h"

#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace dyno::test {

namespace {

namespace fs = std::filesystem;
using std::chrono_literals::operator""ms;

constexpr const char* kOwnProgram = "clickhouse-server";

} // namespace

fs::path ClickhouseFixture::program()
{
    std::error_code ignored;
    if (const char* given = std::getenv("DYNO_TEST_CLICKHOUSE"); given && *given)
        return fs::exists(given, ignored) ? fs::path(given) : fs::path();
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (fs::exists(fs::path(folder) / kOwnProgram, ignored))
            return fs::path(folder) / kOwnProgram;
    }
    return {};
}

std::string ClickhouseFixture::whyMissing()
{
    if (!driverFor("clickhouse"))
        return "this build has no ClickHouse driver";
    return program().empty() ? "no ClickHouse server is here: install one, or set DYNO_TEST_CLICKHOUSE" : "";
}

Expected<void> ClickhouseFixture::start(bool tls)
{
    stop();
    std::string pattern = "/tmp/dyno-ch-XXXXXX";
    if (!::mkdtemp(pattern.data()))
        return fail({ErrorKind::Storage, "cannot make a folder", pattern, {}});
    m_folder = pattern;
    m_port = freeLocalPort();
    m_tlsPort = tls ? freeLocalPort() : 0;
    m_uri = {};
    m_uri.scheme = m_uri.driver = "clickhouse";
    m_uri.host = "127.0.0.1";
    m_uri.port = m_port;
    if (auto written = writeFiles(tls); !written)
        return written;
    if (auto up = launch(); !up)
        return up;
    auto admin = this->admin();
    if (!admin)
        return fail(std::move(admin.error()));
    auto made = (*admin)->execute("CREATE DATABASE sbtest");
    m_uri.database = "sbtest";
    return made;
}

Expected<void> ClickhouseFixture::writeFiles(bool tls)
{
    std::string ports = fmt::format("<http_port>{}</http_port>", m_port);
    if (tls) {
        auto certificates = TestCertificates::make(m_folder);
        if (!certificates)
            return fail(std::move(certificates.error()));
        m_certificates = std::move(*certificates);
        ports += fmt::format("<https_port>{}</https_port><openSSL><server><certificateFile>{}</certificateFile>"
                             "<privateKeyFile>{}</privateKeyFile><caConfig>{}</caConfig><verificationMode>relaxed"
                             "</verificationMode><loadDefaultCAFile>false</loadDefaultCAFile></server></openSSL>",
                             m_tlsPort, m_certificates.serverCert.string(), m_certificates.serverKey.string(),
                             m_certificates.ca.string());
    }
    const std::string folder = m_folder.string();
    std::ofstream config(m_folder / "config.xml");
    config << "<yandex><logger><level>warning</level><console>1</console></logger>" << ports
           << "<listen_host>127.0.0.1</listen_host><path>" << folder << "/data/</path><tmp_path>" << folder
           << "/tmp/</tmp_path><users_config>" << folder
           << "/users.xml</users_config><default_profile>default</default_profile>"
              "<default_database>default</default_database><mark_cache_size>67108864</mark_cache_size></yandex>";
    const auto user = [](std::string_view name, std::string_view password, std::string_view profile,
                         std::string_view more = {}) {
        return fmt::format("<{0}><password>{1}</password><networks><ip>127.0.0.1</ip></networks><profile>{2}</profile>"
                           "<quota>default</quota>{3}</{0}>",
                           name, password, profile, more);
    };
    std::ofstream users(m_folder / "users.xml");
    users << "<yandex><profiles><default/><reader><readonly>1</readonly></reader><writer>"
             "<allow_ddl>0</allow_ddl></writer></profiles><users>"
          << user("default", "", "default") << user(kClickhouseUser, kClickhousePassword, "default")
          << user(kClickhouseReader, "", "reader") << user(kClickhouseWriter, "", "writer")
          << user(kClickhouseStranger, "", "default", "<allow_databases><database>default</database></allow_databases>")
          << "</users><quotas><default/></quotas></yandex>";
    config.close();
    users.close();
    return config && users ? Expected<void>() : fail({ErrorKind::Storage, "cannot write", folder, {}});
}

Expected<void> ClickhouseFixture::launch()
{
    const fs::path log = m_folder / "error.log";
    if (auto started =
            m_process.start({program().string(), "--config-file=" + (m_folder / "config.xml").string()}, log);
        !started)
        return started;
    const auto until = std::chrono::steady_clock::now() + 2 * kPatienceMs * 1ms;
    TargetUri uri = m_uri;
    uri.database.clear(); // which need not be there yet
    do {
        if (driverFor("clickhouse")->admin(*targetAt(uri)))
            return {};
        // The wait is for a fact: the server's end, or its next chance to answer.
    } while (!m_process.waitForEnd(50ms) && std::chrono::steady_clock::now() < until);
    return fail({ErrorKind::Failed, "the server did not start: " + tailOf(log, 20), {}, {}});
}

Expected<void> ClickhouseFixture::restart()
{
    m_process.kill();
    return launch();
}

void ClickhouseFixture::stop()
{
    m_process.kill();
    if (!m_folder.empty()) {
        std::error_code ignored;
        fs::remove_all(m_folder, ignored);
        m_folder.clear();
    }
    m_uri = {};
}

ConnectTargetPtr ClickhouseFixture::targetAt(const TargetUri& uri, StatementSet statements, const Settings& connection,
                                             const Settings& extra)
{
    auto target = std::make_shared<ConnectTarget>();
    target->uri = uri;
    Faults faults;
    target->connection = resolve(driverFor("clickhouse")->info().connection, connection, "connection", faults);
    if (!faults.empty())
        std::abort(); // a test that names a knob wrongly
    target->connectionExtra = extra;
    target->statements = std::move(statements);
    return target;
}

ConnectTargetPtr ClickhouseFixture::target(StatementSet statements, const Settings& connection,
                                           const Settings& extra) const
{
    return targetAt(m_uri, std::move(statements), connection, extra);
}

Expected<std::unique_ptr<Admin>> ClickhouseFixture::admin() const
{
    return driverFor("clickhouse")->admin(*target());
}

} // namespace dyno::test
