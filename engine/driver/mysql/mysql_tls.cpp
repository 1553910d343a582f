// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_tls.h"

#include "base/text.h"
#include "driver/connection_knobs.h"
#include "driver/tls_options.h"
#include "mysql_options.h"

#include <algorithm>
#include <fmt/format.h>

namespace dyno::mysql {

namespace {

//! The first word of a list of ciphers by which OpenSSL would take one that does not encrypt or does not know the
//! server, or would lower its level of security, which keeps those out; "" when there is none. Words after '!' or '-'
//! leave some out.
std::string openCipherIn(std::string_view list)
{
    constexpr std::string_view kBetween = ":,; ";
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(list.find_first_of(kBetween, at), list.size());
        const std::string_view word = list.substr(at, end - at);
        at = end + 1;
        const std::string small = lowered(word);
        const bool out = small.starts_with('!') || small.starts_with('-');
        const bool open = small.find("null") != std::string::npos || small.find("adh") != std::string::npos ||
                          small.find("aecdh") != std::string::npos || small.find("complementof") != std::string::npos ||
                          small.starts_with("tls_sha"); // integrity only, RFC 9150
        if (small.find('@') != std::string::npos || (open && !out))
            return std::string(word);
    }
    return {};
}

} // namespace

Expected<void> readTls(const ConnectTarget& target, ConnectOptions& options)
{
    const auto mode = tlsModeOf(target);
    if (!mode)
        return fail(mode.error());
    auto tls = readTlsOptions(target, *mode);
    if (!tls)
        return fail(std::move(tls.error()));
    options.tls = *mode;
    options.tlsByDefault = tls->byDefault;
    options.tlsCa = std::move(tls->ca);
    options.tlsCaFolder = std::move(tls->caFolder);
    options.tlsCert = std::move(tls->cert);
    options.tlsKey = std::move(tls->key);
    options.tlsCiphers = knobOrQuery(target, "tls_ciphers");
    if (const std::string word = openCipherIn(options.tlsCiphers); !word.empty())
        return fail(
            {ErrorKind::BadInput,
             fmt::format("tls_ciphers cannot hold \"{}\": it allows connections that are not encrypted, or to a "
                         "server that does not show who it is",
                         word),
             target.uri.display(), "name ciphers that encrypt, such as ECDHE-RSA-AES256-GCM-SHA384"});
    if (tls->oldest == "1.2")
        options.tlsVersions = "TLSv1.2,TLSv1.3";
    else if (tls->oldest == "1.3")
        options.tlsVersions = "TLSv1.3";
    // Old and new names may be mixed, but the library hands a list to one of OpenSSL's two doors only.
    if (!options.tlsCiphers.empty() && options.tlsCiphers.find("TLS_") == std::string::npos) {
        if (tls->oldest == "1.3")
            return fail({ErrorKind::BadInput, "tls_ciphers has no cipher of TLS 1.3, which tls_min_version asks for",
                         target.uri.display(), "name TLS_AES_256_GCM_SHA384 or another one of TLS 1.3"});
        options.tlsVersions = "TLSv1.2"; // else TLS 1.3 is negotiated with a cipher that was not asked for
    }
    return {};
}

void setTls(MYSQL* mysql, const ConnectOptions& options)
{
    const bool off = options.tls == ConnectOptions::Tls::Off;
    const auto set = [mysql](mysql_option option, const std::string& value) {
        if (!value.empty())
            mysql_options(mysql, option, value.c_str());
    };
#if DYNO_ORACLE_CLIENT
    const unsigned mode = off                                          ? SSL_MODE_DISABLED
                          : options.tls == ConnectOptions::Tls::Verify ? SSL_MODE_VERIFY_IDENTITY
                                                                       : SSL_MODE_REQUIRED;
    mysql_options(mysql, MYSQL_OPT_SSL_MODE, &mode);
#endif
    if (off)
        return;
    set(MYSQL_OPT_SSL_CA, options.tlsCa);
    set(MYSQL_OPT_SSL_CAPATH, options.tlsCaFolder);
    set(MYSQL_OPT_SSL_CERT, options.tlsCert);
    set(MYSQL_OPT_SSL_KEY, options.tlsKey);
#if DYNO_ORACLE_CLIENT
    const bool ofNewest = options.tlsCiphers.find("TLS_") != std::string::npos; // each kind has an option of its own
    set(ofNewest ? MYSQL_OPT_TLS_CIPHERSUITES : MYSQL_OPT_SSL_CIPHER, options.tlsCiphers);
    set(MYSQL_OPT_TLS_VERSION, options.tlsVersions);
#else
    const Flag yes = 1;
    const Flag no = 0;
    mysql_options(mysql, MYSQL_OPT_SSL_ENFORCE, &yes);
    mysql_options(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, options.tls == ConnectOptions::Tls::Verify ? &yes : &no);
    set(MYSQL_OPT_SSL_CIPHER, options.tlsCiphers);
    set(MARIADB_OPT_TLS_VERSION, options.tlsVersions);
#endif
}

namespace {

std::string remedyFor(const ConnectOptions& options, std::string_view text)
{
    const auto says = [text](std::string_view part) { return text.find(part) != std::string_view::npos; };
    if (says("does not offer TLS"))
        return "set up TLS on the server, or use tls=off";
    if (says("Validation of SSL server certificate failed"))
        return fmt::format("the certificate is not for the name \"{}\": use the name that it holds",
                           options.host.empty() ? "localhost" : options.host);
    if (says("self-signed") || says("unable to get") || says("issuer"))
        return "name the PEM file of the authority that signed the server's certificate in tls_ca";
    if (says("expired") || says("not yet valid"))
        return "renew the certificate, or set the clock";
    if (says("protocol version") || says("unsupported protocol"))
        return "the server is too old for tls_min_version: lower it";
    if (says("no cipher match") || says("handshake failure") || says("no shared cipher"))
        return "correct tls_ciphers: server and client share none of them";
    return "check tls=, tls_ca, tls_cert and tls_min_version, or use tls=off";
}

} // namespace

std::string tlsRemedy(const ConnectOptions& options, std::string_view text)
{
    return remedyFor(options, text) +
           (options.tlsByDefault
                ? "; a server on another machine is verified unless tls= says otherwise: tls=required "
                  "encrypts without knowing the server, tls=off does not encrypt, and both let someone "
                  "in between read and change everything"
                : "");
}

} // namespace dyno::mysql
