// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/script_language.h>

#include "base/text.h"
#include "workload/lua/lua_files.h"
#include "workload/lua/lua_text.h"
#include "workload/lua/lua_workload.h"

#include <dyno/lua_script.h>
#include <dyno/scripts.h>

#include <algorithm>
#include <charconv>

namespace dyno {

namespace {

std::string_view lineOf(std::string_view text, int number)
{
    for (; number > 1 && !text.empty(); --number)
        text.remove_prefix(std::min(text.size(), text.find('\n')) +
                           (text.find('\n') == std::string_view::npos ? 0 : 1));
    return text.substr(0, text.find('\n'));
}

//! "common.lua:7: 'end' expected near '<eof>'", at its line of the text that holds the file.
ScriptMistake luaMistake(const lua::ScriptFile& file, std::string_view problem)
{
    ScriptMistake mistake{file.line, 0, std::string(problem), {}};
    const std::string place = file.name + ".lua:";
    if (!problem.starts_with(place))
        return mistake;
    problem.remove_prefix(place.size());
    int line = 0;
    const auto read = std::from_chars(problem.data(), problem.data() + problem.size(), line);
    problem.remove_prefix(std::size_t(read.ptr - problem.data()));
    if (read.ec != std::errc() || !problem.starts_with(':'))
        return mistake;
    mistake.line = file.line + line - 1;
    mistake.what = trimmed(problem.substr(1));
    // The language says at what word, not where: known where the line has it once.
    const std::string_view what = mistake.what;
    const std::size_t near = what.rfind(" near '");
    if (near == std::string_view::npos || !what.ends_with('\''))
        return mistake;
    const std::string_view word = what.substr(near + 7, what.size() - near - 8);
    const std::string_view at = lineOf(file.text, line);
    const std::size_t first = word.empty() ? std::string_view::npos : at.find(word);
    if (first != std::string_view::npos && at.find(word, first + 1) == std::string_view::npos)
        mistake.column = 1 + int(std::ranges::count_if(at.substr(0, first), [](char c) { return (c & 0xC0) != 0x80; }));
    return mistake;
}

} // namespace

ScriptLanguage languageOf(std::string_view param)
{
    return param == kScriptsParam     ? ScriptLanguage::Script
           : param == kLuaScriptParam ? ScriptLanguage::Lua
                                      : ScriptLanguage::Plain;
}

std::optional<ScriptMistake> mistakeIn(ScriptLanguage language, std::string_view text, std::string_view definitions)
{
    if (language == ScriptLanguage::Script)
        return scriptMistake(text, definitions);
    if (language == ScriptLanguage::Plain)
        return {};
    for (const lua::ScriptFile& file : lua::filesOf(text)) {
        if (const std::string problem = lua::syntaxProblem(file); !problem.empty())
            return luaMistake(file, problem);
    }
    return {};
}

ScriptLine lineIn(ScriptLanguage language, std::string_view line, int state)
{
    switch (language) {
    case ScriptLanguage::Script:
        return scriptLine(line, state);
    case ScriptLanguage::Lua:
        return lua::luaLine(line, state);
    case ScriptLanguage::Plain:
        break;
    }
    return {};
}

} // namespace dyno
