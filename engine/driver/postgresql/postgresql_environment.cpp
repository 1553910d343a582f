// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_environment.h"

#include "base/environment.h"

#include <libpq-fe.h>

namespace dyno::postgresql {

void forgetEnvironment()
{
    // Errors are known by the library's own words where there is no SQLSTATE: without a folder of translations they are
    // English in every language.
    changeVariable("PGLOCALEDIR", "/dev/null/none");
    // Not in the library's list: files of services, and what it sends to each server as settings of the session.
    for (const char* name : {"PGSERVICE", "PGSERVICEFILE", "PGSYSCONFDIR", "PGDATESTYLE", "PGTZ", "PGGEQO"})
        changeVariable(name, nullptr);
    PQconninfoOption* options = PQconninfoParse("", nullptr); // all that it knows, without looking at any of them
    for (const PQconninfoOption* one = options; one && one->keyword; ++one) {
        if (one->envvar)
            changeVariable(one->envvar, nullptr);
    }
    PQconninfoFree(options);
}

std::vector<std::pair<std::string, std::string>> withoutHomeFiles()
{
    // The library goes on where such a file is missing, and /dev/null is no folder. With an empty value it would look
    // into the home folder: a root.crt there turns "encrypt" into "verify", a postgresql.key says who the user is.
    constexpr const char* kNone = "/dev/null/none";
    return {{"passfile", kNone}, {"sslcert", kNone}, {"sslkey", kNone}, {"sslrootcert", kNone}, {"sslcrl", kNone}};
}

} // namespace dyno::postgresql
