// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/server_binaries.h"

#include "server/child_process.h"
#include "server/server_options.h"

#include <dyno/runner.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <unistd.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

//! A kind of server that can be started here.
struct Kind
{
    ServerFamily family;
    const char* product;
    const char* driver;
    const char* what;     //!< for messages
    const char* programs; //!< likewise
    const char* remedy;   //!< when none is found
};
constexpr std::array<Kind, 4> kKinds = {{
    {ServerFamily::Mariadb, "mariadb", "mysql", "MariaDB server", "mariadbd, mysqld",
     "install MariaDB's server (Debian and Ubuntu: apt install mariadb-server-core), or name its folder with "
     "managed:mariadb?basedir=…"},
    {ServerFamily::Mysql, "mysql", "mysql", "MySQL server", "mysqld",
     "unpack MySQL's tarball and name its folder with managed:mysql?basedir=…, or install mysql-server"},
    {ServerFamily::Mongodb, "mongodb", "mongodb", "MongoDB server", "mongod",
     "install MongoDB's server (mongodb-org-server of MongoDB's own packages), or unpack its tarball and name its "
     "folder with managed:mongodb?basedir=…"},
    {ServerFamily::Ferretdb, "ferretdb", "mongodb", "FerretDB 1 server", "ferretdb",
     "install FerretDB 1.24 (its package ferretdb), or name the folder of the program with managed:ferretdb?basedir=…"},
}};

constexpr std::array<const char*, 4> kServerNames = {"mariadbd", "mysqld", "mongod", "ferretdb"};
constexpr std::array<const char*, 2> kInstallerNames = {"mariadb-install-db", "mysql_install_db"};
//! Where a server lies below its folder: as installed, in Oracle's tarballs, at the top, and in an unpacked package.
constexpr std::array<const char*, 7> kBelow = {"bin", "sbin", "libexec", "", "usr/sbin", "usr/bin", "server"};

bool isProgram(const fs::path& path)
{
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

bool isThere(const fs::path& path)
{
    std::error_code ignored;
    return fs::exists(path, ignored);
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
    // Servers lie where an ordinary user's path does not lead.
    for (const char* folder :
         {"/usr/sbin", "/usr/bin", "/usr/libexec", "/usr/local/sbin", "/usr/local/bin", "/usr/local/libexec",
          "/usr/local/mysql/bin", "/usr/local/mariadb/bin", "/opt/mariadb/bin", "/opt/mysql/bin",
          "/usr/local/mongodb/bin", "/opt/mongodb/bin", "/opt/ferretdb"})
        folders.emplace_back(folder);
    return folders;
}

std::vector<fs::path> foldersBelow(const fs::path& basedir)
{
    std::vector<fs::path> folders;
    for (const char* below : kBelow)
        folders.push_back(*below ? basedir / below : basedir);
    return folders;
}

fs::path firstThat(const std::vector<fs::path>& candidates, bool (*fits)(const fs::path&))
{
    const auto found = std::find_if(candidates.begin(), candidates.end(), fits);
    return found == candidates.end() ? fs::path() : *found;
}

const Kind& kindOf(ServerFamily family)
{
    return *std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& kind) { return kind.family == family; });
}

const Kind* kindOf(std::string_view product)
{
    const auto kind =
        std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& one) { return one.product == product; });
    return kind == kKinds.end() ? nullptr : &*kind;
}

//! The output of `program --version`; with its own libraries when it does not run without them (`libraries` says so).
std::string versionOutput(const fs::path& program, fs::path& libraries)
{
    std::vector<std::string> command = {program.string(), "--version"};
    const std::string name = program.filename().string();
    if (name == "mariadbd" || name == "mysqld")
        command.insert(command.begin() + 1, "--no-defaults");
    constexpr std::chrono::seconds kPatience(20);
    const auto output = runCommand(command, kPatience);
    if (output)
        return *output;
    if (output.error().message.find("shared librar") == std::string::npos)
        return {};
    const fs::path here = program.parent_path();
    for (const fs::path& folder :
         {here, here.parent_path() / "lib", here.parent_path() / "lib" / "private", here / "lib"}) {
        const auto again = runCommand(command, kPatience, {"LD_LIBRARY_PATH=" + folder.string()});
        if (again) {
            libraries = folder;
            return *again;
        }
    }
    return {};
}

