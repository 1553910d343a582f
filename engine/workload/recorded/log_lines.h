// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A log line by line, whatever its size: only the line at hand is in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

namespace dyno::recorded {

class LogLines
{
public:
    explicit LogLines(const std::string& file)
        : m_in(file, std::ios::binary)
    {
    }
    [[nodiscard]] bool isOpen() const { return m_in.is_open(); }
    //! The next line without its line break; false at the end. Of a line longer than kMostBytes the rest is dropped.
    [[nodiscard]] bool next(std::string& line);
    [[nodiscard]] std::int64_t number() const { return m_number; } //!< of the line that next() gave, from 1
    //! False where the file ends in the middle of the line that next() gave.
    [[nodiscard]] bool ended() const { return m_ended; }

    static constexpr std::size_t kMostBytes = std::size_t(16) << 20;

private:
    std::ifstream m_in;
    std::int64_t m_number = 0;
    bool m_ended = true;
};

} // namespace dyno::recorded
