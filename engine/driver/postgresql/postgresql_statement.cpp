// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_statement.h"

#include "base/text.h"
#include "driver/sql_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace dyno::postgresql {

namespace {

// pg_type.dat; these never change.
constexpr Oid kBool = 16, kName = 19, kInt8 = 20, kInt2 = 21, kInt4 = 23, kTextType = 25, kOid = 26, kFloat4 = 700,
              kFloat8 = 701, kUnknown = 705, kBpchar = 1042, kVarchar = 1043;
constexpr const char* kOutOfRange = "22003";   // numeric_value_out_of_range
constexpr const char* kBadCharacter = "22021"; // character_not_in_repertoire

//! Types whose binary form is the bytes themselves.
bool isBytes(Oid type)
{
    return type == kTextType || type == kVarchar || type == kBpchar || type == kBytea || type == kName ||
           type == kUnknown;
}

bool isInteger(Oid type)
{
    return type == kInt4 || type == kInt8 || type == kInt2 || type == kOid;
}

bool readsBinary(Oid type)
{
    return isInteger(type) || type == kFloat8 || type == kFloat4 || type == kBool || isBytes(type);
}

//! In the network's byte order.
template<class T>
void writeBig(char* out, T value)
{
    for (std::size_t i = 0; i < sizeof(T); ++i)
        out[i] = char(value >> (8 * (sizeof(T) - 1 - i)));
}

template<class T>
T readBig(const char* bytes)
{
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value = T(value << 8) | T(static_cast<unsigned char>(bytes[i]));
    return value;
}

std::optional<std::int64_t> rangeOf(Oid type)
{
    if (type == kInt4)
        return std::numeric_limits<std::int32_t>::max();
    if (type == kInt2)
        return std::numeric_limits<std::int16_t>::max();
    if (type == kInt8)
        return std::numeric_limits<std::int64_t>::max();
    return std::nullopt;
}

Param binaryValue(Oid type, const char* bytes, std::size_t size)
{
    switch (type) {
    case kInt8:
        return Param::of(std::int64_t(readBig<std::uint64_t>(bytes)));
    case kInt4:
        return Param::of(std::int64_t(std::int32_t(readBig<std::uint32_t>(bytes))));
    case kInt2:
        return Param::of(std::int64_t(std::int16_t(readBig<std::uint16_t>(bytes))));
    case kOid:
        return Param::of(std::int64_t(readBig<std::uint32_t>(bytes)));
    case kFloat8:
        return Param::of(std::bit_cast<double>(readBig<std::uint64_t>(bytes)));
    case kFloat4:
        return Param::of(double(std::bit_cast<float>(readBig<std::uint32_t>(bytes))));
    case kBool:
        return Param::of(std::int64_t(bytes[0] != 0));
    default:
        return Param::of(std::string_view(bytes, size));
    }
}

//! bytea as the server writes it, \x616263.
void addHex(std::string_view text, KeptRows& kept)
{
    const std::size_t count = (text.size() - 2) / 2;
    char* out = kept.addText(count);
    for (std::size_t i = 0; i < count; ++i) {
        const char* digits = text.data() + 2 + 2 * i;
        unsigned value = 0;
        std::from_chars(digits, digits + 2, value, 16);
        out[i] = char(value);
    }
}

void addText(Oid type, std::string_view text, KeptRows& kept)
{
    std::int64_t integer = 0;
    double real = 0;
    const char* const end = text.data() + text.size();
    if (isInteger(type) && std::from_chars(text.data(), end, integer).ec == std::errc())
        kept.add(Param::of(integer));
    else if ((type == kFloat8 || type == kFloat4) && std::from_chars(text.data(), end, real).ec == std::errc())
        kept.add(Param::of(real));
    else if (type == kBool)
        kept.add(Param::of(std::int64_t(text == "t")));
    else if (type == kBytea && text.starts_with("\\x"))
        addHex(text, kept);
    else
        kept.add(Param::of(text));
}

template<class T>
void appendNumber(T value, std::string& out)
{
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.append(digits.data(), end);
}

void appendInteger(std::int64_t value, std::string& out)
{
    // In brackets, since "- -1" without its blank begins a comment. The smallest one is too long without its sign.
    if (value == std::numeric_limits<std::int64_t>::min()) {
        out += "(-9223372036854775807-1)";
        return;
    }
    if (value < 0)
        out += '(';
    appendNumber(value, out);
    if (value < 0)
        out += ')';
}

void appendReal(double value, std::string& out)
{
    if (!std::isfinite(value)) {
        out += std::isnan(value) ? "'NaN'" : value > 0 ? "'Infinity'" : "'-Infinity'";
        return;
    }
    if (value < 0)
        out += '(';
    appendNumber(value, out);
    if (value < 0)
        out += ')';
}

void appendHex(std::string_view bytes, std::string& out)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += "'\\x";
    for (const char c : bytes) {
        out += kDigits[static_cast<unsigned char>(c) >> 4];
        out += kDigits[static_cast<unsigned char>(c) & 15];
    }
    out += "'::bytea";
}

