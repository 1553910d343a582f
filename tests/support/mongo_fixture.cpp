// SPDX-License-Identifier: GPL-3.0-or-later
#include "mongo_fixture.h"

#include "server/free_port.h"

#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

namespace dyno::test {

namespace {

const char* given(const char* variable)
{
    const char* value = std::getenv(variable);
    return value && *value ? value : nullptr;
}

//! The program, "" when there is none.
std::string ferretdb()
{
    if (const char* program = given("DYNO_TEST_FERRETDB"))
        return program;
    const auto runs = [](const std::string& path) { return ::access(path.c_str(), X_OK) == 0; };
    const char* variable = given("PATH");
    const std::string path = variable ? variable : "";
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        if (const std::string program = path.substr(at, end - at) + "/ferretdb"; end > at && runs(program))
            return program;
        at = end + 1;
    }
    return runs(DYNO_TEST_BUILT_FERRETDB) ? DYNO_TEST_BUILT_FERRETDB : "";
}

} // namespace

ConnectTargetPtr mongoTarget(const TargetUri& uri, StatementSet statements, const Settings& connection)
{
    auto target = std::make_shared<ConnectTarget>();
    target->uri = uri;
    Faults faults;
    target->connection = resolve(driverFor("mongodb")->info().connection, connection, {}, faults);
    target->statements = std::move(statements);
    return target;
}

std::string MongoFixture::whyMissing(bool own)
{
    if (!driverFor("mongodb"))
        return "this build has no MongoDB driver";
    if ((!own && given("DYNO_TEST_MONGODB")) || !ferretdb().empty())
        return {};
    return own ? "no ferretdb on the path: set DYNO_TEST_FERRETDB"
               : "no ferretdb on the path: set DYNO_TEST_FERRETDB, or DYNO_TEST_MONGODB to the URI of a server";
}

Expected<void> MongoFixture::start()
{
    const char* uri = given("DYNO_TEST_MONGODB");
    if (!uri)
        return startOwn();
    stop();
    auto parsed = parseUri(uri);
    if (!parsed)
        return fail(std::move(parsed.error()));
    m_uri = std::move(*parsed);
    if (const char* password = given("DYNO_PASSWORD"))
        m_uri.password = password;
    if (!m_uri.user.empty() && !m_uri.query.contains("authSource") && !m_uri.database.empty())
        m_uri.query["authSource"] = m_uri.database;
    m_uri.database = fmt::format("dyno_test_{}", ::getpid());
    return {};
}

Expected<void> MongoFixture::startOwn(const MongoServerOptions& options)
{
    stop();
    // A Unix socket's path has to be short, so not below the build folder.
    std::string pattern = (std::filesystem::temp_directory_path() / "dyno-mongo-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
        return fail({ErrorKind::Storage, "cannot make a folder", pattern, {}});
    m_folder = pattern;
    m_uri.kind = TargetKind::Remote;
    m_uri.scheme = m_uri.driver = "mongodb";
    m_uri.host = "127.0.0.1";
    m_uri.port = freeLocalPort();
    m_uri.database = fmt::format("dyno_test_{}", ::getpid());
    m_command = {ferretdb(),
                 fmt::format("--listen-addr=127.0.0.1:{}", m_uri.port),
                 "--listen-unix=" + (options.unixSocket ? socket() : std::string()),
                 "--debug-addr=",
                 "--handler=sqlite",
                 "--sqlite-url=file:" + m_folder.string() + "/",
                 "--state-dir=" + m_folder.string(),
                 "--telemetry=disable",
                 "--log-level=error"};
    if (options.tls) {
        auto made = TestCertificates::make(m_folder);
        if (!made)
            return fail(std::move(made.error()));
        m_certificates = std::move(*made);
        do
            m_tlsPort = freeLocalPort();
        while (m_tlsPort == m_uri.port);
        for (const std::string& option : {fmt::format("--listen-tls=127.0.0.1:{}", m_tlsPort),
                                          "--listen-tls-cert-file=" + m_certificates.serverCert.string(),
                                          "--listen-tls-key-file=" + m_certificates.serverKey.string()})
            m_command.push_back(option);
        if (options.clientCertificates)
            m_command.push_back("--listen-tls-ca-file=" + m_certificates.ca.string());
    }
    return launch();
}

Expected<void> MongoFixture::launch()
{
    const std::filesystem::path log = m_folder / "server.log";
    if (auto started = m_process.start(m_command, log); !started)
        return started;
    Error last;
    for (int tries = 0; tries < 300; ++tries) {
        auto connected = this->admin();
        if (connected)
            return {};
        last = connected.error();
        if (!m_process.running())
            return fail({ErrorKind::Failed, "the server ended: " + m_process.endText(), log.string(), tailOf(log, 5)});
        std::this_thread::sleep_for(std::chrono::milliseconds(50)); // it tells nobody when it listens
    }
    return fail(last);
}

Expected<void> MongoFixture::restart()
{
    m_process.kill();
    return launch();
}

void MongoFixture::stop()
{
    if (own()) {
        m_process.kill();
        std::error_code ignored;
        std::filesystem::remove_all(m_folder, ignored);
    } else if (!m_uri.database.empty()) {
        if (auto connected = this->admin())
            static_cast<void>((*connected)->execute(R"({"dropDatabase": 1})"));
    }
    m_folder.clear();
    m_uri = {};
}

ConnectTargetPtr MongoFixture::target(StatementSet statements, const Settings& connection) const
{
    return mongoTarget(m_uri, std::move(statements), connection);
}

Expected<std::unique_ptr<Admin>> MongoFixture::admin() const
{
    return driverFor("mongodb")->admin(*target());
}

} // namespace dyno::test
