// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of mysql_auth.h with MySQL's client library. It knows no list of allowed methods, and over TLS its
// caching_sha2_password and sha256_password give the password to whoever answers. Without TLS sha256_password encrypts
// it with whatever key the other side sends. So a password is used only on this machine or where TLS verifies the
// server, and methods of other files are not loaded.
#include "mysql_auth.h"

#include <fmt/format.h>
#include <mysql/client_plugin.h>

namespace dyno::mysql {

namespace {

bool isKnown(const ConnectOptions& options)
{
    return (!options.tcp && !options.distant) || options.tls == ConnectOptions::Tls::Verify;
}

} // namespace

void registerMethods()
{
    // Not in the library any more since 9, but in a file beside it, and older servers and MariaDB's ask for it first.
    if (MYSQL* mysql = mysql_init(nullptr)) {
        (void)mysql_client_find_plugin(mysql, "mysql_native_password", MYSQL_CLIENT_AUTHENTICATION_PLUGIN);
        mysql_close(mysql);
    }
}

Expected<void> mayUsePassword(const ConnectTarget& target, const ConnectOptions& options)
{
    const bool here = isLoopback(options.host) && !options.distant;
    if (options.password.empty() || isKnown(options) || here)
        return {};
    return fail(
        {ErrorKind::BadInput,
         fmt::format("with {} the password could be revealed to whoever answers on another machine, without TLS "
                     "too, unless TLS verifies the server",
                     kLibrary),
         target.uri.display(), "use tls=verify, or a build with MariaDB Connector/C"});
}

void restrictMethods(MYSQL* mysql, const ConnectOptions& options)
{
    mysql_options(mysql, MYSQL_PLUGIN_DIR, "/nonexistent");
    const Flag clear = isKnown(options);
    mysql_options(mysql, MYSQL_ENABLE_CLEARTEXT_PLUGIN, &clear);
    const Flag asksForKey = isLoopback(options.host) && !options.distant;
    mysql_options(mysql, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &asksForKey);
}

} // namespace dyno::mysql
