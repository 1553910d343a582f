// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/proxy/managed_proxy.h"

#include "server/lifecycle/free_port.h"
#include "server/lifecycle/secrets.h"
#include "server/lifecycle/server_binaries.h"

#include <dyno/uri_form.h>

#include <algorithm>
#include <arpa/inet.h>
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <netinet/in.h>
#include <set>
#include <sstream>
#include <sys/socket.h>
#include <unistd.h>

namespace dyno {

namespace fs = std::filesystem;

namespace {

constexpr const char* kConfiguration = "proxy.cfg";
constexpr const char* kAuthority = "ca.pem";
constexpr const char* kProxyHost = "127.0.0.1";
constexpr std::chrono::seconds kProxyStart{10};
constexpr int kProxyTries = 5; //!< with another port each, when somebody took the last one

//! True when somebody listens on that port of 127.0.0.1.
bool isTaken(int port)
{
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(std::uint16_t(port));
    ::inet_pton(AF_INET, kProxyHost, &address.sin_addr);
    const bool taken = fd >= 0 && ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    if (fd >= 0)
        ::close(fd);
    return taken;
}

//! True when the port of 127.0.0.1 belongs to this process: another one may have taken it before ours came.
bool holdsPort(int process, int port)
{
    const std::string place = fmt::format("0100007F:{:04X}", port); // in /proc/net/tcp
    std::ifstream table("/proc/net/tcp");
    std::set<std::string> sockets;
    std::string line;
    while (std::getline(table, line)) {
        std::istringstream words(line);
        std::string number, local, remote, state, word, inode;
        words >> number >> local >> remote >> state;
        for (int i = 0; i < 5; ++i)
            words >> word;
        constexpr const char* kListens = "0A";
        if (words >> inode && local == place && state == kListens)
            sockets.insert("socket:[" + inode + "]");
    }
    std::error_code error;
    for (const fs::directory_entry& one : fs::directory_iterator(fmt::format("/proc/{}/fd", process), error)) {
        std::error_code gone;
        if (sockets.contains(fs::read_symlink(one.path(), gone).string()))
            return true;
    }
    return false;
}

//! Room for the users, for those that come again before their last connection is gone, and for a look. In steps, so
//! that another number of users seldom needs another start.
int roomFor(int connections)
{
    constexpr unsigned kLeast = 1024;
    return int(std::max(kLeast, std::bit_ceil(2 * unsigned(std::max(connections, 1)) + 16)));
}

//! The end of its log, on one line.
std::string lastWords(const fs::path& log)
{
    constexpr int kLines = 3;
    std::string text = tailOf(log, kLines);
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at))
        text.replace(at, 1, " / ");
    return text;
}

} // namespace

Expected<ProxyProgram> findProxy(const ProxyRecipe& recipe, const std::vector<fs::path>& folders)
{
    const ProxyNames& names = recipe.names();
    for (const fs::path& folder : folders) {
        for (const char* name : names.programs) {
            const fs::path file = folder / name;
            if (!isProgram(file))
                continue;
            std::vector<std::string> command = recipe.versionArguments();
            command.insert(command.begin(), file.string());
            constexpr std::chrono::seconds kPatience(20);
            const auto output = runCommand(command, kPatience);
            if (std::string version = output ? recipe.readVersion(*output) : std::string(); !version.empty())
                return ProxyProgram{file, std::move(version)};
        }
    }
    return fail(
        {ErrorKind::Unreachable,
         fmt::format("found no {} ({}) in the path and the usual places", names.name, fmt::join(names.programs, ", ")),
         std::string(kPathKey), names.remedy});
}

Expected<ProxyProgram> findProxy(const ProxyRecipe& recipe)
{
    return findProxy(recipe, programFolders());
}

Expected<std::unique_ptr<ManagedProxy>> ManagedProxy::create(const ProxyRecipe& recipe, const fs::path& workDir)
{
    auto program = findProxy(recipe);
    if (!program)
        return fail(std::move(program.error()));
    auto folder = PrivateFolder::create(workDir, recipe.names().id);
    if (!folder)
        return fail(std::move(folder.error()));
    return std::unique_ptr<ManagedProxy>(new ManagedProxy(recipe, std::move(*program), std::move(*folder)));
}

//! With the name of the server's: there are clients that want a certain one. Not with one that might mean something in
//! a configuration, or be too long beside what programs add to it.
fs::path ManagedProxy::socketLike(const std::string& server) const
{
    constexpr std::size_t kLongest = 32;
    const std::string name = fs::path(server).filename().string();
    const bool plain = name.size() <= kLongest && std::ranges::all_of(name, [](unsigned char c) {
                           return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
                       });
    return plain ? m_folder.socket().parent_path() / name : m_folder.socket();
}

