// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/remote/remote_servers.h"

#include "base/text.h"
#include "server/lifecycle/private_folder.h"
#include "server/remote/server_price.h"

#include <dyno/passwords.h>
#include <dyno/runner.h>
#include <dyno/uri_form.h>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <toml++/toml.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 8> kKeys = {"uri",     "name",          "production", "apply",
                                                   "restart", "cost_per_hour", "watts",      "currency"};

constexpr const char* kHead =
    "# Remote servers that Dynobench knows. Edit it freely; Dynobench keeps the entries and writes this head again.\n"
    "#   uri         mysql://user@host:port/, never with a password\n"
    "#   name        what to call it; optional\n"
    "#   production  true: ask before any change or load\n"
    "#   apply       shell command for variables that need a restart: it gets lines NAME=VALUE on its standard input "
    "and\n"
    "#               writes them where the server will read them\n"
    "#   restart     shell command that restarts the server; both must exit with 0 within 5 min\n"
    "#   cost_per_hour, watts, currency   what its machine costs and draws, for plans that say none; optional\n";

fs::path fileOr(const fs::path& file)
{
    return file.empty() ? remoteServersFile() : file;
}

Expected<std::string> readText(const fs::path& file)
{
    std::error_code ignored;
    if (!fs::exists(file, ignored))
        return std::string();
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in)
        return fail({ErrorKind::Storage, "cannot be read", file.string(), "look at its permissions"});
    return text.str();
}

std::string textOfServers(const std::vector<RemoteServer>& servers)
{
    std::string text = kHead;
    for (const RemoteServer& server : servers) {
        text += fmt::format("\n[[server]]\nuri = {}\n", tomlText(server.uri));
        if (!server.name.empty())
            text += fmt::format("name = {}\n", tomlText(server.name));
        if (server.production)
            text += "production = true\n";
        if (!server.apply.empty())
            text += fmt::format("apply = {}\n", tomlText(server.apply));
        if (!server.restart.empty())
            text += fmt::format("restart = {}\n", tomlText(server.restart));
        text += priceText(server.price);
    }
    return text;
}

//! The URI as the file has it, or why it cannot be the one of a remote server.
Expected<std::string> remoteUri(std::string_view text)
{
    auto uri = parseUri(text);
    if (!uri)
        return fail(std::move(uri.error()));
    if (uri->kind != TargetKind::Remote)
        return fail({ErrorKind::BadInput,
                     fmt::format("{} is not a remote server", uri->display()),
                     {},
                     "name one as mysql://user@host:port/"});
    return uri->display();
}

template<class Change>
Expected<void> changeFile(const fs::path& given, const Change& change)
{
    const fs::path file = fileOr(given);
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    // Held while the file is read, changed and replaced, so that two programs do not lose each other's entries.
    const auto lock = FileLock::wait(file.string() + ".lock");
    if (!lock)
        return fail(lock.error());
    RemoteServers known = remoteServers(file);
    // Writing the file anew would lose what is wrong in it.
    if (!known.faults.empty()) {
        const Fault& fault = known.faults.front();
        return fail({ErrorKind::BadInput, fmt::format("{}: {}", fault.where, fault.what),
                     fmt::format("{}:{}", file.string(), fault.line), fault.remedy});
    }
    if (auto changed = change(known.servers); !changed)
        return changed;
    return replaceFile(file, textOfServers(known.servers));
}

//! Driver, user and server, written the same way whatever the URI looks like.
std::string placeOf(const TargetUri& uri, const std::string& user)
{
    TargetUri plain;
    plain.kind = TargetKind::Remote;
    plain.scheme = plain.driver = uri.driver;
    plain.user = user;
    if (const auto socket = uri.query.find("socket"); socket != uri.query.end() && !socket->second.empty()) {
        std::error_code ignored;
        plain.query["socket"] = fs::weakly_canonical(socket->second, ignored).string();
        return plain.display();
    }
    plain.host = lowered(uri.host);
    if (plain.host.empty() || plain.host == "localhost" || plain.host == "::1")
        plain.host = "127.0.0.1";
    const bool list = uri.host.find(',') != std::string::npos; // each of its hosts has its own
    plain.port = uri.port;
    if (const UriForm* form = uriFormOfDriver(uri.driver); form && uri.port == 0 && !list)
        plain.port = form->port;
    return plain.display();
}

} // namespace

fs::path remoteServersFile()
{
    return dataFolder() / "servers.toml";
}

