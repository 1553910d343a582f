// SPDX-License-Identifier: GPL-3.0-or-later
#include "clickhouse_dialect.h"

#include "base/text.h"
#include "clickhouse_statement.h"
#include "driver/sql_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace dyno {

namespace clickhouse {

namespace {

//! The longer name first where one begins with another.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kTypes{{
    {"int unsigned", "UInt32"},
    {"bigint unsigned", "UInt64"},
    {"bigint", "Int64"},
    {"smallint", "Int16"},
    {"tinyint", "Int8"},
    {"integer", "Int32"},
    {"int", "Int32"},
    {"double precision", "Float64"},
    {"double", "Float64"},
    {"float", "Float32"},
    {"real", "Float32"},
    {"datetime", "DateTime"},
    {"varchar", "String"},
    {"char", "String"},
    {"text", "String"},
    {"blob", "String"},
}};

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool startsWithWords(std::string_view text, std::string_view words)
{
    return lowered(text.substr(0, words.size())) == words &&
           (text.size() == words.size() || !isLetter(text[words.size()]));
}

//! Between commas that stand in no brackets.
std::vector<std::string_view> partsOf(std::string_view list)
{
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i < list.size();) {
        if (const std::size_t after = skipQuoted(list, i, {}); after != i) {
            i = after;
            continue;
        }
        depth += list[i] == '(' ? 1 : list[i] == ')' ? -1 : 0;
        if (list[i] == ',' && depth == 0) {
            parts.push_back(trimmed(list.substr(begin, i - begin)));
            begin = i + 1;
        }
        ++i;
    }
    parts.push_back(trimmed(list.substr(begin)));
    return parts;
}

//! "c CHAR(120) NOT NULL DEFAULT ''" → "c String DEFAULT ''". Without NOT NULL the column may hold NULL, which costs
//! a file of its own.
std::string columnOf(std::string_view definition)
{
    const std::size_t blank = std::min(definition.find(' '), definition.size());
    const std::string_view name = definition.substr(0, blank);
    std::string_view rest = trimmed(definition.substr(blank));
    std::string type;
    for (const auto& [usual, own] : kTypes) {
        if (!startsWithWords(rest, usual))
            continue;
        type = own;
        rest = trimmed(rest.substr(usual.size()));
        if (rest.starts_with('(')) // the length, which a text has none of here
            rest = trimmed(rest.substr(std::min(rest.find(')'), rest.size() - 1) + 1));
        break;
    }
    if (type.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        type = rest.substr(0, end);
        rest = trimmed(rest.substr(end));
    }
    constexpr std::string_view kNotNull = "not null", kKey = "primary key";
    bool maybe = true;
    std::string after;
    while (!rest.empty()) {
        if (startsWithWords(rest, kNotNull) || startsWithWords(rest, kKey)) {
            maybe = false;
            rest = trimmed(rest.substr(startsWithWords(rest, kNotNull) ? kNotNull.size() : kKey.size()));
            continue;
        }
        std::size_t end = 0;
        while (end < rest.size() && rest[end] != ' ')
            end = std::max(end + 1, skipQuoted(rest, end, {}));
        after += " ";
        after += rest.substr(0, end);
        rest = trimmed(rest.substr(std::min(end, rest.size())));
    }
    return fmt::format("{} {}{}", name, maybe ? fmt::format("Nullable({})", type) : type, after);
}

} // namespace

std::string mergeTreeTable(std::string_view usual)
{
    const std::size_t open = usual.find('(');
    if (open == std::string_view::npos)
        return std::string(usual);
    std::size_t close = open;
    for (int depth = 0; close < usual.size();) {
        if (const std::size_t after = skipQuoted(usual, close, {}); after != close) {
            close = after;
            continue;
        }
        depth += usual[close] == '(' ? 1 : usual[close] == ')' ? -1 : 0;
        if (depth == 0)
            break;
        ++close;
    }
    if (close >= usual.size())
        return std::string(usual);
    constexpr std::string_view kKey = "primary key";
    std::vector<std::string> columns;
    std::string key = "tuple()";
    for (const std::string_view part : partsOf(usual.substr(open + 1, close - open - 1))) {
        if (startsWithWords(part, kKey)) {
            key = trimmed(part.substr(kKey.size()));
            continue;
        }
        columns.push_back(columnOf(part));
        if (lowered(part).find(kKey) != std::string::npos)
            key = part.substr(0, part.find(' '));
    }
    return fmt::format("{}({}) ENGINE = MergeTree ORDER BY {}{}", usual.substr(0, open), fmt::join(columns, ", "), key,
                       usual.substr(close + 1));
}

} // namespace clickhouse

SqlDialect clickhouseDialect()
{
    SqlDialect sql;
    sql.unsignedInteger = "UInt32";
    sql.unsignedBig = "UInt64";
    sql.longText = sql.longBytes = "String";
    sql.tableOf = &clickhouse::mergeTreeTable;
    sql.rowLock = {};
    sql.outcomeTells = true;
    sql.takesFiles = "SELECT 1"; // INSERT … FORMAT TabSeparated, always
    return sql;
}

} // namespace dyno
