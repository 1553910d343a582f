// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_options.h"

#include "driver/connection_knobs.h"
#include "driver/host_address.h"
#include "driver/mysql/mysql_driver.h"
#include "mysql_auth.h"
#include "mysql_direct.h"
#include "mysql_tls.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <mutex>

namespace dyno::mysql {

namespace {

constexpr int kDefaultPort = 3306;

Expected<bool> compressionOf(const ConnectTarget& target)
{
    const std::string text = knobOrQuery(target, "compression");
    if (text.empty() || text == "off" || text == "false" || text == "0")
        return false;
    if (text == "on" || text == "true" || text == "1" || text == "zlib")
        return true;
    // The library knows a plugin for zstd, but distributions do not ship it, and MariaDB servers do not speak it.
    return fail(badOption(target, "compression", text, "off or zlib"));
}

Expected<std::string> protocolOf(const ConnectTarget& target)
{
    std::string text = textOf(target.connection, "protocol", "prepared");
    if (text == "prepared" || text == "text" || text == "multi")
        return text;
    return fail(badOption(target, "protocol", text, "prepared, text or multi"));
}

//! "127.0.0.2, 127.0.0.3".
Expected<std::vector<std::string>> sourcesOf(const ConnectTarget& target)
{
    std::vector<std::string> sources;
    const std::string text = textOf(target.connection, "source_addresses");
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find_first_of(", ;", at), text.size());
        if (end > at) {
            std::string source = text.substr(at, end - at);
            if (!isAddress(source))
                return fail(badOption(target, "source_addresses", source,
                                      "a list of IP addresses of this host, such as 127.0.0.2, 127.0.0.3"));
            sources.push_back(std::move(source));
        }
        at = end + 1;
    }
    return sources;
}

//! A session variable's value as SQL.
std::string literal(const Value& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "1" : "0";
    if (const auto* text = std::get_if<std::string>(&value))
        return sqlQuoted(*text);
    return toText(value);
}

Expected<std::vector<std::string>> statementsAtConnect(const ConnectTarget& target)
{
    std::vector<std::string> statements;
    std::string isolation = textOf(target.connection, "isolation");
    if (!isolation.empty()) {
        // It becomes part of a statement as it is.
        if (!std::all_of(isolation.begin(), isolation.end(), [](char c) {
                return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == ' ';
            }))
            return fail(
                badOption(target, "isolation", isolation, "the name of an isolation level, such as read-committed"));
        std::replace(isolation.begin(), isolation.end(), '-', ' ');
        statements.push_back("SET SESSION TRANSACTION ISOLATION LEVEL " + isolation);
    }
    // A load commits each slice: left open, its rows would be lost, and its locks would hold up the indexes.
    if (!boolOf(target.connection, "autocommit", true) && !target.loader)
        statements.emplace_back("SET SESSION autocommit=0");
    for (const auto& [name, value] : target.connectionExtra) {
        if (!isVariableName(name))
            return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not a name of a session variable", name),
                         "connection." + name, "use the letters a to z, digits and _"});
        statements.push_back(fmt::format("SET SESSION {}={}", name, literal(value)));
    }
    // A look changes nothing: what these do is the plan's own, and agreed to for a run only.
    if (const std::string sql = textOf(target.connection, "init_sql"); !sql.empty() && !target.look)
        statements.push_back(sql);
    return statements;
}

//! What was read for the targets in use.
struct Shared
{
    std::weak_ptr<const ConnectTarget> target;
    std::shared_ptr<const ConnectOptions> options;
};

} // namespace

OptionSpecs connectionOptions()
{
    OptionSpecs options;
    options.push_back(choiceOption(
        "protocol", "Statements",
        "Prepared statements are parsed once and send values in binary form; text sends the whole statement each time. "
        "multi sends the statements of a transaction as text in one packet, as far as none needs the answer to "
        "another; "
        "each one's latency counts from the packet's sending.",
        "prepared", {"prepared", "text", "multi"}));
    options.push_back(choiceOption("isolation", "Isolation level",
                                   "Transaction isolation of each connection. Empty leaves it to the server.", "",
                                   {"", "READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"}));
    OptionSpec autocommit{.name = "autocommit",
                          .label = "Autocommit",
                          .help = "Off: each connection sets autocommit=0, and statements outside a transaction stay "
                                  "open until the next COMMIT. Their rows are counted all the same."};
    autocommit.type = OptionType::Bool;
    autocommit.defaultValue = true;
    options.push_back(std::move(autocommit));
    OptionSpec timeout{.name = "connect_timeout",
                       .label = "Connect timeout",
                       .help = "How long to wait for a connection, in seconds."};
    timeout.type = OptionType::Duration;
    timeout.defaultValue = 10.0;
    timeout.unit = "s";
    timeout.minimum = 1;
    timeout.maximum = 600;
    timeout.group = "advanced";
    options.push_back(std::move(timeout));
    OptionSpec init{.name = "init_sql",
                    .label = "SQL after connecting",
                    .help = "Statements that each connection sends first, separated by semicolons."};
    init.group = "advanced";
    init.risk =
        "send statements of its own on each new connection: they can read, change and delete whatever this user may";
    init.notAtLook = true;
    options.push_back(std::move(init));
    for (const UriOption& shared : mysqlUriForm().options) {
        if (shared.spec.name != "socket")
            options.push_back(shared.spec);
    }
    OptionSpec sources{.name = "source_addresses",
                       .label = "Source addresses",
                       .help = "IP addresses of this host that TCP connections come from in turn, such as 127.0.0.2, "
                               "127.0.0.3. One address gives about 28 000 connections to a server. Empty leaves it to "
                               "the system."};
    sources.group = "advanced";
    options.push_back(std::move(sources));
    OptionSpec bulk =
        choiceOption("bulk_load", "Bulk loading",
                     "auto loads data with LOAD DATA LOCAL INFILE where the server allows it (local_infile=ON), "
                     "else with multi-row INSERTs, as off always does. The rows are the same.",
                     "auto", {"auto", "off"});
    bulk.group = "advanced";
    options.push_back(std::move(bulk));
    OptionSpec direct = choiceOption(
        "direct", "Direct path",
        "auto writes the packets of prepared statements with many values (inserts of several rows) itself, for "
        "users on threads, where the loaded client library is a version that was tested with it: it takes less "
        "of the client's CPU. always does so with each prepared statement. off uses the library's public calls "
        "only. The server gets the same statements. Each run records which it was.",
        "auto", {"auto", "always", "off"});
    direct.group = "advanced";
    options.push_back(std::move(direct));
    return options;
}