//! Fills in what lies beside a program of the MySQL family.
void lookAround(ServerBinaries& found)
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

//! The server at `program`, or nothing when it does not say that it is one.
std::optional<ServerBinaries> inspect(const fs::path& program, const fs::path& folder)
{
    fs::path libraries;
    ServerBinaries found = readVersionLine(versionOutput(program, libraries));
    if (found.version.empty())
        return {};
    found.server = program;
    found.folder = folder;
    found.libraries = libraries;
    const fs::path here = program.parent_path();
    if (std::string_view(found.driver()) == "mysql")
        lookAround(found);
    else if (here != "/usr/bin" && here != "/bin" && here != "/usr/local/bin")
        found.basedir = here.filename() == "bin" ? here.parent_path() : here;
    if (found.folder.empty() && !found.basedir.empty())
        found.folder = found.basedir;
    return found;
}

//! Why it cannot be used; "" when it can.
std::string unusable(const ServerBinaries& found)
{
    if (found.family == ServerFamily::Mariadb && found.installer.empty())
        return "without mariadb-install-db";
    if (found.family == ServerFamily::Mysql && !found.atLeast({5, 7, 6}) && found.installer.empty() &&
        found.shippedData.empty())
        return "without mysql_install_db";
    if (found.family == ServerFamily::Ferretdb && found.atLeast({2, 0, 0}))
        return "which needs a PostgreSQL server with DocumentDB: start it yourself and name it with mongodb://…";
    return {};
}

//! What stands behind `name` up to the end of its line or `end`.
std::string_view wordBehind(std::string_view text, std::string_view name, char end = '\n')
{
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos)
        return {};
    text.remove_prefix(at + name.size());
    return text.substr(0, text.find_first_of(std::string {'\n', end}));
}

//! db version v7.0.14, and a JSON text with "modules": ["enterprise"] and "environment": {"distmod": …}.
ServerBinaries readMongodVersion(std::string_view output)
{
    ServerBinaries read;
    const std::string_view version = wordBehind(output, "db version v");
    if (serverVersionOf(version) == ServerVersion())
        return read;
    read.family = ServerFamily::Mongodb;
    read.version = version;
    // Percona counts its own releases behind a dash: 7.0.14-8.
    const bool percona = version.find('-') != std::string_view::npos && output.find("psmdb") != std::string_view::npos;
    read.name = percona ? "Percona Server for MongoDB" : "MongoDB";
    const std::string_view machine = wordBehind(output, "\"distarch\": \"", '"');
    const std::string_view made = wordBehind(output, "\"distmod\": \"", '"');
    const bool enterprise = output.find("\"enterprise\"") != std::string_view::npos;
    read.build = fmt::format("{}{}{}{}", enterprise ? "Enterprise, " : "", made, made.empty() ? "" : " on ", machine);
    return read;
}

//! "version: v1.24.0" and more lines of that kind.
ServerBinaries readFerretdbVersion(std::string_view output)
{
    ServerBinaries read;
    const std::string_view version = wordBehind(output, "version: v");
    if (serverVersionOf(version) == ServerVersion())
        return read;
    read.family = ServerFamily::Ferretdb;
    read.name = "FerretDB";
    read.version = version;
    const std::string_view package = wordBehind(output, "package: ");
    read.build = package.empty() || package == "unknown" ? "" : fmt::format("package {}", package);
    if (output.find("debugBuild: true") != std::string_view::npos)
        read.build += read.build.empty() ? "debug build" : ", debug build";
    return read;
}

struct Hit
{
    fs::path program;
    std::optional<ServerBinaries> binaries;
};

//! All programs with a server's name in these folders, in order, each file once.
template<class Visit>
void eachServer(const std::vector<fs::path>& folders, const fs::path& basedir, Visit visit)
{
    std::vector<fs::path> seen;
    for (const fs::path& folder : folders) {
        for (const char* name : kServerNames) {
            const fs::path program = folder / name;
            std::error_code ignored;
            const fs::path real = fs::canonical(program, ignored);
            if (!isProgram(program) || std::find(seen.begin(), seen.end(), real) != seen.end())
                continue;
            seen.push_back(real);
            if (!visit(Hit{program, inspect(program, basedir)}))
                return;
        }
    }
}

