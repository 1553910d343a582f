// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/server_program.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace dyno {

namespace {

bool isProgram(const std::filesystem::path& file)
{
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

std::vector<std::filesystem::path> foldersFor(const TargetUri& target)
{
    if (const auto base = target.query.find("basedir"); base != target.query.end())
        return {std::filesystem::path(base->second) / "bin", std::filesystem::path(base->second) / "sbin",
                std::filesystem::path(base->second) / "libexec"};
    std::vector<std::filesystem::path> folders;
    std::string_view path = std::getenv("PATH") ? std::getenv("PATH") : "";
    while (!path.empty()) {
        const std::size_t end = path.find(':');
        if (end != 0)
            folders.emplace_back(path.substr(0, end));
        path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    }
    // Servers lie where an ordinary user's path does not lead.
    for (const char* usual : {"/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/usr/local/mysql/bin", "/usr/libexec"})
        folders.emplace_back(usual);
    return folders;
}

//! First line of `program --no-defaults --version`; empty when it does not answer.
std::string versionLine(const std::filesystem::path& program)
{
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
        return {};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::string name = program.string(), noDefaults = "--no-defaults", version = "--version";
    std::array<char*, 4> arguments{name.data(), noDefaults.data(), version.data(), nullptr};
    pid_t child = 0;
    const int failed = ::posix_spawn(&child, name.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    std::string text;
    if (failed == 0) {
        std::array<char, 512> buffer{};
        ssize_t got = 0;
        while ((got = ::read(pipe[0], buffer.data(), buffer.size())) > 0 && text.size() < 4096)
            text.append(buffer.data(), std::size_t(got));
    }
    ::close(pipe[0]);
    if (failed == 0) {
        int status = 0;
        ::waitpid(child, &status, 0);
    }
    return text.substr(0, text.find('\n'));
}

//! "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu …" → "10.11.19-MariaDB-0+deb12u1".
std::string versionIn(std::string_view line)
{
    const std::size_t at = line.find("Ver ");
    if (at == std::string_view::npos)
        return {};
    line.remove_prefix(at + 4);
    return std::string(line.substr(0, line.find(' ')));
}

} // namespace

Expected<FoundProgram> findServerProgram(const TargetUri& target)
{
    const bool wantsMariadb = target.product != "mysql";
    const std::vector<const char*> names = wantsMariadb ? std::vector{"mariadbd", "mysqld"} : std::vector{"mysqld"};
    const auto wanted = target.query.find("version");
    std::string others;
    for (const auto& folder : foldersFor(target)) {
        for (const char* name : names) {
            const auto file = folder / name;
            if (!isProgram(file))
                continue;
            const std::string line = versionLine(file);
            const std::string version = versionIn(line);
            const bool isMariadb = line.find("MariaDB") != std::string::npos;
            if (isMariadb == wantsMariadb && !version.empty() &&
                (wanted == target.query.end() || version.starts_with(wanted->second)))
                return FoundProgram{file, isMariadb ? "MariaDB" : "MySQL", version};
            others +=
                fmt::format("{}{} {}", others.empty() ? "" : ", ", file.string(), version.empty() ? "?" : version);
        }
    }
    const char* product = wantsMariadb ? "MariaDB" : "MySQL";
    std::string message = fmt::format("no {} server{} was found", product,
                                      wanted == target.query.end() ? "" : " of version " + wanted->second);
    if (!others.empty())
        message += fmt::format(" (there is {})", others);
    return fail({.kind = ErrorKind::Unreachable,
                 .message = std::move(message),
                 .where = target.display(),
                 .remedy = wantsMariadb ? "install the package mariadb-server-core, or name a folder with ?basedir=PATH"
                                        : "name the server's folder with ?basedir=PATH"});
}

} // namespace dyno
