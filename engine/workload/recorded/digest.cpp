// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/recorded/digest.h"

#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace dyno::recorded {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isWord(char c)
{
    return (lowered(c) >= 'a' && lowered(c) <= 'z') || isDigit(c) || c == '_' || (c & 0x80) != 0;
}

bool isSpace(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

//! Behind the quote that ends the text which begins at `at`; the end of a text that is cut off.
std::size_t endOfQuoted(std::string_view text, std::size_t at, bool escapes)
{
    const char quote = text[at++];
    for (; at < text.size(); ++at) {
        if (escapes && text[at] == '\\')
            ++at;
        else if (text[at] == quote && at + 1 < text.size() && text[at + 1] == quote)
            ++at;
        else if (text[at] == quote)
            return at + 1;
    }
    return text.size();
}

std::size_t behind(std::string_view text, std::string_view end, std::size_t from)
{
    const std::size_t found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
}

//! "$tag$" at `at`, or "".
std::string_view dollarTag(std::string_view text, std::size_t at)
{
    std::size_t end = at + 1;
    while (end < text.size() && isWord(text[end]) && !(end == at + 1 && isDigit(text[end])))
        ++end;
    return end < text.size() && text[end] == '$' ? text.substr(at, end + 1 - at) : std::string_view();
}

std::size_t endOfNumber(std::string_view text, std::size_t at)
{
    for (; at < text.size(); ++at) {
        const bool sign = (text[at] == '+' || text[at] == '-') && lowered(text[at - 1]) == 'e';
        if (!isWord(text[at]) && text[at] != '.' && !sign)
            break;
    }
    return at;
}

//! Cuts a statement into the parts of its digest.
class Cutter
{
public:
    Cutter(std::string_view text, Quoting quoting)
        : m_text(text)
        , m_standard(quoting == Quoting::Standard)
    {
    }

    std::vector<std::string> parts()
    {
        while (m_at < m_text.size())
            step();
        while (!m_parts.empty() && m_parts.back() == ";")
            m_parts.pop_back();
        return std::move(m_parts);
    }

private:
    bool starts(std::string_view what) const { return m_text.substr(m_at).starts_with(what); }
    void value(std::size_t end)
    {
        m_at = end;
        m_parts.emplace_back("?");
    }
    void step()
    {
        const char c = m_text[m_at];
        if (isSpace(c))
            ++m_at;
        else if (starts("/*"))
            m_at = behind(m_text, "*/", m_at + 2);
        else if (starts("--") || (c == '#' && !m_standard))
            m_at = behind(m_text, "\n", m_at);
        else if (c == '\'' || (c == '"' && !m_standard))
            value(endOfQuoted(m_text, m_at, !m_standard));
        else if (c == '"' || (c == '`' && !m_standard))
            keep(endOfQuoted(m_text, m_at, false), false);
        else if (c == '$' && m_standard)
            dollar();
        else if (isDigit(c) || (c == '.' && m_at + 1 < m_text.size() && isDigit(m_text[m_at + 1]) && !afterName()))
            value(endOfNumber(m_text, m_at + 1));
        else if (isWord(c) || c == '@')
            word();
        else
            sign();
    }
    bool afterName() const { return m_at > 0 && (isWord(m_text[m_at - 1]) || m_text[m_at - 1] == '`'); }
    void dollar()
    {
        if (const std::string_view tag = dollarTag(m_text, m_at); !tag.empty())
            return value(behind(m_text, tag, m_at + tag.size()));
        std::size_t end = m_at + 1;
        while (end < m_text.size() && isDigit(m_text[end]))
            ++end;
        value(end);
    }
    void word()
    {
        std::size_t end = m_at;
        while (end < m_text.size() && (isWord(m_text[end]) || m_text[end] == '@' || m_text[end] == '$'))
            ++end;
        const std::string name = lowered(m_text.substr(m_at, end - m_at));
        const bool quoted = end < m_text.size() && m_text[end] == '\'';
        if (quoted && (name == "e" || name == "x" || name == "b" || name == "n"))
            return value(endOfQuoted(m_text, end, name == "e" || !m_standard));
        if (name == "null" && !m_parts.empty() && m_parts.back() != "is" && m_parts.back() != "not")
            return value(end);
        keep(end, true);
    }
    void keep(std::size_t end, bool small)
    {
        std::string part(m_text.substr(m_at, end - m_at));
        m_parts.push_back(small ? lowered(part) : std::move(part));
        m_at = end;
    }
    void sign()
    {
        std::size_t end = m_at + 1;
        for (const std::string_view two : {"<=", ">=", "<>", "!=", "||", "&&", "::", ":=", "->"}) {
            if (starts(two))
                end = m_at + 2;
        }
        keep(end, false);
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    bool m_standard;
    std::vector<std::string> m_parts;
};

//! Where a list of two or more values ends that begins behind the bracket at `open`; 0 where there is none.
std::size_t endOfList(const std::vector<std::string>& parts, std::size_t open)
{
    std::size_t at = open + 1;
    std::size_t values = 0;
    while (at < parts.size()) {
        if (parts[at] == "-" || parts[at] == "+")
            ++at;
        if (at + 1 >= parts.size() || parts[at] != "?")
            return 0;
        ++values;
        if (parts[at + 1] == ")")
            return values > 1 || (open > 0 && parts[open - 1] == "in") ? at + 2 : 0;
        if (parts[at + 1] != ",")
            return 0;
        at += 2;
    }
    return 0;
}

//! Lists of values become one part, and rows of them one row.
std::vector<std::string> collapsed(const std::vector<std::string>& parts)
{
    std::vector<std::string> out;
    for (std::size_t at = 0; at < parts.size();) {
        const std::size_t end = parts[at] == "(" ? endOfList(parts, at) : 0;
        if (end == 0) {
            out.push_back(parts[at++]);
            continue;
        }
        at = end;
        if (out.size() > 1 && out.back() == "," && out[out.size() - 2] == "(...)")
            out.pop_back();
        else
            out.emplace_back("(...)");
    }
    return out;
}

} // namespace

std::string digestOf(std::string_view statement, Quoting quoting)
{
    const std::vector<std::string> parts = collapsed(Cutter(statement, quoting).parts());
    std::string out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string& part = parts[i];
        const bool joined = i == 0 || part == "," || part == ")" || part == "." || part == ";" || parts[i - 1] == "(" ||
                            parts[i - 1] == ".";
        out += joined ? part : " " + part;
    }
    for (char& c : out) // inside quoted names: what would steer a terminal
        c = (c & 0xe0) == 0 || c == 0x7f ? '?' : c;
    return out;
}

