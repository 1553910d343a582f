// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/own_files.h"

#include "base/private_files.h"
#include "server/lifecycle/private_folder.h"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <iterator>

namespace dyno {

namespace fs = std::filesystem;

Error ownFileError(const fs::path& file, const std::string& what, std::string remedy)
{
    return {ErrorKind::Storage, what, file.string(), std::move(remedy)};
}

Expected<std::string> ownText(const fs::path& file, const OwnFileKind& kind)
{
    constexpr std::uintmax_t kMostBytes = 4U << 20U; // they are a few KiB
    std::error_code error;
    if (!fs::is_regular_file(file, error)) // nor a pipe, which would never end
        return fail(ownFileError(file, "there is no such file"));
    if (fs::file_size(file, error) > kMostBytes)
        return fail(ownFileError(file, fmt::format("the file is too large for a {}", kind.what), kind.choose));
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in)
        return fail(ownFileError(file, "the file cannot be read", "check its permissions"));
    return text;
}

Expected<void> writeOwnText(const fs::path& file, std::string_view text)
{
    if (const std::error_code error = makePrivateFolder(file.parent_path()))
        return fail(ownFileError(file.parent_path(), "the folder cannot be made: " + error.message()));
    return replaceFile(file, text);
}

std::string ownName(std::string_view text, std::string_view otherwise)
{
    constexpr std::size_t kMostLength = 48;
    std::string name;
    for (const char c : text) {
        if (name.size() >= kMostLength)
            break;
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            name += c;
        else if (c >= 'A' && c <= 'Z')
            name += char(c - 'A' + 'a');
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    while (!name.empty() && name.back() == '-')
        name.pop_back();
    return name.empty() ? std::string(otherwise) : name;
}

} // namespace dyno
