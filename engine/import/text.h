// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Reading words and numbers from a line, in the C locale whatever the machine's is.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::import {

[[nodiscard]] inline bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

[[nodiscard]] inline std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlank = " \t\r\n";
    const std::size_t from = text.find_first_not_of(kBlank);
    if (from == std::string_view::npos)
        return {};
    return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

constexpr double kLongestRun = 1e9; //!< seconds, 31 years: what says more is no time of a run

//! The whole text as a finite number.
[[nodiscard]] inline std::optional<double> numberOf(std::string_view text)
{
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

//! As numberOf(), also "1234,5" (a decimal comma) and "12 345" or "12,345.6" (groups of three).
[[nodiscard]] std::optional<double> looseNumberOf(std::string_view text, bool decimalComma);

[[nodiscard]] inline std::optional<std::uint64_t> countOf(std::string_view text)
{
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size())
        return std::nullopt;
    return value;
}

//! A count from a number that may come with a fraction; nothing when it is negative or not a count of anything real.
[[nodiscard]] inline std::optional<std::uint64_t> wholeOf(double value)
{
    if (!(value >= 0) || value > 9e15)
        return std::nullopt;
    return static_cast<std::uint64_t>(std::llround(value));
}

//! Parts between separators, trimmed.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
//! Words between blanks.
[[nodiscard]] std::vector<std::string_view> words(std::string_view text);
//! One record of a CSV file (RFC 4180: quotes, doubled quotes); no records over several lines.
[[nodiscard]] std::vector<std::string> csvFields(std::string_view line, char separator);
//! Valid UTF-8 of about `most` bytes for a message: other bytes become '?', control characters blanks, and what looks
//! like a password is hidden.
[[nodiscard]] std::string shown(std::string_view text, std::size_t most = 160);
//! "YYYY-MM-DD HH:MM:SS" (T instead of the blank, and a fraction after it, are fine) as ms since 1970; taken as UTC.
[[nodiscard]] std::optional<std::int64_t> timeOf(std::string_view text);

//! A place in a line; each call goes on when it finds what it looks for, and stays where it is otherwise.
class Scan
{
public:
    explicit Scan(std::string_view text)
        : m_rest(text)
    {
    }
    [[nodiscard]] std::string_view rest() const { return m_rest; }
    [[nodiscard]] bool atEnd() const { return m_rest.empty(); }

    Scan& blanks()
    {
        while (!m_rest.empty() && (m_rest.front() == ' ' || m_rest.front() == '\t'))
            m_rest.remove_prefix(1);
        return *this;
    }
    //! Blanks, then this text.
    [[nodiscard]] bool text(std::string_view wanted)
    {
        const std::string_view before = m_rest;
        blanks();
        if (m_rest.starts_with(wanted)) {
            m_rest.remove_prefix(wanted.size());
            return true;
        }
        m_rest = before;
        return false;
    }
    //! Blanks, then a finite number that is not negative.
    [[nodiscard]] bool number(double& value)
    {
        const std::string_view before = m_rest;
        blanks();
        if (!m_rest.empty() && isDigit(m_rest.front())) {
            double found = 0;
            const auto read = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), found);
            if (read.ec == std::errc() && std::isfinite(found)) {
                m_rest.remove_prefix(static_cast<std::size_t>(read.ptr - m_rest.data()));
                value = found;
                return true;
            }
        }
        m_rest = before;
        return false;
    }
    [[nodiscard]] bool count(std::uint64_t& value)
    {
        const std::string_view before = m_rest;
        blanks();
        const auto read = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), value);
        if (read.ec == std::errc()) {
            m_rest.remove_prefix(static_cast<std::size_t>(read.ptr - m_rest.data()));
            return true;
        }
        m_rest = before;
        return false;
    }
    //! Everything before `end`, which is taken too.
    [[nodiscard]] bool until(std::string_view end, std::string_view& found)
    {
        const std::size_t at = m_rest.find(end);
        if (at == std::string_view::npos)
            return false;
        found = m_rest.substr(0, at);
        m_rest.remove_prefix(at + end.size());
        return true;
    }

private:
    std::string_view m_rest;
};

} // namespace dyno::import
