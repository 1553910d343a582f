// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The kind of a statement: its text with ? for each value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dyno::recorded {

//! How a product writes values and comments.
enum class Quoting : std::uint8_t {
    BackslashAndBackquote, //!< "a" is a value, `a` a name; \ escapes; # begins a comment
    Standard,              //!< 'a' is a value, "a" a name; E'\n', $tag$a$tag$
};

//! Without comments, in small letters but for quoted names, one blank between parts, lists of values as (...).
[[nodiscard]] std::string digestOf(std::string_view statement, Quoting quoting);
//! `statement` with values in place of $1, $2 …, as `details` has them: "$1 = '5', $2 = NULL".
[[nodiscard]] std::string withParameters(std::string_view statement, std::string_view details);

} // namespace dyno::recorded
