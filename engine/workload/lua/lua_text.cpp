// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/lua/lua_text.h"

#include "workload/lua/lua_files.h"

#include <algorithm>
#include <array>

namespace dyno::lua {

namespace {

constexpr std::array<std::string_view, 22> kLuaWords{
    "and", "break", "do",  "else", "elseif", "end",    "false",  "for",  "function", "goto",  "if",
    "in",  "local", "nil", "not",  "or",     "repeat", "return", "then", "true",     "until", "while"};
static_assert(std::ranges::is_sorted(kLuaWords));

constexpr int kNothingLong = 0;    //!< else 1, and 2 for each = of the bracket, and 1 for a comment
constexpr int kMostEquals = 10000; //!< of a bracket

bool isLuaDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isLuaLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class LuaLineReader
{
public:
    LuaLineReader(std::string_view text, int state)
        : m_text(text)
        , m_state(state)
    {
        if (!m_text.empty() && m_text.back() == '\r')
            m_text.remove_suffix(1);
    }

    ScriptLine run()
    {
        if (m_state == kNothingLong && beginsFile(m_text)) {
            m_at = m_text.size();
            add(Kind::Section, 0);
        }
        if (m_state != kNothingLong)
            endLong(0);
        while (m_at < m_text.size())
            readWord();
        return {std::move(m_tokens), m_state, false};
    }

private:
    using Kind = ScriptToken::Kind;
    void add(Kind kind, std::size_t begin)
    {
        if (m_at > begin)
            m_tokens.push_back({kind, begin, m_at - begin});
    }
    //! How many = the long bracket has that opens at `at`; -1: none does.
    [[nodiscard]] int longBracketAt(std::size_t at) const
    {
        if (at >= m_text.size() || m_text[at] != '[')
            return -1;
        const std::size_t end = m_text.find_first_not_of('=', at + 1);
        if (end == std::string_view::npos || m_text[end] != '[')
            return -1;
        return std::min(int(end - at - 1), kMostEquals);
    }
    //! Up to the bracket that closes what m_state says, or to the end of the line.
    void endLong(std::size_t begin)
    {
        const bool comment = m_state % 2 == 0;
        const std::string close = "]" + std::string(std::size_t(m_state - 1) / 2, '=') + "]";
        const std::size_t end = m_text.find(close, m_at);
        m_at = end == std::string_view::npos ? m_text.size() : end + close.size();
        if (end != std::string_view::npos)
            m_state = kNothingLong;
        add(comment ? Kind::Comment : Kind::String, begin);
    }
    void beginLong(int equals, bool comment, std::size_t begin)
    {
        m_state = 1 + 2 * equals + (comment ? 1 : 0);
        m_at += std::size_t(equals) + 2;
        endLong(begin);
    }
    void readWord()
    {
        const std::size_t begin = m_at;
        const char c = m_text[m_at];
        if (m_text.substr(m_at, 2) == "--") {
            m_at += 2;
            if (const int equals = longBracketAt(m_at); equals >= 0)
                return beginLong(equals, true, begin);
            m_at = m_text.size();
            add(Kind::Comment, begin);
        } else if (const int equals = longBracketAt(m_at); equals >= 0) {
            beginLong(equals, false, begin);
        } else if (c == '"' || c == '\'') {
            readQuoted(c);
            add(Kind::String, begin);
        } else if (isLuaDigit(c)) {
            while (m_at < m_text.size() && (isLuaDigit(m_text[m_at]) || isLuaLetter(m_text[m_at]) ||
                                            (m_text[m_at] == '.' && m_text.substr(m_at, 2) != "..")))
                ++m_at;
            add(Kind::Number, begin);
        } else if (isLuaLetter(c)) {
            readName(begin);
        } else {
            ++m_at;
        }
    }
    void readQuoted(char quote)
    {
        for (++m_at; m_at < m_text.size(); ++m_at) {
            if (m_text[m_at] == '\\')
                ++m_at;
            else if (m_text[m_at] == quote)
                break;
        }
        m_at = std::min(m_at + 1, m_text.size());
    }
    void readName(std::size_t begin)
    {
        while (m_at < m_text.size() && (isLuaLetter(m_text[m_at]) || isLuaDigit(m_text[m_at])))
            ++m_at;
        if (std::ranges::binary_search(kLuaWords, m_text.substr(begin, m_at - begin)))
            return add(Kind::Keyword, begin);
        const std::size_t next = m_text.find_first_not_of(" \t", m_at);
        if (next != std::string_view::npos && m_text[next] == '(')
            add(Kind::Function, begin);
    }

    std::string_view m_text;
    int m_state;
    std::size_t m_at = 0;
    std::vector<ScriptToken> m_tokens;
};

} // namespace

ScriptLine luaLine(std::string_view line, int state)
{
    return LuaLineReader(line, state).run();
}

} // namespace dyno::lua
