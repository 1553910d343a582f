// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the text of a statement says about its effect. No parser of SQL: what is not known counts as a change that may
//! stay.
#pragma once

#include "driver/request.h"
#include <dyno/catalog.h>

#include <string_view>

namespace dyno {

struct StatementEffect
{
    OpClass opClass = OpClass::Other;
    bool changes = false;
    //! A rollback takes back what it does, where the server has transactions. False too where servers may read the text
    //! in different ways: a comment with code, a quoted text with a backslash before its end.
    bool undone = true;
};
//! Of all statements of the text together; for the class one that writes decides, then one that reads.
[[nodiscard]] StatementEffect effectOf(std::string_view text);

//! After a rollback, on a server that has transactions or one that does not.
[[nodiscard]] constexpr bool mayStay(const StatementEffect& effect, bool transactions)
{
    return effect.changes && (!transactions || !effect.undone);
}

//! True for one statement whose words change nothing and lock nothing, however a server may read them. What the
//! functions do that it calls, its words do not tell.
[[nodiscard]] bool onlyReads(std::string_view text);

//! False for those that define something, such as an index, or set something up. What a function or procedure does is
//! not known: a call of one may make rows.
[[nodiscard]] bool mayMakeRows(std::string_view text);

//! One that begins or ends a transaction, and says nothing more, is a step; Text: any other.
[[nodiscard]] RequestKind statementStep(std::string_view text);

} // namespace dyno
