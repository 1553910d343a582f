// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session/anonymizer.h"

#include "base/text.h"
#include "store/library/search_index.h"
#include <dyno/server_variables.h>
#include <dyno/uri_form.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <vector>

namespace dyno {

namespace {

//! Accounts and hosts that name nobody; without them "mysql://root@localhost" would lose its meaning.
constexpr std::array<std::string_view, 16> kNobody = {"root",        "admin", "localhost", "localhost.localdomain",
                                                      "localdomain", "any",   "all",       "none",
                                                      "true",        "false", "on",        "off",
                                                      "yes",         "no",    "default",   "auto"};

bool isNobody(std::string_view name)
{
    const std::string plain = lowered(name);
    return plain == "*" || std::ranges::find(kNobody, plain) != kNobody.end() ||
           std::ranges::any_of(uriForms(), [&plain](const UriForm& form) {
               return std::ranges::find(form.commonNames, plain) != form.commonNames.end();
           });
}

bool isWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (static_cast<unsigned char>(c) & 0x80u) != 0;
}

bool isHex(char c)
{
    return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

//! Length of an IPv4 address at the beginning of `text`, 0 when there is none.
std::size_t ipv4At(std::string_view text)
{
    std::size_t at = 0;
    for (int part = 0; part < 4; ++part) {
        if (part > 0 && (at >= text.size() || text[at++] != '.'))
            return 0;
        std::size_t digits = 0;
        int value = 0;
        for (; at < text.size() && digits < 4 && isDigit(text[at]); ++at, ++digits)
            value = value * 10 + (text[at] - '0');
        if (digits == 0 || digits > 3 || value > 255)
            return 0;
    }
    // 1.2.3.4.5 and 5.6.7.8-log are versions
    if (at < text.size() &&
        (isWord(text[at]) || text[at] == '-' || (text[at] == '.' && at + 1 < text.size() && isDigit(text[at + 1]))))
        return 0;
    return at;
}

//! The same for IPv6 and MAC addresses: groups of hexadecimal digits between colons. Times of the day are none.
std::size_t hexGroupsAt(std::string_view text)
{
    std::size_t at = 0;
    int groups = 0;
    int doubles = 0;
    bool pairs = true;
    while (at < text.size()) {
        std::size_t digits = 0;
        while (at + digits < text.size() && isHex(text[at + digits]))
            ++digits;
        if (digits > 4)
            return 0;
        if (digits > 0)
            ++groups;
        pairs = pairs && digits == 2;
        at += digits;
        if (at >= text.size() || text[at] != ':')
            break;
        const bool twice = at + 1 < text.size() && text[at + 1] == ':';
        const bool goesOn = at + 1 < text.size() && isHex(text[at + 1]);
        if (twice) {
            ++doubles;
            pairs = false;
            at += 2;
            if (at >= text.size() || !isHex(text[at]))
                break;
        } else if (goesOn) {
            ++at;
        } else {
            break;
        }
    }
    if (at < text.size() && isWord(text[at]))
        return 0;
    const bool mac = groups == 6 && pairs;
    const bool ipv6 = groups == 8 || (doubles == 1 && groups >= 2);
    return mac || ipv6 ? at : 0;
}

bool namesNobody(std::string_view address)
{
    return address.starts_with("127.") || address.starts_with("192.0.2.") || address == "0.0.0.0" ||
           address == "255.255.255.255" || address.starts_with("255.255.") || address.starts_with("2001:db8::");
}

} // namespace

std::string& Anonymizer::substituteFor(std::string_view name, const char* kind)
{
    std::string& substitute = m_names[lowered(name)];
    if (substitute.empty())
        substitute = fmt::format("anon-{}-{}", kind, ++m_counts[kind]);
    return substitute;
}

void Anonymizer::learnHost(std::string_view name)
{
    while (!name.empty() && (name.back() == '.' || name.back() == ' '))
        name.remove_suffix(1);
    if (name.empty() || name.find_first_of("/ \t") != std::string_view::npos)
        return;
    if (isNobody(name) || ipv4At(name) > 0 || hexGroupsAt(name) > 0)
        return;
    if (std::ranges::all_of(name, isDigit))
        return;
    substituteFor(name, "host");
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos)
        return;
    if (dot > 2 && !isNobody(name.substr(0, dot)))
        substituteFor(name.substr(0, dot), "host");
    if (name.find('.', dot + 1) != std::string_view::npos)
        substituteFor(name.substr(dot + 1), "domain");
}

