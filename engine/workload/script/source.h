// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The text of a script while it is read, and what is wrong with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace dyno::script {

//! The first thing that is wrong with a text.
struct Mistake
{
    int line = 0, column = 0; //!< from 1; columns count characters
    std::string what;
    std::string expected; //!< what would be right
};

//! A text and the place in it. Reading beyond the end gives zero bytes.
struct Source
{
    std::string_view text;
    std::size_t at = 0;
    // Where lineAt() was asked last, and the answer: it goes on from there.
    mutable std::size_t countedTo = 0;
    mutable int countedLine = 1;

    [[nodiscard]] bool ended() const { return at >= text.size(); }
    [[nodiscard]] char peek(std::size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
    [[nodiscard]] bool sees(std::string_view what) const
    {
        return text.substr(std::min(at, text.size())).starts_with(what);
    }
    //! A backslash at the end of a line, which goes on in the next one: its length, or 0.
    [[nodiscard]] std::size_t continuation() const { return sees("\\\n") ? 2 : sees("\\\r\n") ? 3 : 0; }
    void skipBlanks()
    {
        for (;;) {
            const char c = peek();
            if (!ended() && (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'))
                ++at;
            else if (const std::size_t length = continuation())
                at += length;
            else
                return;
        }
    }
    //! Up to the next blank or line break; empty at the end of a command.
    [[nodiscard]] std::string_view word()
    {
        skipBlanks();
        const std::size_t begin = at;
        while (!ended() && !continuation() && std::string_view(" \t\r\n\f\v").find(peek()) == std::string_view::npos)
            ++at;
        return text.substr(begin, at - begin);
    }
    [[nodiscard]] int lineAt(std::size_t place) const
    {
        place = std::min(place, text.size());
        if (place < countedTo) {
            countedTo = 0;
            countedLine = 1;
        }
        countedLine += int(std::ranges::count(text.substr(countedTo, place - countedTo), '\n'));
        countedTo = place;
        return countedLine;
    }
    [[nodiscard]] Mistake mistake(std::size_t place, std::string what, std::string expected) const
    {
        const std::string_view before = text.substr(0, std::min(place, text.size()));
        const std::size_t lineBreak = before.rfind('\n');
        const std::string_view inLine = before.substr(lineBreak == std::string_view::npos ? 0 : lineBreak + 1);
        const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }; // of UTF-8
        return {lineAt(place), 1 + int(std::ranges::count_if(inLine, begins)), std::move(what), std::move(expected)};
    }
};

[[nodiscard]] inline bool isNameStart(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
[[nodiscard]] inline bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
[[nodiscard]] inline bool isNamePart(char c)
{
    return isNameStart(c) || isDigit(c);
}
[[nodiscard]] inline bool isVariableName(std::string_view name)
{
    return !name.empty() && isNameStart(name.front()) && std::ranges::all_of(name, isNamePart);
}

//! The first byte that is no UTF-8; npos when all are.
[[nodiscard]] inline std::size_t firstForeignByte(std::string_view text)
{
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t more = lead < 0x80                   ? 0
                                 : lead >= 0xC2 && lead < 0xE0 ? 1
                                 : lead >= 0xE0 && lead < 0xF0 ? 2
                                                               : 3;
        if (lead >= 0x80 && (lead < 0xC2 || lead > 0xF4))
            return i;
        for (std::size_t k = 1; k <= more; ++k) {
            const auto next = static_cast<unsigned char>(i + k < text.size() ? text[i + k] : '\0');
            const bool narrow = k == 1 && ((lead == 0xE0 && next < 0xA0) || (lead == 0xED && next > 0x9F) ||
                                           (lead == 0xF0 && next < 0x90) || (lead == 0xF4 && next > 0x8F));
            if ((next & 0xC0) != 0x80 || narrow)
                return i;
        }
        i += 1 + more;
    }
    return std::string_view::npos;
}

} // namespace dyno::script
