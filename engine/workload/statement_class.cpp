// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/statement_class.h"

#include "base/text.h"

#include <algorithm>
#include <string>
#include <vector>

namespace dyno {

namespace {

bool isPartOfWord(char c)
{
    return (lowered(c) >= 'a' && lowered(c) <= 'z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

//! Words of `text` in small letters, without comments, quoted texts and names.
std::vector<std::string> wordsOfStatement(std::string_view text)
{
    std::vector<std::string> words(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const std::string_view rest = text.substr(i);
        std::size_t end = 0;
        if (rest.starts_with("--"))
            end = text.find('\n', i);
        else if (rest.starts_with("/*"))
            end = text.find("*/", i + 2);
        else if (c == '\'' || c == '"' || c == '`')
            end = text.find(c, i + 1);
        else if (isPartOfWord(c)) {
            words.back() += lowered(c);
            continue;
        }
        if (!words.back().empty())
            words.emplace_back();
        if (end == std::string_view::npos)
            break;
        i = std::max(i, end);
    }
    if (words.back().empty())
        words.pop_back();
    return words;
}

bool hasOneOf(const std::vector<std::string>& words, std::initializer_list<std::string_view> some)
{
    return std::ranges::find_first_of(words, some) != words.end();
}

//! In small letters, with one blank between words.
std::string plainWords(std::string_view text)
{
    std::string words;
    for (const char c : text) {
        if (std::string_view(" \t\r\n\f\v").find(c) == std::string_view::npos)
            words += lowered(c);
        else if (!words.empty() && words.back() != ' ')
            words += ' ';
    }
    return std::string(trimmed(words));
}

bool isOneOfThese(std::string_view word, std::initializer_list<std::string_view> all)
{
    return std::ranges::find(all, word) != all.end();
}

} // namespace

OpClass statementClass(std::string_view text)
{
    const std::vector<std::string> words = wordsOfStatement(text);
    if (words.empty())
        return OpClass::Other;
    const std::string& verb = words.front();
    const bool changes = hasOneOf(words, {"insert", "update", "delete", "merge"});
    if (isOneOfThese(verb, {"select", "values", "table", "show"}))
        return OpClass::Read;
    if (verb == "with")
        return changes ? OpClass::Write : OpClass::Read;
    if (verb == "explain") // ANALYZE does what it explains
        return changes && hasOneOf(words, {"analyze", "analyse"}) ? OpClass::Write : OpClass::Read;
    if (isOneOfThese(verb, {"set", "savepoint", "release", "begin", "start", "commit", "end", "rollback", "abort",
                            "lock", "use"}))
        return OpClass::Other;
    return OpClass::Write;
}

RequestKind statementStep(std::string_view text)
{
    // Each server has its own words for these.
    const std::string words = plainWords(text);
    if (isOneOfThese(words, {"begin", "begin work", "begin transaction", "start transaction"}))
        return RequestKind::Begin;
    if (isOneOfThese(words, {"commit", "commit work", "commit transaction", "end", "end work", "end transaction"}))
        return RequestKind::Commit;
    if (isOneOfThese(words, {"rollback", "rollback work", "rollback transaction", "abort"}))
        return RequestKind::Rollback;
    return RequestKind::Text;
}

bool hasCodeInComments(std::string_view text)
{
    return text.find("/*!") != std::string_view::npos || text.find("/*M!") != std::string_view::npos;
}

bool onlyReads(std::string_view text)
{
    if (hasCodeInComments(text) || trimmed(text, " \t\r\n\v\f;").find(';') != std::string_view::npos)
        return false; // with ';' in it perhaps several statements
    const std::vector<std::string> words = wordsOfStatement(text);
    // INTO makes a file or a table; FOR UPDATE and FOR SHARE lock.
    return statementClass(text) == OpClass::Read &&
           !hasOneOf(words, {"insert", "update", "delete", "merge", "into", "share", "lock"});
}

} // namespace dyno
