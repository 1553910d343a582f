// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a log's readers and its runs ask about a statement, in the language that the log has.
#pragma once

#include "driver/request.h"
#include <dyno/catalog.h>

#include <string>
#include <string_view>

namespace dyno::recorded {

struct StatementLanguage
{
    DataModel model;
    //! Its kind: the text with ? for each value. "": it says nothing.
    std::string (*digest)(std::string_view text);
    std::string (*name)(std::string_view digest); //!< in tables and charts
    OpClass (*opClass)(std::string_view digest);
    //! Its words change nothing and lock nothing.
    bool (*onlyReads)(std::string_view text);
    RequestKind (*step)(std::string_view digest);
};

[[nodiscard]] const StatementLanguage& backquotedSql(); //!< Quoting::BackslashAndBackquote
[[nodiscard]] const StatementLanguage& standardSql();   //!< Quoting::Standard
[[nodiscard]] const StatementLanguage& commandsInJson();

} // namespace dyno::recorded
