// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/proxy/pgbouncer/pgbouncer.h"

#include <fmt/format.h>

#include <filesystem>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSocketName = ".s.PGSQL.";
constexpr const char* kUsersFile = "users";

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
               .endsTls = true})
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
        // It sends the password in the clear to whoever asks for it so.
        if (!isLocal(target))
            return Error{ErrorKind::BadInput,
                         fmt::format("PgBouncer ends TLS here, and {} is on another machine", target.display()),
                         {},
                         "use a proxy that passes bytes on"};
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

    //! It refuses to run as root, and the server that we start lets in its own account.
    ProcessManners manners() const override { return {.user = userInsteadOfRoot("postgres")}; }

    //! One connection to the server for each of the users', which stays theirs. None is closed for its age. Nobody can
    //! look into it or command it.
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
        const bool asks = route.listens.socket.empty() && !route.target.password.empty();
        return fmt::format("[databases]\n"
                           "* = {0}\n"
                           "[pgbouncer]\n"
                           "{1}"
                           "auth_type = {2}\n"
                           "auth_file = {3}/{4}\n"
                           "pool_mode = session\n"
                           "max_client_conn = {5}\n"
                           "default_pool_size = {5}\n"
                           "query_wait_timeout = 30\n"
                           "server_lifetime = 8640000\n"
                           "server_idle_timeout = 0\n"
                           "server_login_retry = 1\n"
                           "server_tls_sslmode = disable\n"
                           "ignore_startup_parameters = extra_float_digits,options\n"
                           "admin_users =\n"
                           "stats_users =\n"
                           "log_connections = 0\n"
                           "log_disconnections = 0\n"
                           "log_stats = 0\n",
                           server, listens, asks ? "scram-sha-256" : "trust", route.folder, kUsersFile,
                           route.connections);
    }

    //! The user and the password, with which it signs in to the server.
    std::vector<ProxyFile> secretFiles(const ProxyRoute& route) const override
    {
        return {{kUsersFile,
                 fmt::format("{} {}\n", inQuotes(route.target.user, '"'), inQuotes(route.target.password, '"'))}};
    }

    std::vector<std::string> arguments(const fs::path& configuration) const override
    {
        return {configuration.string()};
    }
};

} // namespace

const ProxyRecipe& pgbouncerRecipe()
{
    static const Pgbouncer kRecipe;
    return kRecipe;
}

} // namespace dyno
