// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/missing_runs.h>
#include <dyno/path.h>

#include "report/format.h"
#include "report/pivot/labels.h"
#include <dyno/report.h>
#include <dyno/uri.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace dyno {

namespace {

using Place = std::pair<int, int>; // point, repeat

//! How each run of the plan ended last; a complete one counts whatever followed.
template<class Runs, class SummaryOf>
std::map<Place, const RunSummary*> lastOf(const Runs& runs, SummaryOf summaryOf)
{
    std::map<Place, const RunSummary*> last;
    for (const auto& run : runs) {
        const RunSummary& summary = summaryOf(run);
        const RunSummary*& known = last[{summary.point, summary.repeat}];
        if (!known || known->status != RunStatus::Done)
            known = &summary;
    }
    return last;
}

RunCounts countsOf(const std::vector<RunSlot>& slots, const std::map<Place, const RunSummary*>& last)
{
    RunCounts counts;
    std::set<Place> seen;
    for (const RunSlot& slot : slots) {
        if (!seen.insert({slot.point, slot.repeat}).second)
            continue; // tried again in a later sitting
        ++counts.planned;
        const auto found = last.find({slot.point, slot.repeat});
        switch (found == last.end() ? RunStatus::Pending : found->second->status) {
        case RunStatus::Done:
            ++counts.done;
            break;
        case RunStatus::Failed:
            ++counts.failed;
            break;
        case RunStatus::Skipped:
            ++counts.skipped;
            break;
        case RunStatus::Stopped:
            ++counts.stopped;
            break;
        case RunStatus::Cut:
            ++counts.cut;
            break;
        case RunStatus::Damaged:
            ++counts.damaged;
            break;
        case RunStatus::Pending:
        case RunStatus::Running:
            ++counts.notRun;
            break;
        }
    }
    return counts;
}

std::map<Place, const RunSummary*> lastOf(const StoredSession& session)
{
    return lastOf(session.runs, [](const StoredRun& run) -> const RunSummary& { return run.summary; });
}

//! "2 h 10 min"
std::string spanText(std::int64_t ms)
{
    const std::int64_t minutes = ms / 60'000;
    constexpr std::int64_t kHour = 60, kDay = 24 * kHour;
    if (minutes >= 2 * kDay)
        return fmt::format("{} days", minutes / kDay);
    if (minutes >= kHour)
        return fmt::format("{} h {} min", minutes / kHour, minutes % kHour);
    return minutes > 0 ? fmt::format("{} min", minutes) : fmt::format("{} s", ms / 1000);
}

std::string sittingName(int sitting)
{
    return sitting == 1   ? std::string("the first")
           : sitting == 2 ? std::string("the second")
           : sitting == 3 ? std::string("the third")
                          : fmt::format("sitting {}", sitting);
}

Error refusal(const StoredSession& session, std::string why, std::string remedy)
{
    return {ErrorKind::BadInput, std::move(why), session.info.title, std::move(remedy)};
}

} // namespace

std::set<std::int64_t> report::runsTriedAgain(const StoredSession& session)
{
    const std::map<Place, const RunSummary*> last = lastOf(session);
    std::set<std::int64_t> again;
    for (const StoredRun& run : session.runs) {
        const RunSummary& summary = run.summary;
        if (summary.status != RunStatus::Done && last.at({summary.point, summary.repeat}) != &summary)
            again.insert(run.header.index);
    }
    return again;
}

RunCounts countRuns(const std::vector<RunSlot>& slots, const std::vector<RunSummary>& runs)
{
    return countsOf(slots, lastOf(runs, [](const RunSummary& run) -> const RunSummary& { return run; }));
}

RunCounts countRuns(const StoredSession& session)
{
    return countsOf(session.header.runs, lastOf(session));
}

std::string missingText(const RunCounts& counts)
{
    std::string text;
    const auto add = [&text](int number, const char* what) {
        if (number > 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, what);
    };
    add(counts.failed, "failed");
    add(counts.skipped, "skipped");
    add(counts.stopped, "stopped");
    add(counts.cut, "cut off");
    add(counts.damaged, "damaged");
    add(counts.notRun, "not run");
    return text;
}

std::vector<MissingRun> missingRuns(const StoredSession& session)
{
    const std::map<Place, const RunSummary*> last = lastOf(session);
    std::vector<MissingRun> missing;
    std::set<Place> seen;
    for (const RunSlot& slot : session.header.runs) {
        if (!seen.insert({slot.point, slot.repeat}).second)
            continue;
        const auto found = last.find({slot.point, slot.repeat});
        const RunSummary* run = found == last.end() ? nullptr : found->second;
        if (run && run->status == RunStatus::Done)
            continue;
        const auto point = static_cast<std::size_t>(slot.point);
        missing.push_back(
            {slot, run, point < session.header.points.size() ? session.header.points[point].label() : std::string()});
    }
    return missing;
}

