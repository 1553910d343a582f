// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The text of a script in Lua for whoever shows it: the words of a line. Pure functions; any thread.
#pragma once

#include <dyno/script_text.h>

#include <string_view>

namespace dyno::lua {

//! As scriptLine().
[[nodiscard]] ScriptLine luaLine(std::string_view line, int state);

} // namespace dyno::lua
