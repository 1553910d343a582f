// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Tables as CSV.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dyno::report {

//! RFC 4180, with line feeds. One row at a time.
class CsvWriter
{
public:
    CsvWriter& operator<<(std::string_view field)
    {
        if (!m_first)
            m_text += ',';
        m_first = false;
        if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
            m_text += field;
            return *this;
        }
        m_text += '"';
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
