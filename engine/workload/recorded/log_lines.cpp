// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/recorded/log_lines.h"

namespace dyno::recorded {

namespace {

constexpr std::size_t kAskAfter = std::size_t(4) << 20; //!< bytes

} // namespace

bool LogLines::mayGoOn()
{
    if (++m_sinceAsked < kAskAfter)
        return true;
    m_sinceAsked = 0;
    if (m_goOn && !m_goOn()) {
        m_interrupted = true;
        m_stopped = true;
    }
    return !m_interrupted;
}

bool LogLines::next(std::string& line)
{
    line.clear();
    if (m_stopped)
        return false;
    std::streambuf* in = m_in.rdbuf();
    int c = in->sbumpc();
    if (c == std::char_traits<char>::eof())
        return false;
    ++m_number;
    for (; c != std::char_traits<char>::eof() && c != '\n'; c = in->sbumpc()) {
        if (line.size() < kMostBytes)
            line += char(c);
        if (!mayGoOn())
            return false;
    }
    m_ended = c == '\n';
    if (!line.empty() && line.back() == '\r')
        line.pop_back();
    return true;
}

} // namespace dyno::recorded
