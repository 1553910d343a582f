// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/load_groups.h"

#include "plan/field_values.h"
#include "plan/load_phases.h"
#include "plan/plan_fields.h"
#include "plan/plan_order.h"
#include "workload/workload.h"
#include <dyno/load_phases.h>

#include <algorithm>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::string_view kGroupPrefix = "group.";
constexpr std::string_view kParamsPrefix = "params.";
constexpr std::size_t kLongestGroupName = 32;

//! Names are parts of paths, of operations and of measures.
bool isGroupName(std::string_view name)
{
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return !name.empty() && name.size() <= kLongestGroupName &&
           name.find_first_not_of(kLetters) == std::string_view::npos;
}

std::vector<std::string> namesOf(const std::vector<LoadGroup>& groups)
{
    std::vector<std::string> names;
    for (const LoadGroup& group : groups)
        names.push_back(group.name);
    return names;
}

//! True where some place of the plan beside the group itself sets its field.
bool isSetElsewhere(const Plan& plan, const LoadGroup& group, std::string_view field)
{
    const std::string key = fmt::format("load.group.{}.{}", group.name, field);
    return plan.set.contains(key) || std::ranges::any_of(plan.axes, [&key](const Axis& axis) {
               return std::ranges::any_of(axis.cases, [&key](const Case& one) { return one.set.contains(key); });
           });
}

//! True where each phase has a rate of its own for the group.
bool isRateOfPhases(const Plan& plan, const LoadGroup& group)
{
    return haveRates(plan.load.phases, group.name);
}

//! Where the plan says something of a group.
std::string placeOf(const Plan& plan, std::string_view group, std::string_view field)
{
    const auto found = std::ranges::find(plan.load.groups, group, &LoadGroup::name);
    return fmt::format("load.group[{}].{}", found - plan.load.groups.begin(), field);
}

//! Tables whose rows a run adds to, or uses up.
bool changesItsTables(const WorkloadInstance& workload)
{
    return std::ranges::any_of(workload.tables(), &TableSpec::freshEachRun);
}

bool repeatsKeys(const WorkloadInstance& workload)
{
    return std::ranges::any_of(workload.tables(), &TableSpec::keysRepeat);
}

} // namespace

bool changesRows(const LoadGroup& group)
{
    const Workload* workload = workloadFor(group.workload);
    if (!workload || integerOf(group.params, "query_users") >= group.users.value_or(1))
        return false;
    const std::vector<OperationInfo> operations = workload->operations(group.params);
    return std::ranges::find(operations, OpClass::Write, &OperationInfo::opClass) != operations.end();
}

const std::vector<std::string>& groupFields()
{
    static const std::vector<std::string> fields{"users", "workload", "arrival", "rate", "think_time"};
    return fields;
}

Expected<void> setGroupField(LoadGroup& group, std::string_view name, const Value& value)
{
    if (name == "users") {
        const auto users = integerFrom(value, 0, kMaxUsers, " users; 0 leaves the group out");
        if (!users)
            return tl::unexpected(users.error());
        group.users = int(*users);
        return {};
    }
    if (name == "workload") {
        const auto* text = std::get_if<std::string>(&value);
        if (!text)
            return badValue("a workload's name is text", "such as \"oltp_write_only\"");
        group.workload = *text;
        return {};
    }
    if (std::ranges::find(groupFields(), name) == groupFields().end())
        return badValue(fmt::format("a group has no field \"{}\"", name), suggestion(name, groupFields()));
    LoadProfile load; // reads the same words with the same ranges
    load.arrival = group.pace;
    if (const auto set = setLoadField(load, name, value); !set)
        return set;
    group.pace = load.arrival;
    if (name == "arrival" && !group.pace.open()) // a rate that stayed would come back from a file as arrivals
        group.pace.rate = 0;
    if (name == "rate" && group.pace.rate <= 0) // a case in which it does as much as it can
        group.pace.model = ArrivalModel::Closed;
    return {};
}

Value groupField(const LoadGroup& group, std::string_view name)
{
    if (name == "users")
        return group.users ? Value(std::int64_t(*group.users)) : Value(std::string());
    if (name == "workload")
        return group.workload;
    if (name == "arrival")
        return group.pace.open() ? Value(std::string(toText(group.pace.model))) : Value(std::string());
    const double number = name == "rate" ? group.pace.rate : group.pace.thinkSeconds;
    return number > 0 ? Value(number) : Value(std::string());
}

