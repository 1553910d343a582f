// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/analysis.h>
#include <dyno/missing_runs.h>
#include <dyno/path.h>
#include <dyno/report.h>

#include "report/export/markdown_parts.h"
#include "report/export/markdown_text.h"
#include "report/format.h"
#include "report/pivot/labels.h"
#include "report/pivot/load_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>

namespace dyno {

namespace {

using report::escaped;
using report::human;
using report::row;
using report::rule;

//! Distinct texts, in order of appearance, joined.
std::string joined(const std::vector<std::string>& texts)
{
    std::vector<std::string> distinct;
    std::string result;
    for (const std::string& text : texts) {
        if (text.empty() || std::find(distinct.begin(), distinct.end(), text) != distinct.end())
            continue;
        distinct.push_back(text);
        result += (result.empty() ? "" : "; ") + text;
    }
    return result.empty() ? "–" : result;
}

std::string settingsText(const Settings& settings)
{
    std::string text;
    for (const auto& [name, value] : settings)
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, toText(value));
    return text;
}

//! Those that are the same in all, and a word on the others, which "What differs" lists.
std::string commonSettings(const std::vector<Settings>& all)
{
    if (all.empty())
        return {};
    Settings common = all.front();
    for (const Settings& one : all) {
        std::erase_if(common, [&](const auto& item) {
            const auto found = one.find(item.first);
            return found == one.end() || found->second != item.second;
        });
    }
    const bool differ = std::ranges::any_of(all, [&](const Settings& one) { return one.size() != common.size(); });
    const std::string text = settingsText(common);
    return !differ        ? text
           : text.empty() ? "see what differs, below"
                          : text + "; for the others see what differs, below";
}

//! ", 0.35 $ an hour, 120 W"; "" when nothing was said.
std::string priceText(const Price& price)
{
    std::string text;
    if (price.costPerHour > 0)
        text += fmt::format(", {} {} an hour", price.costPerHour, price.currency);
    if (price.watts > 0)
        text += fmt::format(", {} W", price.watts);
    return text;
}

} // namespace

std::string report::knobsReadBack(const StoredSession& session)
{
    std::vector<Settings> knobs;
    for (const StoredRun& run : session.runs)
        knobs.push_back(run.header.effective);
    return commonSettings(knobs);
}

std::string report::setUp(const std::vector<StoredSession>& sessions)
{
    std::string text = "## Set-up\n\n";
    const std::vector<std::string> names = report::sessionLabels(sessions);
    for (std::size_t s = 0; s < sessions.size(); ++s) {
        const StoredSession& session = sessions[s];
        const SessionHeader& header = session.header;
        std::vector<std::string> targets, products, transports, ciphers, data;
        for (const PointSpec& point : header.points) {
            targets.push_back(targetText(point.target) + priceText(point.target.price));
        }
        for (const StoredRun& run : session.runs) {
            const ServerFacts& server = run.header.server;
            products.push_back(server.version.empty() ? server.product : server.product + " " + server.version);
            transports.push_back(server.transport);
            ciphers.push_back(server.cipher);
            if (const std::uint64_t bytes = settingOf(session, run).dataBytes; bytes > 0)
                data.push_back(report::bytes(static_cast<double>(bytes)));
        }
        // A size that grows a little from run to run needs two figures, not one for each run.
        if (data.size() > 2)
            data = {data.front() == data.back() ? data.front() : data.front() + " … " + data.back()};
        const auto line = [&text](std::string_view name, const std::string& value) {
            if (!value.empty() && value != "–")
                fmt::format_to(std::back_inserter(text), "- {}: {}\n", name, escaped(value));
        };
        if (sessions.size() > 1)
            fmt::format_to(std::back_inserter(text), "### {}\n\n", escaped(names[s]));
        const auto together = [](const std::vector<std::string>& parts) {
            std::string all;
            for (const std::string& part : parts) {
                if (!part.empty() && part != "–")
                    all += (all.empty() ? "" : ", ") + part;
            }
            return all;
        };
        const bool imported = report::isImported(session); // a date may be that of the file, see its notes
        line("Measured", imported ? fmt::format("by {}, imported as session {}", header.software, session.info.id)
                                  : fmt::format("{} UTC by {}, session {}", report::timeUtc(session.info.startedMs),
                                                header.software, session.info.id));
        const std::string reached = imported ? std::string() : joined(targets); // the target is seldom told
        line("Server", together({joined(products), reached, joined(transports), joined(ciphers)}));
        const std::string size = joined(data);
        line("Workload", together({report::workloadText(session),
                                   report::commonParameters(session).differ ? "parameters that differ: see below" : "",
                                   size == "–" ? size : size + " on disk"}));
        if (!imported)
            line("Load", report::loadText(session));
        if (header.host.cores > 0)
            line("Load generator",
                 fmt::format("{}, {}, {}, {}, {}", header.host.cpu, report::counted(header.host.cores, "core", "cores"),
                             report::bytes(static_cast<double>(header.host.memoryBytes)), header.host.os,
                             header.host.kernel));
        for (const DeviceFigures& disk : disksOf(session))
            line("Disk", diskText(disk));
        text += "\n";
    }
    return text;
}

