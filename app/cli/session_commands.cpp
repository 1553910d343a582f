// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno sessions | show ID | compare A B
#include "cli/console.h"
#include "cli/session_source.h"
#include "core/session_text.h"
#include "core/text_table.h"

#include <dyno/report.h>

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace dyno::cli {

namespace {

int listSessions(const std::string& libraryFile)
{
    const auto library = openLibrary(libraryFile);
    if (!library)
        return report(library.error());
    std::vector<SessionInfo> sessions;
    if (*library) {
        auto listed = (*library)->sessions();
        if (!listed)
            return report(listed.error());
        sessions = std::move(*listed);
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
    return kDone;
}

int show(const std::string& id, const std::string& libraryFile, bool json)
{
    const auto found = findSession(id, libraryFile);
    if (!found)
        return report(found.error());
    print(json ? sessionJson(found->session) + "\n" : sessionText(found->session));
    return kDone;
}

//! With two sessions each is a series; the one that ratios refer to comes first.
int compare(std::vector<std::string> names, const std::string& baseline, const std::string& measure,
            const std::string& libraryFile)
{
    if (names.size() < 2)
        return badInput("a comparison needs two sessions", "`dyno sessions` lists them");
    if (!findMeasure(measure)) {
        std::string known;
        for (const MeasureInfo& one : measures())
            known += (known.empty() ? "" : ", ") + one.id;
        return badInput(fmt::format("there is no measure \"{}\"", measure), "one of: " + known);
    }
    std::vector<StoredSession> sessions;
    for (const std::string& name : names) {
        auto found = findSession(name, libraryFile);
        if (!found)
            return report(found.error());
        sessions.push_back(std::move(found->session));
    }
    if (!baseline.empty()) {
        const auto chosen = findSession(baseline, libraryFile);
        if (!chosen)
            return report(chosen.error());
        const auto place = std::find_if(sessions.begin(), sessions.end(), [&](const StoredSession& session) {
            return session.info.id == chosen->session.info.id;
        });
        if (place == sessions.end())
            return badInput(fmt::format("the baseline \"{}\" is none of the sessions compared", baseline),
                            "name one of them");
        std::rotate(sessions.begin(), place, place + 1);
    }
    PivotRequest request;
    request.measure = measure;
    request.series = "session";
    // What else varied becomes a facet, so that only like is compared with like.
    for (const std::string& axis : axesOf(sessions)) {
        if (axis != "session" && axis != "users") {
            request.facet = axis;
            break;
        }
    }
    const Pivot result = pivot(sessions, request);
    print(markdownTable(result));
    if (const std::string sentence = verdictSentence(result); !sentence.empty())
        print("\n" + sentence + "\n");
    const auto differing = differences(sessions);
    if (!differing.empty()) {
        TextTable table({"differs", "values"});
        for (const Difference& difference : differing)
            table.add({difference.name, fmt::format("{}", fmt::join(difference.values, " | "))});
        print("\n" + table.text());
    }
    return kDone;
}

} // namespace

void addSessionCommands(CLI::App& app, ExitCode code)
{
    struct Options
    {
        std::string library, id, baseline, measure = "tps";
        std::vector<std::string> ids;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    const auto addLibrary = [&](CLI::App* command) {
        command->add_option("--library", options->library, "the library (the user's own)");
        return command;
    };

    CLI::App* list = addLibrary(app.add_subcommand("sessions", "The sessions in the library, newest first"));
    list->callback([&code, options] { code = listSessions(options->library); });

    CLI::App* showCommand = addLibrary(app.add_subcommand("show", "One session: what was run and what came out"));
    showCommand->add_option("ID", options->id, "an id, its first letters, \"last\", or a .dyno file")->required();
    showCommand->add_flag("--json", options->json, "print the document of `run --json`");
    showCommand->callback([&code, options] { code = show(options->id, options->library, options->json); });

    CLI::App* compareCommand =
        addLibrary(app.add_subcommand("compare", "Two or more sessions side by side, with ratios"));
    compareCommand->add_option("ID", options->ids, "ids, \"last\", or .dyno files")->required();
    compareCommand->add_option("--baseline", options->baseline, "the session that ratios refer to (the first)");
    compareCommand->add_option("--measure", options->measure, "what is compared: tps, qps, service_p95, … (tps)");
    compareCommand->callback(
        [&code, options] { code = compare(options->ids, options->baseline, options->measure, options->library); });
}

} // namespace dyno::cli
