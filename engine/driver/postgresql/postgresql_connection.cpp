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

constexpr std::int32_t kDigitsOnly = 100'000; //!< codes below are five decimal digits
constexpr std::int32_t kBase = 36;
constexpr std::size_t kStateSize = 5;

//! Reads notices away: a server's "NOTICE: …" goes nowhere, never to the program's standard error.
void ignoreNotice(void* /*unused*/, const PGresult* /*result*/) {}

int millisecondsLeft(std::chrono::steady_clock::time_point end)
{
    using std::chrono::milliseconds;
    const auto left = std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
    return int(std::max<milliseconds::rep>(0, left.count()));
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

std::int32_t codeOf(const char* sqlState)
{
    if (!sqlState || std::strlen(sqlState) != kStateSize)
        return 0;
    const std::string_view text = sqlState;
    const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    std::int32_t code = 0;
    for (const char c : text) {
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : -1;
        if (digit < 0)
            return 0;
        code = code * (digits ? 10 : kBase) + digit;
    }
    return digits ? code : code + kDigitsOnly;
}

std::string sqlStateOf(std::int32_t code)
{
    if (code < kDigitsOnly)
        return fmt::format("{:05}", std::max(code, 0));
    code -= kDigitsOnly;
    std::string text(kStateSize, '0');
    for (std::size_t i = kStateSize; i-- > 0; code /= kBase)
        text[i] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[code % kBase];
    return text;
}

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
    failure.code = codeOf(result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : nullptr);
    const char* primary = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : nullptr;
    failure.text = oneLine(primary ? primary : PQerrorMessage(connection));
    if (failure.code == 0) // of the library itself
        failure.code = kConnectionFailure;
    return failure;
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
    if (connection)
        PQsetNoticeReceiver(connection.get(), &ignoreNotice, nullptr);
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
            return tl::unexpected(
                Failure{kConnectionFailure, fmt::format("no answer in {} s", options.connectTimeoutSeconds), {}});
        if (ready < 0)
            continue; // interrupted
        wanted = PQconnectPoll(connection.get());
    }
    if (PQstatus(connection.get()) != CONNECTION_OK)
        return tl::unexpected(failureOf(connection.get(), nullptr));
    if (auto failure = sendAtConnect(connection.get(), options))
        return tl::unexpected(std::move(*failure));
    return connection;
}

std::optional<Failure> sendAtConnect(PGconn* connection, const ConnectOptions& options)
{
    for (const std::string& statement : options.atConnect) {
        const Result result(PQexec(connection, statement.c_str()));
        if (!succeeded(result.get())) {
            Failure failure = failureOf(connection, result.get());
            failure.statement = statement;
            return failure;
        }
    }
    return std::nullopt;
}

Error connectError(const TargetUri& uri, const ConnectOptions& options, const Failure& failure)
{
    const auto error = [&](ErrorKind kind, std::string message, std::string remedy) {
        return Error{kind, fmt::format("{} ({})", message, failure.text), uri.display(), std::move(remedy)};
    };
    if (!failure.statement.empty())
        return error(ErrorKind::Refused, fmt::format("the server refuses \"{}\"", failure.statement),
                     "correct the connection knob of that name");
    const auto says = [&failure](std::string_view words) { return failure.text.find(words) != std::string::npos; };
    // While connecting the library keeps the server's words only, in the server's language at that: ours asks for none.
    if (says("password authentication failed") || says("no password supplied") || says("no pg_hba.conf entry"))
        return error(ErrorKind::Refused, "the server answers, but refuses the user or password",
                     fmt::format("check the user in the URI and the password: {}", kWherePasswordsAre));
    if (says("database \"") && says("does not exist"))
        return error(ErrorKind::Refused, fmt::format("there is no database \"{}\"", uri.database),
                     fmt::format("make it with CREATE DATABASE {}", uri.database));
    if (says("role \"") && says("does not exist"))
        return error(ErrorKind::Refused, "the server does not know this user", "check the user in the URI");
    if (says("too many clients") || says("remaining connection slots") || says("too many connections"))
        return error(ErrorKind::Refused, "the server takes no more connections",
                     "raise max_connections, or use fewer users");
    if (says("SSL") || says("certificate"))
        return error(ErrorKind::Refused, "no TLS connection",
                     "name the authority that signed the server's certificate with tls_ca, or see whether the server "
                     "offers TLS");
    return error(ErrorKind::Unreachable, "the server does not answer",
                 options.socket ? "start the server, or correct socket= in the URI"
                                : "start the server, or correct host and port in the URI");
}

} // namespace dyno::postgresql
