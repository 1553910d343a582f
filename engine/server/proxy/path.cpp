// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/path.h>

#include "server/proxy/managed_proxy.h"

#include <dyno/plan.h>
#include <dyno/uri_form.h>

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::size_t kLongestSocket = 107; //!< bytes: sockaddr_un

std::optional<Endpoint> addressIn(std::string_view text)
{
    if (text.starts_with('/')) {
        const bool plain = std::ranges::all_of(text, [](unsigned char c) { return c >= ' ' && c != 0x7f; });
        return plain && text.size() <= kLongestSocket ? std::optional(Endpoint{{}, 0, std::string(text)})
                                                      : std::nullopt;
    }
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0)
        return {};
    const std::string_view digits = text.substr(colon + 1);
    int port = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    constexpr int kMostPorts = 65535;
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || port < 1 || port > kMostPorts)
        return {};
    std::string_view host = text.substr(0, colon);
    const bool brackets = host.starts_with('[') && host.ends_with(']');
    if (brackets) {
        host = host.substr(1, host.size() - 2);
        if (host.empty() || host.find_first_not_of("0123456789abcdefABCDEF:.") != std::string_view::npos)
            return {};
    } else if (!isHostName(host)) {
        return {};
    }
    return Endpoint{std::string(host), port};
}

} // namespace

std::string Endpoint::display() const
{
    if (!socket.empty())
        return socket;
    const bool plain = host.find(':') == std::string::npos; // no IPv6 address
    return plain ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

Expected<TargetPath> parsePath(std::string_view text)
{
    if (text.empty() || text == kDirectPath)
        return TargetPath();
    if (proxyRecipeFor(text))
        return TargetPath{TargetPath::Kind::Proxy, std::string(text)};
    if (auto address = addressIn(text))
        return TargetPath{TargetPath::Kind::Address, {}, std::move(*address)};
    return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not a path to a target", text), std::string(kPathKey),
                 fmt::format("one of: {} (at most {} bytes)", pathForms(), kLongestSocket)});
}

std::string pathForms()
{
    std::string names;
    for (const ProxyInfo& proxy : proxies())
        names += fmt::format(", {} (started for the users)", proxy.id);
    return fmt::format("{}{}, HOST:PORT, or the absolute path of a Unix socket", kDirectPath, names);
}

std::optional<Error> pathProblem(const TargetUri& target, const TargetPath& path)
{
    const auto problem = [](std::string what, std::string remedy) {
        return Error{ErrorKind::BadInput, std::move(what), std::string(kPathKey), std::move(remedy)};
    };
    if (path.kind == TargetPath::Kind::Direct)
        return {};
    constexpr const char* kGoDirect = "use path = \"direct\", or leave it out";
    const UriForm* form = uriFormOfDriver(target.driver);
    if (target.kind == TargetKind::Embedded)
        return problem(fmt::format("{} has no server: nothing can lie between it and its users", target.display()),
                       kGoDirect);
    if (!form || !form->keepsAddress)
        return problem(
            fmt::format("users of {} find their servers by themselves and would go past the path", target.display()),
            kGoDirect);
    if (path.kind == TargetPath::Kind::Address) {
        if (target.kind == TargetKind::Managed)
            return problem(
                fmt::format("{} cannot lead to a server that is started for the session", path.address.display()),
                "give the URI of the server behind it, or use a proxy that Dynobench starts");
        return {};
    }
    const ProxyRecipe* recipe = proxyRecipeFor(path.proxy);
    if (!recipe || !recipe->speaks(target.driver))
        return problem(fmt::format("{} does not speak the protocol of {}", pathName(path.proxy), target.display()),
                       kGoDirect);
    if (target.kind == TargetKind::Remote && !endpointOf(target))
        return problem(fmt::format("{} needs to know where {} listens", pathName(path.proxy), target.display()),
                       "add the port or the socket to the URI");
    if (target.kind == TargetKind::Remote) {
        if (auto unfit = recipe->problem(target, endpointOf(target)))
            return problem(std::move(unfit->message), std::move(unfit->remedy));
    }
    return {};
}

const std::vector<ProxyInfo>& proxies()
{
    static const std::vector<ProxyInfo> kProxies = [] {
        std::vector<ProxyInfo> all;
        for (const ProxyRecipe* recipe : proxyRecipes())
            all.push_back({recipe->names().id, recipe->names().name});
        return all;
    }();
    return kProxies;
}

std::string pathName(std::string_view path)
{
    const ProxyRecipe* recipe = proxyRecipeFor(path);
    return recipe ? recipe->names().name : std::string(path);
}

std::string targetText(const TargetSpec& target)
{
    const std::string uri = redactUri(target.uri);
    const bool direct = target.path.empty() || target.path == kDirectPath;
    return direct ? uri : fmt::format("{} through {}", uri, pathName(target.path));
}

std::optional<Error> missingProxy(std::string_view path)
{
    const ProxyRecipe* recipe = proxyRecipeFor(path);
    if (!recipe)
        return {};
    auto found = findProxy(*recipe);
    return found ? std::nullopt : std::optional(std::move(found.error()));
}

} // namespace dyno
