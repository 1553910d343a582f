// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno drivers | workloads [NAME] | knobs [DRIVER [NAME]] | recipes [ID]
#include "cli/console.h"
#include "cli/listing_json.h"
#include "core/plan_source.h"
#include "core/text_table.h"

#include <dyno/catalog.h>
#include <dyno/export.h>
#include <dyno/own_recipes.h>
#include <dyno/own_workloads.h>
#include <dyno/runner.h>
#include <dyno/trust.h>
#include <dyno/uri_form.h>
#include <dyno/visible_text.h>

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace dyno::cli {

namespace {

constexpr std::size_t kHelpWidth = 90; // characters of the last column: tables stay readable at 150 columns

std::string rangeOf(const OptionSpec& option)
{
    if (!option.choices.empty())
        return fmt::format("{}", fmt::join(option.choices, "|"));
    if (option.type == OptionType::Bool)
        return "on|off";
    if (option.minimum && option.maximum)
        return fmt::format("{}…{}", *option.minimum, *option.maximum);
    if (option.minimum)
        return fmt::format("≥ {}", *option.minimum);
    if (option.maximum)
        return fmt::format("≤ {}", *option.maximum);
    return {};
}

//! Lines of at most kHelpWidth bytes, broken at spaces; at least one.
std::vector<std::string> wrapped(std::string_view text)
{
    std::vector<std::string> lines;
    while (text.size() > kHelpWidth) {
        const std::size_t space = text.rfind(' ', kHelpWidth);
        if (space == std::string_view::npos || space == 0)
            break;
        lines.emplace_back(text.substr(0, space));
        text.remove_prefix(space + 1);
    }
    lines.emplace_back(text);
    return lines;
}

std::string defaultOf(const OptionSpec& option)
{
    if (const auto* flag = std::get_if<bool>(&option.defaultValue))
        return *flag ? "on" : "off";
    return toText(option.defaultValue);
}

void addRow(TextTable& table, const OptionSpec& option, const std::string& range, std::vector<std::string> lines)
{
    table.add({option.name, defaultOf(option), range, lines.front()});
    for (std::size_t i = 1; i < lines.size(); ++i)
        table.add({"", "", "", lines[i]});
}

//! "did you mean "tpcc"? `dyno workloads` lists them"
std::string likelyOr(const std::string& typed, const std::vector<std::string>& known, const std::string& lists)
{
    const std::string likely = likelyName(typed, known);
    return likely.empty() ? lists : fmt::format("did you mean \"{}\"? {}", likely, lists);
}

template<class List>
std::vector<std::string> idsIn(const List& list)
{
    std::vector<std::string> ids;
    for (const auto& one : list)
        ids.push_back(one.id);
    return ids;
}

int listDrivers(bool json)
{
    if (json) {
        printDocument(driversJson());
        return kDone;
    }
    TextTable table({"driver", "name", "target", "library"});
    for (const DriverInfo& driver : drivers())
        table.add({driver.id, driver.name, driver.uriForm, driver.library});
    print(table.text());
    return kDone;
}

//! How the targets of a driver, or of a scheme such as "managed", are written.
int showDriver(const std::string& name, bool json)
{
    const UriForm* form = uriFormOf(name);
    if (!form || !form->built)
        return badInput(fmt::format("there is no driver \"{}\"", name),
                        likelyOr(name, idsIn(drivers()), "`dyno drivers` lists them"));
    if (json) {
        printDocument(driverJson(*form));
        return kDone;
    }
    std::string text;
    for (const UriScheme& scheme : form->schemes)
        text += scheme.example + "\n";
    if (!form->hint.empty())
        text += form->hint + "\n";
    TextTable table({"option", "default", "range", "meaning"});
    for (const UriOption& option : form->options)
        addRow(table, option.spec, rangeOf(option.spec),
               option.means.empty() ? wrapped(option.spec.help)
                                    : std::vector<std::string>{"another name of " + option.means});
    print(text + (form->options.empty() ? std::string() : "\n" + table.text()));
    return kDone;
}

std::filesystem::path workloadsBeside(const std::string& library)
{
    return workloadsFolder(library.empty() ? defaultLibrary() : std::filesystem::path(library));
}

int listWorkloads(const std::string& library, bool json)
{
    const std::vector<OwnWorkload> own = ownWorkloads(workloadsBeside(library));
    if (json) {
        printDocument(workloadsJson(workloads(), own));
        return kDone;
    }
    TextTable table({"workload", "name", "purpose", "source", "runs on"});
    for (const WorkloadInfo& workload : workloads())
        table.add({workload.id, workload.name, toText(workload.purpose), workload.source,
                   fmt::format("{}", fmt::join(driversFor(workload), ", "))});
    print(table.text());
    if (own.empty())
        return kDone;
    TextTable yours({"your own", "summary"}); // what others may have written is shown as it stands, not obeyed
    for (const OwnWorkload& one : own)
        yours.add({one.name, visibleText(one.fault.empty() ? one.summary : one.fault)});
    print("\n" + yours.text());
    return kDone;
}

//! For shells that complete: nothing but letters, digits and hyphens, whatever lies in the folder.
int nameOwnWorkloads(const std::string& library)
{
    for (const OwnWorkload& own : ownWorkloads(workloadsBeside(library))) {
        if (ownWorkloadName(own.name) == own.name && !findWorkload(own.name))
            print(own.name + "\n");
    }
    return kDone;
}

int showWorkload(const std::string& name, const std::string& library, bool json)
{
    const WorkloadInfo* workload = findWorkload(name);
    if (!workload) {
        if (const auto own = ownWorkload(workloadsBeside(library), name)) {
            printDocument(json ? workloadsJson({}, {*own}) : own->text);
            return own->fault.empty() ? int(kDone) : badInput(fmt::format("{} cannot run: {}", name, own->fault));
        }
    }
    if (!workload) {
        std::vector<std::string> known = idsIn(workloads());
        for (const OwnWorkload& own : ownWorkloads(workloadsBeside(library)))
            known.push_back(own.name);
        return badInput(fmt::format("there is no workload \"{}\"", name),
                        likelyOr(name, known, "`dyno workloads` lists them"));
    }
    if (json) {
        printDocument(workloadsJson({*workload}, {}));
        return kDone;
    }
    print(fmt::format("{} — {}\n{}\npurpose: {}\nsource: {}\nruns on: {}\n", workload->id, workload->name,
                      workload->description, toText(workload->purpose), workload->source,
                      fmt::join(driversFor(*workload), ", ")));
    std::string operations;
    for (const OperationInfo& operation : workload->operations)
        operations += (operations.empty() ? "" : ", ") + operation.name;
    print(fmt::format("operations: {}\n\n", operations));
    TextTable table({"--param", "default", "range", "meaning"});
    for (const OptionSpec& option : workload->options) {
        const std::string unit = option.unit.empty() ? "" : " " + option.unit;
        std::vector<std::string> lines = wrapped(option.help);
        if (const std::string asking = askingOf(option); !asking.empty()) {
            for (std::string& more : wrapped("asks first: " + asking))
                lines.push_back(std::move(more));
        }
        addRow(table, option, rangeOf(option) + unit, std::move(lines));
    }
    print(table.text());
    return kDone;
}

int addOwnWorkload(const std::string& file, const std::string& library)
{
    const auto name = addWorkload(workloadsBeside(library), file);
    if (!name)
        return report(name.error());
    print(fmt::format("{}\n", *name));
    return kDone;
}

int removeOwnWorkload(const std::string& name, const std::string& library)
{
    const auto text = removeWorkload(workloadsBeside(library), name);
    return text ? int(kDone) : report(text.error());
}

int listKnobs(const std::string& driver, bool json)
{
    if (!driver.empty() && !findDriver(driver))
        return badInput(fmt::format("there is no driver \"{}\"", driver),
                        likelyOr(driver, idsIn(drivers()), "`dyno drivers` lists them"));
    if (json) {
        printDocument(knobsJson(knobs(driver)));
        return kDone;
    }
    TextTable table({"driver", "knob", "default", "range", "change", "meaning"});
    for (const KnobInfo& knob : knobs(driver)) {
        const char* change = knob.initialisation ? "new data" : knob.restart ? "restart" : "";
        std::string help = knob.option.help.empty() ? knob.option.label : knob.option.help;
        table.add({knob.driver.empty() ? "any" : knob.driver, knob.scope + "." + knob.option.name,
                   defaultOf(knob.option), shortened(rangeOf(knob.option), 40), change, shortened(help, kHelpWidth)});
    }
    print(table.text());
    return kDone;
}

//! "MariaDB before 10.6: restart; MySQL from 8.0: default 1"
std::string whereOf(const KnobInfo& knob)
{
    std::string text;
    for (const KnobEdition& edition : knob.editions) {
        text += fmt::format("{}{}", text.empty() ? "" : "\n             ", productName(edition.product));
        const bool others = edition.since.empty() && edition.until.empty() &&
                            std::count_if(knob.editions.begin(), knob.editions.end(),
                                          [&](const KnobEdition& one) { return one.product == edition.product; }) > 1;
        if (others)
            text += " otherwise";
        if (!edition.since.empty())
            text += " from " + edition.since;
        if (!edition.until.empty())
            text += " before " + edition.until;
        const auto complete = editionFor(knob, edition.product, edition.since);
        if (!edition.name.empty())
            text += ", called " + edition.name;
        if (const Value value = edition.defaultValue.value_or(knob.option.defaultValue);
            complete && !toText(value).empty())
            text += ", default " + toText(value);
        if (edition.restart.value_or(knob.restart))
            text += ", needs a restart";
        if (!edition.decides.empty())
            text += fmt::format(", decides {} at the start", fmt::join(edition.decides, ", "));
    }
    return text;
}

int showKnob(const std::string& driver, const std::string& asked, bool json)
{
    const std::size_t dot = asked.find('.');
    bool found = false;
    std::vector<std::string> known;
    std::vector<KnobInfo> fitting;
    for (const KnobInfo& knob : knobs(driver)) {
        const std::string name = dot == std::string::npos ? knob.option.name : knob.scope + "." + knob.option.name;
        known.push_back(name);
        if (name != asked)
            continue;
        if (json) {
            fitting.push_back(knob);
            found = true;
            continue;
        }
        std::string text =
            fmt::format("{}.{} — {}\n{}\n", knob.scope, knob.option.name, knob.option.label, knob.option.help);
        const auto line = [&](const char* title, const std::string& what) {
            if (!what.empty())
                text += fmt::format("{:<13}{}\n", title, what);
        };
        line("range:", rangeOf(knob.option));
        line("unit:", knob.option.unit);
        line("default:", knob.editions.empty() ? defaultOf(knob.option) : std::string());
        line("worth a try:", fmt::format("{}", fmt::join(knob.values, ", ")));
        if (knob.initialisation || knob.editions.empty())
            line("change:", knob.initialisation ? "only with new data"
                            : knob.restart      ? "with a restart"
                                                : "while it runs");
        line("safety:", knob.safety);
        line("asks first:", askingOf(knob));
        line("found in:", whereOf(knob));
        line("else use:", knob.replacement);
        line("manual:", knob.manual);
        print((found ? "\n" : "") + text);
        found = true;
    }
    if (!fitting.empty())
        printDocument(knobsJson(fitting));
    if (const auto never =
            found ? std::nullopt : whyNever(driver, asked.substr(dot == std::string::npos ? 0 : dot + 1)))
        return badInput(fmt::format("no plan may set {}: {}", asked, *never),
                        fmt::format("`dyno knobs {}` lists what can be set", driver));
    return found ? int(kDone)
                 : badInput(fmt::format("{} has no knob \"{}\"", driver, asked),
                            likelyOr(asked, known, fmt::format("`dyno knobs {}` lists them", driver)));
}

std::filesystem::path recipesBeside(const std::string& library)
{
    return recipesFolder(library.empty() ? defaultLibrary() : std::filesystem::path(library));
}

int listRecipes(const std::string& library, bool json)
{
    std::vector<RecipeInfo> all = recipes();
    for (OwnRecipe& own : ownRecipes(recipesBeside(library))) {
        for (const Fault& fault : own.faults)
            say(faultText(own.info.id, fault));
        all.push_back(std::move(own.info));
    }
    if (json) {
        printDocument(recipesJson(all, false));
        return kDone;
    }
    TextTable table({"recipe", ">minutes", "question", "needs", "sizes"});
    for (const RecipeInfo& recipe : all) // what others may have written is shown as it stands, not obeyed
        table.add({recipe.id, figure(recipe.minutes), visibleText(recipe.title), visibleText(recipe.needs),
                   fmt::format("{}", fmt::join(recipe.sizes, "|"))});
    print(table.text());
    return kDone;
}

//! What was published, and how it can be repeated here.
int listExperiments(bool json, bool markdown)
{
    if (markdown) {
        print(experimentsMarkdown());
        return kDone;
    }
    if (json) {
        printDocument(experimentsJson());
        return kDone;
    }
    TextTable table({"experiment", "question", "recipes"});
    for (const ExperimentInfo& one : experiments())
        table.add({one.id, one.title, one.recipes.empty() ? "none" : fmt::format("{}", fmt::join(one.recipes, ", "))});
    print(table.text());
    print("\n");
    for (const ExperimentInfo& one : experiments()) {
        if (!one.reason.empty())
            print(fmt::format("{}: {}\n", one.id, one.reason));
    }
    return kDone;
}

int addOwnRecipe(const std::string& file, const std::string& library)
{
    const auto id = addRecipe(recipesBeside(library), file);
    if (!id)
        return report(id.error());
    print(fmt::format("{}\n", *id));
    return kDone;
}

int removeOwnRecipe(const std::string& id, const std::string& library)
{
    const auto text = removeRecipe(recipesBeside(library), id);
    return text ? int(kDone) : report(text.error());
}

int showRecipe(const std::string& id, const std::string& library, bool json)
{
    if (isOwnRecipe(id)) {
        const auto own = ownRecipe(recipesBeside(library), id);
        if (!own)
            return report(own.error());
        printDocument(json ? recipesJson({own->info}, true) : own->info.toml);
        return kDone;
    }
    for (const RecipeInfo& recipe : recipes()) {
        if (recipe.id == id) {
            printDocument(json ? recipesJson({recipe}, true) : recipe.toml);
            return kDone;
        }
    }
    return badInput(fmt::format("there is no recipe \"{}\"", id),
                    likelyOr(id, idsIn(recipes()), "`dyno recipes` lists them"));
}

int listOrShow(const std::string& recipe, const std::string& library, bool published, bool markdown, bool json)
{
    if (markdown && (!published || json))
        return badInput("--markdown goes with --experiments and without --json",
                        "write `dyno recipes --experiments --markdown`");
    if (published && !recipe.empty())
        return badInput("--experiments lists all of them", "remove the recipe, or the flag");
    if (published)
        return listExperiments(json, markdown);
    return recipe.empty() ? listRecipes(library, json) : showRecipe(recipe, library, json);
}

} // namespace

void addListCommands(CLI::App& app, ExitCode code)
{
    auto json = std::make_shared<bool>(false);
    const auto add = [&](const char* name, const char* what) {
        CLI::App* command = app.add_subcommand(name, what);
        command->add_flag("--json", *json, "print one JSON document");
        return command;
    };
    auto asked = std::make_shared<std::string>();
    CLI::App* driversCommand =
        add("drivers", "The databases this build can talk to, or how the targets of one are written");
    driversCommand->add_option("DRIVER", *asked, "a driver, or the scheme of a URI");
    driversCommand->callback(
        [&code, asked, json] { code = asked->empty() ? listDrivers(*json) : showDriver(*asked, *json); });

    auto workload = std::make_shared<std::string>();
    CLI::App* workloadsCommand = add("workloads", "The workloads, or one with its parameters");
    workloadsCommand->add_option("NAME", *workload, "a workload");
    auto besideOf = std::make_shared<std::string>();
    auto taken = std::make_shared<std::string>();
    auto dropped = std::make_shared<std::string>();
    workloadsCommand->add_option("--library", *besideOf, "the library with your workloads beside it (the user's own)");
    workloadsCommand->add_option("--add", *taken,
                                 "FILE: copy a script among your workloads, under the file's name; nothing in it runs");
    workloadsCommand->add_option("--remove", *dropped, "WORKLOAD: delete one of yours");
    auto names = std::make_shared<bool>(false);
    workloadsCommand->add_flag("--names", *names, "the names of yours")->group(""); // for completion
    workloadsCommand->callback([&code, workload, besideOf, taken, dropped, names, json] {
        const bool adds = !taken->empty(), removes = !dropped->empty();
        if ((adds && removes) || ((adds || removes) && (!workload->empty() || *json)))
            code = badInput("--add and --remove stand alone", "write `dyno workloads --add FILE`");
        else if (*names)
            code = nameOwnWorkloads(*besideOf);
        else if (adds || removes)
            code = removes ? removeOwnWorkload(*dropped, *besideOf) : addOwnWorkload(*taken, *besideOf);
        else
            code = workload->empty() ? listWorkloads(*besideOf, *json) : showWorkload(*workload, *besideOf, *json);
    });

    auto driver = std::make_shared<std::string>();
    auto knob = std::make_shared<std::string>();
    CLI::App* knobsCommand =
        add("knobs", "The settings that can be turned, of all drivers or one, or all that is known of one setting");
    knobsCommand->add_option("DRIVER", *driver, "a driver");
    knobsCommand->add_option("NAME", *knob, "a knob of it, such as sync_binlog or table.encryption");
    knobsCommand->callback([&code, driver, knob, json] {
        code = knob->empty() || !findDriver(*driver) ? listKnobs(*driver, *json) : showKnob(*driver, *knob, *json);
    });

    auto recipe = std::make_shared<std::string>();
    CLI::App* recipesCommand = add("recipes", "The built-in recipes and your own, or the plan of one");
    recipesCommand->add_option("ID", *recipe, "a recipe");
    auto published = std::make_shared<bool>(false);
    recipesCommand->add_flag("--experiments", *published,
                             "the published experiments: the recipes that repeat each, or why there is none");
    auto markdown = std::make_shared<bool>(false);
    recipesCommand->add_flag("--markdown", *markdown,
                             "with --experiments: a page of them, with how each recipe departs from its post");
    auto library = std::make_shared<std::string>();
    auto added = std::make_shared<std::string>();
    auto removed = std::make_shared<std::string>();
    recipesCommand->add_option("--library", *library, "the library with your recipes beside it (the user's own)");
    const CLI::Option* adding = recipesCommand->add_option(
        "--add", *added, "FILE: copy a recipe of somebody else among yours; it does not run");
    const CLI::Option* removing = recipesCommand->add_option("--remove", *removed, "RECIPE: delete one of yours");
    recipesCommand->callback([&code, recipe, published, markdown, library, added, removed, adding, removing, json] {
        const bool adds = adding->count() > 0, removes = removing->count() > 0;
        if ((adds && removes) || ((adds || removes) && (!recipe->empty() || *published || *json)))
            code = badInput("--add and --remove stand alone", "write `dyno recipes --add FILE`");
        else if (adds || removes)
            code = removes ? removeOwnRecipe(*removed, *library) : addOwnRecipe(*added, *library);
        else
            code = listOrShow(*recipe, *library, *published, *markdown, *json);
    });
}

} // namespace dyno::cli