Expected<bool> ManagedProxy::ensure(const ConnectTarget& target, const Endpoint& server, int users,
                                    const PoolShape& pool, const std::function<bool()>& stopped)
{
    ProxyRoute wanted;
    wanted.target = target;
    wanted.server = server;
    wanted.connections = roomFor(users);
    wanted.pool = pool;
    wanted.version = m_program.version;
    wanted.listens = m_route.listens;
    const bool otherUser = m_recipe.manners().user.has_value();
    wanted.folder = otherUser ? kHandedFolder : m_folder.path().string();
    // A server on a socket lets in whoever reaches it: on a port of ours that would be everybody on this machine.
    if (!server.socket.empty())
        wanted.listens = Endpoint{{}, 0, socketLike(server.socket).string()};
    else if (wanted.listens.port == 0)
        wanted.listens = Endpoint{kProxyHost, freeLocalPort()};
    const auto sameSecrets = [&] {
        return std::ranges::equal(m_recipe.secretFiles(wanted), m_secrets, {}, &ProxyFile::text, &ProxyFile::text);
    };
    if (process() > 0 && m_recipe.configuration(wanted) == m_text && sameSecrets())
        return false;
    stop();
    m_route = std::move(wanted);
    for (int attempt = 1;; ++attempt) {
        auto started = start(stopped);
        if (started)
            return true;
        stop();
        if (m_route.listens.port == 0 || attempt == kProxyTries || started.error().kind == ErrorKind::Interrupted ||
            !isTaken(m_route.listens.port)) // nobody has its port: it ends for another reason
            return tl::unexpected(started.error());
        m_route.listens.port = freeLocalPort();
    }
}

void ManagedProxy::lead(ConnectTarget& users) const
{
    setEndpoint(users.uri, m_route.listens);
    if (m_recipe.servesTls(m_route))
        m_recipe.useTls(users, (ownFolder() / kAuthority).string());
}

fs::path ManagedProxy::ownFolder() const
{
    return m_recipe.manners().user ? m_folder.path() / "proxy" : m_folder.path();
}

Expected<void> ManagedProxy::writeFiles()
{
    m_text = m_recipe.configuration(m_route);
    m_secrets = m_recipe.secretFiles(m_route);
    const fs::path folder = ownFolder();
    std::error_code ignored;
    fs::create_directory(folder, ignored);
    if (auto written = replaceFile(folder / kConfiguration, m_text); !written)
        return written;
    for (const ProxyFile& secret : m_secrets) {
        if (auto written = replaceFile(folder / secret.name, secret.text); !written)
            return written;
    }
    if (m_recipe.servesTls(m_route)) {
        if (auto made = makeCertificates(folder, m_route.listens.host); !made)
            return tl::unexpected(std::move(made.error()));
    }
    const auto user = m_recipe.manners().user;
    if (!user)
        return {};
    for (const fs::path& own : {folder, m_folder.socket().parent_path()}) {
        if (auto given = giveFolder(own, user); !given)
            return given;
    }
    return {};
}

Expected<void> ManagedProxy::start(const std::function<bool()>& stopped)
{
    using Clock = std::chrono::steady_clock;
    if (auto written = writeFiles(); !written)
        return written;
    std::error_code ignored;
    if (!m_route.listens.socket.empty())
        fs::remove(m_route.listens.socket, ignored);
    fs::remove(logFile(), ignored);
    std::vector<std::string> command = m_recipe.arguments(fs::path(m_route.folder) / kConfiguration);
    command.insert(command.begin(), m_program.file.string());
    const ProcessManners manners = m_recipe.manners();
    m_process.setManners(manners);
    // Another account may not go through the folders above ours.
    m_process.workIn(manners.user ? fs::path("/") : m_folder.path());
    m_process.handOver(manners.user ? ownFolder() : fs::path());
    if (auto started = m_process.start(command, logFile()); !started)
        return started;
    const auto problem = [this](const std::string& what) {
        return Error{ErrorKind::Failed,
                     fmt::format("{} {}: {}", m_recipe.names().name, what, lastWords(logFile())),
                     m_program.file.string(),
                     {}};
    };
    const auto until = Clock::now() + kProxyStart;
    while (Clock::now() < until) {
        if (m_process.waitForEnd(std::chrono::milliseconds(5)))
            return fail(problem("ended at its start with " + m_process.endText()));
        // Nobody else can make the socket in our folder. It is not tried: what connects reaches the server behind it.
        const std::string& socket = m_route.listens.socket;
        if (socket.empty() ? holdsPort(int(m_process.pid()), m_route.listens.port) : fs::exists(socket, ignored))
            return {};
        if (stopped && stopped())
            return fail({ErrorKind::Interrupted, "the proxy's start was given up after the stop", {}, {}});
    }
    return fail(problem(fmt::format("did not listen within {} s", kProxyStart.count())));
}

void ManagedProxy::stop()
{
    m_process.kill();
}

std::string ManagedProxy::endedBy(std::chrono::milliseconds patience)
{
    if (!m_process.waitForEnd(patience))
        return {};
    const std::string words = lastWords(logFile());
    return m_process.howItEnded() + (words.empty() ? "" : "; its log ends with: " + words);
}

} // namespace dyno
