// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The languages that a workload's parameters of several lines are written in, for whoever lets a person edit them.
//! Pure functions; any thread.
#pragma once

#include "script_text.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace dyno {

enum class ScriptLanguage : std::uint8_t {
    Plain,  //!< lines that mean something to the workload alone
    Script, //!< script_text.h
    Lua,    //!< for sysbench, with the files that it requires behind lines --@file NAME (lua_script.h)
};

//! Of the parameter with this name.
[[nodiscard]] ScriptLanguage languageOf(std::string_view param);
//! scriptMistake() for any of the languages; nothing for plain lines. Of Lua it is what the compiler finds, which runs
//! nothing and tells no column (0).
[[nodiscard]] std::optional<ScriptMistake> mistakeIn(ScriptLanguage language, std::string_view text,
                                                     std::string_view definitions = {});
//! scriptLine() for any of the languages.
[[nodiscard]] ScriptLine lineIn(ScriptLanguage language, std::string_view line, int state = 0);

} // namespace dyno