std::string withParameters(std::string_view statement, std::string_view details)
{
    std::vector<std::string_view> values;
    for (std::size_t at = 0; at < details.size();) {
        const std::size_t from = details.find(" = ", at);
        if (from == std::string_view::npos)
            break;
        const std::size_t begin = from + 3;
        const std::size_t end = begin < details.size() && details[begin] == '\''
                                    ? endOfQuoted(details, begin, false)
                                    : std::min(details.size(), details.find(',', begin));
        values.push_back(details.substr(begin, end - begin));
        at = end;
    }
    std::string out;
    for (std::size_t at = 0; at < statement.size();) {
        const char c = statement[at];
        std::size_t end = at + 1;
        const std::string_view tag = c == '$' ? dollarTag(statement, at) : std::string_view();
        if (c == '\'' || c == '"')
            end = endOfQuoted(statement, at, c == '\'' && at > 0 && lowered(statement[at - 1]) == 'e');
        else if (statement.substr(at).starts_with("--"))
            end = behind(statement, "\n", at);
        else if (statement.substr(at).starts_with("/*"))
            end = behind(statement, "*/", at + 2);
        else if (!tag.empty())
            end = behind(statement, tag, at + tag.size());
        else if (c == '$' && (at == 0 || !isWord(statement[at - 1]))) {
            std::size_t number = 0;
            const auto read = std::from_chars(statement.data() + end, statement.data() + statement.size(), number);
            if (read.ec == std::errc() && number >= 1 && number <= values.size()) {
                out += values[number - 1];
                at = std::size_t(read.ptr - statement.data());
                continue;
            }
        }
        out += statement.substr(at, end - at);
        at = end;
    }
    return out;
}

} // namespace dyno::recorded
