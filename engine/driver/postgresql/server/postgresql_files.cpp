// SPDX-License-Identifier: GPL-3.0-or-later
// What a file in the data folder of PostgreSQL is.
#include "driver/postgresql/server/postgresql_server.h"

#include <charconv>

namespace dyno {

DataFile postgresqlFile(const std::filesystem::path& below, const std::string& /*ours*/)
{
    const std::string top = below.begin()->string();
    if (top == "pg_wal")
        return {"redo log", {}};
    if (top == "global")
        return {"system", {}};
    if (top != "base" || !below.has_parent_path())
        return {"other", {}};
    const std::string folder = std::next(below.begin())->string();
    if (folder == "pgsql_tmp")
        return {"temporary", {}};
    // Databases and tables of the installation have numbers below these.
    constexpr unsigned kFirstOfUsers = 16384;
    const auto number = [](const std::string& name) {
        unsigned value = 0;
        std::from_chars(name.data(), name.data() + name.size(), value);
        return value;
    };
    const std::string file = below.filename().string();
    if (file.starts_with('t')) // t3_16401: of a session
        return {"temporary", {}};
    if (number(folder) < kFirstOfUsers || number(file) < kFirstOfUsers)
        return {"system", {}};
    return {"table", "(tables and indexes)"};
}

} // namespace dyno
