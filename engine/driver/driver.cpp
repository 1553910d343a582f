// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/driver.h"

#include "driver/server_self.h"
#include "driver/sql_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace dyno {

namespace {

constexpr std::string_view kLoading = "dynobench_loading";
constexpr std::string_view kNotes = "dynobench_meta";

} // namespace

Expected<ServerSelf> Admin::self()
{
    return ServerSelf();
}

Expected<void> Admin::prewarm(const std::vector<std::string>& tables)
{
    for (const std::string& table : tables) {
        if (const auto counted = rowCount(table); !counted)
            return fail(counted.error());
    }
    return {};
}

Expected<InstrumentSettings> Admin::instruments(InstrumentsLevel /*level*/)
{
    return fail({ErrorKind::Refused, "this engine has no instruments that can be switched", {}, {}});
}

Expected<std::vector<TableInfo>> Admin::tableInfos()
{
    const auto names = tableNames();
    if (!names)
        return tl::unexpected(names.error());
    std::vector<TableInfo> tables;
    for (const std::string& name : *names) {
        auto columns = describe(name);
        if (!columns)
            return tl::unexpected(columns.error());
        TableInfo& table = tables.emplace_back();
        table.name = table.written = name;
        for (ColumnShape& column : *columns) {
            ColumnInfo& one = table.columns.emplace_back();
            one.name = one.written = column.name;
            one.type = std::move(column.type);
        }
    }
    return tables;
}

Expected<std::int64_t> Admin::rowCount(std::string_view table)
{
    auto rows = query(fmt::format("SELECT COUNT(*) FROM {}", table));
    if (!rows)
        return tl::unexpected(rows.error());
    std::int64_t count = 0;
    if (!rows->empty() && !rows->front().empty()) {
        const std::string& text = rows->front().front();
        std::from_chars(text.data(), text.data() + text.size(), count);
    }
    return count;
}

Expected<void> Admin::drop(std::string_view table)
{
    return execute(fmt::format("DROP TABLE IF EXISTS {}", table));
}

Expected<std::vector<std::string>> Admin::unfinishedLoads()
{
    auto columns = describe(kLoading);
    if (!columns)
        return tl::unexpected(columns.error());
    std::vector<std::string> tables;
    if (columns->empty())
        return tables;
    auto rows = query(fmt::format("SELECT name FROM {}", kLoading));
    if (!rows)
        return tl::unexpected(rows.error());
    for (std::vector<std::string>& row : *rows) {
        if (!row.empty())
            tables.push_back(std::move(row.front()));
    }
    return tables;
}

Expected<void> Admin::setUnfinishedLoads(const std::vector<std::string>& tables)
{
    if (tables.empty())
        return drop(kLoading);
    std::string insert = fmt::format("INSERT INTO {} VALUES ", kLoading);
    for (std::size_t i = 0; i < tables.size(); ++i)
        insert += fmt::format("{}({})", i == 0 ? "" : ", ", sqlText(tables[i]));
    for (const std::string& command :
         {fmt::format("CREATE TABLE IF NOT EXISTS {} (name VARCHAR(64) NOT NULL PRIMARY KEY)", kLoading),
          fmt::format("DELETE FROM {}", kLoading), insert}) {
        if (auto done = execute(command); !done)
            return done;
    }
    return {};
}

Expected<DataNotes> Admin::dataNotes()
{
    auto columns = describe(kNotes);
    if (!columns)
        return tl::unexpected(columns.error());
    DataNotes notes;
    if (columns->empty())
        return notes;
    auto rows = query(fmt::format("SELECT name, note FROM {}", kNotes));
    if (!rows)
        return tl::unexpected(rows.error());
    for (std::vector<std::string>& row : *rows) {
        if (row.size() == 2)
            notes[row[0]] = std::move(row[1]);
    }
    return notes;
}

Expected<void> Admin::setDataNotes(const DataNotes& notes)
{
    auto known = dataNotes();
    if (!known)
        return tl::unexpected(known.error());
    std::vector<std::string> commands;
    const auto add = [&](std::string command) { commands.push_back(std::move(command)); };
    if (known->empty())
        add(fmt::format("CREATE TABLE IF NOT EXISTS {} (name VARCHAR(64) NOT NULL PRIMARY KEY, note TEXT)", kNotes));
    for (const auto& [table, note] : notes) {
        if (known->erase(table) > 0)
            add(fmt::format("DELETE FROM {} WHERE name = {}", kNotes, sqlText(table)));
        if (!note.empty())
            add(fmt::format("INSERT INTO {} VALUES ({}, {})", kNotes, sqlText(table), sqlText(note)));
    }
    const bool any = std::ranges::any_of(notes, [](const auto& note) { return !note.second.empty(); });
    if (!any && known->empty())
        return drop(kNotes);
    for (const std::string& command : commands) {
        if (auto done = execute(command); !done)
            return done;
    }
    return {};
}

} // namespace dyno
