// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Tables as a server describes them, and how it would run a statement. Plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dyno {

struct ColumnInfo
{
    std::string name;    //!< as the server has it
    std::string written; //!< as a statement writes it: in quotes where the server needs them
    std::string type;    //!< lower case, as the server prints it
    int keyPlace = 0;    //!< in the primary key, from 1; 0: not in it
    bool nullable = true;
    bool whole = false;  //!< holds whole numbers
    bool number = false; //!< holds numbers, whole ones too
    //! The server gives it a value where an INSERT has none: it counts, computes or has a default.
    bool filled = false;
    bool computed = false; //!< always by the server: no statement may write it
};

struct TableInfo
{
    std::string name, written; //!< as in ColumnInfo
    std::int64_t rows = -1;    //!< about so many, as the server estimates them; -1: it does not say
    bool view = false;
    std::vector<ColumnInfo> columns;
};

//! A step of how a server would run a statement, as it tells it.
struct PlanStep
{
    std::string text;       //!< indented where it is a part of the step before
    std::string wholeTable; //!< it reads this table, or an index of it, from end to end; "": it does not
};

} // namespace dyno
