// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! SQLite files of a session's own in WORKDIR/sqlite: made and locked while their owner lives, and cleared away when an
//! owner died. Any thread.
//!   session-PID-N.db          with its logs (-wal, -shm, -journal) and copies (.loaded-XXXXXX)
//!   session-PID-N.lock        held by the owner
//!   .lock                     held while files are made or cleared away
#pragma once

#include "server/lifecycle/private_folder.h"

#include <cstdint>
#include <filesystem>

namespace dyno {

//! Files that ended sessions left.
struct LeftFiles
{
    int files = 0;
    std::uint64_t bytes = 0; //!< on disk
};

//! The name of a new file, and the lock that keeps others from taking it for a dead one's.
class PrivateSqlite
{
public:
    //! Clears away the files of dead owners first. The file itself does not exist yet. Errors name the folder that
    //! cannot be written.
    static Expected<PrivateSqlite> create(const std::filesystem::path& workDir);
    PrivateSqlite(PrivateSqlite&& other) noexcept;
    PrivateSqlite& operator=(PrivateSqlite&&) = delete;
    ~PrivateSqlite(); //!< removes the file with its logs and copies

    [[nodiscard]] const std::filesystem::path& file() const { return m_file; }

    //! What owners that are gone left below this work folder.
    [[nodiscard]] static LeftFiles left(const std::filesystem::path& workDir);
    //! Removes it; returns what is gone. What a living process uses stays.
    static LeftFiles removeLeft(const std::filesystem::path& workDir);

private:
    PrivateSqlite() = default;
    std::filesystem::path m_file, m_lockFile;
    FileLock m_lock;
};

} // namespace dyno
