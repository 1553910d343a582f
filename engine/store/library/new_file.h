// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Where a database file is made before it gets its name.
#pragma once

#include <dyno/error.h>

#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace dyno {

//! Keeps other processes of Dynobench from giving names in a folder, so that a name can be looked at and taken. Where a
//! file system has no such lock it does nothing.
class FolderLock
{
public:
    explicit FolderLock(const std::filesystem::path& folder)
        : m_fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    {
        if (m_fd >= 0)
            static_cast<void>(::flock(m_fd, LOCK_EX));
    }
    ~FolderLock()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int m_fd;
};

//! A write-ahead log, and what belongs to it, beside the place of a file that is not there: it would be taken for that
//! of the file that comes next. Under a FolderLock.
inline void removeLogs(const std::filesystem::path& file)
{
    std::error_code ignored;
    for (const char* end : {"-wal", "-shm"})
        std::filesystem::remove(std::filesystem::path(file) += end, ignored);
}

//! A file beside the one that is wanted; gone when it did not get that name, whatever of it was written.
class Draft
{
public:
    explicit Draft(const std::filesystem::path& file)
        : m_wanted(file)
        , m_file(std::filesystem::path(file) += fmt::format(".part-{}", ::getpid()))
    {
        remove();
    }
    ~Draft() { remove(); }
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    [[nodiscard]] const std::filesystem::path& file() const { return m_file; }

    //! It takes the place of what has that name; an older file stays as it is when that fails.
    Expected<void> takeName() const
    {
        std::error_code error;
        std::filesystem::rename(m_file, m_wanted, error);
        if (!error)
            return {};
        return fail({ErrorKind::Storage, fmt::format("the file cannot be written ({})", error.message()),
                     m_wanted.string(), "choose another place"});
    }
    //! A failure that names the draft names the wanted file instead.
    [[nodiscard]] Error named(Error error) const
    {
        if (error.where.starts_with(m_file.string()))
            error.where = m_wanted.string();
        return error;
    }

private:
    void remove()
    {
        std::error_code ignored;
        for (const char* end : {"", "-journal", "-wal", "-shm"})
            std::filesystem::remove(std::filesystem::path(m_file) += end, ignored);
    }
    std::filesystem::path m_wanted, m_file;
};

} // namespace dyno
