// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Prepared statements as scripts hold them, with their parameters and answers. What a statement is done with stands in
//! memory that no script reaches, and is there already when it is done: doing it allocates nothing.
#pragma once

#include <cstdint>

struct lua_State;

namespace dyno::lua {

//! What a script holds is one of these; anything else that it passes is none.
enum class ObjectKind : std::uint64_t {
    Param = 0x6f6e7964'00000001,
    Statement,
    Answer,
};

//! Of a prepared statement: one for all times that it is done, as in sysbench.
struct AnswerObject
{
    static constexpr ObjectKind kKind = ObjectKind::Answer;
    ObjectKind kind = kKind;
    std::int64_t rows = 0;
};

//! Adds to the table on top: "prepare", "execute", "partsOf", and the classes "statement" and "param", whose tables are
//! the interpreter's.
void addStatements(lua_State* lua);

} // namespace dyno::lua
