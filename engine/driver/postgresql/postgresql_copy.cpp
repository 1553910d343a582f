// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_copy.h"

#include <algorithm>
#include <fmt/format.h>

namespace dyno::postgresql {

namespace {

//! What LOAD DATA means by a backslash and this character.
char meant(char c)
{
    switch (c) {
    case '0':
        return '\0';
    case 'b':
        return '\b';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'Z':
        return '\x1a';
    default:
        return c;
    }
}

//! COPY reads a backslash and this character as LOAD DATA does.
bool meansTheSame(char c)
{
    return c == 'N' || c == 'b' || c == 'n' || c == 'r' || c == 't' || c == '\\';
}

bool isPlain(std::string_view rows)
{
    // A carriage return that stands by itself is a line's end to COPY.
    if (rows.find('\r') != std::string_view::npos)
        return false;
    for (std::size_t i = rows.find('\\'); i != std::string_view::npos; i = rows.find('\\', i + 2)) {
        if (i + 1 == rows.size() || !meansTheSame(rows[i + 1]))
            return false;
    }
    return true;
}

void appendByte(char c, bool binary, std::string& out)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (binary) {
        out += kDigits[static_cast<unsigned char>(c) >> 4];
        out += kDigits[static_cast<unsigned char>(c) & 15];
        return;
    }
    switch (c) {
    case '\0': // refused by the server, which says so
        out += "\\000";
        break;
    case '\n':
        out += "\\n";
        break;
    case '\r':
        out += "\\r";
        break;
    case '\t':
        out += "\\t";
        break;
    case '\\':
        out += "\\\\";
        break;
    default:
        out += c;
    }
}

} // namespace

std::string copyStatement(std::string_view table)
{
    return fmt::format("COPY {} FROM STDIN", table);
}

std::string copyColumnsQuery(std::string_view table)
{
    const std::size_t open = std::min(table.find('('), table.size());
    const std::size_t close = std::min(table.find(')', open), table.size());
    const std::string_view columns = open < close ? table.substr(open + 1, close - open - 1) : std::string_view("*");
    return fmt::format("SELECT {} FROM {} WHERE false", columns, table.substr(0, open));
}

std::vector<bool> binaryColumns(const PGresult* description)
{
    std::vector<bool> binary;
    for (int i = 0; i < PQnfields(description); ++i)
        binary.push_back(PQftype(description, i) == kBytea);
    return binary;
}

std::string_view copyRows(std::string_view rows, const std::vector<bool>& binary, std::string& out)
{
    if (std::ranges::find(binary, true) == binary.end() && isPlain(rows))
        return rows;
    out.clear();
    std::size_t column = 0;
    bool begins = true; // of a value
    const auto isBinary = [&] { return column < binary.size() && binary[column]; };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const char c = rows[i];
        if (c == '\t' || c == '\n') {
            // An empty value of bytea is no digits.
            out += c;
            column = c == '\n' ? 0 : column + 1;
            begins = true;
            continue;
        }
        if (c == '\\' && i + 1 < rows.size()) {
            const char next = rows[++i];
            if (begins && next == 'N') {
                out += "\\N";
            } else {
                if (begins && isBinary())
                    out += "\\\\x";
                appendByte(meant(next), isBinary(), out);
            }
        } else {
            if (begins && isBinary())
                out += "\\\\x";
            appendByte(c, isBinary(), out);
        }
        begins = false;
    }
    return out;
}

bool sendCopy(PGconn* connection, std::string_view rows)
{
    constexpr std::size_t kPiece = 64 * 1024;
    while (!rows.empty()) {
        const std::string_view piece = rows.substr(0, kPiece);
        if (PQputCopyData(connection, piece.data(), int(piece.size())) != 1 || PQflush(connection) != 0)
            return false;
        rows.remove_prefix(piece.size());
    }
    return PQputCopyEnd(connection, nullptr) == 1;
}

} // namespace dyno::postgresql
