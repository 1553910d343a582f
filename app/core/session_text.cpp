// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session_text.h"

#include "core/text_table.h"

#include <dyno/analysis.h>
#include <dyno/chart_kinds.h>
#include <dyno/missing_runs.h>
#include <dyno/moved.h>
#include <dyno/shown_counters.h>
#include <dyno/uri_form.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace dyno {

namespace {

constexpr std::string_view kBeforeCompression = "before compression"; //!< see DataPart::kind

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

//! The figure of a point, by the rule that all tables follow; of no run where nothing is known of it.
Estimate figureOf(const StoredSession& session, const std::vector<const StoredRun*>& runs, std::string_view measure)
{
    std::vector<RunFigure> figures;
    for (const StoredRun* run : runs) { // another tool's file may not tell it
        if (const auto one = figureOfRun(run->summary, settingOf(session, *run), measure))
            figures.push_back(*one);
    }
    return figureOfPoint(figures, measure);
}

//! One line of the table; what is not told is "-". `latencies` gets the point's p95, to say what such figures are of.
std::vector<std::string> pointCells(const StoredSession& session, std::size_t p, bool mean, bool open,
                                    std::vector<Estimate>& latencies)
{
    std::vector<const StoredRun*> done;
    double longest = kNotKnown;
    std::uint64_t errors = 0, dropped = 0;
    bool toldErrors = false, toldDropped = false;
    std::string otherwise = "not run";
    for (const StoredRun& run : session.runs) {
        const RunSummary& summary = run.summary;
        if (summary.point != int(p))
            continue;
        for (const auto& [code, count] : summary.errors)
            errors += count;
        toldErrors = toldErrors || summary.tells("errors");
        if (summary.status != RunStatus::Done) {
            otherwise = toText(summary.status);
            continue;
        }
        done.push_back(&run);
        longest = std::fmax(longest, summary.service.maxMs);
        dropped += summary.dropped;
        toldDropped = toldDropped || summary.tells("dropped");
    }
    const PointSpec& point = session.header.points[p];
    const std::string label = point.label().empty() ? point.workload.name : point.label();
    const std::string users = point.allUsers() > 0 ? fmt::format("{}", point.allUsers()) : "-";
    if (done.empty())
        return {label, users, "0", otherwise};
    const auto text = [](const Estimate& of) { return figure(of.runs.empty() ? kNotKnown : of.mean); };
    const auto shown = [&](std::string_view measure) { return text(figureOf(session, done, measure)); };
    const Estimate rate = figureOf(session, done, "tps");
    latencies.push_back(figureOf(session, done, "service_p95"));
    std::vector<std::string> cells = {label,
                                      users,
                                      fmt::format("{}", done.size()),
                                      text(rate),
                                      rate.low && rate.high ? figure((*rate.high - *rate.low) / 2) : "-",
                                      shown("qps")};
    if (mean)
        cells.push_back(shown("service_mean"));
    cells.insert(cells.end(), {shown("service_p50"), text(latencies.back()), shown("service_p99"), figure(longest),
                               toldErrors ? fmt::format("{}", errors) : "-"});
    if (open) {
        cells.insert(cells.end(), {shown("response_p50"), shown("response_p95"), shown("response_p99"),
                                   toldDropped ? fmt::format("{}", dropped) : "-"});
    }
    return cells;
}

} // namespace

std::string pointTable(const StoredSession& session)
{
    // In an open loop the time from the intended start is what a user of the system would see.
    const bool open = std::ranges::any_of(session.runs, [](const StoredRun& run) {
        return run.summary.arrivals > 0 || (!run.summary.origin.empty() && std::isfinite(run.summary.response.meanMs));
    });
    // Many tools tell no more than a mean.
    const bool mean =
        std::ranges::any_of(session.runs, [](const StoredRun& run) { return !run.summary.origin.empty(); });
    std::vector<std::string> headings = {"point",   ">users",  ">runs",   ">tps",    ">± 95 %", ">qps",
                                         ">p50 ms", ">p95 ms", ">p99 ms", ">max ms", ">errors"};
    if (mean)
        headings.insert(headings.begin() + 6, ">mean ms");
    if (open)
        headings.insert(headings.end(), {">resp. p50 ms", ">resp. p95 ms", ">resp. p99 ms", ">dropped"});
    TextTable table(headings);
    std::vector<Estimate> latencies;
    for (std::size_t p = 0; p < session.header.points.size(); ++p)
        table.add(pointCells(session, p, mean, open, latencies));
    std::vector<const Estimate*> points;
    for (const Estimate& point : latencies)
        points.push_back(&point);
    const std::string rule = centreText(points, Centre::Mean);
    return table.text() + (rule.empty() ? rule : fmt::format("tps and qps: mean of the runs; latencies: {}\n", rule));
}

