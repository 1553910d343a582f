// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/host/ssh_link.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

extern char** environ;

namespace dyno {

namespace {

constexpr std::chrono::milliseconds kFirstPause{500}, kLongestPause{30'000}; //!< between two connections
constexpr std::chrono::milliseconds kSlice{50};            //!< between two questions whether that is enough
constexpr std::chrono::milliseconds kMostConnecting{8000}; //!< names, keys, proxies on the way
constexpr std::chrono::milliseconds kExitPatience{300};    //!< from the end of its output to its own
constexpr std::size_t kMostErrors = 8192;                  //!< bytes of what ssh says
constexpr int kMostErrorReads = 8;                         //!< a call: one that writes without end holds up nobody
constexpr int kFirstFree = 10;                             //!< descriptors below are given new meanings in the child

//! What ssh writes names machines and people of its own configuration, or is what the other side wants to be read: of
//! all that only these words are passed on.
constexpr std::array<std::string_view, 15> kKnownWords{"Permission denied",
                                                       "Too many authentication failures",
                                                       "Host key verification failed",
                                                       "Connection refused",
                                                       "Connection timed out",
                                                       "Operation timed out",
                                                       "No route to host",
                                                       "Network is unreachable",
                                                       "Could not resolve hostname",
                                                       "Connection reset",
                                                       "Connection closed",
                                                       "Bad configuration option",
                                                       "Bad owner or permissions",
                                                       "Can't open user config file",
                                                       "command not found"};

//! What ssh needs to find its files, its agent and a ticket. Any other variable may be a secret, or be sent (SendEnv).
bool sshMayHave(std::string_view name)
{
    constexpr std::array<std::string_view, 11> kGiven{
        "PATH",           "HOME",          "USER",       "LOGNAME",         "LANG",
        "TMPDIR",         "SSH_AUTH_SOCK", "KRB5CCNAME", "LD_LIBRARY_PATH", "XDG_RUNTIME_DIR",
        "SSH_SK_PROVIDER"};
    return std::ranges::find(kGiven, name) != kGiven.end();
}

std::string sshVariable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

int movedUp(int fd)
{
    const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstFree), problem = errno;
    ::close(fd);
    errno = problem;
    return high;
}

std::vector<char*> pointersOf(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

//! Starts it with `socket` as input and output; 0 and errno when it does not start.
pid_t spawnSsh(std::vector<std::string> command, int socket, int errors)
{
    std::vector<std::string> variables;
    for (char** one = environ; one && *one; ++one) {
        const std::string_view text(*one);
        if (sshMayHave(text.substr(0, text.find('='))))
            variables.emplace_back(text);
    }
    posix_spawn_file_actions_t files;
    posix_spawnattr_t manner;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&manner);
    // One that is missing would have it use ours.
    int problem = 0;
    for (const auto& [from, to] : {std::pair{socket, STDIN_FILENO}, {socket, STDOUT_FILENO}, {errors, STDERR_FILENO}})
        problem = problem == 0 ? posix_spawn_file_actions_adddup2(&files, from, to) : problem;
    if (problem == 0)
        problem = posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&manner, &none);
    posix_spawnattr_setsigdefault(&manner, &all);
    posix_spawnattr_setpgroup(&manner, 0); // the terminal's Ctrl-C is for us
    posix_spawnattr_setflags(&manner, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    pid_t process = 0;
    const std::vector<char*> words = pointersOf(command), environment = pointersOf(variables);
    if (problem == 0)
        problem = ::posix_spawnp(&process, words.front(), &files, &manner, words.data(), environment.data());
    posix_spawnattr_destroy(&manner);
    posix_spawn_file_actions_destroy(&files);
    errno = problem;
    return problem == 0 ? process : 0;
}

bool sshMentions(const std::string& errors, std::string_view words)
{
    return errors.find(words) != std::string::npos;
}

std::int64_t sshCpuNs(const rusage& usage)
{
    constexpr std::int64_t kSecond = 1'000'000'000, kMicrosecond = 1000;
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * kSecond +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * kMicrosecond;
}

//! Of a process that runs.
std::int64_t sshCpuNs(pid_t process)
{
    clockid_t clock{};
    timespec time{};
    if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
        return 0;
    return std::int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

Error sshDoesNotStart(int problem, const SshProgram& program)
{
    return {ErrorKind::Failed,
            fmt::format("ssh cannot be started: {}", std::strerror(problem)),
            {},
            problem != ENOENT         ? ""
            : program.program.empty() ? "install the ssh client (openssh-client)"
                                      : "check DYNO_SSH"};
}

} // namespace

SshProgram SshProgram::ofEnvironment()
{
    return {sshVariable("DYNO_SSH"), sshVariable("DYNO_SSH_CONFIG")};
}

SshLink::SshLink(SshDestination to, std::string script, std::string mark, SshProgram program)
    : m_to(std::move(to))
    , m_script(std::move(script))
    , m_mark(std::move(mark))
    , m_program(std::move(program))
{
}

SshLink::~SshLink()
{
    close();
}

//! What a person types to see what happens.
std::string SshLink::byHand() const
{
    const std::string command = m_to.command();
    constexpr std::string_view kSsh = "ssh";
    return m_program.config.empty() ? command : "ssh -F \"$DYNO_SSH_CONFIG\"" + command.substr(kSsh.size());
}

void SshLink::refuse(const Error& why)
{
    const std::lock_guard lock(m_mutex);
    m_answered = false;
    (void)failed(why);
}

void SshLink::close()
{
    const std::lock_guard lock(m_mutex);
    end();
}

pid_t SshLink::process() const
{
    const std::lock_guard lock(m_mutex);
    return m_process;
}

std::vector<std::string> SshLink::command() const
{
    std::vector<std::string> words{m_program.program.empty() ? "ssh" : m_program.program};
    if (!m_program.config.empty())
        words.insert(words.end(), {"-F", m_program.config});
    words.insert(words.end(), {"-T", "-a", "-x", "-k", "-e", "none"}); // no terminal, agent, display, ticket or escapes
    for (const char* option :
         {"BatchMode=yes", "StrictHostKeyChecking=yes", "UpdateHostKeys=no", "LogLevel=ERROR", "ConnectTimeout=5",
          "ServerAliveInterval=5", "ServerAliveCountMax=3", "ClearAllForwardings=yes", "ControlMaster=no",
          "PermitLocalCommand=no", "RemoteCommand=none", "Tunnel=no"})
        words.insert(words.end(), {"-o", option});
    for (const char* option : {"SessionType=default", "StdinNull=no", "ForkAfterAuthentication=no"}) {
        if (!m_older)
            words.insert(words.end(), {"-o", option});
    }
    if (m_to.port > 0)
        words.insert(words.end(), {"-p", std::to_string(m_to.port)});
    if (!m_to.user.empty())
        words.insert(words.end(), {"-l", m_to.user});
    words.insert(words.end(), {"--", m_to.host, fmt::format("exec /bin/sh -c '{}'", m_script)});
    return words;
}

std::optional<Error> SshLink::begin()
{
    std::array<int, 2> ends{-1, -1}, errors{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return sshDoesNotStart(errno, m_program);
    if (::pipe2(errors.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
        const int problem = errno;
        ::close(ends[0]);
        ::close(ends[1]);
        return sshDoesNotStart(problem, m_program);
    }
    const int socket = movedUp(ends[1]);
    int problem = socket < 0 ? errno : 0;
    const int written = movedUp(errors[1]);
    problem = problem == 0 && written < 0 ? errno : problem;
    if (problem == 0) {
        ::fcntl(written, F_SETFL, 0); // ssh's own end waits
        m_process = spawnSsh(command(), socket, written);
        problem = m_process > 0 ? 0 : errno;
    }
    for (const int fd : {socket, written}) {
        if (fd >= 0)
            ::close(fd);
    }
    m_socket = ends[0];
    m_errorsFd = errors[0];
    m_read.clear();
    m_errors.clear();
    m_greeting.clear();
    m_connectUntil = std::chrono::steady_clock::now() + kMostConnecting;
    if (problem != 0)
        return sshDoesNotStart(problem, m_program);
    return {};
}

void SshLink::end()
{
    for (int* fd : {&m_socket, &m_errorsFd}) {
        if (*fd >= 0)
            ::close(*fd);
        *fd = -1;
    }
    if (m_process <= 0)
        return;
    ::kill(-m_process, SIGKILL); // with what its configuration made it start
    ::kill(m_process, SIGKILL);
    rusage usage{};
    pid_t ended = -1;
    while ((ended = ::wait4(m_process, nullptr, 0, &usage)) < 0 && errno == EINTR) {
    }
    m_endedCpuNs += ended == m_process ? sshCpuNs(usage) : 0;
    m_process = 0;
}

void SshLink::readErrors()
{
    std::array<char, 1024> buffer{};
    ssize_t got = 1;
    for (int i = 0; i < kMostErrorReads && got > 0; ++i) {
        got = ::read(m_errorsFd, buffer.data(), buffer.size());
        if (got > 0)
            m_errors.append(buffer.data(),
                            std::min(std::size_t(got), kMostErrors - std::min(kMostErrors, m_errors.size())));
    }
}

Error SshLink::whyEnded()
{
    const auto until = std::chrono::steady_clock::now() + kExitPatience;
    rusage usage{};
    bool ended = false;
    while (!ended && std::chrono::steady_clock::now() < until) {
        ended = ::wait4(m_process, nullptr, WNOHANG, &usage) == m_process;
        if (!ended)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (ended) {
        m_endedCpuNs += sshCpuNs(usage);
        m_process = 0;
    }
    readErrors();
    Error error{ErrorKind::Unreachable,
                m_greeting.empty() ? "ssh ended without a connection" : "the connection was closed",
                {},
                {}};
    const auto* const known =
        std::ranges::find_if(kKnownWords, [this](std::string_view words) { return sshMentions(m_errors, words); });
    if (known != kKnownWords.end())
        error.message = fmt::format("ssh says: {}", *known);
    if (sshMentions(m_errors, "HOST IDENTIFICATION HAS CHANGED"))
        error.message = "its host key is another one than the one that ssh knows";
    else if (sshMentions(m_errors, "host key is known for"))
        error.message = "ssh does not know its host key";
    if (sshMentions(m_errors, "Host key verification failed") || sshMentions(m_errors, "ost key"))
        error.remedy = fmt::format("check whose key it is, by hand: {}", byHand());
    else if (sshMentions(m_errors, "Permission denied"))
        error.remedy = fmt::format("{} has to get in without typing anything: load a key into the agent, or put it "
                                   "there with ssh-copy-id",
                                   byHand());
    else if (m_greeting.empty())
        error.remedy = fmt::format("see what happens by hand: {}", byHand());
    return error;
}

Expected<std::string> SshLink::readAnswer(Time until, const std::function<bool()>& enough)
{
    m_late = false;
    const std::string last = m_mark + "\n";
    std::size_t looked = 0;
    while (true) {
        for (std::size_t at = m_read.find(last, looked); at != std::string::npos; at = m_read.find(last, at + 1)) {
            if (at > 0 && m_read[at - 1] != '\n')
                continue;
            std::string answer = m_read.substr(0, at);
            m_read.erase(0, at + last.size());
            return answer;
        }
        looked = m_read.size() - std::min(m_read.size(), last.size());
        if (m_read.size() > kMostBytes)
            return fail({ErrorKind::Failed, fmt::format("it answers with more than {} MiB", kMostBytes >> 20), {}, {}});
        if (enough && enough())
            return fail({ErrorKind::Interrupted, "it was not waited for", {}, {}});
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            m_late = true;
            return fail({ErrorKind::Unreachable,
                         m_greeting.empty() ? "it did not connect in time" : "it did not answer in time",
                         {},
                         m_greeting.empty() ? fmt::format("see what happens by hand: {}", byHand()) : std::string()});
        }
        std::array<pollfd, 2> waits{
            {{.fd = m_socket, .events = POLLIN, .revents = 0}, {.fd = m_errorsFd, .events = POLLIN, .revents = 0}}};
        if (::poll(waits.data(), waits.size(), int(std::min(left, kSlice).count())) <= 0)
            continue;
        if ((waits[1].revents & POLLIN) != 0)
            readErrors();
        if (waits[0].revents == 0) {
            if (waits[1].revents == POLLHUP) // nothing comes from there any more: do not turn round at full speed
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            continue;
        }
        std::array<char, 16384> buffer{};
        const ssize_t got = ::recv(m_socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got > 0)
            m_read.append(buffer.data(), std::size_t(got));
        else if (got == 0 || (errno != EINTR && errno != EAGAIN))
            return tl::unexpected(whyEnded());
    }
}

tl::unexpected<Error> SshLink::failed(Error error)
{
    end();
    if (error.kind != ErrorKind::Interrupted) {
        m_pause = std::clamp(2 * m_pause, kFirstPause, kLongestPause);
        m_again = std::chrono::steady_clock::now() + m_pause;
        m_problem = error;
    }
    return tl::unexpected(std::move(error));
}

Expected<void> SshLink::connect(Time until, const std::function<bool()>& enough)
{
    if (m_process == 0) {
        if (m_problem && std::chrono::steady_clock::now() < m_again)
            return tl::unexpected(*m_problem);
        if (auto problem = begin())
            return failed(std::move(*problem));
    }
    if (!m_greeting.empty())
        return {};
    auto greeting = readAnswer(until, enough);
    if (greeting) {
        m_greeting = greeting->empty() ? "\n" : std::move(*greeting);
        return {};
    }
    if (m_late && std::chrono::steady_clock::now() < m_connectUntil)
        return tl::unexpected(std::move(greeting.error())); // it goes on: whoever asks next has it
    if (!m_older && (sshMentions(m_errors, "sessiontype") || sshMentions(m_errors, "SessionType"))) {
        m_older = true; // nor can its configuration have what they would undo
        end();
        return connect(until, enough);
    }
    return failed(std::move(greeting.error()));
}

Expected<SshLink::Answer> SshLink::askConnected(Time until, const std::function<bool()>& enough,
                                                const std::function<void()>& sent)
{
    if (std::exchange(m_answered, false)) { // and it was not refused
        m_pause = {};
        m_problem.reset();
    }
    if (auto connected = connect(until, enough); !connected)
        return tl::unexpected(std::move(connected.error()));
    if (::send(m_socket, "\n", 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
        return failed(whyEnded());
    if (sent)
        sent();
    auto answer = readAnswer(until, enough);
    if (!answer)
        return failed(std::move(answer.error()));
    m_answered = true;
    return Answer{m_greeting, std::move(*answer)};
}

Expected<SshLink::Answer> SshLink::ask(std::chrono::milliseconds patience, const std::function<bool()>& enough,
                                       const std::function<void()>& sent)
{
    const std::lock_guard lock(m_mutex);
    auto answer = askConnected(std::chrono::steady_clock::now() + patience, enough, sent);
    m_cpuNs = m_endedCpuNs + (m_process > 0 ? sshCpuNs(m_process) : 0);
    return answer;
}

} // namespace dyno
