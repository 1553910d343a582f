// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One session at a time changes the settings of a server or of this machine: a lock file for each, which the kernel
//! lets go of when its holder dies. Control thread only.
#pragma once

#include "server/lifecycle/private_folder.h"

#include <dyno/uri.h>
#include <dyno/value.h>

#include <filesystem>
#include <string>
#include <vector>

namespace dyno {

//! Who changes a server's settings.
struct SettingsHolder
{
    int process = 0;     //!< 0 = not known
    std::string session; //!< id; "" = not known
};

//! What is locked. A server has two locks: by its URI, whatever user and database that names, and by what it says of
//! itself, so that a socket and a port of one server are one.
struct LockedThing
{
    std::string name;                 //!< of the lock
    std::vector<std::string> targets; //!< URIs, or hostTarget(), under which changes are written down
    [[nodiscard]] static LockedThing ofServer(const TargetUri& server);
    [[nodiscard]] static LockedThing ofServer(const std::string& identity, const TargetUri& server);
    [[nodiscard]] static LockedThing ofMachine();
};

class SettingsLock
{
public:
    //! Does not wait: held() is false where another session has it, and holder() says which. `workDir`: the folder that
    //! all of this user's programs share. `library` remembers what this session changes; "" = none.
    static Expected<SettingsLock> attempt(const LockedThing& thing, const std::filesystem::path& workDir,
                                          const std::string& session, const std::filesystem::path& library);

    [[nodiscard]] bool held() const { return m_lock.held(); }
    [[nodiscard]] const SettingsHolder& holder() const { return m_holder; }
    //! Targets that mean what is locked: its own, and those of holders that died.
    [[nodiscard]] const std::vector<std::string>& targets() const { return m_targets; }
    [[nodiscard]] bool means(const std::string& target) const;
    [[nodiscard]] const std::string& name() const { return m_name; }
    //! The name of a server's other lock, where a session knew it; for its lock by URI.
    [[nodiscard]] const std::string& identity() const { return m_identity; }
    void remember(const std::string& identity);
    //! Libraries that may remember changes of this server which were not put back: of holders that died, and `library`.
    [[nodiscard]] const std::vector<std::filesystem::path>& libraries() const { return m_libraries; }
    //! Lets go of it. `left`: those of libraries() that still remember such changes.
    void release(const std::vector<std::filesystem::path>& left);

private:
    [[nodiscard]] std::string text(const std::vector<std::filesystem::path>& libraries, bool held) const;

    FileLock m_lock;
    std::string m_name, m_identity;
    std::vector<std::string> m_targets;
    SettingsHolder m_holder;
    std::vector<std::filesystem::path> m_libraries;
};

} // namespace dyno
