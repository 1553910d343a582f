// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Characters of several bytes. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dyno {

//! A code point of Unicode, up to 0x10FFFF, behind the text.
void appendUtf8(std::string& to, std::uint32_t code);
//! The first `most` bytes, without a character that would be cut. Other bytes than UTF-8 are kept as they are.
[[nodiscard]] std::string_view wholeCharacters(std::string_view text, std::size_t most);

} // namespace dyno
