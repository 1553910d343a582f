// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/proxy/pgbouncer/pgbouncer.h"

#include "driver/connection_knobs.h"
#include "driver/tls_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSocketName = ".s.PGSQL.";
constexpr const char* kUsersFile = "users";
constexpr const char* kServerAuthorities = "server_ca.pem";

//! "1.21.0" is at least 1.21.
bool isAtLeast(std::string_view version, int major, int minor)
{
    std::array<int, 2> numbers{};
    const char* at = version.data();
    const char* const end = at + version.size();
    for (int& number : numbers) {
        at = std::from_chars(at, end, number).ptr;
        at += at != end && *at == '.' ? 1 : 0;
    }
    return numbers[0] != major ? numbers[0] > major : numbers[1] >= minor;
}

Error badPath(std::string what, std::string remedy)
{
    return {ErrorKind::BadInput, std::move(what), std::string(kPathKey), std::move(remedy)};
}

std::string pemTextOf(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
}

//! What a connection is told when it is made, and what another one to the server does not know: "" = nothing.
std::string stateOf(const ConnectTarget& direct)
{
    for (const char* name : {"isolation", "init_sql"}) {
        if (!textOf(direct.connection, name).empty())
            return name;
    }
    if (!direct.connectionExtra.empty())
        return direct.connectionExtra.begin()->first;
    const Driver* driver = driverFor(direct.uri.driver);
    const OptionSpecs known = driver ? driver->info().connection : OptionSpecs();
    for (const auto& [name, value] : direct.connection) { // of a plan, where both kinds stand beside each other
        if (driver && std::ranges::find(known, name, &OptionSpec::name) == known.end())
            return name;
    }
    return {};
}

//! The port that a socket's name ends in; "" when it is no name of one.
std::string portOf(const std::string& socket)
{
    const std::string name = fs::path(socket).filename().string();
    if (!name.starts_with(kSocketName))
        return {};
    std::string digits = name.substr(kSocketName.size());
    return digits.find_first_not_of("0123456789") == std::string::npos ? digits : std::string();
}

//! With each `quote` in it doubled, between two.
std::string inQuotes(std::string_view text, char quote)
{
    std::string all(1, quote);
    for (const char c : text)
        all += c == quote ? std::string(2, quote) : std::string(1, c);
    return all + quote;
}

class Pgbouncer final : public ProxyRecipe
{
public:
    Pgbouncer()
        : ProxyRecipe(
              {.id = "pgbouncer",
               .name = "PgBouncer",
               .programs = {"pgbouncer"},
               .drivers = {"postgresql"},
               .remedy = "install the package pgbouncer; Dynobench starts it itself, its service can be disabled",
               .signsIn = true,
               .pools = true})
    {
    }

    std::vector<std::string> versionArguments() const override { return {"--version"}; }

    //! "PgBouncer 1.18.0", and its libraries on lines of their own.
    std::string readVersion(std::string_view output) const override
    {
        constexpr std::string_view kBegin = "PgBouncer ";
        if (!output.starts_with(kBegin))
            return {};
        output.remove_prefix(kBegin.size());
        return std::string(output.substr(0, output.find_first_of(" \n")));
    }

    std::optional<Error> problem(const TargetUri& target, const std::optional<Endpoint>& server) const override
    {
        if (target.user.empty())
            return Error{ErrorKind::BadInput,
                         fmt::format("PgBouncer signs in for the users and must know as whom, which {} does not say",
                                     target.display()),
                         {},
                         "write the user in the URI: USER@HOST"};
        for (const std::string* text : {&target.user, &target.password}) {
            if (text->find_first_of("\r\n") != std::string::npos || text->find('\0') != std::string::npos)
                return Error{ErrorKind::BadInput,
                             "the user or the password has a line's end in it, which PgBouncer's file cannot hold",
                             {},
                             "use path = \"direct\""};
        }
        if (server && !server->socket.empty() && portOf(server->socket).empty())
            return Error{ErrorKind::BadInput,
                         fmt::format("PgBouncer needs the socket itself, and {} is no name of one", server->socket),
                         {},
                         fmt::format("write its path, such as socket=/run/postgresql/{}5432", kSocketName)};
        return {};
    }

    //! It signs in to the server by whatever method that asks for, the password in clear among them: on another machine
    //! only a server that it has verified may be told.
    std::optional<Error> usersProblem(const ConnectTarget& direct, const PoolShape& pool,
                                      const std::string& version) const override
    {
        const auto tls = tlsModeOffAtSocket(direct);
        if (!tls)
            return tls.error();
        if (direct.uri.kind == TargetKind::Remote && !isLocal(direct) && *tls != TlsMode::Verify)
            return badPath(fmt::format("PgBouncer signs in to {} for the users, on another machine, and would give the "
                                       "password to whoever answers there",
                                       direct.uri.display()),
                           "set connection.tls = \"verify\", or use a proxy that passes bytes on");
        if (!knobOrQuery(direct, "tls_cert").empty())
            return badPath("PgBouncer signs in for the users, and is not given their certificate (tls_cert)",
                           "use a password, or a proxy that passes bytes on");
        if (!pool.perTransaction)
            return {};
        if (const std::string state = stateOf(direct); !state.empty())
            return badPath(
                fmt::format("with transaction pooling each transaction may come to another connection, which "
                            "does not know connection.{}",
                            state),
                fmt::format("remove connection.{}, or use {}", state, poolText(names().id, {})));
        const bool prepares = textOf(direct.connection, "protocol", "prepared") != "text";
        if (prepares && !version.empty() && !isAtLeast(version, 1, 21))
            return badPath(fmt::format("PgBouncer {} with transaction pooling loses prepared statements: it keeps them "
                                       "apart from 1.21 on",
                                       version),
                           "set connection.protocol = \"text\", or install PgBouncer 1.21 or newer");
        return {};
    }

