// SPDX-License-Identifier: GPL-3.0-or-later
#include "mariadb_fixture.h"

#include "server/lifecycle/data_template.h"
#include "server/lifecycle/free_port.h"
#include "server/lifecycle/server_binaries.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace dyno::test {

namespace {

const char* givenSocket()
{
    const char* socket = std::getenv("DYNO_TEST_MYSQL_SOCKET");
    return socket && *socket ? socket : nullptr;
}

} // namespace

Expected<TestCertificates> TestCertificates::make(const std::filesystem::path& folder)
{
    using std::chrono_literals::operator""s;
    const auto file = [&](const char* name) { return folder / name; };
    const auto run = [](std::vector<std::string> arguments) -> Expected<void> {
        arguments.insert(arguments.begin(), "/usr/bin/openssl");
        auto done = runCommand(arguments, 60s);
        if (!done)
            return fail(std::move(done.error()));
        return {};
    };
    const auto authority = [&](const std::filesystem::path& key, const std::filesystem::path& cert, const char* name) {
        return run({"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key.string(), "-out",
                    cert.string(), "-subj", std::string("/CN=") + name});
    };
    TestCertificates made{file("ca.pem"),     file("server.pem"), file("server.key"),
                          file("client.pem"), file("client.key"), file("other.pem")};
    std::ofstream(file("san.cnf")) << "subjectAltName=DNS:localhost\n";
    if (auto done = authority(file("ca.key"), made.ca, "Dynobench test authority"); !done)
        return fail(std::move(done.error()));
    if (auto done = authority(file("other.key"), made.otherCa, "Another authority"); !done)
        return fail(std::move(done.error()));
    const auto issue = [&](const std::filesystem::path& key, const std::filesystem::path& cert, const char* name) {
        const std::string request = cert.string() + ".csr";
        auto asked = run({"req", "-newkey", "rsa:2048", "-nodes", "-keyout", key.string(), "-out", request, "-subj",
                          std::string("/CN=") + name});
        return asked
                   ? run({"x509", "-req", "-in", request, "-CA", made.ca.string(), "-CAkey", file("ca.key").string(),
                          "-CAcreateserial", "-days", "2", "-out", cert.string(), "-extfile", file("san.cnf").string()})
                   : asked;
    };
    if (auto done = issue(made.serverKey, made.serverCert, "localhost"); !done)
        return fail(std::move(done.error()));
    if (auto done = issue(made.clientKey, made.clientCert, "client"); !done)
        return fail(std::move(done.error()));
    return made;
}

std::string MariadbFixture::whyMissing(bool own)
{
    if (!driverFor("mysql"))
        return "this build has no MySQL driver";
    if (!own && givenSocket())
        return {};
    const auto found = findServer({});
    return found ? std::string() : found.error().text() + "; or set DYNO_TEST_MYSQL_SOCKET";
}

Expected<void> MariadbFixture::start(const Settings& serverKnobs, const std::string& folder)
{
    stop();
    TargetUri server;
    if (const char* socket = givenSocket(); socket && folder.empty()) {
        server.scheme = server.driver = "mysql";
        server.user = "root";
        server.query["socket"] = socket;
    } else {
        TargetUri uri;
        uri.kind = TargetKind::Managed;
        uri.scheme = "managed";
        uri.product = "mariadb";
        uri.driver = "mysql";
        if (!folder.empty())
            uri.query["basedir"] = folder;
        auto created = ManagedServer::create(uri, DYNO_TEST_WORK_DIR);
        if (!created)
            return fail(std::move(created.error()));
        m_server = std::move(*created);
        // Small, so that many test programs start quickly and beside each other, and nothing must outlive a power cut.
        Settings knobs = serverKnobs;
        knobs.try_emplace("innodb_flush_method", std::string("nosync"));
        knobs.try_emplace("innodb_buffer_pool_size", std::int64_t(32) << 20);
        knobs.try_emplace("innodb_log_file_size", std::int64_t(16) << 20);
        if (auto started = m_server->ensure(knobs); !started)
            return started;
        server = m_server->connectUri();
    }
    m_uri = server;
    return makeDatabase();
}

