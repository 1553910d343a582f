// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_grants.h"

#include <algorithm>
#include <cctype>

namespace dyno::mysql {

namespace {

constexpr std::string_view kAll = "ALL PRIVILEGES";

//! Position of `word` outside quotes and brackets, from `from` on; npos when it is not there.
std::size_t findOutside(std::string_view text, std::string_view word, std::size_t from)
{
    char quote = 0;
    int depth = 0;
    for (std::size_t i = from; i < text.size(); ++i) {
        const char c = text[i];
        if (quote == 0 && depth == 0 && text.substr(i, word.size()) == word)
            return i;
        if (quote != 0)
            quote = c == quote ? char(0) : quote;
        else if (c == '`' || c == '\'' || c == '"')
            quote = c;
        else if (c == '(')
            ++depth;
        else if (c == ')')
            --depth;
    }
    return std::string_view::npos;
}

//! "SELECT, INSERT (a, b)" → SELECT, INSERT.
std::set<std::string, std::less<>> rightsIn(std::string_view list)
{
    std::set<std::string, std::less<>> rights;
    std::size_t at = 0;
    while (at < list.size()) {
        const std::size_t end = std::min(findOutside(list, ",", at), list.size());
        std::string_view right = list.substr(at, std::min(list.find('(', at), end) - at);
        while (!right.empty() && right.front() == ' ')
            right.remove_prefix(1);
        while (!right.empty() && right.back() == ' ')
            right.remove_suffix(1);
        std::string upper(right);
        std::transform(upper.begin(), upper.end(), upper.begin(),
                       [](unsigned char c) { return char(std::toupper(c)); });
        rights.insert(std::move(upper));
        at = end + 1;
    }
    return rights;
}

//! `a``b` → a`b
std::string unquoted(std::string_view name)
{
    if (name.size() < 2 || name.front() != '`')
        return std::string(name);
    std::string plain;
    for (std::size_t i = 1; i + 1 < name.size(); ++i) {
        plain += name[i];
        if (name[i] == '`' && name[i + 1] == '`')
            ++i;
    }
    return plain;
}

//! LIKE, with \ before what is meant literally.
bool like(std::string_view text, std::string_view pattern)
{
    if (pattern.empty())
        return text.empty();
    if (pattern.front() == '%') {
        for (std::size_t skip = 0; skip <= text.size(); ++skip) {
            if (like(text.substr(skip), pattern.substr(1)))
                return true;
        }
        return false;
    }
    if (pattern.front() == '\\' && pattern.size() > 1)
        return !text.empty() && text.front() == pattern[1] && like(text.substr(1), pattern.substr(2));
    if (text.empty() || (pattern.front() != '_' && pattern.front() != text.front()))
        return false;
    return like(text.substr(1), pattern.substr(1));
}

//! For statements that a person reads and types.
std::string quotedForPeople(std::string_view text)
{
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\')
            result += c;
        result += c;
    }
    return result + "'";
}

} // namespace

std::string quotedAccount(std::string_view account)
{
    const std::size_t at = account.rfind('@');
    if (at == std::string_view::npos)
        return quotedForPeople(account);
    return quotedForPeople(account.substr(0, at)) + "@" + quotedForPeople(account.substr(at + 1));
}

void Grants::add(std::string_view line)
{
    Scope scope;
    scope.revoked = line.starts_with("REVOKE ");
    if (!scope.revoked && !line.starts_with("GRANT "))
        return;
    const std::size_t rights = line.find(' ') + 1;
    const std::size_t on = findOutside(line, " ON ", rights);
    if (on == std::string_view::npos)
        return; // a role
    const std::size_t object = on + 4;
    const std::size_t end = findOutside(line, scope.revoked ? " FROM " : " TO ", object);
    std::string_view place = line.substr(object, end == std::string_view::npos ? end : end - object);
    if (place.starts_with("TABLE "))
        place.remove_prefix(6);
    const std::size_t dot = findOutside(place, ".", 0);
    if (dot == std::string_view::npos || place.starts_with("PROCEDURE ") || place.starts_with("FUNCTION ") ||
        place.starts_with("PACKAGE "))
        return;
    scope.rights = rightsIn(line.substr(rights, on - rights));
    if (place != "*.*") {
        scope.database = unquoted(place.substr(0, dot));
        scope.table = place.substr(dot + 1) != "*";
    }
    m_scopes.push_back(std::move(scope));
}

bool Grants::gives(const Scope& scope, std::string_view right)
{
    return scope.rights.contains(right) || scope.rights.contains(kAll);
}

bool Grants::has(std::string_view right, std::string_view database) const
{
    const auto covers = [&](const Scope& scope) {
        return gives(scope, right) &&
               (scope.database.empty() || (scope.table ? scope.database == database : like(database, scope.database)));
    };
    const auto revoked = [&](const Scope& scope) { return scope.revoked && covers(scope); };
    const bool taken = std::any_of(m_scopes.begin(), m_scopes.end(), revoked);
    // What is revoked for a database was given for all of them.
    return std::any_of(m_scopes.begin(), m_scopes.end(), [&](const Scope& scope) {
        return !scope.revoked && covers(scope) && !(taken && scope.database.empty());
    });
}

bool Grants::hasGlobal(std::string_view right) const
{
    return std::any_of(m_scopes.begin(), m_scopes.end(), [&](const Scope& scope) {
        return !scope.revoked && scope.database.empty() && gives(scope, right);
    });
}

bool Grants::maySetGlobals() const
{
    return hasGlobal("SUPER") || hasGlobal("SYSTEM_VARIABLES_ADMIN") || hasGlobal("CONNECTION ADMIN") ||
           hasGlobal("BINLOG ADMIN") || hasGlobal("REPLICATION MASTER ADMIN");
}

} // namespace dyno::mysql