std::string warningsText(const StoredSession& session)
{
    std::string out;
    for (const std::string& damage : session.damage)
        out += fmt::format("{}: excluded; restore the file from a backup\n", damage);
    if (const RunCounts counts = countRuns(session); counts.missing() > 0 && session.info.status != RunStatus::Running)
        out += fmt::format("{} of {} complete: {}\n", counts.done,
                           countedText(std::size_t(counts.planned), "run", "runs"), missingText(counts));
    if (const std::string sittings = sittingsText(session); !sittings.empty())
        out += sittings + "\n";
    for (const StoredRun& run : session.runs) {
        const RunSummary& summary = run.summary;
        const auto& points = session.header.points;
        const std::string label =
            std::size_t(summary.point) < points.size() ? points[std::size_t(summary.point)].label() : std::string();
        const std::string name = fmt::format("run {}{}{}", summary.repeat, label.empty() ? "" : " of ", label);
        if (summary.status != RunStatus::Done)
            out += fmt::format("{}: {}{}{}{}{}\n", name, toText(summary.status), summary.place.empty() ? "" : " ",
                               summary.place, summary.reason.empty() ? "" : ": ", summary.reason);
        if (const auto& objective = summary.objective) {
            const std::string value = objective->valueMs ? figure(*objective->valueMs) + " ms" : "no figure";
            out += fmt::format("{}: the objective {} {}\n", name, objective->text,
                               objective->met ? "holds: " + value : "is broken: " + objective->why);
        }
        if (const std::string connection = connectionWarning(run.header.server); !connection.empty())
            out += fmt::format("{}: {}\n", name, connection);
        if (summary.clientLimited)
            out += fmt::format("{}: the load generator was the limit: {}\n", name, summary.clientReason);
        if (const std::string starved = toText(summary.starvation);
            !starved.empty() && summary.clientReason.find(starved) == std::string::npos)
            out += fmt::format("{}: {}\n", name, starved);
        if (summary.found > 0)
            out += fmt::format("{}: the search found {}\n", name, figure(summary.found));
        if (const auto shortfall = shortfallOf(session, run))
            out += fmt::format("{}: {}; how long all of them take is not known\n", name, toText(*shortfall));
        if (const std::string missed = missedExpectation(session, run); !missed.empty())
            out += fmt::format("{}: {}\n", name, missed);
        if (const std::uint64_t unserved = unservedArrivals(session, run); unserved > 0) {
            out += fmt::format("{}: {} of {} not served by the end; their times are in no percentile\n", name, unserved,
                               countedText(summary.arrivals, "arrival", "arrivals"));
        }
        if (!run.knowsWarmupEnd())
            out += fmt::format("{}: where its warm-up ended is not known: {}\n", name, run.phasesDamage);
        else if (run.warmupMoved() && !run.recordedWarmupEndNs)
            out += fmt::format("{}: the measured time begins at {:.1f} s, moved after the run; where it began when "
                               "recorded is not known\n",
                               name, double(run.warmupEndNs) * 1e-9);
        if (run.recordedWarmupEndNs) {
            out += fmt::format("{}: the measured time begins at {:.1f} s; when recorded it began at {:.1f} s\n", name,
                               double(run.warmupEndNs) * 1e-9, double(*run.recordedWarmupEndNs) * 1e-9);
        }
        const std::string driver = std::size_t(summary.point) < points.size()
                                       ? driverNamedBy(points[std::size_t(summary.point)].target.uri)
                                       : std::string();
        for (const auto& [code, text] : summary.errorTexts) {
            const auto count = summary.errors.find(code);
            out += fmt::format("{}: {} × error {}: {}\n", name, count == summary.errors.end() ? 0 : count->second,
                               errorName(driver, code), text);
        }
    }
    return out;
}

