// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/proxy/mysqlrouter/mysqlrouter.h"

#include <fmt/format.h>

namespace dyno {

namespace {

//! In a URI every byte that is not plain stands as %XX, so that a path cannot end its line or its list.
std::string inUri(std::string_view path)
{
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-._~";
    std::string text;
    for (const char c : path)
        text += kPlain.find(c) != std::string_view::npos ? std::string(1, c)
                                                         : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return text;
}

class MysqlRouter final : public ProxyRecipe
{
public:
    MysqlRouter()
        : ProxyRecipe({.id = "mysqlrouter",
                       .name = "MySQL Router",
                       .programs = {"mysqlrouter"},
                       .drivers = {"mysql"},
                       .remedy = "install the package mysql-router (9.7 or newer for a server on a Unix socket); "
                                 "Dynobench starts it itself, its service can be disabled"})
    {
    }

    std::vector<std::string> versionArguments() const override { return {"--version"}; }

    //! "MySQL Router  Ver 9.7.4-2 for Linux on x86_64 ((Debian))"
    std::string readVersion(std::string_view output) const override
    {
        constexpr std::string_view kBegin = "MySQL Router  Ver ";
        const std::size_t at = output.find(kBegin);
        if (at == std::string_view::npos)
            return {};
        output.remove_prefix(at + kBegin.size());
        return std::string(output.substr(0, output.find_first_of(" \n")));
    }

    //! Its log goes to its standard error, and it writes nothing outside its folder. Users that failed are let in
    //! again: it would shut out their host after a hundred. The pool has no room, but has to be there.
    std::string configuration(const ProxyRoute& route) const override
    {
        const Endpoint &listens = route.listens, &server = route.server;
        const std::string way = listens.socket.empty()
                                    ? fmt::format("bind_address = {}\nbind_port = {}", listens.host, listens.port)
                                    : "socket = " + listens.socket;
        const std::string destination = server.socket.empty() ? server.display() : "local:" + inUri(server.socket);
        return fmt::format("[DEFAULT]\n"
                           "logging_folder =\n"
                           "max_total_connections = {0}\n"
                           "[logger]\n"
                           "level = warning\n"
                           "sinks = consolelog\n"
                           "[connection_pool]\n"
                           "max_idle_server_connections = 0\n"
                           "[routing:users]\n"
                           "{1}\n"
                           "destinations = {2}\n"
                           "routing_strategy = first-available\n"
                           "protocol = classic\n"
                           "max_connections = {0}\n"
                           "max_connect_errors = 4294967295\n"
                           "client_ssl_mode = PASSTHROUGH\n"
                           "server_ssl_mode = AS_CLIENT\n"
                           "connect_timeout = 10\n",
                           route.connections, way, destination);
    }

    //! The folders that it would make below the system's are the configuration's.
    std::vector<std::string> arguments(const std::filesystem::path& configuration) const override
    {
        const std::string folder = configuration.parent_path().string();
        return {"--DEFAULT.runtime_folder=" + folder, "--DEFAULT.data_folder=" + folder, "--config",
                configuration.string()};
    }
};

} // namespace

const ProxyRecipe& mysqlRouterRecipe()
{
    static const MysqlRouter kRecipe;
    return kRecipe;
}

} // namespace dyno
