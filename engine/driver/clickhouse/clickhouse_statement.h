// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Statements with their values written into them: the server's own parameters are younger than many servers, and are
//! no part of INSERT … VALUES.
#pragma once

#include "driver/request.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::clickhouse {

//! Adds `text` in quotes, whatever bytes it has, so that it is one text for the server and ends where it ends.
void appendQuoted(std::string& out, std::string_view text);
[[nodiscard]] std::string textQuoted(std::string_view text);
//! Adds a value as a statement has it.
void appendValue(std::string& out, const Param& value);
//! A name in backquotes, whatever it holds.
[[nodiscard]] std::string nameQuoted(std::string_view name);

//! How many rows an INSERT … VALUES gives; −1 of another statement. A server without a summary of what it wrote takes
//! all of them or none.
[[nodiscard]] std::int64_t rowsGiven(std::string_view statement);

//! A statement cut at its parameter marks.
class BoundStatement
{
public:
    explicit BoundStatement(const StatementSpec& spec);
    [[nodiscard]] std::size_t parameters() const { return m_pieces.size() - 1; }
    [[nodiscard]] std::int64_t rowsGiven() const { return m_rowsGiven; }
    //! The statement with its values in place of `out`; `params` are as many as parameters().
    void write(std::string& out, std::span<const Param> params) const;

private:
    std::vector<std::string> m_pieces;
    std::int64_t m_rowsGiven = -1;
};

} // namespace dyno::clickhouse
