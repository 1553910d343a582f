// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/lifecycle/private_folder.h"

#include "base/private_files.h"
#include "base/text.h"
#include "server/lifecycle/child_process.h"
#include "server/lifecycle/data_swap.h"
#include "server/lifecycle/server_recipe.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dyno/path.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <linux/fs.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
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

//! The kernel takes 107 bytes for a socket's path: "/mongodb-27017.sock" and the random part need 32 of them.
constexpr std::size_t kLongestSocketParent = 75;

fs::path socketParent()
{
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    // Root's is closed to the accounts of servers that refuse to run as root.
    if (::geteuid() != 0 && runtime && *runtime == '/' && std::strlen(runtime) <= kLongestSocketParent &&
        ::access(runtime, W_OK | X_OK) == 0)
        return runtime;
    return "/tmp";
}

pid_t writtenPid(const fs::path& folder)
{
    const std::string text = contentOf(folder / "server.pid");
    pid_t pid = 0;
    std::from_chars(text.data(), text.data() + text.size(), pid);
    return pid > 1 ? pid : 0;
}

//! What a process is that was started as a server of this folder is; nullptr for another: the number may belong to
//! somebody else by now.
const ServerRecipe* runsIn(pid_t pid, const fs::path& folder)
{
    // Words of a command line end with a zero.
    const std::string command = '\0' + contentOf(fmt::format("/proc/{}/cmdline", pid));
    const auto found = std::ranges::find_if(serverRecipes(), [&](const ServerRecipe* recipe) {
        const std::vector<std::string> marks = recipe->marks(folder);
        const std::string words = fmt::format("{}", fmt::join(marks, std::string_view("\0", 1)));
        return command.find('\0' + words + '\0') != std::string::npos;
    });
    return found == serverRecipes().end() ? nullptr : *found;
}

//! The process of the server that runs in a folder, 0 when none does.
pid_t serverOf(const fs::path& folder)
{
    const pid_t pid = writtenPid(folder);
    return pid > 0 && runsIn(pid, folder) ? pid : 0;
}

//! Ends the server of a folder whose owner is dead, as ChildProcess::kill() would, and waits until it is gone. The
//! kernel has normally done so (PR_SET_PDEATHSIG).
void killServerOf(const fs::path& folder)
{
    const pid_t pid = writtenPid(folder);
    // The handle stays with the process that has the number now. When that is the server, the signal cannot reach
    // another one, whoever gets the number later. Kernels before 5.3 have no handles: it is left.
    const int handle = pid > 0 ? int(syscall(SYS_pidfd_open, pid, 0u)) : -1;
    if (handle < 0)
        return;
    constexpr int kPatienceMs = 10'000; // a server that died holds its files until its memory is given back
    pollfd end{.fd = handle, .events = POLLIN, .revents = 0};
    const auto ends = [&](int number) {
        for (const int one : {number, SIGCONT}) // somebody may have stopped it (SIGSTOP): it could not end
            syscall(SYS_pidfd_send_signal, handle, one, nullptr, 0u);
        return ::poll(&end, 1, kPatienceMs) > 0;
    };
    if (const ServerRecipe* recipe = runsIn(pid, folder); recipe && !ends(recipe->manners().endSignal))
        ends(SIGKILL);
    ::close(handle);
}

int ownerOf(const fs::path& folder)
{
    const std::string text = contentOf(folder / "lock");
    int pid = 0;
    std::from_chars(text.data(), text.data() + text.size(), pid);
    return pid;
}

//! Removes the folder that `folder`/socket names, if it is one of ours.
void removeSocketFolder(const fs::path& folder)
{
    const fs::path path = contentOf(folder / "socket");
    std::error_code ignored;
    if (path.is_absolute() && path.filename().string().starts_with("dyno-"))
        fs::remove_all(path, ignored);
}

