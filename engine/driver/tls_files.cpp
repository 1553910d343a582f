// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/tls_files.h"

#include "driver/connection_knobs.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace dyno {

namespace {

namespace fs = std::filesystem;

//! True when `folder` has certificates under the names that OpenSSL looks for ("8d33f237.0").
bool isHashedFolder(const fs::path& folder)
{
    constexpr std::size_t kHashedName = 10;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name.size() == kHashedName && name.ends_with(".0"))
            return true;
    }
    return false;
}

} // namespace

Expected<std::string> pemFile(const ConnectTarget& target, std::string_view name)
{
    constexpr std::size_t kEnough = 256 * 1024;
    std::string file = knobOrQuery(target, name);
    if (file.empty())
        return file;
    std::ifstream in(file, std::ios::binary);
    std::error_code ignored;
    if (!in || fs::is_directory(file, ignored))
        return fail({ErrorKind::BadInput, fmt::format("{} names \"{}\", which cannot be read", name, file),
                     target.uri.display(), "name a PEM file that this user may read"});
    std::string text(kEnough, '\0');
    in.read(text.data(), std::streamsize(text.size()));
    text.resize(std::size_t(in.gcount()));
    if (text.find("-----BEGIN ") == std::string::npos)
        return fail({ErrorKind::BadInput, fmt::format("{} names \"{}\", which is not a PEM file", name, file),
                     target.uri.display(), "convert it: openssl x509 -inform der -in FILE -out FILE.pem"});
    return file;
}

Expected<Authorities> systemAuthorities(const ConnectTarget& target, bool mayBeFolder)
{
    if (const char* file = std::getenv("SSL_CERT_FILE"); file && *file)
        return Authorities{file, {}}; // whoever sets it means exactly these
    const char* given = std::getenv("SSL_CERT_DIR");
    const std::array<const char*, 3> folders = {given && *given ? given : "/etc/ssl/certs", "/etc/pki/tls/certs",
                                                "/usr/lib/ssl/certs"};
    for (const char* folder : folders) {
        if (mayBeFolder && isHashedFolder(folder))
            return Authorities{{}, folder};
    }
    std::error_code ignored;
    for (const char* file :
         {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"}) {
        if (fs::exists(file, ignored))
            return Authorities{file, {}};
    }
    return fail({ErrorKind::BadInput, "tls=verify has nothing to verify with: this system has no list of authorities",
                 target.uri.display(), "name the CA's PEM file in tls_ca, or install ca-certificates"});
}

} // namespace dyno
