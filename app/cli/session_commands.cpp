// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno sessions | show ID | warmup ID | compare A B
#include "cli/console.h"
#include "cli/listing_json.h"
#include "cli/session_source.h"
#include "core/observing_text.h"
#include "core/session_text.h"
#include "core/snapshots_text.h"
#include "core/statements_text.h"
#include "core/text_table.h"

#include <dyno/added_series.h>
#include <dyno/analysis.h>
#include <dyno/catalog.h>
#include <dyno/report.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace dyno::cli {

namespace {

constexpr int kMostListed = 1'000'000'000; // of runs and sessions that a number names

//! `words`: the parts of a search line, none for all. `limit`: the most that are listed, 0 for all.
int listSessions(const std::string& libraryFile, const std::vector<std::string>& words, std::size_t limit, bool json)
{
    const auto library = openLibrary(libraryFile);
    if (!library)
        return report(library.error());
    std::vector<SessionInfo> sessions;
    if (*library) {
        // A word that the shell was given in quotes is one part.
        std::string query;
        for (std::string word : words) {
            if (word.find(' ') != std::string::npos) {
                const std::size_t field = word.find_first_of(":= ");
                word.insert(word[field] == ' ' ? 0 : field + 1, 1, '"');
                word += '"';
            }
            query += (query.empty() ? "" : " ") + word;
        }
        auto listed = query.empty() ? (*library)->sessions() : (*library)->search(query);
        if (!listed)
            return report(listed.error());
        sessions = std::move(*listed);
    }
    const std::size_t all = sessions.size();
    if (limit > 0 && all > limit)
        sessions.resize(limit);
    if (json) {
        printDocument(sessionsJson(sessions));
        return kDone;
    }
    if (sessions.empty() && !words.empty()) {
        say("no session fits");
        return kDone;
    }
    if (sessions.empty()) {
        say("no sessions yet: `dyno run durability-sqlite` makes the first");
        return kDone;
    }
    TextTable table({"id", "started", "status", ">runs", "workload", "target", "title"});
    for (const SessionInfo& session : sessions)
        table.add({session.id.substr(0, 8), dateText(session.startedMs), toText(session.status),
                   fmt::format("{}/{}", session.runsDone, session.runsPlanned), session.workload,
                   shortened(session.target, 40), shortened(session.title, 50)});
    print(table.text());
    if (sessions.size() < all)
        say(fmt::format("{} of {}", sessions.size(), countedText(all, "session", "sessions")));
    return kDone;
}

//! `run`: 1-based, 0 for the whole session.
int show(const std::string& id, const std::string& libraryFile, bool json, int run,
         const std::vector<std::string>& counters)
{
    const auto found = findSession(id, libraryFile);
    if (!found)
        return report(found.error());
    if (run > 0) {
        for (const StoredRun& one : found->session.runs) {
            if (one.header.index + 1 != run)
                continue;
            const auto intervals = found->library->intervals(one.id);
            if (!intervals)
                return report(intervals.error());
            print(runText(found->session, one, *intervals, counters));
            const auto cost = observingCost(*found->library, found->session.info.id, one.header.index);
            if (!cost)
                return report(cost.error());
            if (one.summary.origin.empty())
                print(observingText(*cost));
            const auto added = found->library->addedSeries(one.id);
            if (!added)
                return report(added.error());
            for (const SeriesOrigin& origin : *added)
                print(toText(origin) + "\n");
            return kDone;
        }
        return badInput(fmt::format("there is no run {}", run),
                        fmt::format("the session has runs 1 to {}", found->session.runs.size()));
    }
    if (json)
        printDocument(sessionJson(found->session, stallsIn(*found->library), *found->library) + "\n");
    else
        print(sessionText(found->session));
    return kDone;
}

//! Of run `run`, 1-based; 0: of the first one.
int showStatements(const std::string& id, const std::string& libraryFile, int run)
{
    const auto found = findSession(id, libraryFile);
    if (!found)
        return report(found.error());
    for (const StoredRun& one : found->session.runs) {
        if (run > 0 && one.header.index + 1 != run)
            continue;
        const auto statements = runStatements(*found->library, found->session.info.id, one.header.index);
        if (!statements)
            return report(statements.error());
        print(statementsText(one, *statements));
        return kDone;
    }
    return badInput(run > 0 ? fmt::format("there is no run {}", run) : std::string("the session has no run"),
                    fmt::format("the session has {}", countedText(found->session.runs.size(), "run", "runs")));
}

//! Of run `run`, 1-based; 0: of all.
int showSnapshots(const std::string& id, const std::string& libraryFile, int run)
{
    const auto found = findSession(id, libraryFile);
    if (!found)
        return report(found.error());
    bool any = false;
    for (const StoredRun& one : found->session.runs) {
        if (run > 0 && one.header.index + 1 != run)
            continue;
        const auto snapshots = runSnapshots(*found->library, found->session.info.id, one.header.index);
        if (!snapshots)
            return report(snapshots.error());
        print(snapshotsText(one, *snapshots));
        any = true;
    }
    return any ? int(kDone)
               : badInput(run > 0 ? fmt::format("there is no run {}", run) : std::string("the session has no run"),
                          fmt::format("the session has {}", countedText(found->session.runs.size(), "run", "runs")));
}

//! "12s", "12.5", "1500ms", "2min" as nanoseconds; nothing for anything else.
std::optional<std::int64_t> nanosecondsOf(std::string_view text)
{
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || !(value >= 0) || value > 1e9)
        return {};
    const std::string_view unit(end, std::size_t(text.data() + text.size() - end));
    const double scale = unit.empty() || unit == "s" ? 1e9 : unit == "ms" ? 1e6 : unit == "min" ? 60e9 : 0;
    return scale > 0 ? std::optional(std::llround(value * scale)) : std::nullopt;
}

