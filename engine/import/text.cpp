// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/text.h"

#include "import/secrets.h"

#include <algorithm>
#include <chrono>

namespace dyno::import {

std::optional<double> looseNumberOf(std::string_view text, bool decimalComma)
{
    text = trimmed(text);
    if (!decimalComma) {
        if (const auto plain = numberOf(text))
            return plain;
    }
    std::string digits;
    std::size_t at = 0;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        if (text[0] == '-')
            digits = "-";
        ++at;
    }
    const char point = decimalComma ? ',' : '.';
    std::size_t group = 0; // digits since the last separator of thousands
    char separator = 0;
    const std::size_t first = at;
    for (; at < text.size() && text[at] != point && text[at] != 'e' && text[at] != 'E'; ++at) {
        const char c = text[at];
        if (isDigit(c)) {
            digits += c;
            ++group;
        } else if (c == ',' || c == '.' || c == ' ' || c == '\'') {
            // 1 to 3 digits that do not begin with 0, then groups of three
            const bool fits =
                separator == 0 ? group >= 1 && group <= 3 && text[first] != '0' : c == separator && group == 3;
            if (!fits)
                return std::nullopt;
            separator = c;
            group = 0;
        } else {
            return std::nullopt;
        }
    }
    if (separator != 0 && group != 3)
        return std::nullopt;
    if (at < text.size() && text[at] == point) {
        digits += '.';
        for (++at; at < text.size() && isDigit(text[at]); ++at)
            digits += text[at];
    }
    return numberOf(digits.append(text.substr(at)));
}

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t at = text.find(separator);
        parts.push_back(trimmed(text.substr(0, at)));
        if (at == std::string_view::npos)
            return parts;
        text.remove_prefix(at + 1);
    }
}

std::vector<std::string_view> words(std::string_view text)
{
    std::vector<std::string_view> found;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(" \t\r\n", at)) != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
        found.push_back(text.substr(at, end - at));
        at = end;
    }
    return found;
}

std::vector<std::string> csvFields(std::string_view line, char separator)
{
    std::vector<std::string> fields;
    std::size_t at = 0;
    for (;;) {
        std::string field;
        while (at < line.size() && line[at] == ' ' && separator != ' ')
            ++at;
        if (at < line.size() && line[at] == '"') {
            for (++at; at < line.size(); ++at) {
                if (line[at] != '"') {
                    field += line[at];
                } else if (at + 1 < line.size() && line[at + 1] == '"') {
                    field += '"';
                    ++at;
                } else {
                    ++at;
                    break;
                }
            }
            at = std::min(line.find(separator, at), line.size());
        } else {
            const std::size_t end = std::min(line.find(separator, at), line.size());
            field = trimmed(line.substr(at, end - at));
            at = end;
        }
        fields.push_back(std::move(field));
        if (at >= line.size())
            return fields;
        ++at;
    }
}

namespace {

//! Length of the valid UTF-8 sequence at the beginning of `text`; 0 when there is none.
std::size_t sequence(std::string_view text)
{
    const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xc2 && first < 0xe0 ? 2
                               : first >= 0xe0 && first < 0xf0 ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 0;
    if (length == 0 || length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
    }
    if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) || (first == 0xf0 && byte(1) < 0x90) ||
        (first == 0xf4 && byte(1) > 0x8f))
        return 0;
    return length;
}

} // namespace

std::string shown(std::string_view text, std::size_t most)
{
    std::string out;
    while (!text.empty()) {
        if (out.size() >= most) {
            out += "…";
            break;
        }
        const std::size_t length = sequence(text);
        if (length == 0)
            out += '?';
        else if (length == 1 && (static_cast<unsigned char>(text[0]) < 0x20 || text[0] == 0x7f))
            out += ' ';
        else
            out += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    hideSecrets(out.data(), out.size());
    return out;
}

std::optional<std::int64_t> timeOf(std::string_view text)
{
    text = trimmed(text);
    if (text.size() < 19 || text[4] != '-' || text[7] != '-' || (text[10] != ' ' && text[10] != 'T') ||
        text[13] != ':' || text[16] != ':')
        return std::nullopt;
    const auto part = [&text](std::size_t at, std::size_t length) {
        const auto value = countOf(text.substr(at, length));
        return value ? static_cast<int>(*value) : -1;
    };
    using namespace std::chrono;
    const int y = part(0, 4), mo = part(5, 2), d = part(8, 2), h = part(11, 2), mi = part(14, 2), s = part(17, 2);
    const year_month_day date{year(y), month(static_cast<unsigned>(mo)), day(static_cast<unsigned>(d))};
    if (y < 1970 || mo < 0 || d < 0 || !date.ok() || h < 0 || h > 23 || mi < 0 || mi > 59 || s < 0 || s > 60)
        return std::nullopt;
    const auto time = sys_days(date).time_since_epoch() + hours(h) + minutes(mi) + seconds(s);
    return duration_cast<milliseconds>(time).count();
}

} // namespace dyno::import
