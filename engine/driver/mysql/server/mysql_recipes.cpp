// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/mysql/server/mysql_recipes.h"

#include "driver/mysql/server/encryption.h"
#include "driver/mysql/server/engine_plugin.h"
#include "driver/mysql/server/mysql_server.h"
#include "driver/mysql/server/server_options.h"

#include <array>
#include <fmt/format.h>
#include <unistd.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 2> kInstallerNames = {"mariadb-install-db", "mysql_install_db"};
constexpr const char* kRemedyInFolder =
    "name the folder that holds bin/mysqld, sbin/mysqld, libexec/mysqld or mysqld itself (or mariadbd)";

//! What MySQL's server is told when it is not in the place it was built for.
void addPlaces(std::vector<std::string>& command, const ServerBinaries& server)
{
    if (!server.basedir.empty())
        command.push_back("--basedir=" + server.basedir.string());
    if (!server.messages.empty())
        command.push_back("--lc-messages-dir=" + server.messages.string());
    if (!server.plugins.empty())
        command.push_back("--plugin-dir=" + server.plugins.string());
}

//! The options of a command that initialises, whichever program it is.
std::vector<std::string> withOptions(std::vector<std::string> command, const fs::path& temporary,
                                     const Settings& initialisation)
{
    // Of its own: a MariaDB that starts clears away all temporary tables that it finds there, those of others too.
    command.push_back("--tmpdir=" + temporary.string());
    if (::geteuid() == 0)
        command.emplace_back("--user=root"); // it refuses to run as root unless told so
    for (const auto& [knob, value] : initialisation)
        command.push_back(fmt::format("--{}={}", knob, toText(value)));
    return command;
}

//! mysqld  Ver 8.0.31 for Linux on x86_64 (MySQL Community Server - GPL)
bool readMysqldVersion(std::string_view output, ServerBinaries& read)
{
    constexpr std::string_view kBefore = "Ver ";
    const std::size_t at = output.find(kBefore);
    if (at == std::string_view::npos)
        return false;
    std::string_view line = output.substr(at + kBefore.size());
    line = line.substr(0, line.find('\n'));
    const std::string_view version = line.substr(0, line.find(' '));
    if (serverVersionOf(version) == ServerVersion())
        return false;
    line.remove_prefix(version.size());
    if (line.starts_with(" for "))
        line.remove_prefix(5);
    read.version = version;
    read.build = line;
    return true;
}

//! What both products have in common.
class MysqlFamilyRecipe : public ServerRecipe
{
public:
    using ServerRecipe::ServerRecipe;
    std::vector<std::string> versionArguments() const override { return {"--no-defaults", "--version"}; }
    void lookAround(ServerBinaries& found) const override;
    fs::path pluginFolder(const ServerBinaries& server) const override;
    std::unique_ptr<ServerInFolder> make(ServerPlace place) const override { return makeMysqlServer(std::move(place)); }
    Expected<void> canStart(const ServerBinaries& server, const Settings& wanted, bool tcp) const override
    {
        return mysqlCanStart(server, wanted, tcp);
    }
    Expected<void> canEncrypt(const ServerBinaries& server) const override { return canKeepKeys(server); }
    void preflight(const ServerBinaries* /*server*/, const PreflightNeeds& needs, const Settings& /*connection*/,
                   PreflightList& list) const override
    {
        mysqlPreflight(needs, limits(), list);
    }
    [[nodiscard]] virtual MysqlLimits limits() const = 0;
    std::vector<std::string> marks(const fs::path& folder) const override
    {
        return {"--defaults-file=" + (folder / "server.cnf").string()};
    }
    std::string_view errorIn(std::string_view line) const override;
    DataFile fileOf(const fs::path& below, const std::string& ours) const override { return mysqlFile(below, ours); }
    std::optional<std::uint64_t> offPageBytes(const fs::path& file) const override { return mysqlOffPageBytes(file); }
};

