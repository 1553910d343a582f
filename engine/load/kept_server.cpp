// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/kept_server.h"

#include "driver/control_calls.h"
#include "driver/driver.h"
#include "load/others_data.h"
#include "server/knob_values.h"
#include "server/private_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>
#include <utility>

namespace dyno {

namespace {

constexpr const char* kEncryptionKnob = "encryption"; //!< the data is made with it
constexpr std::array<std::string_view, 3> kMongoOwn = {"admin", "config", "local"}; //!< databases of the server's own

//! The values of "name" in the documents of a reply.
std::vector<std::string> namesIn(const std::vector<std::vector<std::string>>& reply)
{
    static const std::regex name(R"re("name"\s*:\s*"([^"\\]+)")re");
    std::vector<std::string> names;
    for (const std::vector<std::string>& row : reply) {
        for (const std::string& cell : row) {
            for (std::sregex_iterator at(cell.begin(), cell.end(), name), end; at != end; ++at)
                names.push_back((*at)[1]);
        }
    }
    return names;
}

} // namespace

KeptKnobs keptKnobs(const std::filesystem::path& folder)
{
    FolderFacts facts = readFolderFacts(folder);
    return {std::move(facts.last), std::move(facts.initialisation)};
}

KnobChanges knobChanges(const KeptKnobs& kept, const Settings& wanted)
{
    KnobChanges changes;
    const Settings last = kept.last.value_or(Settings());
    for (const auto& [name, value] : wanted) {
        const auto was = last.find(name);
        // Both ways: of a list of switches a shorter one is the same only as long as the server runs.
        const bool same = was != last.end() && sameSetting(value, toText(was->second)) &&
                          sameSetting(was->second, toText(value));
        if (name != kEncryptionKnob && !same)
            changes.set.emplace(name, value);
    }
    for (const auto& [name, value] : last) {
        if (!wanted.contains(name) && !kept.made.contains(name))
            changes.gone.push_back(name);
    }
    return changes;
}

Expected<std::vector<std::string>> othersOn(ManagedServer& server, const TargetUri& target,
                                            const std::function<bool()>& stopped)
{
    const KeptKnobs kept = keptKnobs(server.folder());
    if (!kept.last)
        return fail({ErrorKind::Failed, "what it was last started with is not on record", server.folder().string(), {}});
    if (auto started = server.ensure(*kept.last); !started)
        return fail(std::move(started.error()));
    Driver* const driver = driverFor(target.driver);
    if (!driver)
        return fail({ErrorKind::BadInput, fmt::format("this build has no driver for {}", target.display()), {}, {}});
    const auto connect = [&server, driver, &stopped](const std::string& database) {
        ConnectTarget connection;
        connection.uri = server.connectUri();
        if (!database.empty())
            connection.uri.database = database;
        Faults none;
        connection.connection = resolve(driver->info().connection, {}, "connection", none);
        return controlAdmin(*driver, connection, stopped);
    };
    auto admin = connect({});
    if (!admin)
        return fail(std::move(admin.error()));
    auto others = tablesOfOthers(**admin);
    if (!others)
        return others;
    if (target.driver == "mysql") {
        const auto elsewhere = (*admin)->query( // databases that its user made beside Dynobench's
            "SELECT CONCAT(TABLE_SCHEMA, '.', TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_SCHEMA <> DATABASE() AND "
            "TABLE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema') ORDER BY 1");
        if (!elsewhere)
            return fail(elsewhere.error());
        for (const std::vector<std::string>& row : *elsewhere)
            others->insert(others->end(), row.begin(), row.end());
        return others;
    }
    const auto databases = (*admin)->query(R"({"listDatabases": 1, "nameOnly": true})");
    if (!databases)
        return fail(databases.error());
    for (const std::string& name : namesIn(*databases)) {
        if (name == server.connectUri().database || std::ranges::find(kMongoOwn, name) != kMongoOwn.end())
            continue;
        auto there = connect(name);
        if (!there)
            return fail(std::move(there.error()));
        const auto collections = (*there)->tableNames();
        if (!collections)
            return fail(collections.error());
        for (const std::string& collection : *collections)
            others->push_back(fmt::format("{}.{}", name, collection));
    }
    return others;
}

std::vector<Risk> keptRisks(const TargetUri& target, const KnobChanges& changes,
                            const std::optional<std::vector<std::string>>& others)
{
    std::vector<Risk> risks;
    if (others && others->empty())
        return risks;
    const std::string beside = others ? fmt::format("which holds tables that Dynobench did not make ({})", shortList(*others))
                                      : "which could not be looked into";
    for (const auto& [name, value] : changes.set)
        risks.push_back({"server." + name, toText(value),
                         fmt::format("change a variable of {}, {}: some rewrite files of its data", target.display(), beside)});
    if (!changes.gone.empty())
        risks.push_back({std::string(kTargetKey), riskTarget(target),
                         fmt::format("start a server, {}, without what it was last started with ({})", beside,
                                     fmt::join(changes.gone, ", "))});
    return risks;
}

} // namespace dyno
