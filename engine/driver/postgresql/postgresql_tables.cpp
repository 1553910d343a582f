// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_tables.h"

#include "base/text.h"
#include "postgresql_admin.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace dyno::postgresql {

Expected<std::vector<TableInfo>> PostgresqlAdmin::tableInfos()
{
    // Columns that only newer versions have are read through JSON.
    auto rows = query(
        "SELECT c.relname, quote_ident(c.relname), c.relkind, c.reltuples::bigint, a.attname, quote_ident(a.attname), "
        "lower(format_type(a.atttypid, a.atttypmod)), a.atthasdef, COALESCE((SELECT k.place FROM unnest(i.indkey) WITH "
        "ORDINALITY AS k (number, place) WHERE k.number = a.attnum), 0), COALESCE(to_jsonb(a) ->> 'attidentity', ''), "
        "COALESCE(to_jsonb(a) ->> 'attgenerated', ''), a.attnotnull, EXISTS (SELECT 1 FROM pg_attrdef d WHERE "
        "d.adrelid = c.oid AND d.adnum = a.attnum AND pg_get_expr(d.adbin, d.adrelid) LIKE '%nextval(%') FROM "
        "pg_class c JOIN pg_attribute a ON a.attrelid "
        "= c.oid AND "
        "a.attnum > 0 AND NOT a.attisdropped LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary WHERE "
        "c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f') "
        "ORDER BY c.relname, a.attnum");
    if (!rows)
        return fail(std::move(rows.error()));
    constexpr std::array<std::string_view, 3> kWhole{"smallint", "integer", "bigint"};
    const auto number = [](const std::string& text) {
        std::int64_t value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        return value;
    };
    std::vector<TableInfo> tables;
    for (const std::vector<std::string>& row : *rows) {
        if (tables.empty() || tables.back().name != row.at(0)) {
            TableInfo& table = tables.emplace_back();
            table.name = row.at(0);
            table.written = row.at(1);
            table.view = row.at(2) == "v" || row.at(2) == "m";
            // 0: never counted, in versions before 14
            table.rows = row.at(2) == "v" || number(row.at(3)) <= 0 ? -1 : number(row.at(3));
        }
        ColumnInfo& column = tables.back().columns.emplace_back();
        column.name = row.at(4);
        column.written = row.at(5);
        column.type = row.at(6);
        column.keyPlace = int(number(row.at(8)));
        column.computed = row.at(9) == "a" || !row.at(10).empty();
        // A key needs a default that counts.
        const bool standard = column.keyPlace > 0 ? row.at(12) == "t" : row.at(7) == "t";
        column.filled = column.computed || standard || !row.at(9).empty();
        column.nullable = row.at(11) != "t";
        column.whole = std::ranges::find(kWhole, column.type) != kWhole.end();
        column.number = column.whole || column.type.starts_with("numeric") || column.type == "real" ||
                        column.type == "double precision";
    }
    return tables;
}

PlanStep planStepOf(const KeptRows& answer, std::size_t row)
{
    constexpr std::string_view kScan = "Seq Scan on ";
    PlanStep step;
    step.text = answer.asText(row, 0);
    if (const std::size_t at = step.text.find(kScan); at != std::string::npos) {
        const std::size_t begin = at + kScan.size();
        step.wholeTable = step.text.substr(begin, step.text.find(' ', begin) - begin);
    }
    return step;
}

} // namespace dyno::postgresql
