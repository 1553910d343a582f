// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Data of embedded engines that are a session's own, in WORKDIR/sqlite: made and locked while their owner lives, and
//! cleared away when an owner died. Any thread.
//!   session-PID-N.db          a file with its logs (-wal, -shm, -journal), or a folder; and copies (.loaded-XXXXXX)
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

//! The name of a new file or folder, and the lock that keeps others from taking it for a dead one's.
class PrivateData
{
public:
    //! Clears away the files of dead owners first. The file or folder itself does not exist yet. Errors name the folder
    //! that cannot be written.
    static Expected<PrivateData> create(const std::filesystem::path& workDir);
    PrivateData(PrivateData&& other) noexcept;
    PrivateData& operator=(PrivateData&&) = delete;
    ~PrivateData(); //!< removes the file or folder with its logs and copies

    [[nodiscard]] const std::filesystem::path& file() const { return m_file; }

    //! What owners that are gone left below this work folder.
    [[nodiscard]] static LeftFiles left(const std::filesystem::path& workDir);
    //! Removes it; returns what is gone. What a living process uses stays.
    static LeftFiles removeLeft(const std::filesystem::path& workDir);

private:
    PrivateData() = default;
    std::filesystem::path m_file, m_lockFile;
    FileLock m_lock;
};

} // namespace dyno
