// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/script_file.h>

#include "base/text.h"
#include "workload/lua/lua_files.h"
#include "workload/workload.h"

#include <dyno/lua_script.h>
#include <dyno/script_language.h>
#include <dyno/scripts.h>

#include <algorithm>
#include <fmt/format.h>
#include <fstream>

namespace dyno {

namespace {

constexpr std::size_t kMostScriptBytes = 1 << 20;
constexpr std::size_t kMostLuaFiles = 32;

//! "helper.lua:7": the file and its line for a line of the text that holds several.
std::string luaPlace(const std::filesystem::path& script, std::string_view text, int line)
{
    const std::vector<lua::ScriptFile> files = lua::filesOf(text);
    auto place = files.begin();
    for (auto file = files.begin(); file != files.end() && file->line <= line; ++file)
        place = file;
    if (place == files.end())
        return script.filename().string();
    const std::string name = place == files.begin() ? script.filename().string() : place->name + ".lua";
    return fmt::format("{}:{}", name, line - place->line + 1);
}

Expected<OpenedScript> openLua(const std::filesystem::path& file)
{
    auto params = luaFileParams(file);
    if (!params)
        return tl::unexpected(params.error());
    OpenedScript opened{kLuaWorkload, std::move(*params), {}};
    const std::string text = textOf(opened.params, kLuaScriptParam);
    if (const auto mistake = mistakeIn(ScriptLanguage::Lua, text))
        opened.mistake =
            Error{ErrorKind::BadInput, mistake->what, luaPlace(file, text, mistake->line), "correct the script"};
    return opened;
}

} // namespace

Expected<std::string> scriptFileText(const std::filesystem::path& file, const char* program)
{
    std::ifstream in(file, std::ios::binary);
    std::string text(kMostScriptBytes + 1, '\0');
    in.read(text.data(), std::streamsize(text.size()));
    text.resize(std::size_t(in.gcount()));
    if (!in.is_open() || (text.empty() && !in.eof()))
        return fail({ErrorKind::BadInput, "the file cannot be read", file.string(),
                     fmt::format("name a file with a script for {}", program)});
    if (text.size() > kMostScriptBytes)
        return fail({ErrorKind::BadInput, "the file is too long for a script", file.string(), "at most 1 MiB"});
    return text;
}

Expected<Settings> luaFileParams(const std::filesystem::path& file)
{
    if (!workloadFor(kLuaWorkload))
        return fail({ErrorKind::BadInput, "this build has no interpreter of sysbench's scripts", file.string(),
                     "build it with LuaJIT"});
    std::vector<LuaSource> files;
    std::vector<std::string> names{file.stem().string()};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::filesystem::path next = i == 0 ? file : file.parent_path() / (names[i] + ".lua");
        std::error_code problem;
        if (i > 0 && !std::filesystem::exists(next, problem))
            continue; // the script says so where it needs it
        if (files.size() == kMostLuaFiles)
            return fail({ErrorKind::BadInput, fmt::format("the script requires more than {} files", kMostLuaFiles - 1),
                         file.string(), "put some of them into one file"});
        auto text = scriptFileText(next, "sysbench");
        if (!text)
            return tl::unexpected(text.error());
        for (std::string& name : requiredFiles(*text)) {
            if (std::ranges::find(names, name) == names.end())
                names.push_back(std::move(name));
        }
        files.push_back({names[i], std::move(*text)});
    }
    return Settings{{kLuaScriptParam, luaScriptText(files)}};
}

Expected<OpenedScript> openScriptFile(const std::filesystem::path& file)
{
    if (lowered(file.extension().string()) == ".lua")
        return openLua(file);
    const auto text = scriptFileText(file, "pgbench -f");
    if (!text)
        return tl::unexpected(text.error());
    std::error_code ignored;
    const std::filesystem::path folder = std::filesystem::absolute(file, ignored).parent_path();
    auto params = scriptParams({{file.filename().string(), *text, 1, false, folder}}, {});
    if (!params)
        return OpenedScript{kScriptWorkload, unfinishedScriptParams(*text), params.error()};
    return OpenedScript{kScriptWorkload, std::move(*params), {}};
}

} // namespace dyno