struct WarmupOptions
{
    int run = 0; //!< 1-based, 0 = all
    std::string to;
    bool reset = false;
};

//! Moves the end of the warm-up of one run or of all, or takes that back. Says what the figures were and are.
int warmup(const std::string& id, const std::string& libraryFile, const WarmupOptions& options)
{
    const auto end = nanosecondsOf(options.to);
    if (options.reset == !options.to.empty())
        return badInput("say either --to TIME or --reset", "`dyno warmup last --to 12s`");
    if (!options.reset && !end)
        return badInput(fmt::format("\"{}\" is not a time", options.to), "12, 12s, 1500ms or 2min");
    const auto found = findSession(id, libraryFile, Library::Mode::ReadWrite);
    if (!found)
        return report(found.error());
    TextTable table({">run", "point", ">warm-up s", ">measured s", ">tps before", ">tps now"});
    for (const StoredRun& run : found->session.runs) {
        if (options.run != 0 && run.header.index + 1 != options.run)
            continue;
        const auto moved =
            options.reset ? found->library->restoreWarmupEnd(run.id) : found->library->moveWarmupEnd(run.id, *end);
        if (!moved)
            return report(moved.error());
        const auto point = std::size_t(run.header.point);
        const auto& points = found->session.header.points;
        table.add({fmt::format("{}", run.header.index + 1), point < points.size() ? points[point].label() : "",
                   fmt::format("{:.1f}", double(moved->warmupEndNs) * 1e-9),
                   fmt::format("{:.1f}", moved->summary.seconds), figure(run.summary.tps), figure(moved->summary.tps)});
    }
    if (table.empty())
        return badInput(fmt::format("there is no run {}", options.run),
                        fmt::format("the session has runs 1 to {}", found->session.runs.size()));
    print(table.text());
    return kDone;
}

int refuseMeasure(const std::string& measure)
{
    std::vector<std::string> known;
    for (const MeasureInfo& one : measures())
        known.push_back(one.id);
    const std::string likely = likelyName(splitMeasure(measure).first, known);
    return badInput(
        fmt::format("there is no measure \"{}\"", measure),
        (likely.empty() || likely == measure ? std::string() : fmt::format("did you mean \"{}\"? ", likely)) +
            "`dyno measures` lists them");
}

//! Sessions side by side, and what their intervals say where the measure is of them.
struct Compared
{
    std::vector<StoredSession> sessions;
    IntervalFigures figures;
};

//! Each once, however often it is named.
Expected<Compared> readCompared(const std::vector<std::string>& names, const std::string& measure,
                                const std::string& libraryFile)
{
    Compared all{{}, {measure, {}}};
    std::vector<StoredSession>& sessions = all.sessions;
    std::vector<std::string> kept; // as they were named
    for (const std::string& name : names) {
        auto found = findSession(name, libraryFile);
        if (!found)
            return fail(found.error());
        const auto same = std::ranges::find_if(
            sessions, [&found](const StoredSession& other) { return holdSameRuns(other, found->session); });
        if (same != sessions.end()) {
            const std::string& first = kept[std::size_t(same - sessions.begin())];
            say(name == first ? fmt::format("\"{}\" is given twice: it counts once", name)
                              : fmt::format("\"{}\" holds the same runs as \"{}\": they count once", name, first));
            continue;
        }
        kept.push_back(name);
        for (const std::string& damage : found->session.damage)
            say(fmt::format("{}: {}: excluded; restore the file from a backup", name, damage));
        if (findMeasure(measure)->fromIntervals) {
            auto values = intervalFigures(*found->library, found->session, measure);
            if (!values)
                return fail(values.error());
            all.figures.values.push_back(std::move(*values));
        }
        sessions.push_back(std::move(found->session));
    }
    return all;
}

