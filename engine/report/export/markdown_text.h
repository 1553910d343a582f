// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Text and tables as Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dyno::report {

//! Text inside a table cell or a line: nothing in it may end the cell or start markup. An underscore inside a word is
//! none, and names are full of them.
[[nodiscard]] std::string escaped(std::string_view text);
//! A row of a table; the cells are Markdown.
[[nodiscard]] std::string row(const std::vector<std::string>& cells);
//! The line below a table's head: the first column to the left, the others to the right.
[[nodiscard]] std::string rule(std::size_t columns);

} // namespace dyno::report
