// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Text of somebody else's, for people to read: what steers a terminal, turns the reading direction around or cannot be
//! seen is written out, as \u{202E}.
#pragma once

#include <string>
#include <string_view>

namespace dyno {

enum class TextLayout {
    OneLine, //!< line breaks and tabs are written out too
    Keep,    //!< line breaks and tabs stay: the text holds some of ours
    Quoted,  //!< each of several lines begins with "│ " on a line of its own, which none of ours does
};

//! `text` (UTF-8) with each control character (C0, DEL, C1), mark of the reading direction, character without width and
//! line or paragraph separator written as \u{HEX}, and each byte that is no UTF-8 as \x{HEX}. Everything else stays as
//! it is, a backslash too. Any thread.
[[nodiscard]] std::string visibleText(std::string_view text, TextLayout layout = TextLayout::OneLine);

} // namespace dyno
