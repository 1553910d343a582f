// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/settings_lock.h"

#include "base/private_files.h"

#include <dyno/servers.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <unistd.h>

namespace dyno {

namespace {

constexpr std::string_view kProcessLine = "process=", kSessionLine = "session=", kLibraryLine = "library=";

//! The same for all URIs of a server.
std::string nameOf(const TargetUri& server)
{
    TargetUri nobody = server;
    nobody.user.clear();
    return accountOf(nobody);
}

//! A name for a file; FNV-1a, which stays the same over builds.
std::string fileNameOf(std::string_view server)
{
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : server)
        hash = (hash ^ std::uint8_t(c)) * 1099511628211u;
    return fmt::format("{:016x}", hash);
}

} // namespace

Expected<SettingsLock> SettingsLock::attempt(const TargetUri& server, const std::filesystem::path& workDir,
                                             const std::string& session, const std::filesystem::path& library)
{
    const std::filesystem::path folder = workDir / "settings";
    if (const auto error = makePrivateFolder(folder))
        return fail({ErrorKind::Storage, fmt::format("cannot make the folder: {}", error.message()), folder.string(),
                     "check that the folder is yours and that the disk is not full"});
    SettingsLock made;
    made.m_server = server;
    const std::string name = nameOf(server);
    const std::filesystem::path file = folder / fileNameOf(name);
    auto lock = FileLock::attempt(file);
    if (!lock)
        return fail(std::move(lock.error()));
    made.m_lock = std::move(*lock);
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with(kProcessLine))
            std::from_chars(line.data() + kProcessLine.size(), line.data() + line.size(), made.m_holder.process);
        else if (line.starts_with(kSessionLine))
            made.m_holder.session = line.substr(kSessionLine.size());
        else if (line.starts_with(kLibraryLine))
            made.m_libraries.emplace_back(line.substr(kLibraryLine.size()));
    }
    if (!made.held())
        return made;
    made.m_holder = {::getpid(), session};
    std::error_code ignored;
    const std::filesystem::path own = library.empty() ? library : std::filesystem::absolute(library, ignored);
    if (!own.empty() && std::find(made.m_libraries.begin(), made.m_libraries.end(), own) == made.m_libraries.end())
        made.m_libraries.push_back(own);
    std::string text = fmt::format("# Settings of {} are changed by a session of Dynobench.\n{}{}\n{}{}\n", name,
                                   kProcessLine, made.m_holder.process, kSessionLine, session);
    for (const std::filesystem::path& one : made.m_libraries)
        text += fmt::format("{}{}\n", kLibraryLine, one.string());
    made.m_lock.write(text);
    return made;
}

void SettingsLock::release(const std::vector<std::filesystem::path>& left)
{
    std::string text;
    for (const std::filesystem::path& one : left)
        text += fmt::format("{}{}\n", kLibraryLine, one.string());
    m_lock.write(text);
    m_lock.release();
}

} // namespace dyno
