// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/target/private_data.h"

#include "base/private_files.h"
#include "server/lifecycle/data_parts.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOwnerPrefix = "session-";
constexpr std::string_view kDatabaseEnd = ".db";
constexpr std::string_view kLockEnd = ".lock";

fs::path sqliteFolder(const fs::path& workDir)
{
    return workDir / "sqlite";
}

//! What belongs to one private file.
struct OwnedFiles
{
    int pid = 0;
    std::vector<fs::path> files; //!< all but the lock
    fs::path lock;               //!< empty: a version that made none left them
};

//! Takes a number off the front; -1 when there is none.
int numberAt(std::string_view& text)
{
    int number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0)
        return -1;
    text.remove_prefix(std::size_t(end - text.data()));
    return number;
}

//! By "session-PID-N"; files of other names are somebody else's.
std::map<std::string, OwnedFiles> ownedFilesIn(const fs::path& folder)
{
    std::map<std::string, OwnedFiles> all;
    std::error_code error;
    for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator();
         it.increment(error)) {
        const std::string name = it->path().filename().string();
        std::string_view rest = name;
        if (!rest.starts_with(kOwnerPrefix))
            continue;
        rest.remove_prefix(kOwnerPrefix.size());
        const int pid = numberAt(rest);
        if (pid <= 0 || !rest.starts_with('-'))
            continue;
        rest.remove_prefix(1);
        const bool numbered = numberAt(rest) >= 0;
        const bool database =
            rest.starts_with(kDatabaseEnd) && (rest.size() == kDatabaseEnd.size() || rest[kDatabaseEnd.size()] == '-' ||
                                               rest[kDatabaseEnd.size()] == '.');
        if (!numbered || (!database && rest != kLockEnd))
            continue;
        OwnedFiles& owned = all[name.substr(0, name.size() - rest.size())];
        owned.pid = pid;
        if (database)
            owned.files.push_back(it->path());
        else
            owned.lock = it->path();
    }
    return all;
}

//! Takes the lock of files whose owner is gone. `dead`: nobody uses them.
Expected<FileLock> lockOfDead(const OwnedFiles& owned, bool& dead)
{
    dead = false;
    if (owned.lock.empty()) { // the number in the name is all that says whose they are
        dead = owned.pid == ::getpid() || (::kill(owned.pid, 0) != 0 && errno == ESRCH);
        return FileLock();
    }
    auto lock = FileLock::attempt(owned.lock);
    dead = lock && lock->held();
    return lock;
}

void addFile(const fs::path& file, LeftFiles& sum)
{
    struct stat info = {};
    if (::lstat(file.c_str(), &info) != 0)
        return;
    ++sum.files;
    sum.bytes += S_ISDIR(info.st_mode) ? allocatedBytes(file) : std::uint64_t(info.st_blocks) * 512; // their unit
}

//! Under the folder's lock.
LeftFiles walkLeft(const fs::path& folder, bool remove)
{
    LeftFiles sum;
    for (const auto& [key, owned] : ownedFilesIn(folder)) {
        bool dead = false;
        const auto lock = lockOfDead(owned, dead);
        if (!dead)
            continue;
        std::error_code ignored;
        for (const fs::path& file : owned.files) {
            LeftFiles one;
            addFile(file, one);
            if (remove && fs::remove_all(file, ignored) + 1 <= 1) // 0, or -1 after an error
                continue;
            sum.files += one.files;
            sum.bytes += one.bytes;
        }
        if (remove && !owned.lock.empty()) // last: as long as a file is there, its lock is
            fs::remove(owned.lock, ignored);
    }
    return sum;
}

LeftFiles lockAndWalk(const fs::path& workDir, bool remove)
{
    const fs::path folder = sqliteFolder(workDir);
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        return {};
    const auto everybody = FileLock::wait(folder / ".lock");
    return everybody ? walkLeft(folder, remove) : LeftFiles();
}

} // namespace

Expected<PrivateData> PrivateData::create(const fs::path& workDir)
{
    const fs::path folder = sqliteFolder(workDir);
    if (const auto failed = makePrivateFolder(folder))
        return fail({ErrorKind::Storage, fmt::format("cannot make the folder: {}", failed.message()), folder.string(),
                     "check that the disk is not full and that the folder above it is yours"});
    // A new lock must not look dead between its making and its locking.
    auto everybody = FileLock::wait(folder / ".lock");
    if (!everybody)
        return fail(std::move(everybody.error()));
    walkLeft(folder, true);
    static std::atomic<int> s_counter{0};
    PrivateData made;
    // Two processes have the same number where each sees its own processes only.
    while (!made.m_lock.held()) {
        const std::string name = fmt::format("{}{}-{}", kOwnerPrefix, ::getpid(), ++s_counter);
        const fs::path lockFile = folder / (name + std::string(kLockEnd));
        auto lock = FileLock::attempt(lockFile);
        if (!lock)
            return fail(std::move(lock.error()));
        made.m_lock = std::move(*lock);
        made.m_lockFile = lockFile;
        made.m_file = folder / (name + std::string(kDatabaseEnd));
    }
    return made;
}

PrivateData::PrivateData(PrivateData&& other) noexcept
    : m_file(std::exchange(other.m_file, {}))
    , m_lockFile(std::exchange(other.m_lockFile, {}))
    , m_lock(std::move(other.m_lock))
{
}

PrivateData::~PrivateData()
{
    if (!m_lock.held())
        return;
    std::error_code ignored;
    const std::string own = m_file.filename().string();
    for (const auto& [key, owned] : ownedFilesIn(m_file.parent_path())) {
        if (key + std::string(kDatabaseEnd) != own)
            continue;
        for (const fs::path& file : owned.files)
            fs::remove_all(file, ignored);
    }
    fs::remove(m_lockFile, ignored);
}

LeftFiles PrivateData::left(const fs::path& workDir)
{
    return lockAndWalk(workDir, false);
}

LeftFiles PrivateData::removeLeft(const fs::path& workDir)
{
    return lockAndWalk(workDir, true);
}

} // namespace dyno
