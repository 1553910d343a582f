// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Tables as CSV.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace dyno::report {

//! True for text that a spreadsheet would run as a formula: labels, titles and errors may be a stranger's. Numbers are
//! none, whatever their sign.
[[nodiscard]] inline bool actsAsFormula(std::string_view field)
{
    if (field.empty() || std::string_view("=+-@\t\r\n").find(field.front()) == std::string_view::npos)
        return false;
    double number = 0;
    const char* const end = field.data() + field.size();
    const auto [stop, problem] = std::from_chars(field.data(), end, number);
    return problem != std::errc() || stop != end;
}

//! RFC 4180, with line feeds. One row at a time. What would act as a formula gets an apostrophe before it.
class CsvWriter
{
public:
    CsvWriter& operator<<(std::string_view field)
    {
        if (!m_first)
            m_text += ',';
        m_first = false;
        const std::string_view mark = actsAsFormula(field) ? "'" : "";
        if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
            m_text += mark;
            m_text += field;
            return *this;
        }
        m_text += '"';
        m_text += mark;
        for (const char c : field) {
            if (c == '"')
                m_text += '"';
            m_text += c;
        }
        m_text += '"';
        return *this;
    }
    CsvWriter& operator<<(std::uint64_t value) { return *this << std::string_view(std::to_string(value)); }
    CsvWriter& operator<<(int value) { return *this << std::string_view(std::to_string(value)); }
    void endRow()
    {
        m_text += '\n';
        m_first = true;
    }
    [[nodiscard]] std::string take() { return std::move(m_text); }

private:
    std::string m_text;
    bool m_first = true;
};

} // namespace dyno::report
