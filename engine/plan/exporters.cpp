// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/exporters.h"

#include "base/text.h"
#include "plan/field_values.h"
#include "plan/plan_fields.h"

#include <dyno/samples.h>
#include <dyno/uri.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

#include <arpa/inet.h>

namespace dyno {

namespace {

constexpr std::size_t kLongestSourceName = 64;
constexpr std::size_t kLongestExporter = 4096; //!< URL and patterns
constexpr std::string_view kSchemeEnd = "://";

struct UrlParts
{
    std::string_view scheme, authority;
};

UrlParts partsOfUrl(std::string_view url)
{
    const std::size_t scheme = url.find(kSchemeEnd);
    if (scheme == std::string_view::npos)
        return {};
    const std::string_view rest = url.substr(scheme + kSchemeEnd.size());
    return {url.substr(0, scheme), rest.substr(0, rest.find_first_of("/?#"))};
}

//! The host of "host:port" or "[::1]:port"; "" where it is neither. Stricter than the client library, so that both mean
//! the same host.
std::string hostOfAuthority(std::string_view text)
{
    std::string_view port;
    std::string host;
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos)
            return {};
        host = text.substr(1, end - 1);
        in6_addr address{};
        if (::inet_pton(AF_INET6, host.c_str(), &address) != 1)
            return {};
        port = text.substr(end + 1);
    } else {
        const std::size_t colon = std::min(text.find(':'), text.size());
        host = text.substr(0, colon);
        if (!isHostName(host))
            return {};
        port = text.substr(colon);
    }
    if (port.empty())
        return host;
    int number = 0;
    const auto [end, problem] = std::from_chars(port.data() + 1, port.data() + port.size(), number);
    const bool fine = port.starts_with(':') && problem == std::errc() && end == port.data() + port.size() &&
                      number > 0 && number <= 65535;
    return fine ? host : std::string();
}

} // namespace

Expected<std::string> httpHostOf(std::string_view url, const HttpWords& words)
{
    const UrlParts parts = partsOfUrl(url);
    const std::string example = fmt::format("write a URL such as {}", words.example);
    if (parts.scheme != "http" && parts.scheme != "https")
        return badValue(fmt::format("{} is reached by http:// or https://", words.what), example);
    if (parts.authority.find('@') != std::string_view::npos)
        return badValue(fmt::format("a user or a password in the URL of {} is not sent", words.what),
                        std::string(words.insteadOfPassword));
    std::string host = hostOfAuthority(parts.authority);
    if (host.empty())
        return badValue(fmt::format("the URL of {} has no host that can be used", words.what), example);
    const auto odd = [](char c) {
        return c <= ' ' || c >= 0x7f || std::string_view("\"<>\\^`{|}#").find(c) != std::string_view::npos;
    };
    if (std::ranges::any_of(url, odd))
        return badValue(fmt::format("the URL of {} has invalid characters", words.what), "write them as %XX");
    return host;
}

//! Names of other sources would be taken for them; a slash ends the source in the name of a measure.
bool isSourceName(std::string_view name)
{
    constexpr std::array kTaken{std::string_view("server"), std::string_view(kHostSource),
                                std::string_view(kStatedSource)};
    return !name.empty() && name.size() <= kLongestSourceName && !hasControlByte(name) && trimmed(name) == name &&
           name.find_first_of("/\"\\:") == std::string_view::npos && !name.ends_with(kOfProcess) &&
           std::ranges::find(kTaken, name) == kTaken.end();
}

std::string sourceNameRule()
{
    return fmt::format("use at most {} letters, without / : \" and \\; server, host and stated are taken",
                       kLongestSourceName);
}

Expected<Exporter> exporterFrom(std::string_view name, const Value& value)
{
    if (!isSourceName(name))
        return badValue(fmt::format("\"{}\" is no name for an exporter", name), sourceNameRule());
    const auto* text = std::get_if<std::string>(&value);
    if (!text || text->size() > kLongestExporter || hasControlByte(*text))
        return badValue("an exporter is one line of text: its URL, and patterns of the series to store",
                        "such as \"http://127.0.0.1:9100/metrics node_load1 node_cpu_seconds_total*\"");
    Exporter exporter;
    exporter.name = name;
    for (std::string_view rest = trimmed(*text); !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        if (exporter.url.empty())
            exporter.url = rest.substr(0, end);
        else
            exporter.include.emplace_back(rest.substr(0, end));
        rest = trimmed(rest.substr(end));
    }
    auto host =
        httpHostOf(exporter.url, {"an exporter", "http://127.0.0.1:9100/metrics",
                                  "remove what stands before the @: only exporters that ask for none are read"});
    if (!host)
        return tl::unexpected(host.error());
    exporter.host = std::move(*host);
    return exporter;
}

std::vector<Exporter> exportersOf(const Plan& plan)
{
    std::vector<Exporter> exporters;
    for (const auto& [key, value] : plan.set) {
        const auto [scope, name] = splitScope(key);
        if (scope != kExporterScope || exporters.size() >= kMostExporters)
            continue;
        if (auto one = exporterFrom(name, value))
            exporters.push_back(std::move(*one));
    }
    return exporters;
}

std::string hostOfUrl(std::string_view url)
{
    const UrlParts parts = partsOfUrl(url);
    return fmt::format("{}{}{}", parts.scheme, kSchemeEnd, parts.authority);
}

} // namespace dyno
