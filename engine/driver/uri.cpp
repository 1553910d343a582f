// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/uri_form.h>

#include "base/nearest.h"
#include "base/text.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace dyno {

namespace {

std::string knownForms()
{
    std::string forms;
    for (const UriForm& form : uriForms()) {
        for (const UriScheme& scheme : form.built ? form.schemes : std::vector<UriScheme>())
            forms += (forms.empty() ? "" : ", ") + scheme.example;
    }
    return forms;
}

bool isPasswordOption(std::string_view name)
{
    const std::string folded = lowered(name);
    return folded.find("pass") != std::string::npos || folded.find("pwd") != std::string::npos;
}

std::optional<int> hexDigit(char c)
{
    c = lowered(c);
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return {};
}

bool isControl(char c)
{
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

//! The text of an IPv6 address, with "%eth0" behind it when it is one of a link.
bool isIpv6(std::string_view text)
{
    const std::size_t percent = std::min(text.find('%'), text.size());
    in6_addr ignored{};
    if (inet_pton(AF_INET6, std::string(text.substr(0, percent)).c_str(), &ignored) != 1)
        return false;
    return percent == text.size() || (percent + 1 < text.size() && text.find(':', percent) == std::string_view::npos &&
                                      isHostName(text.substr(percent + 1)));
}

//! nullopt for a % that is not followed by two hexadecimal digits, and for control characters.
std::optional<std::string> decoded(std::string_view text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            result += text[i];
            continue;
        }
        const auto high = i + 2 < text.size() ? hexDigit(text[i + 1]) : std::nullopt;
        const auto low = i + 2 < text.size() ? hexDigit(text[i + 2]) : std::nullopt;
        if (!high || !low)
            return {};
        const char byte = char(*high * 16 + *low);
        if (isControl(byte))
            return {};
        result += byte;
        i += 2;
    }
    return result;
}

//! Encodes control characters, blanks, '%' and what `special` lists; other bytes stay, so UTF-8 remains readable.
std::string encoded(std::string_view text, std::string_view special)
{
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= 0x20 || byte == 0x7f || c == '%' || special.find(c) != std::string_view::npos)
            result += fmt::format("%{:02X}", unsigned(byte));
        else
            result += c;
    }
    return result;
}

//! "host:port" as it stands in a URI; a list of hosts (see TargetUri::host) is kept in that form.
std::string hostText(const TargetUri& uri)
{
    if (uri.host.find(',') != std::string::npos) {
        if (const UriForm* form = uriFormOfDriver(uri.driver); form && form->shape == UriShape::Hosts)
            return uri.host;
    }
    const bool v6 = !uri.host.starts_with('/') && uri.host.find(':') != std::string::npos; // a socket may hold one
    std::string text = v6 ? "[" + encoded(uri.host, "/?#[]@") + "]" : encoded(uri.host, ":/?#[]@,");
    if (uri.port != 0)
        text += fmt::format(":{}", uri.port);
    return text;
}

//! Parses one URI; keeps the text for messages, always redacted.
class Parser
{
public:
    explicit Parser(std::string_view text)
        : m_text(text)
    {
    }
    Expected<TargetUri> parse();

private:
    tl::unexpected<Error> refuse(std::string message, std::string remedy) const
    {
        return fail({ErrorKind::BadInput, std::move(message), redactUri(m_text), std::move(remedy)});
    }
    tl::unexpected<Error> refusePassword() const
    {
        return refuse(
            "a URI must not hold a password, since it would end up in the shell's history, in plans and in logs",
            "leave it out; the password comes from the environment variable DYNO_PASSWORD, from an option file or, "
            "in the window, from the keyring. An @ or / that belongs to a name is written %40 or %2F");
    }
    tl::unexpected<Error> refuseEncoding() const
    {
        return refuse(
            "a % must be followed by two hexadecimal digits, and not by those of a control character (00 to 1F, 7F)",
            "a % itself is written %25");
    }
    Expected<void> parseScheme(std::string_view name);
    Expected<void> parsePath(std::string_view rest);
    Expected<void> parseAuthority(std::string_view rest);
    Expected<void> parseHosts(std::string_view hosts);
    Expected<void> parseHost(std::string_view host);
    Expected<void> parseProduct(std::string_view rest);
    Expected<void> parseQuery(std::string_view query);
    [[nodiscard]] Expected<void> refuseOption(const std::string& name) const;
    [[nodiscard]] Expected<void> checkType(const OptionSpec& option, std::string& value) const;
    Expected<void> checkManaged() const;
    Expected<void> checkSocket() const;