void Anonymizer::learnUser(std::string_view name)
{
    if (name.empty() || name.find_first_of("/ \t:") != std::string_view::npos || isNobody(name))
        return;
    substituteFor(name, "user");
}

void Anonymizer::learnFolders(std::string_view text)
{
    for (const std::string_view folder : {"/home/", "/Users/"}) {
        for (std::size_t at = text.find(folder); at != std::string_view::npos; at = text.find(folder, at + 1)) {
            const std::string_view rest = text.substr(at + folder.size());
            std::size_t length = 0;
            while (length < rest.size() && (isWord(rest[length]) || rest[length] == '-' || rest[length] == '.'))
                ++length;
            learnUser(rest.substr(0, length));
        }
    }
}

void Anonymizer::learnUri(std::string_view uri)
{
    learnFolders(uri);
    if (const auto parsed = parseUri(uri)) {
        learnUser(parsed->user);
        // mongodb://a,b:27018,c names several
        for (std::size_t at = 0; at <= parsed->host.size();) {
            const std::size_t comma = std::min(parsed->host.find(',', at), parsed->host.size());
            const std::string_view one = std::string_view(parsed->host).substr(at, comma - at);
            learnHost(one.substr(0, one.find(':')));
            at = comma + 1;
        }
        return;
    }
    // Of a driver that this build lacks: scheme://user@host,host/…
    const std::size_t begin = uri.find("://");
    if (begin == std::string_view::npos)
        return;
    std::string_view authority = uri.substr(begin + 3);
    authority = authority.substr(0, authority.find_first_of("/?"));
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
        learnUser(authority.substr(0, std::min(at, authority.find(':'))));
        authority.remove_prefix(at + 1);
    }
    while (!authority.empty()) {
        const std::string_view one = authority.substr(0, authority.find(','));
        learnHost(one.substr(0, one.find(':')));
        authority.remove_prefix(std::min(authority.size(), one.size() + 1));
    }
}

void Anonymizer::learnHosts(std::string_view list)
{
    if (const std::size_t scheme = list.find("://"); scheme != std::string_view::npos)
        list.remove_prefix(scheme + 3);
    list = list.substr(0, list.find('?'));
    while (!list.empty()) {
        std::string_view one = list.substr(0, list.find_first_of(",; "));
        list.remove_prefix(std::min(list.size(), one.size() + 1));
        if (const std::size_t slash = one.find('/'); slash != std::string_view::npos) // replica set/host
            one.remove_prefix(slash + 1);
        if (!one.starts_with('[')) // an IPv6 address is found as such
            learnHost(one.substr(0, one.find(':')));
    }
}

void Anonymizer::learn(const Settings& settings)
{
    const auto isOneOf = [](std::vector<std::string> ServerVariables::*list, std::string_view name) {
        return std::ranges::any_of(serverVariables(), [&](const ServerVariables& one) {
            return std::ranges::find(one.*list, name) != (one.*list).end();
        });
    };
    for (const auto& [full, value] : settings) {
        const std::string name = lowered(withoutScope(full));
        const std::string text = toText(value);
        learnFolders(text);
        if (name == "hostname" || name == "host" || isOneOf(&ServerVariables::hosts, name))
            learnHosts(text);
        else if (name == "user" || name == "username" || isOneOf(&ServerVariables::users, name))
            learnUser(std::string_view(text).substr(0, text.find(':')));
        else if (isOneOf(&ServerVariables::hostOptions, name))
            learnHostOptions(text);
    }
}

