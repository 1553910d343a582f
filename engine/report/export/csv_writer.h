// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Tables as CSV.
#pragma once

#include <dyno/export.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace dyno::report {

//! Rows of csvField(), with line feeds. One row at a time.
class CsvWriter
{
public:
    CsvWriter& operator<<(std::string_view field)
    {
        if (!m_first)
            m_text += ',';
        m_first = false;
        m_text += csvField(field);
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
