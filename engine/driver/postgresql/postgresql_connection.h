// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What sessions and the control plane of the PostgreSQL driver share: options of a connection, connecting, and what an
//! error means.
#pragma once

#include "driver/driver.h"
#include "driver/postgresql/postgresql_codes.h"

#include <libpq-fe.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dyno::postgresql {

//! Everything that connecting needs, read once from a ConnectTarget so that a reconnect parses nothing.
struct ConnectOptions
{
    //! libpq's keywords and values, complete: nothing is taken from the environment, service files or ~/.pgpass.
    std::vector<std::pair<std::string, std::string>> keywords;
    int connectTimeoutSeconds = 10;
    bool socket = false;                //!< a Unix socket
    bool tlsByDefault = false;          //!< nothing says so: the server is on another machine
    bool prepared = true;               //!< statements are prepared on the server
    bool pipeline = false;              //!< what is posted of a transaction goes together
    bool bulk = false;                  //!< COPY may be used
    std::vector<std::string> atConnect; //!< statements, sent one by one so that an error names its cause
};

struct CloseConnection
{
    void operator()(PGconn* connection) const { PQfinish(connection); }
};
using Connection = std::unique_ptr<PGconn, CloseConnection>;

struct ClearResult
{
    void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;

//! An error of the library or the server; `text` never holds a password.
struct Failure
{
    std::int32_t code = 0; //!< codeOf() its SQLSTATE
    std::string text;      //!< without the severity and line ends
    std::string statement; //!< which of `atConnect` failed; empty when connecting itself failed
};

//! The server's number of the type bytea.
inline constexpr Oid kBytea = 17;

//! The code where there is no SQLSTATE because the library itself found the connection broken or could not connect
//! (08006, connection_failure).
inline constexpr std::int32_t kConnectionFailure = 8006;
//! The outcome that a code stands for.
[[nodiscard]] Outcome outcomeOf(std::int32_t code);

//! What went wrong with a result, or with the connection where `result` is null.
[[nodiscard]] Failure failureOf(const PGconn* connection, const PGresult* result);
[[nodiscard]] bool succeeded(const PGresult* result);

//! Begins connecting; empty when there is no memory. The caller goes on with PQconnectPoll(), as if it had answered
//! PGRES_POLLING_WRITING, and never keeps the socket's number across its calls: the library may close and open it (next
//! address).
[[nodiscard]] Connection startConnect(const ConnectOptions& options);
//! Why a connection that was begun did not come about.
[[nodiscard]] Failure connectFailure(const PGconn* connection);
//! The same where nobody answered in time.
[[nodiscard]] Failure connectTimeout(const ConnectOptions& options);
//! Connects, for the control plane: `atConnect` is of the load's connections and not sent. Blocks for up to the connect
//! timeout.
[[nodiscard]] tl::expected<Connection, Failure> connect(const ConnectOptions& options);
//! The error a person sees when connecting failed.
[[nodiscard]] Error connectError(const TargetUri& uri, const ConnectOptions& options, const Failure& failure);

} // namespace dyno::postgresql
