// SPDX-License-Identifier: GPL-3.0-or-later
#include "mariadb_fixture.h"

#include "server/mariadb_binaries.h"

#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace dyno::test {

namespace {

const char* givenSocket()
{
    const char* socket = std::getenv("DYNO_TEST_MYSQL_SOCKET");
    return socket && *socket ? socket : nullptr;
}

} // namespace

std::string MariadbFixture::whyMissing()
{
    if (!driverFor("mysql"))
        return "this build has no MySQL driver";
    if (givenSocket())
        return {};
    const auto found = findMariadb({}, {});
    return found ? std::string() : found.error().text() + "; or set DYNO_TEST_MYSQL_SOCKET";
}

Expected<void> MariadbFixture::start(const Settings& serverKnobs)
{
    stop();
    TargetUri server;
    if (const char* socket = givenSocket()) {
        server.scheme = server.driver = "mysql";
        server.user = "root";
        server.query["socket"] = socket;
    } else {
        TargetUri uri;
        uri.kind = TargetKind::Managed;
        uri.scheme = "managed";
        uri.product = "mariadb";
        uri.driver = "mysql";
        auto created = ManagedServer::create(uri, DYNO_TEST_WORK_DIR);
        if (!created)
            return fail(std::move(created.error()));
        m_server = std::move(*created);
        // Small, so that many test programs start quickly and beside each other.
        Settings knobs = serverKnobs;
        knobs.try_emplace("innodb_buffer_pool_size", std::int64_t(32) << 20);
        knobs.try_emplace("innodb_log_file_size", std::int64_t(16) << 20);
        if (auto started = m_server->ensure(knobs); !started)
            return started;
        server = m_server->connectUri();
    }
    server.database.clear();
    m_uri = server;
    auto admin = this->admin();
    if (!admin)
        return fail(std::move(admin.error()));
    m_uri.database = fmt::format("dyno_test_{}", ::getpid());
    if (auto dropped = (*admin)->execute("DROP DATABASE IF EXISTS " + m_uri.database); !dropped)
        return dropped;
    return (*admin)->execute("CREATE DATABASE " + m_uri.database);
}

void MariadbFixture::stop()
{
    if (!m_server && !m_uri.database.empty()) {
        if (auto admin = this->admin())
            static_cast<void>((*admin)->execute("DROP DATABASE IF EXISTS " + m_uri.database));
    }
    m_uri = {};
    m_server.reset();
}

std::string MariadbFixture::socket() const
{
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
