// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/passwords.h>
#include <dyno/servers.h>

#include "base/text.h"

#include <algorithm>
#include <cstdlib>

namespace dyno {

namespace {

std::string fromEnvironment(const std::string& name)
{
    const char* value = std::getenv(name.c_str());
    return value ? value : "";
}

//! DYNO_PASSWORD_SHOP_1 for a server called "Shop 1".
std::string variableOf(const std::string& name)
{
    std::string variable = std::string(kPasswordVariable) + '_';
    for (const char c : name) {
        const char small = lowered(c);
        if (small >= 'a' && small <= 'z')
            variable += char(small - 'a' + 'A');
        else
            variable += c >= '0' && c <= '9' ? c : '_';
    }
    return variable;
}

std::string namedPassword(const TargetUri& server, const std::filesystem::path& file)
{
    std::string found;
    const std::vector<RemoteServer> known = remoteServers(file).servers;
    for (const RemoteServer& one : known) {
        const auto uri = parseUri(one.uri);
        if (one.name.empty() || !uri || !sameAccount(*uri, server))
            continue;
        const std::string variable = variableOf(one.name);
        // Two servers under one variable: nobody knows whose password it holds.
        const bool clear = std::all_of(known.begin(), known.end(), [&](const RemoteServer& other) {
            const auto otherUri = parseUri(other.uri);
            return other.name.empty() || variableOf(other.name) != variable ||
                   (otherUri && sameAccount(*otherUri, server));
        });
        if (clear && found.empty())
            found = fromEnvironment(variable);
    }
    return found;
}

std::optional<TargetUri> remoteIn(const std::string& text)
{
    auto uri = parseUri(text);
    return uri && uri->kind == TargetKind::Remote ? std::optional(std::move(*uri)) : std::nullopt;
}

} // namespace

std::optional<TargetUri> passwordOwner(const Plan& plan)
{
    if (auto uri = remoteIn(plan.target.uri))
        return uri;
    for (const PointSpec& point : expand(plan).points) {
        if (auto uri = remoteIn(point.target.uri))
            return uri;
    }
    return {};
}

std::string passwordFor(const TargetUri& server, const std::optional<TargetUri>& owner, const std::string& given,
                        const std::filesystem::path& file)
{
    if (server.kind != TargetKind::Remote)
        return {};
    const bool owns = owner && sameAccount(*owner, server);
    if (owns && !given.empty())
        return given;
    if (std::string named = namedPassword(server, file); !named.empty())
        return named;
    return owns ? fromEnvironment(std::string(kPasswordVariable)) : std::string();
}

} // namespace dyno
