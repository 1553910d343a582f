// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What lies in a server's data folder, by table and by kind of file.
#pragma once

#include <dyno/servers.h>

#include <filesystem>
#include <string_view>
#include <vector>

namespace dyno {

//! Files of `data`, and of `temporary` (which may be empty), summed by kind and table; largest kinds of interest first:
//! tables by name, then the others. Bytes are allocated ones. Files that vanish meanwhile are left out. Tables of the
//! database `database` are named without it. The recipe of `product` (as in managed:PRODUCT) says what a file is. Any
//! thread.
[[nodiscard]] std::vector<DataPart> dataPartsOf(std::string_view product, const std::filesystem::path& data,
                                                const std::filesystem::path& temporary, const std::string& database);
//! Of these tables of `database`: how many bytes lie in pages outside the rows, as parts of the kind "off-page". What
//! the server has not written yet is not among them. Tables whose files do not say it have no part. Any thread.
[[nodiscard]] std::vector<DataPart> offPagePartsOf(std::string_view product, const std::filesystem::path& data,
                                                   const std::string& database, const std::vector<std::string>& tables);
//! Allocated bytes of everything below a folder.
[[nodiscard]] std::uint64_t allocatedBytes(const std::filesystem::path& folder);

} // namespace dyno
