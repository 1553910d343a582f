// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/clickhouse/server/clickhouse_recipes.h"

#include "driver/clickhouse/server/clickhouse_server.h"
#include "server/lifecycle/child_process.h"
#include "server/lifecycle/server_log.h"

#include <array>
#include <cstdlib>
#include <fmt/format.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

class ClickhouseRecipe final : public ServerRecipe
{
public:
    using ServerRecipe::ServerRecipe;
    std::string versionOtherwise(const fs::path& server) const override;
    bool readVersion(std::string_view output, ServerBinaries& read) const override;
    void lookAround(ServerBinaries& found) const override;
    std::unique_ptr<ServerInFolder> make(ServerPlace place) const override
    {
        return makeClickhouseServer(std::move(place));
    }
    Expected<void> canStart(const ServerBinaries& server, const Settings& wanted, bool /*tcp*/) const override
    {
        return clickhouseCanStart(server, wanted);
    }
    void preflight(const ServerBinaries* /*server*/, const PreflightNeeds& needs, const Settings& /*connection*/,
                   PreflightList& list) const override
    {
        clickhousePreflight(needs, list);
    }
    std::vector<std::string> marks(const fs::path& folder) const override
    {
        return {"--config-file=" + (folder / "config.xml").string()};
    }
    std::string_view errorIn(std::string_view line) const override;
    DataFile fileOf(const fs::path& below, const std::string& ours) const override
    {
        return clickhouseFile(below, ours);
    }
};

//! Servers before version 19 have no option for it, and write it into their log when they start. This start ends before
//! they listen: nobody may come in.
std::string ClickhouseRecipe::versionOtherwise(const fs::path& server) const
{
    std::error_code ignored;
    std::string folder = (fs::temp_directory_path(ignored) / "dynobench-version-XXXXXX").string();
    if (!::mkdtemp(folder.data()))
        return {};
    const fs::path config = fs::path(folder) / "config.xml", log = fs::path(folder) / "log";
    const bool written =
        writeText(config, fmt::format("<yandex><logger><level>information</level><log>{0}</log><errorlog>{0}.errors"
                                      "</errorlog></logger><path>{1}/</path></yandex>\n",
                                      log.string(), folder))
            .has_value();
    if (written) {
        constexpr std::chrono::seconds kPatience(20);
        static_cast<void>(runCommand({server.string(), "--config-file=" + config.string()}, kPatience));
    }
    std::string text = logFrom(log, 0);
    fs::remove_all(folder, ignored);
    return text;
}

//! "ClickHouse server version 23.8.2.7 (official build)."; of old ones "Starting ClickHouse 18.16.1 with revision
//! 54412".
bool ClickhouseRecipe::readVersion(std::string_view output, ServerBinaries& read) const
{
    for (const std::string_view before : {"ClickHouse server version ", "Starting ClickHouse "}) {
        const std::size_t at = output.find(before);
        if (at == std::string_view::npos)
            continue;
        std::string_view line = output.substr(at + before.size());
        line = line.substr(0, line.find('\n'));
        std::string_view version = line.substr(0, line.find_first_not_of("0123456789."));
        while (version.ends_with('.'))
            version.remove_suffix(1);
        if (serverVersionOf(version) == ServerVersion())
            continue;
        read.name = "ClickHouse";
        read.version = version;
        const std::size_t open = line.find('('), close = line.find(')');
        if (open < close && close != std::string_view::npos)
            read.build = line.substr(open + 1, close - open - 1);
        return true;
    }
    return false;
}

void ClickhouseRecipe::lookAround(ServerBinaries& /*found: all of it is one program*/) const {}

//! "2026.11.27 19:36:36.153 [ 20 ] {…} <Error> Application: …"; before its log is open, the exception alone.
std::string_view ClickhouseRecipe::errorIn(std::string_view line) const
{
    for (const std::string_view level : {"<Error> ", "<Critical> ", "<Fatal> "}) {
        if (const std::size_t at = line.find(level); at != std::string_view::npos)
            return line.substr(at + level.size());
    }
    constexpr std::array<std::string_view, 5> kBeforeTheLog = {"Poco::Exception", "DB::Exception", "std::exception",
                                                               "Code: ", "Processing configuration file"};
    for (const std::string_view begin : kBeforeTheLog) {
        if (line.starts_with(begin) && line.find("xception") != std::string_view::npos)
            return line;
    }
    return {};
}

} // namespace

const ServerRecipe& clickhouseRecipe()
{
    static const ClickhouseRecipe kRecipe({
        .product = "clickhouse",
        .driver = "clickhouse",
        .alsoCalled = nullptr,
        .programs = {"clickhouse-server"},
        .folders = {"/usr/local/clickhouse/bin", "/opt/clickhouse/bin"},
        .what = "ClickHouse server",
        .remedy = "install ClickHouse's server (the package clickhouse-server of its makers), or unpack its tarball "
                  "and name its folder with managed:clickhouse?basedir=…",
        .remedyInFolder =
            "name the folder that holds clickhouse-server, bin/clickhouse-server or usr/bin/clickhouse-server",
        .needsDriver = true,
        .tcpOnly = true,
    });
    return kRecipe;
}

} // namespace dyno
