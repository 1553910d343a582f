// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/plan_flags.h"

#include "cli/console.h"
#include "core/option_file.h"
#include "core/plan_source.h"

#include <dyno/catalog.h>
#include <dyno/load_fields.h>
#include <dyno/lua_script.h>
#include <dyno/own_workloads.h>
#include <dyno/passwords.h>
#include <dyno/path.h>
#include <dyno/runner.h>
#include <dyno/script_file.h>
#include <dyno/scripts.h>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace dyno::cli {

namespace {

constexpr const char* kWithoutPlan = "Without a plan";

//! "think_time" → "--think-time"
std::string flagText(std::string name)
{
    std::replace(name.begin(), name.end(), '_', '-');
    return "--" + name;
}

//! Flags of [load]: those that decide what is loaded, or the others.
void addFields(CLI::App& command, PlanFlags& flags, bool ofData)
{
    for (const LoadField& field : loadFields()) {
        if (field.ofData == ofData)
            command.add_option(flagText(field.name), flags.load[field.name], field.help)->group(kWithoutPlan);
    }
}

//! "load.users" was typed as --users: faults name what was typed.
std::string flagOf(const std::string& where)
{
    if (where.starts_with("load."))
        return flagText(where.substr(5, where.find('[') - 5));
    if (where.starts_with("workload.params."))
        return "--param " + where.substr(16);
    if (where.starts_with("workload"))
        return "--workload";
    if (where.starts_with("target.") && where != "target.uri")
        return flagText(where.substr(7));
    if (where.starts_with("target"))
        return "--target";
    if (where.starts_with("set."))
        return "--knob " + where.substr(4);
    return where;
}

} // namespace

void addTargetFlags(CLI::App& command, PlanFlags& flags)
{
    command
        .add_option("--target", flags.target,
                    "URI of the database, such as sqlite:test.db; `dyno drivers DRIVER` lists its options")
        ->group(kWithoutPlan);
    command
        .add_option("--workload", flags.workload,
                    "name, see `dyno workloads`; or a file whose name ends in .workload, as with --script")
        ->group(kWithoutPlan);
    command.add_option("--param", flags.params, "K=V: a parameter of the workload, such as table_size=10000")
        ->allow_extra_args(false)
        ->group(kWithoutPlan);
    command
        .add_option("--script", flags.scripts,
                    "FILE or FILE@WEIGHT: a script for pgbench -f is the workload; may be said again")
        ->allow_extra_args(false)
        ->group(kWithoutPlan);
    command
        .add_option("--builtin", flags.builtins,
                    "NAME or NAME@WEIGHT: pgbench's tpcb-like, simple-update or select-only likewise")
        ->allow_extra_args(false)
        ->group(kWithoutPlan);
    command.add_option("--define", flags.definitions, "NAME=VALUE: a variable of the scripts, as pgbench's -D")
        ->allow_extra_args(false)
        ->group(kWithoutPlan);
    command
        .add_option("--lua", flags.lua,
                    "FILE: a script for sysbench 1.0 is the workload, with the files of its folder that it requires")
        ->group(kWithoutPlan);
    command
        .add_option("--lua-options", flags.luaOptions, "options of that script, such as \"tables=4 table_size=10000\"")
        ->group(kWithoutPlan);
    command.add_option("--knob", flags.knobs, "K=V: a setting, such as connection.synchronous=OFF; see `dyno knobs`")
        ->allow_extra_args(false)
        ->group(kWithoutPlan);
    addFields(command, flags, true);
    command
        .add_option("--existing", flags.existing,
                    "tables that are there and were loaded with other parameters: refuse, use (nothing is loaded), or "
                    "rebuild (drop and load, also tables that fit) (refuse)")
        ->check(CLI::IsMember({"refuse", "use", "rebuild"}))
        ->group(kWithoutPlan);
    command.add_option("--option-file", flags.optionFile, "file with [client] password=…");
}

void addAllowFlag(CLI::App& command, std::vector<std::string>& allow)
{
    command
        .add_option("--allow", allow,
                    "KEY: agree to what a plan from somebody else wants, such as connection.init_sql; without it the "
                    "plan is refused and "
                    "lists what it wants; all agrees to everything")
        ->allow_extra_args(false);
}

void addLoadFlags(CLI::App& command, PlanFlags& flags)
{
    command.add_option("--path", flags.path, fmt::format("{}: {} ({})", kPathHelp, pathForms(), kDirectPath))
        ->group(kWithoutPlan);
    command.add_option("--cost-per-hour", flags.costPerHour, "what an hour of the target costs, for figures per $")
        ->group(kWithoutPlan);
    command.add_option("--watts", flags.watts, "what the target draws, for figures per watt-hour")->group(kWithoutPlan);
    command.add_option("--currency", flags.currency, "of --cost-per-hour, as it is to be shown ($)")
        ->group(kWithoutPlan);
    addFields(command, flags, false);
    command
        .add_flag("--prepare", flags.prepare,
                  "make and load missing tables on a remote server too (embedded and managed targets always do)")
        ->group(kWithoutPlan);
    command.add_flag("--cleanup", flags.cleanup, "drop the tables after the last run")->group(kWithoutPlan);
}