namespace {

//! "fsync; (empty)"
std::string valuesOf(const Difference& difference)
{
    std::string text;
    for (const std::string& value : difference.values)
        text += (text.empty() ? "" : "; ") + (value.empty() ? std::string("(empty)") : value);
    return text;
}

} // namespace

std::string report::differenceTable(const std::vector<StoredSession>& sessions)
{
    std::string text = "## What differs\n\n";
    const std::vector<Difference> list = differences(sessions);
    if (!list.empty()) {
        text += row({"setting", "values"}) + "|:---|:---|\n";
        for (const Difference& difference : list)
            text += row({escaped(difference.name), escaped(valuesOf(difference))});
        text += "\n";
    }
    if (const std::size_t equal = equalVariables(sessions); equal > 0) {
        fmt::format_to(std::back_inserter(text), "{} of the server {} in all runs.\n\n",
                       report::counted(static_cast<long long>(equal), "other variable", "other variables"),
                       equal == 1 ? "is equal" : "are equal");
    }
    if (oneSidedVariables(sessions) > 0)
        text += "Settings that not all of these servers have are not compared.\n\n";
    for (const Difference& change : changedDuringRuns(sessions)) {
        fmt::format_to(std::back_inserter(text), "- {} changed during a run: {} → {}\n", escaped(change.name),
                       escaped(change.values.front()), escaped(change.values.back()));
    }
    return text;
}

namespace {

//! A list of notes.
struct NoteList
{
    std::string text;
    void add(const std::string& note) { text += "- " + note + "\n"; }
};

//! How the table's figures were worked out, and what of the runs makes them hard to compare.
void noteMethod(NoteList& notes, const std::vector<StoredSession>& sessions, const Pivot& pivot)
{
    const auto isSingle = [](const PivotCell& cell) { return cell.estimate.runs.size() == 1; };
    if (std::any_of(pivot.cells.begin(), pivot.cells.end(), isSingle))
        notes.add("Some figures come from one run: they have no interval, and how much they vary is unknown.");
    if (std::ranges::any_of(pivot.cells, [](const PivotCell& cell) { return cell.estimate.merged; }))
        notes.add(
            "Latencies are of all transactions of a point's runs together; their intervals (Student's t) come from how "
            "much the runs differ.");
    if (pivot.request.centre == Centre::Median) {
        notes.add("Figures are medians of the runs, without intervals; differences between them are not tested.");
    } else {
        const std::string shown =
            pivot.comparisons > 1
                ? fmt::format("Ratios have wider ones, which hold for all {} comparisons together. A difference is "
                              "shown by Holm's method: of tables without any difference at most 5 % show one.",
                              pivot.comparisons)
                : std::string("A difference is shown when the ratio's interval does not hold 1; from a baseline of 0, "
                              "when Welch's t test shows it.");
        notes.add(fmt::format("Brackets hold 95 % intervals, from runs (Student's t; ratios {}). {}",
                              pivot.paired
                                  ? "of runs paired by repeat, since they were interleaved: t of the logarithms"
                                  : "by Welch's t on logarithms, with runs of 0 by Fieller's theorem",
                              shown));
    }
    for (const DurabilityGap& gap : durabilityGaps(sessions)) {
        notes.add(
            gap.decides
                ? fmt::format("⚠ The servers are not equally durable, and the runs change data: {}.", escaped(gap.text))
                : fmt::format("Durability settings differ, but no write in these runs waits for them: {}.",
                              escaped(gap.text)));
    }
    if (const std::string time = timeText(sessions, pivot.request.measure); !time.empty())
        notes.add(escaped(time));
    if (pivot.request.relativeTo == RelativeTo::Best && pivot.request.centre == Centre::Mean)
        notes.add("The best was chosen after the runs, from their figures: its lead is a little flattered by that.");
    if (const std::string hint = pivot.hint(); !hint.empty())
        notes.add(escaped(hint));
    if (!std::ranges::all_of(sessions, report::isImported))
        notes.add(std::ranges::any_of(sessions, report::isImported) ? "Warm-up is excluded from Dynobench's own runs."
                                                                    : "Warm-up is excluded.");
}

//! What must be known of one run. `name`: what it is called; `retried`: it was run again later.
void noteRun(NoteList& notes, const StoredSession& session, const StoredRun& run, const std::string& name, bool retried)
{
    if (run.summary.status != RunStatus::Done) {
        notes.add(fmt::format("{} is excluded: {}{}{}{}.", name, toText(run.summary.status),
                              run.summary.place.empty() ? "" : " " + escaped(run.summary.place),
                              run.summary.reason.empty() ? "" : ": " + escaped(run.summary.reason),
                              retried ? "; it was run again later" : ""));
    } else if (run.summary.clientLimited) {
        notes.add(fmt::format("⚠ {}: the load generator was the limit ({}).", name, escaped(run.summary.clientReason)));
    }
    if (run.summary.dropped > 0) {
        notes.add(
            run.summary.arrivals > 0
                ? fmt::format("{}: {} of {} dropped, because too many were waiting already.", name, run.summary.dropped,
                              report::counted(static_cast<long long>(run.summary.arrivals), "arrival", "arrivals"))
                : fmt::format("{}: {} dropped.", name,
                              report::counted(static_cast<long long>(run.summary.dropped), "arrival", "arrivals")));
    }
    if (const auto shortfall = shortfallOf(session, run)) {
        notes.add(fmt::format("{}: {}; how long all of them take is not known.", name, toText(*shortfall)));
    }
    if (const std::string missed = missedExpectation(session, run); !missed.empty())
        notes.add(fmt::format("⚠ {}: {}.", name, escaped(missed)));
    if (const std::uint64_t unserved = unservedArrivals(session, run); unserved > 0) {
        notes.add(fmt::format("{}: {} of {} {} not served by the end; their times are in no percentile.", name,
                              report::count(unserved), report::count(run.summary.arrivals),
                              run.summary.arrivals == 1 ? "arrival" : "arrivals"));
    }
    if (!run.knowsWarmupEnd())
        notes.add(fmt::format("{}: where its warm-up ended is not known.", name));
    else if (run.warmupMoved() && !run.recordedWarmupEndNs)
        notes.add(fmt::format("{}: the end of the warm-up was moved to {:.1f} s after the run.", name,
                              static_cast<double>(run.warmupEndNs) * 1e-9));
    if (run.recordedWarmupEndNs) {
        notes.add(fmt::format("{}: the end of the warm-up was moved from {:.1f} s to {:.1f} s after the run.", name,
                              static_cast<double>(*run.recordedWarmupEndNs) * 1e-9,
                              static_cast<double>(run.warmupEndNs) * 1e-9));
    }
}

//! `name`: what tells the session from others; "" for the only one.
void noteSession(NoteList& notes, const StoredSession& session, const std::string& name)
{
    const std::string of = name.empty() ? std::string() : " of " + name;
    if (session.info.status != RunStatus::Done) {
        notes.add(fmt::format("The session{} ended as {}{}.", of, toText(session.info.status),
                              session.info.reason.empty() ? "" : ": " + escaped(session.info.reason)));
    }
    if (const std::string misnamed = misnamedProduct(session); !misnamed.empty())
        notes.add(fmt::format("⚠ {}.", escaped(misnamed)));
    for (const std::string& damage : session.damage)
        notes.add(fmt::format("⚠ Damaged in the file{}, and excluded: {}.", of, escaped(damage)));
    const std::set<std::int64_t> triedAgain = report::runsTriedAgain(session);
    for (const StoredRun& run : session.runs) {
        const auto index = static_cast<std::size_t>(run.summary.point);
        const std::string label =
            index < session.header.points.size() ? session.header.points[index].label() : std::string();
        const std::string called =
            fmt::format("Run {}{} ({}, repeat {})", run.header.index + 1, of, escaped(label), run.summary.repeat);
        noteRun(notes, session, run, called, triedAgain.contains(run.header.index));
    }
    if (const RunCounts counts = countRuns(session); counts.missing() > 0) {
        notes.add(fmt::format("{} of {}{} complete: {}.", counts.done,
                              report::counted(counts.planned, "planned run", "planned runs"), of, missingText(counts)));
    }
    if (const std::string sittings = sittingsText(session); !sittings.empty())
        notes.add((name.empty() ? std::string() : name + ": ") + escaped(sittings));
}

} // namespace

