// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_connection.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <mutex>

namespace dyno::mysql {

namespace {

constexpr unsigned kTlsError = 2026;

//! Connector/C asks for a pair of calls around each thread's life.
class ThreadGuard
{
public:
    ThreadGuard()
    {
        // mysql_library_init is not thread-safe by itself.
        static std::once_flag once;
        std::call_once(once, [] { mysql_library_init(0, nullptr, nullptr); });
        mysql_thread_init();
    }
    ~ThreadGuard() { mysql_thread_end(); }
    ThreadGuard(const ThreadGuard&) = delete;
    ThreadGuard& operator=(const ThreadGuard&) = delete;
};

const char* orNull(const std::string& text)
{
    return text.empty() ? nullptr : text.c_str();
}

std::string queryOf(const TargetUri& uri, std::string_view name)
{
    const auto it = uri.query.find(name);
    return it == uri.query.end() ? std::string() : it->second;
}

//! The knob, else the URI's query.
std::string knobOrQuery(const ConnectTarget& target, std::string_view name)
{
    const std::string knob = textOf(target.connection, name);
    return knob.empty() ? queryOf(target.uri, name) : knob;
}

Error badOption(const ConnectTarget& target, std::string_view name, std::string_view value, std::string_view right)
{
    return {ErrorKind::BadInput, fmt::format("{} cannot be \"{}\"", name, value), target.uri.display(),
            fmt::format("{} is {}", name, right)};
}

Expected<ConnectOptions::Tls> tlsOf(const ConnectTarget& target)
{
    const std::string text = knobOrQuery(target, "tls");
    if (text.empty() || text == "off" || text == "false")
        return ConnectOptions::Tls::Off;
    if (text == "required" || text == "on" || text == "true")
        return ConnectOptions::Tls::Required;
    if (text == "verify")
        return ConnectOptions::Tls::Verify;
    return fail(badOption(target, "tls", text, "off, required or verify"));
}

Expected<bool> compressionOf(const ConnectTarget& target)
{
    const std::string text = knobOrQuery(target, "compression");
    if (text.empty() || text == "off" || text == "false" || text == "0")
        return false;
    if (text == "on" || text == "true" || text == "1" || text == "zlib")
        return true;
    return fail(badOption(target, "compression", text, "off or on"));
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
        std::replace(isolation.begin(), isolation.end(), '-', ' ');
        statements.push_back("SET SESSION TRANSACTION ISOLATION LEVEL " + isolation);
    }
    if (!boolOf(target.connection, "autocommit", true))
        statements.emplace_back("SET SESSION autocommit=0");
    for (const auto& [name, value] : target.connectionExtra) {
        if (!isVariableName(name))
            return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not a name of a session variable", name),
                         "connection." + name, "use the letters a to z, digits and _"});
        statements.push_back(fmt::format("SET SESSION {}={}", name, literal(value)));
    }
    if (const std::string sql = textOf(target.connection, "init_sql"); !sql.empty())
        statements.push_back(sql);
    return statements;
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

//! Reads and throws away whatever the server sends back; false on an error.
bool drain(MYSQL* mysql)
{
    do {
        if (MYSQL_RES* result = mysql_store_result(mysql))
            mysql_free_result(result);
        else if (mysql_errno(mysql) != 0)
            return false;
    } while (mysql_next_result(mysql) == 0);
    return mysql_errno(mysql) == 0;
}

std::string place(const TargetUri& uri)
{
    return uri.display();
}

} // namespace

void useLibraryOnThisThread()
{
    static thread_local ThreadGuard guard;
    // A thread_local that is never named is never made.
    static_cast<void>(&guard);
}

