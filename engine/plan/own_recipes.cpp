// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/own_recipes.h>

#include "base/secret_names.h"
#include "plan/own_files.h"
#include "plan/recipe_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".toml";
constexpr OwnFileKind kRecipeFile{"recipe", "choose a plan file (TOML)"};

fs::path fileOf(const fs::path& folder, std::string_view id)
{
    return folder / (std::string(id) + std::string(kSuffix));
}

//! Only what names a file directly in the folder.
bool isId(std::string_view id)
{
    return isOwnRecipe(id) &&
           std::ranges::all_of(id, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

std::string freeId(const fs::path& folder, std::string_view start, std::string_view text)
{
    const std::string id = std::string(start) + ownName(text, "recipe");
    std::string free = id;
    std::error_code ignored;
    for (int n = 2; fs::exists(fileOf(folder, free), ignored); ++n)
        free = fmt::format("{}-{}", id, n);
    return free;
}

Error errorOf(const std::string& name, const Fault& fault)
{
    return {ErrorKind::BadInput, fault.what,
            fault.line > 0 ? fmt::format("{}:{}: {}", name, fault.line, fault.where)
                           : fmt::format("{}: {}", name, fault.where),
            fault.remedy};
}

OwnRecipe recipeIn(const std::string& text, const std::string& id, const std::string& name)
{
    OwnRecipe recipe;
    recipe.info = describeRecipe(text, &recipe.described);
    if (!id.empty())
        recipe.info.id = id;
    ParsedPlan parsed = parsePlan(text, name);
    recipe.plan = std::move(parsed.plan);
    recipe.faults = std::move(parsed.faults);
    if (recipe.plan)
        recipe.plan->source = id; // what a file says of itself is no origin
    return recipe;
}

OwnRecipe recipeAt(const fs::path& file, const std::string& id)
{
    const auto text = ownText(file, kRecipeFile);
    if (text)
        return recipeIn(*text, id, file.filename().string());
    OwnRecipe recipe;
    recipe.info.id = id;
    recipe.faults.push_back({file.filename().string(), 0, 0, text.error().message, text.error().remedy});
    return recipe;
}

//! The first setting that holds a secret, "" for none. (A URI with a password is a fault of the plan already.)
std::string secretIn(const Plan& plan)
{
    const auto in = [](const Settings& settings) -> std::string {
        for (const auto& [key, value] : settings) {
            if (namesSecret(std::string_view(key).substr(key.find('.') + 1)) && !toText(value).empty())
                return key;
        }
        return {};
    };
    std::string found = in(plan.set);
    for (const Axis& axis : plan.axes) {
        for (const Case& one : axis.cases)
            found = found.empty() ? in(one.set) : found;
    }
    for (const PlanSize& size : plan.sizes)
        found = found.empty() ? in({size.fields.begin(), size.fields.end()}) : found;
    return found;
}

Expected<void> refuseSecrets(const Plan& plan)
{
    if (const std::string key = secretIn(plan); !key.empty())
        return fail({ErrorKind::BadInput, fmt::format("{} holds a secret, which a recipe must not carry", key), key,
                     "remove the setting, or leave it empty"});
    return {};
}

Expected<void> writeText(const fs::path& folder, std::string_view id, std::string_view text)
{
    return writeOwnText(fileOf(folder, id), text);
}

//! Only what can be read back is written.
Expected<void> writeChecked(const fs::path& folder, std::string_view id, Plan plan, const RecipeWords& words,
                            RecipeInfo about)
{
    if (const auto clean = refuseSecrets(plan); !clean)
        return clean;
    plan.title = words.question;
    plan.description = words.description;
    about.id = id;
    about.summary = words.name;
    const std::string text = writeRecipe(plan, about);
    const ParsedPlan back = parsePlan(text, id);
    if (!back.faults.empty())
        return fail(errorOf("the plan", {.where = back.faults.front().where,
                                         .what = back.faults.front().what,
                                         .remedy = back.faults.front().remedy}));
    return writeText(folder, id, text);
}

Expected<std::string> fileText(const fs::path& folder, std::string_view id)
{
    if (!isId(id))
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not a recipe of your own", id), {}, {}});
    return ownText(fileOf(folder, id), kRecipeFile);
}

} // namespace

fs::path recipesFolder(const fs::path& library)
{
    fs::path folder = library;
    return folder.replace_extension("recipes");
}

bool isOwnRecipe(std::string_view id)
{
    return id.starts_with(kSavedRecipe) || id.starts_with(kAddedRecipe);
}

std::vector<std::string> ownRecipeIds(const fs::path& folder)
{
    std::vector<std::string> ids;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const std::string id = it->path().stem().string();
        if (it->path().extension() == kSuffix && isId(id))
            ids.push_back(id);
    }
    std::ranges::sort(ids);
    return ids;
}

