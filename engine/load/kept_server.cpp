// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/kept_server.h"

#include "driver/driver.h"
#include "load/others_data.h"
#include "server/knob_values.h"
#include "server/option_file.h"
#include "server/private_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <iterator>

namespace dyno {

namespace {

constexpr const char* kEncryptionKnob = "encryption"; //!< the data is made with it

} // namespace

KeptKnobs keptKnobs(const std::filesystem::path& folder)
{
    std::ifstream in(folder / "server.cnf", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    return {knobsIn(text), readFolderFacts(folder).initialisation};
}

KnobChanges knobChanges(const KeptKnobs& kept, const Settings& wanted)
{
    KnobChanges changes;
    for (const auto& [name, value] : wanted) {
        const auto was = kept.last.find(name);
        if (name != kEncryptionKnob && (was == kept.last.end() || !sameSetting(value, toText(was->second))))
            changes.set.emplace(name, value);
    }
    for (const auto& [name, value] : kept.last) {
        if (!wanted.contains(name) && !kept.made.contains(name))
            changes.gone.push_back(name);
    }
    return changes;
}

Expected<std::vector<std::string>> othersOn(ManagedServer& server, const TargetUri& target)
{
    if (auto started = server.ensure(keptKnobs(server.folder()).last); !started)
        return fail(std::move(started.error()));
    Driver* const driver = driverFor(target.driver);
    if (!driver)
        return fail({ErrorKind::BadInput, fmt::format("this build has no driver for {}", target.display()), {}, {}});
    ConnectTarget connect;
    connect.uri = server.connectUri();
    Faults none;
    connect.connection = resolve(driver->info().connection, {}, "connection", none);
    auto admin = driver->admin(connect);
    if (!admin)
        return fail(std::move(admin.error()));
    auto others = tablesOfOthers(**admin);
    if (!others || target.driver != "mysql")
        return others;
    const auto elsewhere = (*admin)->query( // databases that its user made beside Dynobench's
        "SELECT CONCAT(TABLE_SCHEMA, '.', TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_SCHEMA <> DATABASE() AND "
        "TABLE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema') ORDER BY 1");
    if (!elsewhere)
        return fail(elsewhere.error());
    for (const std::vector<std::string>& row : *elsewhere)
        others->insert(others->end(), row.begin(), row.end());
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
