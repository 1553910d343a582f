// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Texts and parameter marks in SQL, for drivers that write values into statements themselves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! `text` in quotes, with its quotes doubled: standard SQL, for texts without a backslash.
inline std::string sqlText(std::string_view text)
{
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? std::string("''") : std::string(1, c);
    return result + "'";
}

//! What a server has beside the standard's quotes and comments.
struct SqlLexis
{
    bool backslashes = false;        //!< in quoted text one takes the character after it, a quote too
    bool hashComments = false;       //!< # begins a comment, up to the end of the line
    bool backslashesInNames = false; //!< they do so in names between backquotes too
    bool bareDashes = false;         //!< -- begins a comment without a blank after it
};

//! The index after the comment or quoted text that begins at `at`; `at` when none begins.
inline std::size_t skipQuoted(std::string_view text, std::size_t at, SqlLexis lexis)
{
    const char c = text[at];
    if (c == '\'' || c == '"' || c == '`') {
        for (std::size_t i = at + 1; i < text.size(); ++i) {
            if (text[i] == '\\' && (c == '`' ? lexis.backslashesInNames : lexis.backslashes))
                ++i;
            else if (text[i] == c)
                return i + 1;
        }
        return text.size();
    }
    if (text.substr(at).starts_with("/*")) {
        const std::size_t end = text.find("*/", at + 2);
        return end == std::string_view::npos ? text.size() : end + 2;
    }
    if ((c == '#' && lexis.hashComments) || text.substr(at).starts_with(lexis.bareDashes ? "--" : "-- ")) {
        const std::size_t end = text.find('\n', at);
        return end == std::string_view::npos ? text.size() : end + 1;
    }
    return at;
}

//! The statement cut at its parameter marks `?`, of which those in quotes and comments are none. Pieces are views into
//! `text`.
inline std::vector<std::string_view> piecesBetweenMarks(std::string_view text, SqlLexis lexis)
{
    std::vector<std::string_view> pieces;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '?') {
            pieces.push_back(text.substr(begin, i - begin));
            begin = ++i;
            continue;
        }
        const std::size_t after = skipQuoted(text, i, lexis);
        i = after == i ? i + 1 : after;
    }
    pieces.push_back(text.substr(begin));
    return pieces;
}

} // namespace dyno