std::string sessionText(const StoredSession& session)
{
    const SessionInfo& info = session.info;
    std::string out = info.title.empty() ? "(no title)\n" : info.title + "\n";
    const RunCounts counts = countRuns(session);
    const std::string missing = missingText(counts);
    out += fmt::format("session   {}\nstarted   {}\nstatus    {}{}{}\nruns      {} of {}{}{}\n", info.id,
                       dateText(info.startedMs), toText(info.status), info.reason.empty() ? "" : ": ", info.reason,
                       counts.done, counts.planned, missing.empty() ? "" : ": ", missing);
    out += fmt::format("workload  {}\ntarget    {}{}{}\n", info.workload, info.target, info.product.empty() ? "" : ", ",
                       info.product);
    const HostFacts& host = session.header.host;
    if (host.cores > 0)
        out +=
            fmt::format("host      {}, {}, {}, {}\n", host.cpu, countedText(std::size_t(host.cores), "core", "cores"),
                        bytesText(double(host.memoryBytes)), host.os);
    else
        out += "host      unknown\n";
    for (const DeviceFigures& disk : disksOf(session))
        out += fmt::format("disk      {}\n", diskText(disk));
    out += fmt::format("software  {}\n", session.header.software);
    if (!session.sealed)
        out += "seals     none: recorded by an older version, so a changed figure would go unnoticed\n";
    if (!info.tags.empty())
        out += fmt::format("tags      {}\n", fmt::join(info.tags, ", "));
    if (!info.notes.empty())
        out += fmt::format("notes     {}\n", info.notes);
    out += "\n" + pointTable(session);
    if (const std::string conclusion = conclusionOf(session); !conclusion.empty())
        out += "\n" + conclusion + "\n";
    TextTable scaling({"series", ">one user ms", ">users", ">below linear", "scalability law"});
    for (const Scaling& one : scalingOf({session}, {})) {
        if (!one.fit)
            continue;
        scaling.add({one.series + (one.facet.empty() ? "" : ", " + one.facet),
                     one.singleUserMs ? figure(*one.singleUserMs) : "-", fmt::format("{:g}", one.mostUsers),
                     one.gapToLinear ? fmt::format("{:.0f} %", 100 * *one.gapToLinear) : "-",
                     toText(*one.fit, "transactions/s")});
    }
    if (!scaling.empty())
        out += "\n" + scaling.text();
    if (const Drift drift = driftOf(session, "tps"); drift.tested())
        out += "\nthroughput: " + toText(drift) + "\n";
    if (const std::string warnings = warningsText(session); !warnings.empty())
        out += "\n" + warnings;
    return out;
}

namespace {

std::string counterName(const CounterInfo& counter)
{
    return counter.source == "server" ? counter.name : counter.source + ": " + counter.name;
}

std::string counterUnit(const CounterInfo& counter)
{
    return counter.unit + (counter.rate ? "/s" : "");
}

//! When it began, from the start of the measured time.
std::string stallTable(const StoredRun& run, const std::vector<IntervalSample>& intervals)
{
    TextTable table({">at s", "what"});
    for (const Stall& stall : findStalls(intervals, stallRuleOf(run.summary)))
        table.add({run.knowsWarmupEnd()
                       ? fmt::format("{:.1f}", std::round(double(stall.tNs - run.warmupEndNs) * 1e-8) / 10 + 0.0)
                       : std::string("-"),
                   toText(stall)});
    return table.empty() ? std::string() : table.text();
}

//! What was different while the run stalled: counters by how far they moved; "" for none.
std::string movedTable(const StoredRun& run, const std::vector<IntervalSample>& intervals)
{
    constexpr std::size_t kMostMoved = 10, kMostHiddenMoved = 5;
    std::vector<TimeStretch> stretches;
    const std::vector<Stall> stalls = findStalls(intervals, stallRuleOf(run.summary));
    for (const Stall& stall : stalls)
        stretches.push_back({double(stall.tNs) * 1e-9, double(stall.tNs + stall.lengthNs) * 1e-9});
    if (stretches.empty())
        return {};
    std::vector<double> time;
    std::vector<std::vector<double>> values(run.header.counters.size());
    for (const IntervalSample& sample : intervals) {
        if (sample.phase != Phase::Measure)
            continue;
        time.push_back((double(sample.tNs) + double(sample.lengthNs) / 2) * 1e-9);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i].push_back(i < sample.counters.size() ? sample.counters[i] : kNotKnown);
    }
    const bool anySlow = std::ranges::any_of(stalls, &Stall::isSlow);
    TextTable table({anySlow ? "moved in its stalls, dips and latency stalls" : "moved in its stalls and dips", "unit",
                     ">calm", ">during", ">times its spread"});
    const auto isHidden = [&run](std::size_t counter) { return run.header.counters[counter].hidden; };
    const std::vector<SeriesMove> moves = movesInAll(time, {values.begin(), values.end()}, stretches);
    for (const SeriesMove& move : movesToShow(moves, isHidden, kMostMoved, kMostHiddenMoved)) {
        const CounterInfo& counter = run.header.counters[move.series];
        table.add({counterName(counter), counterUnit(counter), figure(move.before), figure(move.during),
                   fmt::format("{:.0f}", std::fabs(move.score))});
    }
    return table.empty() ? std::string() : table.text();
}