Expected<void> MariadbFixture::makeDatabase()
{
    m_uri.database.clear();
    auto admin = this->admin();
    if (!admin)
        return fail(std::move(admin.error()));
    m_uri.database = fmt::format("dyno_test_{}", ::getpid());
    if (auto dropped = (*admin)->execute("DROP DATABASE IF EXISTS " + m_uri.database); !dropped)
        return dropped;
    return (*admin)->execute("CREATE DATABASE " + m_uri.database);
}

Expected<void> MariadbFixture::startOnNetwork(const NetworkOptions& network)
{
    using std::chrono_literals::operator""ms;
    stop();
    const auto binaries = findServer({});
    if (!binaries)
        return fail(binaries.error());
    // A Unix socket's path has to be short, so not below the build folder.
    std::string pattern = (std::filesystem::temp_directory_path() / "dyno-test-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
        return fail({ErrorKind::Storage, "cannot make a folder", pattern, {}});
    m_folder = pattern;
    const std::string data = (m_folder / "data").string();
    const std::string socket = (m_folder / "s").string();
    if (auto made = fillFromTemplate(DYNO_TEST_WORK_DIR, *binaries, {}, data); !made)
        return made;
    const int port = freeLocalPort();
    std::vector<std::string> command = {binaries->server.string(),
                                        "--no-defaults",
                                        "--datadir=" + data,
                                        "--tmpdir=" + m_folder.string(), // a start clears it of temporary tables
                                        "--innodb-flush-method=nosync",
                                        "--socket=" + socket,
                                        "--bind-address=127.0.0.1",
                                        fmt::format("--port={}", port),
                                        "--innodb-buffer-pool-size=32M",
                                        "--innodb-log-file-size=10M",
                                        "--pid-file=" + (m_folder / "pid").string()};
    if (::geteuid() == 0)
        command.emplace_back("--user=root");
    if (network.tls) {
        auto certificates = TestCertificates::make(m_folder);
        if (!certificates)
            return fail(std::move(certificates.error()));
        m_certificates = std::move(*certificates);
        command.push_back("--ssl-ca=" + m_certificates.ca.string());
        command.push_back("--ssl-cert=" + m_certificates.serverCert.string());
        command.push_back("--ssl-key=" + m_certificates.serverKey.string());
    }
    command.insert(command.end(), network.options.begin(), network.options.end());
    if (auto started = m_process.start(command, m_folder / "error.log"); !started)
        return started;
    m_uri = {};
    m_uri.scheme = m_uri.driver = "mysql";
    m_uri.user = "root";
    m_uri.host = "127.0.0.1";
    m_uri.port = port;
    for (int i = 0; i < 600; ++i) {
        if (auto made = makeDatabase(); made || made.error().kind != ErrorKind::Unreachable)
            return made;
        if (m_process.waitForEnd(100ms)) // the wait is for a fact: the server's end, or its next chance to answer
            break;
    }
    return fail({ErrorKind::Failed, "the server did not start: " + tailOf(m_folder / "error.log", 20), {}, {}});
}

void MariadbFixture::stop()
{
    if (!m_server && !m_process.running() && !m_uri.database.empty()) {
        if (auto admin = this->admin())
            static_cast<void>((*admin)->execute("DROP DATABASE IF EXISTS " + m_uri.database));
    }
    m_uri = {};
    m_server.reset();
    m_process.kill();
    if (!m_folder.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(m_folder, ignored);
        m_folder.clear();
    }
}

std::string MariadbFixture::socket() const
{
    if (!m_folder.empty())
        return (m_folder / "s").string();
    const auto it = m_uri.query.find("socket");
    return it == m_uri.query.end() ? std::string() : it->second;
}

ConnectTargetPtr MariadbFixture::target(StatementSet statements, const Settings& connection,
                                        const Settings& extra) const
{
    auto target = std::make_shared<ConnectTarget>();
    target->uri = m_uri;
    Faults faults;
    target->connection = resolve(driverFor("mysql")->info().connection, connection, "connection", faults);
    if (!faults.empty())
        std::abort(); // a test that names a knob wrongly
    target->connectionExtra = extra;
    target->statements = std::move(statements);
    return target;
}

Expected<std::unique_ptr<Admin>> MariadbFixture::admin() const
{
    return driverFor("mysql")->admin(*target());
}

} // namespace dyno::test