//! "base_host = node7; gmcast.listen_addr = tcp://0.0.0.0:4567; …"
void Anonymizer::learnHostOptions(std::string_view text)
{
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(';'));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        const std::size_t mark = std::min(one.find('='), one.size());
        const std::string_view name = trimmed(one.substr(0, mark));
        if (name.ends_with("host") || name.ends_with("_addr"))
            learnHosts(trimmed(one.substr(std::min(one.size(), mark + 1))));
    }
}

std::string Anonymizer::addressesReplaced(std::string_view text)
{
    std::string result;
    result.reserve(text.size());
    const auto mailStart = [&](std::size_t at) { // characters of a mail address before the @
        std::size_t start = result.size();
        while (start > 0 && (isWord(result[start - 1]) ||
                             std::string_view("._%+-").find(result[start - 1]) != std::string_view::npos))
            --start;
        std::size_t end = at + 1;
        while (end < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.' || text[end] == '-'))
            ++end;
        const std::string_view domain = text.substr(at + 1, end - at - 1);
        return std::tuple(start, end, start < result.size() && domain.find('.') != std::string_view::npos);
    };
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        const bool begins = at == 0 || (!isWord(text[at - 1]) && text[at - 1] != '.' && text[at - 1] != '-');
        std::size_t length = 0;
        if (begins && isDigit(c))
            length = ipv4At(text.substr(at));
        const bool six = length == 0 && (at == 0 || (!isWord(text[at - 1]) && text[at - 1] != ':')) && isHex(c);
        if (six)
            length = hexGroupsAt(text.substr(at));
        if (length > 0) {
            const std::string_view address = text.substr(at, length);
            if (namesNobody(address)) {
                result += address;
            } else {
                std::string& substitute = m_names[lowered(address)];
                if (substitute.empty()) {
                    const int n = ++m_counts["address"];
                    substitute = six ? fmt::format("2001:db8::{:x}", n) : fmt::format("192.0.2.{}", n);
                }
                result += substitute;
            }
            at += length;
            continue;
        }
        if (c == '@') {
            const auto [start, end, mail] = mailStart(at);
            const bool ofUri = start >= 3 && result.compare(start - 3, 3, "://") == 0;
            if (mail && !ofUri && ipv4At(text.substr(at + 1)) == 0) {
                const std::string whole = result.substr(start) + std::string(text.substr(at, end - at));
                result.replace(start, std::string::npos, substituteFor(whole, "mail"));
                at = end;
                continue;
            }
        }
        result += c;
        ++at;
    }
    return result;
}

std::string Anonymizer::namesReplaced(const std::string& text) const
{
    if (m_names.empty())
        return text;
    // Longest first, so that the whole of a name goes before its first label.
    std::vector<std::pair<std::string_view, std::string_view>> names(m_names.begin(), m_names.end());
    std::ranges::stable_sort(names, [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    std::array<std::vector<std::size_t>, 256> byFirst;
    for (std::size_t i = 0; i < names.size(); ++i)
        byFirst[static_cast<unsigned char>(names[i].first.front())].push_back(i);
    const std::string low = lowered(text);
    std::string result;
    result.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const bool begins = at == 0 || !isWord(text[at - 1]);
        bool found = false;
        if (begins) {
            for (const std::size_t i : byFirst[static_cast<unsigned char>(low[at])]) {
                const auto& [name, substitute] = names[i];
                if (low.compare(at, name.size(), name) != 0)
                    continue;
                if (at + name.size() < text.size() && isWord(text[at + name.size()]))
                    continue;
                if (text.compare(at + name.size(), 3, "://") == 0) // the scheme of a URI
                    continue;
                result += substitute;
                at += name.size();
                found = true;
                break;
            }
        }
        if (!found)
            result += text[at++];
    }
    return result;
}

std::string Anonymizer::replaced(std::string_view text)
{
    return namesReplaced(addressesReplaced(text));
}

} // namespace dyno
