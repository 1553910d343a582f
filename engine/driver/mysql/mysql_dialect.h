// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The SQL of MySQL and MariaDB; in every build, also in one without their client library.
#pragma once

#include <dyno/catalog.h>

#include <fmt/format.h>

#include <algorithm>

namespace dyno {

//! Of MariaDB, from 11.7 on.
inline VectorDialect mysqlVectors()
{
    VectorDialect vectors;
    vectors.type = "VECTOR({})";
    vectors.value = "VEC_FromText({})";
    vectors.euclidean = "VEC_DISTANCE_EUCLIDEAN({0}, {1})";
    vectors.cosine = "VEC_DISTANCE_COSINE({0}, {1})";
    vectors.found = "SHOW VARIABLES LIKE 'mhnsw_ef_search'";
    vectors.missing = "this server has no vectors with an index";
    vectors.remedy = "use MariaDB 11.7 or newer";
    vectors.mostIndexed = 16383; // of a column
    vectors.index = [](const VectorIndex& index) -> std::string {
        if (index.kind != VectorIndexKind::Hnsw || index.m < 3 || index.m > 200) // limits of M in MariaDB
            return {};
        return fmt::format("ALTER TABLE {0} ADD VECTOR INDEX {0}_{1} ({1}) M={2} DISTANCE={3}", index.table,
                           index.column, index.m, index.metric == VectorMetric::Cosine ? "cosine" : "euclidean");
    };
    vectors.session = [](const VectorIndex& index) -> Settings { return {{"mhnsw_ef_search", index.efSearch}}; };
    return vectors;
}

//! Of MyRocks, which reads it from the comment of a key; of a table with partitions it reads one for each.
inline std::string mysqlKeyFamily(std::string_view engine, std::string_view family, std::int64_t partitions)
{
    constexpr std::size_t kLongestComment = 1024; // INDEX_COMMENT_MAXLEN, letters
    const bool rocks = std::ranges::equal(engine, std::string_view("ROCKSDB"),
                                          [](char a, char b) { return (a >= 'a' && a <= 'z' ? a - 32 : a) == b; });
    if (!rocks)
        return {};
    std::string comment = partitions > 0 ? std::string() : fmt::format("cfname={}", family);
    for (std::int64_t i = 0; i < partitions && comment.size() <= kLongestComment; ++i)
        comment += fmt::format("{}p{}_cfname={}", i > 0 ? ";" : "", i, family);
    return comment.size() <= kLongestComment ? fmt::format(" COMMENT '{}'", comment) : std::string();
}

inline SqlDialect mysqlDialect()
{
    SqlDialect sql;
    sql.unsignedInteger = "INT UNSIGNED";
    sql.unsignedBig = "BIGINT UNSIGNED";
    sql.longText = "MEDIUMTEXT";
    sql.longBytes = "MEDIUMBLOB";
    sql.autoIncrement = " AUTO_INCREMENT";
    sql.zeroCounts = true;
    sql.keysInTable = true;
    sql.tableOptions = TableOptions::NamedValues;
    sql.storageEngines = true;
    sql.partitions = true;
    sql.keyFamily = mysqlKeyFamily;
    sql.keyFamilyRemedy = "set table.engine to ROCKSDB, and table.partitions to at most 32";
    sql.showCreate = "SHOW CREATE TABLE {}";
    sql.vectors = mysqlVectors();
    sql.addIndex = "ALTER TABLE {table} ADD INDEX {index} ({columns})";
    sql.dropIndex = "ALTER TABLE {table} DROP INDEX {index}";
    sql.analyze = "ANALYZE TABLE {table}";
    sql.readOnly = "SET SESSION TRANSACTION READ ONLY";
    sql.rebuild = "ALTER TABLE {table} FORCE";
    sql.analyzeReports = true;
    sql.alterAlgorithms = true;
    sql.foreignKeysLater = true;
    sql.upsert = " ON DUPLICATE KEY UPDATE {change}";
    sql.inserted = "VALUES({})";
    sql.upsertTells = true;
    sql.useIndex = " FORCE INDEX ({})";
    sql.decrement = "IF({0} = 0, 0, {0} - 1)";
    sql.limitedDelete = true;
    sql.takesFiles = "SELECT 1 FROM DUAL WHERE @@GLOBAL.local_infile = 1"; // LOAD DATA LOCAL
    sql.takesFilesRemedy = "set local_infile = ON there";
    sql.rowTooLarge = {1118}; // ER_TOO_BIG_ROWSIZE
    return sql;
}

} // namespace dyno
