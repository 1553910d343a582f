// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Numbers for SQLSTATEs, which are five letters or digits; in every build, for results that another one measured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dyno::postgresql {

//! A number for a SQLSTATE: five digits as they are ("23505"), others by their digits and letters in base 36, above
//! 100 000. 0 for none.
[[nodiscard]] std::int32_t codeOf(std::string_view sqlState);
//! The SQLSTATE again.
[[nodiscard]] std::string sqlStateOf(std::int32_t code);

} // namespace dyno::postgresql
