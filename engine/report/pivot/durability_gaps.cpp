// SPDX-License-Identifier: GPL-3.0-or-later
// What compared servers do differently for durability beside what the plan varies.
#include "report/pivot/meanings.h"

#include "report/format.h"
#include <dyno/report.h>
#include <dyno/uri.h>

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <set>

namespace dyno {

namespace {

//! What a server does for one thing: what it means, and the setting that says so.
struct DurabilityFact
{
    std::string meaning, setting;
};

//! One point as it was run.
struct RunPoint
{
    std::string server; //!< "MariaDB 10.11.6"
    std::vector<CaseRef> cases;
    std::map<std::string, DurabilityFact> facts; //!< by what they decide
    std::set<std::string> waiting;               //!< of these, those that a change of data waits for
    bool writes = false;
};

bool isOff(const Value& value)
{
    const std::string text = toText(value);
    return sameValue(text, "off") || text == "0";
}

//! `one` has an effect: the knob that it needs is on.
bool matters(const KnobInfo& one, const RunHeader& run)
{
    if (one.onlyWith.empty())
        return true;
    return std::ranges::any_of(report::allKnobs(), [&](const KnobInfo& other) {
        if (other.driver != one.driver || other.scope != one.scope || other.option.name != one.onlyWith)
            return false;
        const auto setting = report::inForce(other, run);
        return setting && !isOff(setting->second);
    });
}

//! The setting in force. A server that was started for this and does not tell it has its default.
std::optional<std::pair<std::string, Value>> settingOf(const KnobInfo& knob, const RunHeader& run, bool managed)
{
    if (auto told = report::inForce(knob, run))
        return told;
    const auto edition = editionFor(knob, run.server.product, run.server.version);
    if (!managed || !edition || knob.editions.empty() || !run.server.variables.empty())
        return {};
    return std::pair(edition->name, edition->defaultValue.value_or(knob.option.defaultValue));
}

void addFacts(RunPoint& point, const TargetUri& target, const RunHeader& run)
{
    const bool managed = target.kind == TargetKind::Managed;
    for (const KnobInfo& knob : report::allKnobs()) {
        if (knob.driver != target.driver || (knob.topic != "durability" && !knob.waits) || !matters(knob, run))
            continue;
        const std::string key = knob.meaning.empty() ? knob.option.name : knob.meaning;
        const auto setting = settingOf(knob, run, managed);
        if (!setting || point.facts.contains(key))
            continue;
        const std::string value = toText(setting->second);
        point.facts[key] = {report::meaningText(knob, setting->second), fmt::format("{} = {}", setting->first, value)};
        if (knob.waits)
            point.waiting.insert(key);
    }
}

std::vector<RunPoint> runPointsOf(const std::vector<StoredSession>& sessions)
{
    std::vector<RunPoint> points;
    for (const StoredSession& session : sessions) {
        std::set<int> seen;
        for (const StoredRun& run : session.runs) {
            const ServerFacts& server = run.header.server;
            const auto index = static_cast<std::size_t>(run.header.point);
            if (run.header.point < 0 || index >= session.header.points.size() || server.product.empty() ||
                run.summary.status != RunStatus::Done || !seen.insert(run.header.point).second)
                continue;
            const PointSpec& spec = session.header.points[index];
            const auto uri = parseUri(spec.target.uri);
            if (!uri)
                continue;
            RunPoint& point = points.emplace_back();
            point.server = server.product;
            if (const std::string version = server.version.substr(0, server.version.find('-')); !version.empty())
                point.server += " " + version;
            point.cases = spec.cases;
            point.writes = run.summary.rows > 0;
            addFacts(point, *uri, run.header);
        }
    }
    return points;
}

//! An axis each of whose cases is one server's alone: it is what tells the servers apart.
std::set<std::string> serverAxes(const std::vector<RunPoint>& points)
{
    std::map<std::string, std::map<std::string, std::set<std::string>>> servers;
    for (const RunPoint& point : points) {
        for (const CaseRef& one : point.cases)
            servers[one.axis][one.label].insert(point.server);
    }
    std::set<std::string> axes;
    for (const auto& [axis, labels] : servers) {
        if (labels.size() > 1 && std::ranges::all_of(labels, [](const auto& one) { return one.second.size() == 1; }))
            axes.insert(axis);
    }
    return axes;
}

bool areCompared(const RunPoint& a, const RunPoint& b, const std::set<std::string>& serverAxes)
{
    if (a.server == b.server)
        return false;
    return std::ranges::all_of(a.cases, [&](const CaseRef& one) {
        const auto other = std::ranges::find(b.cases, one.axis, &CaseRef::axis);
        return other == b.cases.end() || other->label == one.label || serverAxes.contains(one.axis);
    });
}

//! What was found of one thing: the servers in the order of the runs, and what each does.
struct FoundGap
{
    std::vector<std::pair<std::string, std::vector<std::string>>> servers;
    bool decides = false;

    void add(const std::string& server, const DurabilityFact& fact)
    {
        auto found = std::ranges::find(servers, server, &std::pair<std::string, std::vector<std::string>>::first);
        if (found == servers.end())
            found = servers.insert(servers.end(), {server, {}});
        const std::string text = fact.setting.ends_with("= " + fact.meaning)
                                     ? fact.setting
                                     : fmt::format("{} ({})", fact.meaning, fact.setting);
        if (std::ranges::find(found->second, text) == found->second.end())
            found->second.push_back(text);
    }
};

} // namespace

std::vector<DurabilityGap> durabilityGaps(const std::vector<StoredSession>& sessions)
{
    const std::vector<RunPoint> points = runPointsOf(sessions);
    const std::set<std::string> axes = serverAxes(points);
    std::vector<std::string> order;
    std::map<std::string, FoundGap> found;
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (std::size_t j = i + 1; j < points.size(); ++j) {
            const RunPoint &a = points[i], &b = points[j];
            if (!areCompared(a, b, axes))
                continue;
            for (const auto& [key, fact] : a.facts) {
                const auto other = b.facts.find(key);
                if (other == b.facts.end() || sameValue(fact.meaning, other->second.meaning))
                    continue;
                if (!found.contains(key))
                    order.push_back(key);
                FoundGap& gap = found[key];
                gap.add(a.server, fact);
                gap.add(b.server, other->second);
                gap.decides = gap.decides || ((a.writes || b.writes) && a.waiting.contains(key));
            }
        }
    }
    std::vector<DurabilityGap> gaps;
    for (const std::string& key : order) {
        const FoundGap& one = found.at(key);
        std::vector<std::string> parts;
        for (const auto& [server, texts] : one.servers)
            parts.push_back(fmt::format("{} on {}", fmt::join(texts, " or "), server));
        gaps.push_back({fmt::format("{}: {}", key, fmt::join(parts, ", ")), one.decides});
    }
    std::ranges::stable_sort(gaps, {}, [](const DurabilityGap& one) { return !one.decides; });
    return gaps;
}

} // namespace dyno
