// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan_source.h"

#include <dyno/agreements.h>
#include <dyno/catalog.h>
#include <dyno/own_recipes.h>
#include <dyno/runner.h>
#include <dyno/uri_form.h>

#include <algorithm>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::string_view kScopes[]{"target", "server", "connection", "table", "client", "host", "workload", "load"};

void addError(Faults& faults, const Error& error)
{
    faults.push_back({error.where, 0, 0, error.message, error.remedy});
}

//! "sqlite:x.db" or "mysql://…": a target where a plan belongs.
bool looksLikeTarget(std::string_view text)
{
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
        return false;
    const std::string_view scheme = text.substr(0, colon);
    const UriForm* form = uriFormOf(scheme);
    return text.substr(colon).starts_with("://") || (form && form->built);
}

//! True for a recipe, which is ours.
bool loadSource(const PlanRequest& request, LoadedPlan& loaded)
{
    const std::string& source = request.source;
    const auto known = recipes();
    std::error_code ignored;
    const bool isFile = std::filesystem::exists(source, ignored);
    const bool isRecipe = std::any_of(known.begin(), known.end(), [&](const RecipeInfo& r) { return r.id == source; });
    if (!isFile && !isRecipe && looksLikeTarget(source)) {
        loaded.name = redactUri(source);
        loaded.faults.push_back({loaded.name, 0, 0, "this is a target, not a plan",
                                 "write --target URI --workload NAME, or give a plan's file or a recipe"});
        return false;
    }
    if (isRecipe && !isFile) {
        auto plan = recipePlan(source);
        if (plan)
            loaded.plan = std::move(*plan);
        else
            addError(loaded.faults, plan.error());
        return true;
    }
    if (!isFile && isOwnRecipe(source)) { // which anybody may have sent
        const std::filesystem::path library =
            request.library.empty() ? defaultLibrary() : std::filesystem::path(request.library);
        if (auto own = ownRecipe(recipesFolder(library), source)) {
            loaded.plan = std::move(own->plan);
            loaded.faults = std::move(own->faults);
        } else {
            addError(loaded.faults, own.error());
        }
        return false;
    }
    ParsedPlan parsed = readPlan(source);
    loaded.plan = std::move(parsed.plan);
    loaded.faults = std::move(parsed.faults);
    if (!isFile && source.find('/') == std::string::npos && !source.ends_with(".toml")) {
        std::vector<std::string> ids;
        for (const RecipeInfo& recipe : known)
            ids.push_back(recipe.id);
        const std::string likely = likelyName(source, ids);
        loaded.faults = {{source, 0, 0, "there is neither a file nor a recipe of this name",
                          likely.empty()
                              ? "`dyno recipes` lists the recipes"
                              : fmt::format("did you mean \"{}\"? `dyno recipes` lists the recipes", likely)}};
    }
    return false;
}

} // namespace

LoadedPlan loadPlan(const PlanRequest& request)
{
    LoadedPlan loaded;
    loaded.name = request.source;
    const bool ours = loadSource(request, loaded);
    if (!loaded.plan)
        return loaded;
    Plan& plan = *loaded.plan;
    if (!request.size.empty()) {
        if (const auto sized = applySize(plan, request.size); !sized)
            addError(loaded.faults, sized.error());
    }
    applySets(plan, request.sets, loaded.consent, loaded.faults);
    if (ours) { // the recipe is ours, and everything else was typed
        for (const Risk& risk : risksOf(plan)) {
            if (!risk.key.starts_with("host.")) // a setting of the machine is everybody's on it
                loaded.consent.allow(risk);
        }
        for (const auto& [key, value] : wordsOfRecipe(plan)) { // on a kept server they show later
            if (key.starts_with("server."))
                loaded.consent.allow(Risk{key, value, {}});
        }
    }
    // What was changed by hand has no line in the file.
    if (loaded.faults.empty() && (!request.sets.empty() || !request.size.empty()))
        loaded.faults = checkPlan(plan);
    if (!loaded.faults.empty())
        loaded.plan.reset();
    return loaded;
}

