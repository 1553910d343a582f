// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/sqlite/sqlite_tables.h"

#include "base/text.h"
#include "driver/sqlite/sqlite_admin.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sqlite3.h>

namespace dyno {

namespace {

constexpr std::size_t kIndent = 2;
constexpr int kDeepest = 64; //!< steps within steps

std::string asSqliteWrites(const std::string& name)
{
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    if (!name.empty() && (name.front() < '0' || name.front() > '9') && std::ranges::all_of(name, plain) &&
        sqlite3_keyword_check(name.data(), int(name.size())) == 0)
        return name;
    std::string text = "\"";
    for (const char c : name)
        text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + '"';
}

std::int64_t leadingNumber(std::string_view text)
{
    std::int64_t number = -1;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

//! The affinities of "Datatypes In SQLite", section 3.1.
void setSqliteKind(ColumnInfo& column)
{
    const auto has = [&column](std::string_view part) { return column.type.find(part) != std::string::npos; };
    column.whole = has("int");
    column.number = column.whole || has("real") || has("floa") || has("doub") || has("num") || has("dec");
}

} // namespace

Expected<std::vector<TableInfo>> SqliteAdmin::tableInfos()
{
    SqliteConnection connection;
    if (const Expected<void> open = connection.open(m_target, role()); !open)
        return fail(open.error());
    const Expected<TextRows> names =
        connection.rows("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND substr(name, 1, 7) "
                        "<> 'sqlite_' ORDER BY name");
    if (!names)
        return fail(names.error());
    std::map<std::string, std::int64_t> counted;
    if (const Expected<TextRows> there = connection.rows("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'");
        there && !there->empty()) {
        if (const Expected<TextRows> rows = connection.rows("SELECT tbl, stat FROM sqlite_stat1")) {
            for (const std::vector<std::string>& row : *rows)
                counted[row[0]] = std::max(counted[row[0]], leadingNumber(row[1]));
        }
    }
    std::vector<TableInfo> tables;
    for (const std::vector<std::string>& name : *names) {
        TableInfo table;
        table.name = name[0];
        table.written = asSqliteWrites(name[0]);
        table.view = name[1] == "view";
        const Expected<TextRows> columns = connection.rows(fmt::format(
            "SELECT name, lower(type), pk, dflt_value IS NOT NULL, hidden, \"notnull\" FROM pragma_table_xinfo({}) "
            "ORDER BY cid",
            sqliteText(table.name)));
        if (!columns) // a view whose tables are gone
            continue;
        for (const std::vector<std::string>& row : *columns) {
            if (row[4] == "1") // of a virtual table, for its arguments
                continue;
            ColumnInfo& column = table.columns.emplace_back();
            column.name = row[0];
            column.written = asSqliteWrites(row[0]);
            column.type = row[1];
            column.keyPlace = int(std::max<std::int64_t>(0, leadingNumber(row[2])));
            column.nullable = row[5] != "1" && column.keyPlace == 0;
            column.computed = row[4] == "2" || row[4] == "3";
            column.filled = column.computed || (row[3] == "1" && column.keyPlace == 0); // a key needs different values
            setSqliteKind(column);
        }
        const auto inKey = [](const ColumnInfo& column) { return column.keyPlace > 0; };
        const auto key = std::ranges::find_if(table.columns, inKey);
        if (key != table.columns.end() && key->type == "integer" && std::ranges::count_if(table.columns, inKey) == 1)
            key->filled = true; // the row number
        if (const auto found = counted.find(table.name); found != counted.end()) {
            table.rows = found->second;
        } else if (!table.view) {
            const Expected<std::string> last =
                connection.value(fmt::format("SELECT coalesce(max(rowid), 0) FROM {}", table.written));
            table.rows = last ? leadingNumber(*last) : -1; // WITHOUT ROWID there is none
        }
        tables.push_back(std::move(table));
    }
    return tables;
}

PlanStep sqlitePlanStep(const KeptRows& answer, std::size_t row)
{
    constexpr std::size_t kId = 0, kParent = 1, kDetail = 3;
    PlanStep step;
    std::string_view rest;
    const std::string detail = answer.asText(row, kDetail);
    std::size_t depth = 0;
    std::int64_t parent = answer.integer(row, kParent);
    for (int i = 0; parent != 0 && i < kDeepest; ++i) { // rows of steps come before those of their parts
        ++depth;
        std::int64_t above = 0;
        for (std::size_t other = 0; other < row; ++other)
            above = answer.integer(other, kId) == parent ? answer.integer(other, kParent) : above;
        parent = above;
    }
    step.text = std::string(depth * kIndent, ' ') + detail;
    rest = detail;
    if (!rest.starts_with("SCAN "))
        return step;
    rest.remove_prefix(5);
    if (rest.starts_with("TABLE ")) // before 3.36
        rest.remove_prefix(6);
    const std::string_view table = rest.substr(0, rest.find(' '));
    const bool named = !table.empty() && table.front() != '(' && (table.front() < '0' || table.front() > '9');
    if (!named || table == "CONSTANT" || table == "SUBQUERY" || rest.find(" VIRTUAL TABLE") != std::string_view::npos)
        return step;
    for (std::size_t other = 0; other < answer.rows(); ++other) { // what the statement itself makes is no table
        const std::string made = answer.asText(other, kDetail);
        if (made == fmt::format("CO-ROUTINE {}", table) || made == fmt::format("MATERIALIZE {}", table))
            return step;
    }
    step.wholeTable = table;
    return step;
}

} // namespace dyno
