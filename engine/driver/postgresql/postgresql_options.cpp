// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_options.h"

#include "driver/postgresql/postgresql_driver.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace dyno::postgresql {

namespace {

namespace fs = std::filesystem;

std::string knobOrQuery(const ConnectTarget& target, std::string_view name)
{
    const std::string knob = textOf(target.connection, name);
    if (!knob.empty())
        return knob;
    const auto it = target.uri.query.find(name);
    return it == target.uri.query.end() ? std::string() : it->second;
}

Error badOption(const ConnectTarget& target, std::string_view name, std::string_view value, std::string_view right)
{
    return {ErrorKind::BadInput, fmt::format("{} cannot be \"{}\"", name, value), target.uri.display(),
            fmt::format("{} is {}", name, right)};
}

OptionSpec choice(std::string name, std::string label, std::string help, std::string fallback,
                  std::vector<std::string> choices)
{
    OptionSpec option{.name = std::move(name), .label = std::move(label), .help = std::move(help)};
    option.type = OptionType::Choice;
    option.defaultValue = std::move(fallback);
    option.choices = std::move(choices);
    return option;
}

//! libpq's word for tls=…, or an error.
Expected<std::string> sslMode(const ConnectTarget& target)
{
    const std::string text = knobOrQuery(target, "tls");
    if (text == "off" || text == "false")
        return "disable";
    if (text == "required")
        return "require";
    if (text == "verify" || text == "on" || text == "true")
        return "verify-full";
    if (text.empty()) // whoever names an authority means that it is asked
        return knobOrQuery(target, "tls_ca").empty() && isLocal(target) ? "disable" : "verify-full";
    return fail(badOption(target, "tls", text, "off, required or verify"));
}

//! The folder and port that libpq wants for a socket.
void addSocket(ConnectOptions& options, const fs::path& socket, int port)
{
    constexpr std::string_view kName = ".s.PGSQL.";
    const std::string name = socket.filename().string();
    options.socket = true;
    if (name.starts_with(kName)) {
        options.keywords.emplace_back("host", socket.parent_path().string());
        options.keywords.emplace_back("port", name.substr(kName.size()));
        return;
    }
    options.keywords.emplace_back("host", socket.string());
    options.keywords.emplace_back("port", fmt::format("{}", port));
}

} // namespace

OptionSpecs connectionOptions()
{
    OptionSpecs options;
    options.push_back(choice(
        "protocol", "Statements",
        "Prepared statements are parsed once and send values in binary form; text sends the whole statement each time "
        "(the simple query protocol). pipeline sends prepared statements of a transaction together, as far as none "
        "needs the answer to another; each one's latency counts from the sending.",
        "prepared", {"prepared", "text", "pipeline"}));
    options.push_back(choice("isolation", "Isolation level",
                             "Transaction isolation of each connection. Empty leaves it to the server.", "",
                             {"", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}));
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
    for (const UriOption& shared : postgresqlUriForm().options) {
        if (shared.spec.name != "socket")
            options.push_back(shared.spec);
    }
    OptionSpec bulk = choice("bulk_load", "Bulk loading",
                             "auto loads data with COPY; off with multi-row INSERTs. The rows are the same.", "auto",
                             {"auto", "off"});
    bulk.group = "advanced";
    options.push_back(std::move(bulk));
    return options;
}

Expected<ConnectOptions> readOptions(const ConnectTarget& target)
{
    ConnectOptions options;
    const TargetUri& uri = target.uri;
    constexpr int kDefaultPort = 5432;
    const int port = uri.port > 0 ? uri.port : kDefaultPort;
    auto mode = sslMode(target);
    if (!mode)
        return fail(std::move(mode.error()));
    const auto add = [&options](const char* name, std::string value) {
        options.keywords.emplace_back(name, std::move(value));
    };
    const auto socket = uri.query.find("socket");
    if (socket != uri.query.end() && !socket->second.empty()) {
        addSocket(options, socket->second, port);
    } else {
        add("host", uri.host.empty() ? "localhost" : uri.host);
        add("port", fmt::format("{}", port));
    }
    options.connectTimeoutSeconds = int(realOf(target.connection, "connect_timeout", 10));
    add("user", uri.user);
    add("password", uri.password);
    add("dbname", uri.database);
    add("passfile", "/dev/null"); // a password comes from where this program is told it, and from nowhere else
    add("sslmode", *mode);
    add("gssencmode", "disable");
    add("application_name", "dynobench");
    add("client_encoding", "UTF8");
    add("connect_timeout", fmt::format("{}", options.connectTimeoutSeconds));
    for (const auto& [knob, keyword] :
         {std::pair{"tls_ca", "sslrootcert"}, {"tls_cert", "sslcert"}, {"tls_key", "sslkey"}}) {
        if (const std::string file = knobOrQuery(target, knob); !file.empty())
            add(keyword, file);
    }
    if (const std::string version = knobOrQuery(target, "tls_min_version"); !version.empty())
        add("ssl_min_protocol_version", "TLSv" + version);
    const std::string protocol = textOf(target.connection, "protocol", "prepared");
    options.prepared = protocol != "text";
    options.pipeline = protocol == "pipeline";
    options.bulk = (target.loader || target.bulk) && textOf(target.connection, "bulk_load", "auto") != "off";
    if (const std::string isolation = textOf(target.connection, "isolation"); !isolation.empty())
        options.atConnect.push_back("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL " + isolation);
    if (const std::string sql = textOf(target.connection, "init_sql"); !sql.empty() && !target.look)
        options.atConnect.push_back(sql);
    return options;
}

} // namespace dyno::postgresql
