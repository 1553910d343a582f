// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Rows as INSERT … FORMAT TabSeparated reads them. Requests hold them as MySQL's LOAD DATA reads them, which is almost
//! the same.
#pragma once

#include <string>
#include <string_view>

namespace dyno::clickhouse {

//! `rows` as the server reads them: `rows` itself where both formats say the same, else in `out`. LOAD DATA has \Z, a
//! backslash before any other character is that character there, and the last line may end without a line break.
[[nodiscard]] std::string_view bulkRows(std::string_view rows, std::string& out);

} // namespace dyno::clickhouse
