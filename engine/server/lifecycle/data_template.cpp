// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/lifecycle/data_template.h"

#include "base/private_files.h"
#include "server/lifecycle/child_process.h"
#include "server/lifecycle/data_parts.h"
#include "server/lifecycle/private_folder.h"
#include "server/lifecycle/server_recipe.h"

#include <fmt/format.h>
#include <functional>
#include <string>
#include <unistd.h>
#include <vector>

namespace dyno {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kUnfinished = "unfinished-";

fs::path templatesFolder(const fs::path& workDir)
{
    return workDir / "templates";
}

Error stoppedInTime(const fs::path& folder)
{
    return {ErrorKind::Interrupted, "the data folder was not made, because somebody asked to stop", folder.string(),
            "the next start makes it"};
}

Expected<void> initialise(const ServerBinaries& server, const Settings& initialisation, const fs::path& folder,
                          const std::function<bool()>& stopped)
{
    const fs::path temporary = folder.string() + "-tmp";
    const auto command = server.recipe->initialiseCommand(server, folder, temporary, initialisation);
    if (command.empty()) {
        if (!initialisation.empty())
            return fail({ErrorKind::Refused,
                         fmt::format("{} {} comes with a ready data folder, which cannot be made with another {}",
                                     server.name, server.version, initialisation.begin()->first),
                         server.server.string(), "leave the knob out for this server, or use a newer one"});
        return copyTree(server.shippedData, folder);
    }
    std::error_code error;
    fs::create_directories(temporary, error);
    fs::path handed;
    if (server.recipe->handsDataOver()) {
        fs::create_directories(folder, error);
        if (auto given = giveFolder(folder, server.recipe->manners().user); !given)
            return given;
        handed = folder;
    }
    // Minutes: initialising writes and flushes some hundred MiB, and the disk may be busy with others.
    auto done = runCommand(command, 300s, server.environment(), Bond::DiesWithUs, Inherit::Needed, stopped, handed,
                           server.recipe->manners());
    fs::remove_all(temporary, error);
    if (!done && done.error().kind == ErrorKind::Interrupted)
        return fail(stoppedInTime(folder));
    if (!done)
        return fail({ErrorKind::Failed, fmt::format("could not make a data folder: {}", done.error().message),
                     command.front(), "check that the disk is not full and that the folder is yours"});
    return {};
}

//! Held while a template is looked for and copied (shared), or while all are removed (alone).
fs::path useLock(const fs::path& templates)
{
    return templates / ".in-use";
}

std::vector<fs::path> templatesIn(const fs::path& templates)
{
    std::vector<fs::path> folders;
    std::error_code error;
    if (fs::is_symlink(templates, error))
        return folders;
    for (auto it = fs::directory_iterator(templates, error); !error && it != fs::directory_iterator();
         it.increment(error)) {
        std::error_code ignored;
        if (it->is_directory(ignored) && !it->is_symlink(ignored))
            folders.push_back(it->path());
    }
    return folders;
}

//! The template, made when it is not there. Under the shared lock.
Expected<fs::path> templateFolder(const fs::path& workDir, const ServerBinaries& server, const Settings& initialisation,
                                  const std::function<bool()>& stopped)
{
    const fs::path templates = templatesFolder(workDir);
    std::error_code error;
    auto lock = FileLock::wait(templates / ".lock", stopped); // another process may be making one
    if (!lock)
        return fail(std::move(lock.error()));
    if (!lock->held())
        return fail(stoppedInTime(templates));
    std::string name = fmt::format("{}-{}-{:08x}", server.product(), server.version,
                                   std::hash<std::string>()(server.server.string()) & 0xffffffffu);
    for (const auto& [knob, value] : initialisation)
        name += fmt::format("-{}={}", knob, toText(value));
    fs::path made = templates / name;
    if (fs::exists(made, error))
        return made;
    // Only the finished one gets the name. The number keeps apart what a killed Dynobench left running for a moment.
    for (const fs::directory_entry& left : fs::directory_iterator(templates, error)) {
        if (left.path().filename().string().starts_with(kUnfinished))
            fs::remove_all(left.path(), error);
    }
    const fs::path fresh = templates / fmt::format("{}{}", kUnfinished, ::getpid());
    if (auto done = initialise(server, initialisation, fresh, stopped); !done) {
        fs::remove_all(fresh, error);
        return fail(std::move(done.error()));
    }
    fs::rename(fresh, made, error);
    if (error)
        return fail({ErrorKind::Storage, fmt::format("cannot rename: {}", error.message()), fresh.string(), {}});
    return made;
}

} // namespace

Expected<void> fillFromTemplate(const fs::path& workDir, const ServerBinaries& server, const Settings& initialisation,
                                const fs::path& folder, const std::function<bool()>& stopped)
{
    const fs::path templates = templatesFolder(workDir);
    if (const auto error = makePrivateFolder(templates))
        return fail(
            {ErrorKind::Storage, fmt::format("cannot make the folder: {}", error.message()), templates.string(), {}});
    auto use = FileLock::share(useLock(templates));
    if (!use)
        return fail(std::move(use.error()));
    auto made = templateFolder(workDir, server, initialisation, stopped);
    if (!made)
        return fail(std::move(made.error()));
    return copyTree(*made, folder);
}

TemplateSpace templateSpace(const fs::path& workDir)
{
    TemplateSpace space;
    for (const fs::path& folder : templatesIn(templatesFolder(workDir))) {
        ++space.folders;
        space.bytes += allocatedBytes(folder);
    }
    return space;
}

TemplateSpace removeTemplates(const fs::path& workDir)
{
    const fs::path templates = templatesFolder(workDir);
    TemplateSpace removed;
    if (templatesIn(templates).empty())
        return removed;
    const auto alone = FileLock::attempt(useLock(templates));
    if (!alone || !alone->held())
        return removed;
    const auto lock = FileLock::wait(templates / ".lock");
    if (!lock)
        return removed;
    for (const fs::path& folder : templatesIn(templates)) {
        const std::uint64_t bytes = allocatedBytes(folder);
        std::error_code error;
        // Half a template must never have the name of a whole one; what stays of this is cleared away by the next
        // start.
        fs::path going = folder;
        if (!folder.filename().string().starts_with(kUnfinished)) {
            going = templates / (kUnfinished + folder.filename().string());
            fs::rename(folder, going, error);
        }
        if (!error)
            fs::remove_all(going, error);
        if (error)
            continue;
        ++removed.folders;
        removed.bytes += bytes;
    }
    return removed;
}

} // namespace dyno