//! The one that ratios refer to comes first.
Expected<void> putFirst(const std::string& baseline, const std::string& libraryFile, Compared& all)
{
    const auto chosen = findSession(baseline, libraryFile);
    if (!chosen)
        return fail(chosen.error());
    const auto place = std::ranges::find_if(
        all.sessions, [&](const StoredSession& session) { return holdSameRuns(session, chosen->session); });
    if (place == all.sessions.end())
        return fail({ErrorKind::BadInput,
                     fmt::format("the baseline \"{}\" is none of the sessions compared", baseline),
                     {},
                     "name one of them"});
    const auto index = place - all.sessions.begin();
    std::rotate(all.sessions.begin(), place, place + 1);
    auto& values = all.figures.values;
    if (!values.empty())
        std::rotate(values.begin(), values.begin() + index, values.begin() + index + 1);
    return {};
}

void printComparison(const std::vector<StoredSession>& sessions, const Pivot& result, const std::string& measure)
{
    printDocument(markdownTable(result));
    if (const std::string sentence = verdictSentence(result); !sentence.empty())
        print("\n" + sentence + "\n");
    if (const std::string time = timeText(sessions, measure); !time.empty())
        print("\n" + time + "\n");
    for (const DurabilityGap& gap : durabilityGaps(sessions))
        print(fmt::format(
            "\n{}{}\n",
            gap.decides ? "not equally durable, and the runs change data: " : "durability differs: ", gap.text));
    const auto differing = differences(sessions);
    if (!differing.empty()) {
        TextTable table({"differs", "values"});
        for (const Difference& difference : differing)
            table.add({difference.name, fmt::format("{}", fmt::join(difference.values, " | "))});
        print("\n" + table.text());
    }
    if (const std::size_t equal = equalVariables(sessions); equal > 0)
        print(fmt::format("\nall {} other server variables are equal\n", equal));
    if (oneSidedVariables(sessions) > 0)
        print("settings that not all of these servers have are not compared\n");
}

//! With two sessions each is a series.
int compare(const std::vector<std::string>& names, const std::string& baseline, PivotRequest request,
            const std::string& libraryFile, bool json)
{
    if (names.size() < 2)
        return badInput("a comparison needs two sessions", "`dyno sessions` lists them");
    if (!findMeasure(request.measure))
        return refuseMeasure(request.measure);
    auto all = readCompared(names, request.measure, libraryFile);
    if (!all)
        return report(all.error());
    const std::vector<StoredSession>& sessions = all->sessions;
    if (sessions.size() < 2)
        return badInput("a comparison needs two sessions, and these are one and the same",
                        "`dyno sessions` lists them");
    if (const auto first = baseline.empty() ? Expected<void>() : putFirst(baseline, libraryFile, *all); !first)
        return report(first.error());
    request.series = "session";
    // What else varied becomes a facet, so that only like is compared with like.
    for (const std::string& axis : axesOf(sessions)) {
        if (axis != "session" && axis != "users") {
            request.facet = axis;
            break;
        }
    }
    const Pivot result = pivot(sessions, request, &all->figures);
    if (json) {
        printDocument(comparisonJson(sessions, result));
        return kDone;
    }
    printComparison(sessions, result, request.measure);
    return kDone;
}

struct SessionOptions
{
    std::string library, id, baseline, measure = "tps";
    WarmupOptions warmup;
    std::string relativeTo;
    bool median = false;
    std::vector<std::string> ids, counters;
    bool json = false, statements = false, snapshots = false;
    int run = 0;
    std::size_t limit = 0;
};
using SessionOptionsPtr = std::shared_ptr<SessionOptions>;

CLI::App* addCommand(CLI::App& app, const SessionOptionsPtr& options, const char* name, const char* what)
{
    CLI::App* command = app.add_subcommand(name, what);
    command->add_option("--library", options->library, "the library (the user's own)");
    return command;
}

