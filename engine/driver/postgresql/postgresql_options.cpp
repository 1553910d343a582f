// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_options.h"

#include "driver/connection_knobs.h"
#include "driver/host_address.h"
#include "driver/postgresql/postgresql_driver.h"
#include "driver/tls_options.h"
#include "postgresql_environment.h"
#include "postgresql_names.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace dyno::postgresql {

namespace {

namespace fs = std::filesystem;

constexpr int kDefaultPort = 5432;
constexpr int kRequireAuthSince = 160'000; // of libpq, as PQlibVersion() counts

//! Keywords of one target, each once; the last value counts.
class Keywords
{
public:
    explicit Keywords(std::vector<std::pair<std::string, std::string>>& keywords)
        : m_keywords(keywords)
    {
    }
    void set(const std::string& name, std::string value)
    {
        const auto known = std::ranges::find(m_keywords, name, &std::pair<std::string, std::string>::first);
        if (known != m_keywords.end())
            known->second = std::move(value);
        else
            m_keywords.emplace_back(name, std::move(value));
    }

private:
    std::vector<std::pair<std::string, std::string>>& m_keywords;
};

//! The folder and port that libpq wants for a socket.
Expected<void> readSocket(const ConnectTarget& target, const fs::path& socket, int port, Keywords& keywords)
{
    constexpr std::string_view kName = ".s.PGSQL.";
    const std::string name = socket.filename().string();
    const bool isFile = name.starts_with(kName);
    const std::string digits = isFile ? name.substr(kName.size()) : fmt::format("{}", port);
    const std::string folder = isFile ? socket.parent_path().string() : socket.string();
    // The library takes a list of hosts that are parted by commas, and a host for a folder only where it begins with /.
    if (!folder.starts_with('/') || folder.find(',') != std::string::npos || digits.empty() ||
        !std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
        return fail({ErrorKind::BadInput,
                     fmt::format("socket= names \"{}\", which is no full path of a socket", socket.string()),
                     target.uri.display(), "write its path, such as /run/postgresql/.s.PGSQL.5432"});
    if (const std::string tls = knobOrQuery(target, "tls"); !tls.empty() && tls != "off" && tls != "false")
        return fail({ErrorKind::BadInput, fmt::format("tls={} is given, but a Unix socket has no TLS", tls),
                     target.uri.display(), "remove tls=, or name a host instead of the socket"});
    keywords.set("host", folder);
    keywords.set("port", digits);
    return {};
}

Expected<void> readHost(const ConnectTarget& target, int port, Keywords& keywords)
{
    // The library reads lists of hosts, and paths of sockets, out of what stands here.
    std::string letters = target.uri.host;
    std::erase_if(letters, [](char c) { return c == ':' || c == '%' || c == '.'; }); // of IPv6 addresses
    if (!letters.empty() && !isHostName(letters))
        return fail({ErrorKind::BadInput, "what stands in the place of the host is no name or address of one",
                     target.uri.display(), "write the name or the IP address of the server"});
    keywords.set("host", target.uri.host.empty() ? "localhost" : target.uri.host);
    keywords.set("port", fmt::format("{}", port));
    return {};
}

//! libpq's own refusal comes with the first connection only.
Expected<void> checkKeyFile(const ConnectTarget& target, const std::string& file)
{
    struct stat facts
    {
    };
    if (::stat(file.c_str(), &facts) != 0)
        return {}; // the library says why
    const mode_t others = facts.st_uid == 0 && ::geteuid() != 0 ? S_IWGRP | S_IXGRP | S_IRWXO : S_IRWXG | S_IRWXO;
    if ((facts.st_mode & others) == 0)
        return {};
    return fail({ErrorKind::BadInput,
                 fmt::format("tls_key names \"{}\", which other users of this machine may read", file),
                 target.uri.display(), fmt::format("make it yours alone: chmod 600 {}", file)});
}

Expected<void> readTls(const ConnectTarget& target, TlsMode mode, ConnectOptions& options, Keywords& keywords)
{
    keywords.set("sslmode", mode == TlsMode::Off ? "disable" : mode == TlsMode::Required ? "require" : "verify-full");
    auto tls = readTlsOptions(target, mode, {.caFolder = false, .socket = options.socket});
    if (!tls)
        return fail(std::move(tls.error()));
    options.tlsByDefault = tls->byDefault;
    if (!tls->key.empty()) {
        if (auto checked = checkKeyFile(target, tls->key); !checked)
            return checked;
        keywords.set("sslcert", tls->cert);
        keywords.set("sslkey", tls->key);
    }
    if (!tls->ca.empty())
        keywords.set("sslrootcert", tls->ca);
    if (!tls->oldest.empty())
        keywords.set("ssl_min_protocol_version", "TLSv" + tls->oldest);
    return {};
}

//! To whom the password may go, and how. The server chooses the method, and libpq gives it the password in clear where
//! it asks for that.
Expected<void> guardPassword(const ConnectTarget& target, TlsMode mode, bool socket, Keywords& keywords)
{
    const bool knowsMethods = PQlibVersion() >= kRequireAuthSince;
    if (knowsMethods) // never the identity of whoever uses this machine
        keywords.set("require_auth", "!gss,!sspi");
    if (target.uri.password.empty())
        return {};
    keywords.set("password", target.uri.password);
    if (socket && !target.distant)
        return {}; // who may listen there is a matter of the folder's rights
    if (mode == TlsMode::Verify)
        return {}; // a known server, and nobody between
    if (mode == TlsMode::Required) {
        // Nobody knows this server. SCRAM with channel binding is the one method that proves to the client that the
        // server at the other end of this very connection knows the password; libpq then refuses all others before
        // it answers them.
        keywords.set("channel_binding", "require");
        return {};
    }
    if (!isLocal(target))
        return fail({ErrorKind::BadInput,
                     "the password would go to another machine over a connection that is not encrypted",
                     target.uri.display(), "use tls=verify or tls=required, or the server's Unix socket there"});
    // Loopback: nothing leaves this machine. While the server is down another user of the machine could listen at its
    // port and ask for the password in clear. From version 16 on libpq can be told not to give it; an older one gives
    // it, as psql does, and the socket is the way that is safe against this.
    if (knowsMethods)
        keywords.set("require_auth", "!password,!gss,!sspi");
    return {};
}

//! As SQL, whatever standard_conforming_strings is.
std::string literal(const Value& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "on" : "off";
    if (!std::holds_alternative<std::string>(value))
        return toText(value);
    std::string text = "E'";
    for (const char c : std::get<std::string>(value)) {
        if (c == '\'' || c == '\\')
            text += c;
        text += c;
    }
    return text + "'";
}

Expected<std::vector<std::string>> statementsAtConnect(const ConnectTarget& target)
{
    std::vector<std::string> statements;
    if (std::string isolation = textOf(target.connection, "isolation"); !isolation.empty()) {
        // It becomes part of a statement as it is.
        if (!std::ranges::all_of(isolation, [](char c) {
                return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == ' ';
            }))
            return fail(
                badOption(target, "isolation", isolation, "the name of an isolation level, such as READ COMMITTED"));
        std::ranges::replace(isolation, '-', ' ');
        statements.push_back("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL " + isolation);
    }
    for (const auto& [name, value] : target.connectionExtra) {
        if (!isSettingName(name))
            return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not a name of a session variable", name),
                         "connection." + name, "use letters, digits, _ and ."});
        statements.push_back(fmt::format("SET {} = {}", name, literal(value)));
    }
    // A look changes nothing: what these do is the plan's own, and agreed to for a run only.
    if (const std::string sql = textOf(target.connection, "init_sql"); !sql.empty() && !target.look)
        statements.push_back(sql);
    return statements;
}

