// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Names with * for any text, as a person writes them.
#pragma once

#include "base/text.h"

namespace dyno {

//! Case of ASCII letters does not matter; * stands for any text, also none.
[[nodiscard]] inline bool fitsPattern(std::string_view text, std::string_view pattern)
{
    std::size_t at = 0, in = 0;
    std::size_t star = std::string_view::npos, from = 0; // the last *, and where what it stands for ends so far
    while (at < text.size()) {
        if (in < pattern.size() && pattern[in] == '*') {
            star = in++;
            from = at;
        } else if (in < pattern.size() && lowered(pattern[in]) == lowered(text[at])) {
            ++in;
            ++at;
        } else if (star != std::string_view::npos) {
            in = star + 1;
            at = ++from;
        } else {
            return false;
        }
    }
    while (in < pattern.size() && pattern[in] == '*')
        ++in;
    return in == pattern.size();
}

} // namespace dyno
