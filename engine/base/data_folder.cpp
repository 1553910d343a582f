// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/data_folder.h"

#include "base/private_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace dyno {

namespace fs = std::filesystem;

namespace {

constexpr const char* kMark = "DYNOBENCH";
constexpr const char* kMarkText = "Dynobench made this folder for a benchmark. Do not keep other data in it.\n";

} // namespace

Expected<void> markDataFolder(const fs::path& folder)
{
    if (const auto failed = makeFolders(folder))
        return fail({ErrorKind::Unreachable, fmt::format("cannot make the folder: {}", failed.message()),
                     folder.string(), "check that the folder above it is yours and that the disk is not full"});
    const fs::path mark = folder / kMark;
    std::ofstream file(mark);
    file << kMarkText << std::flush;
    if (!file)
        return fail({ErrorKind::Unreachable, "cannot write into this folder", folder.string(),
                     "check its rights and that the disk is not full"});
    makePrivateFile(mark);
    return {};
}

bool isOurDataFolder(const fs::path& folder)
{
    std::error_code ignored;
    return fs::is_regular_file(fs::symlink_status(folder / kMark, ignored));
}

void emptyDataFolder(const fs::path& folder)
{
    std::error_code ignored;
    if (!isOurDataFolder(folder))
        return;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        if (entry.path().filename() != kMark)
            fs::remove_all(entry.path(), ignored);
    }
    fs::remove(folder / kMark, ignored); // the last: what could not be removed is still ours
}

FileLook::State lookAtDataFolder(const fs::path& folder)
{
    using State = FileLook::State;
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    if (status.type() == fs::file_type::not_found)
        return State::Missing;
    if (!fs::is_directory(status))
        return State::Unknown;
    if (isOurDataFolder(folder))
        return State::Known;
    const bool empty = fs::is_empty(folder, error);
    if (error)
        return State::Unknown;
    return empty ? State::Missing : State::Others;
}

bool holdsData(const fs::path& place, bool folder)
{
    std::error_code error;
    if (!folder || !fs::is_directory(place, error))
        return fs::exists(place, error);
    auto entry = fs::directory_iterator(place, error);
    if (error)
        return true; // it cannot be read
    return std::any_of(begin(entry), end(entry),
                       [](const fs::directory_entry& one) { return one.path().filename() != kMark; });
}

const char* nounOf(bool folder)
{
    return folder ? "folder" : "file";
}

} // namespace dyno
