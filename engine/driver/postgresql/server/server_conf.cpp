// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/postgresql/server/server_conf.h"

#include "base/nearest.h"
#include "driver/postgresql/server/postgresql_server.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/knobs/knob_values.h"
#include "server/lifecycle/child_process.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>

namespace dyno {

namespace {

namespace fs = std::filesystem;

//! In the quotes of the file's syntax.
std::string confQuoted(std::string_view text)
{
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\')
            quoted += c;
        quoted += c;
    }
    return quoted + '\'';
}

std::string confValue(const std::string& name, const Value& value)
{
    const KnobInfo* knob = findKnob("postgresql", "server", name);
    if (knob && knob->option.type == OptionType::Bytes) {
        if (const auto bytes = parseBytes(toText(value)))
            return fmt::format("'{}B'", *bytes);
    }
    return confQuoted(toText(value));
}

//! Why a knob cannot go into the file; "" when it can.
std::string confFault(const ServerBinaries& server, const std::string& name, const Value& value,
                      const std::vector<std::string>& listed)
{
    constexpr std::size_t kNameShown = 100;
    const bool isName = !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    });
    if (!isName)
        return fmt::format("\"{}\" is not a name of a server variable", name.substr(0, kNameShown));
    if (std::string unfit = unfitText("server." + name, toText(value)); !unfit.empty())
        return unfit;
    if (const auto reason = neverAllowed("postgresql", name, value))
        return fmt::format("server.{} cannot be set: {}", name, *reason);
    if (std::ranges::find(listed, name) != listed.end())
        return {};
    std::vector<std::string> allowed;
    std::ranges::copy_if(listed, std::back_inserter(allowed),
                         [&](const std::string& one) { return !neverAllowed("postgresql", one, value); });
    const std::string close = nearestName(name, allowed);
    return fmt::format("{} {} has no variable {}{}", server.name, server.version, name,
                       close.empty() ? "" : fmt::format(" (did you mean {}?)", close));
}

Expected<std::vector<std::string>> askForSettings(const ServerBinaries& server)
{
    const auto output =
        runCommand({server.server.string(), "--describe-config"}, std::chrono::seconds(20), server.environment());
    std::vector<std::string> names;
    std::istringstream lines(output ? *output : std::string());
    for (std::string line; std::getline(lines, line);) {
        if (const std::size_t tab = line.find('\t'); tab != std::string::npos && tab > 0)
            names.push_back(line.substr(0, tab));
    }
    if (!names.empty())
        return names;
    return fail({ErrorKind::Failed,
                 fmt::format("the server does not list its settings: {}",
                             output ? std::string("it prints none") : output.error().message),
                 server.server.string(), "remove the server settings from the plan, or use another server"});
}

} // namespace

Expected<const std::vector<std::string>*> postgresqlSettings(const ServerBinaries& server)
{
    using Key = std::pair<std::string, std::int64_t>;
    static std::mutex mutex;
    static std::map<Key, std::vector<std::string>> known; // its elements stay where they are
    std::error_code ignored;
    const Key key{server.server.string(), fs::last_write_time(server.server, ignored).time_since_epoch().count()};
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end())
        return &found->second;
    auto names = askForSettings(server);
    if (!names)
        return fail(std::move(names.error()));
    return &known.emplace(key, std::move(*names)).first->second;
}

Expected<std::string> confText(const ServerBinaries& server, const Settings& knobs,
                               const std::vector<std::string>& listed)
{
    std::vector<std::string> faults;
    std::string lines;
    for (const auto& [name, value] : knobs) {
        const KnobInfo* knob = findKnob("postgresql", "server", name);
        if (knob && knob->initialisation)
            continue; // initdb was told
        if (std::string fault = confFault(server, name, value, listed); !fault.empty())
            faults.push_back(std::move(fault));
        else
            lines += fmt::format("{} = {}\n", name, confValue(name, value));
    }
    if (!faults.empty())
        return fail({ErrorKind::BadInput, fmt::format("{}", fmt::join(faults, "; ")), "server knobs",
                     "remove or correct these knobs"});
    std::string text = "# Written by Dynobench for this private server, at each of its starts.\n";
    if (!knobs.contains("max_connections"))
        text += fmt::format("# Not the server's default (100): so many users can be measured without setting a knob.\n"
                            "max_connections = {}\n",
                            kDefaultMaxConnections);
    if (!lines.empty())
        text += "# Knobs of the plan.\n" + lines;
    return text;
}

std::vector<std::string> privateArguments(const ConfNeeds& needs)
{
    std::string socketFolder; // one item of a list
    for (const char c : needs.socketFolder.string())
        socketFolder += c == '"' ? std::string("\"\"") : std::string(1, c);
    std::vector<std::string> arguments = {"-D", kHandedFolder};
    const auto add = [&arguments](std::string_view name, std::string_view value) {
        arguments.insert(arguments.end(), {"-c", fmt::format("{}={}", name, value)});
    };
    add("listen_addresses", needs.tcp ? needs.address : "");
    add("port", fmt::format("{}", needs.port));
    add("unix_socket_directories", fmt::format("\"{}\"", socketFolder));
    add("unix_socket_permissions", "0700");
    add("password_encryption", "scram-sha-256");
    add("ssl", needs.tcp ? "on" : "off");
    if (needs.tcp) {
        add("ssl_cert_file", "server.pem");
        add("ssl_key_file", "server.key");
    }
    add("logging_collector", "off"); // error.log is its standard error
    add("log_destination", "stderr");
    return arguments;
}

std::string accessText(const ConfNeeds& needs)
{
    std::string text =
        fmt::format("# Written by Dynobench.\nlocal all {},{} peer map=dynobench\n", kSuperuser, kLoadUser);
    if (needs.tcp)
        text += fmt::format("host all {} {}/32 scram-sha-256\n", kLoadUser, needs.users);
    return text;
}

std::string identText(const std::vector<std::string>& users)
{
    std::string text = "# Written by Dynobench.\n";
    for (const std::string& user : users) {
        for (const char* role : {kSuperuser, kLoadUser})
            text += fmt::format("dynobench \"{}\" {}\n", user, role);
    }
    return text;
}

} // namespace dyno
