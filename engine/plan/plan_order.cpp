// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_order.h"

#include "base/random.h"
#include "plan/load_groups.h"
#include "plan/plan_fields.h"
#include "server/knobs/knob_guard.h"
#include "workload/workload.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

namespace dyno {

namespace {

//! What decides whether two points can follow each other without a restart or a new load.
struct Needs
{
    std::string target;
    bool managed = false;
    bool ours = false;           //!< its data is made by the session: a managed server or a private file
    bool keepsState = true;      //!< false: a run uses its tables up
    std::string restart;         //!< knobs that only a restart changes
    std::set<std::string> names; //!< of a managed server's knobs: one that goes takes a restart to its default
    std::string data;            //!< tables, rows, and knobs that the data folder or file is made with
};

constexpr char kUsedUp = '!'; //!< begins the key of tables that each run wants newly loaded

//! Unknown knobs are taken for dynamic. Which version will be found is not known yet: one that needs a restart in some
//! version of the target's product is taken to need it.
bool needsRestart(const KnobInfo& knob, const TargetUri& target)
{
    std::optional<bool> there;
    for (const KnobEdition& edition : knob.editions) {
        if (edition.product == target.product)
            there = there.value_or(false) || edition.restart.value_or(knob.restart) || !edition.decides.empty();
    }
    return knob.initialisation || there.value_or(knob.restart);
}

std::string keyOfTable(const TableSpec& table)
{
    std::string key = fmt::format("{}:{}:{}", table.name, table.create, table.rows);
    for (const std::vector<std::string>* after : {&table.afterCreate, &table.afterLoad, &table.afterAll})
        key += fmt::format(":{}", fmt::join(*after, ","));
    return key + ';';
}

bool isSameTable(const TableSpec& a, const TableSpec& b)
{
    return a.name == b.name && a.create == b.create && a.rows == b.rows && a.afterCreate == b.afterCreate &&
           a.afterLoad == b.afterLoad && a.afterAll == b.afterAll;
}

std::string keyOfData(const PointSpec& point, const std::vector<TableSpec>& tables)
{
    std::string key;
    for (const TableSpec& table : tables)
        key += keyOfTable(table);
    const Workload* const kind = workloadFor(point.workload.name);
    if (!kind)
        return key;
    const WorkloadInfo& info = kind->info();
    key += fmt::format("{}:{}", info.dataName.empty() ? info.id : info.dataName, info.dataVersion);
    for (const auto& [name, value] : dataParams(*kind, point.workload.params))
        key += fmt::format(";{}={}", name, value);
    return key;
}

Needs needsOf(const PointSpec& point, std::map<std::string, std::string>& tablesByKey)
{
    Needs needs;
    needs.target = point.target.uri;
    const auto target = parseUri(point.target.uri);
    if (!target)
        return needs;
    needs.managed = target->kind == TargetKind::Managed;
    needs.ours = needs.managed || (target->kind == TargetKind::Embedded && target->path.empty());
    for (const auto& [name, value] : point.server) {
        const KnobInfo* knob = findKnob(target->driver, "server", name);
        if (needs.managed)
            needs.names.insert(name);
        if (knob && needsRestart(*knob, *target))
            needs.restart += fmt::format("{}={};", name, toText(value));
        if (knob && (knob->initialisation || knob->option.affectsData))
            needs.data += fmt::format("{}={};", name, toText(value));
    }
    for (const auto& [name, value] : point.connection) {
        const OptionSpec* option = knobOption(target->driver, "connection", name);
        if (option && option->affectsData)
            needs.data += fmt::format("{}={};", name, toText(value));
    }
    std::string key = fmt::format("{}\n{}", bindKey(point), point.mostUsers());
    for (const LoadGroup* group : activeGroups(point))
        key += '\n' + bindKey(pointOfGroup(point, *group));
    auto [found, fresh] = tablesByKey.try_emplace(key);
    if (fresh) {
        if (const auto instance = bindPoint(point)) {
            const auto tables = (*instance)->tablesFor(point.mostUsers());
            const bool usedUp = usesTablesUp(point, tables);
            found->second = (usedUp ? std::string(1, kUsedUp) : std::string()) + keyOfData(point, tables);
        }
    }
    needs.data += found->second;
    needs.keepsState = !found->second.starts_with(kUsedUp);
    return needs;
}

//! A knob that is new is set while the server runs, unless it needs a restart itself.
bool restartBetween(const Needs& was, const Needs& now)
{
    return was.restart != now.restart || !std::ranges::includes(now.names, was.names);
}

//! Points in groups that share data, within these in groups that share what a restart is needed for.
std::vector<RunSlot> fewestRestarts(const std::vector<Needs>& needs, int repeats)
{
    std::map<std::string, std::size_t> dataGroups, restartGroups;
    const auto groupOf = [](std::map<std::string, std::size_t>& groups, const std::string& key) {
        return groups.emplace(key, groups.size()).first->second;
    };
    struct Place
    {
        std::size_t data, restart;
        int point;
    };
    std::vector<Place> places;
    for (std::size_t i = 0; i < needs.size(); ++i) {
        const std::string data = needs[i].target + "\n" + needs[i].data;
        const std::string restart = fmt::format("{}\n{}\n{}", data, needs[i].restart, fmt::join(needs[i].names, ";"));
        places.push_back({groupOf(dataGroups, data), groupOf(restartGroups, restart), int(i)});
    }
    std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return std::pair(a.data, a.restart) < std::pair(b.data, b.restart);
    });
    std::vector<RunSlot> runs;
    for (std::size_t first = 0; first < places.size();) {
        std::size_t end = first;
        while (end < places.size() && places[end].restart == places[first].restart)
            ++end;
        // Repeats take turns where that costs nothing, so that a drift of the machine meets all points of a group.
        for (int repeat = 1; repeat <= repeats; ++repeat) {
            for (std::size_t i = first; i < end; ++i)
                runs.push_back({places[i].point, repeat});
        }
        first = end;
    }
    return runs;
}

