// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/path.h>

#include "driver/preflight_list.h"
#include "server/lifecycle/network_link.h"
#include "server/lifecycle/server_binaries.h"
#include "server/proxy/managed_proxy.h"

#include <dyno/managed_transport.h>
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

//! A number with one of these units, as what it stands for; nothing when it is something else or outside the range.
std::optional<double> amountIn(std::string_view text, const std::vector<std::pair<std::string_view, double>>& units,
                               double least, double most)
{
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit = text.substr(std::size_t(read.ptr - text.data()));
    const auto known = std::ranges::find(units, unit, &std::pair<std::string_view, double>::first);
    if (read.ec != std::errc() || known == units.end())
        return {};
    const double amount = number * known->second;
    return amount >= least && amount <= most ? std::optional(amount) : std::nullopt;
}

const std::vector<std::pair<std::string_view, double>>& rateUnits()
{
    static const std::vector<std::pair<std::string_view, double>> kUnits = {
        {"kbit", 1e3}, {"Mbit", 1e6}, {"Gbit", 1e9}};
    return kUnits;
}

const std::vector<std::pair<std::string_view, double>>& delayUnits()
{
    static const std::vector<std::pair<std::string_view, double>> kUnits = {{"us", 1e-3}, {"ms", 1}};
    return kUnits;
}

constexpr std::string_view kLink = "link", kLinkBegins = "link:";

//! Of "link:RATE", "link:DELAY", "link:RATE/DELAY", "link".
std::optional<LinkShape> linkIn(std::string_view text)
{
    constexpr double kLeastRate = 1e3, kMostRate = 1e12, kLeastDelayMs = 1e-3, kMostDelayMs = 10'000;
    LinkShape link;
    if (text == kLink)
        return link;
    text.remove_prefix(kLinkBegins.size());
    const std::size_t slash = text.find('/');
    const auto rate = amountIn(text.substr(0, slash), rateUnits(), kLeastRate, kMostRate);
    const auto delay =
        amountIn(slash == text.npos ? text : text.substr(slash + 1), delayUnits(), kLeastDelayMs, kMostDelayMs);
    if (slash == text.npos ? !rate && !delay : !rate || !delay)
        return {};
    link.bitsPerSecond = rate.value_or(0);
    link.delayMs = delay.value_or(0);
    return link;
}

constexpr std::string_view kSession = "session", kTransaction = "transaction";
constexpr int kUsualPool = 20; //!< connections, as poolers have it where nothing is said
constexpr int kMostPooled = 10'000;

//! Of "session", "session/20", "transaction", "transaction/20".
std::optional<PoolShape> poolIn(std::string_view text)
{
    const std::size_t slash = text.find('/');
    const std::string_view mode = text.substr(0, slash);
    if (mode != kSession && mode != kTransaction)
        return {};
    PoolShape pool{.perTransaction = mode == kTransaction};
    if (slash == text.npos) {
        pool.connections = pool.perTransaction ? kUsualPool : 0;
        return pool;
    }
    const std::string_view digits = text.substr(slash + 1);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), pool.connections);
    const bool whole = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
    return whole && pool.connections >= 1 && pool.connections <= kMostPooled ? std::optional(pool) : std::nullopt;
}

//! In the largest unit that is not above it.
std::string amountText(double amount, const std::vector<std::pair<std::string_view, double>>& units)
{
    for (auto unit = units.rbegin(); unit != units.rend(); ++unit) {
        if (amount >= unit->second || unit + 1 == units.rend())
            return fmt::format("{:.10g}{}", amount / unit->second, unit->first);
    }
    return {};
}

} // namespace

std::string linkText(const LinkShape& link)
{
    std::string text(kLink);
    if (link.bitsPerSecond > 0)
        text += ':' + amountText(link.bitsPerSecond, rateUnits());
    if (link.delayMs > 0)
        text += (link.bitsPerSecond > 0 ? '/' : ':') + amountText(link.delayMs, delayUnits());
    return text;
}

std::string linkName(const LinkShape& link)
{
    std::string name = "a network link";
    if (link.bitsPerSecond > 0)
        name +=
            fmt::format(" of {}/s", amountText(link.bitsPerSecond, {{" kbit", 1e3}, {" Mbit", 1e6}, {" Gbit", 1e9}}));
    if (link.delayMs > 0)
        name += fmt::format(" with {} more a round trip", amountText(link.delayMs, {{" µs", 1e-3}, {" ms", 1}}));
    return name;
}

