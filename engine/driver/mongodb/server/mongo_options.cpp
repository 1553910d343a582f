// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/mongodb/server/mongo_options.h"

#include "base/sqlite_file.h"
#include "driver/mongodb/mongod_options.h"
#include "driver/mongodb/server/mongodb_recipes.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/knobs/knob_values.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace dyno {

namespace {

constexpr std::string_view kEncryption = "enableEncryption";

//! A line of the configuration file: path by dots, value as YAML.
using Lines = std::vector<std::pair<std::string, std::string>>;

std::string quoted(const std::string& text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += c;
    }
    return result + '"';
}

//! Words are quoted, so that "no" stays a word; numbers and switches are not.
std::string yamlValue(std::string_view name, const Value& value)
{
    const std::string text = toText(value);
    const KnobInfo* knob = findKnob("mongodb", "server", name);
    if (knob && knob->option.type == OptionType::Bytes) {
        if (const auto bytes = parseBytes(text))
            return fmt::format("{}", *bytes);
    }
    const bool word = knob ? knob->option.type == OptionType::Text || knob->option.type == OptionType::Choice
                           : std::holds_alternative<std::string>(value);
    return word ? quoted(text) : text;
}

//! Lines with the same beginning become one block.
std::string yaml(Lines lines)
{
    std::sort(lines.begin(), lines.end());
    std::string text;
    std::vector<std::string> open;
    for (const auto& [path, value] : lines) {
        std::vector<std::string> parts;
        for (std::size_t at = 0; at <= path.size();) {
            const std::size_t dot = std::min(path.find('.', at), path.size());
            parts.push_back(path.substr(at, dot - at));
            at = dot + 1;
        }
        std::size_t same = 0;
        while (same < open.size() && same + 1 < parts.size() && open[same] == parts[same])
            ++same;
        for (std::size_t depth = same; depth + 1 < parts.size(); ++depth)
            text += fmt::format("{:{}}{}:\n", "", depth * 2, parts[depth]);
        text += fmt::format("{:{}}{}: {}\n", "", (parts.size() - 1) * 2, parts.back(), value);
        open.assign(parts.begin(), parts.end() - 1);
    }
    return text;
}

Lines network(const ServerBinaries& server, const MongoNeeds& needs)
{
    // bindIp takes the path of a socket too. Beside it mongod makes one with its port's number in a folder, which is
    // not to be /tmp: there it would take the place of another server's.
    if (needs.port == 0)
        return {{"net.bindIp", quoted(needs.socket.string())},
                {"net.unixDomainSocket.pathPrefix", quoted(needs.socket.parent_path().string())}};
    // Its own socket would lie in /tmp, where everybody reaches it.
    Lines lines = {{"net.bindIp", needs.address},
                   {"net.port", fmt::format("{}", needs.port)},
                   {"net.unixDomainSocket.enabled", "false"}};
    const bool old = !server.atLeast({4, 2, 0});
    const std::string tls = old ? "net.ssl." : "net.tls.";
    lines.emplace_back(tls + "mode", old ? "allowSSL" : "allowTLS");
    lines.emplace_back(tls + (old ? "PEMKeyFile" : "certificateKeyFile"),
                       quoted((needs.folder / "tls/both.pem").string()));
    lines.emplace_back(tls + "CAFile", quoted((needs.folder / "tls/ca.pem").string()));
    lines.emplace_back(tls + "allowConnectionsWithoutCertificates", "true");
    lines.emplace_back("security.authorization", "enabled");
    // Otherwise the first who comes from this machine may make users, where there are none yet.
    lines.emplace_back("setParameter.enableLocalhostAuthBypass", "false");
    return lines;
}

bool knowsEncryption(const ServerBinaries& server)
{
    return server.build.starts_with("Enterprise") || server.name.starts_with("Percona");
}

//! The pragmas of each connection that FerretDB opens to SQLite; it adds WAL and a busy timeout where none is named.
std::string pragmas(const Settings& knobs)
{
    std::string text;
    for (const auto& [knob, pragma] :
         {std::pair{"sqlite_journal_mode", "journal_mode"}, std::pair{"sqlite_synchronous", "synchronous"},
          std::pair{"sqlite_cache_size", "cache_size"}}) {
        if (const auto value = knobs.find(knob); value != knobs.end())
            text += fmt::format("&_pragma={}({})", pragma, toText(value->second));
    }
    // The wait for locks comes first: another journal mode needs a lock.
    return text.empty() ? "" : "?_pragma=busy_timeout(10000)" + text;
}

bool isOn(const Settings& knobs, std::string_view name, bool fallback)
{
    const auto value = knobs.find(name);
    return value == knobs.end() ? fallback : parseValue(toText(value->second)) == Value(true);
}

//! Its name stands in commands too, and its member is known by host and port.
Expected<void> checkSet(const std::string& name, int port)
{
    constexpr const char* kWhere = "server.replSetName";
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (name.find_first_not_of(kPlain) != std::string::npos)
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" is no name of a replica set", name), kWhere,
                     "use letters, digits, _ and -"});
    if (port == 0)
        return fail({ErrorKind::BadInput, "the members of a replica set know each other by host and port", kWhere,
                     "let the server listen on TCP: managed:mongodb?transport=tcp"});
    return {};
}

