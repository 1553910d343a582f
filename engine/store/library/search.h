// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The query line of Library::search(), as conditions on the table session.
#pragma once

#include <dyno/error.h>
#include <dyno/samples.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dyno {

struct SearchCondition
{
    std::string where; //!< SQL about `s`, the row of session, with a place for each value; never text of the query
    std::vector<std::variant<std::int64_t, double, std::string>> values;
    std::vector<std::pair<RunStatus, bool>> statuses; //!< that the session must have (false: must not)
};

//! Reads the line; see Library::search() for its words.
[[nodiscard]] Expected<SearchCondition> parseSearch(std::string_view query);

} // namespace dyno