Expected<ConnectOptions> readOptions(const ConnectTarget& target)
{
    ConnectOptions options;
    const TargetUri& uri = target.uri;
    const auto socket = uri.query.find("socket");
    // The library reads a list of options (plugin-dir=…) out of a host that has a semicolon.
    std::string letters = uri.host;
    std::erase_if(letters, [](char c) { return c == ':' || c == '%' || c == '.'; }); // of IPv6 addresses
    if (!letters.empty() && !isHostName(letters))
        return fail({ErrorKind::BadInput, "what stands in the place of the host is no name or address of one",
                     uri.display(), "write the name or the IP address of the server"});
    options.host = uri.host;
    options.user = uri.user;
    options.password = uri.password;
    options.database = uri.database;
    options.socket = socket == uri.query.end() ? std::string() : socket->second;
    options.port = unsigned(std::max(uri.port, 0));
    options.distant = target.distant;
    // The library turns "localhost" into its Unix socket; a port in the URI says that TCP is meant.
    options.tcp = options.socket.empty() && (uri.port > 0 || (!uri.host.empty() && uri.host != "localhost"));
    if (options.tcp && options.host.empty())
        options.host = "localhost";
    const double timeout = realOf(target.connection, "connect_timeout", 10);
    options.connectTimeoutSeconds = unsigned(std::clamp(std::ceil(timeout), 1.0, 600.0));
    options.bulk = (target.loader || target.bulk) && textOf(target.connection, "bulk_load", "auto") != "off";
    const auto protocol = protocolOf(target);
    if (!protocol)
        return fail(protocol.error());
    options.prepared = *protocol == "prepared";
    options.batches = *protocol == "multi" && !target.loader;
    const std::string direct = textOf(target.connection, "direct", "auto");
    if (direct != "auto" && direct != "always" && direct != "off")
        return fail(badOption(target, "direct", direct, "auto, always or off"));
    options.directFrom = directFrom(target);
    if (auto tls = readTls(target, options); !tls)
        return fail(std::move(tls.error()));
    if (auto may = mayUsePassword(target, options); !may)
        return fail(std::move(may.error()));
    const auto compression = compressionOf(target);
    if (!compression)
        return fail(compression.error());
    options.compression = *compression;
    auto sources = sourcesOf(target);
    if (!sources)
        return fail(std::move(sources.error()));
    options.sources = std::move(*sources);
    auto statements = statementsAtConnect(target);
    if (!statements)
        return fail(statements.error());
    options.atConnect = std::move(*statements);
    return options;
}

Expected<std::shared_ptr<const ConnectOptions>> sharedOptions(const ConnectTargetPtr& target)
{
    static std::mutex mutex;
    static std::vector<Shared> known;
    const std::lock_guard lock(mutex);
    std::erase_if(known, [](const Shared& one) { return one.target.expired(); });
    for (const Shared& one : known) {
        // Ownership tells targets apart: an address may be given to another one later.
        if (!one.target.owner_before(target) && !target.owner_before(one.target))
            return one.options;
    }
    auto options = readOptions(*target);
    if (!options)
        return fail(std::move(options.error()));
    // The library checks a certificate against the host that it connects to, so with verify that stays the name.
    if (options->tcp && options->tls != ConnectOptions::Tls::Verify && !isAddress(options->host))
        options->host = addressOf(options->host, options->port > 0 ? int(options->port) : kDefaultPort,
                                  int(options->connectTimeoutSeconds));
    auto shared = std::make_shared<const ConnectOptions>(std::move(*options));
    known.push_back({target, shared});
    return shared;
}

} // namespace dyno::mysql
