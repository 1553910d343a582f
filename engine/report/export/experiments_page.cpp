// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/export.h>

#include "report/export/markdown_text.h"

#include <dyno/catalog.h>

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace dyno {

namespace {

using report::escaped;

std::string recipeText(const RecipeInfo& recipe)
{
    std::string text = fmt::format("`{}`: {} Needs {}.\n\n", recipe.id, escaped(recipe.title), escaped(recipe.needs));
    for (const std::string& one : recipe.departs)
        text += fmt::format("- {}\n", escaped(one));
    return text + (recipe.departs.empty() ? "" : "\n");
}

} // namespace

std::string experimentsMarkdown()
{
    std::string text =
        "# Published experiments and recipes\n\n"
        "Dynobench repeats published experiments by recipes. Each experiment lists its recipes and how they depart "
        "from what was published, at their size `published`, or why there is none. Smaller sizes keep the cases "
        "and the share of the data that memory holds. This page is generated: `dyno manual --generate DIR` writes "
        "it.\n\n";
    const std::vector<RecipeInfo> known = recipes();
    std::set<std::string> told;
    for (const ExperimentInfo& one : experiments()) {
        text += fmt::format("## {} {}\n\n", one.id, escaped(one.title));
        for (const std::string& id : one.recipes) {
            const auto recipe = std::ranges::find(known, id, &RecipeInfo::id);
            if (recipe == known.end())
                continue;
            text += told.insert(id).second ? recipeText(*recipe) : fmt::format("`{}`, as above.\n\n", id);
        }
        if (!one.reason.empty())
            text += escaped(one.reason) + "\n\n";
    }
    text.pop_back();
    return text;
}

} // namespace dyno
