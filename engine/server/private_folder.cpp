// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/private_folder.h"

#include "server/child_process.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace dyno {

namespace {

namespace fs = std::filesystem;

Error storageError(const fs::path& path, const std::string& what, int error)
{
    return {ErrorKind::Storage, fmt::format("{}: {}", what, std::strerror(error)), path.string(),
            "check that the folder is yours and that the disk is not full"};
}

std::string contentOf(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

//! A new folder with mode 0700 and a name that nobody can guess.
Expected<fs::path> newFolder(const fs::path& parent, const std::string& prefix)
{
    std::string name = (parent / (prefix + "XXXXXX")).string();
    if (!::mkdtemp(name.data()))
        return fail(storageError(parent, "cannot make a folder in it", errno));
    return fs::path(name);
}

//! The kernel takes 107 bytes for a socket's path: "/s" and the random part need 14 of them.
constexpr std::size_t kLongestSocketParent = 93;

fs::path socketParent()
{
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime && *runtime == '/' && std::strlen(runtime) <= kLongestSocketParent &&
        ::access(runtime, W_OK | X_OK) == 0)
        return runtime;
    return "/tmp";
}

//! Kills the server of a folder whose owner is dead. The kernel has normally done so (PR_SET_PDEATHSIG).
void killServerOf(const fs::path& folder)
{
    const std::string text = contentOf(folder / "server.pid");
    pid_t pid = 0;
    std::from_chars(text.data(), text.data() + text.size(), pid);
    if (pid <= 1)
        return;
    // The number may belong to somebody else by now: only a process that was started with this folder's option file.
    const std::string command = contentOf(fmt::format("/proc/{}/cmdline", pid));
    if (command.find((folder / "server.cnf").string()) != std::string::npos)
        ::kill(pid, SIGKILL);
}

//! Removes the folder that `folder`/socket names, if it is one of ours.
void removeSocketFolder(const fs::path& folder)
{
    const fs::path path = contentOf(folder / "socket");
    std::error_code ignored;
    if (path.is_absolute() && path.filename().string().starts_with("dyno-"))
        fs::remove_all(path, ignored);
}

//! Copies one file; shares its blocks if the file system can.
Expected<void> copyFile(const fs::path& from, const fs::path& to)
{
    const int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return fail(storageError(from, "cannot read it", errno));
    const int out = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool shared = out >= 0 && ::ioctl(out, FICLONE, in) == 0;
    const int error = errno;
    ::close(in);
    if (out < 0)
        return fail(storageError(to, "cannot write it", error));
    ::close(out);
    if (shared)
        return {};
    std::error_code code;
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, code);
    if (code)
        return fail(storageError(to, "cannot write it", code.value()));
    return {};
}

} // namespace

FileLock::FileLock(FileLock&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
{}

FileLock& FileLock::operator=(FileLock&& other) noexcept
{
    if (this != &other) {
        release();
        m_fd = std::exchange(other.m_fd, -1);
    }
    return *this;
}

void FileLock::release()
{
    if (m_fd >= 0)
        ::close(std::exchange(m_fd, -1));
}

Expected<FileLock> FileLock::take(const fs::path& file, bool wait)
{
    FileLock lock;
    lock.m_fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock.m_fd < 0)
        return fail(storageError(file, "cannot write it", errno));
    int result = 0;
    do {
        result = ::flock(lock.m_fd, LOCK_EX | (wait ? 0 : LOCK_NB));
    } while (result != 0 && errno == EINTR);
    if (result != 0 && errno == EWOULDBLOCK) {
        lock.release();
        return lock;
    }
    if (result != 0)
        return fail(storageError(file, "cannot lock it", errno));
    return lock;
}

Expected<FileLock> FileLock::wait(const fs::path& file)
{
    return take(file, true);
}

Expected<FileLock> FileLock::attempt(const fs::path& file)
{
    return take(file, false);
}

void FileLock::write(const std::string& text) const
{
    if (m_fd < 0 || ::ftruncate(m_fd, 0) != 0)
        return;
    const ssize_t written = ::pwrite(m_fd, text.data(), text.size(), 0);
    static_cast<void>(written); // for people only
}

Expected<PrivateFolder> PrivateFolder::create(const fs::path& workDir, const std::string& prefix)
{
    const fs::path managed = workDir / "managed";
    std::error_code error;
    fs::create_directories(managed, error);
    if (error)
        return fail(storageError(managed, "cannot make the folder", error.value()));
    // Others may be clearing away just now: a new folder must not look dead between its making and its locking.
    auto everybody = FileLock::wait(managed / ".lock");
    if (!everybody)
        return fail(std::move(everybody.error()));
    removeStale(managed, prefix);
    auto path = newFolder(managed, prefix + "-");
    if (!path)
        return fail(std::move(path.error()));
    PrivateFolder folder;
    folder.m_path = std::move(*path);
    auto lock = FileLock::attempt(folder.m_path / "lock");
    if (!lock)
        return fail(std::move(lock.error()));
    folder.m_lock = std::move(*lock);
    folder.m_lock.write(fmt::format("{}\n", ::getpid()));
    auto socketFolder = newFolder(socketParent(), "dyno-");
    if (!socketFolder)
        return fail(std::move(socketFolder.error()));
    folder.m_socketFolder = std::move(*socketFolder);
    std::ofstream(folder.m_path / "socket", std::ios::binary) << folder.m_socketFolder.string();
    return folder;
}

PrivateFolder::~PrivateFolder()
{
    std::error_code ignored;
    if (!m_socketFolder.empty())
        fs::remove_all(m_socketFolder, ignored);
    if (!m_path.empty() && !m_keep)
        fs::remove_all(m_path, ignored);
}

void PrivateFolder::setKeep(bool keep)
{
    m_keep = keep;
    std::error_code ignored;
    if (keep)
        std::ofstream(m_path / "keep") << "Dynobench leaves this folder alone. Remove it by hand.\n";
    else
        fs::remove(m_path / "keep", ignored);
}

int PrivateFolder::removeStale(const fs::path& managed, const std::string& prefix)
{
    int removed = 0;
    std::error_code ignored;
    std::vector<fs::path> folders;
    for (const fs::directory_entry& entry : fs::directory_iterator(managed, ignored)) {
        if (entry.is_directory(ignored) && entry.path().filename().string().starts_with(prefix + "-"))
            folders.push_back(entry.path());
    }
    for (const fs::path& folder : folders) {
        if (fs::exists(folder / "keep", ignored))
            continue;
        auto lock = FileLock::attempt(folder / "lock");
        if (!lock || !lock->held())
            continue;
        killServerOf(folder);
        removeSocketFolder(folder);
        fs::remove_all(folder, ignored);
        ++removed;
    }
    return removed;
}

Expected<void> copyTree(const fs::path& from, const fs::path& to)
{
    std::error_code error;
    fs::create_directories(to, error);
    if (error)
        return fail(storageError(to, "cannot make the folder", error.value()));
    for (auto it = fs::recursive_directory_iterator(from, error); !error && it != fs::recursive_directory_iterator();
         it.increment(error)) {
        const fs::path target = to / it->path().lexically_relative(from);
        if (it->is_directory(error)) {
            fs::create_directory(target, error);
        } else if (it->is_regular_file(error)) {
            if (auto copied = copyFile(it->path(), target); !copied)
                return copied;
        }
    }
    if (error)
        return fail(storageError(to, "cannot copy to it", error.value()));
    return {};
}

} // namespace dyno