OptionSpecs connectionOptions()
{
    OptionSpecs options;
    options.push_back(choice("protocol", "Statements",
                             "Prepared statements are parsed once and send values in binary form; text sends the whole "
                             "statement each time.",
                             "prepared", {"prepared", "text"}));
    OptionSpec isolation = choice("isolation", "Isolation level",
                                  "Transaction isolation of each connection. Empty leaves it to the server.", "",
                                  {"", "READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"});
    options.push_back(std::move(isolation));
    OptionSpec autocommit{.name = "autocommit",
                          .label = "Autocommit",
                          .help = "Off: each connection sets autocommit=0, and statements outside a transaction stay "
                                  "open until the next COMMIT."};
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
    options.push_back(std::move(init));
    OptionSpec tls = choice("tls", "TLS",
                            "required encrypts, verify also checks the server's certificate and name. Empty takes what "
                            "the URI says (tls=…), which is off by default.",
                            "", {"", "off", "required", "verify"});
    tls.group = "advanced";
    options.push_back(std::move(tls));
    OptionSpec ca{.name = "tls_ca",
                  .label = "CA certificate",
                  .help = "PEM file with the authority that signed the server's certificate. A small file also makes "
                          "connecting faster: without it each connection loads the system's whole list."};
    ca.group = "advanced";
    options.push_back(std::move(ca));
    OptionSpec compression = choice("compression", "Compression",
                                    "Compresses the client protocol with zlib. Empty takes what the URI says "
                                    "(compression=on), which is off by default.",
                                    "", {"", "off", "on"});
    compression.group = "advanced";
    options.push_back(std::move(compression));
    return options;
}

Expected<ConnectOptions> readOptions(const ConnectTarget& target)
{
    ConnectOptions options;
    const TargetUri& uri = target.uri;
    options.host = uri.host;
    options.user = uri.user;
    options.password = uri.password;
    options.database = uri.database;
    options.socket = queryOf(uri, "socket");
    options.port = unsigned(std::max(uri.port, 0));
    // The library turns "localhost" into its Unix socket; a port in the URI says that TCP is meant.
    options.tcp = options.socket.empty() && (uri.port > 0 || (!uri.host.empty() && uri.host != "localhost"));
    const double timeout = realOf(target.connection, "connect_timeout", 10);
    options.connectTimeoutSeconds = unsigned(std::clamp(std::ceil(timeout), 1.0, 600.0));
    options.prepared = textOf(target.connection, "protocol", "prepared") != "text";
    options.tlsCa = knobOrQuery(target, "tls_ca");
    const auto tls = tlsOf(target);
    if (!tls)
        return fail(tls.error());
    options.tls = *tls;
    const auto compression = compressionOf(target);
    if (!compression)
        return fail(compression.error());
    options.compression = *compression;
    auto statements = statementsAtConnect(target);
    if (!statements)
        return fail(statements.error());
    options.atConnect = std::move(*statements);
    return options;
}

Connection newConnection(const ConnectOptions& options)
{
    useLibraryOnThisThread();
    Connection connection(mysql_init(nullptr));
    if (!connection)
        return connection;
    MYSQL* mysql = connection.get();
    const my_bool yes = 1;
    const my_bool no = 0;
    // A lost connection has to be seen and counted; the library must not hide it.
    mysql_options(mysql, MYSQL_OPT_RECONNECT, &no);
    // Values are fetched into buffers that nobody reads: cut ones are no news.
    mysql_options(mysql, MYSQL_REPORT_DATA_TRUNCATION, &no);
    mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &options.connectTimeoutSeconds);
    mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    const unsigned off = 0;
    mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &off);
    if (options.tcp) {
        const unsigned protocol = MYSQL_PROTOCOL_TCP;
        mysql_options(mysql, MYSQL_OPT_PROTOCOL, &protocol);
    }
    if (options.compression)
        mysql_options(mysql, MYSQL_OPT_COMPRESS, nullptr);
    if (options.tls != ConnectOptions::Tls::Off) {
        mysql_options(mysql, MYSQL_OPT_SSL_ENFORCE, &yes);
        mysql_options(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, options.tls == ConnectOptions::Tls::Verify ? &yes : &no);
        if (!options.tlsCa.empty())
            mysql_options(mysql, MYSQL_OPT_SSL_CA, options.tlsCa.c_str());
    }
    mysql_optionsv(mysql, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name", "dynobench");
    return connection;
}

tl::expected<void, Failure> connect(MYSQL* mysql, const ConnectOptions& options)
{
    // Without CLIENT_FOUND_ROWS "affected" means really changed.
    const unsigned long flags = CLIENT_MULTI_STATEMENTS | CLIENT_MULTI_RESULTS;
    if (!mysql_real_connect(mysql, orNull(options.host), orNull(options.user), options.password.c_str(),
                            orNull(options.database), options.port, orNull(options.socket), flags))
        return tl::unexpected(Failure{mysql_errno(mysql), mysql_error(mysql), {}});
    // MYSQL_OPT_SSL_ENFORCE alone goes on in clear text when the server has no TLS (seen with 3.3.20).
    if (options.tls != ConnectOptions::Tls::Off && !mysql_get_ssl_cipher(mysql))
        return tl::unexpected(Failure{kTlsError, "the server does not offer TLS", {}});
    for (const std::string& statement : options.atConnect) {
        if (mysql_real_query(mysql, statement.data(), statement.size()) != 0 || !drain(mysql))
            return tl::unexpected(Failure{mysql_errno(mysql), mysql_error(mysql), statement});
    }
    return {};
}

