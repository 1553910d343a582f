// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/driver.h"

#include <fmt/format.h>

#include <charconv>

namespace dyno {

namespace {

constexpr std::string_view kLoading = "dynobench_loading";

std::string sqlText(std::string_view text)
{
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? std::string("''") : std::string(1, c);
    return result + "'";
}

} // namespace

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

} // namespace dyno