std::string firstPlanFlag(const CLI::App& command)
{
    std::vector<std::string> names{"--target",   "--path",     "--cost-per-hour", "--watts",
                                   "--currency", "--workload", "--param",         "--knob",
                                   "--prepare",  "--existing", "--cleanup",       "--script",
                                   "--builtin",  "--define",   "--lua",           "--lua-options"};
    for (const LoadField& field : loadFields())
        names.push_back(flagText(field.name));
    for (const std::string& name : names) {
        const CLI::Option* option = command.get_option_no_throw(name);
        if (option && option->count() > 0)
            return name;
    }
    return {};
}

namespace {

void addFault(Faults& faults, const Error& error, std::string where)
{
    faults.push_back({std::move(where), 0, 0, error.message, error.remedy});
}

//! What becomes of data that are there.
void readExisting(const PlanFlags& flags, Plan& plan, Faults& faults)
{
    if (flags.existing == "use" && flags.prepare)
        faults.push_back({"--existing", 0, 0, "existing data is used as is; nothing is loaded",
                          "remove --existing use or --prepare"});
    if (flags.existing == "use")
        plan.workload.prepare = PreparePolicy::Use;
    else if (flags.existing == "rebuild")
        plan.workload.prepare = PreparePolicy::Always;
}

//! What was typed as scripts becomes the plan's workload, with their texts.
void readScripts(const PlanFlags& flags, Plan& plan, Faults& faults)
{
    if (flags.scripts.empty() && flags.builtins.empty() && flags.definitions.empty())
        return;
    if (!flags.workload.empty() && flags.workload != kScriptWorkload) {
        faults.push_back({"--workload", 0, 0, fmt::format("{} takes no scripts", flags.workload),
                          "remove --workload, or --script, --builtin and --define"});
        return;
    }
    plan.workload.name = kScriptWorkload;
    std::vector<ScriptSource> sources;
    const bool namesFiles = std::ranges::any_of(
        flags.params, [](const std::string& text) { return text.starts_with(std::string(kFilesParam) + "="); });
    for (const std::string& typed : flags.scripts) {
        const auto [file, weight] = scriptAndWeight(typed);
        std::error_code ignored;
        std::filesystem::path folder;
        if (!namesFiles)
            folder = std::filesystem::absolute(file, ignored).parent_path();
        if (auto text = scriptFileText(file, "pgbench -f"))
            sources.push_back({file, std::move(*text), weight, false, std::move(folder)});
        else
            addFault(faults, text.error(), text.error().where);
    }
    for (const std::string& typed : flags.builtins) {
        const auto [name, weight] = scriptAndWeight(typed);
        auto source = builtinScript(name);
        if (!source) {
            addFault(faults, source.error(), "--builtin");
            continue;
        }
        source->weight = weight;
        sources.push_back(std::move(*source));
    }
    if (!faults.empty())
        return;
    const auto params = scriptParams(sources, flags.definitions, &plan.files);
    if (!params)
        addFault(faults, params.error(), params.error().where);
    else
        plan.workload.params = *params;
}

//! A workload of one's own, by its name; naming it is the word that its statements may be sent, as with --script.
void readOwnWorkload(PlanFlags& flags, Plan& plan, Faults& faults)
{
    if (flags.workload.empty() || findWorkload(flags.workload))
        return;
    const std::filesystem::path folder =
        workloadsFolder(flags.library.empty() ? defaultLibrary() : std::filesystem::path(flags.library));
    const auto own = ownWorkload(folder, flags.workload);
    if (!own) { // without such a name near, the check of the plan says so with those of built-in ones
        if (own.error().remedy.starts_with("did you mean"))
            addFault(faults, own.error(), "--workload");
        return;
    }
    if (!own->fault.empty()) {
        faults.push_back({"--workload", 0, 0, fmt::format("{} cannot run: {}", own->name, own->fault),
                          "correct its file, or delete it with `dyno workloads --remove`"});
        return;
    }
    if (!flags.scripts.empty() || !flags.builtins.empty()) {
        faults.push_back({"--workload", 0, 0, fmt::format("{} is a script already", own->name),
                          "remove --workload, or --script and --builtin"});
        return;
    }
    plan.workload.name = kScriptWorkload;
    plan.title = own->name;
    // Files beside one of a library that is named are asked about: see allowTyped().
    const auto params = scriptParams({{own->name, own->text, 1, false, folder}}, flags.definitions,
                                     flags.library.empty() ? &plan.files : nullptr);
    if (!params)
        addFault(faults, params.error(), params.error().where);
    else
        plan.workload.params = *params;
    flags.definitions.clear();
}

//! A script for sysbench becomes the plan's workload, with the files beside it that it requires.
void readLua(const PlanFlags& flags, Plan& plan, Faults& faults)
{
    if (flags.lua.empty()) {
        if (!flags.luaOptions.empty())
            faults.push_back({"--lua-options", 0, 0, "there is no script", "name one with --lua FILE"});
        return;
    }
    if (!flags.workload.empty() || !flags.scripts.empty() || !flags.builtins.empty()) {
        faults.push_back({"--lua", 0, 0, "the script is the workload", "remove --workload, --script and --builtin"});
        return;
    }
    auto params = luaFileParams(flags.lua);
    if (!params)
        return addFault(faults, params.error(), params.error().where);
    plan.workload.name = kLuaWorkload;
    plan.workload.params = std::move(*params);
    if (!flags.luaOptions.empty())
        plan.workload.params[kLuaOptionsParam] = flags.luaOptions;
}

//! `driver`: "" when the target is not known.
void readParams(const PlanFlags& flags, const std::string& driver, Plan& plan, Faults& faults)
{
    for (const std::string& text : flags.params) {
        if (const auto parts = splitAssignment(text, "--param"); !parts)
            addFault(faults, parts.error(), "--param");
        else
            plan.workload.params.insert_or_assign(parts->first, parseValue(parts->second));
    }
    for (const std::string& text : flags.knobs) {
        const auto parts = splitAssignment(text, "--knob");
        if (!parts) {
            addFault(faults, parts.error(), "--knob");
            continue;
        }
        const auto name = driver.empty() ? Expected<std::string>(parts->first) : qualifiedKnob(driver, parts->first);
        if (!name)
            addFault(faults, name.error(), "--knob");
        else if (!driver.empty())
            plan.set.insert_or_assign(*name, parseValue(parts->second));
    }
}

} // namespace