class MariadbRecipe final : public MysqlFamilyRecipe
{
public:
    using MysqlFamilyRecipe::MysqlFamilyRecipe;
    MysqlLimits limits() const override { return kMariadbLimits; }
    bool readVersion(std::string_view output, ServerBinaries& read) const override;
    Expected<void> canHold(const Settings& table, const Settings& wanted) const override
    {
        return namesEngineOf(table, wanted);
    }
    std::string unusable(const ServerBinaries& found) const override;
    std::vector<std::string> initialiseCommand(const ServerBinaries& server, const fs::path& folder,
                                               const fs::path& temporary,
                                               const Settings& initialisation) const override;
};

class MysqlRecipe final : public MysqlFamilyRecipe
{
public:
    using MysqlFamilyRecipe::MysqlFamilyRecipe;
    MysqlLimits limits() const override { return kMysqlLimits; }
    bool readVersion(std::string_view output, ServerBinaries& read) const override;
    std::string unusable(const ServerBinaries& found) const override;
    std::vector<std::string> initialiseCommand(const ServerBinaries& server, const fs::path& folder,
                                               const fs::path& temporary,
                                               const Settings& initialisation) const override;
};

void MysqlFamilyRecipe::lookAround(ServerBinaries& found) const
{
    const fs::path here = found.server.parent_path();
    const fs::path prefix = here.parent_path();
    std::vector<fs::path> tops;
    if (!found.folder.empty())
        tops = {found.folder, found.folder / "usr", found.folder / "server"};
    tops.push_back(prefix);
    if (found.server.parent_path().filename() != "bin" && found.server.parent_path().filename() != "sbin")
        tops.push_back(here);
    std::vector<fs::path> installers;
    for (const fs::path& top : tops) {
        for (const char* folder : {"bin", "scripts", ""}) {
            for (const char* name : kInstallerNames)
                installers.push_back(top / folder / name);
        }
    }
    found.installer = firstThat(installers, isProgram);
    if (found.folder.empty() && (prefix == "/usr" || prefix == "/"))
        return; // it knows its places
    for (const fs::path& top : tops) {
        for (const char* share : {"share", "share/mysql", "share/mariadb"}) {
            if (found.messages.empty() && isThere(top / share / "english" / "errmsg.sys")) {
                found.messages = top / share;
                found.basedir = top;
            }
        }
    }
    if (found.basedir.empty())
        found.basedir = found.folder.empty() ? prefix : found.folder;
    const fs::path lib = found.basedir / "lib";
    found.plugins =
        firstThat({lib / "plugin", lib / "mysql/plugin", lib / "mariadb/plugin", found.basedir / "lib64/mysql/plugin",
                   found.basedir / "lib64/plugin", lib / "x86_64-linux-gnu/mariadb/plugin"},
                  isThere);
    for (const fs::path& data : {found.basedir / "data", found.basedir / "data/mysql"}) {
        if (found.shippedData.empty() && isThere(data / "mysql/user.frm"))
            found.shippedData = data;
    }
}

fs::path MysqlFamilyRecipe::pluginFolder(const ServerBinaries& server) const
{
    if (!server.plugins.empty())
        return server.plugins;
    const auto options = optionsOf(server);
    if (!options)
        return {};
    const auto found = (*options)->find("plugin_dir");
    return found == (*options)->end() ? fs::path() : fs::path(found->second);
}

//! The words behind "[ERROR]" and the codes that MySQL 8 puts in brackets.
std::string_view MysqlFamilyRecipe::errorIn(std::string_view line) const
{
    constexpr std::string_view kError = "[ERROR]";
    const std::size_t at = line.find(kError);
    if (at == std::string_view::npos)
        return {};
    line.remove_prefix(at + kError.size());
    while (true) {
        while (line.starts_with(' '))
            line.remove_prefix(1);
        const std::size_t close = line.find(']');
        if (!line.starts_with('[') || close == std::string_view::npos)
            return line;
        line.remove_prefix(close + 1);
    }
}

