// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/proxy/haproxy/haproxy.h"

#include <fmt/format.h>

namespace dyno {

namespace {

//! As one word of its configuration, whatever it holds.
std::string asWord(std::string_view text)
{
    std::string word = "'";
    for (const char c : text)
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

std::string addressOf(const Endpoint& endpoint)
{
    return asWord(endpoint.socket.empty() ? endpoint.display() : "unix@" + endpoint.socket);
}

class Haproxy final : public ProxyRecipe
{
public:
    Haproxy()
        : ProxyRecipe(
              {.id = "haproxy",
               .name = "HAProxy",
               .programs = {"haproxy"},
               .drivers = {},
               .remedy = "install the package haproxy; Dynobench starts it itself, its service can be disabled"})
    {
    }

    std::vector<std::string> versionArguments() const override { return {"-v"}; }

    //! "HAProxy version 2.6.12-1+deb12u4 2026/10/17 - https://haproxy.org/"
    std::string readVersion(std::string_view output) const override
    {
        for (const std::string_view begin : {"HAProxy version ", "HA-Proxy version "}) { // the second: up to 2.3
            if (!output.starts_with(begin))
                continue;
            output.remove_prefix(begin.size());
            return std::string(output.substr(0, output.find_first_of(" \n")));
        }
        return {};
    }

    //! Nobody else, another session of ours included, can listen on its port. No statistics, no commands, no log:
    //! nothing listens but the way of the users. Their statements may take as long as they like, and 24 days are the
    //! longest that it takes for a time.
    std::string configuration(const ProxyRoute& route) const override
    {
        return fmt::format("global\n"
                           "    maxconn {}\n"
                           "    noreuseport\n"
                           "defaults\n"
                           "    mode tcp\n"
                           "    timeout connect 10s\n"
                           "    timeout client 24d\n"
                           "    timeout server 24d\n"
                           "listen users\n"
                           "    bind {}{}\n"
                           "    server target {}\n",
                           route.connections, addressOf(route.listens), route.listens.socket.empty() ? "" : " mode 600",
                           addressOf(route.server));
    }

    //! -db: in the foreground, without a process that watches over it.
    std::vector<std::string> arguments(const std::filesystem::path& configuration) const override
    {
        return {"-db", "-f", configuration.string()};
    }
};

} // namespace

const ProxyRecipe& haproxyRecipe()
{
    static const Haproxy kRecipe;
    return kRecipe;
}

} // namespace dyno