std::string_view GroupPath::parameter() const
{
    return field.starts_with(kParamsPrefix) ? field.substr(kParamsPrefix.size()) : std::string_view();
}

std::optional<GroupPath> groupPathIn(std::string_view loadField)
{
    if (!loadField.starts_with(kGroupPrefix))
        return {};
    loadField.remove_prefix(kGroupPrefix.size());
    const std::size_t dot = loadField.find('.');
    if (dot == std::string_view::npos)
        return GroupPath{loadField, {}};
    return GroupPath{loadField.substr(0, dot), loadField.substr(dot + 1)};
}

std::optional<GroupPath> groupPathOf(std::string_view key)
{
    const auto [scope, name] = splitScope(key);
    return scope == "load" ? groupPathIn(name) : std::nullopt;
}

Expected<void> setInGroup(LoadProfile& load, const GroupPath& path, const Value& value)
{
    const auto group = std::ranges::find(load.groups, path.group, &LoadGroup::name);
    if (group == load.groups.end())
        return badValue(fmt::format("the plan has no group \"{}\"", path.group),
                        load.groups.empty() ? "add a [[load.group]] of that name"
                                            : suggestion(path.group, namesOf(load.groups)));
    if (const std::string_view parameter = path.parameter(); !parameter.empty()) {
        group->params.insert_or_assign(std::string(parameter), value);
        return {};
    }
    return setGroupField(*group, path.field, value);
}

void completeGroups(PointSpec& point)
{
    for (LoadGroup& group : point.load.groups) {
        group.users = group.users.value_or(point.users());
        if (group.workload.empty())
            group.workload = point.workload.name;
        const WorkloadInfo* info = findWorkload(group.workload);
        if (!info)
            continue;
        Settings params;
        // Of another workload's parameters those that it knows.
        for (const auto& [name, value] : point.workload.params) {
            if (std::ranges::find(info->options, name, &OptionSpec::name) != info->options.end())
                params.insert_or_assign(name, value);
        }
        for (const auto& [name, value] : group.params)
            params.insert_or_assign(name, value);
        if (const Workload* loader = workloadFor(point.workload.name))
            workloadFor(group.workload)->joinTables(params, group.params, *loader, point.workload.params);
        Faults ignored;
        group.params = resolve(info->options, params, "load.group", ignored);
    }
}

std::vector<const LoadGroup*> activeGroups(const PointSpec& point)
{
    std::vector<const LoadGroup*> active;
    for (const LoadGroup& group : point.load.groups) {
        if (group.users.value_or(point.users()) > 0)
            active.push_back(&group);
    }
    return active;
}

PointSpec pointOfGroup(const PointSpec& point, const LoadGroup& group)
{
    PointSpec own = point;
    own.load.groups.clear();
    own.load.users = {group.users.value_or(point.users())};
    own.load.arrival.model = group.pace.model;
    own.load.arrival.rate = group.pace.rate;
    own.load.arrival.thinkSeconds = group.pace.thinkSeconds;
    if (!group.workload.empty())
        own.workload.name = group.workload;
    own.workload.params = group.params;
    return own;
}

std::vector<OperationInfo> operationsOf(const PointSpec& point)
{
    const Workload* workload = workloadFor(point.workload.name);
    if (point.load.groups.empty())
        return workload ? workload->operations(point.workload.params) : std::vector<OperationInfo>();
    std::vector<OperationInfo> operations;
    for (const LoadGroup* group : activeGroups(point)) {
        operations.push_back({group->name, OpClass::Group});
        if (const Workload* own = group->workload.empty() ? workload : workloadFor(group->workload)) {
            for (const OperationInfo& one : own->operations(group->params))
                operations.push_back({fmt::format("{}.{}", group->name, one.name), one.opClass});
        }
    }
    return operations;
}

