// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_admin.h"

#include "base/text.h"
#include "driver/sql_text.h"

#include <charconv>
#include <fmt/format.h>

namespace dyno::postgresql {

namespace {

constexpr double kMsPerSecond = 1e3;
constexpr const char* kDigestView = "pg_stat_statements";

std::uint64_t digestCount(const std::string& text)
{
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

double digestReal(const std::string& text)
{
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

} // namespace

Expected<std::string> PostgresqlAdmin::tableText(std::string_view table)
{
    const std::string name = sqlText(lowered(table));
    const auto columns = query(
        fmt::format("SELECT quote_ident(a.attname), format_type(a.atttypid, a.atttypmod), a.attnotnull, "
                    "COALESCE(pg_get_expr(d.adbin, d.adrelid), '') FROM pg_attribute a JOIN pg_class c ON c.oid "
                    "= a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum WHERE "
                    "c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relname = {} AND a.attnum "
                    "> 0 AND NOT a.attisdropped ORDER BY a.attnum",
                    name));
    if (!columns)
        return fail(columns.error());
    if (columns->empty())
        return std::string();
    const auto indexes = query(fmt::format(
        "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND tablename = {} ORDER BY indexname",
        name));
    if (!indexes)
        return fail(indexes.error());
    std::string text = fmt::format("CREATE TABLE {} (", lowered(table));
    bool first = true;
    for (const std::vector<std::string>& row : *columns) {
        text += fmt::format("{}\n  {} {}{}{}", first ? "" : ",", row.at(0), row.at(1),
                            row.at(2) == "t" ? " NOT NULL" : "", row.at(3).empty() ? "" : " DEFAULT " + row.at(3));
        first = false;
    }
    text += "\n)";
    for (const std::vector<std::string>& row : *indexes)
        text += ";\n" + row.at(0);
    return text;
}

Expected<std::vector<DigestEntry>> PostgresqlAdmin::statementDigest()
{
    const auto missing = [this](std::string why) {
        return fail({ErrorKind::Refused, std::move(why), m_uri.display(), {}});
    };
    const std::string schema = cell("SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = "
                                    "e.extnamespace WHERE e.extname = 'pg_stat_statements'");
    if (schema.empty())
        return missing("this database has no extension pg_stat_statements");
    // Columns whose names differ between versions are read through JSON.
    const auto rows = query(fmt::format(
        "SELECT COALESCE(b.datname, ''), s.userid || ' ' || s.dbid || ' ' || COALESCE(s.queryid, 0) || ' ' || "
        "COALESCE(to_jsonb(s) ->> 'toplevel', ''), s.query, s.calls, COALESCE(to_jsonb(s) ->> 'total_exec_time', "
        "to_jsonb(s) ->> 'total_time', '0'), s.rows FROM {}.{} s LEFT JOIN pg_database b ON b.oid = s.dbid",
        schema, kDigestView));
    if (!rows)
        return missing(fmt::format("pg_stat_statements could not be read: {}", rows.error().message));
    std::vector<DigestEntry> entries;
    for (const std::vector<std::string>& row : *rows) {
        if (row.at(2).find(kDigestView) != std::string::npos) // this question
            continue;
        DigestEntry& entry = entries.emplace_back();
        entry.schema = row.at(0);
        entry.key = row.at(1);
        entry.text = row.at(2);
        entry.count = digestCount(row.at(3));
        entry.seconds = digestReal(row.at(4)) / kMsPerSecond;
        entry.rowsSent = digestCount(row.at(5));
    }
    return entries;
}

} // namespace dyno::postgresql
