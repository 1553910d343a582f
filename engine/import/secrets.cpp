// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/secrets.h"

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

//! End of the value that begins at `at` of `text`: of a quoted one its quote, of another the next blank or delimiter.
std::size_t endOf(std::string_view text, std::size_t at, char quote)
{
    if (quote != 0)
        return std::min(text.find_first_of(std::string_view(&quote, 1), at), std::min(text.find('\n', at), text.size()));
    return std::min(text.find_first_of(" \t\r\n,;&|)}]\"'@", at), text.size());
}

void hideAt(char* data, std::string_view text, std::size_t at)
{
    // password=secret, "password": "secret", [pass]: secret, mysql_pass secret, -p db.passwd=secret
    bool separated = false;
    char quote = 0;
    while (at < text.size()) {
        const char c = text[at];
        if (c == '=' || c == ':')
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
    }
    if (!separated || at >= text.size())
        return;
    const std::size_t end = endOf(text, at, quote);
    if (end > at)
        std::memset(data + at, '*', end - at);
}

//! "mysql://user:secret@host"
void hideInUris(char* data, std::string_view text)
{
    for (std::size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://", at + 3)) {
        const std::size_t end = std::min(text.find_first_of(" \t\r\n/\"'?,;", at + 3), text.size());
        const std::string_view authority = text.substr(at + 3, end - at - 3);
        const std::size_t host = authority.rfind('@');
        const std::size_t colon = authority.find(':');
        if (host != std::string_view::npos && colon != std::string_view::npos && colon < host)
            std::memset(data + at + 3 + colon + 1, '*', host - colon - 1);
    }
}

} // namespace

void hideSecrets(char* data, std::size_t size)
{
    const std::string_view text(data, size);
    constexpr std::array<std::string_view, 4> kNames = {"pass", "Pass", "PASS", "pwd"};
    constexpr std::array<std::string_view, 6> kTails = {"", "word", "wd", "phrase", "WORD", "WD"};
    for (const std::string_view name : kNames) {
        for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
            std::size_t end = at + name.size();
            while (end < size && isWord(text[end]))
                ++end;
            const std::string_view tail = text.substr(at + name.size(), end - at - name.size());
            if (std::ranges::find(kTails, tail) != kTails.end())
                hideAt(data, text, end);
        }
    }
    // tpcc-mysql: option p with value 'secret'
    constexpr std::string_view kOption = "option p with value '";
    for (std::size_t at = text.find(kOption); at != std::string_view::npos; at = text.find(kOption, at + 1)) {
        const std::size_t from = at + kOption.size();
        const std::size_t end = endOf(text, from, '\'');
        if (end > from)
            std::memset(data + from, '*', end - from);
    }
    hideInUris(data, text);
}

} // namespace dyno::import
