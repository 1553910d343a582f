// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/target/target_data.h"

#include "load/data/others_data.h"
#include "load/data/table_options.h"
#include "load/preflight/preflight_needs.h"
#include "plan/plan_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dyno {

std::string fingerprintOf(const PointSpec& point, const WorkloadInstance& workload, const Settings& connection,
                          const DriverInfo& driver)
{
    std::string text = fmt::format("seed={};{}", point.load.seed, dataKey(point, workload));
    for (const OptionSpec& option : driver.connection) {
        if (option.affectsData)
            text += fmt::format(";{}={}", option.name, textOf(connection, option.name));
    }
    return text;
}

void TargetData::startAnew()
{
    forget();
    m_copyOf.clear();
    m_ours = true;
}

void TargetData::copyIsBack(const std::string& data)
{
    m_data = data;
    m_asLoaded = true;
}

bool TargetData::loadsAnew(const DataWish& wish) const
{
    if (!m_ours || !mayLoad(wish.point.workload.prepare))
        return false;
    const std::vector<TableSpec> tables = wish.workload.tablesFor(wish.point.mostUsers());
    return !areThere(wish.data) || (!m_asLoaded && usesTablesUp(wish.point, tables));
}

bool TargetData::replaces(const DataWish& wish) const
{
    const PreparePolicy policy = wish.point.workload.prepare;
    return !areThere(wish.data) && (policy == PreparePolicy::Always || (mayLoad(policy) && m_loadedHere));
}

Expected<void> TargetData::mayWrite(const DataWish& wish, const TargetUri& uri, Admin& admin)
{
    const PreparePolicy policy = wish.point.workload.prepare;
    const WorkloadInfo* kind = findWorkload(wish.point.workload.name);
    DataUse use{.makes = mayLoad(policy),
                .drops = policy == PreparePolicy::Always,
                .writes = !kind || writesData(*kind, wish.point.load) || groupsWrite(wish.point)};
    const std::string key = fmt::format("{};{}{}{}", wish.data, use.makes, use.drops, use.writes);
    if (m_ours || m_consent.covers(kTargetKey) || m_mayWrite.contains(key)) // what a session made is its own
        return {};
    if (auto allowed = allows(wish, std::move(use), uri, admin); !allowed)
        return allowed;
    m_mayWrite.insert(key);
    return {};
}

Expected<void> TargetData::mayWriteElsewhere(const DataWish& wish, const TargetUri& uri, Admin& admin) const
{
    const WorkloadInfo* kind = findWorkload(wish.point.workload.name);
    DataUse use{.writes = !kind || writesData(*kind, wish.point.load) || groupsWrite(wish.point)};
    return use.writes ? allows(wish, std::move(use), uri, admin) : Expected<void>();
}

Expected<void> TargetData::allows(const DataWish& wish, DataUse use, const TargetUri& uri, Admin& admin) const
{
    for (TableSpec& table : wish.workload.tablesFor(wish.point.mostUsers()))
        use.tables.push_back(std::move(table.name));
    const auto risk = othersDataRisk(admin, uri, use);
    if (!risk)
        return tl::unexpected(risk.error());
    if (*risk && !m_consent.covers(**risk))
        return fail({ErrorKind::BadInput, "this plan wants to do what you have not allowed: " + toText(**risk),
                     std::string(kTargetKey), "use a database of its own, or allow it; nothing was changed there"});
    return {};
}

bool TargetData::isReady(const DataWish& wish) const
{
    const std::vector<TableSpec> tables = wish.workload.tablesFor(wish.point.mostUsers());
    return areThere(wish.data) && (m_asLoaded || !usesTablesUp(wish.point, tables));
}

Expected<void> TargetData::ensure(const DataWish& wish, Admin& admin, const LoadProgressCallback& progress,
                                  std::vector<std::string>& notes)
{
    const PointSpec& point = wish.point;
    const std::vector<TableSpec> tables = wish.workload.tablesFor(point.mostUsers());
    const bool known = areThere(wish.data);
    const bool fresh = usesTablesUp(point, tables);
    if (isReady(wish))
        return {};
    PreparePolicy policy = point.workload.prepare;
    if (mayLoad(policy) && (m_loadedHere || (known && m_ours)))
        policy = PreparePolicy::Always; // data of our own making goes, whatever its number of rows is
    const DatasetJob job{wish.driver,
                         admin,
                         wish.target,
                         wish.workload,
                         policy,
                         point.mostUsers(),
                         m_ours,
                         point.load.loaders,
                         point.load.seed,
                         originOf(point),
                         m_loadedHere || m_ours || m_consent.covers(kReplaceTables),
                         &m_load};
    std::vector<std::string> warnings;
    forget();
    m_load.retries.clear();
    m_load.indexSeconds.reset();
    auto loaded = ensureDataset(job, progress, warnings);
    if (loaded ? *loaded : !m_load.retries.empty())
        m_retries = m_load.retries;
    if (!loaded)
        return tl::unexpected(loaded.error());
    if (*loaded)
        m_indexSeconds = m_load.indexSeconds;
    if (!*loaded) {
        if (auto same = checkTableOptions(admin, wish.driver.info().sql, tables, point.table); !same)
            return same;
    }
    m_data = wish.data;
    m_loadedHere = *loaded;
    m_asLoaded = true;
    if (known && fresh && !*loaded)
        notes.emplace_back(
            "the tables were changed by the run before and are not loaded again: they are not this session's");
    notes.insert(notes.end(), std::make_move_iterator(warnings.begin()), std::make_move_iterator(warnings.end()));
    return {};
}

} // namespace dyno
