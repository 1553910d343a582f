// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/data/data_jobs.h"

#include "plan/plan_order.h"

#include <dyno/kept_data.h>
#include <dyno/passwords.h>

#include <fmt/format.h>

#include <algorithm>

namespace dyno {

namespace {

//! Runs `work` with each different target of the plan and its first point, without settings that nothing would put
//! back.
template<class Work>
Expected<void> forEachTarget(const Plan& plan, const RunnerOptions& options, Work work)
{
    const Faults faults = checkPlan(plan);
    if (!faults.empty())
        return fail({ErrorKind::BadInput, faults.front().what, faults.front().where, faults.front().remedy});
    if (auto refusal = refusalOf(plan, options.consent))
        return fail(std::move(*refusal));
    const Expansion expansion = expand(plan);
    for (const PointSpec& point : expansion.points) { // before anything is touched
        const auto uri = parseUri(point.target.uri);
        if (auto refusal = uri ? makeTarget({.uri = *uri, .options = options})->refusal() : std::optional<Error>())
            return fail(std::move(*refusal));
    }
    std::vector<std::string> done;
    std::optional<Error> notEnded; //!< a server that had to be killed at its end
    for (const PointSpec& point : expansion.points) {
        if (std::find(done.begin(), done.end(), point.target.uri) != done.end())
            continue;
        done.push_back(point.target.uri);
        auto uri = parseUri(point.target.uri);
        if (!uri)
            return tl::unexpected(uri.error());
        if (isOfOneSession(*uri))
            return fail(
                {ErrorKind::BadInput,
                 fmt::format("{} is private to a session", uri->display()),
                 {},
                 "its data is made and removed by `dyno run`; name a file or a server (managed:mariadb?name=…)"});
        uri->password = passwordFor(*uri, passwordOwner(plan), options.password);
        const auto target = makeTarget({.uri = std::move(*uri), .options = options, .stopped = options.stopped});
        auto worked = work(*target, target->forData(point));
        const auto ended = target->end();
        if (!worked) {
            if (!ended)
                worked.error().message += "; " + ended.error().message;
            return worked;
        }
        if (ended)
            continue;
        if (ended.error().kind == ErrorKind::Interrupted)
            return ended;
        if (!notEnded) // the work is done, and that of the next target is too
            notEnded = ended.error();
    }
    if (notEnded)
        return fail(std::move(*notEnded));
    return {};
}

DataCheckReport reportFor(const PointSpec& point, int number)
{
    DataCheckReport report;
    report.point = number;
    report.target = redactUri(point.target.uri);
    report.workload = point.workload.name;
    return report;
}

} // namespace

DataCheckReport reportOn(const std::vector<PointSpec>& points, const RunSlot& slot, Target& target,
                         const std::function<bool()>& goOn)
{
    const PointSpec& point = points[std::size_t(slot.point)];
    DataCheckReport report = reportFor(point, slot.point);
    report.repeat = slot.repeat;
    const auto names = conditionsOf(point);
    if (!names || names->empty())
        return report;
    if (auto found = target.checkData(point, goOn)) {
        report.conditions = std::move(*found);
    } else {
        for (const std::string& name : *names)
            report.conditions.push_back({name, {}, found.error().text()});
    }
    return report;
}

RunEvent eventOf(const DataCheckReport& report)
{
    RunEvent event;
    event.kind = report.holds() ? EventKind::Note : EventKind::Error;
    if (report.holds()) {
        event.text = fmt::format("the data meet all {} conditions of {}", report.conditions.size(), report.workload);
        return event;
    }
    for (const ConditionResult& condition : report.conditions) {
        if (condition.holds())
            continue;
        event.text += event.text.empty() ? "data: " : "; ";
        event.text += !condition.found.empty() ? fmt::format("\"{}\": {}", condition.name, condition.found)
                      : condition.violations
                          ? fmt::format("\"{}\" fails for {}", condition.name, *condition.violations)
                          : fmt::format("\"{}\" could not be asked: {}", condition.name, condition.error);
    }
    return event;
}

Expected<std::vector<std::string>> conditionsOf(const PointSpec& point)
{
    const auto workload = bindPoint(point);
    if (!workload)
        return tl::unexpected(workload.error());
    auto checks = checksOf(point, *workload);
    if (!checks)
        return tl::unexpected(checks.error());
    std::vector<std::string> names;
    for (DataCheck& check : *checks)
        names.push_back(std::move(check.name));
    return names;
}

Expected<void> prepareData(const Plan& plan, const RunnerOptions& options, const ProgressCallback& progress,
                           PreparedData* prepared)
{
    const std::vector<PointSpec> points = expand(plan).points;
    const bool several = std::ranges::any_of(
        points, [&](const PointSpec& point) { return point.target.uri != points.front().target.uri; });
    return forEachTarget(plan, options, [&](Target& target, const PointSpec& point) -> Expected<void> {
        auto ready = target.prepare(point, [&](const LoadProgress& load) {
            ProgressReport report;
            report.runs = 0;
            putInto(report, load);
            report.fraction = report.phaseFraction;
            report.secondsLeft = load.secondsLeft;
            return !progress || progress(report);
        });
        if (!ready)
            return tl::unexpected(ready.error());
        if (!prepared)
            return {};
        prepared->loaded = prepared->loaded || ready->loaded;
        for (const EarlyEvent& event : ready->events)
            prepared->notes.push_back((several ? redactUri(point.target.uri) + ": " : std::string()) + event.text);
        return {};
    });
}

Expected<void> cleanupData(const Plan& plan, const RunnerOptions& options)
{
    return forEachTarget(plan, options,
                         [](Target& target, const PointSpec& point) { return target.dropTables(point); });
}

Expected<std::vector<DataCheckReport>> checkData(const Plan& plan, const RunnerOptions& options,
                                                 const std::function<bool()>& goOn)
{
    std::vector<DataCheckReport> reports;
    RunnerOptions stoppable = options;
    if (goOn && !stoppable.stopped)
        stoppable.stopped = [&goOn] { return !goOn(); };
    bool asked = false; //!< of the target at hand
    auto done = forEachTarget(plan, stoppable, [&](Target& target, const PointSpec& point) -> Expected<void> {
        asked = false;
        auto found = target.checkData(point, goOn);
        if (!found)
            return tl::unexpected(found.error());
        DataCheckReport report = reportFor(point, 0);
        report.conditions = std::move(*found);
        if (!report.conditions.empty())
            reports.push_back(std::move(report));
        asked = true;
        return {};
    });
    if (!done && (!asked || done.error().kind == ErrorKind::Interrupted))
        return tl::unexpected(done.error());
    return reports; // also where a server did not end afterwards
}

} // namespace dyno