void addSessions(CLI::App& app, const SessionOptionsPtr& options, ExitCode code)
{
    CLI::App* list = addCommand(app, options, "sessions", "The sessions in the library, newest first");
    list->add_option("QUERY", options->ids,
                     "words of title, tags, notes, workload, target; tag:T version:V workload:W status:S date:2026-11"
                     " after:D before:D NAME=VALUE is:archived; !PART excludes");
    list->add_option("--limit", options->limit, "maximum number of sessions, newest first (all)")
        ->check(CLI::Range(1, kMostListed));
    list->add_flag("--json", options->json, "print one JSON document");
    list->callback(
        [&code, options] { code = listSessions(options->library, options->ids, options->limit, options->json); });
}

void addShow(CLI::App& app, const SessionOptionsPtr& options, ExitCode code)
{
    CLI::App* showCommand = addCommand(app, options, "show", "One session: what was run and what came out");
    showCommand->add_option("ID", options->id, "an id, its first letters, \"last\", or a .dyno file")->required();
    showCommand->add_flag("--json", options->json, "print the document of `run --json`");
    showCommand
        ->add_option("--run", options->run,
                     "one run: knobs in force, the server's counters, sizes, option file, the server's log")
        ->check(CLI::Range(1, kMostListed));
    showCommand
        ->add_flag("--statements", options->statements,
                   "one run (--run, else the first): time by operation, plans, tables, the server's own counts")
        ->excludes("--json");
    showCommand
        ->add_flag("--snapshots", options->snapshots,
                   "one run (--run, else all): what the server did when snapshots were taken")
        ->excludes("--json")
        ->excludes("--statements");
    showCommand
        ->add_option("--counters", options->counters,
                     "of that run also these counters, which were kept and not chosen; * stands for any text")
        ->needs("--run")
        ->excludes("--statements")
        ->excludes("--snapshots");
    showCommand->callback([&code, options] {
        code = options->statements ? showStatements(options->id, options->library, options->run)
               : options->snapshots
                   ? showSnapshots(options->id, options->library, options->run)
                   : show(options->id, options->library, options->json, options->run, options->counters);
    });
}

void addWarmup(CLI::App& app, const SessionOptionsPtr& options, ExitCode code)
{
    CLI::App* warmupCommand = addCommand(
        app, options, "warmup", "Moves where the measured time of a stored session begins, without running again");
    warmupCommand->add_option("ID", options->id, "an id, its first letters, \"last\", or a .dyno file")->required();
    warmupCommand->add_option("--run", options->warmup.run, "the number of one run (all runs)")
        ->check(CLI::Range(1, kMostListed));
    warmupCommand->add_option(
        "--to", options->warmup.to,
        "where the warm-up ends, from the start of the run: 12, 12s, 1500ms; the nearest interval");
    warmupCommand->add_flag("--reset", options->warmup.reset, "as it was recorded");
    warmupCommand->callback([&code, options] { code = warmup(options->id, options->library, options->warmup); });
}

void addCompare(CLI::App& app, const SessionOptionsPtr& options, ExitCode code)
{
    CLI::App* compareCommand = addCommand(app, options, "compare", "Two or more sessions side by side, with ratios");
    compareCommand->add_option("ID", options->ids, "ids, \"last\", or .dyno files")->required();
    compareCommand->add_option("--baseline", options->baseline, "the session that ratios refer to (the first)");
    compareCommand->add_option("--measure", options->measure, "what is compared: tps, qps, service_p95, … (tps)");
    compareCommand->add_option("--relative-to", options->relativeTo, "figures in % of the baseline, or of the best")
        ->check(CLI::IsMember({toText(RelativeTo::Baseline), toText(RelativeTo::Best)}));
    compareCommand->add_flag("--median", options->median, "the middle one of a point's runs, not their mean");
    compareCommand->add_flag("--json", options->json,
                             "print one document: cells with runs, value and 95 % interval; ratio with its interval"
                             " alone (low, high) and for all comparisons together (joint_low, joint_high), p and"
                             " adjusted_p (Holm); verdict; comparisons: their number; null for what is not known");
    compareCommand->callback([&code, options] {
        PivotRequest request;
        request.measure = options->measure;
        request.centre = options->median ? Centre::Median : Centre::Mean;
        for (const RelativeTo one : {RelativeTo::Baseline, RelativeTo::Best}) {
            if (options->relativeTo == toText(one))
                request.relativeTo = one;
        }
        code = compare(options->ids, options->baseline, std::move(request), options->library, options->json);
    });
}

} // namespace

void addSessionCommands(CLI::App& app, ExitCode code)
{
    const auto options = std::make_shared<SessionOptions>();
    addSessions(app, options, code);
    addShow(app, options, code);
    addWarmup(app, options, code);
    addCompare(app, options, code);
}

} // namespace dyno::cli
