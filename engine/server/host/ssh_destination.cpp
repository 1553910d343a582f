// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/host/ssh_destination.h"

#include <dyno/uri.h>

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include <arpa/inet.h>

namespace dyno {

namespace {

constexpr std::size_t kLongestHost = 253; //!< of DNS
constexpr std::size_t kLongestUser = 64;
constexpr int kLastPort = 65535;

bool isSshName(std::string_view text, std::size_t longest)
{
    return isHostName(text) && text.size() <= longest && !text.starts_with('-');
}

tl::unexpected<Error> noDestination(std::string what)
{
    return fail({ErrorKind::BadInput,
                 std::move(what),
                 {},
                 "write ssh USER@HOST or ssh USER@HOST:PORT, with IPv6 addresses in brackets; put other options into "
                 "~/.ssh/config: its aliases work as HOST"});
}

bool isIpv6(const std::string& text)
{
    in6_addr address{};
    return ::inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

} // namespace

std::string SshDestination::display() const
{
    std::string text = user.empty() ? std::string() : user + "@";
    text += host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
    return port > 0 ? fmt::format("{}:{}", text, port) : text;
}

std::string SshDestination::command() const
{
    return fmt::format("ssh {}{}{}", port > 0 ? fmt::format("-p {} ", port) : std::string(),
                       user.empty() ? std::string() : user + "@", host);
}

Expected<SshDestination> sshDestinationFrom(std::string_view text)
{
    SshDestination to;
    if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
        if (!isSshName(text.substr(0, at), kLongestUser))
            return noDestination("the user of a machine has letters, digits, dots, dashes and underscores only");
        to.user = text.substr(0, at);
        text.remove_prefix(at + 1);
    }
    std::string_view port;
    if (text.starts_with('[')) {
        const std::size_t end = std::min(text.find(']'), text.size());
        to.host = text.substr(1, end - 1);
        if (end == text.size() || !isIpv6(to.host))
            return noDestination("what is in brackets is no IPv6 address");
        port = text.substr(end + 1);
    } else {
        const std::size_t colon = std::min(text.find(':'), text.size());
        if (!isSshName(text.substr(0, colon), kLongestHost))
            return noDestination("the name of the machine is missing or has letters that no host's name has");
        to.host = text.substr(0, colon);
        port = text.substr(colon);
    }
    if (port.empty())
        return to;
    const auto [end, problem] = std::from_chars(port.data() + 1, port.data() + port.size(), to.port);
    if (port.front() != ':' || problem != std::errc() || end != port.data() + port.size() || to.port < 1 ||
        to.port > kLastPort)
        return noDestination(fmt::format("a port is a number from 1 to {}", kLastPort));
    return to;
}

} // namespace dyno