std::string placeInPlan(const SessionHeader& header, const RunSlot& slot)
{
    const auto point = static_cast<std::size_t>(slot.point);
    std::string text = fmt::format("point {}", slot.point + 1);
    if (point < header.points.size() && !header.points[point].label().empty())
        text += fmt::format(" ({})", header.points[point].label());
    const bool repeats = std::ranges::any_of(header.runs, [](const RunSlot& one) { return one.repeat > 1; });
    return repeats ? fmt::format("{}, repeat {}", text, slot.repeat) : text;
}

Failure failureOf(const SessionHeader& header, const RunSummary& run)
{
    return {placeInPlan(header, {run.point, run.repeat}), run.place, run.reason};
}

namespace {

template<class Runs, class SummaryOf>
std::optional<Failure> failureIn(const SessionHeader& header, const Runs& runs, SummaryOf summaryOf, RunStatus status,
                                 const std::string& reason)
{
    std::optional<Failure> first;
    const std::map<Place, const RunSummary*> last = lastOf(runs, summaryOf);
    for (const auto& run : runs) {
        const RunSummary& summary = summaryOf(run);
        if (summary.status != RunStatus::Failed || last.at({summary.point, summary.repeat}) != &summary)
            continue; // a later sitting completed it, or tried it again
        if (first)
            ++first->more;
        else
            first = failureOf(header, summary);
    }
    if (!first && status == RunStatus::Failed)
        first.emplace();
    // Beside what the run failed with, the session's reason tells what was not restored.
    if (first && (first->why.empty() ||
                  (reason.starts_with(first->why) && reason.find("; ", first->why.size()) != std::string::npos)))
        first->why = reason;
    return first;
}

} // namespace

std::optional<Failure> firstFailure(const SessionHeader& header, const std::vector<RunSummary>& runs, RunStatus status,
                                    const std::string& reason)
{
    return failureIn(
        header, runs, [](const RunSummary& run) -> const RunSummary& { return run; }, status, reason);
}

std::optional<Failure> firstFailure(const StoredSession& session)
{
    return failureIn(
        session.header, session.runs, [](const StoredRun& run) -> const RunSummary& { return run.summary; },
        session.info.status, session.info.reason);
}

namespace {

bool areSame(const Settings& a, const Settings& b)
{
    return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
        return one.first == other.first && toText(one.second) == toText(other.second);
    });
}

bool areSameGroups(const LoadGroup& a, const LoadGroup& b)
{
    return a.name == b.name && a.users == b.users && a.workload == b.workload && a.pace == b.pace &&
           areSame(a.params, b.params);
}

//! Of what decides what is measured, and where.
bool isSamePoint(const PointSpec& a, const PointSpec& b)
{
    const auto same = [&](Settings PointSpec::*settings) { return areSame(a.*settings, b.*settings); };
    return a.cases == b.cases && targetText(a.target) == targetText(b.target) && a.workload.name == b.workload.name &&
           areSame(a.workload.params, b.workload.params) && same(&PointSpec::server) && same(&PointSpec::connection) &&
           same(&PointSpec::table) && same(&PointSpec::host) && a.users() == b.users() &&
           a.load.timeSeconds == b.load.timeSeconds && a.load.warmupSeconds == b.load.warmupSeconds &&
           std::ranges::equal(a.load.groups, b.load.groups, areSameGroups) && a.load.phases == b.load.phases;
}

} // namespace

