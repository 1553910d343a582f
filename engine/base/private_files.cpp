// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/private_files.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

void takeRightsOfOthers(const fs::path& path)
{
    struct stat facts
    {
    };
    // By its name: a SQLite file that is opened and closed here would lose its locks.
    if (::stat(path.c_str(), &facts) == 0 && facts.st_uid == ::geteuid() && (facts.st_mode & kOthers) != 0)
        static_cast<void>(::chmod(path.c_str(), facts.st_mode & 07777 & ~kOthers)); // some file systems have no rights
}

} // namespace

std::error_code makeFolders(const fs::path& folder)
{
    std::error_code error;
    fs::path part;
    for (const fs::path& name : folder) {
        part /= name;
        if (fs::is_directory(part, error) || ::mkdir(part.c_str(), S_IRWXU) == 0)
            continue;
        const int problem = errno;
        if (!fs::is_directory(part, error)) // else somebody else was faster
            return {problem, std::generic_category()};
    }
    return {};
}

std::error_code makePrivateFolder(const fs::path& folder)
{
    const std::error_code error = makeFolders(folder);
    if (!error)
        takeRightsOfOthers(folder);
    return error;
}

void makePrivateFile(const fs::path& file)
{
    takeRightsOfOthers(file);
}

} // namespace dyno
