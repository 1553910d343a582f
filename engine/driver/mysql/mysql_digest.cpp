// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_admin.h"

#include "base/text.h"
#include "driver/sql_text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace dyno::mysql {

namespace {

constexpr double kPicosecondsPerSecond = 1e12;
constexpr double kPicosecondsPerMs = 1e9;
constexpr unsigned kNoSuchVariable = 1193, kTableDenied = 1142, kDatabaseDenied = 1044; //!< errors of servers
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

constexpr SqlLexis kLexisOfDigest{.backslashes = true, .hashComments = true};

bool isNameByte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

//! The end of the text that begins at `at`: two that touch are one.
std::size_t literalEnd(std::string_view text, std::size_t at)
{
    const char mark = text[at];
    do
        at = skipQuoted(text, at, kLexisOfDigest);
    while (at < text.size() && text[at] == mark);
    return at;
}

//! Options and comments of a table that stands for one of another server hold an account with its password.
std::string withoutAccounts(std::string_view table)
{
    std::string text, word;
    for (std::size_t i = 0; i < table.size();) {
        const char c = table[i];
        std::size_t end = i + 1;
        if (c == '\'') {
            end = literalEnd(table, i);
            const std::string inside = lowered(table.substr(i, end - i));
            const bool account = word == "connection" || word == "password" || word == "option_list" ||
                                 (word == "comment" && inside.find("password") != std::string::npos);
            text += account ? std::string_view("'…'") : table.substr(i, end - i);
            word.clear();
        } else if (c == '`' || c == '"') {
            end = literalEnd(table, i);
            text += table.substr(i, end - i);
            word = end - i > 2 ? lowered(table.substr(i + 1, end - i - 2)) : std::string();
        } else if (isNameByte(c)) {
            while (end < table.size() && isNameByte(table[end]))
                ++end;
            text += table.substr(i, end - i);
            word = lowered(table.substr(i, end - i));
        } else {
            if (c != '=' && c != ' ')
                word.clear();
            text += c;
        }
        i = end;
    }
    return text;
}

//! Of a statement as its client wrote it: "texts" too may be secrets, unless they are names.
std::string withoutQuotedTexts(std::string_view statement)
{
    std::string text;
    for (std::size_t i = 0; i < statement.size();) {
        const char c = statement[i];
        const std::size_t end = c == '\'' || c == '"' ? literalEnd(statement, i)
                                                      : std::max(i + 1, skipQuoted(statement, i, kLexisOfDigest));
        text += c == '\'' || c == '"' ? std::string_view("?") : statement.substr(i, end - i);
        i = end;
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
    const auto on = query("SELECT @@performance_schema");
    if (!on && mysql_errno(m_connection.get()) == kNoSuchVariable)
        return missing("this server has no performance_schema");
    if (!on)
        return fail(on.error());
    if (on->empty() || on->front().empty() || on->front().front() != "1")
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
    if (!rows) {
        const unsigned code = mysql_errno(m_connection.get());
        const bool denied = code == kTableDenied || code == kDatabaseDenied;
        return missing(fmt::format(
            "{}: {}", denied ? "this account may not read performance_schema" : "performance_schema could not be read",
            rows.error().message));
    }
    std::vector<DigestEntry> entries;
    for (const std::vector<std::string>& row : *rows) {
        if (row.at(2).find("performance_schema") != std::string::npos) // these questions
            continue;
        DigestEntry& entry = entries.emplace_back();
        entry.schema = row.at(1).empty() ? m_uri.database : row.at(0);
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
    const auto prepared =
        query(byKind ? "SELECT p.sql_text, SUM(p.count_execute), SUM(p.sum_timer_execute), SUM(p.sum_errors), "
                       "SUM(p.sum_rows_sent), SUM(p.sum_rows_examined), COALESCE(t.processlist_db, '') FROM "
                       "performance_schema.prepared_statements_instances p LEFT JOIN performance_schema.threads t ON "
                       "t.thread_id = p.owner_thread_id GROUP BY p.sql_text, t.processlist_db"
                     : "SELECT '(all prepared statements: this server counts them as one kind)', count_star, "
                       "sum_timer_wait, sum_errors, sum_rows_sent, sum_rows_examined FROM "
                       "performance_schema.events_statements_summary_global_by_event_name WHERE event_name = "
                       "'statement/com/Execute'");
    for (const std::vector<std::string>& row : prepared ? *prepared : TextRows()) {
        DigestEntry& entry = entries.emplace_back();
        entry.schema = byKind ? row.at(6) : m_uri.database;
        entry.key = "prepared\n" + entry.schema + '\n' + row.at(0);
        entry.text = byKind ? withoutQuotedTexts(row.at(0)) : row.at(0);
        entry.count = digestCount(row.at(1));
        entry.seconds = double(digestCount(row.at(2))) / kPicosecondsPerSecond;
        entry.errors = digestCount(row.at(3));
        entry.rowsSent = digestCount(row.at(4));
        entry.rowsExamined = digestCount(row.at(5));
    }
    return entries;
}

} // namespace dyno::mysql
