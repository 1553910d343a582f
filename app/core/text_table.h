// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Tables for a terminal: columns as wide as their longest cell, two spaces between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

class TextTable
{
public:
    //! A heading that starts with '>' makes its column right-aligned.
    explicit TextTable(std::vector<std::string> headings);
    //! Missing cells are empty; line breaks in a cell become spaces.
    void add(std::vector<std::string> cells);
    [[nodiscard]] bool empty() const { return m_rows.empty(); }
    //! Each line ends with a line break and has no blanks at its end.
    [[nodiscard]] std::string text() const;

private:
    std::vector<std::string> m_headings;
    std::vector<bool> m_right;
    std::vector<std::vector<std::string>> m_rows;
};

//! Number of characters of UTF-8 text.
[[nodiscard]] std::size_t characters(std::string_view text);
//! At most `width` characters, with … at the end when something was cut off.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);
//! 1234567.8 → "1 234 568", 12.34 → "12.3", 0.0123 → "0.0123": three digits or all before the point.
[[nodiscard]] std::string figure(double value);
//! "1 run", "3 runs".
[[nodiscard]] std::string countedText(std::size_t number, std::string_view one, std::string_view many);
//! 75 → "1 min 15 s".
[[nodiscard]] std::string durationText(double seconds);
//! 10485760 → "10.0 MiB".
[[nodiscard]] std::string bytesText(double bytes);
//! Local date and time, "2026-11-20 16:30".
[[nodiscard]] std::string dateText(long long msSince1970);

} // namespace dyno
