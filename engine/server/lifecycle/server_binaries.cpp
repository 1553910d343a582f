// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/lifecycle/server_binaries.h"

#include "server/lifecycle/child_process.h"
#include "server/lifecycle/server_recipe.h"

#include <dyno/managed_transport.h>
#include <dyno/runner.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <optional>
#include <unistd.h>

namespace dyno {

namespace fs = std::filesystem;

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

fs::path firstThat(const std::vector<fs::path>& candidates, bool (*fits)(const fs::path&))
{
    const auto found = std::find_if(candidates.begin(), candidates.end(), fits);
    return found == candidates.end() ? fs::path() : *found;
}

std::vector<fs::path> programFolders()
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
         {"/usr/sbin", "/usr/bin", "/usr/libexec", "/usr/local/sbin", "/usr/local/bin", "/usr/local/libexec"})
        folders.emplace_back(folder);
    return folders;
}

namespace {

//! Where a server lies below its folder: as installed, in Oracle's tarballs, at the top, and in an unpacked package.
constexpr std::array<const char*, 7> kBelow = {"bin", "sbin", "libexec", "", "usr/sbin", "usr/bin", "server"};

std::vector<fs::path> usualFolders()
{
    std::vector<fs::path> folders = programFolders(); // servers lie where an ordinary user's path does not lead
    for (const ServerRecipe* recipe : serverRecipes()) {
        for (const char* folder : recipe->names().folders)
            folders.emplace_back(folder);
        std::ranges::copy(recipe->foldersBelow("/"), std::back_inserter(folders));
    }
    return folders;
}

std::vector<fs::path> foldersBelow(const fs::path& basedir)
{
    std::vector<fs::path> folders;
    for (const char* below : kBelow)
        folders.push_back(*below ? basedir / below : basedir);
    for (const ServerRecipe* recipe : serverRecipes())
        std::ranges::copy(recipe->foldersBelow(basedir), std::back_inserter(folders));
    return folders;
}

//! Names of programs, each with what says how its version is had.
struct ProgramName
{
    std::string_view name;
    const ServerRecipe* recipe; //!< the first that has it
};
const std::vector<ProgramName>& programNames()
{
    static const std::vector<ProgramName> kNames = [] {
        std::vector<ProgramName> names;
        for (const ServerRecipe* recipe : serverRecipes()) {
            for (const std::string_view name : recipe->names().programs) {
                if (std::ranges::find(names, name, &ProgramName::name) == names.end())
                    names.push_back({name, recipe});
            }
        }
        return names;
    }();
    return kNames;
}

//! What `program` prints as its version; with its own libraries when it does not run without them (`libraries` says
//! so).
std::string versionOutput(const fs::path& program, const ProgramName& name, fs::path& libraries)
{
    std::vector<std::string> command = {program.string()};
    std::ranges::copy(name.recipe->versionArguments(), std::back_inserter(command));
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

//! The server at `program`, or nothing when it does not say that it is one.
std::optional<ServerBinaries> inspect(const fs::path& program, const ProgramName& name, const fs::path& folder)
{
    fs::path libraries;
    ServerBinaries found = readVersionLine(versionOutput(program, name, libraries));
    if (!found.recipe)
        found = readVersionLine(name.recipe->versionOtherwise(program));
    if (!found.recipe)
        return {};
    found.server = program;
    found.folder = folder;
    found.libraries = libraries;
    found.recipe->lookAround(found);
    if (found.folder.empty() && !found.basedir.empty())
        found.folder = found.basedir;
    return found;
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
        for (const ProgramName& name : programNames()) {
            const fs::path program = folder / name.name;
            std::error_code ignored;
            const fs::path real = fs::canonical(program, ignored);
            if (!isProgram(program) || std::find(seen.begin(), seen.end(), real) != seen.end())
                continue;
            seen.push_back(real);
            if (!visit(Hit{program, inspect(program, name, basedir)}))
                return;
        }
    }
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
    const ServerRecipe* known = recipeFor(wish.product);
    const ServerNames& names = (known ? known : serverRecipes().front())->names();
    std::string message = fmt::format("found no {}{}{} ({}) in {}", names.what, wish.version.empty() ? "" : " ",
                                      wish.version, fmt::join(names.programs, ", "), where);
    std::error_code ignored;
    if (!wish.basedir.empty() && !fs::is_directory(wish.basedir, ignored))
        message += isThere(wish.basedir) ? ", which is not a folder" : ", which is not there";
    else if (!others.empty())
        message += fmt::format(", only {}", fmt::join(others, ", "));
    else if (!wish.basedir.empty())
        message += " nor below it in bin, sbin, libexec, usr/sbin";
    return {ErrorKind::Unreachable, std::move(message), {}, wish.basedir.empty() ? names.remedy : names.remedyInFolder};
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
    for (const ServerRecipe* recipe : serverRecipes())
        products.emplace_back(recipe->names().product);
    return products;
}

const char* ServerBinaries::product() const
{
    return recipe ? recipe->names().product : "";
}

const char* ServerBinaries::driver() const
{
    return recipe ? recipe->names().driver : "";
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
    return recipe ? recipe->pluginFolder(*this) : fs::path();
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

bool listensOnTcp(const TargetUri& uri)
{
    const auto transport = uri.query.find("transport");
    const ServerRecipe* recipe = recipeFor(uri.product);
    return (transport != uri.query.end() && transport->second == "tcp") || (recipe && recipe->names().tcpOnly);
}

ServerBinaries readVersionLine(std::string_view output)
{
    for (const ServerRecipe* recipe : serverRecipes()) {
        ServerBinaries read;
        read.recipe = recipe;
        if (recipe->readVersion(output, read))
            return read;
    }
    return {};
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
        const std::string fault = hit.binaries ? hit.binaries->recipe->unusable(*hit.binaries) : std::string();
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
        if (!hit.binaries || !hit.binaries->recipe->unusable(*hit.binaries).empty() ||
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
