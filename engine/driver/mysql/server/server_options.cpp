// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/mysql/server/server_options.h"

#include "base/text.h"
#include "server/lifecycle/child_process.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <tuple>
#include <unistd.h>

namespace dyno {

namespace {

Expected<ServerOptions> askForOptions(const ServerBinaries& server, const std::string& plugin)
{
    std::vector<std::string> command = {server.server.string(), "--no-defaults"};
    if (::geteuid() == 0)
        command.emplace_back("--user=root"); // it refuses to run as root unless told so
    if (!plugin.empty()) {
        if (!server.plugins.empty())
            command.push_back("--plugin-dir=" + server.plugins.string());
        command.push_back("--plugin-load-add=" + plugin);
    }
    command.insert(command.end(), {"--verbose", "--help"});
    const auto help = runCommand(command, std::chrono::seconds(20), server.environment());
    ServerOptions options = help ? readServerOptions(*help) : ServerOptions();
    if (!options.empty())
        return options;
    return fail({ErrorKind::Failed,
                 fmt::format("the server does not list its options: {}",
                             help ? "there is no table of them" : help.error().message),
                 server.server.string(), "remove the server settings from the plan, or use another server"});
}

} // namespace

ServerOptions readServerOptions(std::string_view help)
{
    ServerOptions options;
    std::size_t at = help.find("\n-----");
    if (at == std::string_view::npos)
        return options;
    at = std::min(help.find('\n', at + 1), help.size() - 1) + 1;
    while (at < help.size()) {
        const std::size_t end = std::min(help.find('\n', at), help.size());
        const std::string_view line = help.substr(at, end - at);
        const std::size_t space = line.find(' ');
        if (space == std::string_view::npos || space == 0)
            break; // the empty line behind the table
        std::string name(line.substr(0, space));
        std::replace(name.begin(), name.end(), '-', '_');
        options.emplace(std::move(name), trimmed(line.substr(space)));
        at = end + 1;
    }
    return options;
}

Expected<const ServerOptions*> optionsOf(const ServerBinaries& server, const std::string& plugin)
{
    using Key = std::tuple<std::string, std::uintmax_t, std::int64_t, std::string>;
    static std::mutex mutex;
    static std::map<Key, ServerOptions> known; // its elements stay where they are
    std::error_code ignored;
    const Key key{server.server.string(), std::filesystem::file_size(server.server, ignored),
                  std::filesystem::last_write_time(server.server, ignored).time_since_epoch().count(), plugin};
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end())
        return &found->second;
    auto options = askForOptions(server, plugin);
    if (!options)
        return fail(std::move(options.error()));
    return &known.emplace(key, std::move(*options)).first->second;
}

} // namespace dyno
