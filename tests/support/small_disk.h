// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A real disk that is full: a file system in memory of a given size, in name spaces of this process, so that nobody
//! else sees it and it is gone with the process.
#pragma once

#include <QDirIterator>
#include <QFile>
#include <QTemporaryDir>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <unistd.h>

namespace dyno::test {

//! Called first in main(), while there is one thread. What the system answers where it forbids that; "" when it may.
inline std::string mayMount()
{
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    if (user == 0 && ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0)
        return {};
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return std::string("the system allows no mounts here: ") + std::strerror(errno);
    const auto put = [](const char* file, const std::string& text) { std::ofstream(file) << text; };
    put("/proc/self/setgroups", "deny");
    put("/proc/self/uid_map", std::to_string(user) + " " + std::to_string(user) + " 1");
    put("/proc/self/gid_map", std::to_string(group) + " " + std::to_string(group) + " 1");
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        return std::string("the system allows no mounts here: ") + std::strerror(errno);
    return {};
}

class SmallDisk
{
public:
    explicit SmallDisk(std::size_t bytes)
    {
        m_mounted = ::mount("tmpfs", m_dir.path().toUtf8().constData(), "tmpfs", 0,
                            ("mode=0777,size=" + std::to_string(bytes)).c_str()) == 0;
    }
    ~SmallDisk() { ::umount2(m_dir.path().toUtf8().constData(), MNT_DETACH); }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    [[nodiscard]] bool isMounted() const { return m_mounted; }
    [[nodiscard]] std::filesystem::path file(const char* name) const
    {
        return std::filesystem::path(m_dir.path().toStdString()) / name;
    }
    //! Leaves room for so many bytes, in whole pages.
    void leave(std::size_t bytes)
    {
        makeRoom();
        std::error_code ignored;
        const auto there = std::filesystem::space(m_dir.path().toStdString(), ignored).available;
        const std::string page(4096, 'x');
        std::ofstream out(ballast(), std::ios::binary);
        for (std::uintmax_t left = there; left > bytes && left >= page.size(); left -= page.size())
            out.write(page.data(), std::streamsize(page.size()));
    }
    void makeRoom()
    {
        std::error_code ignored;
        std::filesystem::remove(ballast(), ignored);
    }
    //! As a disk that is mounted so; nobody writes then, whoever he is.
    [[nodiscard]] bool makeReadOnly() const
    {
        return ::mount("none", m_dir.path().toUtf8().constData(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0;
    }
    //! All files that are there, with what is in them, without the ballast.
    [[nodiscard]] std::map<QString, QByteArray> content() const
    {
        std::map<QString, QByteArray> all;
        for (QDirIterator files(m_dir.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
             files.hasNext();) {
            QFile file(files.next());
            if (files.fileName() != QLatin1String("ballast") && file.open(QIODevice::ReadOnly))
                all[QDir(m_dir.path()).relativeFilePath(files.filePath())] = file.readAll();
        }
        return all;
    }

private:
    [[nodiscard]] std::filesystem::path ballast() const { return file("ballast"); }
    QTemporaryDir m_dir;
    bool m_mounted = false;
};

} // namespace dyno::test
