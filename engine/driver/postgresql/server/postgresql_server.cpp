// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/postgresql/server/postgresql_server.h"

#include "driver/driver.h"
#include "driver/postgresql/postgresql_dialect.h"
#include "driver/postgresql/server/postgresql_knobs.h"
#include "driver/postgresql/server/postgresql_recipes.h"
#include "driver/postgresql/server/scram_verifier.h"
#include "driver/postgresql/server/server_conf.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/knobs/knob_values.h"
#include "server/lifecycle/data_template.h"
#include "server/lifecycle/secrets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <unistd.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr int kSocketPort = 5432; //!< stands in the socket's name where there is no other

//! The name of the account that this program runs under.
std::string ownName()
{
    constexpr std::size_t kMost = 16384;
    std::vector<char> buffer(kMost);
    passwd entry{}, *found = nullptr;
    return ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found ? found->pw_name
                                                                                                 : std::string();
}

class PostgresqlServer final : public ServerInFolder
{
public:
    explicit PostgresqlServer(ServerPlace place)
        : ServerInFolder(std::move(place))
    {
    }
    TargetUri connectUri(bool tls) const override;

protected:
    std::string defaultOf(const std::string& knob) const override;
    Expected<void> fillDataFolder(const fs::path& folder, const Settings& initialisation) override
    {
        return fillFromTemplate(m_workDir, m_binaries, initialisation, folder, m_stopped);
    }
    Expected<std::vector<std::string>> writeCommand(const Settings& knobs) override;
    Expected<void> fillFolder(const Settings& knobs) override;
    Expected<void> bringUp(const Settings& knobs) override;
    Expected<void> waitUntilUp() override;
    Expected<std::unique_ptr<Admin>> connect() const override { return connectTo(kManagedDatabase); }
    std::optional<bool> mustSet(Admin& admin, const std::string& name, const Value& value) const override;
    fs::path socketFile() const override
    {
        return m_folder.socket().parent_path() / fmt::format(".s.PGSQL.{}", port());
    }

private:
    [[nodiscard]] int port() const { return m_tcp ? m_port : kSocketPort; }
    [[nodiscard]] ConfNeeds needs() const
    {
        return {m_folder.path(), m_folder.socket().parent_path(), port(), m_tcp, tcpHost(), usersHost()};
    }
    [[nodiscard]] Expected<std::unique_ptr<Admin>> connectTo(const std::string& database) const;
    [[nodiscard]] Expected<void> makeDatabase();
    void addVectors();
    [[nodiscard]] Expected<void> setPassword(Admin& admin);
    [[nodiscard]] Expected<void> verify(Admin& admin, const Settings& wanted) const;

    std::unique_ptr<Admin> m_answered; //!< the connection that found it up, until bringUp() has it
    std::string m_confText;            //!< of postgresql.conf
    std::string m_password;            //!< of kLoadUser by TCP, kept nowhere else; stays over restarts
};

std::string PostgresqlServer::defaultOf(const std::string& knob) const
{
    const KnobInfo* known = findKnob(m_binaries.driver(), "server", knob);
    const auto edition = known ? editionFor(*known, m_binaries.name, m_binaries.version) : std::nullopt;
    return edition ? toText(*edition->defaultValue) : std::string();
}

TargetUri PostgresqlServer::connectUri(bool /*tls: on the same port*/) const
{
    TargetUri uri;
    uri.kind = TargetKind::Remote;
    uri.scheme = "postgresql";
    uri.driver = "postgresql";
    uri.user = kLoadUser;
    uri.database = kManagedDatabase;
    if (m_tcp) {
        uri.password = m_password;
        uri.host = tcpHost();
        uri.port = m_port;
    } else {
        uri.query["socket"] = socketFile().string();
    }
    return uri;
}

