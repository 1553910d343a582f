// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/export.h>

#include <charconv>

namespace dyno {

namespace {

bool actsAsFormula(std::string_view field)
{
    if (field.empty() || std::string_view("=+-@\t\r\n").find(field.front()) == std::string_view::npos)
        return false;
    double number = 0;
    const char* const end = field.data() + field.size();
    const auto [stop, problem] = std::from_chars(field.data(), end, number);
    return problem != std::errc() || stop != end;
}

} // namespace

std::string csvField(std::string_view field)
{
    std::string text;
    if (actsAsFormula(field))
        text += '\'';
    if (field.find_first_of(",\"\r\n") == std::string_view::npos)
        return text += field;
    text.insert(text.begin(), '"');
    for (const char c : field) {
        if (c == '"')
            text += '"';
        text += c;
    }
    return text += '"';
}

} // namespace dyno
