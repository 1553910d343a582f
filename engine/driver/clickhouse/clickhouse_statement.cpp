// SPDX-License-Identifier: GPL-3.0-or-later
#include "clickhouse_statement.h"

#include "base/text.h"
#include "driver/sql_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace dyno::clickhouse {

namespace {

constexpr SqlLexis kLexis{.backslashes = true, .hashComments = true, .backslashesInNames = true, .bareDashes = true};

} // namespace

void appendQuoted(std::string& out, std::string_view text)
{
    out += '\'';
    constexpr std::string_view kEscaped("\\'\0", 3);
    for (std::size_t at = text.find_first_of(kEscaped); at != std::string_view::npos;
         at = text.find_first_of(kEscaped)) {
        out += text.substr(0, at);
        out += '\\';
        out += text[at] == '\0' ? '0' : text[at];
        text.remove_prefix(at + 1);
    }
    out += text;
    out += '\'';
}

std::string textQuoted(std::string_view text)
{
    std::string out;
    appendQuoted(out, text);
    return out;
}

void appendValue(std::string& out, const Param& value)
{
    std::array<char, 32> digits;
    const auto number = [&](auto figure) {
        if (figure < 0 && !out.empty() && out.back() == '-')
            out += ' '; // two of them begin a comment
        out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), figure).ptr);
    };
    switch (value.type) {
    case Param::Type::Null:
        out += "NULL";
        return;
    case Param::Type::Integer:
        number(value.integer);
        return;
    case Param::Type::Real:
        number(value.real); // as many digits as give the same number back; "inf" and "nan" are the server's words too
        return;
    case Param::Type::Text:
        appendQuoted(out, value.text);
    }
}

std::string nameQuoted(std::string_view name)
{
    std::string text = "`";
    for (const char c : name) {
        if (c == '`' || c == '\\')
            text += '\\';
        text += c;
    }
    return text + "`";
}

std::int64_t rowsGiven(std::string_view statement)
{
    constexpr std::string_view kInsert = "insert", kValues = "values";
    statement = trimmed(statement);
    if (lowered(statement.substr(0, kInsert.size())) != kInsert)
        return -1;
    std::int64_t rows = -1; // 0 and up: behind VALUES
    int depth = 0;
    for (std::size_t i = 0; i < statement.size();) {
        if (const std::size_t after = skipQuoted(statement, i, kLexis); after != i) {
            i = after;
            continue;
        }
        const char c = statement[i++];
        if (rows < 0) {
            if (lowered(c) == 'v' && lowered(statement.substr(i - 1, kValues.size())) == kValues)
                rows = 0;
        } else if (c == '(') {
            rows += depth++ == 0 ? 1 : 0;
        } else if (c == ')') {
            --depth;
        }
    }
    return rows;
}

BoundStatement::BoundStatement(const StatementSpec& spec)
    : m_rowsGiven(clickhouse::rowsGiven(spec.text))
{
    for (const std::string_view piece : piecesBetweenMarks(spec.text, kLexis))
        m_pieces.emplace_back(piece);
}

void BoundStatement::write(std::string& out, std::span<const Param> params) const
{
    out = m_pieces.front();
    for (std::size_t i = 0; i < params.size(); ++i) {
        appendValue(out, params[i]);
        out += m_pieces[i + 1];
    }
}

} // namespace dyno::clickhouse
