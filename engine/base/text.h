// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Words as programs write them: ASCII only, whatever the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace dyno {

[[nodiscard]] inline char lowered(char c)
{
    return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

[[nodiscard]] inline std::string lowered(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lowered(c); });
    return result;
}

//! Without the characters of `blank` at both ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text, std::string_view blank = " \t\r\n\v\f")
{
    const std::size_t first = text.find_first_not_of(blank);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

//! True for text with a byte that steers whatever reads it: a line break, a NUL, an escape.
[[nodiscard]] inline bool hasControlByte(std::string_view text)
{
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

} // namespace dyno
