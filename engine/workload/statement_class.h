// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a statement of somebody's own does, as far as its words tell.
#pragma once

#include "driver/request.h"
#include <dyno/catalog.h>

#include <string_view>

namespace dyno {

//! Of one statement.
[[nodiscard]] OpClass statementClass(std::string_view text);
//! One that begins or ends a transaction, and says nothing more, is a step; Text: any other.
[[nodiscard]] RequestKind statementStep(std::string_view text);
//! True where a comment holds what servers of MySQL's family run: /*! … */.
[[nodiscard]] bool hasCodeInComments(std::string_view text);
//! True for one statement whose words change nothing and lock nothing. What the functions do that it calls, its words
//! do not tell.
[[nodiscard]] bool onlyReads(std::string_view text);

} // namespace dyno
