// SPDX-License-Identifier: GPL-3.0-or-later
// Finds what a managed server needs and hands it to the recipe of its product.
#include "server/lifecycle/managed_server.h"

#include "server/lifecycle/data_swap.h"
#include "server/lifecycle/private_folder.h"
#include "server/lifecycle/server_in_folder.h"

#include <dyno/managed_transport.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

std::string queryOf(const TargetUri& uri, std::string_view name)
{
    const auto it = uri.query.find(name);
    return it == uri.query.end() ? std::string() : it->second;
}

//! A named server is opened with what made its data, unless the URI says otherwise.
Expected<ServerBinaries> binariesFor(const TargetUri& uri, const fs::path& namedFolder)
{
    ServerWish wish = wishOf(uri);
    std::error_code ignored;
    const bool there = !namedFolder.empty() && fs::exists(namedFolder / "instance", ignored);
    const FolderFacts facts = there ? readFolderFacts(namedFolder) : FolderFacts();
    if (there && facts.product != uri.product)
        return fail(
            {ErrorKind::Refused,
             fmt::format("the data of \"{}\" was made by {} {}", queryOf(uri, "name"), facts.product, facts.version),
             {},
             fmt::format("write managed:{}?name={}, or use another name", facts.product, queryOf(uri, "name"))});
    if (there && wish.basedir.empty() && wish.version.empty())
        wish.basedir = facts.basedir;
    auto binaries = findServer(wish);
    if (!binaries || !there)
        return binaries;
    const ServerVersion was = serverVersionOf(facts.version), is = serverVersionOf(binaries->version);
    if (!binaries->recipe->takesDataOf(was, is))
        return fail({ErrorKind::Refused,
                     fmt::format("the data of \"{}\" was made by {} {}; found {} in {}", queryOf(uri, "name"),
                                 facts.product, facts.version, binaries->version, binaries->server.string()),
                     {},
                     "name that server's folder with basedir=…, or use another name: data is not upgraded"});
    return binaries;
}

} // namespace

Expected<std::unique_ptr<ManagedServer>> ManagedServer::create(const TargetUri& uri, const fs::path& workDir)
{
    const ServerRecipe* recipe = recipeFor(uri.product);
    if (!recipe)
        return fail({ErrorKind::BadInput, fmt::format("cannot manage a server of the kind \"{}\"", uri.product),
                     uri.display(),
                     fmt::format("managed: takes {}; or start the server yourself and name it with its own URI",
                                 fmt::join(managedProducts(), ", "))});
    if (const auto driver = driverOf(*recipe); !driver && recipe->names().needsDriver) {
        Error error = driver.error();
        error.where = uri.display();
        return fail(std::move(error));
    }
    std::error_code ignored;
    const fs::path absolute = fs::absolute(workDir, ignored);
    const std::string name = queryOf(uri, "name");
    const fs::path namedFolder = name.empty() ? fs::path() : namedServersFolder(absolute) / name;
    auto binaries = binariesFor(uri, namedFolder);
    if (!binaries) {
        Error error = std::move(binaries.error());
        error.where = uri.display();
        return fail(std::move(error));
    }
    auto folder =
        name.empty() ? PrivateFolder::create(absolute, binaries->product()) : PrivateFolder::openNamed(absolute, name);
    if (!folder)
        return fail(std::move(folder.error()));
    // An owner that was killed may have left the data under another name.
    const auto recovered = name.empty() ? Expected<bool>(false) : recoverData(namedFolder);
    if (!recovered)
        return fail(recovered.error());
    const bool there = *recovered;
    ServerPlace place{absolute, std::move(*binaries), std::move(*folder), listensOnTcp(uri)};
    auto server = recipe->make(std::move(place));
    if (there)
        server->adopt(readFolderFacts(namedFolder));
    return server;
}

} // namespace dyno