    std::string_view m_text;
    const UriForm* m_form = nullptr;
    const UriScheme* m_scheme = nullptr;
    TargetUri m_uri;
};

Expected<TargetUri> Parser::parse()
{
    if (m_text.find('\0') != std::string_view::npos)
        return refuse("a URI cannot hold the character NUL, nor can the name of a file", "leave it out");
    if (std::any_of(m_text.begin(), m_text.end(), isControl))
        return refuse("a URI cannot hold a control character, such as a line break or a tab", "leave it out");
    const std::size_t colon = m_text.find(':');
    if (m_text.empty() || colon == std::string_view::npos || colon == 0) {
        return refuse(
            m_text.empty() ? "the target URI is empty" : "this is not a target URI: it names no scheme",
            fmt::format("a {} file is written {}PATH; known here: {}", fileProduct(), fileTarget(), knownForms()));
    }
    if (auto scheme = parseScheme(m_text.substr(0, colon)); !scheme)
        return fail(scheme.error());
    std::string_view rest = m_text.substr(colon + 1);
    std::string_view query;
    if (const std::size_t mark = rest.find('?'); mark != std::string_view::npos) {
        query = rest.substr(mark + 1);
        rest = rest.substr(0, mark);
    }
    Expected<void> done;
    switch (m_form->shape) {
    case UriShape::Path:
        done = parsePath(rest);
        break;
    case UriShape::Authority:
    case UriShape::Hosts:
        done = parseAuthority(rest);
        break;
    case UriShape::Product:
        done = parseProduct(rest);
        break;
    case UriShape::Options:
        if (!rest.empty())
            return refuse(fmt::format("the {} target takes no path", m_scheme->product),
                          fmt::format("write it as {}", m_scheme->example));
        break;
    }
    if (done && m_form->built)
        done = parseQuery(query);
    if (!done)
        return fail(done.error());
    // The product of a managed server says whose driver it needs.
    const UriForm* form = m_form->shape == UriShape::Product ? uriFormOfDriver(m_uri.driver) : m_form;
    if (!form->built && !form->missing.empty())
        return refuse(form->missing, form->howToBuild);
    if (!form->built) {
        return refuse(fmt::format("this version has no driver for {}", m_scheme->product),
                      fmt::format("known here: {}", knownForms()));
    }
    return m_uri;
}

Expected<void> Parser::parseScheme(std::string_view name)
{
    m_uri.scheme = lowered(name);
    m_form = uriFormOf(m_uri.scheme);
    if (!m_form) {
        std::vector<std::string> names;
        for (const UriForm& known : uriForms()) {
            for (const UriScheme& scheme : known.schemes)
                names.push_back(scheme.name);
        }
        const std::string nearest = nearestName(m_uri.scheme, names);
        return refuse(fmt::format("there is no scheme \"{}\"", m_uri.scheme),
                      nearest.empty() ? fmt::format("known here: {}", knownForms())
                                      : fmt::format("did you mean \"{}:\"?", nearest));
    }
    m_scheme = &*std::ranges::find_if(m_form->schemes, [this](const UriScheme& scheme) {
        return scheme.name == m_uri.scheme || scheme.alias == m_uri.scheme;
    });
    m_uri.scheme = m_scheme->name;
    m_uri.driver = m_form->driver;
    m_uri.kind = m_form->kind;
    return {};
}

Expected<void> Parser::parsePath(std::string_view rest)
{
    // "sqlite:///data/b.db" is what other tools write; "sqlite://data/b.db" would be a host, and there is none.
    if (rest.starts_with("//")) {
        if (!rest.starts_with("///"))
            return refuse("a file is no host: two slashes after the scheme are not a path",
                          fmt::format("write {}, with PATH relative or starting with one slash", m_scheme->example));
        rest.remove_prefix(2);
    }
    const auto path = decoded(rest);
    if (!path)
        return refuseEncoding();
    if (path->empty() && !m_form->privateFile)
        return refuse("the path is missing", fmt::format("write it as {}", m_scheme->example));
    m_uri.path = *path;
    // any number of leading slashes means one
    m_uri.path.erase(0, std::min(m_uri.path.find_first_not_of('/'), m_uri.path.size()));
    if (path->starts_with('/'))
        m_uri.path.insert(0, 1, '/');
    // A shell does not expand the ~ of "sqlite:~/b.db", because it does not stand at the start of the word.
    const char* home = std::getenv("HOME");
    if (m_uri.path.starts_with("~/") && home && *home)
        m_uri.path.replace(0, 1, home);
    return {};
}