//! By the socket, which cannot be somebody else's.
Expected<std::unique_ptr<Admin>> PostgresqlServer::connectTo(const std::string& database) const
{
    const auto driver = driverOf(*m_binaries.recipe);
    if (!driver)
        return fail(driver.error());
    ConnectTarget target;
    target.uri = connectUri(false);
    target.uri.host.clear();
    target.uri.port = 0;
    target.uri.user = kSuperuser;
    target.uri.password.clear();
    target.uri.query["socket"] = socketFile().string();
    target.uri.database = database;
    return control(**driver, target);
}

Expected<std::vector<std::string>> PostgresqlServer::writeCommand(const Settings& knobs)
{
    const auto listed = postgresqlSettings(m_binaries);
    if (!listed)
        return fail(listed.error());
    auto text = confText(m_binaries, knobs, **listed);
    if (!text)
        return fail(std::move(text.error()));
    m_confText = std::move(*text);
    const std::vector<std::string> arguments = privateArguments(needs());
    m_optionText = fmt::format("{}# Its arguments, which hold whatever stands above.\n# {}\n", m_confText,
                               fmt::join(arguments, " "));
    // Where it runs already it reads the file again; else fillFolder() writes it into the data folder.
    std::error_code ignored;
    if (running()) {
        if (auto written = writeText(dataFolder() / "postgresql.conf", m_confText); !written)
            return fail(std::move(written.error()));
    }
    std::vector<std::string> command = {m_binaries.server.string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const std::vector<std::string> marks = m_binaries.recipe->marks(m_folder.path());
    command.insert(command.end(), marks.begin(), marks.end());
    return command;
}

Expected<void> PostgresqlServer::fillFolder(const Settings& /*knobs*/)
{
    const std::string user = ownName();
    if (user.empty())
        return fail({ErrorKind::Failed, fmt::format("the account {} has no name on this machine", ::geteuid()),
                     m_folder.path().string(),
                     "PostgreSQL needs one: start Dynobench as a user who is in /etc/passwd"});
    // Its own account, which can read the data anyway: a proxy runs under it.
    std::vector<std::string> users{user};
    if (const auto own = m_binaries.recipe->manners().user)
        users.push_back(own->name);
    const fs::path data = dataFolder();
    for (const auto& [file, text] :
         {std::pair("postgresql.conf", m_confText),
          // What was set while it ran; it would win over the file.
          std::pair("postgresql.auto.conf", std::string()), std::pair("pg_hba.conf", accessText(needs())),
          std::pair("pg_ident.conf", identText(users))}) {
        if (auto written = writeText(data / file, text); !written)
            return written;
    }
    if (m_tcp) {
        const auto made = makeCertificates(m_folder.path() / "tls", tcpHost());
        if (!made)
            return fail(made.error());
        for (const auto& [from, to] :
             {std::pair(made->serverCert, "server.pem"), std::pair(made->serverKey, "server.key")}) {
            if (auto copied = copyFile(from, data / to); !copied)
                return copied;
        }
    }
    for (const fs::path& folder : {data, m_folder.socket().parent_path()}) {
        if (auto given = giveFolder(folder, m_binaries.recipe->manners().user); !given)
            return given;
    }
    return {};
}

Expected<void> PostgresqlServer::waitUntilUp()
{
    // For whoever finds the folder when we are dead.
    if (auto written = writeText(m_folder.path() / "server.pid", fmt::format("{}\n", m_process.pid())); !written)
        return written;
    return waitForStart([this]() -> Expected<bool> {
        std::error_code ignored;
        if (!fs::exists(socketFile(), ignored))
            return false;
        auto connected = connectTo(kSuperuser); // initdb makes a database of this name
        if (!connected && connected.error().kind != ErrorKind::Unreachable)
            return fail(std::move(connected.error()));
        if (connected)
            m_answered = std::move(*connected);
        return connected.has_value();
    });
}

Expected<void> PostgresqlServer::bringUp(const Settings& knobs)
{
    if (auto up = launch(knobs); !up)
        return up;
    auto made = makeDatabase();
    if (made)
        made = verify(*m_answered, knobs);
    if (made && m_tcp)
        made = setPassword(*m_answered);
    m_answered.reset();
    return made;
}

Expected<void> PostgresqlServer::makeDatabase()
{
    Admin& admin = *m_answered;
    const auto there =
        admin.query(fmt::format("SELECT (SELECT count(*) FROM pg_roles WHERE rolname = '{}'), (SELECT count(*) FROM "
                                "pg_database WHERE datname = '{}')",
                                kLoadUser, kManagedDatabase));
    if (!there)
        return fail(there.error());
    std::vector<std::string> statements;
    if (there->at(0).at(0) == "0") {
        statements.push_back(fmt::format("CREATE ROLE {} LOGIN", kLoadUser));
        statements.push_back(fmt::format("GRANT pg_monitor TO {}", kLoadUser));
        if (m_binaries.atLeast({15, 0, 0}))
            statements.push_back(fmt::format("GRANT pg_checkpoint TO {}", kLoadUser));
    }
    if (there->at(0).at(1) == "0")
        statements.push_back(fmt::format("CREATE DATABASE {} OWNER {}", kManagedDatabase, kLoadUser));
    for (const std::string& statement : statements) {
        if (auto done = admin.execute(statement); !done)
            return done;
    }
    addVectors();
    return {};
}

//! Where pgvector is installed; in most versions only a superuser may make it known in a database. Where that fails, a
//! workload with vectors says so (VectorDialect::found), and others run.
void PostgresqlServer::addVectors()
{
    const auto installed = m_answered->query("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'");
    if (!installed || installed->empty())
        return;
    if (auto inside = connectTo(kManagedDatabase))
        (void)(*inside)->execute(postgresqlVectors().setup);
}

//! The server is told no more than how to check it: whatever logs statements, it gets into none of them.
Expected<void> PostgresqlServer::setPassword(Admin& admin)
{
    if (m_password.empty()) {
        auto password = randomPassword();
        if (!password)
            return fail(std::move(password.error()));
        m_password = std::move(*password);
    }
    const auto verifier = scramVerifier(m_password);
    if (!verifier)
        return fail(verifier.error());
    const auto done = admin.execute(fmt::format("ALTER ROLE {} PASSWORD '{}'", kLoadUser, *verifier));
    if (!done)
        return fail({done.error().kind, "the server did not take its user's password for TCP", m_folder.path().string(),
                     "remove transport=tcp, or see the server's log"});
    return {};
}

std::optional<bool> PostgresqlServer::mustSet(Admin& admin, const std::string& name, const Value& value) const
{
    const auto actual = admin.variable(name);
    if (!actual)
        return {};
    if (sameSetting(value, *actual))
        return false;
    return postgresqlKnobs().readOnly(admin, name, {}) == false ? std::optional(true) : std::nullopt;
}

Expected<void> PostgresqlServer::verify(Admin& admin, const Settings& wanted) const
{
    for (const auto& [name, value] : wanted) {
        const auto actual = admin.variable(name);
        if (!actual)
            return fail(actual.error());
        if (!sameSetting(value, *actual))
            return fail(notTaken(name, value, *actual));
    }
    return {};
}

} // namespace

Expected<void> postgresqlCanStart(const ServerBinaries& server, const Settings& wanted, bool /*tcp*/)
{
    const auto knobs = serverNames(server.driver(), wanted, server.name, server.version);
    if (!knobs)
        return fail(knobs.error());
    const auto listed = postgresqlSettings(server);
    if (!listed)
        return fail(listed.error());
    auto text = confText(server, *knobs, **listed);
    return text ? Expected<void>() : fail(std::move(text.error()));
}

std::unique_ptr<ServerInFolder> makePostgresqlServer(ServerPlace place)
{
    return std::make_unique<PostgresqlServer>(std::move(place));
}

} // namespace dyno
