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
//! "tables=4 --table-size=10000 skip-trx" → name with underscores, value; one without a value is "on". Errors: one that
//! sysbench itself has, unless the script has a word like it, which may be an option of its own.
[[nodiscard]] Expected<std::vector<ScriptFile>> optionsOf(std::string_view text, std::string_view script = {});
//! The option rand_seed, where there is one and it is a number from 1.
[[nodiscard]] std::optional<std::uint32_t> seedOf(const std::vector<ScriptFile>& options);
//! False where the text has no word with which a statement writes. Words that a script puts together are not seen.
[[nodiscard]] bool mayWrite(std::string_view script);
//! Where an option of sysbench's own stands here: "here it is load.users (--users)"; "" where it is none.
[[nodiscard]] std::string placeOfOption(std::string_view name);

} // namespace dyno::lua
