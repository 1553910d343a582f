// SPDX-License-Identifier: GPL-3.0-or-later
// What a file in the data folder of ClickHouse is.
#include "driver/clickhouse/server/clickhouse_server.h"

#include <vector>

namespace dyno {

//! data/DATABASE/TABLE/PART/column.bin before version 20.10; from then on store/ABC/UUID/PART/…, which does not tell
//! the table.
DataFile clickhouseFile(const std::filesystem::path& below, const std::string& ours)
{
    std::vector<std::string> parts;
    for (const std::filesystem::path& part : below)
        parts.push_back(part.string());
    if (parts.front() == "store" && parts.size() > 3)
        return {"table", "(tables)"};
    if (parts.front() == "data" && parts.size() > 3)
        return parts[1] == "system" ? DataFile{"system", {}}
                                    : DataFile{"table", parts[1] == ours ? parts[2] : parts[1] + "." + parts[2]};
    if (parts.front() == "tmp")
        return {"temporary", {}};
    const bool known =
        parts.front() == "metadata" || parts.front() == "store" || parts.front() == "preprocessed_configs";
    return {known ? "system" : "other", {}};
}

} // namespace dyno
