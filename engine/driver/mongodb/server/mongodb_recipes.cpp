// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/mongodb/server/mongodb_recipes.h"

#include "driver/mongodb/server/mongo_server.h"

#include <fmt/format.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

//! What both products have in common.
class MongoRecipe : public ServerRecipe
{
public:
    using ServerRecipe::ServerRecipe;
    void lookAround(ServerBinaries& found) const override;
    std::unique_ptr<ServerInFolder> make(ServerPlace place) const override { return makeMongoServer(std::move(place)); }
    Expected<void> canStart(const ServerBinaries& server, const Settings& wanted, bool tcp) const override
    {
        return mongoCanStart(server, wanted, tcp);
    }
    void preflight(const ServerBinaries* server, const PreflightNeeds& needs, const Settings& connection,
                   PreflightList& list) const override
    {
        if (server)
            mongoPreflight(*server, needs, connection, list);
    }
};

class MongodbRecipe final : public MongoRecipe
{
public:
    using MongoRecipe::MongoRecipe;
    bool readVersion(std::string_view output, ServerBinaries& read) const override;
    std::vector<std::string> marks(const fs::path& folder) const override
    {
        return {"--config", (folder / "server.cnf").string()};
    }
    std::string_view errorIn(std::string_view line) const override;
    DataFile fileOf(const fs::path& below, const std::string& ours) const override { return mongodbFile(below, ours); }
};

class FerretdbRecipe final : public MongoRecipe
{
public:
    using MongoRecipe::MongoRecipe;
    bool readVersion(std::string_view output, ServerBinaries& read) const override;
    std::string unusable(const ServerBinaries& found) const override;
    std::vector<std::string> marks(const fs::path& folder) const override // it has no option file
    {
        return {"--state-dir=" + (folder / "state").string()};
    }
    std::string_view errorIn(std::string_view line) const override;
    DataFile fileOf(const fs::path& below, const std::string& ours) const override
    {
        return ferretdbFile(below.filename().string(), ours);
    }
};

//! What stands behind `name` up to the end of its line or `end`.
std::string_view wordBehind(std::string_view text, std::string_view name, char end = '\n')
{
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos)
        return {};
    text.remove_prefix(at + name.size());
    return text.substr(0, text.find_first_of(std::string{'\n', end}));
}

void MongoRecipe::lookAround(ServerBinaries& found) const
{
    const fs::path here = found.server.parent_path();
    if (here != "/usr/bin" && here != "/bin" && here != "/usr/local/bin")
        found.basedir = here.filename() == "bin" ? here.parent_path() : here;
}

//! db version v7.0.14, and a JSON text with "modules": ["enterprise"] and "environment": {"distmod": …}.
bool MongodbRecipe::readVersion(std::string_view output, ServerBinaries& read) const
{
    if (!output.starts_with("db version v"))
        return false;
    const std::string_view version = wordBehind(output, "db version v");
    if (serverVersionOf(version) == ServerVersion())
        return false;
    read.version = version;
    // Percona counts its own releases behind a dash: 7.0.14-8.
    const bool percona = version.find('-') != std::string_view::npos && output.find("psmdb") != std::string_view::npos;
    read.name = percona ? "Percona Server for MongoDB" : "MongoDB";
    const std::string_view machine = wordBehind(output, "\"distarch\": \"", '"');
    const std::string_view made = wordBehind(output, "\"distmod\": \"", '"');
    const bool enterprise = output.find("\"enterprise\"") != std::string_view::npos;
    read.build = fmt::format("{}{}{}{}", enterprise ? "Enterprise, " : "", made, made.empty() ? "" : " on ", machine);
    return true;
}

//! A JSON text a line, with the severity E or F; of its options, plain text.
std::string_view MongodbRecipe::errorIn(std::string_view line) const
{
    const bool error = line.find("\"s\":\"E\"") != std::string_view::npos ||
                       line.find("\"s\":\"F\"") != std::string_view::npos || line.starts_with("Error parsing") ||
                       line.starts_with("Unrecognized option");
    return error ? line : std::string_view();
}

//! "version: v1.24.0" and more lines of that kind.
bool FerretdbRecipe::readVersion(std::string_view output, ServerBinaries& read) const
{
    if (!output.starts_with("version: v"))
        return false;
    const std::string_view version = wordBehind(output, "version: v");
    if (serverVersionOf(version) == ServerVersion())
        return false;
    read.name = "FerretDB";
    read.version = version;
    const std::string_view package = wordBehind(output, "package: ");
    read.build = package.empty() || package == "unknown" ? "" : fmt::format("package {}", package);
    if (output.find("debugBuild: true") != std::string_view::npos)
        read.build += read.build.empty() ? "debug build" : ", debug build";
    return true;
}

std::string FerretdbRecipe::unusable(const ServerBinaries& found) const
{
    if (found.atLeast({2, 0, 0}))
        return "which needs a PostgreSQL server with DocumentDB: start it yourself and name it with mongodb://…";
    return {};
}

//! Time, level, place and text between tabs ("ERROR+3" is fatal); its command line's own errors.
std::string_view FerretdbRecipe::errorIn(std::string_view line) const
{
    if (const std::size_t at = line.find("\tERROR"); at != std::string_view::npos)
        return line.substr(at + 1);
    if (line.starts_with("ferretdb: error: "))
        return line.substr(line.find("error: ") + 7);
    return {};
}

} // namespace

const ServerRecipe& mongodbRecipe()
{
    static const MongodbRecipe kRecipe({
        .product = "mongodb",
        .driver = "mongodb",
        .alsoCalled = nullptr,
        .programs = {"mongod"},
        .folders = {"/usr/local/mongodb/bin", "/opt/mongodb/bin"},
        .what = "MongoDB server",
        .remedy = "install MongoDB's server (mongodb-org-server of MongoDB's own packages), or unpack its tarball and "
                  "name its folder with managed:mongodb?basedir=…",
        .remedyInFolder = "name the folder that holds mongod, bin/mongod or usr/bin/mongod",
        .needsDriver = false,
    });
    return kRecipe;
}

const ServerRecipe& ferretdbRecipe()
{
    static const FerretdbRecipe kRecipe({
        .product = "ferretdb",
        .driver = "mongodb",
        .alsoCalled = nullptr,
        .programs = {"ferretdb"},
        .folders = {"/opt/ferretdb"},
        .what = "FerretDB 1 server",
        .remedy = "install FerretDB 1.24 (its package ferretdb), or name the folder of the program with "
                  "managed:ferretdb?basedir=…",
        .remedyInFolder = "name the folder that holds ferretdb, bin/ferretdb or usr/bin/ferretdb",
        .needsDriver = false,
    });
    return kRecipe;
}

} // namespace dyno
