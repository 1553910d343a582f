// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Recipes are plans with a [recipe] table, compiled in from resources/recipes.
#include "embedded.h"
#include "plan/plan_fields.h"
#include "plan/plan_syntax.h"
#include "plan/recipe_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace dyno {

namespace {

//! Its targets are files or nothing at all.
bool needsNoServer(const RecipeInfo& info)
{
    const auto uri = parseUri(parseToml(info.toml).root["target"]["uri"].value_or(std::string()));
    return uri && uri->kind == TargetKind::Embedded;
}

} // namespace

RecipeInfo describeRecipe(std::string_view toml, bool* described)
{
    RecipeInfo info;
    info.toml = std::string(toml);
    const ParsedToml parsed = parseToml(toml);
    const toml::table& root = parsed.root;
    if (described) {
        const toml::table* recipe = root["recipe"].as_table();
        *described = recipe && !(recipe->size() == 1 && recipe->contains("departs"));
    }
    info.id = root["recipe"]["id"].value_or(std::string());
    info.title = root["title"].value_or(std::string());
    info.summary = root["recipe"]["summary"].value_or(std::string());
    info.needs = root["recipe"]["needs"].value_or(std::string());
    info.minutes = root["recipe"]["minutes"].value_or(0.0);
    if (const toml::array* tags = root["recipe"]["tags"].as_array()) {
        for (const toml::node& tag : *tags)
            info.tags.push_back(tag.value_or(std::string()));
    }
    if (const toml::array* departs = root["recipe"]["departs"].as_array()) {
        for (const toml::node& one : *departs)
            info.departs.push_back(one.value_or(std::string()));
    }
    if (const toml::table* sizes = root["size"].as_table()) {
        for (auto&& [name, fields] : *sizes)
            info.sizes.emplace_back(name.str());
    }
    // toml++ keeps tables sorted by name; a person expects the small one first.
    static constexpr std::array kOrder{"quick", "laptop", "published"};
    const auto rank = [](const std::string& name) {
        return std::find(kOrder.begin(), kOrder.end(), name) - kOrder.begin();
    };
    std::stable_sort(info.sizes.begin(), info.sizes.end(),
                     [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
    return info;
}

std::vector<RecipeInfo> recipes()
{
    static const std::vector<RecipeInfo> all = [] {
        std::vector<RecipeInfo> infos;
        for (const EmbeddedFile& file : embeddedFiles()) {
            if (file.path.starts_with("recipes/"))
                infos.push_back(describeRecipe(file.text)); // tst_plan_recipes finds faults
        }
        // What runs on any machine comes first.
        std::stable_partition(infos.begin(), infos.end(), needsNoServer);
        return infos;
    }();
    return all;
}

const std::vector<ExperimentInfo>& experiments()
{
    static const std::vector<ExperimentInfo> all = [] {
        std::vector<ExperimentInfo> infos;
        for (const EmbeddedFile& file : embeddedFiles()) {
            if (file.path != "experiments.toml")
                continue;
            const ParsedToml parsed = parseToml(file.text); // with faults: tst_recipes finds them
            const toml::array* list = parsed.root["experiment"].as_array();
            for (std::size_t i = 0; list && i < list->size(); ++i) {
                const toml::node_view<const toml::node> one((*list)[i]);
                ExperimentInfo& info = infos.emplace_back();
                info.id = one["id"].value_or(std::string());
                info.title = one["title"].value_or(std::string());
                info.reason = one["reason"].value_or(std::string());
                if (const toml::array* ids = one["recipes"].as_array()) {
                    for (const toml::node& id : *ids)
                        info.recipes.push_back(id.value_or(std::string()));
                }
            }
        }
        std::ranges::sort(infos, {}, &ExperimentInfo::id);
        return infos;
    }();
    return all;
}

Expected<Plan> recipePlan(std::string_view id)
{
    std::vector<std::string> ids;
    for (const RecipeInfo& recipe : recipes()) {
        ids.push_back(recipe.id);
        if (recipe.id != id)
            continue;
        ParsedPlan parsed = parsePlan(recipe.toml, recipe.id);
        if (parsed.plan) {
            parsed.plan->source = recipe.id;
            return std::move(*parsed.plan);
        }
        const Fault& first = parsed.faults.front();
        return fail({.kind = ErrorKind::BadInput,
                     .message = fmt::format("this build cannot run the recipe: {}", first.what),
                     .where = fmt::format("{}:{}: {}", recipe.id, first.line, first.where),
                     .remedy = first.remedy});
    }
    return fail({ErrorKind::BadInput, fmt::format("there is no recipe \"{}\"", id), {}, suggestion(id, ids)});
}

} // namespace dyno
