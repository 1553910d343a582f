// SPDX-License-Identifier: GPL-3.0-or-later
#include "clickhouse_grants.h"

#include "base/text.h"
#include "driver/sql_text.h"

#include <algorithm>

namespace dyno::clickhouse {

namespace {

constexpr SqlLexis kNamesOfGrants{.backslashesInNames = true};

//! The place of `words` from `at` on, outside of quoted names and brackets; npos where there is none.
std::size_t findBare(std::string_view text, std::string_view words, std::size_t at)
{
    int depth = 0;
    while (at < text.size()) {
        if (const std::size_t after = skipQuoted(text, at, kNamesOfGrants); after != at) {
            at = after;
            continue;
        }
        if (depth == 0 && text.substr(at).starts_with(words))
            return at;
        depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
        ++at;
    }
    return std::string_view::npos;
}

//! "SELECT(a, b), CREATE TABLE" → SELECT, CREATE TABLE.
std::vector<std::string> rightsOf(std::string_view list)
{
    std::vector<std::string> rights;
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(findBare(list, ",", at), list.size());
        const std::string_view one = list.substr(at, end - at);
        rights.emplace_back(trimmed(one.substr(0, one.find('('))));
        at = end + 1;
    }
    return rights;
}

//! `a\`b` → a`b
std::string plainName(std::string_view name)
{
    if (name.size() < 2 || name.front() != '`')
        return std::string(name);
    std::string plain;
    for (std::size_t i = 1; i + 1 < name.size(); ++i) {
        if (name[i] == '\\')
            ++i;
        plain += name[i];
    }
    return plain;
}

} // namespace

void Grants::add(std::string_view line)
{
    Scope scope;
    scope.revoked = line.starts_with("REVOKE ");
    if (!scope.revoked && !line.starts_with("GRANT "))
        return;
    const std::size_t rights = line.find(' ') + 1;
    const std::size_t on = findBare(line, " ON ", rights);
    if (on == std::string_view::npos) {
        m_roles = m_roles || !scope.revoked;
        return;
    }
    const std::size_t object = on + 4;
    const std::size_t end = std::min(findBare(line, scope.revoked ? " FROM " : " TO ", object), line.size());
    const std::string_view place = line.substr(object, end - object);
    const std::size_t dot = findBare(place, ".", 0);
    if (dot == std::string_view::npos)
        return; // of something else than tables
    scope.rights = rightsOf(line.substr(rights, on - rights));
    if (place != "*.*") {
        scope.database = plainName(place.substr(0, dot));
        scope.table = place.substr(dot + 1) != "*";
    }
    m_scopes.push_back(std::move(scope));
}

bool Grants::covers(const Scope& scope, std::string_view right, std::string_view database)
{
    const bool group = std::ranges::any_of(scope.rights, [right](const std::string& one) {
        return one == "ALL" || one == right || (right.starts_with(one) && right[one.size()] == ' ');
    });
    if (!group || scope.database.empty())
        return group;
    if (scope.database.ends_with('*'))
        return database.starts_with(std::string_view(scope.database).substr(0, scope.database.size() - 1));
    return scope.database == database;
}

bool Grants::has(std::string_view right, std::string_view database) const
{
    const auto any = [&](auto fits) {
        return std::ranges::any_of(m_scopes,
                                   [&](const Scope& scope) { return covers(scope, right, database) && fits(scope); });
    };
    // What is revoked for a database was given for all of them.
    const bool taken = any([](const Scope& scope) { return scope.revoked && !scope.table; });
    return any([taken](const Scope& scope) { return !scope.revoked && !(taken && scope.database.empty()); });
}

} // namespace dyno::clickhouse
