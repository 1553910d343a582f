// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/target/kept_server.h"

#include "driver/control_calls.h"
#include "driver/driver.h"
#include "load/data/others_data.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_values.h"
#include "server/lifecycle/private_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace dyno {

namespace {

constexpr const char* kEncryptionKnob = "encryption"; //!< the data is made with it

} // namespace

KeptKnobs keptKnobs(const std::filesystem::path& folder)
{
    FolderFacts facts = readFolderFacts(folder);
    return {std::move(facts.last), std::move(facts.initialisation)};
}

KnobChanges knobChanges(const KeptKnobs& kept, std::string_view driver, const Settings& ofPlan)
{
    KnobChanges changes;
    const Settings wanted = joinedParts(driver, ofPlan).value_or(ofPlan); // an error ends the start
    const Settings last = kept.last.value_or(Settings());
    for (const auto& [name, value] : wanted) {
        const auto was = last.find(name);
        // Both ways: of a list of switches a shorter one is the same only as long as the server runs.
        const bool same =
            was != last.end() && sameSetting(value, toText(was->second)) && sameSetting(was->second, toText(value));
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
        return fail(
            {ErrorKind::Failed, "what it was last started with is not on record", server.folder().string(), {}});
    if (auto started = server.ensure(*kept.last); !started)
        return fail(std::move(started.error()));
    Driver* const driver = driverFor(target.driver);
    if (!driver)
        return fail({ErrorKind::BadInput, fmt::format("this build has no driver for {}", target.display()), {}, {}});
    ConnectTarget connect;
    connect.uri = server.connectUri();
    Faults none;
    connect.connection = resolve(driver->info().connection, {}, "connection", none);
    auto admin = controlAdmin(*driver, connect, stopped);
    if (!admin)
        return fail(std::move(admin.error()));
    auto others = tablesOfOthers(**admin);
    if (!others)
        return others;
    const auto elsewhere = (*admin)->tablesElsewhere(); // databases that its user made beside Dynobench's
    if (!elsewhere)
        return fail(elsewhere.error());
    others->insert(others->end(), elsewhere->begin(), elsewhere->end());
    return others;
}

std::vector<Risk> keptRisks(const TargetUri& target, const KnobChanges& changes,
                            const std::optional<std::vector<std::string>>& others)
{
    std::vector<Risk> risks;
    if (others && others->empty())
        return risks;
    const std::string beside =
        others ? fmt::format("which holds tables that Dynobench did not make ({})", shortList(*others))
               : "which could not be looked into";
    for (const auto& [name, value] : changes.set)
        risks.push_back(
            {"server." + name, toText(value),
             fmt::format("change a variable of {}, {}: some rewrite files of its data", target.display(), beside)});
    if (!changes.gone.empty())
        risks.push_back({std::string(kTargetKey), riskTarget(target),
                         fmt::format("start a server, {}, without what it was last started with ({})", beside,
                                     fmt::join(changes.gone, ", "))});
    return risks;
}

} // namespace dyno
