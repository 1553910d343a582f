// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The workload's parameter "files": where the files lie that a head names, or that the plan carries them inside
//! (Plan::files). A head alone reaches none: the names in it mean files of the .workload file's own folder, and whoever
//! opens that file writes their places into the plan, where a person sees them (trust.h); their content only where this
//! person typed the file.
#pragma once

#include "workload/script/workload_head.h"

#include <dyno/error.h>
#include <dyno/packed_file.h>
#include <dyno/scripts.h>
#include <dyno/value.h>

#include <filesystem>

namespace dyno::script {

//! A line of the parameter: "NAME = /PATH", or with what the file was, "NAME = RECORDS SHA256 /PATH"; of one inside the
//! plan "NAME = RECORDS SHA256".
struct FileEntry
{
    std::string name;                    //!< as the head has it
    std::string path;                    //!< whole; "": inside the plan
    std::optional<std::int64_t> records; //!< without the header; of a list its words
    std::string sha256;                  //!< "": any content will do
};
using FileEntries = std::vector<FileEntry>;

[[nodiscard]] OrProblem<FileEntries> readFileEntries(std::string_view text);
[[nodiscard]] const FileEntry* entryOf(const FileEntries& entries, std::string_view name);
//! The parameter for a head whose .workload file lies in `folder`: reads its files. An error's place is "LINE:COLUMN"
//! of the file's name. `inside`: see scriptParams().
[[nodiscard]] Expected<std::string> findFiles(const Head& head, const std::filesystem::path& folder, PlanFiles* inside);
//! What tells data of these files from data of others: their contents where they are known, else their places. "": the
//! head names none.
[[nodiscard]] std::string filesDigest(std::string_view text, const Settings& params);

} // namespace dyno::script
