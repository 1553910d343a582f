// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/lifecycle/data_swap.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

namespace dyno {

namespace fs = std::filesystem;

namespace {

Error swapError(const fs::path& path, const char* what, const std::error_code& why)
{
    return {ErrorKind::Storage, fmt::format("{}: {}; the data are kept", what, why.message()), path.string(),
            "check that the folder is yours and that the disk is not full, then start again"};
}

//! Whatever it is; an error (not "there is none") is told.
Expected<bool> presenceOf(const fs::path& path)
{
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path, error);
    if (status.type() == fs::file_type::not_found)
        return false;
    if (error)
        return fail(swapError(path, "cannot look at it", error));
    return true;
}

//! Names on the disk, also after the machine's crash. What cannot be synced (some file systems) is left to the kernel.
void syncFolder(const fs::path& folder, bool withContent)
{
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    static_cast<void>(withContent ? ::syncfs(fd) : ::fsync(fd));
    ::close(fd);
}

Expected<void> renameTo(const fs::path& from, const fs::path& to)
{
    std::error_code error;
    fs::rename(from, to, error);
    if (error)
        return fail(swapError(from, "cannot rename it", error));
    syncFolder(to.parent_path(), false);
    return {};
}

} // namespace

bool mayHoldData(const fs::path& folder)
{
    for (const char* name : {kDataFolder, kDataBack, kDataOld}) {
        if (const auto there = presenceOf(folder / name); !there || *there)
            return true;
    }
    return false;
}

Expected<bool> recoverData(const fs::path& folder)
{
    auto data = presenceOf(folder / kDataFolder);
    // The new one is whole when the old one has got out of its way; the old one is until the new one is in place.
    for (const char* whole : {kDataBack, kDataOld}) {
        if (!data)
            return data;
        if (*data)
            break;
        const auto there = presenceOf(folder / whole);
        if (!there)
            return there;
        if (!*there)
            continue;
        if (auto renamed = renameTo(folder / whole, folder / kDataFolder); !renamed)
            return fail(std::move(renamed.error()));
        data = true;
    }
    if (!*data)
        return false;
    std::error_code ignored; // only room is lost
    for (const char* left : {kDataBack, kDataOld})
        fs::remove_all(folder / left, ignored);
    return true;
}

Expected<void> swapData(const fs::path& folder, const std::function<Expected<void>(const fs::path& into)>& fill,
                        const std::function<void(SwapStep)>& onStep)
{
    const auto done = [&onStep](SwapStep step) {
        if (onStep)
            onStep(step);
    };
    const auto there = recoverData(folder);
    if (!there)
        return fail(there.error());
    if (!*there)
        return fail({ErrorKind::Failed, "there are no data to replace", folder.string(), {}});
    const fs::path data = folder / kDataFolder, back = folder / kDataBack, old = folder / kDataOld;
    std::error_code ignored;
    if (auto filled = fill(back); !filled) {
        fs::remove_all(back, ignored);
        return filled;
    }
    syncFolder(back, true); // before it is the only one
    done(SwapStep::Filled);
    if (auto aside = renameTo(data, old); !aside) {
        fs::remove_all(back, ignored);
        return aside;
    }
    done(SwapStep::OldAside);
    if (auto inPlace = renameTo(back, data); !inPlace) {
        static_cast<void>(renameTo(old, data)); // else the next start finds one of them
        return inPlace;
    }
    done(SwapStep::InPlace);
    fs::remove_all(old, ignored); // what stays is removed at the next start
    done(SwapStep::Removed);
    return {};
}

} // namespace dyno