void appendText(PGconn* connection, std::string_view value, std::string& out)
{
    // The library would end the text at a zero byte.
    int fault = value.find('\0') == std::string_view::npos ? 0 : 1;
    const std::size_t before = out.size();
    if (fault == 0) {
        out.resize(before + 2 * value.size() + 2); // the library's own limit, with the first quote
        out[before] = '\'';
        const std::size_t size =
            PQescapeStringConn(connection, out.data() + before + 1, value.data(), value.size(), &fault);
        out.resize(before + 1 + size);
        out += '\'';
    }
    if (fault != 0) { // no text in UTF-8
        out.resize(before);
        appendHex(value, out);
    }
}

} // namespace

std::optional<ValueFault> BoundValues::bind(std::span<const Oid> types, std::span<const Param> params)
{
    const std::size_t count = types.size();
    if (m_values.size() < count) {
        m_values.resize(count);
        m_lengths.resize(count);
        m_formats.resize(count);
        m_numbers.resize(count);
    }
    m_texts.clear();
    // Room for all copies before the first one is made: none of them may move.
    std::size_t room = 0;
    for (std::size_t i = 0; i < std::min(count, params.size()); ++i)
        room += params[i].type == Param::Type::Text && !isBytes(types[i]) ? params[i].text.size() + 1 : 0;
    m_texts.reserve(room);
    for (std::size_t i = 0; i < count; ++i) {
        m_values[i] = nullptr;
        m_lengths[i] = 0;
        m_formats[i] = 0;
        if (i >= params.size())
            continue;
        std::optional<ValueFault> fault;
        switch (params[i].type) {
        case Param::Type::Null:
            break;
        case Param::Type::Integer:
            fault = bindInteger(i, types[i], params[i].integer);
            break;
        case Param::Type::Real:
            fault = bindReal(i, types[i], params[i].real);
            break;
        case Param::Type::Text:
            fault = bindText(i, types[i], params[i].text);
            break;
        }
        if (fault) [[unlikely]]
            return fault;
    }
    return std::nullopt;
}

template<class T>
void BoundValues::setBinary(std::size_t i, T value)
{
    writeBig(m_numbers[i].data(), value);
    m_values[i] = m_numbers[i].data();
    m_lengths[i] = sizeof(T);
    m_formats[i] = 1;
}

template<class T>
void BoundValues::setDigits(std::size_t i, Oid type, T value)
{
    Number& number = m_numbers[i];
    char* const end = std::to_chars(number.data(), number.data() + number.size() - 1, value).ptr;
    *end = '\0';
    m_values[i] = number.data();
    m_lengths[i] = int(end - number.data());
    m_formats[i] = isBytes(type) ? 1 : 0;
}

void BoundValues::setBytes(std::size_t i, std::string_view bytes)
{
    m_values[i] = bytes.data() ? bytes.data() : ""; // no NULL
    m_lengths[i] = int(bytes.size());
    m_formats[i] = 1;
}

std::optional<ValueFault> BoundValues::bindInteger(std::size_t i, Oid type, std::int64_t value)
{
    const auto largest = rangeOf(type);
    if (largest && (value > *largest || value < -*largest - 1)) [[unlikely]]
        return ValueFault{codeOf(kOutOfRange), fmt::format("value {} is {}, out of range for type {}", i + 1, value,
                                                           type == kInt4 ? "integer" : "smallint")};
    switch (type) {
    case kInt4:
        setBinary(i, std::uint32_t(value));
        break;
    case kInt8:
        setBinary(i, std::uint64_t(value));
        break;
    case kInt2:
        setBinary(i, std::uint16_t(value));
        break;
    case kFloat8:
        setBinary(i, std::bit_cast<std::uint64_t>(double(value)));
        break;
    default:
        setDigits(i, type, value);
    }
    return std::nullopt;
}

