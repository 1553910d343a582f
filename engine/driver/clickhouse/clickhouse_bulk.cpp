// SPDX-License-Identifier: GPL-3.0-or-later
#include "clickhouse_bulk.h"

namespace dyno::clickhouse {

namespace {

//! Escapes that mean the same in both formats. The server has \a, \e, \f, \v, \xHH and others, which are letters there.
bool isShared(char c)
{
    switch (c) {
    case '\\':
    case 'N':
    case 'b':
    case 'n':
    case 'r':
    case 't':
    case '0':
    case '\t':
        return true;
    default:
        return false;
    }
}

} // namespace

std::string_view bulkRows(std::string_view rows, std::string& out)
{
    constexpr char kControlZ = '\x1a';
    bool same = rows.empty() || rows.back() == '\n';
    for (std::size_t at = rows.find('\\'); same && at != std::string_view::npos; at = rows.find('\\', at + 2))
        same = at + 1 < rows.size() && isShared(rows[at + 1]);
    if (same)
        return rows;
    out.clear();
    out.reserve(rows.size() + 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] != '\\' || i + 1 == rows.size()) {
            out += rows[i];
            continue;
        }
        const char next = rows[++i];
        if (isShared(next) || next == '\n') // a line break behind a backslash is no end of a row
            out += '\\';
        out += next == 'Z' ? kControlZ : next == '\n' ? 'n' : next;
    }
    if (out.empty() || out.back() != '\n')
        out += '\n';
    return out;
}

} // namespace dyno::clickhouse