//! Everything a reader has to know before believing the table.
std::string report::honestNotes(const std::vector<StoredSession>& sessions, const Pivot& pivot)
{
    NoteList notes{"## Notes\n\n"};
    noteMethod(notes, sessions, pivot);
    const std::vector<std::string> names = report::sessionLabels(sessions);
    for (std::size_t s = 0; s < sessions.size(); ++s)
        noteSession(notes, sessions[s], sessions.size() > 1 ? escaped(names[s]) : std::string());
    return notes.text;
}

std::string markdownReport(const std::vector<StoredSession>& sessions, const PivotRequest& request)
{
    if (sessions.empty())
        return "No session.\n";
    const Pivot table = pivot(sessions, request);
    std::vector<std::string> titles;
    for (const StoredSession& session : sessions)
        titles.push_back(session.info.title);
    std::string text = fmt::format("# {}\n\n**{}**\n\n{}\n", escaped(joined(titles)), escaped(verdictSentence(table)),
                                   markdownTable(table));
    // Never the beginning of a line, where some signs would make a heading or a list of it.
    const std::vector<std::string> names = report::sessionLabels(sessions);
    for (std::size_t s = 0; s < sessions.size(); ++s) {
        if (!sessions[s].info.notes.empty())
            text += fmt::format("Notes{}: {}\n\n", sessions.size() > 1 ? " on " + escaped(names[s]) : std::string(),
                                escaped(sessions[s].info.notes));
    }
    for (const StoredSession& session : sessions)
        text += publishedTables(session);
    return text + report::setUp(sessions) + report::differenceTable(sessions) + report::honestNotes(sessions, table);
}

} // namespace dyno
