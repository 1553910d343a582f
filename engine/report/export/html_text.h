// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Text inside HTML and logs.
#pragma once

#include <string>
#include <string_view>

namespace dyno::report {

//! Safe between tags and inside quoted attributes.
[[nodiscard]] std::string htmlEscaped(std::string_view text);

} // namespace dyno::report
