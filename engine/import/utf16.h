// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Text as programs of Windows write it when their output is sent to a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dyno::import {

//! Turns UTF-16 into UTF-8 piece by piece; pieces may end anywhere. What is no character becomes U+FFFD.
class Utf16Decoder
{
public:
    //! One for text that begins with the byte-order mark of UTF-16, which decode() leaves out; nothing for any other
    //! text.
    static std::optional<Utf16Decoder> of(std::string_view begin);
    //! Adds what is whole of `bytes` to `out`, at most one and a half times as many bytes and six.
    void decode(std::string_view bytes, std::string& out);
    //! Adds what is left of a text that ends in the middle of a character.
    void finish(std::string& out);

private:
    explicit Utf16Decoder(bool bigEndian);
    void unit(std::uint32_t value, std::string& out);

    bool m_bigEndian;
    bool m_begun = false;     //!< the byte-order mark was seen
    int m_first = -1;         //!< the first byte of a unit whose second is not there yet
    std::uint32_t m_high = 0; //!< the first half of a character of two units
};

//! `text` itself, or as UTF-8 when it begins as UTF-16.
[[nodiscard]] std::string asUtf8(std::string text);

} // namespace dyno::import
