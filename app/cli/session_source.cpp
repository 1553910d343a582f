// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/session_source.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace dyno::cli {

Expected<std::unique_ptr<Library>> openLibrary(const std::string& file, Library::Mode mode)
{
    const std::filesystem::path path = file.empty() ? defaultLibrary() : std::filesystem::path(file);
    std::error_code ignored;
    if (file.empty() && !std::filesystem::exists(path, ignored))
        return std::unique_ptr<Library>();
    if (!std::filesystem::exists(path, ignored))
        return fail({ErrorKind::BadInput, "there is no such library", path.string(), "check --library"});
    return Library::open(path, mode);
}

std::vector<std::string> tagsIn(std::string_view text)
{
    std::vector<std::string> tags;
    while (!text.empty()) {
        std::string_view tag = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), tag.size() + 1));
        while (tag.starts_with(' '))
            tag.remove_prefix(1);
        while (tag.ends_with(' '))
            tag.remove_suffix(1);
        if (!tag.empty())
            tags.emplace_back(tag);
    }
    return tags;
}

Expected<FoundSession> findSession(const std::string& name, const std::string& library, Library::Mode mode)
{
    std::error_code ignored;
    const bool isFile = name.ends_with(".dyno") || name.find('/') != std::string::npos;
    if (isFile && !std::filesystem::exists(name, ignored))
        return fail({ErrorKind::BadInput, "there is no such file", name, "give a session's id or a .dyno file"});
    auto opened = isFile ? Library::open(name, mode) : openLibrary(library, mode);
    if (!opened) {
        Error error = opened.error();
        if (isFile)
            error.kind = ErrorKind::BadInput; // a damaged file that was named is bad input, not failed storage
        return fail(std::move(error));
    }
    if (!*opened)
        return fail({ErrorKind::BadInput,
                     fmt::format("there is no session \"{}\": the library is empty", name),
                     {},
                     "run something first, or name a library with --library"});
    const auto id = (*opened)->resolveId(isFile ? "last" : name);
    if (!id) {
        Error error = id.error();
        error.kind = ErrorKind::BadInput;
        return fail(std::move(error));
    }
    auto session = (*opened)->session(*id);
    if (!session)
        return tl::unexpected(session.error());
    return FoundSession{std::move(*opened), std::move(*session)};
}

} // namespace dyno::cli
