// SPDX-License-Identifier: GPL-3.0-or-later
#include "clickhouse_answer.h"

#include <algorithm>
#include <charconv>

namespace dyno::clickhouse {

namespace {

constexpr std::size_t kMostErrorBytes = 64 * 1024;
constexpr std::string_view kCode = "Code: ";
constexpr std::string_view kMarker = "__exception__\r";

//! "Nullable(UInt64)" → "UInt64".
std::string_view innerType(std::string_view type)
{
    for (const std::string_view around : {"LowCardinality(", "Nullable("}) {
        if (type.starts_with(around) && type.ends_with(')'))
            type = type.substr(around.size(), type.size() - around.size() - 1);
    }
    return type;
}

AnswerReader::Cell cellOf(std::string_view type)
{
    type = innerType(type);
    if (type.starts_with("UInt") || (type.starts_with("Int") && !type.starts_with("Interval")))
        return AnswerReader::Cell::Integer;
    if (type.starts_with("Float"))
        return AnswerReader::Cell::Real;
    return type == "Bool" ? AnswerReader::Cell::Flag : AnswerReader::Cell::Text;
}

//! The value, where all of the text is one of its type.
template<typename Number>
bool readNumber(std::string_view text, Number& number)
{
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size();
}

//! The next value of a line, which is shortened by it and the tab.
std::string_view nextValue(std::string_view& line)
{
    const std::size_t tab = std::min(line.find('\t'), line.size());
    const std::string_view value = line.substr(0, tab);
    line.remove_prefix(std::min(tab + 1, line.size()));
    return value;
}

} // namespace

std::int32_t codeInText(std::string_view text)
{
    if (!text.starts_with(kCode))
        return 0;
    std::int32_t code = 0;
    const char* const begin = text.data() + kCode.size();
    const auto [end, problem] = std::from_chars(begin, text.data() + text.size(), code);
    if (problem != std::errc() || code <= 0)
        return 0;
    const std::string_view rest = text.substr(std::size_t(end - text.data()));
    return rest.starts_with(", e.displayText() = ") || rest.starts_with(". DB::") ? code : 0;
}

std::string errorText(std::string_view text)
{
    if (codeInText(text) != 0) {
        constexpr std::string_view kException = "Exception: ";
        const std::size_t at = text.find(kException);
        if (at != std::string_view::npos)
            text.remove_prefix(at + kException.size());
    }
    for (const std::string_view tail : {", e.what() = DB::Exception", ", Stack trace", " (version "})
        text = text.substr(0, text.rfind(tail));
    std::string line(text);
    std::ranges::replace(line, '\n', ' ');
    std::ranges::replace(line, '\r', ' ');
    while (!line.empty() && line.back() == ' ')
        line.pop_back();
    return line;
}

void appendUnescaped(std::string_view text, std::string& out)
{
    for (std::size_t at = text.find('\\'); at != std::string_view::npos && at + 1 < text.size(); at = text.find('\\')) {
        out += text.substr(0, at);
        const char c = text[at + 1];
        switch (c) {
        case 'b':
            out += '\b';
            break;
        case 'f':
            out += '\f';
            break;
        case 'n':
            out += '\n';
            break;
        case 'r':
            out += '\r';
            break;
        case 't':
            out += '\t';
            break;
        case '0':
            out += '\0';
            break;
        default:
            out += c;
        }
        text.remove_prefix(at + 2);
    }
    out += text;
}

void AnswerReader::begin(Keep keep, KeptRows* kept, bool texts)
{
    m_texts = texts;
    m_keep = kept ? keep : Keep::Nothing;
    m_kept = kept;
    m_wholeError = m_inError = m_inTotals = false;
    m_headLines = 0;
    m_columns = 0;
    m_rows = 0;
    m_code = 0;
    m_pending.clear();
    m_error.clear();
    m_cells.clear();
}

void AnswerReader::take(std::string_view bytes)
{
    if (m_wholeError || m_inError) {
        takeError(bytes);
        return;
    }
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        if (end == std::string_view::npos) {
            m_pending += bytes;
            return;
        }
        if (m_pending.empty()) {
            takeLine(bytes.substr(0, end));
        } else {
            m_pending += bytes.substr(0, end);
            takeLine(m_pending);
            m_pending.clear();
        }
        bytes.remove_prefix(end + 1);
        if (m_inError) {
            takeError(bytes);
            return;
        }
    }
}

void AnswerReader::end()
{
    // Rows end with a line break; errors need not.
    if (!m_pending.empty() && !m_inError && !m_wholeError)
        takeLine(m_pending);
    m_pending.clear();
    if (!m_wholeError && !m_inError)
        return;
    if (m_error.starts_with(kMarker)) { // "__exception__\r\nTAG\r\nTEXT\n LENGTH TAG\r\n__exception__\r\n"
        std::size_t begin = m_error.find(kCode);
        begin = begin == std::string::npos ? std::min(kMarker.size(), m_error.size()) : begin;
        const std::size_t last = m_error.rfind(kMarker);
        m_error = m_error.substr(begin, last > begin ? last - begin : std::string::npos);
    }
    if (const std::int32_t code = codeInText(m_error); code != 0)
        m_code = code;
    else if (m_code == 0)
        m_code = kUnknownException;
}

bool AnswerReader::isError(std::string_view line)
{
    // Newer servers put the error between two such lines; values have no carriage return that is not escaped. Of old
    // ones it is a row of its own: where there is one column, a text that reads exactly so is taken for one.
    return line == kMarker || (line.starts_with(kCode) && codeInText(line) != 0);
}

void AnswerReader::takeLine(std::string_view line)
{
    if (isError(line)) {
        m_inError = true;
        takeError(line);
        takeError("\n");
        return;
    }
    switch (m_headLines) {
    case 0:
        m_headLines = 1;
        m_columns = std::size_t(std::ranges::count(line, '\t')) + 1;
        return;
    case 1:
        m_headLines = 2;
        if (m_keep != Keep::Nothing)
            takeTypes(line);
        return;
    default:
        takeRow(line);
    }
}

void AnswerReader::takeTypes(std::string_view line)
{
    for (std::size_t i = 0; i < m_columns; ++i)
        m_cells.push_back(m_texts ? Cell::Text : cellOf(nextValue(line)));
}

void AnswerReader::takeRow(std::string_view line)
{
    // WITH TOTALS: an empty line, and the totals after it, which are no row.
    if (line == "\r") // before the marker of an error
        return;
    if (m_inTotals || (line.empty() && m_columns > 1)) {
        m_inTotals = true;
        return;
    }
    ++m_rows;
    if (m_keep == Keep::Nothing)
        return;
    m_kept->beginRow();
    for (const Cell cell : m_cells) {
        const std::string_view text = nextValue(line);
        std::int64_t integer = 0;
        double real = 0;
        if (text == "\\N") {
            m_kept->add({});
        } else if (cell == Cell::Integer && readNumber(text, integer)) {
            m_kept->add(Param::of(integer));
        } else if (cell == Cell::Real && readNumber(text, real)) {
            m_kept->add(Param::of(real));
        } else if (cell == Cell::Flag && (text == "true" || text == "false")) {
            m_kept->add(Param::of(std::int64_t(text == "true")));
        } else {
            m_value.clear();
            appendUnescaped(text, m_value);
            m_kept->add(Param::of(std::string_view(m_value)));
        }
    }
}

void AnswerReader::takeError(std::string_view text)
{
    m_error += text.substr(0, kMostErrorBytes - std::min(kMostErrorBytes, m_error.size()));
}

} // namespace dyno::clickhouse