std::vector<OwnRecipe> ownRecipes(const fs::path& folder)
{
    std::vector<OwnRecipe> all;
    for (const std::string& id : ownRecipeIds(folder))
        all.push_back(recipeAt(fileOf(folder, id), id));
    return all;
}

Expected<OwnRecipe> ownRecipe(const fs::path& folder, std::string_view id)
{
    std::error_code ignored;
    if (isId(id) && fs::exists(fileOf(folder, id), ignored))
        return recipeAt(fileOf(folder, id), std::string(id));
    const std::string likely = likelyName(id, ownRecipeIds(folder));
    return fail({ErrorKind::BadInput,
                 fmt::format("there is no recipe \"{}\"", id),
                 {},
                 likely.empty() ? "`dyno recipes` lists them" : fmt::format("did you mean \"{}\"?", likely)});
}

OwnRecipe readRecipe(const fs::path& file)
{
    return recipeAt(file, {});
}

Expected<std::string> saveRecipe(const fs::path& folder, const Plan& plan, const RecipeWords& words)
{
    const std::string id = freeId(folder, kSavedRecipe, words.name.empty() ? words.question : words.name);
    RecipeInfo about;
    for (const RecipeInfo& recipe : recipes()) { // what it was made of is found by the same words
        if (recipe.id == plan.source)
            about.tags = recipe.tags;
    }
    if (const ParsedPlan known = parsePlan(writePlan(plan), id); known.plan)
        about.minutes = expand(plan).estimatedSeconds / 60;
    if (const auto written = writeChecked(folder, id, plan, words, std::move(about)); !written)
        return fail(written.error());
    return id;
}

Expected<void> renameRecipe(const fs::path& folder, std::string_view id, const RecipeWords& words)
{
    const auto text = fileText(folder, id);
    if (!text)
        return fail(text.error());
    OwnRecipe recipe = recipeIn(*text, std::string(id), fileOf(folder, id).filename().string());
    if (!recipe.plan)
        return fail(errorOf(recipe.info.id, recipe.faults.front()));
    return writeChecked(folder, id, std::move(*recipe.plan), words, std::move(recipe.info));
}

Expected<std::string> addRecipe(const fs::path& folder, const fs::path& file)
{
    const auto text = ownText(file, kRecipeFile);
    return text ? addRecipe(folder, file, *text) : fail(text.error());
}

Expected<std::string> addRecipe(const fs::path& folder, const fs::path& file, const std::string& text)
{
    const OwnRecipe recipe = recipeIn(text, {}, file.filename().string());
    if (!recipe.plan)
        return fail(errorOf(file.filename().string(), recipe.faults.front()));
    if (const auto clean = refuseSecrets(*recipe.plan); !clean)
        return fail(clean.error());
    std::string name = recipe.info.id.empty() ? file.stem().string() : recipe.info.id;
    for (const std::string_view start : {kSavedRecipe, kAddedRecipe}) {
        if (name.starts_with(start))
            name.erase(0, start.size());
    }
    std::string id = freeId(folder, kAddedRecipe, name);
    if (const auto written = writeText(folder, id, text); !written)
        return fail(written.error());
    return id;
}

Expected<std::string> removeRecipe(const fs::path& folder, std::string_view id)
{
    auto text = fileText(folder, id);
    std::error_code error;
    if (text && !fs::remove(fileOf(folder, id), error))
        return fail(ownFileError(fileOf(folder, id), "the recipe was not deleted: " + error.message()));
    return text;
}

Expected<void> restoreRecipe(const fs::path& folder, std::string_view id, std::string_view text)
{
    std::error_code ignored;
    if (!isId(id) || fs::exists(fileOf(folder, id), ignored))
        return fail({ErrorKind::BadInput, fmt::format("there is a recipe \"{}\" by now", id), {}, {}});
    return writeText(folder, id, text);
}

} // namespace dyno
