// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "plan/plan_check.h"
#include "plan/plan_fields.h"
#include "workload/workload.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace dyno {

namespace {

// Rough costs for the preview: connecting (authentication included) and a restart of a managed server.
constexpr double kConnectSeconds = 0.2;
constexpr double kConnectSecondsPerUser = 0.002;
constexpr double kRestartSeconds = 3;

//! Values as their options want them: "OFF" for a choice given as false, complete parameters for the workload.
void complete(PointSpec& point)
{
    const auto target = parseUri(point.target.uri);
    if (target) {
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
        coerceAll(point.client, "client");
        coerceAll(point.host, "host");
    }
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

std::vector<PointSpec> pointsOf(const Plan& plan)
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
    for (PointSpec& point : points)
        complete(point);
    return points;
}

std::vector<RunSlot> runsOf(int points, const LoadProfile& load)
{
    std::vector<RunSlot> runs;
    runs.reserve(std::size_t(points) * std::size_t(load.repeats));
    if (load.order == RunOrder::AsListed) {
        for (int point = 0; point < points; ++point) {
            for (int repeat = 1; repeat <= load.repeats; ++repeat)
                runs.push_back({point, repeat});
        }
        return runs;
    }
    for (int repeat = 1; repeat <= load.repeats; ++repeat) {
        const std::size_t first = runs.size();
        for (int point = 0; point < points; ++point)
            runs.push_back({point, repeat});
        if (load.order == RunOrder::Shuffled) {
            // Fisher and Yates; a stream of its own for each repeat, so that more repeats do not change the first ones.
            Random random = Random::forItem(load.seed, 0x5348554646ull, std::uint64_t(repeat));
            for (std::size_t i = runs.size(); i > first + 1; --i) {
                const auto other = first + std::size_t(random.uniform(0, std::int64_t(i - first) - 1));
                std::swap(runs[i - 1], runs[other]);
            }
        }
    }
    return runs;
}

double secondsOf(const Expansion& expansion)
{
    double seconds = 0;
    const PointSpec* before = nullptr;
    for (const RunSlot& slot : expansion.runs) {
        const PointSpec& point = expansion.points[std::size_t(slot.point)];
        seconds += plannedSeconds(point.load) + kConnectSeconds +
                   kConnectSecondsPerUser * point.users();
        const bool isManaged = point.target.uri.starts_with("managed:");
        if (isManaged && (!before || before->server != point.server || before->target.uri != point.target.uri))
            seconds += kRestartSeconds;
        before = &point;
    }
    return seconds;
}

Expected<std::shared_ptr<const WorkloadInstance>> bindPoint(const PointSpec& point)
{
    const Workload* workload = workloadFor(point.workload.name);
    const auto target = parseUri(point.target.uri);
    if (!workload || !target)
        return fail({ErrorKind::BadInput, "no such workload or target", {}, {}});
    return workload->bind(point.workload.params, target->driver, point.table);
}

//! Points that would bind the same: the key of what bind() sees.
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

//! One target holds the data of one point at a time; several targets hold theirs side by side.
std::uint64_t bytesOf(const std::vector<PointSpec>& points)
{
    std::map<std::string, std::uint64_t> largest;
    std::map<std::string, bool> seen;
    for (const PointSpec& point : points) {
        if (!seen.emplace(bindKey(point), true).second)
            continue;
        if (const auto instance = bindPoint(point))
            largest[point.target.uri] = std::max(largest[point.target.uri], (*instance)->estimatedBytes());
    }
    std::uint64_t bytes = 0;
    for (const auto& [uri, size] : largest)
        bytes += size;
    return bytes;
}

} // namespace

std::string PointSpec::label() const
{
    std::string text;
    for (const CaseRef& one : cases) {
        if (!text.empty())
            text += ", ";
        if (one.axis == "users")
            text += fmt::format("{} {}", one.label, one.label == "1" ? "user" : "users");
        else
            text += one.label;
    }
    return text;
}

std::vector<std::string> bindFaults(const Plan& plan)
{
    std::vector<std::string> messages;
    std::map<std::string, bool> seen;
    for (const PointSpec& point : pointsOf(plan)) {
        if (!seen.emplace(bindKey(point), true).second)
            continue;
        const auto instance = bindPoint(point);
        if (instance)
            continue;
        std::string message = instance.error().message;
        if (!instance.error().remedy.empty())
            message += fmt::format(" ({})", instance.error().remedy);
        if (std::find(messages.begin(), messages.end(), message) == messages.end())
            messages.push_back(std::move(message));
    }
    return messages;
}

Expansion expand(const Plan& plan)
{
    Expansion expansion;
    expansion.points = pointsOf(plan);
    expansion.runs = runsOf(int(expansion.points.size()), plan.load);
    expansion.estimatedSeconds = secondsOf(expansion);
    expansion.estimatedBytes = bytesOf(expansion.points);
    return expansion;
}

} // namespace dyno
