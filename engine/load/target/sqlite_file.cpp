// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/target/sqlite_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

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

namespace {

Error noCopy(const std::filesystem::path& place)
{
    return {ErrorKind::Storage, fmt::format("cannot make a copy beside it: {}", std::strerror(errno)), place.string(),
            "check that its folder is yours and that the disk is not full"};
}

constexpr const char* kCopyEnd = ".loaded-XXXXXX";

} // namespace

Expected<std::filesystem::path> newFileBeside(const std::filesystem::path& file)
{
    std::string name = file.string() + kCopyEnd;
    const int made = ::mkostemp(name.data(), O_CLOEXEC); // 0600
    if (made < 0)
        return fail(noCopy(file));
    ::close(made);
    return std::filesystem::path(name);
}

Expected<std::filesystem::path> newFolderBeside(const std::filesystem::path& folder)
{
    std::string name = folder.string() + kCopyEnd;
    if (!::mkdtemp(name.data())) // 0700
        return fail(noCopy(folder));
    return std::filesystem::path(name);
}

} // namespace dyno
