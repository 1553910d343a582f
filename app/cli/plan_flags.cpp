// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/plan_flags.h"

#include "cli/console.h"
#include "core/option_file.h"
#include "core/plan_source.h"

#include <dyno/catalog.h>
#include <dyno/passwords.h>

#include <algorithm>
#include <fmt/format.h>

namespace dyno::cli {

namespace {

//! "load.users" was typed as --users: faults name what was typed.
std::string flagOf(const std::string& where)
{
    if (where.starts_with("load.")) {
        std::string name = where.substr(5, where.find('[') - 5);
        std::replace(name.begin(), name.end(), '_', '-');
        return "--" + name;
    }
    if (where.starts_with("workload.params."))
        return "--param " + where.substr(16);
    if (where.starts_with("workload"))
        return "--workload";
    if (where.starts_with("target.") && where != "target.uri") {
        std::string name = where.substr(7);
        std::replace(name.begin(), name.end(), '_', '-');
        return "--" + name;
    }
    if (where.starts_with("target"))
        return "--target";
    if (where.starts_with("set."))
        return "--knob " + where.substr(4);
    return where;
}

} // namespace

void addTargetFlags(CLI::App& command, PlanFlags& flags)
{
    const std::string group = "Without a plan";
    command.add_option("--target", flags.target, "URI of the database, such as sqlite:test.db")->group(group);
    command.add_option("--workload", flags.workload, "name, see `dyno workloads`")->group(group);
    command.add_option("--param", flags.params, "K=V: a parameter of the workload, such as table_size=10000")
        ->allow_extra_args(false)
        ->group(group);
    command.add_option("--knob", flags.knobs, "K=V: a setting, such as connection.synchronous=OFF; see `dyno knobs`")
        ->allow_extra_args(false)
        ->group(group);
    command.add_option("--users", flags.users, "numbers of concurrent users, such as 1,4,16; bulk_insert has a table for each (1)")->group(group);
    command.add_option("--seed", flags.seed, "same seed, same rows and same requests (1)")->group(group);
    command
        .add_option("--existing", flags.existing,
                    "tables that are there and were loaded with other parameters: refuse, use (nothing is loaded), or rebuild (drop and load, also tables that fit) (refuse)")
        ->check(CLI::IsMember({"refuse", "use", "rebuild"}))
        ->group(group);
    command.add_option("--loaders", flags.loaders, "sessions that load the data, 0 = one a core (0)")->group(group);
    command.add_option("--option-file", flags.optionFile, "file with [client] password=…");
}

void addAllowFlag(CLI::App& command, std::vector<std::string>& allow)
{
    command
        .add_option("--allow", allow,
                    "KEY: agree to what a plan from somebody else wants, such as connection.init_sql; without it the plan is refused and "
                    "lists what it wants; all agrees to everything")
        ->allow_extra_args(false);
}

void addLoadFlags(CLI::App& command, PlanFlags& flags)
{
    const std::string group = "Without a plan";
    command.add_option("--cost-per-hour", flags.costPerHour, "what an hour of the target costs, for figures per $")
        ->group(group);
    command.add_option("--watts", flags.watts, "what the target draws, for figures per watt-hour")->group(group);
    command.add_option("--currency", flags.currency, "of --cost-per-hour, as it is to be shown ($)")->group(group);
    command.add_option("--time", flags.time, "measured seconds of a run, or 30s, 2m; 0 = no limit (10)")->group(group);
    command
        .add_option("--events", flags.events, "end a run after this many transactions; then --time is 0 unless given")
        ->group(group);
    command.add_option("--warmup", flags.warmup, "seconds before that, left out of the figures, or \"steady\" (0)")->group(group);
    command.add_option("--rate", flags.rate, "arrivals a second (open loop), whatever the server does")->group(group);
    command.add_option("--arrival", flags.arrival, "closed, fixed or poisson (closed; poisson with --rate)")->group(group);
    command.add_option("--rate-to", flags.rateTo, "the rate moves there over the measured time")->group(group);
    command.add_option("--steps", flags.steps, "rates one after the other, such as 500:10s,1000:10s")->group(group);
    command.add_option("--think-time", flags.thinkTime, "closed loop: pause of a user between two transactions (0)")->group(group);
    command.add_option("--objective", flags.objective, "what must hold, such as \"p99 <= 20ms\"")->group(group);
    command.add_option("--search", flags.search, "the highest load at which it holds: rate 100..20000 or users 1..256")->group(group);
    command.add_option("--reconnect", flags.reconnect, "how long a lost connection is tried again (10s)")->group(group);
    command.add_option("--interval", flags.interval, "seconds between samples, 0.1 to 10 (1)")->group(group);
    command.add_option("--repeats", flags.repeats, "runs of each point (1)")->group(group);
    command.add_option("--executor", flags.executor, "auto, threads or loops (auto)")->group(group);
    command.add_option("--loops", flags.loops, "threads of the event loops, 0 = half the cores (0)")->group(group);
    command
        .add_flag("--prepare", flags.prepare,
                  "make and load missing tables on a remote server too (embedded and managed targets always do)")
        ->group(group);
    command.add_flag("--cleanup", flags.cleanup, "drop the tables after the last run")->group(group);
}

std::string firstPlanFlag(const CLI::App& command)
{
    for (const char* name :
         {"--target", "--cost-per-hour", "--watts", "--currency", "--workload", "--param", "--knob", "--seed", "--loaders", "--users", "--time", "--events",
          "--warmup", "--rate", "--arrival", "--rate-to", "--steps", "--think-time", "--objective", "--search",
          "--reconnect", "--loops", "--interval", "--repeats", "--executor", "--prepare", "--existing", "--cleanup"}) {
        const CLI::Option* option = command.get_option_no_throw(name);
        if (option && option->count() > 0)
            return name;
    }
    return {};
}

std::optional<Plan> planFrom(const PlanFlags& flags)
{
    Plan plan;
    Faults faults;
    const auto add = [&](const Error& error, std::string where) {
        faults.push_back({std::move(where), 0, 0, error.message, error.remedy});
    };
    const auto set = [&](const char* path, const std::string& value) {
        if (value.empty())
            return;
        if (const auto done = setField(plan, path, value); !done)
            add(done.error(), path);
    };
    plan.workload.name = flags.workload;
    if (flags.workload.empty())
        faults.push_back({"--workload", 0, 0, "no workload is named", "`dyno workloads` lists them"});
    auto target =
        flags.target.empty()
            ? fail({ErrorKind::BadInput, "no target is named", "--target", "give a URI, such as sqlite:test.db"})
            : parseUri(flags.target);
    if (target) {
        plan.target.uri = target->display();
        if (target->kind == TargetKind::Remote)
            plan.workload.prepare = flags.prepare ? PreparePolicy::Auto : PreparePolicy::Never;
    } else {
        add(target.error(), "--target");
    }
    if (flags.existing == "use" && flags.prepare)
        faults.push_back({"--existing", 0, 0, "existing data is used as is; nothing is loaded",
                          "remove --existing use or --prepare"});
    if (flags.existing == "use")
        plan.workload.prepare = PreparePolicy::Use;
    else if (flags.existing == "rebuild")
        plan.workload.prepare = PreparePolicy::Always;
    plan.workload.cleanup = flags.cleanup;
    if (!flags.events.empty() && flags.time.empty())
        plan.load.timeSeconds = 0;
    set("target.cost_per_hour", flags.costPerHour);
    set("target.watts", flags.watts);
    set("target.currency", flags.currency);
    set("load.users", flags.users);
    set("load.time", flags.time);
    set("load.events", flags.events);
    set("load.warmup", flags.warmup);
    set("load.interval", flags.interval);
    set("load.repeats", flags.repeats);
    set("load.seed", flags.seed);
    set("load.executor", flags.executor);
    set("load.loaders", flags.loaders);
    set("load.loops", flags.loops);
    set("load.arrival", flags.arrival);
    set("load.rate", flags.rate);
    set("load.rate_to", flags.rateTo);
    if (!flags.steps.empty()) {
        set("load.steps", flags.steps);
        set("load.time", flags.time); // the steps' own length unless something else is said
    }
    set("load.think_time", flags.thinkTime);
    set("load.objective", flags.objective);
    set("load.search", flags.search);
    set("load.reconnect", flags.reconnect);
    if (flags.arrival == "closed" && plan.load.arrival.open())
        faults.push_back({"--arrival", 0, 0, "a closed loop has no rate: users begin when they are done",
                          "leave out --rate, --rate-to, --steps and a search for a rate"});
    // A short trial needs no word about its interval.
    if (flags.interval.empty() && plan.load.timeSeconds > 0 && plan.load.timeSeconds < plan.load.intervalSeconds)
        plan.load.intervalSeconds = std::max(0.1, plan.load.timeSeconds);
    for (const std::string& text : flags.params) {
        if (const auto parts = splitAssignment(text, "--param"); !parts)
            add(parts.error(), "--param");
        else
            plan.workload.params.insert_or_assign(parts->first, parseValue(parts->second));
    }
    for (const std::string& text : flags.knobs) {
        const auto parts = splitAssignment(text, "--knob");
        if (!parts) {
            add(parts.error(), "--knob");
            continue;
        }
        const auto name = target ? qualifiedKnob(target->driver, parts->first) : Expected<std::string>(parts->first);
        if (!name)
            add(name.error(), "--knob");
        else if (target)
            plan.set.insert_or_assign(*name, parseValue(parts->second));
    }
    plan.title = flags.workload;
    if (faults.empty())
        faults = checkPlan(plan);
    for (Fault& fault : faults) {
        fault.where = flagOf(fault.where);
        say(faultText("dyno", fault));
    }
    if (!faults.empty())
        return {};
    return plan;
}

std::optional<std::string> passwordFrom(const PlanFlags& flags, const Plan& plan)
{
    if (flags.optionFile.empty())
        return std::string();
    const auto owner = passwordOwner(plan);
    const auto password =
        owner ? passwordFromOptionFile(flags.optionFile, owner) : passwordFromOptionFile(flags.optionFile);
    if (password)
        return *password;
    report(password.error());
    return {};
}

} // namespace dyno::cli
