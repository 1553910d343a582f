// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_connection.h"

#include "mysql_auth.h"
#include "mysql_bulk.h"
#include "mysql_tls.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>

namespace dyno::mysql {

namespace {

constexpr unsigned kTlsError = 2026;
//! Without CLIENT_FOUND_ROWS "affected" means really changed.
constexpr unsigned long kConnectFlags = CLIENT_MULTI_STATEMENTS | CLIENT_MULTI_RESULTS;

//! Connector/C asks for a pair of calls around each thread's life.
class ThreadGuard
{
public:
    ThreadGuard()
    {
        // mysql_library_init is not thread-safe by itself.
        static std::once_flag once;
        std::call_once(once, [] {
            mysql_library_init(0, nullptr, nullptr);
            registerMethods();
        });
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

Connection newConnection(const ConnectOptions& options)
{
    useLibraryOnThisThread();
    Connection connection(mysql_init(nullptr));
    if (!connection)
        return connection;
    MYSQL* mysql = connection.get();
#if !DYNO_ORACLE_CLIENT // which does not do so, and complains about the option
    const Flag no = 0;
    // A lost connection has to be seen and counted; the library must not hide it.
    mysql_options(mysql, MYSQL_OPT_RECONNECT, &no);
#endif
    // A kept row of which a value did not fit into its buffer must be noticed before the next one is fetched.
    const Flag yes = 1;
    mysql_options(mysql, MYSQL_REPORT_DATA_TRUNCATION, &yes);
    mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &options.connectTimeoutSeconds);
    mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    const unsigned localFiles = options.bulk ? 1 : 0;
    mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &localFiles);
    // The library's own handler opens whatever the server names.
    refuseFiles(mysql);
    if (options.tcp) {
        const unsigned protocol = MYSQL_PROTOCOL_TCP;
        mysql_options(mysql, MYSQL_OPT_PROTOCOL, &protocol);
    }
    if (options.compression)
        mysql_options(mysql, MYSQL_OPT_COMPRESS, nullptr);
    if (options.tcp && !options.sources.empty()) {
        const unsigned turn = options.nextSource->fetch_add(1, std::memory_order_relaxed);
        mysql_options(mysql, MYSQL_OPT_BIND, options.sources[turn % options.sources.size()].c_str());
    }
    setTls(mysql, options);
    restrictMethods(mysql, options);
    addAttribute(mysql, "program_name", "dynobench");
    return connection;
}

#if !DYNO_ORACLE_CLIENT
int startConnect(MYSQL** connected, MYSQL* mysql, const ConnectOptions& options)
{
    return mysql_real_connect_start(connected, mysql, orNull(options.host), orNull(options.user),
                                    options.password.c_str(), orNull(options.database), options.port,
                                    orNull(options.socket), kConnectFlags);
}
#endif

std::optional<Failure> afterConnect(bool connected, MYSQL* mysql, const ConnectOptions& options)
{
    if (!connected)
        return Failure{mysql_errno(mysql), mysql_error(mysql), {}};
    // MYSQL_OPT_SSL_ENFORCE alone goes on in clear text when the server has no TLS (seen with 3.3.20).
    if (options.tls != ConnectOptions::Tls::Off && !mysql_get_ssl_cipher(mysql))
        return Failure{kTlsError, "the server does not offer TLS", {}};
    return std::nullopt;
}

std::optional<Failure> connectOnly(MYSQL* mysql, const ConnectOptions& options)
{
    const bool connected =
        mysql_real_connect(mysql, orNull(options.host), orNull(options.user), options.password.c_str(),
                           orNull(options.database), options.port, orNull(options.socket), kConnectFlags);
    return afterConnect(connected, mysql, options);
}

std::optional<Failure> sendAtConnect(MYSQL* mysql, const ConnectOptions& options)
{
    for (const std::string& statement : options.atConnect) {
        if (mysql_real_query(mysql, statement.data(), statement.size()) != 0 || !drain(mysql))
            return Failure{mysql_errno(mysql), mysql_error(mysql), statement};
    }
    return std::nullopt;
}

tl::expected<void, Failure> connect(MYSQL* mysql, const ConnectOptions& options)
{
    std::optional<Failure> failure = connectOnly(mysql, options);
    if (!failure)
        failure = sendAtConnect(mysql, options);
    if (failure)
        return tl::unexpected(std::move(*failure));
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
        return error(ErrorKind::Refused, "the server answers, but refuses the user or password",
                     fmt::format("check the user in the URI and the password: {}; {}", kWherePasswordsAre,
                                 options.tlsCert.empty()
                                     ? "a user who must show a certificate needs tls=verify, tls_cert and tls_key too"
                                     : "see that tls_cert is the certificate that the user must show"));
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
        return error(ErrorKind::Refused, "no TLS connection", tlsRemedy(options, failure.text));
    case kMethodNotAllowed:
    case 2061: // the same in words of the method itself
        if (!options.tcp || options.tls == ConnectOptions::Tls::Verify)
            return error(
                ErrorKind::Refused, "the server asks for a way to sign in that is not used here; nothing was sent",
                "give the user another way to sign in (mysql_native_password, ed25519, caching_sha2_password)");
        return error(ErrorKind::Refused,
                     "the server asks for a way to sign in that would reveal the password or another secret of this "
                     "machine to whoever answers here; nothing was sent",
                     "use tls=verify, so that the server is known, or its Unix socket; or give the user another way to "
                     "sign in (mysql_native_password, ed25519)");
    case 2059:
    case 1251:
    case 1156:
        return error(ErrorKind::Refused, "the server wants another kind of authentication",
                     "install the client plugin that the message names, or make a user with another plugin");
    case 2002:
        if (options.tcp)
            break; // this library says it of TCP too
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
    const bool plain =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f && c != '\'' && c != '\\'; });
    if (plain)
        return fmt::format("'{}'", text);
    // In GBK and its like a backslash is the second half of a letter, and with NO_BACKSLASH_ESCAPES it is itself: what
    // escapes a quote for one connection ends the text for another.
    std::string result = "_utf8mb4 X'";
    for (const char c : text)
        result += fmt::format("{:02X}", unsigned(static_cast<unsigned char>(c)));
    return result + "'";
}

bool isVariableName(std::string_view name)
{
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

} // namespace dyno::mysql
