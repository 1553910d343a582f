// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_fixture.h"

#include "server/lifecycle/free_port.h"
#include "server/lifecycle/server_log.h"
#include "server/lifecycle/server_recipe.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace dyno::test {

namespace {

namespace fs = std::filesystem;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

//! Where the programs lie below a folder: as compiled, and as Debian's packages have them, newest first.
std::vector<fs::path> candidatesBelow(const fs::path& folder)
{
    std::vector<fs::path> found;
    std::error_code error;
    for (const char* versions : {"usr/lib/postgresql", "lib/postgresql"}) {
        for (auto it = fs::directory_iterator(folder / versions, error); !error && it != fs::directory_iterator();
             it.increment(error))
            found.push_back(it->path() / "bin");
    }
    std::sort(found.rbegin(), found.rend());
    found.insert(found.begin(), folder / "bin");
    return found;
}

//! Without it a server of the system will do.
bool isUsual(std::string_view variable)
{
    return variable == PostgresqlServerOptions().variable;
}

//! The command under an account that PostgreSQL takes: ours, or nobody's when we are root.
std::vector<std::string> asUser(std::vector<std::string> command)
{
    if (::geteuid() != 0)
        return command;
    // The kernel forgets the signal of a parent's death when the account changes.
    std::vector<std::string> whole = {"/usr/bin/setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups",
                                      "--pdeathsig=SIGKILL"};
    whole.insert(whole.end(), command.begin(), command.end());
    return whole;
}

//! Makes it the server's own.
Expected<void> handOver(const fs::path& path)
{
    if (::geteuid() != 0)
        return {};
    auto done = runCommand({"/bin/chown", "nobody:nogroup", path.string()}, 10s);
    return done ? Expected<void>() : fail(std::move(done.error()));
}

} // namespace

fs::path PostgresqlFixture::programs(const char* variable)
{
    const char* const given = std::getenv(variable);
    const bool named = given && *given;
    if (!named && !isUsual(variable))
        return {};
    std::vector<fs::path> folders = candidatesBelow(named ? given : "/");
    if (!named) {
        for (const fs::path& usr : candidatesBelow("/usr"))
            folders.push_back(usr);
    }
    std::error_code ignored;
    const auto found = std::ranges::find_if(folders, [&](const fs::path& folder) {
        return fs::exists(folder / "postgres", ignored) && fs::exists(folder / "initdb", ignored);
    });
    return found == folders.end() ? fs::path() : *found;
}

std::string PostgresqlFixture::whyMissing(const char* variable)
{
    if (!driverFor("postgresql"))
        return "this build has no PostgreSQL driver";
    if (!programs(variable).empty())
        return {};
    return isUsual(variable) ? fmt::format("no PostgreSQL server is here: install one, or set {}", variable)
                             : fmt::format("{} names no folder of a PostgreSQL server", variable);
}

Expected<void> PostgresqlFixture::start(const PostgresqlServerOptions& options)
{
    stop();
    m_programs = programs(options.variable);
    // A Unix socket's path has to be short, and another account must get there: so not below the build folder.
    std::string pattern = "/tmp/dyno-pg-XXXXXX";
    if (!::mkdtemp(pattern.data()))
        return fail({ErrorKind::Storage, "cannot make a folder", pattern, {}});
    m_folder = pattern;
    if (auto made = makeCluster(options); !made)
        return made;
    m_port = freeLocalPort();
    m_uri = {};
    m_uri.scheme = m_uri.driver = "postgresql";
    m_uri.user = kPostgresqlUser;
    m_uri.query["socket"] = socket();
    if (auto up = launch(); !up)
        return up;
    auto admin = this->admin();
    if (!admin)
        return fail(std::move(admin.error()));
    auto done = (*admin)->execute(fmt::format("ALTER ROLE {} PASSWORD '{}'", kPostgresqlUser, kPostgresqlPassword));
    if (done)
        done = (*admin)->execute("CREATE DATABASE " + database());
    m_uri.database = database();
    return done;
}

