// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One session at a time changes the settings of a server: a lock file per server, which the kernel lets go of when its
//! holder dies. Control thread only.
#pragma once

#include "server/private_folder.h"

#include <dyno/uri.h>

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

//! Of one server, whatever user and database the URI names.
class SettingsLock
{
public:
    //! Does not wait: held() is false where another session has it, and holder() says which. `workDir`: the folder that
    //! all of this user's programs share. `library` remembers what this session changes; "" = none.
    static Expected<SettingsLock> attempt(const TargetUri& server, const std::filesystem::path& workDir,
                                          const std::string& session, const std::filesystem::path& library);

    [[nodiscard]] bool held() const { return m_lock.held(); }
    [[nodiscard]] const SettingsHolder& holder() const { return m_holder; }
    [[nodiscard]] const TargetUri& server() const { return m_server; }
    //! Libraries that may remember changes of this server which were not put back: of holders that died, and `library`.
    [[nodiscard]] const std::vector<std::filesystem::path>& libraries() const { return m_libraries; }
    //! Lets go of it. `left`: those of libraries() that still remember such changes.
    void release(const std::vector<std::filesystem::path>& left);

private:
    FileLock m_lock;
    TargetUri m_server;
    SettingsHolder m_holder;
    std::vector<std::filesystem::path> m_libraries;
};

} // namespace dyno