std::string remedyFor(const ServerWish& wish, const Kind& kind)
{
    if (wish.basedir.empty())
        return kind.remedy;
    if (kind.driver == std::string_view("mongodb"))
        return fmt::format("name the folder that holds {0}, bin/{0} or usr/bin/{0}", kind.programs);
    return "name the folder that holds bin/mysqld, sbin/mysqld, libexec/mysqld or mysqld itself (or mariadbd)";
}

//! A folder itself, and those in it: that is where people unpack tarballs.
std::vector<fs::path> unpackedBelow(const fs::path& root)
{
    std::vector<fs::path> candidates = {root};
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(root, error)) {
        if (entry.is_directory(error))
            candidates.push_back(entry.path());
    }
    std::sort(candidates.begin() + 1, candidates.end());
    return candidates;
}

Error notFound(const ServerWish& wish, const std::vector<std::string>& others)
{
    const std::string where =
        wish.basedir.empty()
            ? std::string("the path, the usual places and unpacked in " + (dataFolder() / "servers").string())
            : wish.basedir.string();
    const Kind* known = kindOf(wish.product);
    const Kind& kind = known ? *known : kKinds.front();
    std::string message = fmt::format("found no {}{}{} ({}) in {}", kind.what, wish.version.empty() ? "" : " ",
                                      wish.version, kind.programs, where);
    std::error_code ignored;
    if (!wish.basedir.empty() && !fs::is_directory(wish.basedir, ignored))
        message += isThere(wish.basedir) ? ", which is not a folder" : ", which is not there";
    else if (!others.empty())
        message += fmt::format(", only {}", fmt::join(others, ", "));
    else if (!wish.basedir.empty())
        message += " nor below it in bin, sbin, libexec, usr/sbin";
    return {ErrorKind::Unreachable, std::move(message), {}, remedyFor(wish, kind)};
}

} // namespace

ServerVersion serverVersionOf(std::string_view text)
{
    ServerVersion version;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (int* part : {&version.major, &version.minor, &version.patch}) {
        const auto [next, error] = std::from_chars(at, end, *part);
        if (error != std::errc() || next == end || *next != '.')
            break;
        at = next + 1;
    }
    return version;
}

std::vector<std::string> managedProducts()
{
    std::vector<std::string> products;
    for (const Kind& kind : kKinds)
        products.emplace_back(kind.product);
    return products;
}

const char* ServerBinaries::product() const
{
    return kindOf(family).product;
}

const char* ServerBinaries::driver() const
{
    return kindOf(family).driver;
}

std::vector<std::string> ServerBinaries::environment() const
{
    if (libraries.empty())
        return {};
    return {"LD_LIBRARY_PATH=" + libraries.string()};
}

std::string ServerBinaries::uri() const
{
    TargetUri made;
    made.kind = TargetKind::Managed;
    made.scheme = "managed";
    made.product = product();
    if (!folder.empty())
        made.query["basedir"] = folder.string();
    return made.display();
}

fs::path ServerBinaries::pluginFolder() const
{
    if (!plugins.empty())
        return plugins;
    const auto options = optionsOf(*this);
    if (!options)
        return {};
    const auto found = (*options)->find("plugin_dir");
    return found == (*options)->end() ? fs::path() : fs::path(found->second);
}

ServerWish wishOf(const TargetUri& uri)
{
    ServerWish wish;
    wish.product = uri.product;
    if (const auto basedir = uri.query.find("basedir"); basedir != uri.query.end())
        wish.basedir = basedir->second;
    if (const auto version = uri.query.find("version"); version != uri.query.end())
        wish.version = version->second;
    return wish;
}