std::vector<fs::path> sessionFolders(const fs::path& managed)
{
    std::error_code ignored;
    std::vector<std::string> products = managedProducts();
    for (const ProxyInfo& proxy : proxies())
        products.push_back(proxy.id);
    std::vector<fs::path> folders;
    for (const fs::directory_entry& entry : fs::directory_iterator(managed, ignored)) {
        const std::string name = entry.path().filename().string();
        const bool ours = std::any_of(products.begin(), products.end(),
                                      [&](const std::string& product) { return name.starts_with(product + '-'); });
        if (ours && entry.is_directory(ignored))
            folders.push_back(entry.path());
    }
    return folders;
}

//! Copies what is not a hole between two open files. Returns errno, 0 when all went well.
int copyData(int in, int out, off_t size)
{
    constexpr std::size_t kPiece = 1 << 20;
    std::vector<char> buffer;
    for (off_t at = 0; at < size;) {
        off_t begin = ::lseek(in, at, SEEK_DATA);
        if (begin < 0 && errno == ENXIO)
            return 0; // nothing but a hole up to the end
        if (begin < 0)
            begin = at; // a file system without holes
        off_t end = ::lseek(in, begin, SEEK_HOLE);
        if (end < 0)
            end = size;
        buffer.resize(kPiece);
        while (begin < end) {
            const auto wanted = std::size_t(std::min<off_t>(end - begin, off_t(kPiece)));
            const ssize_t got = ::pread(in, buffer.data(), wanted, begin);
            if (got < 0 && errno == EINTR)
                continue;
            if (got < 0)
                return errno;
            if (got == 0)
                return 0; // it became shorter
            for (ssize_t done = 0; done < got;) {
                const ssize_t wrote = ::pwrite(out, buffer.data() + done, std::size_t(got - done), begin + done);
                if (wrote < 0 && errno != EINTR)
                    return errno;
                done += std::max<ssize_t>(wrote, 0);
            }
            begin += got;
        }
        at = end;
    }
    return 0;
}

} // namespace

FileLock::FileLock(FileLock&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
{
}

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

Expected<FileLock> FileLock::take(const fs::path& file, int operation)
{
    FileLock lock;
    lock.m_fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock.m_fd < 0)
        return fail(storageError(file, "cannot write it", errno));
    int result = 0;
    do {
        result = ::flock(lock.m_fd, operation);
    } while (result != 0 && errno == EINTR);
    if (result != 0 && errno == EWOULDBLOCK) {
        lock.release();
        return lock;
    }
    if (result != 0)
        return fail(storageError(file, "cannot lock it", errno));
    return lock;
}

Expected<FileLock> FileLock::wait(const fs::path& file, const std::function<bool()>& stopped)
{
    if (!stopped)
        return take(file, LOCK_EX);
    constexpr std::chrono::milliseconds kTryAgain{50};
    for (;;) {
        auto lock = attempt(file);
        if (!lock || lock->held() || stopped())
            return lock;
        std::this_thread::sleep_for(kTryAgain);
    }
}

Expected<FileLock> FileLock::share(const fs::path& file)
{
    return take(file, LOCK_SH);
}

Expected<FileLock> FileLock::attempt(const fs::path& file)
{
    return take(file, LOCK_EX | LOCK_NB);
}

void FileLock::write(const std::string& text) const
{
    if (m_fd < 0)
        return;
    // What was there stays where the new text cannot be written: a full disk.
    const ssize_t written = ::pwrite(m_fd, text.data(), text.size(), 0);
    if (written == ssize_t(text.size()))
        static_cast<void>(::ftruncate(m_fd, off_t(text.size())));
}

FolderFacts readFolderFacts(const fs::path& folder)
{
    FolderFacts facts;
    std::ifstream in(folder / "instance");
    constexpr std::string_view kMadeWith = "made_with.", kStarted = "started", kStartedWith = "started_with.";
    for (std::string line; std::getline(in, line);) {
        const std::size_t equals = line.find('=');
        if (equals == std::string::npos)
            continue;
        const std::string name = line.substr(0, equals);
        const std::string value = line.substr(equals + 1);
        if (name == "product")
            facts.product = value;
        else if (name == "version")
            facts.version = value;
        else if (name == "basedir")
            facts.basedir = value;
        else if (name.starts_with(kMadeWith))
            facts.initialisation.emplace(name.substr(kMadeWith.size()), parseValue(value));
        else if (name == kStarted)
            facts.last.emplace();
        else if (name.starts_with(kStartedWith) && facts.last)
            facts.last->emplace(name.substr(kStartedWith.size()), parseValue(value));
    }
    if (facts.product.empty()) {
        const std::string name = folder.filename().string();
        facts.product = name.substr(0, name.find('-'));
    }
    return facts;
}

