// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace dyno::test {

//! All bytes of a file, read at once: byte by byte takes minutes under a sanitizer. "" of a folder, and of what is not
//! there.
inline std::string contentOf(const std::filesystem::path& file)
{
    std::error_code none;
    std::string content(std::filesystem::is_regular_file(file, none) ? std::filesystem::file_size(file) : 0, '\0');
    std::ifstream(file, std::ios::binary).read(content.data(), static_cast<std::streamsize>(content.size()));
    return content;
}

} // namespace dyno::test
