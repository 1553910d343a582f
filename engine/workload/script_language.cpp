// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/script_language.h>

#include "base/text.h"
#include "workload/lua/lua_files.h"
#include "workload/lua/lua_text.h"
#include "workload/lua/lua_workload.h"

#include <dyno/lua_script.h>
#include <dyno/scripts.h>

#include <charconv>

namespace dyno {

namespace {

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