bool MariadbRecipe::readVersion(std::string_view output, ServerBinaries& read) const
{
    read.name = "MariaDB";
    return readMysqldVersion(output, read) && read.version.find("MariaDB") != std::string::npos;
}

std::string MariadbRecipe::unusable(const ServerBinaries& found) const
{
    return found.installer.empty() ? "without mariadb-install-db" : "";
}

std::vector<std::string> MariadbRecipe::initialiseCommand(const ServerBinaries& server, const fs::path& folder,
                                                          const fs::path& temporary,
                                                          const Settings& initialisation) const
{
    std::vector<std::string> command = {server.installer.string(), "--no-defaults", "--datadir=" + folder.string(),
                                        "--auth-root-authentication-method=normal", "--skip-test-db",
                                        "--skip-name-resolve",
                                        // A small copy; the server makes a log of the size it wants at its first start.
                                        "--innodb-log-file-size=10M"};
    if (!server.basedir.empty())
        command.push_back("--basedir=" + server.basedir.string());
    if (!server.plugins.empty())
        command.push_back("--plugin-dir=" + server.plugins.string());
    return withOptions(std::move(command), temporary, initialisation);
}

bool MysqlRecipe::readVersion(std::string_view output, ServerBinaries& read) const
{
    if (!readMysqldVersion(output, read) || read.version.find("MariaDB") != std::string::npos)
        return false;
    read.name = read.build.find("Percona") != std::string::npos ? "Percona Server" : "MySQL";
    return true;
}

std::string MysqlRecipe::unusable(const ServerBinaries& found) const
{
    const bool ready = found.atLeast({5, 7, 6}) || !found.installer.empty() || !found.shippedData.empty();
    return ready ? "" : "without mysql_install_db";
}

std::vector<std::string> MysqlRecipe::initialiseCommand(const ServerBinaries& server, const fs::path& folder,
                                                        const fs::path& temporary, const Settings& initialisation) const
{
    std::vector<std::string> command;
    if (server.atLeast({5, 7, 6})) {
        command = {server.server.string(), "--no-defaults", "--initialize-insecure", "--datadir=" + folder.string(),
                   "--secure-file-priv=NULL"};
        command.emplace_back(server.atLeast({8, 0, 30}) ? "--innodb-redo-log-capacity=8M"
                                                        : "--innodb-log-file-size=8M");
        addPlaces(command, server);
    } else if (!server.installer.empty()) {
        command = {server.installer.string(), "--no-defaults", "--datadir=" + folder.string()};
        if (!server.basedir.empty())
            command.push_back("--basedir=" + server.basedir.string());
    } else {
        return {};
    }
    return withOptions(std::move(command), temporary, initialisation);
}

} // namespace

const ServerRecipe& mariadbRecipe()
{
    static const MariadbRecipe kRecipe({
        .product = "mariadb",
        .driver = "mysql",
        .alsoCalled = nullptr,
        .programs = {"mariadbd", "mysqld"},
        .folders = {"/usr/local/mysql/bin", "/usr/local/mariadb/bin", "/opt/mariadb/bin"},
        .what = "MariaDB server",
        .remedy = "install MariaDB's server (Debian and Ubuntu: apt install mariadb-server-core), or name its folder "
                  "with managed:mariadb?basedir=…",
        .remedyInFolder = kRemedyInFolder,
        .needsDriver = true,
    });
    return kRecipe;
}

const ServerRecipe& mysqlRecipe()
{
    static const MysqlRecipe kRecipe({
        .product = "mysql",
        .driver = "mysql",
        .alsoCalled = "percona",
        .programs = {"mysqld"},
        .folders = {"/usr/local/mysql/bin", "/opt/mysql/bin"},
        .what = "MySQL server",
        .remedy = "unpack MySQL's tarball and name its folder with managed:mysql?basedir=…, or install mysql-server",
        .remedyInFolder = kRemedyInFolder,
        .needsDriver = true,
    });
    return kRecipe;
}

} // namespace dyno
