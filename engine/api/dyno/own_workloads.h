// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Workloads of this person's own: scripts for the workload "script", each a .workload file in a folder beside the
//! library. None of them is trusted because it lies there: in the window its statements are asked about as those of any
//! plan (trust.h); on the command line naming one is a word for it, as naming a file is. All calls but the last read or
//! write files: never on the GUI thread.
#pragma once

#include "error.h"
#include "value.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! Beside the library: "library.workloads" of "library.dynolib".
[[nodiscard]] std::filesystem::path workloadsFolder(const std::filesystem::path& library);

struct OwnWorkload
{
    std::string name;    //!< of its file, without ".workload"; no name of a built-in workload
    std::string text;    //!< the script, with its head
    std::string summary; //!< the first comment of the script, else the names of its transactions; one line
    std::string fault;   //!< why it cannot run or be read, with the place; "": it can
    Settings params;     //!< of the workload "script", that run it, with paths of its files; none with a fault
};
//! Of a folder, by name, the first 1000. No folder: none.
[[nodiscard]] std::vector<OwnWorkload> ownWorkloads(const std::filesystem::path& folder);
//! The error names the folder's workloads that are near.
[[nodiscard]] Expected<OwnWorkload> ownWorkload(const std::filesystem::path& folder, std::string_view name);

//! Returns its name, which ownWorkloadName() gives. Refused: a script with mistakes, as it would not run, the name of a
//! built-in workload, and of one that is there, unless `replace` and it can be read. `definitions`: of variables, put
//! into its head. `files`: the plan's parameter, whose files are copied into the folder where its head names them,
//! those without a path out of the plan, which lives so long; refused: one of more than 4 MiB, and one in whose place
//! another lies.
[[nodiscard]] Expected<std::string> saveWorkload(const std::filesystem::path& folder, std::string_view called,
                                                 std::string_view text, std::string_view definitions = {},
                                                 bool replace = false, std::string_view files = {});
//! Copies somebody's file into the folder under its own name, with the files that its head names; nothing in it runs.
[[nodiscard]] Expected<std::string> addWorkload(const std::filesystem::path& folder, const std::filesystem::path& file);
//! Returns the text of the file, with which restoreWorkload() puts it back. Refused where it cannot be read.
[[nodiscard]] Expected<std::string> removeWorkload(const std::filesystem::path& folder, std::string_view name);
//! `replace`: what is there with this name goes; the text may have mistakes, as it was there before.
[[nodiscard]] Expected<void> restoreWorkload(const std::filesystem::path& folder, std::string_view name,
                                             std::string_view text, bool replace = false);

//! "Orders of the shop" → "orders-of-the-shop".
[[nodiscard]] std::string ownWorkloadName(std::string_view called);

} // namespace dyno
