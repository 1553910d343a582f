// SPDX-License-Identifier: GPL-3.0-or-later
#include "start/recipe_model.h"

#include "format.h"
#include "parts/plan_text.h"
#include "plots/series_labels.h"
#include "plots/session_digest.h"

#include <dyno/machine_settings.h>
#include <dyno/own_recipes.h>
#include <dyno/path.h>
#include <dyno/report.h>
#include <dyno/runner.h>
#include <dyno/uri.h>

#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr const char* kFirstTag = "first"; //!< of the recipe that the first start offers
constexpr int kExamplePlaces = 9, kCourseSteps = 90;

QStringList casesOf(const Plan& plan, const std::string& axis)
{
    QStringList labels;
    if (axis == "users") {
        for (const int users : plan.load.users)
            labels << QString::number(users);
    }
    for (const Axis& one : plan.axes) {
        if (one.name != axis)
            continue;
        for (const Case& choice : one.cases)
            labels << qtText(choice.label);
    }
    return labels;
}

//! Height 0…1 of a line that rises with x and bends over; lines below each other do not cross.
double risingHeight(double x, int series, int count)
{
    const double top = count == 1 ? 0.86 : 0.92 - 0.74 * double(series) / double(count);
    const double rise = (1 - std::exp(-2.6 * x)) / (1 - std::exp(-2.6));
    return top * (0.14 + 0.86 * rise);
}

//! A calm course over time with a fixed ripple: the same picture each time.
double courseHeight(double x, int series, int count)
{
    const double level = count == 1 ? 0.62 : 0.84 - 0.62 * double(series) / double(count);
    return level + 0.035 * std::sin(x * 47 + series * 2.1) + 0.025 * std::sin(x * 113 + series);
}

double barHeight(double x, int series, int count)
{
    return (0.9 - 0.5 * x) * (1 - 0.45 * double(series) / double(count));
}

//! What is there of a target, or why it cannot be had here; asked once per URI, since a server program's version takes
//! a moment.
struct Availability
{
    QString product; //!< "MariaDB"
    QString found;   //!< "MariaDB 10.11"; "" for what is built in
    QString problem, reason, remedy;
    RecipeHelp help = RecipeHelp::Nothing;
};

//! "10.11" of "10.11.6-MariaDB-0+deb12u1".
QString shortVersion(const std::string& version)
{
    static const QRegularExpression start(u"^\\d+(\\.\\d+)?"_s);
    return start.match(qtText(version)).captured();
}