Expected<void> PostgresqlFixture::makeCluster(const PostgresqlServerOptions& options)
{
    std::error_code ignored;
    fs::create_directory(data(), ignored);
    fs::permissions(data(), fs::perms::owner_all, ignored);
    for (const fs::path& folder : {m_folder, data()}) {
        if (auto given = handOver(folder); !given)
            return given;
    }
    auto made = runCommand(asUser({(m_programs / "initdb").string(), "--pgdata=" + data().string(),
                                   std::string("--username=") + kPostgresqlUser, "--auth=trust", "--encoding=UTF8",
                                   "--locale=C", "--no-sync", "--no-instructions"}),
                           120s);
    if (!made)
        return fail(std::move(made.error()));
    // Small, so that many test programs run beside each other, and nothing must outlive a power cut.
    std::ofstream conf(data() / "postgresql.conf", std::ios::app);
    conf << "shared_buffers=32MB\nfsync=off\nfull_page_writes=off\nmax_connections=200\njit=off\n"
         << "unix_socket_directories='" << m_folder.string() << "'\nlisten_addresses='127.0.0.1'\n"
         << "password_encryption='scram-sha-256'\n";
    if (options.tls) {
        auto certificates = TestCertificates::make(m_folder);
        if (!certificates)
            return fail(std::move(certificates.error()));
        m_certificates = std::move(*certificates);
        fs::permissions(m_certificates.serverKey, fs::perms::owner_read, ignored);
        if (auto given = handOver(m_certificates.serverKey); !given)
            return given;
        conf << "ssl=on\nssl_ca_file='" << m_certificates.ca.string() << "'\nssl_cert_file='"
             << m_certificates.serverCert.string() << "'\nssl_key_file='" << m_certificates.serverKey.string() << "'\n";
    }
    for (const std::string& setting : options.settings)
        conf << setting << '\n';
    std::ofstream access(data() / "pg_hba.conf", std::ios::trunc);
    for (const std::string& line : options.access)
        access << line << '\n';
    access << "local all,replication all trust\nhost all,replication all 127.0.0.1/32 scram-sha-256\n";
    conf.close();
    access.close();
    return conf && access ? Expected<void>() : fail({ErrorKind::Storage, "cannot write", data().string(), {}});
}

Expected<void> PostgresqlFixture::launch()
{
    const std::vector<std::string> command = {(m_programs / "postgres").string(), "-D", data().string(), "-c",
                                              fmt::format("port={}", m_port)};
    const auto until = std::chrono::steady_clock::now() + 30s;
    std::uint64_t logAtStart = 0;
    do {
        logAtStart = sizeOfLog(log());
        if (auto started = m_process.start(asUser(command), log()); !started)
            return started;
        do {
            if (auto there = admin(); there)
                return {};
            // The wait is for a fact: the server's end, or its next chance to answer.
        } while (!m_process.waitForEnd(50ms) && std::chrono::steady_clock::now() < until);
    } while (recipeFor("postgresql")->saysOthersStillEnd(logFrom(log(), logAtStart)) &&
             std::chrono::steady_clock::now() < until);
    return fail({ErrorKind::Failed, "the server did not start: " + tailOf(log(), 20), {}, {}});
}

Expected<void> PostgresqlFixture::restart()
{
    m_process.kill();
    return launch();
}

void PostgresqlFixture::stop()
{
    if (m_process.running()) {
        // At once, but it gives back its shared memory, which a killed one leaves behind.
        ::kill(m_process.pid(), SIGQUIT);
        ::kill(m_process.pid(), SIGCONT);
        static_cast<void>(m_process.waitForEnd(10s));
    }
    m_process.kill();
    if (!m_folder.empty()) {
        std::error_code ignored;
        fs::remove_all(m_folder, ignored);
        m_folder.clear();
    }
    m_uri = {};
}

std::string PostgresqlFixture::socket() const
{
    return (m_folder / fmt::format(".s.PGSQL.{}", m_port)).string();
}

TargetUri PostgresqlFixture::networkUri() const
{
    TargetUri uri = m_uri;
    uri.query.erase("socket");
    uri.host = "127.0.0.1";
    uri.port = m_port;
    uri.password = kPostgresqlPassword;
    return uri;
}

ConnectTargetPtr PostgresqlFixture::targetAt(const TargetUri& uri, StatementSet statements, const Settings& connection,
                                             const Settings& extra)
{
    auto target = std::make_shared<ConnectTarget>();
    target->uri = uri;
    Faults faults;
    target->connection = resolve(driverFor("postgresql")->info().connection, connection, "connection", faults);
    if (!faults.empty())
        std::abort(); // a test that names a knob wrongly
    target->connectionExtra = extra;
    target->statements = std::move(statements);
    return target;
}

ConnectTargetPtr PostgresqlFixture::target(StatementSet statements, const Settings& connection,
                                           const Settings& extra) const
{
    return targetAt(m_uri, std::move(statements), connection, extra);
}

Expected<std::unique_ptr<Admin>> PostgresqlFixture::admin() const
{
    return driverFor("postgresql")->admin(*target());
}

} // namespace dyno::test
