// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/mariadb_binaries.h"

#include "server/child_process.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 2> kServerNames = {"mariadbd", "mysqld"};
constexpr std::array<const char*, 2> kInstallerNames = {"mariadb-install-db", "mysql_install_db"};
constexpr const char* kRemedy =
    "install MariaDB's server (Debian and Ubuntu: apt install mariadb-server-core), or name "
    "its folder with managed:mariadb?basedir=…";

bool isProgram(const fs::path& path)
{
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::vector<fs::path> usualFolders()
{
    std::vector<fs::path> folders;
    if (const char* path = std::getenv("PATH")) {
        std::string_view rest = path;
        while (!rest.empty()) {
            const std::size_t colon = rest.find(':');
            if (const std::string_view folder = rest.substr(0, colon); folder.starts_with('/'))
                folders.emplace_back(folder);
            rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
        }
    }
    for (const char* folder :
         {"/usr/sbin", "/usr/bin", "/usr/libexec", "/usr/local/sbin", "/usr/local/bin", "/usr/local/libexec",
          "/usr/local/mysql/bin", "/usr/local/mariadb/bin", "/opt/mariadb/bin", "/opt/mysql/bin"})
        folders.emplace_back(folder);
    return folders;
}

std::optional<fs::path> firstProgram(const std::vector<fs::path>& folders, const auto& names)
{
    for (const char* name : names) {
        for (const fs::path& folder : folders) {
            if (isProgram(folder / name))
                return folder / name;
        }
    }
    return {};
}

//! The server at `path` with its installer, or nothing when it is not a usable MariaDB.
std::optional<MariadbBinaries> inspect(const fs::path& path, const fs::path& basedir)
{
    const auto output = runCommand({path.string(), "--no-defaults", "--version"}, std::chrono::seconds(20));
    if (!output)
        return {};
    MariadbBinaries found;
    found.version = mariadbVersionIn(*output);
    if (found.version.empty())
        return {};
    found.server = path;
    // The prefix of …/sbin/mariadbd; a server outside /usr needs to be told where its messages and scripts lie.
    const fs::path prefix = path.parent_path().parent_path();
    if (!basedir.empty())
        found.basedir = basedir;
    else if (prefix != "/usr" && prefix != "/")
        found.basedir = prefix;
    std::vector<fs::path> folders = {prefix / "bin", prefix / "scripts", path.parent_path()};
    if (!basedir.empty())
        folders.insert(folders.begin(), {basedir / "bin", basedir / "scripts"});
    const auto installer = firstProgram(folders, kInstallerNames);
    if (!installer)
        return {};
    found.installer = *installer;
    return found;
}

} // namespace

std::string mariadbVersionIn(std::string_view output)
{
    constexpr std::string_view kBefore = "Ver ";
    const std::size_t at = output.find(kBefore);
    if (at == std::string_view::npos)
        return {};
    std::string_view version = output.substr(at + kBefore.size());
    version = version.substr(0, version.find_first_of(" \n"));
    return version.find("MariaDB") == std::string_view::npos ? std::string() : std::string(version);
}

bool versionFits(std::string_view version, std::string_view wanted)
{
    if (!version.starts_with(wanted))
        return false;
    const std::string_view rest = version.substr(wanted.size());
    return wanted.empty() || rest.empty() || rest.front() < '0' || rest.front() > '9' || wanted.back() == '.';
}

Expected<MariadbBinaries> findMariadb(const fs::path& basedir, std::string_view version)
{
    std::vector<fs::path> folders;
    if (basedir.empty())
        folders = usualFolders();
    else
        folders = {basedir / "bin", basedir / "sbin", basedir / "libexec", basedir};
    std::vector<fs::path> seen;
    std::vector<std::string> found;
    for (const fs::path& folder : folders) {
        for (const char* name : kServerNames) {
            if (!isProgram(folder / name))
                continue;
            std::error_code ignored;
            const fs::path real = fs::canonical(folder / name, ignored);
            if (std::find(seen.begin(), seen.end(), real) != seen.end())
                continue;
            seen.push_back(real);
            auto binaries = inspect(folder / name, basedir);
            if (binaries && versionFits(binaries->version, version))
                return *binaries;
            found.push_back(fmt::format("{} ({})", (folder / name).string(),
                                        binaries ? binaries->version : "not a MariaDB server with mariadb-install-db"));
        }
    }
    const std::string where = basedir.empty() ? std::string("the path and the usual places") : basedir.string();
    const std::string what = version.empty() ? std::string("MariaDB server (mariadbd)")
                                             : fmt::format("MariaDB server {} (mariadbd)", version);
    if (found.empty())
        return fail({ErrorKind::Unreachable, fmt::format("found no {} in {}", what, where), {}, kRemedy});
    return fail({ErrorKind::Unreachable,
                 fmt::format("found no {} in {}, only {}", what, where, fmt::join(found, ", ")),
                 {},
                 kRemedy});
}

} // namespace dyno
