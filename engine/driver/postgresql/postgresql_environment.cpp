// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_environment.h"

#include <cstdlib>
#include <libpq-fe.h>
#include <mutex>

namespace dyno::postgresql {

namespace {

//! Names of all variables that the loaded library knows. Asking it reads them too, a service file among them: these go
//! first.
std::vector<std::string> namesFromLibrary()
{
    // Not in the library's list: files of services, and what it sends to each server as settings of the session.
    std::vector<std::string> names = {"PGSERVICE", "PGSERVICEFILE", "PGSYSCONFDIR", "PGDATESTYLE", "PGTZ", "PGGEQO"};
    for (const std::string& name : names)
        ::unsetenv(name.c_str());
    PQconninfoOption* options = PQconndefaults();
    for (const PQconninfoOption* one = options; one && one->keyword; ++one) {
        if (one->envvar)
            names.emplace_back(one->envvar);
    }
    PQconninfoFree(options);
    return names;
}

} // namespace

void forgetEnvironment()
{
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    static const std::vector<std::string> names = namesFromLibrary();
    for (const std::string& name : names) {
        if (std::getenv(name.c_str()))
            ::unsetenv(name.c_str());
    }
}

std::vector<std::pair<std::string, std::string>> withoutHomeFiles()
{
    // The library goes on where such a file is missing, and /dev/null is no folder. With an empty value it would look
    // into the home folder: a root.crt there turns "encrypt" into "verify", a postgresql.key says who the user is.
    constexpr const char* kNone = "/dev/null/none";
    return {{"passfile", kNone}, {"sslcert", kNone}, {"sslkey", kNone}, {"sslrootcert", kNone}, {"sslcrl", kNone}};
}

} // namespace dyno::postgresql
