// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno prepare | cleanup | check-data: only the data.
#include "cli/console.h"
#include "cli/plan_flags.h"
#include "core/data_check_text.h"
#include "core/plan_source.h"
#include "core/text_table.h"

#include <dyno/data_check.h>
#include <dyno/kept_data.h>
#include <dyno/runner.h>
#include <dyno/visible_text.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace dyno::cli {

namespace {

struct DataOptions
{
    PlanFlags flags;
    bool quiet = false;
    bool confirmed = false;
    bool json = false;
};

//! The checked plan and password of the flags; nothing when something is wrong, after saying so.
std::optional<std::pair<Plan, RunnerOptions>> prepared(const DataOptions& options)
{
    std::optional<Plan> plan = planFrom(options.flags);
    if (!plan)
        return {};
    const auto password = passwordFrom(options.flags, *plan);
    if (!password)
        return {};
    const auto target = parseUri(plan->target.uri);
    if (target && isOfOneSession(*target)) {
        badInput(fmt::format("{} lives for one session only", target->display()),
                 "`dyno run` loads it by itself; for data that stay, name a file or a server "
                 "(a managed one with ?name=…)");
        return {};
    }
    std::error_code ignored;
    resolvePaths(*plan, std::filesystem::current_path(ignored));
    RunnerOptions runner;
    runner.password = *password;
    runner.confirmed = options.confirmed;
    runner.consent.allow("all"); // typed
    runner.stopped = [] { return interrupted(); };
    return std::pair(std::move(*plan), std::move(runner));
}

int prepare(DataOptions& options)
{
    options.flags.prepare = true; // that is what the command is for, on a remote server too
    auto ready = prepared(options);
    if (!ready)
        return kBadInput;
    watchInterrupts();
    const bool terminal = ::isatty(STDERR_FILENO) == 1;
    auto last = std::chrono::steady_clock::time_point{};
    const auto progress = [&](const ProgressReport& report) {
        const auto now = std::chrono::steady_clock::now();
        if (!options.quiet && now - last >= std::chrono::milliseconds(terminal ? 200 : 5000)) {
            last = now;
            std::string line = fmt::format("{}  {:.0f} %", visibleText(report.text), report.phaseFraction * 100);
            if (report.secondsLeft >= 0)
                line += fmt::format(", {} left", durationText(report.secondsLeft));
            tell(fmt::format("{}{}{}", terminal ? "\r\x1b[K" : "", line, terminal ? "" : "\n"));
        }
        return !interrupted();
    };
    const auto begin = std::chrono::steady_clock::now();
    PreparedData made;
    const auto done = prepareData(ready->first, ready->second, progress, &made);
    if (terminal && !options.quiet)
        tell("\r\x1b[K");
    for (const std::string& note : made.notes)
        say(note);
    if (!done)
        return interrupted() ? report(done.error()), int(kInterrupted) : report(done.error());
    if (!options.quiet && !made.loaded)
        say("the tables were there already: nothing was loaded");
    if (!options.quiet)
        say(fmt::format("prepared in {}",
                        durationText(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count())));
    return kDone;
}

int cleanup(const DataOptions& options)
{
    auto ready = prepared(options);
    if (!ready)
        return kBadInput;
    if (const auto done = cleanupData(ready->first, ready->second); !done)
        return report(done.error());
    return kDone;
}

int check(const DataOptions& options)
{
    auto ready = prepared(options);
    if (!ready)
        return kBadInput;
    watchInterrupts();
    const auto reports = checkData(ready->first, ready->second, [] { return !interrupted(); });
    if (!reports)
        return report(reports.error());
    if (reports->empty())
        return badInput(fmt::format("{} states no conditions on its data on this target", ready->first.workload.name),
                        "a workload that does is tpcc");
    if (options.json)
        printDocument(dataCheckJson(*reports));
    else
        print(dataCheckText(*reports, {}));
    if (interrupted())
        return kInterrupted;
    const bool hold =
        std::all_of(reports->begin(), reports->end(), [](const DataCheckReport& one) { return one.holds(); });
    return hold ? kDone : kFailed;
}

} // namespace

void addDataCommands(CLI::App& app, ExitCode code)
{
    auto options = std::make_shared<DataOptions>();
    CLI::App* prepareCommand =
        app.add_subcommand("prepare", "Make and load the tables of a workload, where they are missing");
    CLI::App* cleanupCommand = app.add_subcommand("cleanup", "Drop the tables of a workload");
    CLI::App* checkDataCommand = app.add_subcommand(
        "check-data", "Ask whether the data of a workload meet its conditions; exit code 1 if not. Reads whole tables");
    for (CLI::App* command : {prepareCommand, cleanupCommand, checkDataCommand}) {
        addTargetFlags(*command, options->flags);
        command->add_flag("--quiet", options->quiet, "no progress");
        command->add_flag("--yes-production", options->confirmed,
                          "do so on a server that is marked as a production server");
    }
    checkDataCommand->add_flag("--json", options->json, "print one JSON document");
    checkDataCommand->callback([&code, options] { code = check(*options); });
    prepareCommand->callback([&code, options] { code = prepare(*options); });
    cleanupCommand->callback([&code, options] { code = cleanup(*options); });
}

} // namespace dyno::cli
