// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/lifecycle/server_log.h"

#include "server/lifecycle/server_recipe.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <vector>

namespace dyno {

namespace {

constexpr std::uint64_t kMostLogBytes = 256 * 1024;
constexpr std::size_t kShownLines = 12;

std::string part(std::ifstream& in, std::uint64_t at, std::uint64_t size)
{
    std::string text(size, '\0');
    in.seekg(std::streamoff(at));
    in.read(text.data(), std::streamsize(size));
    text.resize(std::size_t(std::max<std::streamsize>(in.gcount(), 0)));
    in.clear();
    return text;
}

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (end > 0)
            lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

bool holds(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

//! The first error that is a cause: later ones ("Aborting") only follow from it.
std::string_view firstError(const ServerRecipe& recipe, const std::vector<std::string_view>& lines)
{
    for (const std::string_view line : lines) {
        if (const std::string_view error = recipe.errorIn(line); !error.empty())
            return error;
    }
    return {};
}

} // namespace

std::uint64_t sizeOfLog(const std::filesystem::path& log)
{
    std::error_code error;
    const auto size = std::filesystem::file_size(log, error);
    return error ? 0 : size;
}

std::string logFrom(const std::filesystem::path& log, std::uint64_t size)
{
    std::ifstream in(log, std::ios::binary);
    const std::uint64_t end = sizeOfLog(log);
    if (!in || end <= size)
        return {};
    const std::uint64_t length = end - size;
    if (length <= kMostLogBytes)
        return part(in, size, length);
    return part(in, size, kMostLogBytes / 2) + fmt::format("\n… {} bytes are left out …\n", length - kMostLogBytes) +
           part(in, end - kMostLogBytes / 2, kMostLogBytes / 2);
}

std::string explainEnd(const ServerRecipe& recipe, const std::string& what, const std::string& log)
{
    const auto lines = linesOf(log);
    const std::string_view error = firstError(recipe, lines);
    std::string text = what;
    if (!error.empty())
        text += fmt::format(": {}", error);
    text += lines.empty() ? "; it wrote nothing to its log" : "; its log ends with:";
    const std::size_t shown = std::min(lines.size(), kShownLines);
    for (std::size_t i = lines.size() - shown; i < lines.size(); ++i)
        text += fmt::format("\n{}", lines[i]);
    return text;
}

bool saysPortTaken(std::string_view log)
{
    return holds(log, "Address already in use") || holds(log, "address already in use") ||
           holds(log, "Do you already have another");
}

std::string remedyForEnd(std::string_view log)
{
    if (holds(log, "No space left on device") || holds(log, "File too large") || holds(log, "errno: 28") ||
        holds(log, "error number 28") || holds(log, "disk is full") || holds(log, "os error 28"))
        return "free disk space, or take a work folder on another disk";
    if (holds(log, "unknown variable") || holds(log, "unknown option") || holds(log, "unknown flag") ||
        holds(log, "Unrecognized option") || holds(log, "Unknown --setParameter") ||
        holds(log, "unrecognized configuration parameter"))
        return "this server does not have that knob: take it out of the plan, or correct its name";
    if (holds(log, "Cannot allocate memory") || holds(log, "out of memory") || holds(log, "Out of memory"))
        return "free memory, or lower the server's cache (innodb_buffer_pool_size, cacheSizeGB, shared_buffers) and "
               "max_connections";
    if (holds(log, "Permission denied"))
        return "check that the folder is yours";
    return "correct the server knob that the log names, or free memory and disk";
}

} // namespace dyno