void applySets(Plan& plan, const std::vector<std::string>& sets, Consent& consent, Faults& faults)
{
    if (sets.empty())
        return;
    const Plan before = plan;
    std::vector<std::string> keys;
    for (const std::string& text : sets) {
        const auto parts = splitAssignment(text, "--set");
        if (!parts) {
            addError(faults, parts.error());
            continue;
        }
        if (const auto set = setField(plan, parts->first, parts->second); !set)
            addError(faults, set.error());
        for (const std::string_view key : {kReplaceTables, kDropTables}) {
            if (parts->first == key)
                keys.emplace_back(key);
        }
    }
    consent = typedIn(before, plan);
    for (std::string& key : keys)
        consent.allow(std::move(key));
}

std::vector<Risk> openRisks(const Plan& plan, const std::vector<Risk>& risks, Consent& consent)
{
    recallAgreed(plan, risks, consent);
    std::vector<Risk> open = uncovered(risks, consent);
    if (open.empty())
        rememberAgreed(plan, risks);
    return open;
}

std::string risksText(std::string_view name, const std::vector<Risk>& risks)
{
    std::string text = fmt::format("{} wants to do what needs your agreement:", name);
    for (const Risk& risk : risks)
        text += "\n  " + toText(risk);
    const std::string& key = risks.front().key;
    const bool isWord = key.find_first_of(" \t\"'$`\\&|;<>()*?[]#~!{}") == std::string::npos; // of a shell
    return text + "\nIf you trust whoever wrote it, add --allow KEY for each, such as --allow " +
           (isWord ? key : "'" + key + "'") + ", or --allow all. Nothing was started, sent or changed.";
}

std::string faultText(std::string_view name, const Fault& fault)
{
    std::string text(name);
    if (fault.line > 0)
        text += fmt::format(":{}:{}", fault.line, fault.column);
    text += ": ";
    if (!fault.where.empty() && fault.where != name)
        text += fault.where + ": ";
    text += fault.what;
    if (!fault.remedy.empty())
        text += fmt::format(" ({})", fault.remedy);
    return text;
}

void resolvePaths(Plan& plan, const std::filesystem::path& base)
{
    const auto resolved = [&](const std::string& uri) {
        auto target = parseUri(uri);
        if (!target || !isFile(*target) || target->path.empty() || target->path.front() == '/' ||
            target->path.front() == ':')
            return uri;
        target->path = (base / target->path).lexically_normal().string();
        return target->display();
    };
    if (!plan.target.uri.empty())
        plan.target.uri = resolved(plan.target.uri);
    const auto resolveIn = [&](Settings& settings) {
        if (const auto found = settings.find("target.uri"); found != settings.end())
            found->second = resolved(toText(found->second));
    };
    resolveIn(plan.set);
    for (Axis& axis : plan.axes) {
        for (Case& one : axis.cases)
            resolveIn(one.set);
    }
}

Expected<std::string> qualifiedKnob(std::string_view driver, std::string_view name)
{
    const std::size_t dot = name.find('.');
    if (dot != std::string_view::npos &&
        std::find(std::begin(kScopes), std::end(kScopes), name.substr(0, dot)) != std::end(kScopes))
        return std::string(name);
    std::vector<std::string> scopes;
    for (const KnobInfo& knob : knobs(driver)) {
        if (knob.option.name == name)
            scopes.push_back(knob.scope);
    }
    if (scopes.size() == 1)
        return fmt::format("{}.{}", scopes.front(), name);
    if (scopes.empty())
        return fail({ErrorKind::BadInput, fmt::format("no knob of {} is called \"{}\"", driver, name), "--knob",
                     fmt::format("`dyno knobs {}` lists them; write SCOPE.{} for a variable that is not listed", driver,
                                 name)});
    return fail({ErrorKind::BadInput, fmt::format("{} has several scopes: {}", name, fmt::join(scopes, ", ")), "--knob",
                 fmt::format("write {}.{} or another scope", scopes.front(), name)});
}

Expected<std::pair<std::string, std::string>> splitAssignment(std::string_view text, std::string_view option)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0)
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not NAME=VALUE", text), std::string(option),
                     fmt::format("write {} NAME=VALUE", option)});
    return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

} // namespace dyno