//! Times of each kind of operation that was done (response times, where calls came back late); "" for none. The steps
//! of a workload that is a list of them are such.
std::string operationTable(const StoredRun& run)
{
    TextTable table({"operation", ">count", ">min ms", ">mean ms", ">p95 ms", ">max ms", ">errors"});
    bool any = false;
    for (const OperationSummary& one : run.summary.operations) {
        if (one.count + one.errors == 0 && one.times.response.empty())
            continue;
        any = true;
        const LatencySummary& time = one.times.response.empty() ? one.service : one.response;
        const auto told = [&one](double ms) {
            return (one.count > 0 || !one.times.response.empty()) && std::isfinite(ms) ? figure(ms) : "-";
        };
        table.add({one.name, fmt::format("{}", one.count), told(time.minMs), told(time.meanMs), told(time.p95Ms),
                   told(time.maxMs), fmt::format("{}", one.errors)});
    }
    return any ? table.text() : std::string();
}

//! What each phase of the load measured (response times, where there are some apart); "" for none.
std::string phaseTable(const StoredRun& run)
{
    TextTable table(
        {"phase", ">from s", ">seconds", ">transactions", ">tps", ">mean ms", ">p95 ms", ">p99 ms", ">errors"});
    for (const PhaseSummary& one : run.summary.phases) {
        const LatencySummary& time = one.times.response.empty() ? one.service : one.response;
        const auto told = [&one](double ms) {
            return (one.transactions > 0 || !one.times.response.empty()) && std::isfinite(ms) ? figure(ms) : "-";
        };
        table.add(
            {one.name,
             run.knowsWarmupEnd() ? fmt::format("{:.1f}", double(one.fromNs - run.warmupEndNs) * 1e-9 + 0.0) : "-",
             fmt::format("{:.1f}", one.seconds), fmt::format("{}", one.transactions), figure(one.tps()),
             told(time.meanMs), told(time.p95Ms), told(time.p99Ms), fmt::format("{}", one.failed)});
    }
    return table.empty() ? std::string() : table.text();
}

//! Mean and largest value of each counter over the intervals of the measured time in which it is known; "" for none.
//! Hidden ones where one of `names` means them.
std::string counterTable(const StoredRun& run, const std::vector<IntervalSample>& intervals,
                         const std::vector<std::string>& names)
{
    std::vector<CounterInfo> counters = run.header.counters;
    const std::vector<std::string> unknown = showCounters(counters, names);
    std::size_t hidden = 0;
    TextTable table({"counter", "unit", ">mean", ">max", ">intervals"});
    for (std::size_t i = 0; i < counters.size(); ++i) {
        const CounterInfo& counter = counters[i];
        if (counter.hidden) {
            ++hidden;
            continue;
        }
        double sum = 0, seconds = 0, most = 0;
        int known = 0;
        for (const IntervalSample& sample : intervals) {
            if (sample.phase != Phase::Measure || i >= sample.counters.size() || !std::isfinite(sample.counters[i]))
                continue;
            const double length = double(sample.lengthNs) * 1e-9;
            sum += sample.counters[i] * length;
            seconds += length;
            most = known++ == 0 ? sample.counters[i] : std::max(most, sample.counters[i]);
        }
        table.add({counterName(counter), counterUnit(counter),
                   seconds > 0 && hasMean(counter) ? figure(sum / seconds) : "-", known > 0 ? figure(most) : "-",
                   fmt::format("{}", known)});
    }
    std::string text = table.empty() ? std::string() : table.text();
    for (const std::string& sentence : unknown)
        text += sentence + "\n";
    if (hidden > 0)
        text += fmt::format("{} more counters are kept: --counters NAME shows them, * stands for any text\n", hidden);
    return text;
}

} // namespace