    //! Over a network as the users would do it directly; between two sockets there is no TLS.
    bool servesTls(const ProxyRoute& route) const override
    {
        return route.listens.socket.empty() && tlsModeOffAtSocket(route.target).value_or(TlsMode::Off) != TlsMode::Off;
    }

    void useTls(ConnectTarget& users, const std::string& authority) const override
    {
        users.connection.insert_or_assign("tls", std::string("verify"));
        users.connection.insert_or_assign("tls_ca", authority);
    }

    //! It refuses to run as root, and the server that we start lets in its own account.
    ProcessManners manners() const override { return {.user = userInsteadOfRoot("postgres")}; }

    //! None of its connections is closed for its age. Nobody can look into it or command it.
    std::string configuration(const ProxyRoute& route) const override
    {
        const Endpoint& to = route.server;
        const std::string server =
            to.socket.empty()
                ? fmt::format("host={} port={}", inQuotes(to.host, '\''), to.port)
                : fmt::format("host={} port={}", inQuotes(fs::path(to.socket).parent_path().string(), '\''),
                              portOf(to.socket));
        const std::string listens =
            route.listens.socket.empty()
                ? fmt::format("listen_addr = {}\nlisten_port = {}\nunix_socket_dir =\n", route.listens.host,
                              route.listens.port)
                : fmt::format("unix_socket_dir = {}\nlisten_port = {}\nunix_socket_mode = 0700\n",
                              fs::path(route.listens.socket).parent_path().string(), portOf(route.listens.socket));
        // Only we get to the socket. Whoever reaches the port must know the password that the server wants.
        const bool asks = route.listens.socket.empty() && !route.target.uri.password.empty();
        const PoolShape& pool = route.pool;
        return fmt::format("[databases]\n"
                           "* = {0}\n"
                           "[pgbouncer]\n"
                           "{1}"
                           "auth_type = {2}\n"
                           "auth_file = {3}/{4}\n"
                           "pool_mode = {5}\n"
                           "max_client_conn = {6}\n"
                           "default_pool_size = {7}\n"
                           "{8}"
                           "query_wait_timeout = 30\n"
                           "server_lifetime = 8640000\n"
                           "server_idle_timeout = 0\n"
                           "server_login_retry = 1\n"
                           "{9}"
                           "ignore_startup_parameters = extra_float_digits,options\n"
                           "admin_users =\n"
                           "stats_users =\n"
                           "log_connections = 0\n"
                           "log_disconnections = 0\n"
                           "log_stats = 0\n",
                           server, listens, asks ? "scram-sha-256" : "trust", route.folder, kUsersFile,
                           pool.perTransaction ? "transaction" : "session", route.connections,
                           pool.connections > 0 ? pool.connections : route.connections,
                           isAtLeast(route.version, 1, 21)
                               ? fmt::format("max_prepared_statements = {}\n", pool.perTransaction ? kStatements : 0)
                               : "",
                           tlsLines(route));
    }

    //! The user and the password, with which it signs in to the server, and by whom that is verified.
    std::vector<ProxyFile> secretFiles(const ProxyRoute& route) const override
    {
        const TargetUri& uri = route.target.uri;
        std::vector<ProxyFile> files = {
            {kUsersFile, fmt::format("{} {}\n", inQuotes(uri.user, '"'), inQuotes(uri.password, '"'))}};
        const auto mode = tlsModeOffAtSocket(route.target);
        if (const auto tls = mode ? readTlsOptions(route.target, *mode, {.caFolder = false}) : fail(mode.error());
            tls && !tls->ca.empty())
            files.push_back({kServerAuthorities, pemTextOf(tls->ca)});
        return files;
    }

    std::vector<std::string> arguments(const fs::path& configuration) const override
    {
        return {configuration.string()};
    }

private:
    static constexpr int kStatements = 1000; //!< of each connection to the server; more than workloads have

    //! On both sides of it as the users would do it directly: nothing is encrypted less than without it.
    std::string tlsLines(const ProxyRoute& route) const
    {
        const TlsMode mode = tlsModeOffAtSocket(route.target).value_or(TlsMode::Off);
        if (mode == TlsMode::Off)
            return "server_tls_sslmode = disable\n";
        const std::string oldest =
            knobOrQuery(route.target, "tls_min_version") == "1.3" ? "tlsv1.3" : "tlsv1.2,tlsv1.3";
        std::string lines = fmt::format("server_tls_sslmode = {}\nserver_tls_protocols = {}\n",
                                        mode == TlsMode::Verify ? "verify-full" : "require", oldest);
        if (mode == TlsMode::Verify || !knobOrQuery(route.target, "tls_ca").empty())
            lines += fmt::format("server_tls_ca_file = {}/{}\n", route.folder, kServerAuthorities);
        if (servesTls(route))
            lines += fmt::format("client_tls_sslmode = require\nclient_tls_protocols = {0}\n"
                                 "client_tls_cert_file = {1}/server.pem\nclient_tls_key_file = {1}/server.key\n",
                                 oldest, route.folder);
        return lines;
    }
};

} // namespace

const ProxyRecipe& pgbouncerRecipe()
{
    static const Pgbouncer kRecipe;
    return kRecipe;
}

} // namespace dyno
