// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/tls_options.h"

#include "driver/connection_knobs.h"
#include "driver/tls_files.h"

#include <utility>

namespace dyno {

std::optional<TlsMode> tlsModeIn(std::string_view word)
{
    if (word == "off" || word == "false")
        return TlsMode::Off;
    if (word == "required")
        return TlsMode::Required;
    if (word == "verify" || word == "on" || word == "true")
        return TlsMode::Verify;
    return {};
}

TlsMode usualTlsMode(bool local, bool authority)
{
    return local && !authority ? TlsMode::Off : TlsMode::Verify;
}

Expected<TlsMode> tlsModeOf(const ConnectTarget& target)
{
    const std::string word = knobOrQuery(target, "tls");
    if (word.empty())
        return usualTlsMode(isLocal(target), !knobOrQuery(target, "tls_ca").empty());
    if (const auto mode = tlsModeIn(word))
        return *mode;
    return fail(badOption(target, "tls", word, "off, required or verify"));
}

Expected<TlsMode> tlsModeOffAtSocket(const ConnectTarget& target)
{
    auto mode = tlsModeOf(target);
    const auto socket = target.uri.query.find("socket");
    if (mode && socket != target.uri.query.end() && !socket->second.empty())
        return TlsMode::Off;
    return mode;
}

Expected<TlsOptions> readTlsOptions(const ConnectTarget& target, TlsMode mode, TlsPlace place)
{
    TlsOptions options;
    options.mode = mode;
    options.byDefault = mode != TlsMode::Off && knobOrQuery(target, "tls").empty() && !isLocal(target);
    for (const auto& [name, file] :
         {std::pair{"tls_ca", &options.ca}, {"tls_cert", &options.cert}, {"tls_key", &options.key}}) {
        auto found = pemFile(target, name);
        if (!found)
            return fail(std::move(found.error()));
        *file = std::move(*found);
    }
    if (options.cert.empty() != options.key.empty())
        return fail({ErrorKind::BadInput,
                     options.key.empty() ? "tls_cert is given without tls_key" : "tls_key is given without tls_cert",
                     target.uri.display(), "give both: the certificate and its key, each a PEM file"});
    if (mode == TlsMode::Off && !options.cert.empty())
        return fail({ErrorKind::BadInput, "tls_cert is given, but TLS is off", target.uri.display(),
                     place.socket ? "a Unix socket has no TLS: remove tls_cert and tls_key, or name a host"
                                  : "add tls=verify"});
    options.oldest = knobOrQuery(target, "tls_min_version");
    if (!options.oldest.empty() && options.oldest != "1.2" && options.oldest != "1.3")
        return fail(badOption(target, "tls_min_version", options.oldest, "1.2 or 1.3"));
    if (mode == TlsMode::Verify && options.ca.empty()) {
        auto authorities = systemAuthorities(target, place.caFolder);
        if (!authorities)
            return fail(std::move(authorities.error()));
        options.ca = std::move(authorities->file);
        options.caFolder = std::move(authorities->folder);
    }
    return options;
}

} // namespace dyno
