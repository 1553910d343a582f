// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/option_file.h"

#include <dyno/file_kind.h>

#include <fstream>
#include <optional>

namespace dyno {

namespace {

std::string trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

//! Quotes around the value and the escapes that MySQL's option files know.
std::string unquoted(std::string value)
{
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
        value = value.substr(1, value.size() - 2);
    std::string out;
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i] != '\\' || i + 1 == value.size()) {
            out += value[i];
            continue;
        }
        switch (value[++i]) {
        case 'n':
            out += '\n';
            break;
        case 't':
            out += '\t';
            break;
        case 'r':
            out += '\r';
            break;
        case 's':
            out += ' ';
            break;
        case '\\':
            out += '\\';
            break;
        default:
            out += '\\';
            out += value[i];
        }
    }
    return out;
}

} // namespace

Expected<std::string> passwordFromOptionFile(const std::filesystem::path& file)
{
    std::error_code ignored;
    if (isDynoFile(file)) // this process may have it open
        return fail({ErrorKind::BadInput, "this file holds sessions, not options", file.string(), "give an option file of MySQL or MariaDB"});
    std::ifstream stream(file);
    if (!stream || std::filesystem::is_directory(file, ignored))
        return fail({ErrorKind::BadInput, "the option file cannot be read", file.string(),
                     "check its path and its permissions"});
    std::optional<std::string> client, own;
    std::string section, line;
    while (std::getline(stream, line)) {
        const std::string text = trimmed(line);
        if (text.empty() || text.front() == '#' || text.front() == ';')
            continue;
        if (text.front() == '[') {
            section = trimmed(std::string_view(text).substr(1, text.find(']') - 1));
            continue;
        }
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || trimmed(std::string_view(text).substr(0, equals)) != "password")
            continue;
        const std::string value = unquoted(trimmed(std::string_view(text).substr(equals + 1)));
        if (section == "client")
            client = value;
        else if (section == "dyno")
            own = value;
    }
    if (own)
        return *own;
    if (client)
        return *client;
    return fail({ErrorKind::BadInput, "the option file holds no password", file.string(),
                 "write [client] and below it password=…"});
}

} // namespace dyno