//! What was read for the targets in use.
struct SharedOptions
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
        "Prepared statements are parsed once and send values in binary form; text sends the whole statement each time "
        "(the simple query protocol). pipeline sends prepared statements of a transaction together, as far as none "
        "needs the answer to another; each one's latency counts from the sending. Statements outside of a transaction "
        "go one by one.",
        "prepared", {"prepared", "text", "pipeline"}));
    options.push_back(choiceOption("isolation", "Isolation level",
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
    OptionSpec bulk = choiceOption("bulk_load", "Bulk loading",
                                   "auto loads data with COPY; off with multi-row INSERTs. The rows are the same.",
                                   "auto", {"auto", "off"});
    bulk.group = "advanced";
    options.push_back(std::move(bulk));
    return options;
}

Expected<ConnectOptions> readOptions(const ConnectTarget& target)
{
    ConnectOptions options;
    const TargetUri& uri = target.uri;
    const int port = uri.port > 0 ? uri.port : kDefaultPort;
    const auto mode = tlsModeOffAtSocket(target);
    if (!mode)
        return fail(mode.error());
    const std::string protocol = textOf(target.connection, "protocol", "prepared");
    if (protocol != "prepared" && protocol != "text" && protocol != "pipeline")
        return fail(badOption(target, "protocol", protocol, "prepared, text or pipeline"));
    options.prepared = protocol != "text";
    options.pipeline = protocol == "pipeline";
    options.keywords = withoutHomeFiles();
    Keywords keywords(options.keywords);
    const auto socket = uri.query.find("socket");
    options.socket = socket != uri.query.end() && !socket->second.empty();
    const double timeout = realOf(target.connection, "connect_timeout", 10);
    options.connectTimeoutSeconds = int(std::clamp(std::ceil(timeout), 1.0, 600.0));
    for (const auto& read :
         {options.socket ? readSocket(target, socket->second, port, keywords) : readHost(target, port, keywords),
          readTls(target, *mode, options, keywords), guardPassword(target, *mode, options.socket, keywords)}) {
        if (!read)
            return fail(read.error());
    }
    if (!uri.user.empty())
        keywords.set("user", uri.user);
    if (!uri.database.empty())
        keywords.set("dbname", uri.database);
    keywords.set("gssencmode", "disable");
    keywords.set("application_name", "dynobench");
    keywords.set("client_encoding", "UTF8");
    options.bulk = (target.loader || target.bulk) && textOf(target.connection, "bulk_load", "auto") != "off";
    auto statements = statementsAtConnect(target);
    if (!statements)
        return fail(std::move(statements.error()));
    options.atConnect = std::move(*statements);
    return options;
}

Expected<std::shared_ptr<const ConnectOptions>> sharedOptions(const ConnectTargetPtr& target)
{
    static std::mutex mutex;
    static std::vector<SharedOptions> known;
    const std::lock_guard lock(mutex);
    std::erase_if(known, [](const SharedOptions& one) { return one.target.expired(); });
    for (const SharedOptions& one : known) {
        // Ownership tells targets apart: an address may be given to another one later.
        if (!one.target.owner_before(target) && !target.owner_before(one.target))
            return one.options;
    }
    auto options = readOptions(*target);
    if (!options)
        return fail(std::move(options.error()));
    const std::string host = target->uri.host.empty() ? "localhost" : target->uri.host;
    if (!options->socket && !isAddress(host)) {
        // A certificate is still checked against the name.
        const int port = target->uri.port > 0 ? target->uri.port : kDefaultPort;
        if (std::string address = addressOf(host, port, options->connectTimeoutSeconds); address != host)
            Keywords(options->keywords).set("hostaddr", std::move(address));
    }
    auto shared = std::make_shared<const ConnectOptions>(std::move(*options));
    known.push_back({target, shared});
    return shared;
}

} // namespace dyno::postgresql
