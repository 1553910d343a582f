// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Tables as PostgreSQL's own catalogue tells them, so that those of two programs can be compared.
#pragma once

#include "driver/driver.h"

#include <fmt/format.h>

#include <QString>
#include <QStringList>

#include <string>

namespace dyno::test {

//! A line for each column, key, index and table whose name is like `pattern`: types, defaults, the order of columns,
//! what an index is made of, fill factors. A column that counts by itself does so by a sequence or as an identity,
//! which is the same here.
inline QStringList catalogOf(Admin& admin, const std::string& pattern)
{
    const std::string queries[] = {
        fmt::format("SELECT table_name, ordinal_position, column_name, data_type, "
                    "coalesce(character_maximum_length::text, ''), is_nullable, CASE WHEN is_identity = 'YES' OR "
                    "column_default LIKE 'nextval%' THEN 'counts' ELSE coalesce(column_default, '') END FROM "
                    "information_schema.columns WHERE table_name LIKE '{}' ORDER BY 1, 2",
                    pattern),
        fmt::format("SELECT tablename, indexname, indexdef FROM pg_indexes WHERE tablename LIKE '{}' ORDER BY 1, 2",
                    pattern),
        fmt::format(
            "SELECT conrelid::regclass::text, conname, contype, pg_get_constraintdef(oid) FROM pg_constraint WHERE "
            "conrelid::regclass::text LIKE '{}' ORDER BY 1, 2",
            pattern),
        fmt::format("SELECT relname, relkind, relpersistence, coalesce((SELECT option_value FROM "
                    "pg_options_to_table(reloptions) WHERE option_name = 'fillfactor'), CASE relkind WHEN 'i' THEN "
                    "'90' ELSE '100' END) FROM pg_class WHERE relname LIKE '{}' AND relkind IN ('r', 'i') ORDER BY 1",
                    pattern)};
    QStringList lines;
    for (const std::string& query : queries) {
        const auto rows = admin.query(query);
        if (!rows) {
            lines << QString::fromStdString(rows.error().text());
            continue;
        }
        for (const auto& row : *rows) {
            QStringList fields;
            for (const std::string& field : row)
                fields << QString::fromStdString(field);
            lines << fields.join(" | ");
        }
    }
    return lines;
}

} // namespace dyno::test