Faults groupFaults(const Plan& plan)
{
    Faults faults;
    std::vector<std::string> names;
    for (const LoadGroup& group : plan.load.groups) {
        const std::string where = fmt::format("load.group[{}]", names.size());
        const auto fault = [&](const char* field, std::string what, std::string remedy) {
            faults.push_back({.where = where + field, .what = std::move(what), .remedy = std::move(remedy)});
        };
        if (!isGroupName(group.name))
            fault(".name",
                  group.name.empty() ? std::string("the group has no name")
                                     : fmt::format("\"{}\" is no name of a group", group.name),
                  fmt::format("give name = \"…\", with letters, digits, _ and - only, at most {} of them",
                              kLongestGroupName));
        else if (std::ranges::find(names, group.name) != names.end())
            fault(".name", fmt::format("there are two groups called \"{}\"", group.name), "choose another name");
        names.push_back(group.name);
        if (group.users && (*group.users < 0 || *group.users > kMaxUsers))
            fault(".users", fmt::format("{} are not 0 to {} users", *group.users, kMaxUsers), "give a number of users");
        if (group.pace.open() && group.pace.thinkSeconds > 0)
            fault(".think_time", "there is no think time where transactions arrive by themselves",
                  "leave it out, or leave out the rate");
        if (group.pace.open() && group.pace.rate <= 0 && !isSetElsewhere(plan, group, "rate") &&
            !isRateOfPhases(plan, group))
            fault(".rate", "an open loop needs a rate", "give a rate in transactions a second");
    }
    const bool follows = std::ranges::any_of(plan.load.groups, [](const LoadGroup& group) { return !group.users; });
    if (plan.load.users.size() > 1 && !plan.load.groups.empty() && !follows)
        faults.push_back({.where = "load.users",
                          .what = "each group has a number of users of its own, so this list changes nothing",
                          .remedy = "leave it out, or leave out the users of a group: it then has as many as listed"});
    return faults;
}

std::string groupsKey(const PointSpec& point)
{
    const LoadProfile& load = point.load;
    std::string key =
        fmt::format("{}\n{} {} {} {} {} {}", bindKey(point), load.arrival.open(), load.arrival.thinkSeconds > 0,
                    load.search.what != Search::What::Nothing, load.events > 0, load.rows, point.mostUsers());
    for (const LoadGroup* group : activeGroups(point))
        key += fmt::format("\n{} {} {} {} {} {}", group->name, group->users.value_or(point.users()), group->pace.open(),
                           group->pace.rate > 0, group->pace.thinkSeconds > 0, bindKey(pointOfGroup(point, *group)));
    return key;
}

