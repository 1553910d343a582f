// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A file that somebody has already, as the workload of a plan: for `pgbench -f`, with or without a head, or for
//! sysbench. Reads files: any thread but the window's.
#pragma once

#include "error.h"
#include "value.h"

#include <filesystem>
#include <optional>
#include <string>

namespace dyno {

//! The text of a script's file, at most 1 MiB, for `program`, which an error names.
[[nodiscard]] Expected<std::string> scriptFileText(const std::filesystem::path& file, const char* program);
//! Parameters of the workload "lua" for the script with the files of its folder that it requires; an error where there
//! is no such workload in this build.
[[nodiscard]] Expected<Settings> luaFileParams(const std::filesystem::path& file);

struct OpenedScript
{
    std::string workload; //!< "lua" for a file *.lua in letters of any case, else "script"
    Settings params;
    std::optional<Error> mistake; //!< why it does not run as it is, at "FILE:LINE:COLUMN", of Lua "FILE:LINE";
                                  //!< `params` hold its text still
};
//! Files of its head are named by their paths, for the question about them. Error: the file cannot be read.
[[nodiscard]] Expected<OpenedScript> openScriptFile(const std::filesystem::path& file);

} // namespace dyno
