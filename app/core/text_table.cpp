// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fmt/format.h>

namespace dyno {

namespace {

bool continuesCharacter(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

} // namespace

TextTable::TextTable(std::vector<std::string> headings)
    : m_headings(std::move(headings))
{
    for (std::string& heading : m_headings) {
        m_right.push_back(heading.starts_with('>'));
        if (m_right.back())
            heading.erase(0, 1);
    }
}

void TextTable::add(std::vector<std::string> cells)
{
    cells.resize(m_headings.size());
    for (std::string& cell : cells)
        std::replace_if(
            cell.begin(), cell.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    m_rows.push_back(std::move(cells));
}

std::string TextTable::text() const
{
    std::vector<std::size_t> widths;
    for (std::size_t column = 0; column < m_headings.size(); ++column) {
        std::size_t width = characters(m_headings[column]);
        for (const auto& row : m_rows)
            width = std::max(width, characters(row[column]));
        widths.push_back(width);
    }
    std::string out;
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string text;
        for (std::size_t column = 0; column < cells.size(); ++column) {
            const std::string padding(widths[column] - characters(cells[column]), ' ');
            text += column ? "  " : "";
            text += m_right[column] ? padding + cells[column] : cells[column] + padding;
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out += text + "\n";
    };
    line(m_headings);
    for (const auto& row : m_rows)
        line(row);
    return out;
}

std::size_t characters(std::string_view text)
{
    return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return !continuesCharacter(c); }));
}

std::string shortened(std::string_view text, std::size_t width)
{
    if (characters(text) <= width)
        return std::string(text);
    if (width == 0)
        return {};
    std::size_t kept = 0, at = 0;
    while (at < text.size() && kept < width - 1) {
        ++at;
        while (at < text.size() && continuesCharacter(text[at]))
            ++at;
        ++kept;
    }
    return std::string(text.substr(0, at)) + "…";
}

std::string figure(double value)
{
    if (!std::isfinite(value))
        return "-";
    const double size = std::fabs(value);
    if (size == 0)
        return "0";
    if (size < 1)
        return fmt::format("{:.3g}", value);
    if (size < 10)
        return fmt::format("{:.2f}", value);
    if (size < 100)
        return fmt::format("{:.1f}", value);
    std::string digits = fmt::format("{:.0f}", value);
    for (std::size_t end = digits.size(); end > 3 + (value < 0 ? 1u : 0u); end -= 3)
        digits.insert(end - 3, 1, ' ');
    return digits.front() == ' ' ? digits.substr(1) : digits;
}

std::string durationText(double seconds)
{
    if (seconds < 10)
        return fmt::format("{:.1f} s", std::max(0.0, seconds));
    const auto whole = static_cast<long long>(std::llround(seconds));
    if (whole < 60)
        return fmt::format("{} s", whole);
    if (whole < 3600)
        return whole % 60 ? fmt::format("{} min {} s", whole / 60, whole % 60) : fmt::format("{} min", whole / 60);
    return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string countedText(std::size_t number, std::string_view one, std::string_view many)
{
    return fmt::format("{} {}", number, number == 1 ? one : many);
}

std::string bytesText(double bytes)
{
    static constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < kUnits.size()) {
        bytes /= 1024;
        ++unit;
    }
    return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string dateText(long long msSince1970)
{
    const std::time_t seconds = msSince1970 / 1000;
    std::tm parts{};
    if (msSince1970 <= 0 || !::localtime_r(&seconds, &parts))
        return "-";
    std::array<char, 32> buffer{};
    const std::size_t length = std::strftime(buffer.data(), buffer.size(), "%Y-%m-%d %H:%M", &parts);
    return {buffer.data(), length};
}

} // namespace dyno