Expected<void> writeFolderFacts(const fs::path& folder, const FolderFacts& facts)
{
    const auto breaks = [](const std::pair<const std::string, Value>& knob) {
        return hasControlByte(toText(knob.second));
    };
    if (std::ranges::any_of(facts.initialisation, breaks) || (facts.last && std::ranges::any_of(*facts.last, breaks)))
        return fail({ErrorKind::BadInput, "a value would begin a line of its own", (folder / "instance").string(), {}});
    const fs::path file = folder / "instance", fresh = folder / "instance.new";
    std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
    out << fmt::format("product={}\nversion={}\nbasedir={}\n", facts.product, facts.version, facts.basedir);
    for (const auto& [name, value] : facts.initialisation)
        out << fmt::format("made_with.{}={}\n", name, toText(value));
    if (facts.last) {
        out << "started=yes\n";
        for (const auto& [name, value] : *facts.last)
            out << fmt::format("started_with.{}={}\n", name, toText(value));
    }
    out.close();
    if (!out)
        return fail(storageError(fresh, "cannot write it", errno));
    std::error_code error;
    fs::rename(fresh, file, error); // never half a text
    if (error)
        return fail(storageError(file, "cannot write it", error.value()));
    return {};
}

FolderState folderState(const fs::path& folder)
{
    FolderState state;
    // Others must not take our look for a user: they wait for this lock first.
    auto everybody = FileLock::wait(folder.parent_path() / ".lock");
    auto lock = FileLock::attempt(folder / "lock");
    state.locked = lock && !lock->held();
    state.owner = ownerOf(folder);
    state.server = serverOf(folder);
    return state;
}

fs::path sessionServersFolder(const fs::path& workDir)
{
    return workDir / "managed";
}

fs::path namedServersFolder(const fs::path& workDir)
{
    return workDir / "instances";
}

bool isServerName(std::string_view name)
{
    return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos;
}

Expected<PrivateFolder> PrivateFolder::create(const fs::path& workDir, const std::string& prefix)
{
    const fs::path managed = sessionServersFolder(workDir);
    if (const auto error = makePrivateFolder(managed))
        return fail(storageError(managed, "cannot make the folder", error.value()));
    // Others may be clearing away just now: a new folder must not look dead between its making and its locking.
    auto everybody = FileLock::wait(managed / ".lock");
    if (!everybody)
        return fail(std::move(everybody.error()));
    removeStale(managed);
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
    if (auto made = folder.makeSocketFolder(); !made)
        return fail(std::move(made.error()));
    return folder;
}

Expected<PrivateFolder> PrivateFolder::openNamed(const fs::path& workDir, const std::string& name)
{
    const fs::path instances = namedServersFolder(workDir);
    const fs::path path = instances / name;
    auto error = makePrivateFolder(instances);
    if (!error)
        error = makePrivateFolder(path);
    if (error)
        return fail(storageError(path, "cannot make the folder", error.value()));
    auto everybody = FileLock::wait(instances / ".lock");
    if (!everybody)
        return fail(std::move(everybody.error()));
    auto lock = FileLock::attempt(path / "lock");
    if (!lock)
        return fail(std::move(lock.error()));
    if (!lock->held()) {
        const int owner = ownerOf(path);
        return fail({ErrorKind::Refused,
                     owner == ::getpid()
                         ? fmt::format("the server \"{}\" is in use by this Dynobench (process {})", name, owner)
                         : fmt::format("the server \"{}\" is in use by process {}", name, owner),
                     path.string(), "stop it there first, or use another name: a server has one user at a time"});
    }
    PrivateFolder folder;
    folder.m_path = path;
    folder.m_lock = std::move(*lock);
    folder.m_keep = true;
    folder.m_named = true;
    folder.m_lock.write(fmt::format("{}\n", ::getpid()));
    killServerOf(path);
    removeSocketFolder(path);
    if (auto made = folder.makeSocketFolder(); !made)
        return fail(std::move(made.error()));
    return folder;
}