Availability availabilityOf(const std::string& uri)
{
    Availability result;
    const auto parsed = parseUri(uri);
    if (!parsed) {
        result.problem = qtText(parsed.error().message);
        result.reason = sentenceText(parsed.error().message);
        result.remedy = qtText(parsed.error().remedy);
        result.help = RecipeHelp::Explain;
        return result;
    }
    const bool managed = parsed->kind == TargetKind::Managed;
    result.product = productName(qtText(managed ? parsed->product : parsed->driver));
    if (!findDriver(parsed->driver)) {
        result.problem = RecipeModel::tr("this build has no driver for it");
        result.reason = RecipeModel::tr("This build has no driver for %1").arg(result.product);
        result.remedy = RecipeModel::tr("build with the driver “%1”").arg(qtText(parsed->driver));
        result.help = RecipeHelp::Explain;
        return result;
    }
    if (!managed)
        return result;
    const auto version = parsed->query.find("version");
    const QString wanted =
        version == parsed->query.end() ? result.product : QString(result.product + u' ' + qtText(version->second));
    const auto facts = inspectTarget(*parsed);
    if (!facts) {
        result.problem = qtText(facts.error().message);
        result.reason = RecipeModel::tr("%1 was not found").arg(wanted);
        result.remedy = qtText(facts.error().remedy);
        result.help = RecipeHelp::AddServer;
        return result;
    }
    result.found = QString(result.product + u' ' + shortVersion(facts->version)).trimmed();
    return result;
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

ChartPreview examplePreview(const Plan& plan)
{
    ChartPreview preview;
    std::string x = "users", series = plan.axes.empty() ? std::string() : plan.axes.front().name;
    if (!plan.views.empty()) {
        const View& view = plan.views.front();
        const ChartKind* kind = findChartKind(view.chart);
        preview.sketch = kind ? kind->sketch : ChartSketch::Lines;
        x = view.x;
        series = view.series;
    }
    QStringList labels = casesOf(plan, series);
    if (labels.isEmpty())
        labels << QString();
    labels = labels.mid(0, qsizetype(kPreviewSeries));
    preview.xs = casesOf(plan, x).mid(0, kExamplePlaces);
    if (preview.sketch == ChartSketch::Course)
        preview.xs = QStringList(kCourseSteps, QString());
    else if (preview.xs.size() < (preview.sketch == ChartSketch::Lines ? 2 : 1))
        preview.xs = QStringList(preview.sketch == ChartSketch::Lines ? 2 : 1, QString());
    const auto count = int(labels.size());
    const auto places = preview.xs.size();
    for (int one = 0; one < count; ++one) {
        ChartPreview::Series made{shortLabel(caseWords(qtText(series), labels[one])), {}};
        for (qsizetype place = 0; place < places; ++place) {
            const double at = places < 2 ? 0 : double(place) / double(places - 1);
            made.values.push_back(preview.sketch == ChartSketch::Course ? courseHeight(at, one, count)
                                  : preview.sketch == ChartSketch::Bars ? barHeight(at, one, count)
                                                                        : risingHeight(at, one, count));
        }
        preview.series.push_back(std::move(made));
    }
    return preview;
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

QString minutesText(double minutes)
{
    constexpr double kHour = 60;
    if (minutes <= 0)
        return {};
    return minutes >= kHour ? format::duration(minutes * 60)
                            : RecipeModel::tr("%1\u00a0min").arg(std::max(1, int(std::lround(minutes))));
}

QString subjectText(const QString& tag)
{
    static const std::map<QString, QString> texts{{u"durability"_s, RecipeModel::tr("Durability")},
                                                  {u"engines"_s, RecipeModel::tr("Engine")},
                                                  {u"versions"_s, RecipeModel::tr("Version")},
                                                  {u"scaling"_s, RecipeModel::tr("Scaling")},
                                                  {u"memory"_s, RecipeModel::tr("Memory")},
                                                  {u"encryption"_s, RecipeModel::tr("Encryption")},
                                                  {u"network"_s, RecipeModel::tr("Network")},
                                                  {u"load"_s, RecipeModel::tr("Load")},
                                                  {QLatin1String(kOwnSubject), RecipeModel::tr("Yours")}};
    const auto found = texts.find(tag);
    return found == texts.end() ? tag : found->second;
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

//! What the plan's chart is of, as a digest of a session names it.
QString exampleMeasure(const Plan& plan, ChartSketch sketch)
{
    const View view = plan.views.empty() ? View() : plan.views.front();
    const std::string id = sketch == ChartSketch::Course ? intervalMeasuresOf(view.measure).amount : view.measure;
    const MeasureInfo* measure = findMeasure(id);
    if (!measure)
        return {};
    return previewMeasure(*measure, sketch, casesOf(plan, view.x).size() > 1 ? qtText(view.x) : QString());
}

//! What targets and paths are asked for, once for all recipes.
class Surroundings
{
public:
    const Availability& target(const std::string& uri)
    {
        const auto found = m_targets.try_emplace(uri);
        if (found.second)
            found.first->second = availabilityOf(uri);
        return found.first->second;
    }
    const Availability& path(const std::string& path)
    {
        const auto found = m_paths.try_emplace(path);
        if (found.second) {
            if (const auto problem = missingProxy(path))
                found.first->second = explained(*problem);
        }
        return found.first->second;
    }
    static Availability explained(const Error& error)
    {
        Availability result;
        result.problem = qtText(error.message);
        result.reason = sentenceText(error.message);
        result.remedy = qtText(error.remedy);
        result.help = RecipeHelp::Explain;
        return result;
    }

private:
    std::map<std::string, Availability> m_targets, m_paths;
};

//! The first thing that stands in the way stays.
void take(Recipe& recipe, const Availability& part)
{
    if (!part.product.isEmpty() && !recipe.products.contains(part.product))
        recipe.products << part.product;
    if (part.problem.isEmpty() || !recipe.problem.isEmpty())
        return;
    recipe.problem = part.problem;
    recipe.reason = part.reason;
    recipe.remedy = part.remedy;
    recipe.help = part.help;
}

QStringList foundForms(const QStringList& found)
{
    if (found.isEmpty())
        return {RecipeModel::tr("Needs nothing")};
    if (found.size() == 1)
        return {RecipeModel::tr("%1 found").arg(found.front()), found.front(), found.front().section(u' ', 0, -2)};
    return {found.size() == 2 ? RecipeModel::tr("Both found") : RecipeModel::tr("All found")};
}

void lookAround(Recipe& recipe, Surroundings& around)
{
    QStringList found;
    std::set<std::string> optional;
    for (const PointSpec& point : expand(recipe.plan).points) { // targets may come with the cases of an axis
        if (isOptional(recipe.plan, point)) {
            optional.insert(point.target.uri);
            continue;
        }
        const auto uri = parseUri(point.target.uri);
        if (const auto problem = uri ? machineProblem(point.host, placeOf(*uri, dataFolder())) : std::optional<Error>())
            take(recipe, Surroundings::explained(*problem));
        const Availability& target = around.target(point.target.uri);
        take(recipe, target);
        if (!target.found.isEmpty() && !found.contains(target.found))
            found << target.found;
        take(recipe, around.path(point.target.path));
    }
    for (const std::string& uri : optional) { // it runs without them, and is about them too
        if (const QString& product = around.target(uri).product; !recipe.products.contains(product))
            recipe.products << product;
    }
    recipe.found = foundForms(found);
}

Recipe describeRecipe(const RecipeInfo& info, const Expected<Plan>& plan)
{
    Recipe recipe;
    recipe.id = qtText(info.id);
    recipe.title = qtText(info.title);
    recipe.summary = qtText(info.summary);
    recipe.needs = qtText(info.needs);
    recipe.minutes = info.minutes;
    recipe.departs = qtTexts(info.departs);
    recipe.tags = qtTexts(info.tags);
    recipe.words = QStringList{recipe.title, recipe.summary, recipe.needs, recipe.tags.join(u' ')}.join(u'\n');
    if (!plan) {
        // A plan for a driver that is missing here is refused as a whole; its target says it in fewer words.
        take(recipe, Surroundings::explained(plan.error()));
    } else {
        recipe.plan = *plan;
        recipe.example = examplePreview(*plan);
        recipe.measure = exampleMeasure(*plan, recipe.example.sketch);
        recipe.sizes = sizesOf(recipe, info.sizes);
        Plan searched = *plan;
        searched.files.clear();
        recipe.words += u'\n' + qtText(writePlan(searched));
    }
    recipe.words = recipe.words.toLower();
    return recipe;
}

//! Without what depends on what is found here.
std::vector<Recipe> describeRecipes()
{
    std::vector<Recipe> recipes;
    for (const RecipeInfo& info : dyno::recipes())
        recipes.push_back(describeRecipe(info, recipePlan(info.id)));
    return recipes;
}

//! True where asking for the target starts at most a program of the usual places.
bool isPlainTarget(const std::string& uri)
{
    const auto parsed = parseUri(uri);
    if (!parsed)
        return false;
    const auto isVersion = [](const auto& one) { return one.first == "version"; };
    return parsed->kind == TargetKind::Managed && std::ranges::all_of(parsed->query, isVersion);
}

//! Of a plan that a stranger may have written: no program, file or host that it names is asked for.
void lookAroundCarefully(Recipe& recipe, Surroundings& around)
{
    QStringList found;
    bool unseen = false;
    for (const PointSpec& point : expand(recipe.plan).points) {
        const auto uri = parseUri(point.target.uri);
        if (isPlainTarget(point.target.uri)) {
            const Availability& target = around.target(point.target.uri);
            if (!isOptional(recipe.plan, point))
                take(recipe, target);
            if (!target.found.isEmpty() && !found.contains(target.found))
                found << target.found;
        } else if (uri) {
            unseen = unseen || uri->kind != TargetKind::Embedded;
            const QString product = productName(qtText(uri->kind == TargetKind::Managed ? uri->product : uri->driver));
            if (!recipe.products.contains(product))
                recipe.products << product;
        }
    }
    recipe.found =
        unseen ? QStringList{RecipeModel::tr("Server not checked"), RecipeModel::tr("Not checked")} : foundForms(found);
}

std::vector<Recipe> describeOwn(const std::filesystem::path& folder)
{
    std::vector<Recipe> recipes;
    for (const OwnRecipe& own : ownRecipes(folder)) {
        Expected<Plan> plan = fail(Error());
        if (own.plan) {
            plan = *own.plan;
        } else {
            const Fault& first = own.faults.front();
            plan = fail({ErrorKind::BadInput, first.what, {}, first.remedy});
            if (first.line > 0)
                plan.error().message =
                    RecipeModel::tr("Line %1: %2").arg(first.line).arg(qtText(first.what)).toStdString();
        }
        Recipe& recipe = recipes.emplace_back(describeRecipe(own.info, plan));
        recipe.origin = own.info.id.starts_with(kSavedRecipe) ? RecipeOrigin::Saved : RecipeOrigin::Added;
        if (recipe.title.isEmpty())
            recipe.title = recipe.id;
    }
    return recipes;
}

} // namespace

std::vector<Recipe> loadRecipes(const std::filesystem::path& folder)
{
    static const std::vector<Recipe> described = describeRecipes(); // they are a part of the program
    std::vector<Recipe> recipes = described;
    std::ranges::move(describeOwn(folder), std::back_inserter(recipes));
    Surroundings around;
    for (Recipe& recipe : recipes) {
        if (recipe.problem.isEmpty())
            recipe.isOwn() ? lookAroundCarefully(recipe, around) : lookAround(recipe, around);
    }
    return recipes;
}

void RecipeModel::setRecipes(std::vector<Recipe> recipes)
{
    beginResetModel();
    m_recipes = std::move(recipes);
    m_catalogue.clear();
    for (std::size_t i = 0; i < m_recipes.size(); ++i)
        m_catalogue[m_recipes[i].id] = int(i);
    sort();
    endResetModel();
}

void RecipeModel::setOwnResults(OwnResults own)
{
    beginResetModel();
    m_own = std::move(own);
    sort();
    endResetModel();
}

void RecipeModel::sort()
{
    // What a person can do at once comes first, what they did last before that.
    const auto key = [this](const Recipe& recipe) {
        const OwnResult* own = ownResult(recipe.id);
        const int group = !recipe.problem.isEmpty() ? 3 : isFirst(recipe) ? 0 : own || recipe.isOwn() ? 1 : 2;
        return std::tuple(group, group == 1 && own ? -own->startedMs : 0, m_catalogue.at(recipe.id));
    };
    std::ranges::stable_sort(m_recipes, {}, key);
}

bool RecipeModel::isFirst(const Recipe& recipe)
{
    return !recipe.isOwn() && recipe.tags.contains(QLatin1String(kFirstTag));
}

const Recipe* RecipeModel::first() const
{
    const auto found = std::ranges::find_if(m_recipes, isFirst);
    return found == m_recipes.end() ? nullptr : &*found;
}

const OwnResult* RecipeModel::ownResult(const QString& id) const
{
    const auto found = m_own.find(id);
    return found == m_own.end() ? nullptr : &found->second;
}

bool RecipeModel::hasOwn() const
{
    return std::ranges::any_of(m_recipes, &Recipe::isOwn);
}

QStringList RecipeModel::products() const
{
    QStringList products;
    for (const Recipe& recipe : m_recipes)
        products += recipe.products;
    products.removeDuplicates();
    products.sort(Qt::CaseInsensitive);
    return products;
}

const Recipe* RecipeModel::find(const QString& id) const
{
    const auto found =
        std::find_if(m_recipes.begin(), m_recipes.end(), [&id](const Recipe& recipe) { return recipe.id == id; });
    return found == m_recipes.end() ? nullptr : &*found;
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
    case ProductsRole:
        return one.products;
    case OwnRole:
        return one.isOwn();
    case WordsRole:
        return one.words;
    default:
        return {};
    }
}

void RecipeFilter::setSubject(const QString& tag)
{
    m_subject = tag;
    invalidateFilter();
}

void RecipeFilter::setProduct(const QString& name)
{
    m_product = name;
    invalidateFilter();
}

void RecipeFilter::setSearch(const QString& text)
{
    m_words = text.toLower().split(u' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

void RecipeFilter::clear()
{
    m_subject.clear();
    m_product.clear();
    m_words.clear();
    invalidateFilter();
}

bool RecipeFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    const auto has = [&index](int role, const QString& wanted) {
        return wanted.isEmpty() || index.data(role).toStringList().contains(wanted);
    };
    const bool own = m_subject == QLatin1String(kOwnSubject);
    if (own ? !index.data(RecipeModel::OwnRole).toBool() : !has(RecipeModel::TagsRole, m_subject))
        return false;
    if (!has(RecipeModel::ProductsRole, m_product))
        return false;
    const QString words = index.data(RecipeModel::WordsRole).toString();
    return std::ranges::all_of(m_words, [&words](const QString& word) { return words.contains(word); });
}

} // namespace dyno