std::string runText(const StoredSession& session, const StoredRun& run, const std::vector<IntervalSample>& intervals,
                    const std::vector<std::string>& counterNames)
{
    const auto& points = session.header.points;
    const std::string label =
        std::size_t(run.header.point) < points.size() ? points[std::size_t(run.header.point)].label() : std::string();
    const ServerFacts& server = run.header.server;
    const RunSummary& summary = run.summary;
    std::string out = fmt::format("run       {}{}{}, repeat {}\nstatus    {}{}{}{}{}\n", run.header.index + 1,
                                  label.empty() ? "" : ": ", label, run.header.repeat, toText(summary.status),
                                  summary.place.empty() ? "" : " ", summary.place, summary.reason.empty() ? "" : ": ",
                                  summary.reason);
    if (summary.sitting > 1)
        out += fmt::format("sitting   {}\n", summary.sitting);
    if (run.summary.origin.empty()) {
        out += fmt::format("server    {} {}, {}{}{}\ndata      {}\n", server.product, server.version, server.transport,
                           server.cipher.empty() ? "" : ", ", server.cipher, bytesText(double(run.header.dataBytes)));
    } else {
        out += fmt::format("measured  by {}\n", run.summary.origin);
        if (!server.product.empty())
            out += fmt::format("server    {} {}\n", server.product, server.version);
    }
    if (!run.header.effective.empty()) {
        TextTable knobs({"knob", "in force"});
        for (const auto& [name, value] : run.header.effective)
            knobs.add({name, toText(value)});
        out += "\n" + knobs.text();
    }
    if (const std::string operations = operationTable(run); !operations.empty())
        out += "\n" + operations;
    if (const std::string phases = phaseTable(run); !phases.empty())
        out += "\n" + phases;
    if (const std::string counters = counterTable(run, intervals, counterNames); !counters.empty())
        out += "\n" + counters;
    if (const std::string stalls = stallTable(run, intervals); !stalls.empty())
        out += "\n" + stalls;
    if (const std::string moved = movedTable(run, intervals); !moved.empty())
        out += "\n" + moved;
    StoredSession alone;
    alone.runs = {run};
    const std::vector<Difference> changes = changedDuringRuns({alone});
    if (!changes.empty()) {
        TextTable table({"changed during the run", "before", "after"});
        for (const Difference& change : changes)
            table.add({change.name, change.values.front(), change.values.back()});
        out += "\n" + table.text();
    }
    if (run.aftermath && !run.aftermath->dataParts.empty()) {
        const std::vector<DataPart>& parts = run.aftermath->dataParts;
        TextTable table({"on disk after the run", "name", ">size", ">compressed"});
        for (const DataPart& part : parts) {
            if (part.kind == kBeforeCompression)
                continue;
            const auto plain = std::ranges::find_if(parts, [&](const DataPart& other) {
                return (part.kind == "collection" || part.kind == "column") && other.kind == kBeforeCompression &&
                       other.name == part.name;
            });
            const bool known = plain != parts.end() && part.bytes > 0;
            table.add({part.kind, part.name, bytesText(double(part.bytes)),
                       known ? fmt::format("{:.2f} : 1", double(plain->bytes) / double(part.bytes)) : std::string()});
        }
        out += "\n" + table.text();
    }
    if (!run.header.optionFile.empty())
        out += "\noption file\n" + run.header.optionFile;
    if (run.aftermath && !run.aftermath->errorLog.empty())
        out += "\nthe server's log\n" + run.aftermath->errorLog;
    return out;
}

PivotRequest pivotOf(const Plan& plan)
{
    PivotRequest request;
    for (const View& view : plan.views) {
        PivotRequest ofView = requestOf(view); // some charts have a measure of their own
        const MeasureInfo* measure = findMeasure(ofView.measure);
        if (hasChart(view.chart, &ChartKind::rows) || !measure || measure->fromIntervals)
            continue; // what only intervals tell is not read for a sentence
        return ofView;
    }
    if (!plan.axes.empty())
        request.series = plan.axes.front().name;
    return request;
}

std::string conclusionOf(const StoredSession& session)
{
    const bool measured = std::any_of(session.runs.begin(), session.runs.end(),
                                      [](const StoredRun& run) { return run.summary.status == RunStatus::Done; });
    const PivotRequest request = pivotOf(session.header.plan);
    if (!measured || request.series.empty())
        return {};
    return verdictSentence(pivot({session}, request));
}

} // namespace dyno