Expected<void> Parser::parseAuthority(std::string_view rest)
{
    if (!rest.starts_with("//"))
        return refuse("two slashes are missing after the scheme", fmt::format("write it as {}", m_scheme->example));
    rest.remove_prefix(2);
    const std::size_t slash = rest.find('/');
    std::string_view authority = rest.substr(0, slash);
    const std::string_view database = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);

    const std::size_t at = authority.rfind('@');
    if (at == std::string_view::npos) {
        // A password with an unencoded / or ? in it: its tail lands in the path or in the options.
        const std::size_t tail = m_text.rfind('@');
        const bool inOptionValue =
            tail != std::string_view::npos && m_text.find('?') < tail && m_text.find('=', m_text.find('?')) < tail;
        if (tail != std::string_view::npos && !inOptionValue && authority.find(':') != std::string_view::npos)
            return refusePassword();
    } else {
        const std::string_view user = authority.substr(0, at);
        const std::size_t colon = user.find(':');
        if (colon != std::string_view::npos && colon + 1 < user.size())
            return refusePassword();
        const auto name = decoded(user.substr(0, colon));
        if (!name)
            return refuseEncoding();
        m_uri.user = *name;
        authority.remove_prefix(at + 1);
    }
    if (Expected<void> host = parseHosts(authority); !host)
        return host;
    const auto name = decoded(database);
    if (!name)
        return refuseEncoding();
    if (database.find('/') != std::string_view::npos)
        return refuse("there is more than one name after the host", fmt::format("write it as {}", m_scheme->example));
    m_uri.database = *name;
    return {};
}

Expected<void> Parser::parseHosts(std::string_view hosts)
{
    if (m_form->shape != UriShape::Hosts || hosts.find(',') == std::string_view::npos)
        return parseHost(hosts);
    std::string list;
    for (std::size_t at = 0; at <= hosts.size();) {
        const std::size_t end = std::min(hosts.find(',', at), hosts.size());
        m_uri.port = 0;
        if (Expected<void> host = parseHost(hosts.substr(at, end - at)); !host)
            return host;
        if (m_uri.host.empty())
            return refuse("a host of the list has no name", fmt::format("write it as {}", m_scheme->example));
        list += (list.empty() ? "" : ",") + hostText(m_uri);
        at = end + 1;
    }
    m_uri.host = std::move(list);
    m_uri.port = 0;
    return {};
}

Expected<void> Parser::parseHost(std::string_view host)
{
    std::string_view port;
    const bool bracketed = host.starts_with('[');
    if (bracketed) {
        // IPv6: [::1]:3306
        const std::size_t close = host.find(']');
        const bool tailFits = close != std::string_view::npos && (close + 1 == host.size() || host[close + 1] == ':');
        if (!tailFits)
            return refuse("the bracket of the IPv6 address is not closed", "write it as [::1]:3306");
        port = host.substr(close + 1);
        host = host.substr(1, close - 1);
    } else if (const std::size_t colon = host.find(':'); colon != std::string_view::npos) {
        port = host.substr(colon);
        host = host.substr(0, colon);
    }
    const auto name = decoded(host);
    if (!name)
        return refuseEncoding();
    // Client libraries read more than a name out of it: lists of hosts, and lists of options after a semicolon.
    const bool socketFits =
        m_form->shape == UriShape::Hosts && name->starts_with('/') && name->find_first_of(",;") == std::string::npos;
    if (bracketed ? !isIpv6(*name) : !name->empty() && !socketFits && !isHostName(*name))
        return refuse("what stands in the place of the host is no name or address of one",
                      "a name has the letters a to z, digits, -, _ and dots; an IPv6 address is written in brackets: "
                      "[::1]:3306");
    m_uri.host = *name;
    if (port.empty())
        return {};
    port.remove_prefix(1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), m_uri.port);
    // The text is not repeated in the message: what stands here may be a mistyped password.
    if (error != std::errc() || end != port.data() + port.size() || m_uri.port < 1 || m_uri.port > 65535)
        return refuse("the port is not a number from 1 to 65535", "an IPv6 address is written in brackets: [::1]:3306");
    return {};
}

Expected<void> Parser::parseProduct(std::string_view rest)
{
    m_uri.product = lowered(rest);
    const std::vector<ProductName> known = managedProductNames();
    if (std::ranges::find(known, m_uri.product, &ProductName::id) == known.end()) {
        std::string forms;
        for (std::size_t i = 0; i < known.size(); ++i)
            forms += fmt::format("{}managed:{}", i == 0 ? "" : i + 1 < known.size() ? ", " : " or ", known[i].id);
        return refuse(rest.empty() ? "it does not say which server to start"
                                   : fmt::format("Dynobench cannot start a server of the kind \"{}\"", rest),
                      fmt::format("write {}", forms));
    }
    m_uri.driver = driverNamedBy("managed:" + m_uri.product);
    return {};
}

