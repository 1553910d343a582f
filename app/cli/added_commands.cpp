// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno add-series ID: what a Prometheus server stored while a run was measured, beside the run's own counters.
#include "cli/console.h"
#include "cli/session_source.h"
#include "core/text_table.h"

#include <dyno/added_series.h>
#include <dyno/value.h>

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace dyno::cli {

namespace {

constexpr int kMostRuns = 1'000'000'000;

struct AddedOptions
{
    std::string id, library, step;
    SeriesRequest request;
    std::vector<std::string> queries, names;
    bool rate = false, remove = false;
    int run = 0; //!< 1-based, 0 = all
};

//! The engine says what to do; here stands how.
Error withFlags(Error error)
{
    constexpr std::pair<std::string_view, std::string_view> kFlags[] = {
        {kLongerStep, " (--step)"},
        {kNameOfItsOwn, " (--name)"},
        {kBearerToken, " in DYNO_PROMETHEUS_TOKEN"},
    };
    for (const auto& [words, flag] : kFlags) {
        if (const auto at = error.remedy.find(words); at != std::string::npos)
            error.remedy.insert(at + words.size(), flag);
    }
    return error;
}

int removeAdded(FoundSession& found, int run)
{
    if (run != 0 &&
        std::ranges::none_of(found.session.runs, [run](const StoredRun& one) { return one.header.index + 1 == run; }))
        return badInput(fmt::format("there is no run {}", run),
                        fmt::format("the session has runs 1 to {}", found.session.runs.size()));
    const auto changes = changesToRemove(*found.library, found.session, run, 0);
    if (!changes)
        return report(changes.error());
    std::size_t removed = 0;
    for (const SeriesChange& one : changes->runs) {
        for (const SeriesAddition& addition : one.from)
            removed += addition.series.size();
    }
    if (const auto done = found.library->changeSeries(changes->runs); !done)
        return report(done.error());
    say(removed == 1 ? "1 series removed" : fmt::format("{} series removed", removed));
    return kDone;
}

int addTo(FoundSession& found, const SeriesRequest& request, int run)
{
    watchInterrupts();
    const auto all = readBack(*found.library, found.session, request, run, [](double) { return !interrupted(); });
    if (!all)
        return report(withFlags(all.error()));
    for (const std::string& skipped : all->skipped)
        say(skipped);
    const auto changes = changesToAdd(*found.library, found.session, *all, 0);
    if (!changes)
        return report(changes.error());
    if (const auto done = found.library->changeSeries(changes->runs); !done)
        return report(withFlags(done.error()));
    TextTable table({">run", "series", ">intervals", "query"});
    for (const SessionAdditions::Run& one : all->runs) {
        for (const SeriesAddition& addition : one.additions) {
            if (addition.series.empty())
                say(fmt::format("run {}: the query gives no series: {}", one.number, addition.origin.query));
            for (const AddedSeries& added : addition.series)
                table.add({fmt::format("{}", one.number), added.counter.name, fmt::format("{}", added.knownIntervals()),
                           addition.origin.query});
        }
    }
    print(table.text());
    return kDone;
}

int addSeriesTo(const AddedOptions& options)
{
    if (options.remove != options.queries.empty() || options.remove != options.request.url.empty())
        return badInput("say either --prometheus URL with --query, or --remove",
                        "`dyno add-series last --prometheus http://127.0.0.1:9090 --query node_load1`");
    if (options.remove && (!options.names.empty() || options.rate || !options.step.empty()))
        return badInput("--remove removes all added series", "give it with --run alone, or without");
    SeriesRequest request = options.request;
    if (!options.names.empty() && options.names.size() != options.queries.size())
        return badInput("each --query has a --name, or none has", "give them in the same order");
    for (std::size_t i = 0; i < options.queries.size(); ++i)
        request.queries.push_back(
            {options.queries[i], i < options.names.size() ? options.names[i] : std::string(), options.rate});
    if (!options.step.empty()) {
        const auto step = parseSeconds(options.step);
        if (!step || !(*step > 0))
            return badInput(fmt::format("\"{}\" is not a time", options.step), "1s, 0.5, 500ms or 1min");
        request.stepSeconds = *step;
    }
    if (const char* token = std::getenv(std::string(kPrometheusTokenVariable).c_str()); token && !options.remove)
        request.token = token;
    if (const auto fine = options.remove ? Expected<void>() : checkRequest(request); !fine)
        return report(withFlags(fine.error()));
    auto found = findSession(options.id, options.library, Library::Mode::ReadWrite);
    if (!found)
        return report(found.error());
    return options.remove ? removeAdded(*found, options.run) : addTo(*found, request, options.run);
}

} // namespace

void addAddedCommands(CLI::App& app, ExitCode code)
{
    const auto options = std::make_shared<AddedOptions>();
    CLI::App* command =
        app.add_subcommand("add-series", "Series of a Prometheus server beside the counters of a stored run");
    command->add_option("ID", options->id, "an id, its first letters, \"last\", or a .dyno file")->required();
    command->add_option("--library", options->library, "the library (the user's own)");
    command->add_option("--run", options->run, "the number of one run (all runs)")->check(CLI::Range(1, kMostRuns));
    command->add_option("--prometheus", options->request.url,
                        "address of the server: http://HOST:9090; a bearer token comes from DYNO_PROMETHEUS_TOKEN");
    command
        ->add_option("--query", options->queries,
                     "what is read back, in PromQL, over the time of the run; several times for several")
        ->allow_extra_args(false);
    command
        ->add_option("--name", options->names,
                     "a name for its series (metric and labels, or the query); one for each --query")
        ->allow_extra_args(false);
    command->add_flag("--rate", options->rate, "the values are rates per second, as rate(…) gives them");
    command->add_option("--step", options->step, "time from one value to the next: 1s, 500ms (the run's interval)");
    command->add_flag("--remove", options->remove, "remove all added series");
    command->callback([&code, options] { code = addSeriesTo(*options); });
}

} // namespace dyno::cli