//! All faults of names and values at once.
Expected<void> checkLines(const Settings& knobs)
{
    std::vector<std::string> faults;
    for (const auto& [name, value] : knobs) {
        const bool letters = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        });
        if (!letters)
            faults.push_back(fmt::format("\"{}\" is not a name of a server parameter", name));
        else if (std::string unfit = unfitText("server." + name, toText(value)); !unfit.empty())
            faults.push_back(std::move(unfit));
        else if (const auto reason = neverAllowed("mongodb", name, value))
            faults.push_back(fmt::format("server.{} cannot be set: {}", name, *reason));
        else if (const KnobInfo* knob = findKnob("mongodb", "server", name); knob && !coerce(knob->option, value))
            faults.push_back(fmt::format("server.{} cannot be \"{}\"", name, toText(value)));
    }
    if (faults.empty())
        return {};
    return fail({ErrorKind::BadInput, fmt::format("{}", fmt::join(faults, "; ")), "server knobs",
                 "remove or correct these knobs"});
}

} // namespace

std::string replicaSetOf(const Settings& knobs)
{
    const auto name = knobs.find(kReplicaSet);
    return name == knobs.end() ? std::string() : toText(name->second);
}

bool isMongodOption(std::string_view knob)
{
    return findMongodOption(knob) != nullptr;
}

Expected<std::string> mongodConfig(const ServerBinaries& server, const MongoNeeds& needs, const Settings& knobs)
{
    if (auto checked = checkLines(knobs); !checked)
        return fail(std::move(checked.error()));
    Lines lines = network(server, needs);
    if (const std::string set = replicaSetOf(knobs); !set.empty()) {
        if (auto can = checkSet(set, needs.port); !can)
            return fail(std::move(can.error()));
        // Members trust each other by it; with accounts the server does not start without.
        lines.emplace_back("security.keyFile", quoted((needs.folder / kSetKey).string()));
    }
    lines.emplace_back("storage.dbPath", quoted((needs.folder / "data").string()));
    for (const auto& [name, value] : knobs) {
        if (name == kReplicaSet && toText(value).empty())
            continue;
        if (const MongodOption* option = findMongodOption(name))
            lines.emplace_back(option->path, yamlValue(name, value));
        else
            lines.emplace_back("setParameter." + name, yamlValue(name, value));
    }
    if (isOn(knobs, kEncryption, false)) {
        if (!knowsEncryption(server))
            return fail({ErrorKind::BadInput,
                         fmt::format("{} {} has no encryption at rest", server.name, server.version),
                         "server.enableEncryption",
                         "MongoDB Enterprise and Percona Server for MongoDB have it; leave it out for this server"});
        lines.emplace_back("security.encryptionKeyFile", quoted((needs.folder / "keys/mongodb.key").string()));
    }
    return "# Written by Dynobench for this private server; it is written again at each start.\n"
           "# By its socket, which lies in a folder of its owner, everybody is let in; by its port with a password.\n" +
           yaml(std::move(lines));
}

Expected<std::vector<std::string>> ferretdbArguments(const MongoNeeds& needs, const Settings& knobs)
{
    if (auto checked = checkLines(knobs); !checked)
        return fail(std::move(checked.error()));
    for (const auto& [name, value] : knobs) {
        const KnobInfo* knob = findKnob("mongodb", "server", name);
        if (!knob || !editionFor(*knob, "ferretdb", {}))
            return fail({ErrorKind::BadInput, fmt::format("FerretDB has no knob {}", name), "server." + name,
                         "`dyno knobs mongodb` lists what it has"});
        if (const auto fits = coerce(knob->option, value); !fits)
            return fail({ErrorKind::BadInput, fits.error().message, "server." + name, fits.error().remedy});
    }
    std::vector<std::string> arguments = {
        "--handler=sqlite",
        fmt::format("--sqlite-url=file:{}/{}", sqliteUriPath(needs.folder / "data"), pragmas(knobs)),
        ferretdbRecipe().marks(needs.folder).front(),
        "--listen-unix=" + (needs.port == 0 ? needs.socket.string() : std::string()),
        "--listen-addr=" + (needs.port == 0 ? std::string() : fmt::format("{}:{}", needs.address, needs.port)),
        "--debug-addr=",
        "--telemetry=disable",
    };
    if (needs.port > 0) // the password is in its environment, which only its owner sees
        arguments.insert(arguments.end(),
                         {"--test-enable-new-auth", fmt::format("--setup-database={}", kFerretdbUsersDatabase),
                          fmt::format("--setup-username={}", kMongoUser)});
    if (needs.tlsPort > 0) {
        arguments.push_back(fmt::format("--listen-tls={}:{}", needs.address, needs.tlsPort));
        arguments.push_back("--listen-tls-cert-file=" + (needs.folder / "tls/server.pem").string());
        arguments.push_back("--listen-tls-key-file=" + (needs.folder / "tls/server.key").string());
    }
    for (const auto& [name, value] : knobs) {
        if (name == "log_level")
            arguments.push_back("--log-level=" + toText(value));
        else if (name == "insert_batch_size")
            arguments.push_back("--test-batch-size=" + toText(value));
        else if (name == "pushdown" && !isOn(knobs, name, true))
            arguments.emplace_back("--test-disable-pushdown");
        else if (name == "nested_pushdown" && isOn(knobs, name, false))
            arguments.emplace_back("--test-enable-nested-pushdown");
    }
    return arguments;
}

} // namespace dyno
