// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_tables.h"

#include "base/text.h"
#include "mysql_admin.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <set>

namespace dyno::mysql {

namespace {

//! Reserved words that somebody may well call a table or a column, for servers that do not list theirs.
constexpr std::array<std::string_view, 30> kReservedNames{
    "case", "check", "column",  "condition", "default", "desc",   "describe", "group",  "groups", "index",
    "int",  "key",   "keys",    "limit",     "lines",   "match",  "of",       "option", "order",  "range",
    "rank", "read",  "release", "row",       "rows",    "schema", "system",   "table",  "usage",  "values"};

//! `words`: those that the server knows, small.
std::string asWritten(const std::string& name, const std::set<std::string, std::less<>>& words)
{
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    if (!name.empty() && (name.front() < '0' || name.front() > '9') && std::ranges::all_of(name, plain) &&
        !words.contains(lowered(name)))
        return name;
    std::string text = "`";
    for (const char c : name)
        text += c == '`' ? std::string("``") : std::string(1, c);
    return text + "`";
}

std::int64_t wholeNumberIn(const std::string& text)
{
    std::int64_t number = -1;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

void setKind(ColumnInfo& column, std::string_view type)
{
    constexpr std::array<std::string_view, 7> kWholes{"tinyint", "smallint", "mediumint", "int",
                                                      "bigint",  "year",     "bit"};
    constexpr std::array<std::string_view, 3> kFractions{"decimal", "float", "double"};
    column.whole = std::ranges::find(kWholes, type) != kWholes.end();
    column.number = column.whole || std::ranges::find(kFractions, type) != kFractions.end();
}

} // namespace

Expected<std::vector<TableInfo>> MysqlAdmin::tableInfos()
{
    auto names = query("SELECT table_name, table_type, COALESCE(table_rows, -1) FROM information_schema.tables WHERE "
                       "table_schema = DATABASE() ORDER BY table_name");
    if (!names)
        return fail(std::move(names.error()));
    auto columns =
        query("SELECT table_name, column_name, column_type, data_type, COALESCE(column_default, 'NULL') <> "
              "'NULL', extra, is_nullable FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY "
              "table_name, ordinal_position");
    if (!columns)
        return fail(std::move(columns.error()));
    auto keys = query("SELECT table_name, column_name, seq_in_index FROM information_schema.statistics WHERE "
                      "table_schema = DATABASE() AND index_name = 'PRIMARY'");
    if (!keys)
        return fail(std::move(keys.error()));
    std::set<std::string, std::less<>> words(kReservedNames.begin(), kReservedNames.end());
    // MySQL 8 says which are reserved, MariaDB 10.6 lists all its words, and those before them list none.
    auto listed = query("SELECT word FROM information_schema.keywords WHERE reserved = 1");
    if (!listed)
        listed = query("SELECT word FROM information_schema.keywords");
    for (const std::vector<std::string>& row : listed ? *listed : TextRows())
        words.insert(lowered(row.at(0)));
    std::map<std::pair<std::string, std::string>, int> places;
    for (const std::vector<std::string>& row : *keys)
        places[{row.at(0), row.at(1)}] = int(wholeNumberIn(row.at(2)));
    std::map<std::string, TableInfo> byName;
    for (const std::vector<std::string>& row : *names) {
        TableInfo& table = byName[row.at(0)];
        table.name = row.at(0);
        table.written = asWritten(table.name, words);
        table.view = row.at(1).ends_with("VIEW");
        table.rows = table.view ? -1 : wholeNumberIn(row.at(2));
    }
    for (const std::vector<std::string>& row : *columns) {
        const auto table = byName.find(row.at(0));
        if (table == byName.end()) // made meanwhile
            continue;
        ColumnInfo& column = table->second.columns.emplace_back();
        column.name = row.at(1);
        column.written = asWritten(column.name, words);
        column.type = lowered(row.at(2));
        if (const auto place = places.find({row.at(0), row.at(1)}); place != places.end())
            column.keyPlace = place->second;
        const std::string extra = lowered(row.at(5));
        const auto says = [&extra](std::string_view part) { return extra.find(part) != std::string::npos; };
        column.computed = says("virtual generated") || says("stored generated") || says("persistent generated");
        const bool standing = row.at(4) == "1" && column.keyPlace == 0; // the same value for each row makes no keys
        column.filled = column.computed || standing || says("auto_increment");
        column.nullable = row.at(6) == "YES";
        setKind(column, lowered(row.at(3)));
    }
    std::vector<TableInfo> tables;
    for (auto& [name, table] : byName)
        tables.push_back(std::move(table));
    return tables;
}

PlanStep planStepOf(const KeptRows& answer, std::size_t row)
{
    constexpr std::size_t kShort = 10, kTable = 2;
    const bool longer = answer.columns(row) > kShort; // with "partitions" and "filtered"
    const auto cell = [&answer, row, longer](std::size_t inShort) {
        const std::size_t more = !longer ? 0 : inShort == 9 ? 2 : inShort > kTable ? 1 : 0;
        return answer.asText(row, inShort + more);
    };
    const std::string kind = cell(1), table = cell(kTable), type = cell(3), key = cell(5), rows = cell(8),
                      extra = cell(9);
    PlanStep step;
    const auto add = [&step](const std::string& part) {
        if (!part.empty())
            step.text += (step.text.empty() ? "" : ", ") + part;
    };
    if (table.empty()) {
        add(extra);
    } else {
        step.text = table + ": " + (type.empty() ? lowered(kind) : type);
        add(key.empty() ? "no key" : "key " + key);
        add(rows.empty() ? rows : rows + (rows == "1" ? " row" : " rows"));
        add(extra);
    }
    const bool reads = !rows.empty() && kind != "INSERT" && kind != "REPLACE"; // a table that takes rows has ALL too
    if (reads && (type == "ALL" || type == "index") && !table.starts_with('<'))
        step.wholeTable = table;
    return step;
}

} // namespace dyno::mysql
