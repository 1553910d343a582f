// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/option_file.h"

#include "server/knob_guard.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sys/resource.h>
#include <vector>

namespace dyno {

namespace {

constexpr std::array<std::string_view, 12> kOurs = {"datadir",   "socket",       "pid_file",          "basedir",
                                                    "port",      "bind_address", "skip_networking",   "user",
                                                    "log_error", "tmpdir",       "skip_grant_tables", "plugin_dir"};

bool isName(std::string_view name)
{
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

//! A value as an option file needs it: quoted when it holds what the file's syntax uses.
std::string quotedValue(const std::string& text)
{
    if (text.find_first_of(" \t#\"'\\;") == std::string::npos)
        return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += c;
    }
    return result + '"';
}

std::string valueText(std::string_view name, const Value& value)
{
    if (const KnobInfo* knob = findKnob("mysql", "server", name); knob && knob->option.type == OptionType::Bytes) {
        if (const auto bytes = parseBytes(toText(value)))
            return fmt::format("{}", *bytes);
    }
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "1" : "0"; // switches and words both take the number
    return quotedValue(toText(value));
}

std::string line(std::string_view name, const Value& value)
{
    if (name == "log_bin") {
        const Value read = parseValue(toText(value));
        const auto* flag = std::get_if<bool>(&read);
        const auto* number = std::get_if<std::int64_t>(&read);
        if ((flag && !*flag) || (number && *number == 0))
            return "skip-log-bin\n";
        if (flag || number)
            return "log_bin=binlog\n";
    }
    return fmt::format("{}={}\n", name, valueText(name, value));
}

} // namespace

int defaultMaxConnections()
{
    constexpr int kWanted = 10000;
    // The server opens a file for each connection and two for each table of its cache (2000), and keeps some.
    constexpr long kOthers = 4500;
    constexpr long kServerDefault = 151;
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_max == RLIM_INFINITY)
        return kWanted;
    const long fits = long(std::min<rlim_t>(files.rlim_max, 1000000)) - kOthers;
    return int(std::clamp(fits, kServerDefault, long(kWanted)));
}

Expected<std::string> optionFileText(const ServerPaths& paths, const Settings& knobs)
{
    std::vector<std::string> faults;
    for (const auto& [name, value] : knobs) {
        if (!isName(name))
            faults.push_back(fmt::format("\"{}\" is not a name of a server variable", name));
        else if (std::find(kOurs.begin(), kOurs.end(), name) != kOurs.end())
            faults.push_back(fmt::format("server.{} belongs to Dynobench on a managed server", name));
        else if (toText(value).find_first_of("\n\r") != std::string::npos)
            faults.push_back(fmt::format("server.{} holds a line break", name));
    }
    if (!faults.empty())
        return fail({ErrorKind::BadInput, fmt::format("{}", fmt::join(faults, "; ")), "server knobs",
                     "remove or correct these knobs"});
    std::string text =
        "# Written by Dynobench for this private server; it is written anew at each start.\n[mariadbd]\n";
    text += fmt::format("datadir={}\n", quotedValue((paths.folder / "data").string()));
    text += fmt::format("tmpdir={}\n", quotedValue((paths.folder / "tmp").string()));
    text += fmt::format("socket={}\n", quotedValue(paths.socket.string()));
    text += fmt::format("pid-file={}\n", quotedValue((paths.folder / "server.pid").string()));
    if (!paths.basedir.empty())
        text += fmt::format("basedir={}\n", quotedValue(paths.basedir.string()));
    text += "# Reachable by its socket only, which lies in a folder of its owner; so without TLS.\n"
            "skip-networking\nskip-ssl\n";
    if (!knobs.contains("max_connections")) {
        text +=
            fmt::format("# Not the server's default (151): so many users can be measured without setting a knob. It "
                        "also raises\n# thread_cache_size and back_log, which follow it.\nmax_connections={}\n",
                        defaultMaxConnections());
    }
    if (!knobs.contains("max_prepared_stmt_count"))
        text += "# Not the server's default (16382): each user prepares each statement once for each table.\n"
                "max_prepared_stmt_count=1048576\n";
    if (!knobs.empty())
        text += "# Knobs of the plan.\n";
    for (const auto& [name, value] : knobs)
        text += line(name, value);
    return text;
}

} // namespace dyno
