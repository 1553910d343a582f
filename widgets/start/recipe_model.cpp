// SPDX-License-Identifier: GPL-3.0-or-later
#include "start/recipe_model.h"

#include "format.h"
#include "parts/plan_text.h"

#include <dyno/machine_settings.h>
#include <dyno/path.h>
#include <dyno/runner.h>
#include <dyno/uri.h>

#include <algorithm>
#include <map>
#include <set>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

int casesOf(const Plan& plan, const std::string& axis)
{
    if (axis == "users")
        return int(plan.load.users.size());
    for (const Axis& one : plan.axes) {
        if (one.name == axis)
            return int(one.cases.size());
    }
    return 1;
}

//! Why a target cannot be had here; asked once per URI, since a server program's version takes a moment.
struct Availability
{
    QString problem, remedy;
};

Availability availabilityOf(const std::string& uri)
{
    const auto parsed = parseUri(uri);
    if (!parsed)
        return {qtText(parsed.error().message), qtText(parsed.error().remedy)};
    if (!findDriver(parsed->driver)) {
        return {RecipeModel::tr("this build has no driver for it"),
                RecipeModel::tr("build with the driver “%1”").arg(qtText(parsed->driver))};
    }
    if (parsed->kind != TargetKind::Managed)
        return {};
    const auto facts = inspectTarget(*parsed);
    if (!facts)
        return {qtText(facts.error().message), qtText(facts.error().remedy)};
    return {};
}

//! Whether the recipe does without it where it cannot run.
bool isOptional(const Plan& plan, const PointSpec& point)
{
    return std::ranges::any_of(plan.axes, [&point](const Axis& axis) {
        return std::ranges::any_of(axis.cases, [&](const Case& one) {
            return one.optional && std::ranges::any_of(point.cases, [&](const CaseRef& ref) {
                       return ref.axis == axis.name && ref.label == one.label;
                   });
        });
    });
}

} // namespace

RecipeShape shapeOf(const Plan& plan)
{
    RecipeShape shape;
    if (plan.views.empty()) {
        shape.xs = int(plan.load.users.size());
        shape.series = plan.axes.empty() ? 1 : int(plan.axes.front().cases.size());
    } else {
        const View& view = plan.views.front();
        shape.chart = qtText(view.chart);
        shape.xs = casesOf(plan, view.x);
        shape.series = view.series.empty() ? 1 : casesOf(plan, view.series);
    }
    shape.series = std::clamp(shape.series, 1, 6);
    shape.xs = std::clamp(shape.xs, 1, 9);
    return shape;
}

QString sizeText(const QString& name)
{
    if (name == u"quick"_s)
        return RecipeModel::tr("quick");
    if (name == u"laptop"_s)
        return RecipeModel::tr("laptop");
    if (name == u"published"_s)
        return RecipeModel::tr("as published");
    return name;
}

Expected<Plan> planOf(const Recipe& recipe, const QString& size)
{
    Plan plan = recipe.plan;
    if (size.isEmpty())
        return plan;
    if (const auto sized = applySize(plan, size.toStdString()); !sized)
        return fail(sized.error());
    return plan;
}

namespace {

std::vector<RecipeSize> sizesOf(const Recipe& recipe, const std::vector<std::string>& names)
{
    std::vector<RecipeSize> sizes;
    for (const std::string& name : names) {
        RecipeSize& size = sizes.emplace_back();
        size.name = qtText(name);
        const auto plan = planOf(recipe, size.name);
        if (plan && checkPlan(*plan).empty())
            size.minutes = expand(*plan).estimatedSeconds / 60;
    }
    return sizes;
}

} // namespace

