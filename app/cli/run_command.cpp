// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno run PLAN.toml|RECIPE-ID … and dyno run --target URI --workload NAME …
#include "cli/console.h"
#include "cli/plan_flags.h"
#include "cli/run_session.h"
#include "cli/session_source.h"
#include "core/plan_source.h"
#include "core/preflight_text.h"
#include "core/server_text.h"
#include "core/text_table.h"

#include <dyno/catalog.h>
#include <dyno/data_check.h>
#include <dyno/kept_data.h>
#include <dyno/live_metrics.h>
#include <dyno/missing_runs.h>
#include <dyno/passwords.h>
#include <dyno/preflight.h>
#include <dyno/rerun.h>
#include <dyno/restore.h>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <memory>

namespace dyno::cli {

namespace {

struct RunOptions
{
    PlanRequest request;
    PlanFlags flags;
    RunOutput output;
    std::vector<std::string> allow; //!< keys
    std::string title;
    std::vector<std::string> tags;
    bool noLibrary = false;
    bool force = false;
    bool missing = false; //!< of the session
    std::string metrics;  //!< where they are served; "" = nowhere
};

constexpr std::string_view kSession = "session:";

//! Of a stored session the runs that are not complete.
std::optional<Plan> planOfMissing(RunOptions& options)
{
    const std::string name = options.request.source.substr(kSession.size());
    if (options.noLibrary || !options.request.size.empty() || !options.request.sets.empty() || !options.title.empty()) {
        badInput("--missing runs the stored plan unchanged", "remove --no-library, --size, --set and --title");
        return {};
    }
    if (name.ends_with(".dyno") || name.find('/') != std::string::npos) {
        badInput("--missing completes a session of the library", "import the file first: `dyno import " + name + "`");
        return {};
    }
    const auto found = findSession(name, options.output.library);
    if (!found) {
        report(found.error());
        return {};
    }
    auto header = continuationOf(found->session, hostFacts(), fmt::format("dynobench {}", softwareVersion()));
    if (!header) {
        report(header.error());
        return {};
    }
    if (!options.output.quiet)
        say(fmt::format("to be run: {} of {} ({})", header->runs.size() - header->firstRun,
                        countedText(std::size_t(countRuns(found->session).planned), "run", "runs"),
                        missingText(countRuns(found->session))));
    options.output.continues = std::make_shared<const SessionHeader>(*header);
    return std::move(header->plan);
}

//! The plan of a stored session, after saying what of it cannot be had again.
std::optional<Plan> planOfSession(RunOptions& options)
{
    const auto found = findSession(options.request.source.substr(kSession.size()), options.output.library);
    if (!found) {
        report(found.error());
        return {};
    }
    auto again = rerunOf(found->session, hostFacts(), fmt::format("dynobench {}", softwareVersion()));
    if (!again) {
        report(again.error());
        return {};
    }
    if (!options.request.size.empty()) {
        badInput("--size belongs to a recipe", "change single fields with --set, such as --set load.repeats=5");
        return {};
    }
    Faults faults;
    applySets(again->plan, options.request.sets, options.output.consent, faults);
    for (const Fault& fault : faults)
        say(faultText("--set", fault));
    if (!faults.empty())
        return {};
    if (!options.output.quiet) {
        for (const std::string& note : again->notReproduced)
            say("not the same: " + note);
    }
    if (const Faults wrong = checkPlan(again->plan); !wrong.empty()) {
        for (const Fault& fault : wrong)
            say(faultText("the stored plan", fault));
        return {};
    }
    return std::move(again->plan);
}

std::optional<Plan> planOf(const CLI::App& command, RunOptions& options)
{
    const std::string flag = firstPlanFlag(command);
    if (options.request.source.empty()) {
        if (flag.empty()) {
            badInput("nothing to run", "give a plan's file, a recipe (`dyno recipes`), or --target and --workload");
            return {};
        }
        if (!options.request.size.empty() || !options.request.sets.empty()) {
            badInput("--size and --set belong to a plan", "without a plan use the flags: `dyno run --help`");
            return {};
        }
        options.flags.library = options.output.library;
        auto plan = planFrom(options.flags);
        if (plan)
            allowTyped(options.flags, *plan, options.output.consent);
        return plan;
    }
    if (!flag.empty()) {
        badInput(fmt::format("{} is for runs without a plan", flag),
                 "with a plan use --set, such as --set load.users=1,4");
        return {};
    }
    if (options.missing && !options.request.source.starts_with(kSession)) {
        badInput("--missing belongs to a stored session", "write `dyno run session:ID --missing`");
        return {};
    }
    if (options.request.source.starts_with(kSession))
        return options.missing ? planOfMissing(options) : planOfSession(options);
    PlanRequest request = options.request;
    request.library = options.output.library;
    LoadedPlan loaded = loadPlan(request);
    for (const Fault& fault : loaded.faults)
        say(faultText(loaded.name, fault));
    options.output.consent = std::move(loaded.consent);
    return std::move(loaded.plan);
}

//! Says what lookBeforeStart() finds. False when a run would fail there, unless `force`, and when it wants there what
//! was not agreed to.
bool readyToRun(const Plan& plan, const std::string& name, RunOutput& output, bool force)
{
    watchSnapshotSignal(); // from here on it ends nothing: the look may start a server
    RunnerOptions runner;
    runner.password = output.password;
    runner.consent = output.consent;
    bool blocked = false;
    std::vector<Risk> risks;
    std::vector<PreflightReport> reports = lookBeforeStart(plan, runner);
    if (changesKeptSettings(plan, runner)) {
        watchInterrupts(); // a server that is started for the look gets its time to end
        runner.stopped = [] { return interrupted(); };
        for (PreflightReport& report : lookAtKeptData(plan, runner)) {
            std::erase_if(report.items, [](const PreflightItem& item) { return item.id == "data"; }); // the run says it
            reports.push_back(std::move(report));
        }
    }
    for (PreflightReport& report : reports) {
        for (std::vector<Risk>* some : {&report.risks, &report.agreed})
            std::ranges::move(*some, std::back_inserter(risks));
        report.risks.clear();
        const std::string text = preflightItemsText(report.items, PreflightLevel::Warning);
        if (!text.empty())
            say(fmt::format("{}\n{}", report.target, text));
        blocked = blocked || report.blocked();
    }
    if (interrupted()) {
        say("dyno: stopped before the start: nothing was run");
        return false;
    }
    if (const auto open = openRisks(plan, risks, output.consent); !open.empty()) {
        say(risksText(name, open));
        return false;
    }
    if (blocked && !force)
        badInput("the run would fail: see the blockers above", "remove their causes, or add --force");
    return !blocked || force;
}

//! Settings that a session changed before it was killed go back before the next one begins. What cannot be put back, or
//! needs somebody's consent, stays on the list and is told; the run goes on.
void putBackLeftChanges(const Plan& plan, const RunOutput& output)
{
    const std::filesystem::path library =
        output.record && !output.library.empty() ? std::filesystem::path(output.library) : defaultLibrary();
    if (const auto left = leftChanges(library); !left || left->empty())
        return;
    UnaskedRestore what;
    for (const PointSpec& point : expand(plan).points) {
        const auto uri = parseUri(point.target.uri);
        if (uri && uri->kind == TargetKind::Remote &&
            std::find(what.targets.begin(), what.targets.end(), point.target.uri) == what.targets.end())
            what.targets.push_back(point.target.uri);
    }
    what.passwordOwner = passwordOwner(plan);
    what.password = output.password;
    what.others = true;
    what.stopped = [] { return interrupted(); };
    what.confirmed = output.confirmed;
    const auto restored = restoreUnasked(library, what);
    if (!restored) {
        if (restored.error().kind != ErrorKind::Refused) // that one is the run's to say, and an unreadable library too
            say(restored.error().text());
        return;
    }
    for (const RestoredKnob& knob : *restored)
        say(restoredText(knob));
}

//! A crash could not be undone without a record of what was changed.
bool changesSettings(const Plan& plan)
{
    const std::vector<PointSpec> points = expand(plan).points;
    return std::any_of(points.begin(), points.end(), [](const PointSpec& point) {
        const auto uri = parseUri(point.target.uri);
        const bool ofServer = !point.server.empty() || point.load.instruments != InstrumentsLevel::None;
        return !point.host.empty() || (uri && uri->kind == TargetKind::Remote && ofServer);
    });
}

//! True when a workload of the plan states conditions on its data.
bool checkable(const Plan& plan)
{
    const std::vector<PointSpec> points = expand(plan).points;
    return std::any_of(points.begin(), points.end(), [](const PointSpec& point) {
        const auto conditions = conditionsOf(point);
        return !conditions || !conditions->empty(); // a workload that cannot be bound is for the run to say
    });
}

//! Served from here on, also while the target is looked at.
Expected<std::unique_ptr<MetricsServer>> serveMetrics(const std::string& where, const LiveMetrics& metrics)
{
    const auto address = metricsAddressFrom(where);
    if (!address)
        return fail(address.error());
    if (!address->isLocal())
        say("warning: anyone who can reach this machine can read the metrics; there is no sign-in and no encryption");
    auto server = MetricsServer::listen(*address, [&metrics] { return metrics.text(); });
    if (!server)
        return server;
    say("metrics at " + (*server)->url());
    return server;
}

int run(const CLI::App& command, RunOptions& options)
{
    std::optional<Plan> plan = planOf(command, options);
    if (!plan)
        return kBadInput;
    if (options.noLibrary && !options.output.library.empty())
        return badInput("--library and --no-library exclude each other");
    options.output.record = !options.noLibrary;
    if (!options.title.empty())
        plan->title = options.title;
    for (const std::string& tags : options.tags) {
        for (std::string& tag : tagsIn(tags))
            options.output.tags.push_back(std::move(tag));
    }
    if (options.noLibrary && changesSettings(*plan))
        return badInput("the plan changes settings of a server or of this machine, which a library has to remember",
                        "leave out --no-library, so that they can be put back whatever happens");
    if (options.output.check && !checkable(*plan))
        return badInput(fmt::format("{} states no conditions on its data on this target", plan->workload.name),
                        "leave out --check, or use a workload that does, such as tpcc");
    const auto password = passwordFrom(options.flags, *plan);
    if (!password)
        return kBadInput;
    options.output.password = *password;
    std::error_code ignored;
    resolvePaths(*plan, std::filesystem::current_path(ignored));
    for (const std::string& key : options.allow)
        options.output.consent.allow(key);
    if (const auto open = openRisks(*plan, risksOf(*plan), options.output.consent); !open.empty()) {
        say(risksText(options.request.source, open));
        return kBadInput;
    }
    LiveMetrics metrics;
    std::unique_ptr<MetricsServer> server; // ends before what it tells
    if (!options.metrics.empty()) {
        auto served = serveMetrics(options.metrics, metrics);
        if (!served)
            return report(served.error());
        server = std::move(*served);
        options.output.listeners.push_back(&metrics);
    }
    if (!readyToRun(*plan, options.request.source, options.output, options.force))
        return interrupted() ? kInterrupted : kBadInput;
    putBackLeftChanges(*plan, options.output);
    return runSession(*plan, options.output);
}

} // namespace

void addRunCommand(CLI::App& app, ExitCode code)
{
    auto options = std::make_shared<RunOptions>();
    CLI::App* command = app.add_subcommand("run", "Run a plan, a recipe, or a workload against a target");
    command->add_option("PLAN", options->request.source,
                        "a plan's file, a recipe's id, or session:ID for a stored one again");
    command->add_option("--size", options->request.size, "a size of the recipe: quick, laptop, published");
    command
        ->add_option("--set", options->request.sets, "PATH=VALUE: change a field of the plan, such as load.users=1,4")
        ->allow_extra_args(false);
    command->add_option("--library", options->output.library, "library to record into (the user's own)");
    command->add_flag("--no-library", options->noLibrary,
                      "record nothing but what --out and --json ask for; not when settings of a server are changed");
    command->add_option("--title", options->title, "of the session (the plan's)");
    command
        ->add_option("--tag", options->tags,
                     "a tag of the session, or several with commas between them; may be said again")
        ->allow_extra_args(false);
    command->add_option("--out", options->output.out, "write the session to this .dyno file too");
    command->add_flag("--json", options->output.json, "print one JSON document instead of the table");
    command->add_flag("--check", options->output.check,
                      "after each run, ask whether the data meet the workload's conditions; exit code 1 if not");
    command->add_flag("--quiet", options->output.quiet, "no progress");
    command->add_option("--serve-metrics", options->metrics,
                        "ADDRESS:PORT: answer GET /metrics there while the session runs, for Prometheus; :9464 is "
                        "for this machine alone, port 0 takes a free one and says which");
    command->add_flag("--yes-production", options->output.confirmed,
                      "load and change a server that is marked as a production server");
    command->add_flag("--wait", options->output.wait,
                      "wait for another session that changes settings of the same server, instead of refusing to run");
    command->add_flag("--missing", options->missing,
                      "with session:ID: run only what is not complete, into that session");
    command->add_flag("--force", options->force, "run despite pre-flight blockers");
    addAllowFlag(*command, options->allow);
    addTargetFlags(*command, options->flags);
    addLoadFlags(*command, options->flags);
    command->callback([&code, options, command] { code = run(*command, *options); });
}

} // namespace dyno::cli
