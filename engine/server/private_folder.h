// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The folder of one managed server: made, locked while its owner lives, and cleared away when an owner died. Control
//! thread only.
#pragma once

#include <dyno/error.h>

#include <filesystem>
#include <string>

namespace dyno {

//! An exclusive lock on a file (flock). The kernel lets go of it when its holder dies, however it dies.
class FileLock
{
public:
    FileLock() = default;
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock() { release(); }

    //! Waits until the lock is free.
    static Expected<FileLock> wait(const std::filesystem::path& file);
    //! Empty (held() == false) when somebody else holds it.
    static Expected<FileLock> attempt(const std::filesystem::path& file);
    [[nodiscard]] bool held() const { return m_fd >= 0; }
    void release();
    //! Replaces the file's text, for people who look into the folder.
    void write(const std::string& text) const;

private:
    static Expected<FileLock> take(const std::filesystem::path& file, bool wait);
    int m_fd = -1;
};

//! `workDir`/managed/mariadb-XXXXXXXX with
//!   lock     held by the owner, holds its process id
//!   keep     there when the data is to stay
//!   socket   the short folder that its Unix socket lies in (a socket's path has at most 107 bytes)
class PrivateFolder
{
public:
    //! Clears away the folders of dead owners first. Errors name the folder that cannot be written.
    static Expected<PrivateFolder> create(const std::filesystem::path& workDir, const std::string& prefix);
    PrivateFolder(PrivateFolder&&) noexcept = default;
    PrivateFolder& operator=(PrivateFolder&&) noexcept = delete;
    ~PrivateFolder(); //!< removes both folders, or only the socket's when the data is to be kept

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] std::filesystem::path socket() const { return m_socketFolder / "s"; }
    void setKeep(bool keep);
    [[nodiscard]] bool kept() const { return m_keep; }

    //! Removes `managed`/`prefix`-* folders that nobody owns and nobody wants kept, and kills a server that still runs
    //! in one of them. Returns how many.
    static int removeStale(const std::filesystem::path& managed, const std::string& prefix);

private:
    PrivateFolder() = default;
    std::filesystem::path m_path;
    std::filesystem::path m_socketFolder;
    FileLock m_lock;
    bool m_keep = false;
};

//! Copies a folder with what is in it; files share their blocks where the file system can (FICLONE).
[[nodiscard]] Expected<void> copyTree(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace dyno
