// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz/parsers.h"
#include "workload/lua/lua_files.h"

#include <dyno/lua_script.h>

#include <algorithm>

namespace dyno::fuzz {

//! The text of a plan's script is cut into files and put together again; its options have names, or are refused with
//! what to do. Nothing of it runs.
void readLuaText(std::string_view input)
{
    const std::vector<lua::ScriptFile> files = lua::filesOf(input);
    require(input.empty() == files.empty(), "a text is in some file");
    const std::string joined = lua::joined(files);
    const std::vector<lua::ScriptFile> again = lua::filesOf(joined);
    require(again.size() == files.size(), "as many files come back");
    for (std::size_t i = 0; i < files.size(); ++i)
        require(again[i].name == files[i].name, "a file keeps its name");
    require(lua::joined(again) == joined, "a text that was put together stays as it is");
    const auto isLetter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    for (const std::string& name : requiredFiles(input))
        require(!name.empty() && std::ranges::all_of(name, isLetter), "a required file lies in the script's folder");
    const auto options = lua::optionsOf(input);
    if (!options) {
        require(!options.error().message.empty() && !options.error().remedy.empty(), "a refusal says what to do");
        return;
    }
    for (const lua::ScriptFile& option : *options)
        require(!option.name.empty() && std::ranges::all_of(option.name, isLetter), "an option has a name");
}

} // namespace dyno::fuzz