ServerBinaries readVersionLine(std::string_view output)
{
    if (output.starts_with("db version v"))
        return readMongodVersion(output);
    if (output.starts_with("version: v"))
        return readFerretdbVersion(output);
    // mysqld  Ver 8.0.31 for Linux on x86_64 (MySQL Community Server - GPL)
    ServerBinaries read;
    constexpr std::string_view kBefore = "Ver ";
    const std::size_t at = output.find(kBefore);
    if (at == std::string_view::npos)
        return read;
    std::string_view line = output.substr(at + kBefore.size());
    line = line.substr(0, line.find('\n'));
    const std::string_view version = line.substr(0, line.find(' '));
    if (serverVersionOf(version) == ServerVersion())
        return read;
    read.version = version;
    line.remove_prefix(version.size());
    if (line.starts_with(" for "))
        line.remove_prefix(5);
    read.build = line;
    if (version.find("MariaDB") != std::string_view::npos) {
        read.name = "MariaDB";
        return read;
    }
    read.family = ServerFamily::Mysql;
    read.name = line.find("Percona") != std::string_view::npos ? "Percona Server" : "MySQL";
    return read;
}

bool versionFits(std::string_view version, std::string_view wanted)
{
    if (!version.starts_with(wanted))
        return false;
    const std::string_view rest = version.substr(wanted.size());
    return wanted.empty() || rest.empty() || rest.front() < '0' || rest.front() > '9' || wanted.back() == '.';
}

Expected<ServerBinaries> findServer(const ServerWish& wish)
{
    std::optional<ServerBinaries> best;
    std::vector<std::string> others;
    std::error_code ignored;
    // A server works in its data folder: what it is told must not depend on ours.
    const fs::path basedir = wish.basedir.empty() ? fs::path() : fs::absolute(wish.basedir, ignored).lexically_normal();
    const auto look = [&](const Hit& hit) {
        const std::string fault = hit.binaries ? unusable(*hit.binaries) : std::string();
        if (hit.binaries && hit.binaries->product() == wish.product && fault.empty() &&
            versionFits(hit.binaries->version, wish.version)) {
            best = *hit.binaries;
            return false;
        }
        others.push_back(fmt::format("{} ({}{}{})", hit.program.string(),
                                     hit.binaries ? hit.binaries->name + " " + hit.binaries->version
                                                  : "it does not say that it is a server",
                                     fault.empty() ? "" : " ", fault));
        return true;
    };
    eachServer(basedir.empty() ? usualFolders() : foldersBelow(basedir), basedir, look);
    if (basedir.empty() && !best) {
        for (const fs::path& unpacked : unpackedBelow(dataFolder() / "servers")) {
            if (!best)
                eachServer(foldersBelow(unpacked), unpacked, look);
        }
    }
    if (best)
        return *std::move(best);
    return fail(notFound(wish, others));
}

std::vector<ServerProgram> installedServers(const std::vector<fs::path>& folders)
{
    std::vector<ServerProgram> servers;
    std::vector<std::string> products; // whose first one is what managed:PRODUCT alone means
    std::vector<fs::path> seen;
    const auto add = [&](const Hit& hit, bool usual) {
        std::error_code ignored;
        const fs::path real = fs::canonical(hit.program, ignored);
        if (!hit.binaries || !unusable(*hit.binaries).empty() ||
            std::find(seen.begin(), seen.end(), real) != seen.end())
            return true;
        seen.push_back(real);
        const ServerBinaries& found = *hit.binaries;
        ServerProgram server{found.product(), found.name,   found.version, found.build,
                             found.server,    found.folder, found.uri()};
        const bool first = std::find(products.begin(), products.end(), server.product) == products.end();
        if (usual && first) {
            products.push_back(server.product);
            server.uri = "managed:" + server.product;
        }
        servers.push_back(std::move(server));
        return true;
    };
    eachServer(usualFolders(), {}, [&](const Hit& hit) { return add(hit, true); });
    std::vector<fs::path> roots = folders;
    roots.push_back(dataFolder() / "servers");
    for (const fs::path& root : roots) {
        for (const fs::path& candidate : unpackedBelow(root))
            eachServer(foldersBelow(candidate), candidate, [&](const Hit& hit) { return add(hit, false); });
    }
    return servers;
}

} // namespace dyno