std::string Endpoint::display() const
{
    if (!socket.empty())
        return socket;
    const bool plain = host.find(':') == std::string::npos; // no IPv6 address
    return plain ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

std::string poolText(std::string_view proxy, const PoolShape& pool)
{
    std::string text = fmt::format("{}:{}", proxy, pool.perTransaction ? kTransaction : kSession);
    if (pool.connections > 0)
        text += fmt::format("/{}", pool.connections);
    return text;
}

std::string poolName(const PoolShape& pool)
{
    if (pool == PoolShape())
        return {};
    std::string name = fmt::format(" ({} pooling", pool.perTransaction ? kTransaction : kSession);
    if (pool.connections > 0)
        name += fmt::format(", {}", counted(std::uint64_t(pool.connections), "connection", "connections"));
    return name + ')';
}

Expected<TargetPath> parsePath(std::string_view text)
{
    if (text.empty() || text == kDirectPath)
        return TargetPath();
    if (proxyRecipeFor(text))
        return TargetPath{TargetPath::Kind::Proxy, std::string(text)};
    const std::size_t colon = text.find(':');
    const ProxyRecipe* pooler = colon == text.npos ? nullptr : proxyRecipeFor(text.substr(0, colon));
    const bool pools = pooler && pooler->names().pools;
    if (const auto pool = pools ? poolIn(text.substr(colon + 1)) : std::nullopt)
        return TargetPath{TargetPath::Kind::Proxy, pooler->names().id, {}, {}, *pool};
    const bool link = text == kLink || text.starts_with(kLinkBegins);
    if (const auto shape = link ? linkIn(text) : std::nullopt)
        return TargetPath{TargetPath::Kind::Link, {}, {}, *shape};
    if (auto address = addressIn(text)) // also of a host with the name "link", or with a proxy's
        return TargetPath{TargetPath::Kind::Address, {}, std::move(*address)};
    if (link)
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not a network link", text), std::string(kPathKey),
                     "write it like link:1Gbit, link:100Mbit/5ms or link:500us: a rate from 1kbit to 1000Gbit, a delay "
                     "of a round trip up to 10000ms"});
    if (pools)
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not a way through {}", text, pooler->names().name),
                     std::string(kPathKey),
                     fmt::format("write it like {0}, {1} or {2}: 1 to {3} connections to the server",
                                 pooler->names().id, poolText(pooler->names().id, {}),
                                 poolText(pooler->names().id, {true, kUsualPool}), kMostPooled)});
    return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not a path to a target", text), std::string(kPathKey),
                 fmt::format("one of: {} (at most {} bytes)", pathForms(), kLongestSocket)});
}

std::string pathForms()
{
    std::string names;
    for (const ProxyInfo& proxy : proxies())
        names += fmt::format(", {}{} (started for the users)", proxy.id,
                             proxy.pools ? fmt::format("[:{}|{}[/CONNECTIONS]]", kSession, kTransaction) : "");
    return fmt::format(
        "{}{}, link:RATE[/DELAY] (a network link, like link:1Gbit/0.2ms, to a managed server with transport=tcp), "
        "HOST:PORT, or the absolute path of a Unix socket",
        kDirectPath, names);
}

std::optional<Error> pathProblem(const TargetUri& target, const TargetPath& path)
{
    const auto problem = [](std::string what, std::string remedy) {
        return Error{ErrorKind::BadInput, std::move(what), std::string(kPathKey), std::move(remedy)};
    };
    if (path.kind == TargetPath::Kind::Direct)
        return {};
    if (path.kind == TargetPath::Kind::Link) {
        if (target.kind == TargetKind::Managed && listensOnTcp(target))
            return {};
        return problem(fmt::format("{} is not reached by a network link", target.display()),
                       target.kind == TargetKind::Managed
                           ? fmt::format("write managed:{}?transport=tcp", target.product)
                           : "only a server that Dynobench starts can be; of others, shape the network by hand: tc "
                             "qdisc add dev DEVICE root tbf rate 1gbit burst 256kb latency 50ms");
    }
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

std::optional<Error> usersProblem(const TargetUri& target, const TargetPath& path, const Settings& connection,
                                  int users)
{
    const ProxyRecipe* recipe = path.kind == TargetPath::Kind::Proxy ? proxyRecipeFor(path.proxy) : nullptr;
    if (!recipe)
        return {};
    ConnectTarget direct;
    direct.uri = target;
    direct.connection = connection;
    auto problem = poolProblem(*recipe, path.pool, users);
    return problem ? problem : recipe->usersProblem(direct, path.pool, {});
}

int connectionsOf(const TargetPath& path, int users)
{
    return path.kind == TargetPath::Kind::Proxy && path.pool.connections > 0 ? std::min(path.pool.connections, users)
                                                                             : users;
}

const std::vector<ProxyInfo>& proxies()
{
    static const std::vector<ProxyInfo> kProxies = [] {
        std::vector<ProxyInfo> all;
        for (const ProxyRecipe* recipe : proxyRecipes())
            all.push_back({recipe->names().id, recipe->names().name, recipe->names().pools, recipe->names().signsIn});
        return all;
    }();
    return kProxies;
}

std::string pathName(std::string_view path)
{
    const auto read = parsePath(path);
    if (const ProxyRecipe* recipe = read ? proxyRecipeFor(read->proxy) : nullptr)
        return recipe->names().name + poolName(read->pool);
    return read && read->kind == TargetPath::Kind::Link ? linkName(read->link) : std::string(path);
}

std::string targetText(const TargetSpec& target)
{
    const std::string uri = redactUri(target.uri);
    const bool direct = target.path.empty() || target.path == kDirectPath;
    return direct ? uri : fmt::format("{} through {}", uri, pathName(target.path));
}

std::optional<Error> missingProxy(std::string_view path)
{
    const auto read = parsePath(path);
    if (const ProxyRecipe* recipe = read ? proxyRecipeFor(read->proxy) : nullptr) {
        auto found = findProxy(*recipe);
        return found ? std::nullopt : std::optional(std::move(found.error()));
    }
    return read && read->kind == TargetPath::Kind::Link ? NetworkLink::missing() : std::nullopt;
}

} // namespace dyno