void mark(std::vector<RunSlot>& runs, const std::vector<Needs>& needs, const LoadProfile& load)
{
    std::map<std::string, const Needs*> last; //!< what each target was left with
    int before = -1;
    for (RunSlot& slot : runs) {
        const Needs& now = needs[std::size_t(slot.point)];
        const Needs*& was = last[now.target];
        slot.loads = was ? was->data != now.data || !was->keepsState : now.ours;
        const bool policy = load.restart == RestartPolicy::EachRun ||
                            (load.restart == RestartPolicy::EachPoint && before != slot.point);
        if (now.managed)
            slot.restart =
                !was || restartBetween(*was, now) || policy || (load.data == DataPolicy::Restore && !slot.loads);
        else
            slot.restart = was && restartBetween(*was, now);
        was = &now;
        before = slot.point;
    }
}

} // namespace

std::vector<RunSlot> runsOf(const std::vector<PointSpec>& points, const LoadProfile& load)
{
    std::map<std::string, std::string> tablesByKey;
    std::vector<Needs> needs;
    needs.reserve(points.size());
    for (const PointSpec& point : points)
        needs.push_back(needsOf(point, tablesByKey));
    const int count = int(points.size());
    std::vector<RunSlot> runs;
    if (load.order == RunOrder::FewestRestarts) {
        runs = fewestRestarts(needs, load.repeats);
    } else if (load.order == RunOrder::AsListed) {
        for (int point = 0; point < count; ++point) {
            for (int repeat = 1; repeat <= load.repeats; ++repeat)
                runs.push_back({point, repeat});
        }
    } else {
        for (int repeat = 1; repeat <= load.repeats; ++repeat) {
            const std::size_t first = runs.size();
            for (int point = 0; point < count; ++point)
                runs.push_back({point, repeat});
            if (load.order != RunOrder::Shuffled)
                continue;
            // Fisher and Yates; a stream of its own for each repeat, so that more repeats do not change the first ones.
            Random random = Random::forItem(load.seed, 0x5348554646ull, std::uint64_t(repeat));
            for (std::size_t i = runs.size(); i > first + 1; --i) {
                const auto other = first + std::size_t(random.uniform(0, std::int64_t(i - first) - 1));
                std::swap(runs[i - 1], runs[other]);
            }
        }
    }
    mark(runs, needs, load);
    return runs;
}

Expected<std::shared_ptr<const WorkloadInstance>> bindPoint(const PointSpec& point)
{
    const Workload* workload = workloadFor(point.workload.name);
    const auto target = parseUri(point.target.uri);
    const DriverInfo* driver = target ? findDriver(target->driver) : nullptr;
    if (!workload || !driver)
        return fail({ErrorKind::BadInput, "no such workload or target", {}, {}});
    return workload->bind(point.workload.params, *driver, point.table);
}

Expected<std::vector<BoundGroup>> bindGroups(const PointSpec& point, std::shared_ptr<const WorkloadInstance> base)
{
    std::map<std::string, std::shared_ptr<const WorkloadInstance>> known{{bindKey(point), std::move(base)}};
    std::vector<BoundGroup> bound;
    for (const LoadGroup* group : activeGroups(point)) {
        const PointSpec own = pointOfGroup(point, *group);
        auto& instance = known[bindKey(own)];
        if (!instance) {
            auto made = bindPoint(own);
            if (!made)
                return tl::unexpected(made.error());
            instance = std::move(*made);
        }
        bound.push_back({group->name, own.users(), changesRows(*group), instance});
    }
    return bound;
}

