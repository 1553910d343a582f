// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/statements/digest_difference.h"

#include "base/text.h"
#include "driver/sql_text.h"
#include "store/session/statements_file.h"

#include <algorithm>
#include <map>

namespace dyno {

namespace {

bool isWordByte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

//! The end of a text between two equal marks like $tag$; `at` when none begins there.
std::size_t skipDollarQuoted(std::string_view text, std::size_t at)
{
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != '$' && isWordByte(text[end]))
        ++end;
    if (end >= text.size() || text[end] != '$' || (end > at + 1 && isDigit(text[at + 1])))
        return at;
    const std::string_view mark = text.substr(at, end + 1 - at);
    const std::size_t close = text.find(mark, end + 1);
    return close == std::string_view::npos ? text.size() : close + mark.size();
}

std::optional<std::uint64_t> grown(const std::optional<std::uint64_t>& before, const std::optional<std::uint64_t>& now)
{
    if (!now)
        return now;
    return *now - std::min(before.value_or(0), *now);
}

} // namespace

std::string withoutLiterals(std::string_view statement)
{
    constexpr SqlLexis kLexis{
        .backslashes = true, .hashComments = false, .backslashesInNames = false, .bareDashes = true};
    std::string text;
    for (std::size_t i = 0; i < statement.size();) {
        const char c = statement[i];
        if (c == '\'') {
            do // two quotes within a text stand for one
                i = skipQuoted(statement, i, kLexis);
            while (i < statement.size() && statement[i] == '\'');
            text += '?';
        } else if (c == '"' || c == '`') {
            const std::size_t end = skipQuoted(statement, i, {});
            text += statement.substr(i, end - i);
            i = end;
        } else if (const std::size_t end = skipQuoted(statement, i, kLexis); end != i) {
            text += ' '; // a comment
            i = end;
        } else if (const std::size_t quoted = c == '$' ? skipDollarQuoted(statement, i) : i; quoted != i) {
            text += '?';
            i = quoted;
        } else if (isWordByte(c)) {
            std::size_t after = i;
            const bool number = isDigit(c);
            while (after < statement.size() && (isWordByte(statement[after]) || (number && statement[after] == '.')))
                ++after;
            text += number ? "?" : statement.substr(i, after - i);
            i = after;
        } else {
            text += c;
            ++i;
        }
    }
    return text;
}

void fillDigest(RunStatements& statements, const std::vector<DigestEntry>& before,
                const std::vector<DigestEntry>& after)
{
    std::map<std::string_view, const DigestEntry*> earlier;
    for (const DigestEntry& entry : before)
        earlier.emplace(entry.key, &entry);
    struct Increase
    {
        const DigestEntry* now;
        DigestRow row;
    };
    std::vector<Increase> grew;
    for (const DigestEntry& now : after) {
        const auto found = earlier.find(now.key);
        const DigestEntry none;
        const bool begunAgain = found != earlier.end() && found->second->count > now.count;
        const DigestEntry& then = found == earlier.end() || begunAgain ? none : *found->second;
        if (now.count == then.count)
            continue;
        Increase& one = grew.emplace_back();
        one.now = &now;
        one.row.count = now.count - then.count;
        one.row.errors = now.errors - std::min(then.errors, now.errors);
        one.row.seconds = std::max(0.0, now.seconds - then.seconds);
        one.row.rowsSent = grown(then.rowsSent, now.rowsSent);
        one.row.rowsExamined = grown(then.rowsExamined, now.rowsExamined);
        if (then.count == 0)
            one.row.p99Ms = now.p99Ms;
    }
    std::ranges::stable_sort(grew, [](const Increase& a, const Increase& b) { return a.row.seconds > b.row.seconds; });
    for (Increase& one : grew) {
        if (statements.digest.size() == kKeptDigest) {
            ++statements.moreDigest;
            statements.moreSeconds += one.row.seconds;
            continue;
        }
        one.row.schema = keptText(one.now->schema);
        const std::string text = withoutLiterals(one.now->text);
        one.row.text = keptText(trimmed(text));
        statements.digest.push_back(std::move(one.row));
    }
}

} // namespace dyno
