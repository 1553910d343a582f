// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The OLTP family on documents: collections sbtest1 … sbtestN of documents _id (the id), k, c, pad. Parameters stand
//! in the order of the SQL statements, so that transactions know no model. Sums and distinct values are aggregations.
#pragma once

#include "workload/oltp/oltp.h"

namespace dyno::oltp {

//! One of the statement kinds made for each table.
[[nodiscard]] StatementSpec documentSpec(Op kind, int table);
//! For each row: id, k, c, pad.
[[nodiscard]] StatementSpec documentInsert(int table, std::int64_t rows);
//! One document without an id, which the server makes: k, c, pad.
[[nodiscard]] StatementSpec documentInsertWithoutId(int table);
//! Documents with one of `values` values of k: those values.
[[nodiscard]] StatementSpec documentPoints(int values);
//! Counts the documents with k in one of `ranges` ranges: lower and upper end of each.
[[nodiscard]] StatementSpec documentRanges(int ranges);
//! Name, columns and commands; `suffix` is tableSuffix() for documents.
[[nodiscard]] TableSpec documentTable(int table, const std::string& suffix, bool indexOnK);

} // namespace dyno::oltp
