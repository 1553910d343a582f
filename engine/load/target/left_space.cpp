// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/target/private_data.h"
#include "server/lifecycle/data_parts.h"
#include "server/lifecycle/data_template.h"
#include "server/lifecycle/private_folder.h"

#include <dyno/runner.h>
#include <dyno/servers.h>

namespace dyno {

namespace {

std::filesystem::path spaceFolder(const std::filesystem::path& workDir)
{
    return workDir.empty() ? dataFolder() : workDir;
}

} // namespace

LeftSpace leftSpace(const std::filesystem::path& workDir)
{
    const std::filesystem::path folder = spaceFolder(workDir);
    LeftSpace space;
    const LeftFiles files = PrivateData::left(folder);
    space.files = files.files;
    space.bytes = files.bytes;
    for (const std::filesystem::path& server : PrivateFolder::stale(sessionServersFolder(folder))) {
        ++space.folders;
        space.bytes += allocatedBytes(server);
    }
    const TemplateSpace templates = templateSpace(folder);
    space.templates = templates.folders;
    space.templateBytes = templates.bytes;
    return space;
}

LeftSpace removeLeftSpace(const std::filesystem::path& workDir)
{
    const std::filesystem::path folder = spaceFolder(workDir);
    LeftSpace removed;
    const LeftFiles files = PrivateData::removeLeft(folder);
    removed.files = files.files;
    removed.bytes = files.bytes;
    for (const std::filesystem::path& server : PrivateFolder::stale(sessionServersFolder(folder))) {
        const std::uint64_t bytes = allocatedBytes(server);
        if (!PrivateFolder::remove(server)) // somebody took it meanwhile, or it cannot be removed
            continue;
        ++removed.folders;
        removed.bytes += bytes;
    }
    const TemplateSpace templates = removeTemplates(folder);
    removed.templates = templates.folders;
    removed.templateBytes = templates.bytes;
    return removed;
}

} // namespace dyno
