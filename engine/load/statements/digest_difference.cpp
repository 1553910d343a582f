// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/statements/digest_difference.h"

#include "base/text.h"
#include "driver/sql_text.h"
#include "store/session/statements_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace dyno {

namespace {

bool isWordByte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}

constexpr std::string_view kBlanks = " \t\r\n\v\f";

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

namespace {

//! How a server may read a statement.
struct LiteralReading
{
    SqlLexis lexis;
    bool quotedTexts = false; //!< text in double quotes is a literal
    bool dollars = true;      //!< so is text between two equal marks like $tag$
};

//! \param strange is set where a comment holds what some servers read: quotes, or a comment of its own.
std::string withoutLiteralsAs(std::string_view statement, const LiteralReading& reading, bool& strange)
{
    const SqlLexis& lexis = reading.lexis;
    std::string text;
    for (std::size_t i = 0; i < statement.size();) {
        const char c = statement[i];
        if (c == '\'' || (c == '"' && reading.quotedTexts)) {
            do // two quotes within a text stand for one
                i = skipQuoted(statement, i, lexis);
            while (i < statement.size() && statement[i] == c);
            text += '?';
        } else if (c == '"' || c == '`') {
            const std::size_t end = skipQuoted(statement, i, {.backslashesInNames = lexis.backslashesInNames});
            text += statement.substr(i, end - i);
            i = end;
        } else if (const std::size_t end = skipQuoted(statement, i, lexis); end != i) {
            const std::string_view comment = statement.substr(i + 1, end - i - 1);
            strange = strange || (c == '/' && (comment.find_first_of("'\"`$") != std::string_view::npos ||
                                               comment.find("/*") != std::string_view::npos));
            text += ' ';
            i = end;
        } else if (const std::size_t quoted = c == '$' && reading.dollars ? skipDollarQuoted(statement, i) : i;
                   quoted != i) {
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

//! Without what account statements hold; `text` has no literals any more. `sure`: it is clear what was a literal.
std::string keptWords(std::string_view text, bool sure)
{
    // These hold passwords and addresses.
    constexpr std::array<std::string_view, 5> kOfAccounts{"user", "role", "subscription", "server", "password"};
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto first = std::size_t(std::ranges::find_if_not(text, isLetter) - text.begin());
    const std::size_t second = std::min(text.find_first_not_of(kBlanks, first), text.size());
    const std::size_t end = std::min(text.find_first_of(kBlanks, second), text.size());
    const std::string verb = lowered(text.substr(0, first));
    const bool makes = verb == "create" || verb == "alter" || verb == "set";
    const bool ofAccount =
        makes && std::ranges::find(kOfAccounts, lowered(text.substr(second, end - second))) != kOfAccounts.end();
    if (!ofAccount && sure)
        return keptText(text);
    return keptText(text.substr(0, ofAccount ? end : first)) + " …";
}

} // namespace

std::string withoutLiterals(std::string_view statement, bool backslashes)
{
    bool strange = false;
    return withoutLiteralsAs(
        statement,
        {{.backslashes = backslashes, .hashComments = false, .backslashesInNames = false, .bareDashes = true}},
        strange);
}

std::string keptStatement(std::string_view statement)
{
    const std::string text(trimmed(withoutLiterals(statement, true)));
    // Servers differ in what a backslash is: where that matters, some might read a literal that another one does not.
    return keptWords(text, text == trimmed(withoutLiterals(statement, false)));
}

std::string keptClientStatement(std::string_view statement)
{
    const std::string_view begin = statement.substr(0, kKeptText); // cut within a literal, that has no end
    const auto holds = [begin](std::string_view part) { return begin.find(part) != std::string_view::npos; };
    const bool backslashes = holds("\\"), hashes = holds("#"), dashes = holds("--"), dollars = holds("$");
    LiteralReading reading{
        {.backslashes = true, .hashComments = true, .backslashesInNames = true, .bareDashes = true}, true, true};
    bool strange = false;
    const std::string text(trimmed(withoutLiteralsAs(begin, reading, strange)));
    bool sure = !strange;
    constexpr unsigned kReadings = 1U << 5U;
    for (unsigned i = 1; i < kReadings && sure; ++i) {
        const auto other = [i](unsigned bit) { return (i >> bit & 1U) != 0; };
        if ((!backslashes && (other(0) || other(1))) || (!hashes && other(2)) || (!dashes && other(3)) ||
            (!dollars && other(4)))
            continue; // as one of those before
        reading.lexis = {.backslashes = !other(0),
                         .hashComments = !other(2),
                         .backslashesInNames = !other(1),
                         .bareDashes = !other(3)};
        reading.dollars = !other(4);
        sure = text == trimmed(withoutLiteralsAs(begin, reading, strange)) && !strange;
    }
    const std::string_view front = trimmed(begin);
    if (!sure && (front.empty() || !isWordByte(front.front())))
        return "…"; // what seems to be its first word may be part of a literal
    const std::string kept = keptWords(text, sure);
    return sure && begin.size() < statement.size() && !kept.ends_with("…") ? kept + " …" : kept;
}

namespace {

using DigestByKey = std::map<std::string_view, DigestEntry>;

void addTo(std::optional<std::uint64_t>& sum, const std::optional<std::uint64_t>& more)
{
    if (more)
        sum = sum.value_or(0) + *more;
}

void addTo(DigestEntry& sum, const DigestEntry& more)
{
    sum.count += more.count;
    sum.errors += more.errors;
    sum.seconds += more.seconds;
    addTo(sum.rowsSent, more.rowsSent);
    addTo(sum.rowsExamined, more.rowsExamined);
    sum.p99Ms.reset(); // percentiles have no sum
}

DigestByKey byKey(const std::vector<DigestEntry>& entries)
{
    DigestByKey kinds;
    for (const DigestEntry& entry : entries) {
        const auto [found, isNew] = kinds.try_emplace(entry.key, entry);
        if (!isNew)
            addTo(found->second, entry);
    }
    return kinds;
}

//! Some figure of it is less than before.
bool wentDown(const DigestEntry& then, const DigestEntry& now)
{
    return now.count < then.count || now.errors < then.errors || now.seconds < then.seconds ||
           now.rowsSent.value_or(0) < then.rowsSent.value_or(0) ||
           now.rowsExamined.value_or(0) < then.rowsExamined.value_or(0);
}

DigestRow increaseOf(const DigestEntry& then, const DigestEntry& now)
{
    DigestRow row;
    row.schema = keptText(now.schema);
    row.text = keptStatement(now.text);
    row.count = now.count - then.count;
    row.errors = now.errors - then.errors;
    row.seconds = now.seconds - then.seconds;
    row.rowsSent = grown(then.rowsSent, now.rowsSent);
    row.rowsExamined = grown(then.rowsExamined, now.rowsExamined);
    if (then.count == 0)
        row.p99Ms = now.p99Ms;
    return row;
}

//! Those of other databases, which are nobody's business here, are one row.
void foldOthers(std::vector<DigestRow>& rows, std::string_view database)
{
    const auto isOther = [database](const DigestRow& row) { return row.schema != keptText(database); };
    DigestRow others;
    others.text = "(statements in other databases)";
    for (const DigestRow& row : rows) {
        if (!isOther(row))
            continue;
        others.count += row.count;
        others.errors += row.errors;
        others.seconds += row.seconds;
        addTo(others.rowsSent, row.rowsSent);
        addTo(others.rowsExamined, row.rowsExamined);
    }
    std::erase_if(rows, isOther);
    if (others.count > 0)
        rows.push_back(std::move(others));
}

} // namespace

void fillDigest(RunStatements& statements, const std::vector<DigestEntry>& before,
                const std::vector<DigestEntry>& after, std::string_view database)
{
    const DigestByKey earlier = byKey(before), later = byKey(after);
    std::size_t unknown = 0; // how much those kinds grew
    for (const auto& [key, then] : earlier)
        unknown += later.contains(key) ? 0 : 1;
    std::vector<DigestRow> grew;
    for (const auto& [key, now] : later) {
        const auto found = earlier.find(key);
        const DigestEntry then = found == earlier.end() ? DigestEntry() : found->second;
        if (wentDown(then, now))
            ++unknown;
        else if (now.count != then.count)
            grew.push_back(increaseOf(then, now));
    }
    if (unknown > 0)
        statements.digestNote =
            fmt::format("incomplete: the server began to count {} again, or forgot {}, meanwhile",
                        unknown == 1 ? "a kind" : fmt::format("{} kinds", unknown), unknown == 1 ? "it" : "them");
    if (!database.empty())
        foldOthers(grew, database);
    std::ranges::stable_sort(grew, [](const DigestRow& a, const DigestRow& b) { return a.seconds > b.seconds; });
    for (DigestRow& row : grew) {
        if (statements.digest.size() == kKeptDigest) {
            ++statements.moreDigest;
            statements.moreSeconds += row.seconds;
        } else {
            statements.digest.push_back(std::move(row));
        }
    }
}

} // namespace dyno