Faults groupFaults(const Plan& plan, const PointSpec& point)
{
    Faults faults;
    const auto fault = [&faults](std::string where, std::string what, std::string remedy) {
        faults.push_back({.where = std::move(where), .what = std::move(what), .remedy = std::move(remedy)});
    };
    const LoadProfile& load = point.load;
    if (load.groups.empty())
        return faults;
    const std::string label = point.label();
    const std::string inPoint = label.empty() ? label : " in the point " + label; // of a plan with several
    if (load.arrival.open())
        fault("load.rate", "the plan has groups of users, and each has a pace of its own",
              "write rate in the [[load.group]] that it is meant for");
    if (load.arrival.thinkSeconds > 0)
        fault("load.think_time", "the plan has groups of users, and each has a pace of its own",
              "write think_time in the [[load.group]] that it is meant for");
    if (load.search.what != Search::What::Nothing)
        fault("load.search", "a search looks for one load, and the plan has several groups of users",
              "leave it out, or search with one group at a time");
    if (load.events > 0)
        fault("load.events", "groups of users would end at different times", "give load.time, and leave it out");
    const std::vector<const LoadGroup*> active = activeGroups(point);
    if (active.empty())
        fault("load.group", fmt::format("no group has users{}", inPoint),
              "give at least one of them users, or add a [[skip]]");
    if (point.mostUsers() > kMaxUsers)
        fault("load.group", fmt::format("the groups have {} users together", point.mostUsers()),
              fmt::format("at most {} work at a time", kMaxUsers));
    for (const LoadGroup* group : active) {
        if (group->pace.open() && group->pace.rate <= 0)
            fault(placeOf(plan, group->name, "rate"),
                  fmt::format("arrivals need a rate, and the group {} has none{}", group->name, inPoint),
                  "give a rate in transactions a second, or write arrival = \"closed\"");
        if (group->pace.open() && group->pace.thinkSeconds > 0)
            fault(placeOf(plan, group->name, "think_time"),
                  fmt::format("the group {} has a rate and a think time{}", group->name, inPoint),
                  "leave one of them out: there is no think time where transactions arrive by themselves");
    }
    if (load.rows > 0 && !active.empty() &&
        std::ranges::none_of(active, [](const LoadGroup* group) { return changesRows(*group); }))
        fault("load.rows", fmt::format("no group changes rows{}, and the run waits for {} of them", inPoint, load.rows),
              "give a group a workload that writes, give it fewer query_users than users, or remove load.rows");
    if (const WorkloadInfo* info = findWorkload(point.workload.name); info && info->steps) {
        fault("workload.name", fmt::format("{} is a list of steps that one user does once", info->id),
              "leave the groups out, or make another workload of the same tables the plan's");
        return faults;
    }
    if (const Workload* workload = workloadFor(point.workload.name); workload && workload->operationsOfFile()) {
        fault("workload.name",
              fmt::format("{} takes its operations from a file, so it cannot have groups", point.workload.name),
              "remove the groups");
        return faults;
    }
    const auto base = bindPoint(point);
    if (!base)
        return faults; // that is a fault of its own
    constexpr const char* kOnce = "this is done once, and groups run side by side";
    if (!(*base)->steps().empty()) {
        fault("workload.params", kOnce, "remove the groups");
        return faults;
    }
    std::vector<std::string> adding;             //!< bindKey() of those that insert keys which repeat
    std::vector<std::string> changing, counting; //!< the same of those that change rows, and that count them
    for (const LoadGroup* group : active) {
        const WorkloadInfo* info = findWorkload(group->workload);
        const auto target = parseUri(point.target.uri);
        const DriverInfo* driver = target ? findDriver(target->driver) : nullptr;
        if (!info || !driver)
            continue;
        const std::string where = placeOf(plan, group->name, "workload");
        if (info->steps) {
            fault(where, fmt::format("{} is a list of steps that one user does once", info->id),
                  "give the group another workload");
            continue;
        }
        if (workloadFor(info->id)->operationsOfFile()) {
            fault(where, fmt::format("{} takes its operations from a file, so it cannot be a group's", info->id),
                  "give the group another workload");
            continue;
        }
        if (!commonModel(*info, *driver)) {
            fault(where, fmt::format("{} does not run on {}", info->id, target->driver),
                  "give the group another workload");
            continue;
        }
        const PointSpec own = pointOfGroup(point, *group);
        const auto bound = bindPoint(own);
        if (!bound) {
            fault(placeOf(plan, group->name, "params"), bound.error().message, bound.error().remedy);
            continue;
        }
        if (!(*bound)->steps().empty()) {
            fault(placeOf(plan, group->name, "params"), kOnce, "give the group another workload");
            continue;
        }
        const bool loadsNothing = (*base)->tables().empty();
        if (loadsNothing && !(*bound)->tables().empty())
            fault(where,
                  fmt::format("{} needs tables of its own, and {}, the plan's workload, loads none", info->id,
                              point.workload.name),
                  fmt::format("make {} the plan's workload, and the other one a group's", info->id));
        else if (!usesDataOf(own, **bound, point, **base))
            fault(where,
                  fmt::format("{} works on other data than {}, which the plan loads", info->id, point.workload.name),
                  "groups share the plan's tables: give one of the same tables, such as the workloads that begin with "
                  "oltp_, or statements of your own, and write parameters of the data in [workload]");
        else if (changesItsTables(**bound) && !changesItsTables(**base))
            fault(where,
                  fmt::format("{} adds to its tables or uses them up, and {} is not loaded anew for each run", info->id,
                              point.workload.name),
                  fmt::format("make {} the plan's workload, and the other one a group's", info->id));
        if (group->pace.open() && (*bound)->paces())
            fault(placeOf(plan, group->name, "rate"),
                  "keying and think times make their own pace, and so do transactions that arrive by themselves",
                  "set keying_time and think_time to 0, or leave out the rate");
        if (changesRows(*group))
            changing.push_back(bindKey(own));
        if ((*bound)->countsRows(own.users()))
            counting.push_back(bindKey(own));
        const bool misses = std::ranges::any_of(counting, [&changing](const std::string& key) {
            return std::ranges::any_of(changing, [&key](const std::string& other) { return other != key; });
        });
        if (misses) {
            fault(where, "two groups with other parameters would not know which rows the other one adds or deletes",
                  "give both the same parameters, or let one group do both: query_users of its users query");
            break;
        }
        if (repeatsKeys(**bound) && changesRows(*group) && std::ranges::find(adding, bindKey(own)) == adding.end())
            adding.push_back(bindKey(own));
        if (adding.size() > 1) {
            fault(where, "two groups with other parameters would insert rows with the same keys",
                  "let one group insert, or give both the same parameters");
            break;
        }
    }
    return faults;
}

} // namespace dyno
