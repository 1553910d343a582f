// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/option_file.h"

#include <dyno/file_kind.h>
#include <dyno/passwords.h>

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <utility>

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

//! What a section says of its account; "" and 0 = nothing.
struct Account
{
    std::optional<std::string> password;
    std::string user, host, socket;
    int port = 0; //!< -1 = not a number
    [[nodiscard]] bool named() const { return !user.empty() || !host.empty() || !socket.empty() || port != 0; }
    [[nodiscard]] std::string text() const
    {
        std::string all;
        for (const auto& [name, value] : {std::pair{"user", user},
                                          {"host", host},
                                          {"socket", socket},
                                          {"port", port > 0 ? fmt::format("{}", port) : std::string()}}) {
            if (!value.empty())
                all += fmt::format("{}{} {}", all.empty() ? "" : ", ", name, value);
        }
        return all;
    }
};

void take(Account& account, const std::string& name, std::string value)
{
    if (name == "password") {
        account.password = std::move(value);
    } else if (name == "user") {
        account.user = std::move(value);
    } else if (name == "host") {
        account.host = std::move(value);
    } else if (name == "socket") {
        account.socket = std::move(value);
    } else if (name == "port") {
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), account.port);
        if (error != std::errc() || end != value.data() + value.size())
            account.port = -1;
    }
}

bool isOf(const Account& account, const TargetUri& receiver)
{
    TargetUri named = receiver;
    const bool bySocket = receiver.query.contains("socket");
    const bool here = account.host.empty() || isLoopback(account.host) || account.host.starts_with('/');
    if (!here && isLocal(receiver))
        return false;
    if (!account.user.empty())
        named.user = account.user;
    if (!account.host.empty())
        named.host = account.host;
    if (account.port != 0)
        named.port = account.port;
    if (bySocket && account.socket.empty() && !account.host.empty())
        return false; // any program may listen on a socket that a plan names
    if (!account.socket.empty() && bySocket)
        named.query["socket"] = account.socket;
    if (!account.socket.empty() && account.host.empty() && !isLocal(receiver))
        return false; // it names a server of this machine
    return sameAccount(named, receiver);
}

//! The account whose password a file holds.
Expected<Account> accountIn(const std::filesystem::path& file)
{
    std::error_code ignored;
    if (isDynoFile(file)) // this process may have it open
        return fail({ErrorKind::BadInput, "this file holds sessions, not options", file.string(),
                     "give an option file of MySQL or MariaDB"});
    std::ifstream stream(file);
    if (!stream || std::filesystem::is_directory(file, ignored))
        return fail({ErrorKind::BadInput, "the option file cannot be read", file.string(),
                     "check its path and its permissions"});
    Account client, own;
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
        if (equals == std::string::npos || (section != "client" && section != "dyno"))
            continue;
        take(section == "dyno" ? own : client, trimmed(std::string_view(text).substr(0, equals)),
             unquoted(trimmed(std::string_view(text).substr(equals + 1))));
    }
    // The other section's user and host are not those of this password.
    if (own.password)
        return own;
    if (client.password)
        return client;
    return fail({ErrorKind::BadInput, "the option file holds no password", file.string(),
                 "write [client] and below it password=…"});
}

} // namespace

Expected<std::string> passwordFromOptionFile(const std::filesystem::path& file)
{
    auto account = accountIn(file);
    if (!account)
        return fail(std::move(account.error()));
    return *account->password;
}

Expected<std::string> passwordFromOptionFile(const std::filesystem::path& file,
                                             const std::optional<TargetUri>& receiver)
{
    auto account = accountIn(file);
    if (!account)
        return fail(std::move(account.error()));
    if (account->named() && (!receiver || !isOf(*account, *receiver)))
        return fail({ErrorKind::BadInput,
                     fmt::format("the password in this option file is for {}, and not for {}; it was not sent",
                                 account->text().empty() ? "another account" : account->text(),
                                 receiver ? receiver->display() : "whatever server this is about"),
                     file.string(),
                     "name the same user, host, port and socket in the target and in the file, or give a file that has "
                     "the password alone"});
    return *account->password;
}

} // namespace dyno