std::optional<Plan> planFrom(const PlanFlags& typed)
{
    PlanFlags flags = typed;
    if (flags.workload.ends_with(".workload"))
        flags.scripts.insert(flags.scripts.begin(), std::exchange(flags.workload, kScriptWorkload));
    Plan plan;
    Faults faults;
    const auto set = [&](const std::string& path, const std::string& value) {
        if (value.empty())
            return;
        if (const auto done = setField(plan, path, value); !done)
            addFault(faults, done.error(), path);
    };
    plan.workload.name = flags.workload;
    readOwnWorkload(flags, plan, faults);
    readScripts(flags, plan, faults);
    readLua(flags, plan, faults);
    if (!flags.hasWorkload())
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
        addFault(faults, target.error(), "--target");
    }
    readExisting(flags, plan, faults);
    plan.workload.cleanup = flags.cleanup;
    if (!flags.typed("events").empty() && flags.typed("time").empty())
        plan.load.timeSeconds = 0;
    set(std::string(kPathKey), flags.path);
    set("target.cost_per_hour", flags.costPerHour);
    set("target.watts", flags.watts);
    set("target.currency", flags.currency);
    for (const LoadField& field : loadFields())
        set("load." + field.name, flags.typed(field.name));
    if (!flags.typed("steps").empty())
        set("load.time", flags.typed("time")); // steps have a length of their own, unless something else is said
    if (flags.typed("arrival") == "closed" && plan.load.arrival.open())
        faults.push_back({"--arrival", 0, 0, "a closed loop has no rate: users begin when they are done",
                          "leave out --rate, --rate-to, --steps and a search for a rate"});
    // A short trial needs no word about its interval.
    if (flags.typed("interval").empty() && plan.load.timeSeconds > 0 &&
        plan.load.timeSeconds < plan.load.intervalSeconds)
        plan.load.intervalSeconds = std::max(0.1, plan.load.timeSeconds);
    readParams(flags, target ? target->driver : std::string(), plan, faults);
    if (plan.title.empty())
        plan.title = plan.workload.name;
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

void allowTyped(const PlanFlags& flags, const Plan& plan, Consent& consent)
{
    const bool isOthers = !flags.library.empty() && !flags.workload.empty() && !findWorkload(flags.workload) &&
                          !flags.workload.ends_with(".workload");
    if (!isOthers)
        return consent.allow("all");
    const std::string script = std::string("workload.") + kScriptsParam;
    const std::string files = std::string("workload.") + kFilesParam;
    for (const Risk& risk : risksOf(plan)) {
        if (risk.key != script && risk.key != files)
            consent.allow(risk);
    }
    for (const std::string_view key : {kTargetKey, kReplaceTables, kDropTables})
        consent.allow(std::string(key));
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
