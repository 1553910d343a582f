// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Several files that belong together.
#pragma once

#include <dyno/error.h>

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

namespace dyno {

//! Files that get their names together, when all of them are written: what fails before leaves nothing, and older files
//! as they were.
class FileSet
{
public:
    FileSet() = default;
    ~FileSet(); //!< drafts that got no name are removed
    FileSet(const FileSet&) = delete;
    FileSet& operator=(const FileSet&) = delete;

    [[nodiscard]] Expected<void> add(const std::filesystem::path& file, std::string_view text);
    [[nodiscard]] Expected<std::vector<std::filesystem::path>> finish(); //!< in the order they were added

private:
    std::vector<std::pair<std::filesystem::path, std::filesystem::path>> m_drafts; //!< and the file that each becomes
};

} // namespace dyno