Outcome outcomeOf(unsigned code)
{
    switch (code) {
    case 0:
        return Outcome::Ok;
    case 1213: // deadlock
    case 1205: // lock wait timeout
    case 1020: // record has changed since last read (snapshot conflict)
        return Outcome::Retryable;
    case 1969: // MariaDB: max_statement_time
    case 3024: // MySQL: max_execution_time
        return Outcome::TimedOut;
    case 1053: // server shutdown in progress
    case 1077: // normal shutdown
    case 1079: // shutdown complete
    case 1152: // aborted connection
    case 1153: // packet too big: the server hangs up
    case 1156: // packets out of order
    case 1157:
    case 1158: // errors while reading or writing packets
    case 1159:
    case 1160:
    case 1161:
    case 1927: // MariaDB: connection was killed
    case 4031: // MySQL: disconnected for inactivity
        return Outcome::Disconnected;
    case 2029: // statement handles used wrongly, nothing sent
    case 2030:
    case 2031:
    case 2034:
    case 2036:
    case 2057: // the table was altered under a prepared statement
        return Outcome::Rejected;
    default:
        // Every other number of the library itself is about a connection that is gone or out of step.
        return code >= 2000 && code < 3000 ? Outcome::Disconnected : Outcome::Rejected;
    }
}

Error connectError(const TargetUri& uri, const ConnectOptions& options, const Failure& failure)
{
    const auto error = [&](ErrorKind kind, std::string message, std::string remedy) {
        return Error{kind, fmt::format("{} (error {}: {})", message, failure.code, failure.text), place(uri),
                     std::move(remedy)};
    };
    if (!failure.statement.empty())
        return error(ErrorKind::Refused, fmt::format("the server refuses \"{}\"", failure.statement),
                     "correct the connection knob of that name");
    switch (failure.code) {
    case 1045:
    case 1698:
        return error(ErrorKind::Refused, "wrong user or password",
                     "check the user in the URI, and give the password in DYNO_PASSWORD or the keyring");
    case 1044:
        return error(ErrorKind::Refused, fmt::format("the user may not use the database \"{}\"", options.database),
                     "grant the user rights on it");
    case 1049:
        return error(ErrorKind::Refused, fmt::format("there is no database \"{}\"", options.database),
                     fmt::format("make it with CREATE DATABASE {}", options.database));
    case 1040:
    case 1203:
        return error(ErrorKind::Refused, "the server takes no more connections",
                     "raise max_connections, or use fewer users");
    case 1129:
    case 1130:
        return error(ErrorKind::Refused, "the server does not let this host in",
                     "make a user for this host, or FLUSH HOSTS");
    case kTlsError:
        return error(ErrorKind::Refused, "no TLS connection", "check tls= and tls_ca, or use tls=off");
    case 2059:
    case 1251:
    case 1156:
        return error(ErrorKind::Refused, "the server wants another kind of authentication",
                     "install the client plugin that the message names, or make a user with another plugin");
    case 2002:
        return error(ErrorKind::Unreachable, "no server answers on the socket",
                     "start the server, or correct socket= in the URI");
    case 2005:
        return error(ErrorKind::Unreachable, fmt::format("there is no host \"{}\"", options.host),
                     "correct the host name in the URI");
    default:
        break;
    }
    if (outcomeOf(failure.code) == Outcome::Disconnected)
        return error(ErrorKind::Unreachable, "the server does not answer",
                     "start the server, or correct host and port in the URI");
    return error(ErrorKind::Refused, "the server refuses the connection", "see the server's message");
}

std::string sqlQuoted(std::string_view text)
{
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\')
            result += c;
        if (c == '\0')
            result += "\\0";
        else
            result += c;
    }
    result += '\'';
    return result;
}

bool isVariableName(std::string_view name)
{
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

} // namespace dyno::mysql
