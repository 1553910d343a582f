// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/recorded/log_lines.h"

namespace dyno::recorded {

bool LogLines::next(std::string& line)
{
    line.clear();
    std::streambuf* in = m_in.rdbuf();
    int c = in->sbumpc();
    if (c == std::char_traits<char>::eof())
        return false;
    ++m_number;
    for (; c != std::char_traits<char>::eof() && c != '\n'; c = in->sbumpc()) {
        if (line.size() < kMostBytes)
            line += char(c);
    }
    m_ended = c == '\n';
    if (!line.empty() && line.back() == '\r')
        line.pop_back();
    return true;
}

} // namespace dyno::recorded
