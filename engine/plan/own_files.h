// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Small text files of this person's own in a folder beside the library. Any thread but the window's.
#pragma once

#include <dyno/error.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace dyno {

struct OwnFileKind
{
    const char* what;   //!< "recipe"
    const char* choose; //!< what to do where a file is too large for one
};

[[nodiscard]] Error ownFileError(const std::filesystem::path& file, const std::string& what, std::string remedy = {});
//! Of a regular file of at most 4 MiB.
[[nodiscard]] Expected<std::string> ownText(const std::filesystem::path& file, const OwnFileKind& kind);
//! All or nothing, for its owner only; makes the folder.
[[nodiscard]] Expected<void> writeOwnText(const std::filesystem::path& file, std::string_view text);
//! "Flush on NVMe" → "flush-on-nvme", for the name of a file; `otherwise` for a text without such letters.
[[nodiscard]] std::string ownName(std::string_view text, std::string_view otherwise);

} // namespace dyno
