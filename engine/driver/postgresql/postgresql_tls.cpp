// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_tls.h"

#include "driver/connection_knobs.h"
#include "driver/tls_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dyno::postgresql {

namespace {

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

bool hasSocket(const TargetUri& uri)
{
    const auto socket = uri.query.find("socket");
    return socket != uri.query.end() && !socket->second.empty();
}

} // namespace

Expected<Tls> tlsModeOf(const ConnectTarget& target)
{
    const std::string text = knobOrQuery(target, "tls");
    Tls mode = Tls::Off;
    if (text == "required")
        mode = Tls::Required;
    else if (text == "verify" || text == "on" || text == "true")
        mode = Tls::Verify;
    else if (text.empty()) // whoever names an authority means that it is asked
        mode = knobOrQuery(target, "tls_ca").empty() && isLocal(target) ? Tls::Off : Tls::Verify;
    else if (text != "off" && text != "false")
        return fail(badOption(target, "tls", text, "off, required or verify"));
    return hasSocket(target.uri) ? Tls::Off : mode;
}

Expected<TlsFiles> tlsFilesOf(const ConnectTarget& target, Tls mode)
{
    TlsFiles files;
    for (const auto& [name, file] :
         {std::pair{"tls_ca", &files.ca}, {"tls_cert", &files.cert}, {"tls_key", &files.key}}) {
        auto found = pemFile(target, name);
        if (!found)
            return fail(std::move(found.error()));
        *file = std::move(*found);
    }
    if (files.cert.empty() != files.key.empty())
        return fail({ErrorKind::BadInput,
                     files.key.empty() ? "tls_cert is given without tls_key" : "tls_key is given without tls_cert",
                     target.uri.display(), "give both: the certificate and its key, each a PEM file"});
    if (mode == Tls::Off && !files.cert.empty())
        return fail({ErrorKind::BadInput, "tls_cert is given, but TLS is off", target.uri.display(),
                     hasSocket(target.uri) ? "a Unix socket has no TLS: remove tls_cert and tls_key, or name a host"
                                           : "add tls=verify"});
    if (!files.key.empty()) {
        if (auto checked = checkKeyFile(target, files.key); !checked)
            return fail(std::move(checked.error()));
    }
    if (mode == Tls::Verify && files.ca.empty()) {
        auto authorities = systemAuthorities(target, false); // the library takes no folder
        if (!authorities)
            return fail(std::move(authorities.error()));
        files.ca = authorities->file;
    }
    files.oldest = knobOrQuery(target, "tls_min_version");
    if (!files.oldest.empty() && files.oldest != "1.2" && files.oldest != "1.3")
        return fail(badOption(target, "tls_min_version", files.oldest, "1.2 or 1.3"));
    return files;
}

} // namespace dyno::postgresql
