// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What sessions and the control plane of the MySQL driver share: options of a connection, connecting, and what an
//! error number means.
#pragma once

#include "driver/driver.h"
#include "driver/tls_options.h"
#include "mysql_library.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::mysql {

//! The library's numbers for a connection that the server closed before, and while, it was asked (CR_SERVER_GONE_ERROR,
//! CR_SERVER_LOST).
inline constexpr unsigned kServerGone = 2006, kServerLost = 2013;

//! Makes the library ready for this thread; the first call also initialises the library. Cheap after the first time.
void useLibraryOnThisThread();

//! The connection knobs, in the order of the form.
[[nodiscard]] OptionSpecs connectionOptions();

//! Everything that connecting needs, read once from a ConnectTarget so that a reconnect parses nothing.
struct ConnectOptions
{
    using Tls = TlsMode;

    std::string host, user, password, database, socket;
    unsigned port = 0;
    unsigned connectTimeoutSeconds = 10;
    bool distant = false; //!< ConnectTarget::distant
    bool tcp = false;     //!< false with host "localhost" means the library's Unix socket
    Tls tls = Tls::Off;
    bool tlsByDefault = false;                       //!< nothing says so: the server is on another machine
    std::string tlsCa, tlsCaFolder, tlsCert, tlsKey; //!< files, a folder of hashed names; "" = none
    std::string tlsVersions;                         //!< as the library takes them; "" = its own choice
    std::string tlsCiphers;
    bool compression = false;
    bool prepared = true;
    std::size_t directFrom =
        SIZE_MAX; //!< statements of so many values and more go past the library's public calls, see mysql_direct.h
    bool batches = false;             //!< what is posted goes in one packet
    bool bulk = false;                //!< LOAD DATA LOCAL INFILE may be used: only where bulk requests may come
    std::vector<std::string> sources; //!< addresses of this host that TCP connections take in turn
    std::shared_ptr<std::atomic<unsigned>> nextSource = std::make_shared<std::atomic<unsigned>>(0);
    std::vector<std::string> atConnect; //!< statements, sent one by one so that an error names its cause
};
//! The URI's query gives TLS and compression where the knobs are empty. Errors name the knob. Sessions take
//! sharedOptions() instead, see mysql_options.h.
[[nodiscard]] Expected<ConnectOptions> readOptions(const ConnectTarget& target);

struct CloseConnection
{
    void operator()(MYSQL* mysql) const { mysql_close(mysql); }
};
using Connection = std::unique_ptr<MYSQL, CloseConnection>;

//! An error of the library or the server with its own number; `text` never holds a password.
struct Failure
{
    unsigned code = 0;
    std::string text;
    std::string statement; //!< which of `atConnect` failed; empty when connecting itself failed
};

//! A connection handle with all options set, not connected. Takes the next of `sources`.
[[nodiscard]] Connection newConnection(const ConnectOptions& options);
//! Connects and sends `atConnect`; blocks for up to the connect timeout.
[[nodiscard]] tl::expected<void, Failure> connect(MYSQL* mysql, const ConnectOptions& options);

//! The two steps of connect(); an error when they fail.
[[nodiscard]] std::optional<Failure> connectOnly(MYSQL* mysql, const ConnectOptions& options);
[[nodiscard]] std::optional<Failure> sendAtConnect(MYSQL* mysql, const ConnectOptions& options);
//! The same in steps, for a caller that waits for the server by itself: begins connecting a handle with
//! MYSQL_OPT_NONBLOCK (returns what mysql_real_connect_start() does) …
[[nodiscard]] int startConnect(MYSQL** connected, MYSQL* mysql, const ConnectOptions& options);
//! … and what is wrong with the outcome. `atConnect` is left to the caller.
[[nodiscard]] std::optional<Failure> afterConnect(bool connected, MYSQL* mysql, const ConnectOptions& options);

//! The outcome that a server's (1000…1999, 3000…) or the library's (2000…2999) error number stands for.
[[nodiscard]] Outcome outcomeOf(unsigned code);
//! The error a person sees when connecting failed.
[[nodiscard]] Error connectError(const TargetUri& uri, const ConnectOptions& options, const Failure& failure);

//! `text` as a literal of SQL, whatever character set and sql_mode the connection has: between single quotes when it is
//! plain ASCII without quotes and backslashes, else as hexadecimal digits (_utf8mb4 X'…'). A server refuses the latter
//! when they are no UTF-8.
[[nodiscard]] std::string sqlQuoted(std::string_view text);
//! True for names made of a–z, 0–9 and _ only: what a variable may be called.
[[nodiscard]] bool isVariableName(std::string_view name);

} // namespace dyno::mysql
