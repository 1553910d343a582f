// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/lifecycle/child_process.h"

#include "base/environment.h"

#include <dyno/added_series.h>
#include <dyno/passwords.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace dyno {

namespace {

constexpr int kLastSignal = 64;
constexpr int kHanded = 4;                     //!< as in kHandedFolder
constexpr std::chrono::milliseconds kLook{50}; //!< between two questions whether somebody wants to stop

//! Closes all files from `first` on. Only async-signal-safe calls: this runs between fork and exec.
void closeFrom(unsigned first)
{
    if (syscall(SYS_close_range, first, ~0u, 0u) == 0)
        return;
    // Kernels before 5.9; what is above 64 k is closed by exec at the latest where it was opened with O_CLOEXEC.
    for (unsigned fd = first; fd < 65536; ++fd)
        ::close(int(fd));
}

//! The child's side; never returns.
[[noreturn]] void becomeCommand(char* const* command, char* const* environment, int log, int report, int handed,
                                pid_t parent, Bond bond, const char* folder, const ProcessManners& manners)
{
    const auto giveUp = [report] {
        const int error = errno;
        const ssize_t written = ::write(report, &error, sizeof error);
        static_cast<void>(written);
        ::_exit(127);
    };
    // First, while we may go everywhere.
    if (folder && ::chdir(folder) != 0)
        giveUp();
    if (!manners.network.empty()) {
        const int network = ::open(manners.network.c_str(), O_RDONLY | O_CLOEXEC);
        if (network < 0 || ::setns(network, CLONE_NEWNET) != 0)
            giveUp();
        ::close(network);
    }
    if (manners.user &&
        (::setgroups(0, nullptr) != 0 || ::setgid(manners.user->group) != 0 || ::setuid(manners.user->id) != 0))
        giveUp();
    if (bond == Bond::OutlivesUs) {
        if (::setsid() < 0)
            giveUp();
    } else {
        // From here on the kernel kills us with the thread that forked. It may have ended already. (It forgets this
        // when the account changes.)
        if (prctl(PR_SET_PDEATHSIG, manners.endSignal) != 0)
            giveUp();
        if (::getppid() != parent)
            ::_exit(127);
        // The terminal's Ctrl-C and its loss are for us: a server that ends by itself would cut the run that we end.
        static_cast<void>(::setpgid(0, 0));
    }
    for (int number = 1; number <= kLastSignal; ++number)
        ::signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const int input = ::open("/dev/null", O_RDONLY);
    if (input < 0 || ::dup2(input, 0) < 0 || ::dup2(log, 1) < 0 || ::dup2(log, 2) < 0)
        giveUp();
    // The report pipe moves to 3; exec closes it, which tells the parent that all went well.
    if (report != 3 && ::dup2(report, 3) < 0)
        giveUp();
    ::fcntl(3, F_SETFD, FD_CLOEXEC);
    report = 3;
    if (handed >= 0 && ::dup2(handed, kHanded) < 0)
        giveUp();
    closeFrom(handed >= 0 ? kHanded + 1 : kHanded);
    ::execve(command[0], command, environment);
    const int error = errno;
    const ssize_t written = ::write(3, &error, sizeof error);
    static_cast<void>(written);
    ::_exit(127);
}

//! What a program needs to find its files and to speak the user's language. An allow list: any other variable may hold
//! a secret, or make a server load something (LD_PRELOAD) or read other options (MYSQL_HOME).
bool everybodyMayHave(std::string_view name)
{
    constexpr std::array<std::string_view, 10> kNames = {
        "PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TZDIR", "TMPDIR", "XDG_RUNTIME_DIR", "LD_LIBRARY_PATH"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end() || name.starts_with("LC_") ||
           name.ends_with("SAN_OPTIONS");
}

//! What a child gets of our variables, and `more`, which replaces ours of the same name. Where all of them are given,
//! those that we have changed are as they were. "NAME=VALUE" each.
std::vector<std::string> environmentWith(const std::vector<std::string>& more, Inherit inherit)
{
    std::vector<std::string> all;
    const auto former = inherit == Inherit::AllButOurs ? formerVariables() : decltype(formerVariables())();
    const auto replaced = [&](std::string_view name) {
        return std::any_of(more.begin(), more.end(), [&](std::string_view one) {
            return one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=';
        });
    };
    for (char** one = environ; one && *one; ++one) {
        const std::string_view name = std::string_view(*one).substr(0, std::string_view(*one).find('='));
        const bool ours = name.starts_with(kPasswordVariable) || name == kPrometheusTokenVariable;
        const bool given = inherit == Inherit::Needed ? everybodyMayHave(name) : !ours;
        if (given && !replaced(name) && !former.contains(name))
            all.emplace_back(*one);
    }
    for (const auto& [name, value] : former) {
        if (value && !replaced(name))
            all.push_back(fmt::format("{}={}", name, *value));
    }
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

//! As execve() takes them, which does not change them.
std::vector<char*> pointersTo(const std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (const std::string& text : texts)
        pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

//! What a program calls errors, which others of its lines may follow; each with its line's end.
std::string errorsIn(const std::string& output)
{
    constexpr int kMost = 5;
    std::string found;
    int count = 0;
    for (std::size_t at = 0; at < output.size() && count < kMost;) {
        const std::size_t end = std::min(output.find('\n', at), output.size());
        const std::string line = output.substr(at, end - at);
        if (line.find("[ERROR]") != std::string::npos || line.starts_with("ERROR")) {
            found += line + '\n';
            ++count;
        }
        at = end + 1;
    }
    return found;
}

std::string lastLines(std::string text, int lines)
{
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    std::size_t at = text.size();
    for (int i = 0; i < lines && at != std::string::npos && at > 0; ++i)
        at = text.rfind('\n', at - 1);
    return at == std::string::npos || at == 0 ? text : text.substr(at + 1);
}

//! True when it ended; false when `patience` was over, or somebody wanted to stop, first.
bool waitFor(ChildProcess& child, std::chrono::milliseconds patience, const std::function<bool()>& stopped)
{
    if (!stopped)
        return child.waitForEnd(patience);
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!child.waitForEnd(kLook)) {
        if (stopped() || std::chrono::steady_clock::now() >= until)
            return false;
    }
    return true;
}

Error startError(const std::string& command, int error)
{
    return {ErrorKind::Failed, fmt::format("cannot start it: {}", std::strerror(error)), command, {}};
}

//! Changes the owner of one file; a link itself.
std::error_code ownBy(const std::filesystem::path& path, const SystemUser& user)
{
    return ::lchown(path.c_str(), user.id, user.group) == 0 ? std::error_code()
                                                            : std::error_code(errno, std::generic_category());
}

} // namespace

std::optional<SystemUser> userInsteadOfRoot(const char* preferred)
{
    if (::geteuid() != 0)
        return {};
    for (const char* name : {preferred, "nobody"}) {
        constexpr std::size_t kMost = 16384;
        std::vector<char> buffer(kMost);
        passwd entry{}, *found = nullptr;
        if (::getpwnam_r(name, &entry, buffer.data(), buffer.size(), &found) == 0 && found && found->pw_uid != 0)
            return SystemUser{found->pw_uid, found->pw_gid, name};
    }
    return {};
}

Expected<void> giveFolder(const std::filesystem::path& folder, const std::optional<SystemUser>& user)
{
    namespace fs = std::filesystem;
    std::error_code error;
    fs::permissions(folder, fs::perms::owner_all, error);
    if (user && !error) {
        error = ownBy(folder, *user);
        for (auto it = fs::recursive_directory_iterator(folder, error);
             !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
            if (error = ownBy(it->path(), *user); error)
                break;
        }
    }
    if (!error)
        return {};
    return fail(
        {ErrorKind::Storage,
         fmt::format("cannot give it to {}: {}", user ? user->name : std::string("its owner alone"), error.message()),
         folder.string(), "take a work folder on a disk whose files can have owners"});
}

Expected<void> ChildProcess::start(const std::vector<std::string>& command, const std::filesystem::path& log,
                                   const std::vector<std::string>& environment, Bond bond, Inherit inherit)
{
    kill();
    std::error_code noFolder;
    std::string program = command.front();
    if (!m_workFolder.empty()) // a relative path of it is one from here
        program = std::filesystem::absolute(program, noFolder).string();
    std::vector<char*> argv = pointersTo(command);
    argv.front() = program.data();
    const std::vector<std::string> given = environmentWith(environment, inherit);
    const std::vector<char*> envp = pointersTo(given);
    const int logFd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (logFd < 0)
        return fail({ErrorKind::Storage, fmt::format("cannot write: {}", std::strerror(errno)), log.string(), {}});
    std::array<int, 2> report{};
    if (::pipe2(report.data(), O_CLOEXEC) != 0) {
        const int error = errno;
        ::close(logFd);
        return fail(startError(command.front(), error));
    }
    // Descriptors 0 to 4 are given new meanings in the child; ours must not be among them.
    const int logHigh = ::fcntl(logFd, F_DUPFD_CLOEXEC, 10);
    const int reportHigh = ::fcntl(report[1], F_DUPFD_CLOEXEC, 10);
    const int folder = m_handedFolder.empty() ? -1 : ::open(m_handedFolder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int folderHigh = folder < 0 ? -1 : ::fcntl(folder, F_DUPFD_CLOEXEC, 10);
    const bool allThere = logHigh >= 0 && reportHigh >= 0 && (m_handedFolder.empty() || folderHigh >= 0);
    int error = allThere ? 0 : errno;
    for (const int fd : {logFd, report[1], folder}) {
        if (fd >= 0)
            ::close(fd);
    }
    const pid_t parent = ::getpid();
    m_bond = bond;
    const pid_t child = allThere ? ::fork() : -1;
    if (child == 0)
        becomeCommand(argv.data(), envp.data(), logHigh, reportHigh, folderHigh, parent, bond,
                      m_workFolder.empty() ? nullptr : m_workFolder.c_str(), m_manners);
    if (allThere && child < 0)
        error = errno;
    for (const int fd : {logHigh, reportHigh, folderHigh}) {
        if (fd >= 0)
            ::close(fd);
    }
    if (child > 0) {
        ssize_t got = 0;
        do {
            got = ::read(report[0], &error, sizeof error);
        } while (got < 0 && errno == EINTR);
        if (got != ssize_t(sizeof error))
            error = 0;
        m_pid = child;
        m_status = 0;
    }
    ::close(report[0]);
    if (error != 0) {
        kill();
        return fail(startError(command.front(), error));
    }
    return {};
}

bool ChildProcess::running()
{
    if (m_pid <= 0)
        return false;
    int status = 0;
    const pid_t ended = ::waitpid(m_pid, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return true;
    m_status = ended > 0 ? status : 0;
    m_pid = -1;
    return false;
}

bool ChildProcess::waitForEnd(std::chrono::milliseconds patience)
{
    if (!running())
        return true;
    const auto until = std::chrono::steady_clock::now() + patience;
    // A process descriptor becomes readable at the very moment of the end; without it (kernels before 5.3) we look.
    const int handle = int(syscall(SYS_pidfd_open, m_pid, 0u));
    while (running()) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            break;
        if (handle >= 0) {
            pollfd wait{.fd = handle, .events = POLLIN, .revents = 0};
            ::poll(&wait, 1, int(left.count()));
        } else {
            std::this_thread::sleep_for(std::min(left, std::chrono::milliseconds(10)));
        }
    }
    if (handle >= 0)
        ::close(handle);
    return m_pid <= 0;
}

void ChildProcess::terminate()
{
    if (!running())
        return;
    ::kill(m_pid, m_manners.stopSignal);
    ::kill(m_pid, SIGCONT); // somebody may have stopped it (SIGSTOP): it could not end
}

void ChildProcess::signal(int number) const
{
    if (m_bond == Bond::DiesWithUs)
        ::kill(-m_pid, number); // an installer is a script that waits for a server
    ::kill(m_pid, number);
}

void ChildProcess::kill()
{
    if (!running())
        return;
    if (m_manners.endSignal != SIGKILL) {
        signal(m_manners.endSignal);
        signal(SIGCONT);
        constexpr std::chrono::seconds kEndPatience{10};
        if (waitForEnd(kEndPatience))
            return;
    }
    signal(SIGKILL);
    int status = 0;
    while (::waitpid(m_pid, &status, 0) < 0 && errno == EINTR) {
    }
    m_status = status;
    m_pid = -1;
}

std::string ChildProcess::endText() const
{
    if (WIFSIGNALED(m_status))
        return fmt::format("signal {}", WTERMSIG(m_status));
    return fmt::format("exit code {}", WEXITSTATUS(m_status));
}

std::string ChildProcess::howItEnded() const
{
    return fmt::format("{} {}", WIFSIGNALED(m_status) ? "killed by" : "exited with",
                       WIFSIGNALED(m_status) ? endText() : fmt::format("code {}", WEXITSTATUS(m_status)));
}

Expected<std::string> runCommand(const std::vector<std::string>& command, std::chrono::seconds patience,
                                 const std::vector<std::string>& environment, Bond bond, Inherit inherit,
                                 const std::function<bool()>& stopped, const std::filesystem::path& handed,
                                 const ProcessManners& manners)
{
    std::error_code ignored;
    std::string name = (std::filesystem::temp_directory_path(ignored) / "dyno-out-XXXXXX").string();
    const int fd = ::mkstemp(name.data());
    if (fd < 0)
        return fail({ErrorKind::Storage, fmt::format("cannot write: {}", std::strerror(errno)), name, {}});
    ::close(fd);
    ChildProcess child;
    if (!handed.empty())
        child.workIn("/");
    child.handOver(handed);
    child.setManners(manners);
    auto started = child.start(command, name, environment, bond, inherit);
    const bool ended = started && waitFor(child, patience, stopped);
    child.kill();
    std::ifstream in(name, std::ios::binary);
    std::string output((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    // mariadb-install-db goes on with 20 lines of advice.
    const std::string tail =
        errorsIn(output) + lastLines(output.substr(0, output.find("Installation of system tables failed")), 15);
    std::filesystem::remove(name, ignored);
    if (!started)
        return fail(std::move(started.error()));
    if (!ended && stopped && stopped())
        return fail({ErrorKind::Interrupted, "was ended, because somebody asked to stop", command.front(), {}});
    if (!ended)
        return fail({ErrorKind::Failed,
                     fmt::format("did not end within {} s: {}", patience.count(), tail),
                     command.front(),
                     {}});
    if (!child.succeeded())
        return fail({ErrorKind::Failed, fmt::format("failed with {}: {}", child.endText(), tail), command.front(), {}});
    return output;
}

std::string tailOf(const std::filesystem::path& file, int lines)
{
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return {};
    in.seekg(0, std::ios::end);
    constexpr std::streamoff kMost = 64 * 1024;
    const std::streamoff size = in.tellg();
    in.seekg(size > kMost ? size - kMost : std::streamoff(0));
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    return lastLines(std::move(text), lines);
}

} // namespace dyno
