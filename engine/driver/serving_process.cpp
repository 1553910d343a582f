// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/serving_process.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <system_error>
#include <vector>

namespace dyno {

namespace {

constexpr const char* kProcesses = "/proc";

//! The whole of `text` as a number above 0; 0 = it is none.
std::int64_t positiveIn(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size() && number > 0 ? number : 0;
}

//! A process's program; "" when there is no such process.
std::string programOf(std::int64_t process)
{
    std::ifstream name(fmt::format("{}/{}/comm", kProcesses, process));
    std::string program;
    std::getline(name, program);
    return program;
}

bool isOneOf(ServerPrograms programs, std::int64_t process)
{
    return std::ranges::find(programs, programOf(process)) != programs.end();
}

//! The field of this name of a thread's status file, the `column`th of its numbers; −1 when it is not there.
std::int64_t statusOf(std::int64_t thread, std::string_view field, int column = 0)
{
    std::ifstream status(fmt::format("{}/{}/status", kProcesses, thread));
    for (std::string line; std::getline(status, line);) {
        if (!line.starts_with(field))
            continue;
        std::istringstream numbers(line.substr(field.size()));
        std::int64_t number = -1;
        for (int i = 0; i <= column && numbers; ++i)
            numbers >> number;
        return numbers ? number : -1;
    }
    return -1;
}

//! A socket's end as the kernel keeps it: who made it, and its number.
struct SocketEnd
{
    std::uint64_t inode = 0;
    std::int64_t user = -1;
};

//! "ADDRESS:PORT" as /proc/net/tcp6 has it, of both families. "" = of none of them.
std::string endpointText(const sockaddr_storage& address)
{
    constexpr const char* kV4InV6 = "0000000000000000FFFF0000";
    if (address.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
        return fmt::format("{}{:08X}:{:04X}", kV4InV6, v4.sin_addr.s_addr, ntohs(v4.sin_port));
    }
    if (address.ss_family != AF_INET6)
        return {};
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    std::array<std::uint32_t, 4> words{};
    std::copy_n(reinterpret_cast<const std::uint8_t*>(&v6.sin6_addr), sizeof words,
                reinterpret_cast<std::uint8_t*>(words.data()));
    return fmt::format("{:08X}:{:04X}", fmt::join(words, ""), ntohs(v6.sin6_port));
}

//! The other end of a TCP connection, if it is on this machine, in our network namespace.
std::optional<SocketEnd> otherEndOf(int socket)
{
    sockaddr_storage own{}, peer{};
    socklen_t ownSize = sizeof own, peerSize = sizeof peer;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &ownSize) != 0 ||
        ::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &peerSize) != 0)
        return {};
    const std::string ours = endpointText(own), theirs = endpointText(peer);
    constexpr std::size_t kV4 = 8; // digits of an address
    const auto whole = [](const std::string& text) {
        return text.find(':') == kV4 ? "0000000000000000FFFF0000" + text : text;
    };
    for (const char* table : {"tcp", "tcp6"}) {
        std::ifstream rows(fmt::format("{}/self/net/{}", kProcesses, table));
        std::string row;
        std::getline(rows, row); // names of its columns
        while (std::getline(rows, row)) {
            std::istringstream fields(row);
            std::string number, local, remote, state, queues, timer, retransmits, timeout;
            SocketEnd end;
            fields >> number >> local >> remote;
            if (ours.empty() || whole(local) != theirs || whole(remote) != ours)
                continue;
            if (fields >> state >> queues >> timer >> retransmits >> end.user >> timeout >> end.inode)
                return end;
        }
    }
    return {};
}

//! Whether a process has this socket open; nothing where this user may not see what it has.
std::optional<bool> has(std::int64_t process, std::uint64_t inode)
{
    const std::string wanted = fmt::format("socket:[{}]", inode);
    std::error_code problem;
    std::filesystem::directory_iterator files(fmt::format("{}/{}/fd", kProcesses, process), problem);
    if (problem)
        return {};
    for (; files != std::filesystem::directory_iterator(); files.increment(problem)) {
        std::error_code ignored; // it was closed meanwhile
        if (std::filesystem::read_symlink(files->path(), ignored) == wanted)
            return true;
        if (problem)
            break;
    }
    return false;
}

std::vector<std::int64_t> processesOf(ServerPrograms programs)
{
    std::vector<std::int64_t> found;
    std::error_code problem;
    std::filesystem::directory_iterator all(kProcesses, problem);
    for (; !problem && all != std::filesystem::directory_iterator(); all.increment(problem)) {
        const std::int64_t process = positiveIn(all->path().filename().native());
        if (process > 0 && isOneOf(programs, process))
            found.push_back(process);
    }
    return found;
}

//! The process that has started it, and so on, while that is the same program.
std::int64_t firstOf(std::int64_t process)
{
    const std::string program = programOf(process);
    for (;;) {
        const std::int64_t parent = statusOf(process, "PPid:");
        if (parent <= 1 || programOf(parent) != program)
            return process;
        process = parent;
    }
}

} // namespace

std::int64_t threadOfServer(std::string_view number, ServerPrograms programs)
{
    const std::int64_t thread = positiveIn(number);
    const std::int64_t process = thread > 0 ? statusOf(thread, "Tgid:") : 0;
    return process > 0 && isOneOf(programs, process) ? thread : 0;
}

LocalServer serverBehind(int socket, ServerPrograms programs, std::int64_t thread)
{
    const std::int64_t told = thread > 0 ? statusOf(thread, "Tgid:") : 0;
    const auto known = [](std::int64_t process) { return LocalServer{int(firstOf(process)), {}}; };
    const auto unseen = [programs](const char* why) {
        return LocalServer{0,
                           fmt::format("no process {} of this machine is seen at the other end of the connection: {}",
                                       fmt::join(programs, " or "), why)};
    };
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        return unseen("it is not connected");
    if (address.ss_family == AF_UNIX) {
        ucred listener{};
        size = sizeof listener;
        if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &listener, &size) != 0)
            listener.pid = 0;
        if (listener.pid > 0 && isOneOf(programs, listener.pid))
            return known(listener.pid);
        // The service manager, or one that is gone, may have listened for it.
        const bool forIt = listener.pid == 1 || (listener.pid > 0 && programOf(listener.pid).empty());
        return forIt && told > 0 ? known(told)
                                 : unseen("it may run in a container, or a proxy or tunnel is in between");
    }
    const std::optional<SocketEnd> end = otherEndOf(socket);
    if (!end)
        return unseen("it may run in a container");
    std::vector<std::int64_t> alike; // which may have it
    for (const std::int64_t process : told > 0 ? std::vector{told} : processesOf(programs)) {
        const std::optional<bool> its = has(process, end->inode);
        if (its.value_or(false))
            return known(process);
        constexpr int kFileSystemUser = 3; // as which it makes sockets: real, effective, saved, this one
        if (!its && statusOf(process, "Uid:", kFileSystemUser) == end->user)
            alike.push_back(process);
    }
    if (alike.size() == 1)
        return known(alike.front());
    return unseen(alike.empty() ? "a proxy or tunnel may be in between, or it runs in a container"
                                : "several may have it: run Dynobench as root to find out which");
}

} // namespace dyno
