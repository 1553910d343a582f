// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"
#include <dyno/catalog.h>
#include <dyno/runner.h>

#include <cstdlib>
#include <pwd.h>
#include <unistd.h>
#include <vector>

namespace dyno {

namespace {

std::filesystem::path homeFolder()
{
    if (const char* home = std::getenv("HOME"); home && *home)
        return home;
    std::vector<char> buffer(16384);
    passwd entry{};
    passwd* found = nullptr;
    if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found && *entry.pw_dir)
        return entry.pw_dir;
    return "/";
}

//! Below the folder that the variable names, else below `usual` in the home folder.
std::filesystem::path ownFolder(const char* variable, const char* usual)
{
    // The XDG base directory specification says that a relative value is invalid and to be ignored.
    const char* named = std::getenv(variable);
    return (named && *named == '/' ? std::filesystem::path(named) : homeFolder() / usual) / "dynobench";
}

} // namespace

std::filesystem::path dataFolder()
{
    return ownFolder("XDG_DATA_HOME", ".local/share");
}

std::filesystem::path cacheFolder()
{
    return ownFolder("XDG_CACHE_HOME", ".cache");
}

std::filesystem::path defaultLibrary()
{
    return dataFolder() / "library.dynolib";
}

const char* softwareVersion()
{
    return DYNO_VERSION;
}

} // namespace dyno
