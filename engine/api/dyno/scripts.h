// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Files for `pgbench -f` as parameters of the workload "script", which carries them inside a plan.
//! Plain values and pure functions; any thread.
#pragma once

#include "packed_file.h"
#include "value.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dyno {

inline constexpr const char* kScriptWorkload = "script";
inline constexpr const char* kScriptsParam = "scripts"; //!< its parameter that holds the text
inline constexpr const char* kDefineParam = "define";   //!< and the one that gives variables their values

inline constexpr const char* kFilesParam = "files"; //!< and the one that says where the files of its head lie

struct ScriptSource
{
    std::string name; //!< of the file, for messages; of a built-in script its own
    std::string text;
    std::int64_t weight = 1;
    bool builtin = false;
    std::filesystem::path folder = {}; //!< of the file, where those of its head lie; "": the plan names them otherwise
};

//! "FILE@9" → "FILE" and 9, as pgbench's -f and -b take it; without a weight it is 1.
[[nodiscard]] std::pair<std::string, std::int64_t> scriptAndWeight(std::string_view typed);
//! One of pgbench's built-in scripts, by its name or the beginning of it.
[[nodiscard]] Expected<ScriptSource> builtinScript(std::string_view name);
//! The files that the head of a script takes rows and words from, as it names them; a head with mistakes has none.
[[nodiscard]] std::vector<std::string> scriptFiles(std::string_view text);
//! What a plan needs to run these scripts. `definitions`: NAME=VALUE each. An error is at "FILE:LINE:COLUMN". Reads the
//! files of a head, where a folder is given: any thread but the window's. Into `inside` go those of up to
//! PackedFile::kMostBytes together, for Plan::files; the others, and all without it, are named by their paths. Nobody
//! is asked about those inside: only for scripts that this person typed.
[[nodiscard]] Expected<Settings> scriptParams(const std::vector<ScriptSource>& sources,
                                              const std::vector<std::string>& definitions, PlanFiles* inside = nullptr);
//! The same of one text with mistakes, to be corrected: without files and definitions.
[[nodiscard]] Settings unfinishedScriptParams(std::string text);

} // namespace dyno
