// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/data_multiple.h"
#include "plan/followers.h"
#include "plan/load_groups.h"
#include "plan/load_phases.h"
#include "plan/plan_check.h"
#include "plan/plan_fields.h"
#include "plan/plan_order.h"
#include "workload/workload.h"

#include <dyno/plan_time.h>
#include <dyno/runner.h>
#include <dyno/trust.h>

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace dyno {

namespace {

// Rough costs for the preview: connecting (authentication included) and a restart of a managed server.
constexpr double kConnectSeconds = 0.2;
constexpr double kConnectSecondsPerUser = 0.002;
constexpr double kRestartSeconds = 3;

//! Where a plan has what an instance calls "workload.size" or "table.partitions".
std::string fieldOf(const std::string& where)
{
    if (where.starts_with("workload.") && where.find(' ') == std::string::npos)
        return "workload.params." + where.substr(where.find('.') + 1);
    return where.starts_with("table.") ? "set." + where : "workload.params";
}

//! Adds it unless it is there.
void addFault(Faults& faults, const Error& error, const char* remedy)
{
    const Fault fault{
        .where = fieldOf(error.where), .what = error.message, .remedy = error.remedy.empty() ? remedy : error.remedy};
    const auto same = [&fault](const Fault& other) { return other.where == fault.where && other.what == fault.what; };
    if (std::ranges::none_of(faults, same))
        faults.push_back(fault);
}

//! One fault for each place that cannot follow, at the first point that shows it.
void addFollowFault(Faults& faults, const Plan& plan, const PointSpec& point, const Error& error)
{
    const std::string where = writtenSetting(plan, point, error.where).where;
    if (std::ranges::find(faults, where, &Fault::where) == faults.end())
        faults.push_back({.where = where, .what = error.message, .remedy = error.remedy});
}

//! Values of knobs as their options want them: "OFF" for a choice given as false.
void completeKnobs(PointSpec& point)
{
    const auto target = parseUri(point.target.uri);
    if (!target)
        return;
    const auto coerceAll = [&](Settings& settings, std::string_view scope) {
        for (auto& [name, value] : settings) {
            const OptionSpec* option = knobOption(target->driver, scope, name);
            if (auto coerced = option ? coerce(*option, value) : Expected<Value>(value))
                value = *coerced;
        }
    };
    coerceAll(point.server, "server");
    coerceAll(point.connection, "connection");
    coerceAll(point.table, "table");
    coerceAll(point.host, "host");
}

//! Numbers for parameters that are multiples of the cache. `refused`: what cannot be made one.
void resolveMultiples(std::vector<PointSpec>& points, Faults* refused)
{
    std::vector<std::optional<ResolvedMultiple>> all;
    std::map<std::string, std::int64_t> largest;
    for (const PointSpec& point : points) {
        auto resolved = resolvedMultiple(point);
        if (!resolved && refused)
            addFault(*refused, resolved.error(), "write a number");
        all.push_back(resolved ? *resolved : std::nullopt);
        if (const auto& one = all.back())
            largest[one->group] = std::max(largest[one->group], one->value);
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (all[i])
            points[i].workload.params.insert_or_assign(all[i]->parameter, largest.at(all[i]->group));
    }
}

//! All parameters of the workload.
void completeParameters(PointSpec& point)
{
    if (const WorkloadInfo* workload = findWorkload(point.workload.name)) {
        // With a workload axis, a parameter of one workload may be unknown to another: it is left out there.
        Faults ignored;
        point.workload.params = resolve(workload->options, point.workload.params, "workload.params", ignored);
    }
}

PointSpec basePoint(const Plan& plan)
{
    PointSpec point;
    point.target = plan.target;
    point.workload = plan.workload;
    point.load = plan.load;
    point.load.users = {plan.load.users.empty() ? 1 : plan.load.users.front()};
    for (const auto& [key, value] : plan.set)
        (void)applyToPoint(point, key, value);
    return point;
}

bool hasAllOf(const PointSpec& point, const std::vector<CaseRef>& cases)
{
    return std::all_of(cases.begin(), cases.end(), [&](const CaseRef& one) {
        return std::find(point.cases.begin(), point.cases.end(), one) != point.cases.end();
    });
}

//! Takes the points away that a skip names; returns how many.
int leaveOut(std::vector<PointSpec>& points, const std::vector<Skip>& skips)
{
    return int(std::erase_if(points, [&](const PointSpec& point) {
        return std::any_of(skips.begin(), skips.end(),
                           [&](const Skip& skip) { return !skip.cases.empty() && hasAllOf(point, skip.cases); });
    }));
}

//! Without those that the plan skips, how many in `skipped`. `refused`: see resolveMultiples().
std::vector<PointSpec> pointsOf(const Plan& plan, Faults* refused, int& skipped)
{
    std::vector<PointSpec> points{basePoint(plan)};
    for (const Axis& axis : plan.axes) {
        std::vector<PointSpec> wider;
        wider.reserve(points.size() * axis.cases.size());
        for (const PointSpec& point : points) {
            for (const Case& one : axis.cases) {
                PointSpec next = point;
                next.cases.push_back({axis.name, one.label});
                for (const auto& [key, value] : one.set)
                    (void)applyToPoint(next, key, value);
                wider.push_back(std::move(next));
            }
        }
        points = std::move(wider);
    }
    if (plan.load.users.size() > 1) {
        std::vector<PointSpec> wider;
        wider.reserve(points.size() * plan.load.users.size());
        for (const PointSpec& point : points) {
            for (const int users : plan.load.users) {
                PointSpec next = point;
                next.load.users = {users};
                next.cases.push_back({"users", fmt::format("{}", users)});
                wider.push_back(std::move(next));
            }
        }
        points = std::move(wider);
    }
    skipped = leaveOut(points, plan.skips);
    for (PointSpec& point : points) {
        if (const auto resolved = resolveFollowers(point); !resolved && refused)
            addFollowFault(*refused, plan, point, resolved.error());
        completeKnobs(point);
    }
    resolveMultiples(points, refused);
    for (PointSpec& point : points) {
        completeParameters(point);
        completeGroups(point);
    }
    return points;
}

//! What measuring the disks takes, as if each folder were on one of its own: servers of ours have theirs together.
double secondsOfProbes(const Expansion& expansion)
{
    constexpr double kParts = 3, kBytesPerSecond = 150e6; // of a usual disk
    const DeviceProbeRequest probe = RunnerOptions().probe;
    std::set<std::string> folders;
    for (const PointSpec& point : expansion.points) {
        const auto uri = point.load.probe ? parseUri(point.target.uri) : Expected<TargetUri>(fail({}));
        if (uri)
            folders.insert(uri->kind == TargetKind::Embedded && !uri->path.empty() ? folderOfData(*uri).string() : "");
    }
    return double(folders.size()) * (kParts * probe.seconds + double(probe.fileBytes) / kBytesPerSecond);
}

double secondsOf(const Expansion& expansion)
{
    double seconds = secondsOfProbes(expansion);
    for (const RunSlot& slot : expansion.runs)
        seconds += timeOf(expansion.points[std::size_t(slot.point)], slot).total();
    return seconds;
}

//! With what its runs need beside it for a while. One target holds the data of one point at a time; several targets
//! hold theirs side by side.
std::uint64_t bytesOf(const std::vector<PointSpec>& points)
{
    std::map<std::string, std::uint64_t> largest;
    std::map<std::string, bool> seen;
    for (const PointSpec& point : points) {
        if (!seen.emplace(bindKey(point), true).second)
            continue;
        if (const auto instance = bindPoint(point))
            largest[point.target.uri] =
                std::max(largest[point.target.uri],
                         addedSizes(estimatedBytes(**instance, point.load), (*instance)->scratchBytes()));
    }
    std::uint64_t bytes = 0;
    for (const auto& [uri, size] : largest)
        bytes = addedSizes(bytes, size);
    return bytes;
}

} // namespace

RunTime& RunTime::operator+=(const RunTime& other)
{
    restart += other.restart;
    connect += other.connect;
    warmup += other.warmup;
    measure += other.measure;
    return *this;
}

RunTime timeOf(const PointSpec& point, const RunSlot& run)
{
    RunTime time;
    time.restart = run.restart ? kRestartSeconds : 0;
    time.connect = kConnectSeconds + kConnectSecondsPerUser * point.mostUsers();
    time.warmup = plannedWarmup(point.load);
    time.measure = plannedSeconds(point.load) - time.warmup;
    return time;
}

int PointSpec::mostUsers() const
{
    if (!load.groups.empty()) {
        std::int64_t sum = 0;
        for (const LoadGroup& group : load.groups)
            sum += group.users.value_or(users());
        return int(std::min<std::int64_t>(sum, std::numeric_limits<int>::max()));
    }
    return load.search.what == Search::What::Users ? std::max(users(), int(load.search.to)) : users();
}

std::string PointSpec::label() const
{
    std::string text;
    for (const CaseRef& one : cases) {
        if (!text.empty())
            text += ", ";
        if (one.axis == "users" && one.label.find_first_not_of("0123456789") != std::string::npos)
            text += "users " + one.label; // "not told"
        else if (one.axis == "users")
            text += fmt::format("{} {}", one.label, one.label == "1" ? "user" : "users");
        else
            text += one.label;
    }
    return text;
}

namespace {

//! Those that are not there yet; a plan with very many is told some of them.
void addNew(Faults& faults, Faults found)
{
    constexpr std::size_t kEnough = 100;
    for (Fault& fault : found) {
        const auto same = [&fault](const Fault& one) { return one.where == fault.where && one.what == fault.what; };
        if (faults.size() < kEnough && std::ranges::none_of(faults, same))
            faults.push_back(std::move(fault));
    }
}

//! What of a load misfitOfLoad() looks at.
struct LoadTraits
{
    explicit LoadTraits(const PointSpec& point)
        : open(point.load.arrival.open())
        , searches(point.load.search.what != Search::What::Nothing)
        , thinks(point.load.arrival.thinkSeconds > 0)
        , warmsUp(point.load.warms())
        , nobodyInserts(point.load.rows > 0 && point.load.groups.empty() &&
                        integerOf(point.workload.params, "query_users") >= point.users())
        , noBulk(textOf(point.connection, "bulk_load", "auto") == "off")
        , changes(!point.load.phases.empty())
    {
    }
    bool open, searches, thinks, warmsUp, nobodyInserts, noBulk, changes;
};

//! Equal for points whose loads are alike to misfitOfLoad().
std::string loadKey(const PointSpec& point)
{
    const LoadTraits load(point);
    std::string key;
    for (const bool one :
         {load.open, load.searches, load.thinks, load.warmsUp, load.nobodyInserts, load.noBulk, load.changes})
        key += one ? '1' : '0';
    return key;
}

//! Statements that come at recorded times, once.
std::optional<Error> misfitOfDueTimes(const LoadTraits& load)
{
    const auto misfit = [](const char* what, const char* remedy) {
        return Error{ErrorKind::BadInput, what, {}, std::string("set workload.replay to loop, or ") + remedy};
    };
    if (load.open)
        return misfit("statements as recorded come at their own times, and so do the arrivals of an open loop",
                      "load.arrival to \"closed\"");
    if (load.searches)
        return misfit("statements as recorded come at their own times, so there is no load to search for",
                      "remove load.search");
    if (load.thinks)
        return misfit("statements as recorded come at their own times, so users have no time to think",
                      "load.think_time to 0");
    if (load.warmsUp)
        return misfit("statements as recorded are sent once, so a warm-up would take the first ones",
                      "load.warmup to 0");
    if (load.changes)
        return misfit("statements as recorded come at their own times, in which phases have no part",
                      "remove the [[load.phase]] tables");
    return {};
}

//! How the load of a point and its workload do not go together, if so.
std::optional<Error> misfitOfLoad(const Plan& plan, const PointSpec& point, const WorkloadInstance& instance)
{
    const LoadTraits load(point);
    if (load.nobodyInserts)
        return Error{
            ErrorKind::BadInput,
            fmt::format("all of {} users query, and the run waits for {} rows", point.users(), point.load.rows),
            "workload.query_users", "give fewer users that query, more load.users, or remove load.rows"};
    if (instance.hasDueTimes()) {
        if (auto misfit = misfitOfDueTimes(load))
            return misfit;
    } else if (load.open && instance.paces()) {
        return Error{ErrorKind::BadInput,
                     "keying and think times make their own pace, and so do the arrivals of an open loop",
                     {},
                     "set keying_time and think_time to 0, or load.arrival to \"closed\""};
    }
    // Of workloads that are always lists the plan's own check says more.
    const WorkloadInfo* const info = findWorkload(point.workload.name);
    if (info && !info->steps && !instance.steps().empty()) {
        const char* const useless = load.open                    ? "load.arrival"
                                    : load.warmsUp               ? "load.warmup"
                                    : load.searches              ? "load.search"
                                    : load.changes               ? "load.phase"
                                    : plan.load.users.size() > 1 ? "load.users"
                                    : plan.load.repeats > 1      ? "load.repeats"
                                                                 : nullptr;
        if (useless)
            return Error{
                ErrorKind::BadInput,
                fmt::format("a command is done once, by one user or by all of them, and {} is for more", useless),
                "workload.command", fmt::format("remove {}, or run the command by itself", useless)};
    }
    if (instance.bulkInRuns() && load.noBulk)
        return Error{ErrorKind::BadInput, "the workload loads a file, and connection.bulk_load is off",
                     "connection.bulk_load", "set it to auto, or let the workload use inserts"};
    return {};
}

} // namespace

Faults bindFaults(const Plan& plan)
{
    Faults faults;
    std::map<std::string, bool> seen;
    int skipped = 0;
    const std::vector<PointSpec> points = pointsOf(plan, &faults, skipped);
    if (!faults.empty())
        return faults;
    std::set<std::string> seenGroups;
    for (const PointSpec& point : points) {
        // A plan is read at each change of a form: points that differ only in what no fault of groups hangs on are
        // alike.
        if (!point.load.groups.empty() && seenGroups.insert(groupsKey(point)).second)
            addNew(faults, groupFaults(plan, point));
        if (!point.load.phases.empty())
            addNew(faults, phaseFaults(plan, point));
        if (!seen.emplace(bindKey(point) + loadKey(point), true).second)
            continue;
        auto instance = bindPoint(point);
        if (auto misfit = instance ? misfitOfLoad(plan, point, **instance) : std::nullopt)
            instance = fail(std::move(*misfit));
        if (instance)
            continue;
        addFault(faults, instance.error(), "change the parameters that do not go together");
    }
    return faults;
}

Expansion expand(const Plan& plan)
{
    Expansion expansion;
    expansion.points = pointsOf(plan, nullptr, expansion.skipped);
    expansion.runs = runsOf(expansion.points, plan.load);
    expansion.estimatedSeconds = secondsOf(expansion);
    expansion.estimatedBytes = bytesOf(expansion.points);
    return expansion;
}

} // namespace dyno
