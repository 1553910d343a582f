// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/mysql/server/engine_plugin.h"

#include "base/text.h"
#include "driver/mysql/server/mysql_recipes.h"
#include "driver/mysql/server/option_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace dyno {

namespace {

struct EnginePlugin
{
    std::string_view word;     //!< of the knob, and the first part of the names of its variables
    const char* engine;        //!< as SHOW ENGINES has it
    const char* plugin;        //!< file, without its suffix
    const char* debianPackage; //!< that has it
};
constexpr EnginePlugin kPlugins[] = {{"rocksdb", "ROCKSDB", "ha_rocksdb", "mariadb-plugin-rocksdb"}};

Expected<const EnginePlugin*> namedBy(const Settings& knobs)
{
    const auto knob = knobs.find(kEnginePluginKnob);
    const std::string word = knob == knobs.end() ? "none" : lowered(toText(knob->second));
    if (word.empty() || word == "none")
        return nullptr;
    const auto* found = std::ranges::find(kPlugins, word, &EnginePlugin::word);
    if (found == std::end(kPlugins))
        return fail({ErrorKind::BadInput, fmt::format("load_engine cannot be \"{}\"", word), "server.load_engine",
                     "write \"none\" or \"rocksdb\""});
    return found;
}

} // namespace

Expected<std::string> enginePluginOf(const Settings& knobs)
{
    const auto plugin = namedBy(knobs);
    if (!plugin)
        return fail(plugin.error());
    return *plugin ? (*plugin)->plugin : std::string();
}

Settings withEnginePlugin(Settings knobs)
{
    for (const EnginePlugin& plugin : kPlugins) {
        const auto isOfIt = [&plugin](const auto& knob) {
            return knob.first.starts_with(plugin.word) && knob.first.substr(plugin.word.size()).starts_with('_');
        };
        if (std::ranges::any_of(knobs, isOfIt))
            knobs.try_emplace(kEnginePluginKnob, std::string(plugin.word));
    }
    return knobs;
}

Expected<void> namesEngineOf(const Settings& table, const Settings& knobs)
{
    const std::string engine = textOf(table, "engine");
    const auto* found = std::ranges::find(kPlugins, lowered(engine), &EnginePlugin::word);
    const auto plugin = namedBy(withEnginePlugin(knobs));
    if (!plugin)
        return fail(plugin.error());
    if (found == std::end(kPlugins) || *plugin == found)
        return {};
    return fail({ErrorKind::BadInput,
                 fmt::format("the server is started without its plug-in for the engine {}", engine), "table.engine",
                 fmt::format("set server.{} = {}", kEnginePluginKnob, found->word)});
}

Expected<void> canLoadEngine(const ServerBinaries& server, const Settings& knobs)
{
    const auto plugin = namedBy(knobs);
    if (!plugin)
        return fail(plugin.error());
    if (!*plugin)
        return {};
    if (!isMariadb(server))
        return fail({ErrorKind::Refused,
                     fmt::format("{} {} has no engine {}", server.name, server.version, (*plugin)->engine),
                     server.server.string(), "use MariaDB for it, or another engine"});
    if (const auto encryption = encryptionOf(knobs); encryption && *encryption != Encryption::Off)
        return fail({ErrorKind::BadInput, fmt::format("the engine {} cannot encrypt its files", (*plugin)->engine),
                     "server.encryption", "take encryption out of the plan, or use another engine"});
    const std::filesystem::path file = server.pluginFolder() / fmt::format("{}.so", (*plugin)->plugin);
    if (isThere(file))
        return {};
    return fail({ErrorKind::Refused,
                 fmt::format("this MariaDB has no {}, the engine {}", file.string(), (*plugin)->engine),
                 server.server.string(),
                 fmt::format("install the package {}, or use another engine", (*plugin)->debianPackage)});
}

Expected<void> verifyEngine(const ServerBinaries& server, const Settings& knobs, Admin& admin)
{
    const auto plugin = namedBy(knobs);
    if (!plugin)
        return fail(plugin.error());
    if (!*plugin)
        return {};
    const auto support = admin.query(
        fmt::format("SELECT SUPPORT FROM information_schema.ENGINES WHERE ENGINE = '{}'", (*plugin)->engine));
    if (!support)
        return fail(support.error());
    if (!support->empty() && (support->front().front() == "YES" || support->front().front() == "DEFAULT"))
        return {};
    return fail({ErrorKind::Refused, fmt::format("the server started without the engine {}", (*plugin)->engine),
                 server.server.string(), "see the server's log"});
}

} // namespace dyno
