// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_admin.h"

#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace dyno::mysql {

namespace {

constexpr double kPicosecondsPerSecond = 1e12;
constexpr double kPicosecondsPerMs = 1e9;
constexpr const char* kDigestTable = "events_statements_summary_by_digest";

std::uint64_t digestCount(const std::string& text)
{
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::string quotedTable(std::string_view name)
{
    std::string text = "`";
    for (const char c : name)
        text += c == '`' ? std::string("``") : std::string(1, c);
    return text + "`";
}

//! Options of a table that stands for one of another server hold an account with its password.
std::string withoutAccounts(std::string text)
{
    for (const std::string_view option : {"connection", "password", "option_list"}) {
        std::size_t at = 0;
        while ((at = lowered(text).find(option, at)) != std::string::npos) {
            at += option.size();
            std::size_t begin = at;
            begin += begin < text.size() && text[begin] == '`' ? 1 : 0;
            if (text.compare(begin, 2, "='") != 0)
                continue;
            begin += 2;
            std::size_t end = begin;
            while (end < text.size() && (text[end] != '\'' || text.compare(end, 2, "''") == 0))
                end += text[end] == '\\' || text[end] == '\'' ? 2 : 1;
            text.replace(begin, std::min(end, text.size()) - begin, "…");
        }
    }
    return text;
}

} // namespace

Expected<std::string> MysqlAdmin::tableText(std::string_view table)
{
    const auto rows = query("SHOW CREATE TABLE " + quotedTable(table));
    if (!rows)
        return fail(rows.error());
    return rows->empty() || rows->front().size() < 2 ? std::string() : withoutAccounts(rows->front()[1]);
}

Expected<std::vector<DigestEntry>> MysqlAdmin::statementDigest()
{
    const auto missing = [this](std::string why) {
        return fail({ErrorKind::Refused, std::move(why), m_uri.display(), {}});
    };
    const std::string on = cell("SELECT @@performance_schema");
    if (on.empty())
        return missing("this server has no performance_schema");
    if (on != "1")
        return missing("performance_schema is off on this server");
    if (cell("SELECT enabled FROM performance_schema.setup_consumers WHERE name = 'statements_digest'") == "NO")
        return missing("performance_schema's consumer statements_digest is off on this server");
    if (!m_digestQuantiles)
        m_digestQuantiles = !cell(fmt::format("SELECT 1 FROM information_schema.columns WHERE table_schema = "
                                              "'performance_schema' AND table_name = '{}' AND column_name = "
                                              "'QUANTILE_99'",
                                              kDigestTable))
                                 .empty();
    const auto rows = query(fmt::format("SELECT COALESCE(schema_name, ''), COALESCE(digest, ''), COALESCE(digest_text, "
                                        "''), count_star, sum_timer_wait, sum_errors, sum_rows_sent, "
                                        "sum_rows_examined, {} FROM performance_schema.{}",
                                        *m_digestQuantiles ? "quantile_99" : "''", kDigestTable));
    if (!rows)
        return missing(fmt::format("this account may not read performance_schema: {}", rows.error().message));
    std::vector<DigestEntry> entries;
    for (const std::vector<std::string>& row : *rows) {
        if (row.at(2).find("performance_schema") != std::string::npos) // these questions
            continue;
        DigestEntry& entry = entries.emplace_back();
        entry.schema = row.at(0);
        entry.key = row.at(0) + '\n' + row.at(1);
        entry.text = row.at(1).empty() ? "(all kinds that the server had no room for)" : row.at(2);
        entry.count = digestCount(row.at(3));
        entry.seconds = double(digestCount(row.at(4))) / kPicosecondsPerSecond;
        entry.errors = digestCount(row.at(5));
        entry.rowsSent = digestCount(row.at(6));
        entry.rowsExamined = digestCount(row.at(7));
        if (*m_digestQuantiles)
            entry.p99Ms = double(digestCount(row.at(8))) / kPicosecondsPerMs;
    }
    // The digest has no statements that are prepared. MySQL counts these by connection, as long as it lasts; MariaDB
    // has that table, but 10.11 counts only all of them together.
    const bool byKind = lowered(mysql_get_server_info(m_connection.get())).find("mariadb") == std::string::npos;
    const auto prepared = query(
        byKind ? "SELECT sql_text, SUM(count_execute), SUM(sum_timer_execute), SUM(sum_errors), SUM(sum_rows_sent), "
                 "SUM(sum_rows_examined) FROM performance_schema.prepared_statements_instances GROUP BY sql_text"
               : "SELECT '(all prepared statements, which this server does not tell apart)', count_star, "
                 "sum_timer_wait, sum_errors, sum_rows_sent, sum_rows_examined FROM "
                 "performance_schema.events_statements_summary_global_by_event_name WHERE event_name = "
                 "'statement/com/Execute'");
    for (const std::vector<std::string>& row : prepared ? *prepared : TextRows()) {
        DigestEntry& entry = entries.emplace_back();
        entry.key = "prepared\n" + row.at(0);
        entry.text = row.at(0);
        entry.count = digestCount(row.at(1));
        entry.seconds = double(digestCount(row.at(2))) / kPicosecondsPerSecond;
        entry.errors = digestCount(row.at(3));
        entry.rowsSent = digestCount(row.at(4));
        entry.rowsExamined = digestCount(row.at(5));
    }
    return entries;
}

} // namespace dyno::mysql
