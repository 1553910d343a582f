// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/preflight/server_look.h"

#include "driver/preflight_list.h"
#include "load/data/dataset.h"
#include "load/data/others_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

namespace dyno {

namespace {

constexpr std::size_t kTablesCounted = 64; //!< tables; more look the same

//! Whether what is there was loaded with other parameters than the plan's, or has other columns.
Expected<void> checkFit(const TargetNeeds& target, const std::map<std::string, std::vector<std::string>>& there,
                        Admin& admin, PreflightList& list)
{
    const auto notes = admin.dataNotes();
    if (!notes)
        return fail(notes.error());
    std::set<std::string> told;
    for (const TargetNeeds::Data& data : target.data) {
        const auto columns = there.find(data.table.name);
        if (columns == there.end() || told.contains(data.table.name))
            continue;
        const auto text = notes->find(data.table.name);
        const auto note = text == notes->end() ? std::nullopt : readDataNote(text->second);
        auto unfit = unfitTable(data.table, columns->second, note ? &*note : nullptr, data.origin, target.policy);
        if (!unfit && target.policy == PreparePolicy::Always && text == notes->end() && !target.mayReplaceOthers) {
            const auto unfinished = admin.unfinishedLoads();
            if (!unfinished)
                return fail(unfinished.error());
            if (std::ranges::find(*unfinished, data.table.name) == unfinished->end())
                unfit = madeByOthers(data.table.name, kReplaceTables);
        }
        if (!unfit && data.table.keysRepeat && target.policy != PreparePolicy::Use &&
            target.policy != PreparePolicy::Always) {
            if (const auto rows = admin.rowCount(data.table.name))
                unfit = keysInTheWay(data.table, *rows);
        }
        if (!unfit)
            continue;
        if (note && note->rows != data.table.rows && columns->second == data.table.columns) {
            const auto rows = admin.rowCount(data.table.name);
            if (rows && *rows == data.table.rows)
                continue; // another program's table has taken its place, see ensureDataset()
        }
        told.insert(data.table.name);
        list.add("data", PreflightLevel::Blocker, unfit->message, unfit->remedy);
    }
    return {};
}

//! Tables that are there and stay may have another engine than the plan names.
Expected<void> checkEnginesThere(const TargetNeeds& target, Admin& admin, std::vector<PreflightItem>& items)
{
    const auto told = [](const PreflightItem& item) { return item.id == "transactions" || item.id == "features"; };
    if (target.transactionProbes.empty() || target.policy == PreparePolicy::Always || std::ranges::any_of(items, told))
        return {};
    const std::vector<std::string> tables(
        target.tables.begin(), target.tables.begin() + std::ptrdiff_t(std::min(target.tables.size(), kTablesCounted)));
    const auto rows = admin.query(fmt::format("SELECT t.TABLE_NAME, t.ENGINE FROM information_schema.TABLES t JOIN "
                                              "information_schema.ENGINES e ON e.ENGINE = t.ENGINE "
                                              "WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_NAME IN ('{}') AND "
                                              "COALESCE(e.TRANSACTIONS, 'NO') <> 'YES' ORDER BY 1 LIMIT 1",
                                              fmt::join(tables, "', '")));
    if (!rows)
        return fail(rows.error());
    if (!rows->empty() && rows->front().size() == 2)
        PreflightList(items).add(
            "transactions", PreflightLevel::Warning,
            fmt::format("the table {} is of the storage engine {}, which has no transactions, and the workload begins"
                        " some: each of its statements would stand alone",
                        rows->front()[0], rows->front()[1]),
            "load it again (`--existing rebuild`, in a plan prepare = \"always\"), or use workload parameters that"
            " begin none, unless that is meant");
    return {};
}

} // namespace

ConnectTarget lookTarget(const TargetUri& uri, const Settings& connection, const DriverInfo& info)
{
    ConnectTarget connect;
    connect.uri = uri;
    connect.look = true;
    Settings known;
    for (const auto& [name, value] : connection) {
        const bool catalogued = std::any_of(info.connection.begin(), info.connection.end(),
                                            [&](const OptionSpec& option) { return option.name == name; });
        (catalogued ? known : connect.connectionExtra).emplace(name, value);
    }
    Faults ignored; // checkPlan() tells them
    connect.connection = resolve(info.connection, known, "connection", ignored);
    return connect;
}

Expected<void> checkTables(TargetNeeds& target, Admin& admin, std::vector<PreflightItem>& items)
{
    std::vector<std::string> missing;
    std::map<std::string, std::vector<std::string>> there;
    for (std::size_t i = 0; i < std::min(target.tables.size(), kTablesCounted); ++i) {
        const auto columns = admin.describe(target.tables[i]);
        if (!columns)
            return fail(columns.error());
        if (columns->empty()) {
            missing.push_back(target.tables[i]);
            continue;
        }
        for (const ColumnShape& column : *columns)
            there[target.tables[i]].push_back(column.name);
    }
    target.needs.creates =
        target.policy == PreparePolicy::Always || (target.policy == PreparePolicy::Auto && !missing.empty());
    if (target.needs.creates)
        addLoadRights(target);
    PreflightList list(items);
    const std::string count = counted(target.tables.size(), "table", "tables");
    if (!mayLoad(target.policy) && !missing.empty())
        list.add("tables", PreflightLevel::Blocker,
                 missing.size() == 1 ? fmt::format("the plan needs {}; {} is not there", count, missing.front())
                                     : fmt::format("the plan needs {}; {} and {} more are not there", count,
                                                   missing.front(), missing.size() - 1),
                 "load the data first: `dyno prepare`, or let the plan load it (prepare = \"auto\")");
    else if (!target.tables.empty())
        list.ok("tables", target.needs.creates
                              ? fmt::format("{} will be made and loaded", count)
                              : fmt::format("{} {} there", count, target.tables.size() == 1 ? "is" : "are"));
    return checkFit(target, there, admin, list);
}

Expected<void> checkProbes(const TargetNeeds& target, const AskProbe& there, std::vector<PreflightItem>& items)
{
    std::set<std::string> asked;
    const auto ask = [&](const std::vector<FeatureProbe>& probes, const char* id,
                         PreflightLevel level) -> Expected<void> {
        for (const FeatureProbe& probe : probes) {
            if (!asked.insert(probe.query).second)
                continue;
            const auto found = there(probe.query);
            if (!found)
                return fail(found.error());
            if (!*found)
                PreflightList(items).add(id, level, probe.missing, probe.remedy);
        }
        return {};
    };
    if (auto done = ask(target.probes, "features", PreflightLevel::Blocker); !done)
        return done;
    return ask(target.transactionProbes, "transactions", PreflightLevel::Warning);
}

Expected<void> checkServer(const TargetNeeds& target, Admin& admin, std::vector<PreflightItem>& items)
{
    const auto ask = [&admin](const std::string& query) -> Expected<bool> {
        return admin.query(query).map([](const TextRows& rows) { return !rows.empty(); });
    };
    if (auto asked = checkProbes(target, ask, items); !asked)
        return asked;
    return checkEnginesThere(target, admin, items);
}

Expected<void> checkOthersData(const TargetUri& uri, const TargetNeeds& target, Admin& admin,
                               const RunnerOptions& options, PreflightReport& report)
{
    auto risk = othersDataRisk(admin, uri,
                               {.tables = target.tables,
                                .makes = mayLoad(target.policy),
                                .drops = target.policy == PreparePolicy::Always,
                                .writes = target.writes});
    if (!risk)
        return tl::unexpected(risk.error());
    if (*risk)
        (options.consent.covers(**risk) ? report.agreed : report.risks).push_back(std::move(**risk));
    return {};
}

int sourcesIn(const Settings& connection)
{
    const std::string text = textOf(connection, "source_addresses");
    int sources = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(", ;", at), text.size());
        sources += end > at ? 1 : 0;
        at = end + 1;
    }
    return sources;
}

std::filesystem::path existing(std::filesystem::path folder)
{
    std::error_code ignored;
    folder = std::filesystem::absolute(folder, ignored);
    while (folder != folder.root_path() && !std::filesystem::exists(folder, ignored))
        folder = folder.parent_path();
    return folder;
}

} // namespace dyno
