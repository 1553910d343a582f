// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/clickhouse/server/server_config.h"

#include "base/nearest.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/knobs/knob_values.h"
#include "server/lifecycle/server_in_folder.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dyno {

namespace {

constexpr std::array<std::string_view, 5> kOfServer = {
    "mark_cache_size", "uncompressed_cache_size", "max_concurrent_queries", "max_connections", "keep_alive_timeout"};
constexpr std::array<std::string_view, 6> kOfTables = {"index_granularity",     "min_bytes_for_wide_part",
                                                       "old_parts_lifetime",    "parts_to_delay_insert",
                                                       "parts_to_throw_insert", "fsync_after_insert"};
constexpr std::string_view kMethod = "compression_method", kLevel = "compression_level";

//! Values that are told where a plan names none: the server has no value of its own, or one that is unfit here.
const Settings& ownValues()
{
    static const Settings kValues{{"mark_cache_size", std::int64_t(5) << 30}, // without one, old servers do not start
                                  {"max_connections", std::int64_t(kManagedConnections)},
                                  {"keep_alive_timeout", std::int64_t(3600)}, // users of a slow load stay connected
                                  {"old_parts_lifetime", std::int64_t(1)}};   // a load settles in seconds
    return kValues;
}

std::string xmlText(std::string_view text)
{
    std::string escaped;
    for (const char c : text) {
        if (c == '<')
            escaped += "&lt;";
        else if (c == '&')
            escaped += "&amp;";
        else
            escaped += c;
    }
    return escaped;
}

std::string element(std::string_view name, std::string_view text)
{
    return fmt::format("<{0}>{1}</{0}>\n", name, xmlText(text));
}

//! The root was renamed, and both names are taken from 21.10 on.
const char* rootOf(const ServerBinaries& server)
{
    return server.atLeast({22, 0, 0}) ? "clickhouse" : "yandex";
}

std::string configValue(const std::string& name, const Value& value)
{
    const KnobInfo* knob = findKnob("clickhouse", "server", name);
    if (knob && knob->option.type == OptionType::Bytes) {
        if (const auto bytes = parseBytes(toText(value)))
            return fmt::format("{}", *bytes);
    }
    if (knob && knob->option.type == OptionType::Bool)
        return parseValue(toText(value)) == Value(true) ? "1" : "0";
    return toText(value);
}

//! Of one place, in the order of their names.
std::string elementsOf(KnobPlace place, const Settings& knobs)
{
    std::string text;
    for (const auto& [name, value] : knobs) {
        if (knobPlaceOf(name) == place)
            text += element(name, configValue(name, value));
    }
    return text;
}

//! Why a knob cannot be told; "" when it can. Only those of the catalogue can: what else the server reads from these
//! files opens ports, names files, and starts programs.
std::string faultOf(const std::string& name, const Value& value)
{
    constexpr std::size_t kNameShown = 100;
    const KnobInfo* knob = findKnob("clickhouse", "server", name);
    if (!knob) {
        std::vector<std::string> known;
        for (const KnobInfo& one : knobCatalog()) {
            if (one.driver == "clickhouse" && one.scope == "server")
                known.push_back(one.option.name);
        }
        const std::string close = nearestName(name, known);
        return fmt::format("there is no knob \"{}\"{}", name.substr(0, kNameShown),
                           close.empty() ? "" : fmt::format(" (did you mean {}?)", close));
    }
    if (std::string unfit = unfitText("server." + name, toText(value)); !unfit.empty())
        return unfit;
    const auto fits = coerce(knob->option, value);
    return fits ? std::string() : fmt::format("server.{}: {}", name, fits.error().message);
}

std::string compressionText(const Settings& knobs)
{
    const auto method = knobs.find(kMethod), level = knobs.find(kLevel);
    if (method == knobs.end())
        return {};
    std::string text = element("method", toText(method->second));
    if (level != knobs.end())
        text += element("level", toText(level->second));
    return fmt::format("<compression><case>\n<min_part_size>0</min_part_size>\n"
                       "<min_part_size_ratio>0</min_part_size_ratio>\n{}</case></compression>\n",
                       text);
}

} // namespace

