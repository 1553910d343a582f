// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Rows to the server as COPY … FROM STDIN. Requests hold them as MySQL's LOAD DATA reads them, which is almost COPY's
//! text format.
#pragma once

#include "postgresql_connection.h"

#include <string>
#include <string_view>
#include <vector>

namespace dyno::postgresql {

//! "COPY sbtest1 (id, k) FROM STDIN" for "sbtest1 (id, k)".
[[nodiscard]] std::string copyStatement(std::string_view table);
//! A query without rows whose columns are those that the rows are for.
[[nodiscard]] std::string copyColumnsQuery(std::string_view table);
//! Which columns of that query's result hold bytea, in their order.
[[nodiscard]] std::vector<bool> binaryColumns(const PGresult* description);

//! `rows` as COPY reads them: `rows` itself where both formats say the same, else in `out`. LOAD DATA has \0 and \Z,
//! and knows no octal or hexadecimal digits after a backslash; bytea is its bytes there and digits here.
[[nodiscard]] std::string_view copyRows(std::string_view rows, const std::vector<bool>& binary, std::string& out);

//! After COPY was begun: sends `rows` in pieces and ends it; false when the connection broke. Blocks. The library's
//! buffer would grow by all that it is given, so each piece is on its way before the next one follows.
[[nodiscard]] bool sendCopy(PGconn* connection, std::string_view rows);

} // namespace dyno::postgresql