Expected<std::vector<DataCheck>> checksOf(const PointSpec& point, std::shared_ptr<const WorkloadInstance> base)
{
    const int users = point.mostUsers();
    const bool baseAsksAlways = base->checksEachRun();
    std::vector<DataCheck> checks = base->checksFor(users), more;
    const auto groups = bindGroups(point, std::move(base));
    if (!groups)
        return tl::unexpected(groups.error());
    for (const BoundGroup& group : *groups) {
        const std::vector<DataCheck> own = group.workload->checksFor(users);
        const auto holds = [](const std::vector<DataCheck>& all, const DataCheck& check) {
            return std::ranges::any_of(
                all, [&check](const DataCheck& one) { return one.name == check.name && one.query == check.query; });
        };
        if (group.workload->checksEachRun()) { // they are of this script, whatever the others do
            std::ranges::copy_if(own, std::back_inserter(more),
                                 [&](const DataCheck& check) { return !holds(checks, check) && !holds(more, check); });
        }
        if (baseAsksAlways || !group.changesRows)
            continue;
        std::erase_if(checks, [&own](const DataCheck& check) {
            return std::ranges::find(own, check.name, &DataCheck::name) == own.end();
        });
    }
    std::ranges::move(more, std::back_inserter(checks));
    return checks;
}

std::uint64_t estimatedBytes(const WorkloadInstance& workload, const LoadProfile& load)
{
    const Growth growth = workload.growth();
    double rows = load.rows > 0 ? double(load.rows) : -1;
    if (const double inserted = double(load.events) * growth.rowsPerTransaction;
        load.events > 0 && (rows < 0 || inserted < rows))
        rows = inserted;
    const double grown = std::max(rows, 0.0) * growth.bytesPerRow;
    constexpr double kEnd = 18446744073709551616.0; // 2^64
    const std::uint64_t added = grown < kEnd ? std::uint64_t(grown) : UINT64_MAX;
    if (added == 0)
        return workload.estimatedBytes();
    const std::vector<TableSpec> tables = workload.tables();
    // Where the load makes no rows the workload's own figure is a guess at what a run makes.
    const bool loads = std::ranges::any_of(tables, [](const TableSpec& table) { return table.rows > 0; });
    return loads ? addedSizes(workload.estimatedBytes(), added) : added;
}

std::string dataKey(const PointSpec& point, const WorkloadInstance& workload)
{
    return keyOfData(point, workload.tablesFor(point.mostUsers()));
}

bool usesDataOf(const PointSpec& user, const WorkloadInstance& workload, const PointSpec& owner,
                const WorkloadInstance& loaded)
{
    const std::vector<TableSpec> wanted = workload.tablesFor(user.mostUsers());
    if (wanted.empty()) // statements of somebody's own: they say what they need
        return true;
    if (keyOfData(user, {}) != keyOfData(owner, {}))
        return false;
    const std::vector<TableSpec> all = loaded.tablesFor(owner.mostUsers());
    std::unordered_map<std::string_view, const TableSpec*> byName; // there may be a hundred thousand tables
    byName.reserve(all.size());
    for (const TableSpec& table : all)
        byName.emplace(table.name, &table);
    return std::ranges::all_of(wanted, [&byName](const TableSpec& table) {
        const auto found = byName.find(table.name);
        return found != byName.end() && isSameTable(*found->second, table);
    });
}

bool usesTablesUp(const PointSpec& point, const std::vector<TableSpec>& tables)
{
    if (tables.empty() || std::ranges::any_of(tables, &TableSpec::freshEachRun))
        return !tables.empty();
    return std::ranges::any_of(activeGroups(point), [&point](const LoadGroup* group) {
        if (!changesRows(*group))
            return false;
        const auto bound = bindPoint(pointOfGroup(point, *group));
        return bound && (*bound)->tables().empty();
    });
}

std::map<std::string, std::string> dataParams(const Workload& workload, const Settings& params)
{
    const WorkloadInfo& info = workload.info();
    std::map<std::string, std::string> found = workload.moreOfData(params);
    Faults ignored; // checkPlan() tells them
    const Settings all = resolve(info.options, params, "workload", ignored);
    for (const OptionSpec& option : info.options) {
        if (option.affectsData && option.unit != "tables")
            found[option.name] = textOf(all, option.name);
    }
    return found;
}

std::string bindKey(const PointSpec& point)
{
    std::string key = point.target.uri + "\n" + point.workload.name;
    for (const Settings* settings : {&point.workload.params, &point.table}) {
        for (const auto& [name, value] : *settings)
            key += fmt::format("\n{}={}", name, toText(value));
        key += "\n--";
    }
    return key;
}

} // namespace dyno
