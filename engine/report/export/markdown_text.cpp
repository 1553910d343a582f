// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/export/markdown_text.h"

#include <cctype>

namespace dyno::report {

std::string escaped(std::string_view text)
{
    const auto isWord = [text](std::size_t at) {
        return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
    };
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (static_cast<unsigned char>(c) < ' ') { // also what a terminal obeys
            result += ' ';
            continue;
        }
        const bool insideWord = c == '_' && i > 0 && isWord(i - 1) && isWord(i + 1);
        if (std::string_view("\\|*_`<[").find(c) != std::string_view::npos && !insideWord)
            result += '\\';
        result += c;
    }
    return result;
}

std::string row(const std::vector<std::string>& cells)
{
    std::string text = "|";
    for (const std::string& cell : cells)
        text += " " + cell + " |";
    return text + "\n";
}

std::string rule(std::size_t columns)
{
    std::string text = "|:---|";
    for (std::size_t i = 1; i < columns; ++i)
        text += "---:|";
    return text + "\n";
}

} // namespace dyno::report
