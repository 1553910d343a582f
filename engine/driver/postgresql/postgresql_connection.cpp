// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_connection.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>

namespace dyno::postgresql {

namespace {

constexpr std::size_t kStateSize = 5;

//! Reads notices away: a server's "NOTICE: …" goes nowhere, never to the program's standard error.
void ignoreNotice(void* /*unused*/, const PGresult* /*result*/) {}

int millisecondsLeft(std::chrono::steady_clock::time_point end)
{
    using std::chrono::milliseconds;
    const auto left = std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
    return int(std::max<milliseconds::rep>(0, left.count()));
}

std::string tlsRemedy(const ConnectOptions& options, std::string_view text)
{
    const auto says = [text](std::string_view part) { return text.find(part) != std::string_view::npos; };
    std::string remedy = "check tls=, tls_ca, tls_cert and tls_min_version";
    if (says("does not support SSL"))
        remedy = "set up TLS on the server, or use tls=off";
    else if (says("does not match host name"))
        remedy = "use the name that the server's certificate holds";
    else if (says("certificate verify failed") || says("self-signed") || says("self signed"))
        remedy = "name the PEM file of the authority that signed the server's certificate in tls_ca";
    else if (says("expired") || says("not yet valid"))
        remedy = "renew the certificate, or set the clock";
    else if (says("protocol version") || says("unsupported protocol"))
        remedy = "the server is too old for tls_min_version: lower it";
    if (options.tlsByDefault)
        remedy += "; a server on another machine is verified unless tls= says otherwise: tls=required encrypts "
                  "without knowing the server";
    return remedy;
}

//! "ERROR:  no such …\nLINE 1: …" without the severity and on one line.
std::string oneLine(const char* message)
{
    std::string text = message ? message : "";
    while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
        text.pop_back();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

} // namespace

Outcome outcomeOf(std::int32_t code)
{
    if (code == 0)
        return Outcome::Ok;
    const std::string state = sqlStateOf(code);
    if (state == "40001" || state == "40P01" || state == "55P03") // serialization, deadlock, lock not available
        return Outcome::Retryable;
    if (state == "57014") // query_canceled: statement_timeout
        return Outcome::TimedOut;
    // Class 08 is the connection; 57P01…57P05 are shutdowns, crashes and sessions that were ended.
    if (state.starts_with("08") || state.starts_with("57P") || state == "25P03" || state == "25P04")
        return Outcome::Disconnected;
    return Outcome::Rejected;
}

bool succeeded(const PGresult* result)
{
    switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_SINGLE_TUPLE:
    case PGRES_EMPTY_QUERY:
    case PGRES_PIPELINE_SYNC:
        return true;
    default:
        return false;
    }
}

Failure failureOf(const PGconn* connection, const PGresult* result)
{
    Failure failure;
    const char* state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : nullptr;
    failure.code = codeOf(state ? state : "");
    const char* primary = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : nullptr;
    failure.text = oneLine(primary ? primary : PQerrorMessage(connection));
    if (failure.code == 0) // of the library itself
        failure.code = kConnectionFailure;
    return failure;
}

Failure connectFailure(const PGconn* connection)
{
    // "connection to … failed: FATAL:  28P01: password authentication failed for user "x"\nLOCATION:  …": the words are
    // in the server's language, the SQLSTATE is not. With several addresses the last one counts.
    Failure failure{kConnectionFailure, {}, {}};
    std::string_view message = PQerrorMessage(connection);
    while (!message.empty()) {
        const std::size_t end = std::min(message.find('\n'), message.size());
        std::string line(message.substr(0, end));
        message.remove_prefix(std::min(end + 1, message.size()));
        if (line.starts_with("LOCATION:  ")) // of the server's source
            continue;
        constexpr std::string_view kBefore = ":  ", kAfter = ": ";
        for (std::size_t at = line.find(kBefore); at != std::string::npos; at = line.find(kBefore, at + 1)) {
            const std::size_t begin = at + kBefore.size();
            const std::string state = line.substr(begin, kStateSize);
            if (line.compare(std::min(begin + kStateSize, line.size()), kAfter.size(), kAfter) != 0)
                continue;
            if (const std::int32_t code = codeOf(state.c_str()); code != 0) {
                failure.code = code;
                line.erase(begin - 1, kStateSize + kAfter.size() + 1).insert(begin - 1, " ");
                break;
            }
        }
        failure.text += failure.text.empty() || line.empty() ? line : " " + line;
    }
    return failure;
}

Failure connectTimeout(const ConnectOptions& options)
{
    return {kConnectionFailure, fmt::format("no answer in {} s", options.connectTimeoutSeconds), {}};
}

Connection startConnect(const ConnectOptions& options)
{
    std::vector<const char*> names, values;
    for (const auto& [name, value] : options.keywords) {
        names.push_back(name.c_str());
        values.push_back(value.c_str());
    }
    names.push_back(nullptr);
    values.push_back(nullptr);
    Connection connection(PQconnectStartParams(names.data(), values.data(), 0));
    if (connection) {
        PQsetNoticeReceiver(connection.get(), &ignoreNotice, nullptr);
        // The only way to the SQLSTATE of a refused connection, see connectFailure().
        PQsetErrorVerbosity(connection.get(), PQERRORS_VERBOSE);
    }
    return connection;
}

tl::expected<Connection, Failure> connect(const ConnectOptions& options)
{
    Connection connection = startConnect(options);
    if (!connection)
        return tl::unexpected(Failure{kConnectionFailure, "out of memory", {}});
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options.connectTimeoutSeconds);
    PostgresPollingStatusType wanted = PGRES_POLLING_WRITING; // the documented first state
    while (PQstatus(connection.get()) != CONNECTION_BAD && wanted != PGRES_POLLING_OK) {
        if (wanted == PGRES_POLLING_FAILED)
            break;
        pollfd file{PQsocket(connection.get()), short(wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0};
        const int ready = ::poll(&file, 1, millisecondsLeft(end));
        if (ready == 0)
            return tl::unexpected(connectTimeout(options));
        if (ready < 0)
            continue; // interrupted
        wanted = PQconnectPoll(connection.get());
    }
    if (PQstatus(connection.get()) != CONNECTION_OK)
        return tl::unexpected(connectFailure(connection.get()));
    return connection;
}

Error connectError(const TargetUri& uri, const ConnectOptions& options, const Failure& failure)
{
    const auto error = [&](ErrorKind kind, std::string message, std::string remedy) {
        return Error{kind, fmt::format("{} ({})", message, failure.text), uri.display(), std::move(remedy)};
    };
    const std::string state = sqlStateOf(failure.code);
    const auto says = [&failure](std::string_view words) { return failure.text.find(words) != std::string::npos; };
    if (says("channel binding"))
        return error(ErrorKind::Refused,
                     "no password was sent: the server does not sign in with SCRAM and channel binding, which "
                     "tls=required needs to know whom it gives the password to",
                     "use tls=verify, or set the password again on the server with password_encryption=scram-sha-256");
    if (says("authentication method requirement") || says("require_auth"))
        return error(ErrorKind::Refused, "no password was sent: the server asks for it in a way that would reveal it",
                     "use tls=verify, or let the server ask for scram-sha-256 in its pg_hba.conf");
    // 28000: no line of pg_hba.conf fits. Without a password the library itself gives up, without a SQLSTATE.
    if (state.starts_with("28") || says("no password supplied"))
        return error(ErrorKind::Refused, "the server answers, but refuses the user or password",
                     fmt::format("check the user in the URI and the password: {}", kWherePasswordsAre));
    if (state == "3D000")
        return error(ErrorKind::Refused, fmt::format("there is no database \"{}\"", uri.database),
                     fmt::format("make it with CREATE DATABASE {}", uri.database));
    if (state == "53300")
        return error(ErrorKind::Refused, "the server takes no more connections",
                     "raise max_connections, or use fewer users");
    if (says("SSL") || says("certificate"))
        return error(ErrorKind::Refused, "no TLS connection", tlsRemedy(options, failure.text));
    if (failure.code != kConnectionFailure && outcomeOf(failure.code) == Outcome::Rejected)
        return error(ErrorKind::Refused, "the server refuses the connection", "see what it says");
    return error(ErrorKind::Unreachable, "the server does not answer",
                 options.socket ? "start the server, or correct socket= in the URI"
                                : "start the server, or correct host and port in the URI");
}

} // namespace dyno::postgresql
