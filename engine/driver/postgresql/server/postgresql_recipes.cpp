// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/postgresql/server/postgresql_recipes.h"

#include "driver/postgresql/server/postgresql_server.h"
#include "driver/postgresql/server/server_conf.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fmt/format.h>
#include <ranges>

namespace dyno {

namespace {

namespace fs = std::filesystem;

class PostgresqlRecipe final : public ServerRecipe
{
public:
    using ServerRecipe::ServerRecipe;
    std::vector<fs::path> foldersBelow(const fs::path& top) const override;
    bool readVersion(std::string_view output, ServerBinaries& read) const override;
    void lookAround(ServerBinaries& found) const override;
    std::string unusable(const ServerBinaries& found) const override
    {
        return found.installer.empty() ? "without initdb" : "";
    }
    ProcessManners manners() const override
    {
        // A fast shutdown; SIGTERM waits for everybody to leave. When it is killed, memory of the system stays behind.
        return {.user = userInsteadOfRoot("postgres"), .stopSignal = SIGINT, .endSignal = SIGQUIT};
    }
    bool handsDataOver() const override { return true; }
    bool takesDataOf(const ServerVersion& made, const ServerVersion& version) const override
    {
        return made.major == version.major; // the second number is that of corrections
    }
    std::vector<std::string> initialiseCommand(const ServerBinaries& server, const fs::path& folder,
                                               const fs::path& temporary,
                                               const Settings& initialisation) const override;
    std::unique_ptr<ServerInFolder> make(ServerPlace place) const override
    {
        return makePostgresqlServer(std::move(place));
    }
    Expected<void> canStart(const ServerBinaries& server, const Settings& wanted, bool tcp) const override
    {
        return postgresqlCanStart(server, wanted, tcp);
    }
    void preflight(const ServerBinaries* /*server*/, const PreflightNeeds& needs, const Settings& /*connection*/,
                   PreflightList& list) const override
    {
        postgresqlPreflight(needs, list);
    }
    //! The folder stands in a setting of ours that the server has no use for: what it works in it calls by another
    //! name.
    std::vector<std::string> marks(const fs::path& folder) const override
    {
        return {"-c", "dynobench.folder=" + folder.string()};
    }
    std::string_view errorIn(std::string_view line) const override;
    //! They end when they next look for their parent, and hold its memory until then.
    bool saysOthersStillEnd(std::string_view log) const override
    {
        return log.find("pre-existing shared memory block") != std::string_view::npos;
    }
    DataFile fileOf(const fs::path& below, const std::string& ours) const override
    {
        return postgresqlFile(below, ours);
    }
};

//! Debian's packages put each version into a folder of its own, of which none is on the path; the newest first.
std::vector<fs::path> PostgresqlRecipe::foldersBelow(const fs::path& top) const
{
    std::vector<std::pair<int, fs::path>> found;
    for (const char* versions : {"usr/lib/postgresql", "lib/postgresql"}) {
        std::error_code error;
        for (auto it = fs::directory_iterator(top / versions, error); !error && it != fs::directory_iterator();
             it.increment(error))
            found.emplace_back(serverVersionOf(it->path().filename().string()).major, it->path() / "bin");
    }
    std::ranges::sort(found, std::greater());
    std::vector<fs::path> folders;
    std::ranges::copy(std::views::values(found), std::back_inserter(folders));
    return folders;
}

//! postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)
bool PostgresqlRecipe::readVersion(std::string_view output, ServerBinaries& read) const
{
    constexpr std::string_view kBefore = "postgres (PostgreSQL) ";
    const std::size_t at = output.find(kBefore);
    if (at == std::string_view::npos)
        return false;
    std::string_view line = output.substr(at + kBefore.size());
    line = line.substr(0, line.find('\n'));
    const std::string_view version = line.substr(0, line.find(' '));
    if (serverVersionOf(version) == ServerVersion())
        return false;
    line.remove_prefix(std::min(version.size() + 1, line.size()));
    if (line.starts_with('(') && line.ends_with(')'))
        line = line.substr(1, line.size() - 2);
    read.name = "PostgreSQL";
    read.version = version;
    read.build = line;
    return true;
}

void PostgresqlRecipe::lookAround(ServerBinaries& found) const
{
    std::error_code ignored;
    const fs::path real = fs::canonical(found.server, ignored); // a link on the path leads to one version's folder
    found.installer = firstThat({found.server.parent_path() / "initdb", real.parent_path() / "initdb"}, isProgram);
}

std::vector<std::string> PostgresqlRecipe::initialiseCommand(const ServerBinaries& server, const fs::path& /*folder*/,
                                                             const fs::path& /*temporary*/,
                                                             const Settings& initialisation) const
{
    std::vector<std::string> command = {server.installer.string(), std::string("--pgdata=") + kHandedFolder,
                                        std::string("--username=") + kSuperuser,
                                        // Who comes in is written down at each start.
                                        "--auth=reject", "--encoding=UTF8",
                                        // Texts compare byte by byte, on every machine alike. The environment's
                                        // language would make indexes of texts some times slower, and otherwise sorted.
                                        "--locale=C",
                                        // A copy is used, which the server writes as it is told.
                                        "--no-sync"};
    for (const auto& [knob, value] : initialisation) {
        if (knob == "data_checksums" && toText(value) == "true")
            command.emplace_back("--data-checksums");
        else if (knob == "data_checksums" && server.atLeast({18, 0, 0}))
            command.emplace_back("--no-data-checksums");
        else if (knob == "wal_segment_size")
            command.push_back(fmt::format("--wal-segsize={}", parseBytes(toText(value)).value_or(0) >> 20));
    }
    return command;
}

//! "2026-11-27 15:46:29.123 GMT [17] FATAL:  could not …", and what it says of its settings before it gives up.
std::string_view PostgresqlRecipe::errorIn(std::string_view line) const
{
    for (const std::string_view level : {"FATAL:  ", "PANIC:  "}) {
        if (const std::size_t at = line.find(level); at != std::string_view::npos)
            return line.substr(at + level.size());
    }
    constexpr std::string_view kLog = "LOG:  ";
    constexpr std::array<std::string_view, 5> kOfSettings = {
        "unrecognized configuration parameter", "invalid value for parameter", "outside the valid range for parameter",
        "requires a numeric value", "syntax error in file"};
    const std::size_t at = line.find(kLog);
    if (at == std::string_view::npos)
        return {};
    line.remove_prefix(at + kLog.size());
    const bool tells = std::ranges::any_of(
        kOfSettings, [line](std::string_view words) { return line.find(words) != std::string_view::npos; });
    return tells ? line : std::string_view();
}

} // namespace

const ServerRecipe& postgresqlRecipe()
{
    static const PostgresqlRecipe kRecipe({
        .product = "postgresql",
        .driver = "postgresql",
        .alsoCalled = nullptr,
        .programs = {"postgres"},
        .folders = {"/usr/local/pgsql/bin", "/opt/postgresql/bin"},
        .what = "PostgreSQL server",
        .remedy = "install PostgreSQL's server (Debian and Ubuntu: apt install postgresql), or name its folder with "
                  "managed:postgresql?basedir=…",
        .remedyInFolder = "name the folder that holds bin/postgres and bin/initdb",
        .needsDriver = true,
    });
    return kRecipe;
}

} // namespace dyno