Expected<void> Parser::parseQuery(std::string_view query)
{
    while (!query.empty()) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view pair = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        const std::size_t equals = pair.find('=');
        const auto name = decoded(pair.substr(0, equals));
        auto value = decoded(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1));
        if (!name || !value)
            return refuseEncoding();
        if (isPasswordOption(*name))
            return refusePassword();
        const UriOption* option = m_form->option(*name);
        if (!option)
            return refuseOption(*name);
        if (equals == std::string_view::npos || value->empty())
            return refuse(fmt::format("the option \"{}\" has no value", *name), fmt::format("write {}=VALUE", *name));
        if (auto checked = checkType(option->spec, *value); !checked)
            return checked;
        if (!m_uri.query.emplace(*name, *value).second)
            return refuse(fmt::format("the option \"{}\" is given twice", *name), "give it once");
    }
    if (m_uri.kind == TargetKind::Managed)
        return checkManaged();
    return m_uri.kind == TargetKind::Remote ? checkSocket() : Expected<void>();
}

Expected<void> Parser::refuseOption(const std::string& name) const
{
    std::vector<std::string> known;
    for (const UriOption& option : m_form->options)
        known.push_back(option.spec.name);
    if (known.empty())
        return refuse("this scheme takes no options", "a ? that belongs to the name of a file is written %3F");
    const std::string nearest = nearestName(name, known);
    return refuse(fmt::format("there is no option \"{}\" for {}:", name, m_uri.scheme),
                  nearest.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                                  : fmt::format("did you mean \"{}\"?", nearest));
}

//! Which words there are is the driver's to say, when it knows what a knob says in their place.
Expected<void> Parser::checkType(const OptionSpec& option, std::string& value) const
{
    const bool word = option.type == OptionType::Choice;
    const auto checked = word && !m_form->driver.empty() ? Expected<Value>(value) : coerce(option, parseValue(value));
    if (checked) {
        if (word)
            value = toText(*checked); // as it is written: TCP is tcp
        return {};
    }
    std::string remedy = checked.error().remedy;
    if (word)
        remedy = fmt::format("write {0}={1}", option.name, fmt::join(option.choices, " or " + option.name + "="));
    else if (m_scheme->example.find('?') != std::string::npos)
        remedy += ", as in " + m_scheme->example;
    return refuse(fmt::format("{}={}", option.name, checked.error().message), std::move(remedy));
}

Expected<void> Parser::checkManaged() const
{
    const auto name = m_uri.query.find("name");
    if (name == m_uri.query.end())
        return {};
    // It is the name of a folder.
    constexpr std::size_t kLongest = 64;
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.';
    };
    const std::string& text = name->second;
    if (text.size() > kLongest || text.front() == '.' || text.front() == '-' ||
        !std::all_of(text.begin(), text.end(), fits))
        return refuse(fmt::format("name=\"{}\" is not a name for a server", text),
                      "use up to 64 letters, digits, -, _ and dots, and begin with a letter or digit");
    return {};
}

//! One place only: a host would hide that a socket of this machine is used.
Expected<void> Parser::checkSocket() const
{
    const auto socket = m_uri.query.find("socket");
    if (socket == m_uri.query.end())
        return {};
    const std::string& path = socket->second;
    const bool isPlace = path.starts_with('/') || path.starts_with('@'); // @: an abstract one, without a file
    if (!isPlace || path.find(';') != std::string::npos)
        return refuse("socket= is not the path of a socket", "write the whole path, such as socket=/run/server.sock");
    if (!m_uri.host.empty() && !isLoopback(m_uri.host))
        return refuse(
            fmt::format("socket= names a socket of this machine, beside the host {}: only one of them can be meant",
                        m_uri.host),
            "remove the socket, or write localhost as the host");
    return {};
}

} // namespace

Expected<TargetUri> parseUri(std::string_view text)
{
    return Parser(text).parse();
}

bool isHostName(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.';
    });
}

bool worksInProcess(const TargetUri& uri)
{
    if (uri.kind != TargetKind::Embedded)
        return false;
    const UriForm* form = uriFormOfDriver(uri.driver);
    return !form || !form->waits || !form->waits(uri);
}

