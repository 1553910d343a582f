// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/remote/settings_lock.h"

#include "base/private_files.h"
#include "server/host/host_knobs.h"

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

constexpr std::string_view kProcessLine = "process=", kSessionLine = "session=", kLibraryLine = "library=",
                           kTargetLine = "target=", kIdentityLine = "identity=";

//! A name for a file; FNV-1a, which stays the same over builds.
std::string fileNameOf(std::string_view server)
{
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : server)
        hash = (hash ^ std::uint8_t(c)) * 1099511628211u;
    return fmt::format("{:016x}", hash);
}

template<class T>
void addOnce(std::vector<T>& list, const T& one)
{
    if (std::find(list.begin(), list.end(), one) == list.end())
        list.push_back(one);
}

} // namespace

LockedThing LockedThing::ofServer(const TargetUri& server)
{
    TargetUri nobody = server;
    nobody.user.clear();
    return {accountOf(nobody), {server.display()}};
}

LockedThing LockedThing::ofServer(const std::string& identity, const TargetUri& server)
{
    return {identity, {server.display()}};
}

LockedThing LockedThing::ofMachine()
{
    return {hostTarget(), {hostTarget()}};
}

Expected<SettingsLock> SettingsLock::attempt(const LockedThing& thing, const std::filesystem::path& workDir,
                                             const std::string& session, const std::filesystem::path& library)
{
    const std::filesystem::path folder = workDir / "settings";
    if (const auto error = makePrivateFolder(folder))
        return fail({ErrorKind::Storage, fmt::format("cannot make the folder: {}", error.message()), folder.string(),
                     "check that the folder is yours and that the disk is not full"});
    SettingsLock made;
    made.m_name = thing.name;
    const std::filesystem::path file = folder / fileNameOf(thing.name);
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
        else if (line.starts_with(kTargetLine))
            made.m_targets.push_back(line.substr(kTargetLine.size()));
        else if (line.starts_with(kIdentityLine))
            made.m_identity = line.substr(kIdentityLine.size());
    }
    for (const std::string& target : thing.targets)
        addOnce(made.m_targets, target);
    if (!made.held())
        return made;
    made.m_holder = {::getpid(), session};
    std::error_code ignored;
    if (!library.empty())
        addOnce(made.m_libraries, std::filesystem::absolute(library, ignored));
    made.m_lock.write(made.text(made.m_libraries, true));
    return made;
}

bool SettingsLock::means(const std::string& target) const
{
    const auto uri = parseUri(target);
    return std::any_of(m_targets.begin(), m_targets.end(), [&](const std::string& one) {
        const auto own = parseUri(one);
        return one == target || (uri && own && sameServer(*uri, *own));
    });
}

void SettingsLock::remember(const std::string& identity)
{
    m_identity = identity;
    m_lock.write(text(m_libraries, true));
}

std::string SettingsLock::text(const std::vector<std::filesystem::path>& libraries, bool held) const
{
    std::string text;
    if (held)
        text += fmt::format("# Settings of {} are changed by a session of Dynobench.\n{}{}\n{}{}\n", m_name,
                            kProcessLine, m_holder.process, kSessionLine, m_holder.session);
    if (!m_identity.empty())
        text += fmt::format("{}{}\n", kIdentityLine, m_identity);
    for (const std::filesystem::path& one : libraries)
        text += fmt::format("{}{}\n", kLibraryLine, one.string());
    for (std::size_t i = 0; i < m_targets.size() && !libraries.empty(); ++i)
        text += fmt::format("{}{}\n", kTargetLine, m_targets[i]);
    return text;
}

void SettingsLock::release(const std::vector<std::filesystem::path>& left)
{
    m_lock.write(text(left, false));
    m_lock.release();
}

} // namespace dyno