Expected<void> PrivateFolder::makeSocketFolder()
{
    auto made = newFolder(socketParent(), "dyno-");
    if (!made)
        return fail(std::move(made.error()));
    m_socketFolder = std::move(*made);
    std::ofstream(m_path / "socket", std::ios::binary) << m_socketFolder.string();
    return {};
}

PrivateFolder::~PrivateFolder()
{
    std::error_code ignored;
    if (!m_socketFolder.empty())
        fs::remove_all(m_socketFolder, ignored);
    if (m_path.empty())
        return;
    const bool empty = m_named && !mayHoldData(m_path); // it never came to be
    if (!m_keep || empty)
        fs::remove_all(m_path, ignored);
    else
        fs::remove(m_path / "socket", ignored);
}

void PrivateFolder::setKeep(bool keep)
{
    if (m_named)
        return;
    m_keep = keep;
    std::error_code ignored;
    if (keep)
        std::ofstream(m_path / "keep") << "Dynobench leaves this folder alone. Remove it by hand.\n";
    else
        fs::remove(m_path / "keep", ignored);
}

std::vector<fs::path> PrivateFolder::stale(const fs::path& managed)
{
    std::error_code ignored;
    std::vector<fs::path> folders = sessionFolders(managed);
    std::erase_if(folders, [&](const fs::path& folder) {
        return fs::exists(folder / "keep", ignored) || folderState(folder).locked;
    });
    return folders;
}

int PrivateFolder::removeStale(const fs::path& managed)
{
    int removed = 0;
    std::error_code ignored;
    const std::vector<fs::path> folders = sessionFolders(managed);
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

Expected<void> PrivateFolder::remove(const fs::path& folder)
{
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return fail({ErrorKind::BadInput, "there is no such server", folder.string(), {}});
    auto everybody = FileLock::wait(folder.parent_path() / ".lock");
    if (!everybody)
        return fail(std::move(everybody.error()));
    auto lock = FileLock::attempt(folder / "lock");
    if (!lock)
        return fail(std::move(lock.error()));
    if (!lock->held())
        return fail({ErrorKind::Refused, fmt::format("it is in use by process {}", ownerOf(folder)), folder.string(),
                     "stop it first"});
    killServerOf(folder);
    removeSocketFolder(folder);
    fs::remove_all(folder, error);
    if (error)
        return fail(storageError(folder, "cannot remove it", error.value()));
    return {};
}

Expected<void> replaceFile(const fs::path& file, std::string_view text)
{
    std::string fresh = file.string() + ".new-XXXXXX";
    const int fd = ::mkostemp(fresh.data(), O_CLOEXEC); // 0600
    if (fd < 0)
        return fail(storageError(file, "cannot write it", errno));
    const bool written = ::write(fd, text.data(), text.size()) == ssize_t(text.size()) && ::fsync(fd) == 0;
    const bool closed = ::close(fd) == 0;
    if (!written || !closed || ::rename(fresh.c_str(), file.c_str()) != 0) {
        const int why = errno;
        ::unlink(fresh.c_str());
        return fail(storageError(file, "cannot write it", why));
    }
    return {};
}

Expected<void> copyFile(const fs::path& from, const fs::path& to)
{
    const int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return fail(storageError(from, "cannot read it", errno));
    const int out = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (out < 0) {
        const int error = errno;
        ::close(in);
        return fail(storageError(to, "cannot write it", error));
    }
    int error = 0;
    if (::ioctl(out, FICLONE, in) != 0) {
        struct stat info = {};
        if (::fstat(in, &info) != 0 || ::ftruncate(out, info.st_size) != 0)
            error = errno;
        else
            error = copyData(in, out, info.st_size);
    }
    ::close(in);
    if (::close(out) != 0 && error == 0)
        error = errno;
    if (error != 0)
        return fail(storageError(to, "cannot write it", error));
    return {};
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