Expected<SessionHeader> continuationOf(const StoredSession& session, const HostFacts& here, std::string_view software)
{
    if (report::isImported(session))
        return fail(refusal(session, "this session was measured by another tool, so its runs cannot be completed here",
                            "make a plan with the same workload"));
    if (session.info.status == RunStatus::Running)
        return fail(refusal(session, "this session is running", "wait until it ends"));
    if (!session.damage.empty())
        return fail(refusal(session, "parts of this session are damaged, so new runs would not be comparable",
                            "restore it from a backup, or run the whole plan again"));
    const HostFacts& host = session.header.host;
    const bool sameMachine = host.name == here.name && host.cpu == here.cpu && host.cores == here.cores;
    if (!sameMachine)
        return fail(refusal(session,
                            fmt::format("this session was measured on another machine ({}, {}, {}); runs "
                                        "measured here would not be comparable",
                                        host.name, host.cpu, report::counted(host.cores, "core", "cores")),
                            "complete it there, or run the whole plan again here"));
    if (session.header.software != software)
        return fail(refusal(session,
                            fmt::format("this session was measured with {}, and this is {}; runs of two versions "
                                        "are not comparable",
                                        session.header.software, software),
                            "complete it with that version, or run the whole plan again"));
    const Expansion expansion = expand(session.header.plan);
    // What is asked about before a start is the plan: the points must be what it says, and nothing else.
    const bool samePlan = std::ranges::equal(expansion.points, session.header.points, isSamePoint);
    const auto isOf = [](const std::vector<RunSlot>& slots) {
        return [&slots](const RunSlot& one) {
            return std::ranges::any_of(
                slots, [&one](const RunSlot& slot) { return slot.point == one.point && slot.repeat == one.repeat; });
        };
    };
    const bool sameRuns = std::ranges::all_of(session.header.runs, isOf(expansion.runs)) &&
                          std::ranges::all_of(expansion.runs, isOf(session.header.runs));
    if (!samePlan || !sameRuns)
        return fail(
            refusal(session, "the session's plan gives other points or runs than it has", "run the whole plan again"));
    SessionHeader header = session.header;
    header.title = session.info.title;
    header.firstRun = header.runs.size();
    for (const MissingRun& one : missingRuns(session))
        header.runs.push_back(one.slot);
    for (const StoredRun& run : session.runs) {
        header.earlier.push_back(run.summary);
        header.sitting = std::max(header.sitting, run.summary.sitting + 1);
    }
    header.sitting = std::max(header.sitting, 2);
    if (header.firstRun == header.runs.size())
        return fail(refusal(session, "nothing is missing: all runs of this session are complete",
                            "to measure it once more, run the plan again"));
    return header;
}

std::string sittingsText(const StoredSession& session)
{
    std::map<int, std::vector<const StoredRun*>> sittings;
    std::map<int, std::int64_t> begins;
    std::size_t done = 0;
    for (const StoredRun& run : session.runs) {
        std::int64_t& began = begins[run.summary.sitting];
        began = began == 0 ? run.summary.startedMs : began;
        if (run.summary.status != RunStatus::Done)
            continue;
        ++done;
        sittings[run.summary.sitting].push_back(&run);
    }
    if (begins.size() < 2)
        return {};
    std::string text;
    const auto firstSitting = begins.begin()->first;
    for (const auto& [sitting, began] : begins) {
        if (sitting == firstSitting)
            continue;
        const std::vector<const StoredRun*>& later = sittings[sitting];
        if (later.empty())
            continue; // nothing of it counts
        text += text.empty() ? "" : " ";
        text += fmt::format("{} of {} {} measured in {} sitting", later.size(),
                            report::counted(static_cast<long long>(done), "run", "runs"),
                            later.size() == 1 ? "was" : "were", sittingName(sitting));
        const std::int64_t first = begins.begin()->second;
        if (began > first && first > 0)
            text += fmt::format(", {} after the first began", spanText(began - first));
        // Points with runs of this sitting and of the ones before it.
        double sum = 0;
        int points = 0;
        std::map<int, std::pair<std::vector<double>, std::vector<double>>> rates;
        for (const auto& [of, runs] : sittings) {
            for (const StoredRun* run : runs) {
                if (of < sitting)
                    rates[run->summary.point].first.push_back(run->summary.tps);
                else if (of == sitting)
                    rates[run->summary.point].second.push_back(run->summary.tps);
            }
        }
        for (const auto& [point, values] : rates) {
            if (values.first.empty() || values.second.empty())
                continue;
            const double before = estimate(values.first).mean, after = estimate(values.second).mean;
            if (before > 0 && after > 0) {
                sum += std::log(after / before);
                ++points;
            }
        }
        if (points == 0) {
            text += "; no point has complete runs of both, so a change between them cannot be told from the figures.";
            continue;
        }
        const double change = 100 * (std::exp(sum / points) - 1);
        const std::string percent = report::plain(std::fabs(change), 1);
        const std::string difference = percent == "0.0"
                                           ? std::string("the same")
                                           : fmt::format("{} % {}", percent, change < 0 ? "lower" : "higher");
        text += fmt::format("; at the {} with runs of both, throughput is {} in {}.",
                            report::counted(points, "point", "points"), difference, sittingName(sitting));
    }
    return text;
}

} // namespace dyno
