// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/live_metrics.h>
#include <dyno/uri.h>

#include <arpa/inet.h>
#include <charconv>
#include <fmt/format.h>

namespace dyno {

namespace {

bool isNumericAddress(int family, const std::string& text)
{
    in6_addr parsed{}; // the larger of both
    return ::inet_pton(family, text.c_str(), &parsed) == 1;
}

} // namespace

bool MetricsAddress::isLocal() const
{
    return isLoopback(host);
}

std::string MetricsAddress::text() const
{
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

Expected<MetricsAddress> metricsAddressFrom(std::string_view text)
{
    const auto wrong = [](std::string what) {
        return fail({ErrorKind::BadInput, std::move(what), {}, "write ADDRESS:PORT, such as 127.0.0.1:9464 or :9464"});
    };
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos)
        return wrong("metrics are served at an address with a port");
    MetricsAddress address;
    const std::string_view port = text.substr(colon + 1);
    const auto [end, problem] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (port.empty() || problem != std::errc() || end != port.data() + port.size() || address.port < 0 ||
        address.port > 65535)
        return wrong("the port of the metrics is no number from 0 to 65535");
    const std::string host(text.substr(0, colon));
    if (host.empty() || host == "localhost")
        return address;
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        address.host = host.substr(1, host.size() - 2);
        if (isNumericAddress(AF_INET6, address.host))
            return address;
    }
    address.host = host;
    if (isNumericAddress(AF_INET, host))
        return address;
    return wrong("write the number of an address of this machine, or localhost; one of IPv6 stands in brackets");
}

} // namespace dyno
