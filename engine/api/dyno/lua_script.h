// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Files for sysbench as parameters of the workload "lua", which carries them inside a plan.
//! Plain values and pure functions; any thread.
#pragma once

#include "value.h"

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

inline constexpr const char* kLuaWorkload = "lua";
inline constexpr const char* kLuaScriptParam = "script";   //!< its parameter that holds the text
inline constexpr const char* kLuaOptionsParam = "options"; //!< and the one with the script's options

struct LuaSource
{
    std::string name; //!< as `require` has it: of the file without folder and ending
    std::string text;
};

//! Names that the text requires, in order and each once: require("oltp_common").
[[nodiscard]] std::vector<std::string> requiredFiles(std::string_view text);
//! The parameter's text for the script, which is the first one, and the files that it requires.
[[nodiscard]] std::string luaScriptText(const std::vector<LuaSource>& files);

} // namespace dyno