KnobPlace knobPlaceOf(std::string_view knob)
{
    if (std::ranges::find(kOfServer, knob) != kOfServer.end())
        return KnobPlace::Server;
    if (std::ranges::find(kOfTables, knob) != kOfTables.end())
        return KnobPlace::Tables;
    return knob == kMethod || knob == kLevel ? KnobPlace::Compression : KnobPlace::Queries;
}

Expected<std::string> configText(const ServerBinaries& server, const ClickhouseNeeds& needs, const Settings& knobs)
{
    std::vector<std::string> faults;
    for (const auto& [name, value] : knobs) {
        if (std::string fault = faultOf(name, value); !fault.empty())
            faults.push_back(std::move(fault));
    }
    if (knobs.contains(kLevel) && !knobs.contains(kMethod))
        faults.emplace_back("compression_level needs compression_method");
    if (!faults.empty())
        return fail({ErrorKind::BadInput, fmt::format("{}", fmt::join(faults, "; ")), "server knobs",
                     "remove or correct these knobs; `dyno knobs` lists them"});
    Settings all = knobs;
    all.insert(ownValues().begin(), ownValues().end());
    const std::filesystem::path& folder = needs.folder;
    const auto path = [&folder](std::string_view name, const char* below) {
        return element(name, (folder / below).string() + "/");
    };
    std::string text =
        fmt::format("<?xml version=\"1.0\"?>\n<!-- Written by Dynobench for this private server, at each "
                    "of its starts. -->\n<{}>\n",
                    rootOf(server));
    text += elementsOf(KnobPlace::Server, all);
    text += fmt::format("<merge_tree>\n{}</merge_tree>\n", elementsOf(KnobPlace::Tables, all));
    text += compressionText(all);
    // What keeps it private: no native protocol, no other port, one user, one folder. Calls to other machines end only
    // where the server knows remote_url_allow_hosts: older ones (18.16) make them for url(), remote() and mysql(), in
    // SQL that a plan brings and a person allowed.
    text += "<logger><level>warning</level><console>1</console></logger>\n"; // error.log is its output
    text += element("listen_host", needs.address) + element("http_port", fmt::format("{}", needs.port));
    text += path("path", kDataFolder) + path("tmp_path", "tmp") + path("user_files_path", "files") +
            path("format_schema_path", "files");
    text += element("users_config", "users.xml") + element("default_profile", "default") +
            element("default_database", kManagedDatabase) + "<remote_url_allow_hosts></remote_url_allow_hosts>\n";
    // A user who may read some databases only needs no grant for the server's own lists; old servers pass over this.
    text += "<access_control_improvements><select_from_system_db_requires_grant>false"
            "</select_from_system_db_requires_grant></access_control_improvements>\n";
    return text + fmt::format("</{}>\n", rootOf(server));
}

std::string usersText(const ServerBinaries& server, const Settings& knobs, std::string_view passwordHash,
                      std::string_view from)
{
    return fmt::format("<?xml version=\"1.0\"?>\n<!-- Written by Dynobench for this private server, at each of its "
                       "starts. -->\n<{0}>\n<profiles><default>\n{1}</default></profiles>\n"
                       "<users><{2}>\n<password_sha256_hex>{3}</password_sha256_hex>\n"
                       "<networks><ip>{5}</ip></networks>\n<profile>default</profile>\n<quota>default</quota>\n"
                       "<allow_databases><database>{4}</database></allow_databases>\n</{2}></users>\n"
                       "<quotas><default></default></quotas>\n</{0}>\n",
                       rootOf(server), elementsOf(KnobPlace::Queries, knobs), kClickhouseUser, passwordHash,
                       kManagedDatabase, from);
}

} // namespace dyno