WorkPlace workPlaceOf(const TargetUri& uri)
{
    if (worksInProcess(uri))
        return WorkPlace::InProcess;
    if (uri.kind == TargetKind::Embedded) // it waits
        return WorkPlace::Elsewhere;
    return uri.kind == TargetKind::Managed || isLocal(uri) ? WorkPlace::OnThisMachine : WorkPlace::Elsewhere;
}

bool isLoopback(std::string_view host)
{
    const std::string text = lowered(host);
    in_addr v4{};
    in6_addr v6{};
    if (inet_pton(AF_INET, text.c_str(), &v4) == 1) // "127.example.org" is a name like any other
        return ntohl(v4.s_addr) >> 24 == IN_LOOPBACKNET;
    return text == "localhost" || (inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6));
}

namespace {

bool hostsByName(const TargetUri& uri)
{
    const UriForm* form = uriFormOf(uri.scheme);
    return form && std::ranges::any_of(form->schemes, [&uri](const UriScheme& scheme) {
               return scheme.name == uri.scheme && scheme.hostsByName;
           });
}

} // namespace

bool isLocal(const TargetUri& uri)
{
    if (hostsByName(uri))
        return false;
    if (uri.host.find(',') != std::string::npos) { // as hostText() writes them
        for (std::size_t at = 0; at <= uri.host.size();) {
            const std::size_t end = std::min(uri.host.find(',', at), uri.host.size());
            std::string_view one = std::string_view(uri.host).substr(at, end - at);
            if (one.starts_with('['))
                one = one.substr(1, one.find(']') - 1);
            else
                one = one.substr(0, one.find(':'));
            if (!one.starts_with("%2F") && !one.starts_with('/') && !isLoopback(one))
                return false;
            at = end + 1;
        }
        return true;
    }
    const auto socket = uri.query.find("socket");
    const bool onSocket = (socket != uri.query.end() && !socket->second.empty()) || uri.host.starts_with('/');
    return uri.kind != TargetKind::Remote || onSocket || uri.host.empty() || isLoopback(uri.host);
}

std::string redactUri(std::string_view text)
{
    std::string result(text);
    // Generous on purpose: a password may hold any character, also '/', '?' and '@', when somebody forgot to encode it.
    const std::size_t slashes = result.find("://");
    const std::size_t at = result.rfind('@');
    if (slashes != std::string::npos && at != std::string::npos && at > slashes) {
        const std::size_t colon = result.find(':', slashes + 3);
        if (colon != std::string::npos && colon + 1 < at)
            result.replace(colon + 1, at - colon - 1, "***");
    } else if (slashes != std::string::npos) {
        // "mysql://root:secret", where the host was forgotten: what stands in the place of the port is no port
        const std::size_t end = std::min(result.find_first_of("/?", slashes + 3), result.size());
        const std::size_t colon = result.rfind(':', end);
        const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
        const auto first = result.begin() + std::ptrdiff_t(colon) + 1;
        const auto last = result.begin() + std::ptrdiff_t(end);
        if (colon > slashes && first < last && !std::all_of(first, last, isDigit))
            result.replace(first, last, "***");
    }
    std::size_t begin = result.find('?');
    while (begin != std::string::npos) {
        const std::size_t end = std::min(result.find('&', begin + 1), result.size());
        const std::size_t equals = result.find('=', begin + 1);
        if (equals < end && isPasswordOption(std::string_view(result).substr(begin + 1, equals - begin - 1)))
            result.replace(equals + 1, end - equals - 1, "***");
        begin = result.find('&', begin + 1);
    }
    return result;
}

std::string TargetUri::display() const
{
    std::string text = scheme + ":";
    if (kind == TargetKind::Managed) {
        text += product;
    } else if (kind == TargetKind::Embedded) {
        // "//…" would read as a host; POSIX lets any number of leading slashes mean one.
        const std::size_t slashes = std::min(path.find_first_not_of('/'), path.size());
        text += encoded(slashes > 1 ? std::string_view(path).substr(slashes - 1) : std::string_view(path), "?#");
    } else if (kind == TargetKind::Remote) {
        text += "//";
        if (!user.empty())
            text += encoded(user, ":/?#[]@") + "@";
        text += hostText(*this);
        if (!database.empty())
            text += "/" + encoded(database, "/?#@");
    }
    char separator = '?';
    for (const auto& [name, value] : query) {
        if (isPasswordOption(name))
            continue;
        text += separator + encoded(name, "?#&=") + "=" + encoded(value, "?#&=");
        separator = '&';
    }
    return text;
}

} // namespace dyno