std::optional<ValueFault> BoundValues::bindReal(std::size_t i, Oid type, double value)
{
    constexpr double kExact = 9007199254740992.0; // 2^53
    if (type == kFloat8)
        setBinary(i, std::bit_cast<std::uint64_t>(value));
    else if (rangeOf(type) && std::trunc(value) == value && std::abs(value) <= kExact)
        return bindInteger(i, type, std::int64_t(value));
    else
        setDigits(i, type, value); // of a whole-number type: the server says what is wrong with it
    return std::nullopt;
}

std::optional<ValueFault> BoundValues::bindText(std::size_t i, Oid type, std::string_view value)
{
    if (value.size() > std::size_t(std::numeric_limits<int>::max()))
        return ValueFault{codeOf("54000"), fmt::format("value {} is longer than 2 GiB", i + 1)};
    if (isBytes(type)) {
        setBytes(i, value);
        return std::nullopt;
    }
    // As text, which ends for the library at its first zero byte.
    if (value.find('\0') != std::string_view::npos)
        return ValueFault{codeOf(kBadCharacter), fmt::format("value {} holds a zero byte", i + 1)};
    const std::size_t at = m_texts.size();
    m_texts += value;
    m_texts += '\0';
    m_values[i] = m_texts.data() + at;
    m_lengths[i] = int(value.size());
    return std::nullopt;
}

PreparedStatement::PreparedStatement(std::string_view marked)
{
    const auto pieces = piecesBetweenMarks(marked, {});
    m_params = pieces.size() - 1;
    m_text = pieces.front();
    for (std::size_t i = 1; i < pieces.size(); ++i)
        m_text += fmt::format("${}{}", i, pieces[i]);
}

const char* PreparedStatement::nextName(std::size_t index)
{
    m_name = m_tries == 0 ? fmt::format("s{}", index) : fmt::format("s{}_{}", index, m_tries);
    ++m_tries;
    return m_name.c_str();
}

void PreparedStatement::described(const PGresult* description)
{
    m_types.resize(std::size_t(PQnparams(description)));
    for (std::size_t i = 0; i < m_types.size(); ++i)
        m_types[i] = PQparamtype(description, int(i));
    bool binary = PQnfields(description) > 0;
    for (int i = 0; binary && i < PQnfields(description); ++i)
        binary = readsBinary(PQftype(description, i));
    m_resultFormat = binary ? 1 : 0;
    m_ready = true;
}

void PreparedStatement::prepared()
{
    m_types.assign(m_params, 0);
    m_resultFormat = 0;
    m_ready = true;
}

TextStatement::TextStatement(std::string_view marked)
    : m_pieces(piecesBetweenMarks(marked, {}))
{
}

void TextStatement::append(PGconn* connection, std::span<const Param> params, std::string& out) const
{
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
        out += m_pieces[i];
        if (i + 1 == m_pieces.size())
            break;
        const Param value = i < params.size() ? params[i] : Param{};
        switch (value.type) {
        case Param::Type::Null:
            out += "NULL";
            break;
        case Param::Type::Integer:
            appendInteger(value.integer, out);
            break;
        case Param::Type::Real:
            appendReal(value.real, out);
            break;
        case Param::Type::Text:
            appendText(connection, value.text, out);
            break;
        }
    }
}

void keepRows(const PGresult* result, KeptRows& kept)
{
    const int rows = PQntuples(result);
    const int columns = PQnfields(result);
    for (int row = kept.keepsLast() ? std::max(0, rows - 1) : 0; row < rows; ++row) {
        kept.beginRow();
        for (int column = 0; column < columns; ++column) {
            const std::string_view value(PQgetvalue(result, row, column),
                                         std::size_t(PQgetlength(result, row, column)));
            if (PQgetisnull(result, row, column) != 0)
                kept.add({});
            else if (kept.keepsNames() && PQftype(result, column) == kBool) // as the server writes it: no number
                kept.add(Param::of(std::string_view(value[0] != 0 && value[0] != 'f' ? "t" : "f")));
            else if (PQfformat(result, column) == 1)
                kept.add(binaryValue(PQftype(result, column), value.data(), value.size()));
            else
                addText(PQftype(result, column), value, kept);
            if (kept.keepsNames())
                kept.name(PQfname(result, column));
        }
    }
}

bool commits(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos)
        return false;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(" \t\r\n;"), text.size());
    const std::string word = lowered(text.substr(0, end));
    return word == "commit" || word == "end";
}

} // namespace dyno::postgresql
