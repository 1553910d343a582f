// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/data/table_options.h"

#include "load/preflight/server_features.h"

#include <algorithm>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::size_t kTablesLookedAt = 64; //!< tables; more were made the same way

//! Upper case, without what servers set differently: quotes, blanks.
std::string normalised(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if (c == ' ' || c == '\n' || c == '\t' || c == '`' || c == '\'' || c == '"')
            continue;
        result += c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
    }
    return result;
}

//! True when `text` holds `option` and it ends there: PARTITIONS4 is not PARTITIONS40.
bool holds(const std::string& text, const std::string& option)
{
    for (std::size_t at = text.find(option); at != std::string::npos; at = text.find(option, at + 1)) {
        const char next = at + option.size() < text.size() ? text[at + option.size()] : ' ';
        const bool goesOn = (next >= '0' && next <= '9') || next == '_';
        if (!goesOn)
            return true;
    }
    return false;
}

//! "PARTITIONBYHASH(ID)PARTITIONS4", "" without any.
std::string partitionsOf(std::string_view createTable)
{
    const std::string text = normalised(createTable);
    const std::size_t at = text.rfind("PARTITIONBY");
    return at == text.npos ? std::string() : text.substr(at);
}

} // namespace

std::vector<std::string> missingTableOptions(std::string_view createTable, const Settings& knobs,
                                             std::string_view wanted)
{
    // The options come after the columns.
    const std::size_t columnsEnd = createTable.rfind("\n)");
    const std::string options =
        normalised(columnsEnd == createTable.npos ? createTable : createTable.substr(columnsEnd));
    std::string parts = partitionsOf(wanted);
    if (parts.starts_with(
            "PARTITIONBYRANGE")) // the server adds to each what it is; its bounds are parameters of the data
        parts.resize(parts.find('('));
    std::vector<std::string> missing;
    for (const auto& [name, value] : knobs) {
        const auto* flag = std::get_if<bool>(&value);
        const std::string plain = flag ? (*flag ? "1" : "0") : toText(value);
        const std::string text = normalised(name == "engine" ? engineNameOf(plain) : plain);
        if (name == "create_options" || text.empty())
            continue;
        const std::string key = name == "character_set" ? "CHARSET" : normalised(name);
        const bool off = text == "0"; // not asked for: whatever turns it on must not be there
        bool right = holds(options, key + "=" + text);
        if (name == "partitions")
            right = parts.empty() ? partitionsOf(options).empty() : holds(options, parts);
        else if (off)
            right = right || options.find(key + "=") == std::string::npos;
        else if (name == "encryption" || name == "encrypted")
            right = right || ((text == "N" || text == "NO") && options.find(key + "=") == std::string::npos);
        else if (name == "compression")
            right = right || (text == "NONE" && options.find("COMPRESSION=") == std::string::npos);
        else if (name == "row_format") // the server does not print what is its default
            right = right || (text == "DYNAMIC" && options.find("ROW_FORMAT=") == std::string::npos);
        else if (name == "page_compression_level")
            right = right || options.find("PAGE_COMPRESSED=1") == std::string::npos;
        if (!right)
            missing.push_back(fmt::format("{}={}", name, toText(value)));
    }
    if (!parts.empty() && !knobs.contains("partitions") && !holds(options, parts))
        missing.push_back("the partitions of this workload (table.partitions = 0 takes none)");
    return missing;
}

Expected<void> checkTableOptions(Admin& admin, const SqlDialect& sql, const std::vector<TableSpec>& tables,
                                 const Settings& knobs)
{
    if (sql.showCreate.empty())
        return {};
    for (std::size_t i = 0; i < std::min(tables.size(), kTablesLookedAt); ++i) {
        if (knobs.empty() && partitionsOf(tables[i].create).empty())
            continue;
        const auto rows = admin.query(fmt::format(fmt::runtime(sql.showCreate), tables[i].name));
        if (!rows)
            return fail(rows.error());
        if (rows->empty() || rows->front().size() < 2)
            continue;
        const auto missing = missingTableOptions(rows->front()[1], knobs, tables[i].create);
        if (!missing.empty())
            return fail(
                {ErrorKind::Refused,
                 fmt::format("{} was there before and was made without {}", tables[i].name, fmt::join(missing, ", ")),
                 tables[i].name, "load it again with workload.prepare = \"always\", or drop it with `dyno cleanup`"});
    }
    return {};
}

} // namespace dyno