RemoteServers parseRemoteServers(std::string_view toml, std::string_view name)
{
    RemoteServers result;
    const auto fault = [&](const toml::node& node, std::string where, std::string what, std::string remedy) {
        result.faults.push_back({std::move(where), int(node.source().begin.line), int(node.source().begin.column),
                                 std::move(what), std::move(remedy)});
    };
    toml::table root;
    try {
        root = toml::parse(toml, name);
    } catch (const toml::parse_error& error) {
        result.faults.push_back({std::string(name), int(error.source().begin.line), int(error.source().begin.column),
                                 std::string(error.description()), "correct the TOML"});
        return result;
    }
    for (const auto& [key, node] : root) {
        if (key != "server")
            fault(node, std::string(key.str()), "is not known here", "known: [[server]]");
    }
    const toml::node* list = root.get("server");
    if (!list)
        return result;
    if (!list->is_array() || !list->as_array()->is_homogeneous<toml::table>()) {
        fault(*list, "server", "is not a list of tables", "write [[server]]");
        return result;
    }
    std::size_t index = 0;
    for (const toml::node& item : *list->as_array()) {
        const toml::table& table = *item.as_table();
        const std::string where = fmt::format("server[{}]", index++);
        const std::size_t before = result.faults.size();
        RemoteServer server;
        for (const auto& [key, node] : table) {
            const std::string at = fmt::format("{}.{}", where, key.str());
            if (std::find(kKeys.begin(), kKeys.end(), key.str()) == kKeys.end())
                fault(node, at, "is not known here", fmt::format("known: {}", fmt::join(kKeys, ", ")));
            else if (key == "production" && !node.is_boolean())
                fault(node, at, "is not true or false", "write true or false");
            else if (isPriceKey(key.str()))
                continue;
            else if (key != "production" && !node.is_string())
                fault(node, at, "is not a text", "put it in quotes");
        }
        server.production = table["production"].value_or(false);
        server.name = table["name"].value_or(std::string());
        server.apply = table["apply"].value_or(std::string());
        server.restart = table["restart"].value_or(std::string());
        server.price = readPrice(table, where, result.faults);
        if (const toml::node* node = table.get("uri"); !node) {
            fault(table, where + ".uri", "is missing", "give the URI of the server");
        } else if (node->is_string()) {
            if (auto uri = remoteUri(node->as_string()->get()); !uri)
                fault(*node, where + ".uri", uri.error().message, uri.error().remedy);
            else
                server.uri = std::move(*uri);
            const bool twice = std::any_of(result.servers.begin(), result.servers.end(),
                                           [&](const RemoteServer& other) { return other.uri == server.uri; });
            if (!server.uri.empty() && twice)
                fault(*node, where + ".uri", fmt::format("{} is there twice", server.uri), "keep one of them");
        }
        if (result.faults.size() == before)
            result.servers.push_back(std::move(server));
    }
    return result;
}

RemoteServers remoteServers(const fs::path& given)
{
    const fs::path file = fileOr(given);
    const auto text = readText(file);
    if (text)
        return parseRemoteServers(*text, file.filename().string());
    RemoteServers none;
    none.faults.push_back({file.filename().string(), 1, 1, text.error().message, text.error().remedy});
    return none;
}

Expected<void> saveRemoteServer(const RemoteServer& server, const fs::path& file)
{
    if (auto right = checkPrice(server.price); !right) {
        right.error().where = redactUri(server.uri);
        return right;
    }
    auto uri = remoteUri(server.uri);
    if (!uri)
        return fail(std::move(uri.error()));
    return changeFile(file, [&](std::vector<RemoteServer>& servers) -> Expected<void> {
        RemoteServer entry = server;
        entry.uri = *uri;
        const auto known =
            std::find_if(servers.begin(), servers.end(), [&](const RemoteServer& one) { return one.uri == entry.uri; });
        if (known == servers.end())
            servers.push_back(std::move(entry));
        else
            *known = std::move(entry);
        return {};
    });
}

Expected<void> forgetRemoteServer(std::string_view text, const fs::path& file)
{
    const auto uri = remoteUri(text);
    const std::string wanted = uri ? *uri : std::string(text);
    return changeFile(file, [&](std::vector<RemoteServer>& servers) -> Expected<void> {
        const auto known = std::find_if(servers.begin(), servers.end(), [&](const RemoteServer& one) {
            return one.uri == wanted || (!one.name.empty() && one.name == text);
        });
        if (known == servers.end())
            return fail({ErrorKind::BadInput,
                         fmt::format("{} is not a server that is known", redactUri(text)),
                         {},
                         "`dyno servers list` shows those that are"});
        servers.erase(known);
        return {};
    });
}

bool sameAccount(const TargetUri& a, const TargetUri& b)
{
    return a.kind == b.kind && accountOf(a) == accountOf(b);
}

bool sameServer(const TargetUri& a, const TargetUri& b)
{
    return a.kind == b.kind && placeOf(a, {}) == placeOf(b, {});
}

std::string accountOf(const TargetUri& uri)
{
    return placeOf(uri, uri.user);
}

Expected<std::optional<RemoteServer>> remoteServerOf(const TargetUri& target, const fs::path& given)
{
    const fs::path file = fileOr(given);
    const RemoteServers known = remoteServers(file);
    if (!known.faults.empty()) {
        const Fault& fault = known.faults.front();
        return fail({ErrorKind::BadInput,
                     fmt::format("{}: {}; which servers are production servers is not known", fault.where, fault.what),
                     fmt::format("{}:{}", file.string(), fault.line), fault.remedy});
    }
    std::optional<RemoteServer> found;
    for (const RemoteServer& server : known.servers) {
        const auto uri = parseUri(server.uri);
        if (!uri || !sameServer(*uri, target))
            continue;
        if (!found) {
            found = server;
            continue;
        }
        found->production = found->production || server.production;
        if (found->apply.empty())
            found->apply = server.apply;
        if (found->restart.empty())
            found->restart = server.restart;
        found->price = withKnown(found->price, server.price);
    }
    return found;
}

} // namespace dyno
