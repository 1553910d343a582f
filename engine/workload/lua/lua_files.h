// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A script with the files that it requires as one text, and its options as on sysbench's command line.
#pragma once

#include "workload/lua/lua_interpreter.h"
#include <dyno/error.h>

#include <string>
#include <string_view>
#include <vector>

namespace dyno::lua {

//! "--@file NAME" begins a file; the first one is the script. Without such a line the text is one file, "script".
[[nodiscard]] std::vector<ScriptFile> filesOf(std::string_view text);
//! Of a line with or without its end.
[[nodiscard]] bool beginsFile(std::string_view line);
[[nodiscard]] std::string joined(const std::vector<ScriptFile>& files);
//! "tables=4 --table-size=10000 skip-trx" → name with underscores, value; one without a value is "on".
[[nodiscard]] Expected<std::vector<ScriptFile>> optionsOf(std::string_view text);

} // namespace dyno::lua
