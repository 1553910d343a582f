// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/secrets.h"

#include <dyno/uri_form.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace dyno::import {

namespace {

constexpr std::string_view kBlank = " \t";

bool isWord(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

//! End of the value that begins at `at` of `text`: of a quoted one its quote, of another the next blank. Where values
//! stand in a list (of a URI, of JSON) one may end at a delimiter too.
std::size_t endOf(std::string_view text, std::size_t at, char quote, bool listed)
{
    if (quote != 0)
        return std::min(text.find_first_of(std::string_view(&quote, 1), at),
                        std::min(text.find('\n', at), text.size()));
    return std::min(text.find_first_of(listed ? " \t\r\n,;&|)}]\"'" : " \t\r\n", at), text.size());
}

//! What stands before the word that `at` is in; a line end at the beginning.
char before(std::string_view text, std::size_t at)
{
    while (at > 0 && (isWord(text[at - 1]) || text[at - 1] == '.'))
        --at;
    return at > 0 ? text[at - 1] : '\n';
}

void hide(char* data, std::size_t from, std::size_t end)
{
    if (end > from)
        std::memset(data + from, '*', end - from);
}

//! The name begins at `name` and ends at `at`.
void hideAt(char* data, std::string_view text, std::size_t name, std::size_t at)
{
    // password=secret, "password": "secret", [pass]: secret, mysql_pass secret, -p db.passwd=secret,
    // "--password=secret"
    bool separated = false;
    const char ahead = before(text, name);
    const bool key = at < text.size() && (text[at] == '"' || text[at] == '\'');
    char quote = 0;
    while (at < text.size()) {
        const char c = text[at];
        // a second one is of the value itself
        if ((c == '=' || c == ':') && (!separated || text[at - 1] == ' '))
            separated = true;
        else if (kBlank.find(c) != std::string_view::npos)
            separated = separated || quote == 0;
        else if (c == '"' || c == '\'')
            quote = quote == 0 ? c : quote;
        else if (c == '{' && separated)
            quote = '}';
        else if (c != ']' || separated)
            break;
        ++at;
        // the quote that closed the name is no quote of the value
        if ((c == '=' || c == ':') && quote != 0)
            quote = 0;
        if (quote != 0 && separated)
            break;
    }
    if (!separated || at >= text.size())
        return;
    const bool whole = !key && (ahead == '"' || ahead == '\''); // the option with its value is quoted
    const bool listed = key || std::string_view(",;&?|").find(ahead) != std::string_view::npos;
    hide(data, at, endOf(text, at, quote == 0 && whole ? ahead : quote, listed));
}

//! "mysqldump -psecret", "tpcc_start -p secret": the short option of programs that take a password so.
void hideShortOptions(char* data, std::string_view text, std::string_view program, bool apart)
{
    for (std::size_t at = text.find(program); at != std::string_view::npos; at = text.find(program, at + 1)) {
        if (at > 0 && std::string_view(" \t\n/\"'`(;&|").find(text[at - 1]) == std::string_view::npos)
            continue;
        const std::string_view line = text.substr(0, std::min(text.find('\n', at), text.size()));
        for (std::size_t option = line.find(" -p", at); option != std::string_view::npos;
             option = line.find(" -p", option + 1)) {
            std::size_t from = option + 3;
            if (apart)
                from = std::min(line.find_first_not_of(kBlank, from), line.size());
            const bool quoted = from < line.size() && (line[from] == '"' || line[from] == '\'');
            hide(data, from + (quoted ? 1 : 0),
                 endOf(line, from + (quoted ? 1 : 0), quoted ? line[from] : '\0', false));
        }
        at = line.size();
    }
}

//! "mysql://user:secret@host"
void hideInUris(char* data, std::string_view text)
{
    for (std::size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://", at + 3)) {
        const std::size_t end = std::min(text.find_first_of(" \t\r\n/\"'?", at + 3), text.size());
        const std::string_view authority = text.substr(at + 3, end - at - 3);
        const std::size_t host = authority.rfind('@');
        const std::size_t colon = authority.find(':');
        if (host != std::string_view::npos && colon != std::string_view::npos && colon < host)
            hide(data, at + 3 + colon + 1, at + 3 + host);
    }
}

} // namespace

void hideSecrets(char* data, std::size_t size)
{
    const std::string_view text(data, size);
    constexpr std::array<std::string_view, 5> kNames = {"pass", "Pass", "PASS", "pwd", "PWD"};
    constexpr std::array<std::string_view, 6> kTails = {"", "word", "wd", "phrase", "WORD", "WD"};
    for (const std::string_view name : kNames) {
        for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
            std::size_t end = at + name.size();
            while (end < size && isWord(text[end]))
                ++end;
            const std::string_view tail = text.substr(at + name.size(), end - at - name.size());
            if (std::ranges::find(kTails, tail) != kTails.end())
                hideAt(data, text, at, end);
        }
    }
    // tpcc-mysql, and SQL
    for (const std::string_view ahead : {"option p with value '", "IDENTIFIED BY '", "identified by '"}) {
        for (std::size_t at = text.find(ahead); at != std::string_view::npos; at = text.find(ahead, at + 1))
            hide(data, at + ahead.size(), endOf(text, at + ahead.size(), '\'', false));
    }
    for (const UriForm& form : uriForms()) {
        for (const std::string& program : form.clients)
            hideShortOptions(data, text, program, false);
    }
    for (const std::string_view program : {"tpcc_start", "tpcc_load"})
        hideShortOptions(data, text, program, true);
    hideInUris(data, text);
}

} // namespace dyno::import
