// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A log line by line, whatever its size: only the line at hand is in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <utility>

namespace dyno::recorded {

class LogLines
{
public:
    //! `goOn` is asked every few MiB; where it says no, there are no more lines.
    explicit LogLines(const std::string& file, std::function<bool()> goOn = {})
        : m_in(file, std::ios::binary)
        , m_goOn(std::move(goOn))
    {
    }
    [[nodiscard]] bool isOpen() const { return m_in.is_open(); }
    //! The next line without its line break; false at the end. Of a line longer than kMostBytes the rest is dropped.
    [[nodiscard]] bool next(std::string& line);
    [[nodiscard]] std::int64_t number() const { return m_number; } //!< of the line that next() gave, from 1
    //! False where the file ends in the middle of the line that next() gave.
    [[nodiscard]] bool ended() const { return m_ended; }

    //! next() has no more lines.
    void stop() { m_stopped = true; }
    [[nodiscard]] bool interrupted() const { return m_interrupted; } //!< goOn() said no

    static constexpr std::size_t kMostBytes = std::size_t(16) << 20;

private:
    [[nodiscard]] bool mayGoOn();

    std::ifstream m_in;
    std::function<bool()> m_goOn;
    std::size_t m_sinceAsked = 0; //!< bytes
    std::int64_t m_number = 0;
    bool m_ended = true, m_stopped = false, m_interrupted = false;
};

} // namespace dyno::recorded
