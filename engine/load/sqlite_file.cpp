// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/sqlite_file.h"

#include <system_error>

namespace dyno {

void removeSqliteFile(const std::filesystem::path& file)
{
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
        std::filesystem::path part = file;
        part += suffix;
        std::filesystem::remove(part, ignored);
    }
}

std::filesystem::path copyOf(const std::filesystem::path& file)
{
    std::filesystem::path copy = file;
    copy += ".loaded";
    return copy;
}

} // namespace dyno
