// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The SQL of ClickHouse.
#pragma once

#include <dyno/catalog.h>

namespace dyno {

[[nodiscard]] SqlDialect clickhouseDialect();

namespace clickhouse {

//! A MergeTree table in place of "CREATE TABLE t (a INTEGER NOT NULL, …, PRIMARY KEY (a))": the key says how rows are
//! sorted, and no two of them are told apart by it. Types as all versions know them.
[[nodiscard]] std::string mergeTreeTable(std::string_view usual);

} // namespace clickhouse

} // namespace dyno