std::vector<Recipe> loadRecipes()
{
    std::vector<Recipe> recipes;
    std::map<std::string, Availability> known, proxiesKnown;
    for (const RecipeInfo& info : dyno::recipes()) {
        Recipe& recipe = recipes.emplace_back();
        recipe.id = qtText(info.id);
        recipe.title = qtText(info.title);
        recipe.summary = qtText(info.summary);
        recipe.needs = qtText(info.needs);
        recipe.minutes = info.minutes;
        recipe.departs = qtTexts(info.departs);
        for (const std::string& tag : info.tags)
            recipe.tags << qtText(tag);
        const auto plan = recipePlan(info.id);
        if (!plan) {
            // A plan for a driver that is missing here is refused as a whole; its target says it in fewer words.
            recipe.problem = qtText(plan.error().message);
            recipe.remedy = qtText(plan.error().remedy);
            continue;
        }
        recipe.plan = *plan;
        recipe.shape = shapeOf(*plan);
        recipe.sizes = sizesOf(recipe, info.sizes);
        std::set<std::string> uris, paths; // these may come with the cases of an axis
        for (const PointSpec& point : expand(*plan).points) {
            if (isOptional(*plan, point))
                continue;
            uris.insert(point.target.uri);
            const auto uri = parseUri(point.target.uri);
            const auto problem = uri ? machineProblem(point.host, placeOf(*uri, dataFolder())) : std::optional<Error>();
            if (problem && recipe.problem.isEmpty()) {
                recipe.problem = qtText(problem->message);
                recipe.remedy = qtText(problem->remedy);
            }
            paths.insert(point.target.path);
        }
        for (const std::string& uri : uris) {
            const auto found = known.try_emplace(uri);
            if (found.second)
                found.first->second = availabilityOf(uri);
            if (!recipe.problem.isEmpty())
                continue;
            recipe.problem = found.first->second.problem;
            recipe.remedy = found.first->second.remedy;
        }
        for (const std::string& path : paths) {
            const auto found = proxiesKnown.try_emplace(path);
            if (found.second) {
                if (const auto problem = missingProxy(path))
                    found.first->second = {qtText(problem->message), qtText(problem->remedy)};
            }
            if (!recipe.problem.isEmpty())
                continue;
            recipe.problem = found.first->second.problem;
            recipe.remedy = found.first->second.remedy;
        }
    }
    return recipes;
}

void RecipeModel::setRecipes(std::vector<Recipe> recipes)
{
    beginResetModel();
    m_recipes = std::move(recipes);
    endResetModel();
}

const Recipe* RecipeModel::find(const QString& id) const
{
    const auto found =
        std::find_if(m_recipes.begin(), m_recipes.end(), [&id](const Recipe& recipe) { return recipe.id == id; });
    return found == m_recipes.end() ? nullptr : &*found;
}

QStringList RecipeModel::tags() const
{
    std::map<QString, int> uses;
    for (const Recipe& recipe : m_recipes) {
        for (const QString& tag : recipe.tags)
            ++uses[tag];
    }
    QStringList tags;
    for (const auto& [tag, count] : uses) {
        if (count > 1)
            tags << tag;
    }
    std::stable_sort(tags.begin(), tags.end(),
                     [&uses](const QString& a, const QString& b) { return uses.at(a) > uses.at(b); });
    return tags;
}

int RecipeModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_recipes.size());
}

QVariant RecipeModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Recipe& one = recipe(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return one.title;
    case IdRole:
        return one.id;
    case SummaryRole:
    case Qt::ToolTipRole:
        return one.summary;
    case NeedsRole:
        return one.needs.isEmpty() ? format::duration(one.minutes * 60)
                                   : QString(one.needs + u" · " + format::duration(one.minutes * 60));
    case TagsRole:
        return one.tags;
    case ProblemRole:
        return one.problem;
    default:
        return {};
    }
}

void RecipeFilter::setTag(const QString& tag)
{
    m_tag = tag;
    invalidateFilter();
}

bool RecipeFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    return m_tag.isEmpty() ||
           sourceModel()->index(row, 0, parent).data(RecipeModel::TagsRole).toStringList().contains(m_tag);
}

} // namespace dyno
