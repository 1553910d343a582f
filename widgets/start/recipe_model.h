// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The recipes of the Start page: what they ask, what they need, whether they can run here, and an example of their
//! chart. GUI thread; loadRecipes() is for a job.
#pragma once

#include "plots/chart_preview.h"

#include <dyno/catalog.h>
#include <dyno/plan.h>

#include <QAbstractListModel>
#include <QSortFilterProxyModel>
#include <QString>
#include <QStringList>

#include <array>
#include <filesystem>
#include <map>
#include <vector>

namespace dyno {

//! One of the sizes a recipe comes in.
struct RecipeSize
{
    QString name;       //!< as applySize() takes it
    double minutes = 0; //!< estimated, without loading; 0 = not known
    bool operator==(const RecipeSize&) const = default;
};
//! "quick", "laptop", "published" in the user's language; any other name as it is.
[[nodiscard]] QString sizeText(const QString& name);
//! "1 min", "2 h 10 min": an estimate, never in seconds; "" for 0.
[[nodiscard]] QString minutesText(double minutes);

//! Where a recipe comes from.
enum class RecipeOrigin {
    Program, //!< it is built in
    Saved,   //!< this person saved it
    Added,   //!< from somebody else's file
};

//! What helps where a recipe cannot run.
enum class RecipeHelp {
    Nothing,   //!< it can run
    AddServer, //!< on the Servers page
    Explain,   //!< Recipe::remedy says it
};

struct Recipe
{
    QString id, title, summary, needs;
    RecipeOrigin origin = RecipeOrigin::Program;
    [[nodiscard]] bool isOwn() const { return origin != RecipeOrigin::Program; }
    double minutes = 0;
    QStringList tags;
    QStringList departs;           //!< how it departs from its post, a sentence each
    QStringList products;          //!< what it measures, by their names: "MariaDB"
    std::vector<RecipeSize> sizes; //!< empty: it comes in one size
    ChartPreview example; //!< its chart with as many series and places as the plan has; the values mean nothing
    QString measure;      //!< what that chart is of: "transactions/s by users"
    QStringList found;    //!< longest form first: "MariaDB 10.11 found", "MariaDB 10.11"; "Needs nothing"
    QString problem;      //!< why it cannot run here, "" when it can
    QString reason;       //!< that in a few words: "MySQL 8.0 was not found"
    QString remedy;
    RecipeHelp help = RecipeHelp::Nothing;
    QString words; //!< what the search looks at, in lower case: question, description, settings, workload, tags
    Plan plan;     //!< empty when `problem` is about the plan itself
};

//! Reads all recipes, those of one's own from `folder`, and asks whether their targets are there (a server program, a
//! driver). Of one's own only what starts no program that a file names. Blocks: for a job.
[[nodiscard]] std::vector<Recipe> loadRecipes(const std::filesystem::path& folder);
[[nodiscard]] ChartPreview examplePreview(const Plan& plan);
//! The recipe's plan in one of its sizes ("" = as it is written).
[[nodiscard]] Expected<Plan> planOf(const Recipe& recipe, const QString& size);

//! The subjects that recipes can be filtered by, as their tags have them. Each recipe has one of them at least.
inline constexpr std::array<const char*, 8> kSubjects = {"durability", "engines",    "versions", "scaling",
                                                         "memory",     "encryption", "network",  "load"};
inline constexpr const char* kOwnSubject = "own";      //!< filters what is not of the program
[[nodiscard]] QString subjectText(const QString& tag); //!< translated: "Durability"

//! One's own newest result of a recipe.
struct OwnResult
{
    qint64 startedMs = 0;
    int runsDone = 0, runsPlanned = 0;
    QString measure;
    ChartPreview chart;
    bool operator==(const OwnResult&) const = default;
};
using OwnResults = std::map<QString, OwnResult>; //!< by the recipe's id

class RecipeModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role {
        IdRole = Qt::UserRole + 1,
        SummaryRole,
        NeedsRole,
        TagsRole,
        ProblemRole,
        ProductsRole,
        WordsRole,
        OwnRole
    };

    using QAbstractListModel::QAbstractListModel;
    //! In the order in which they are shown: the first start's recipe, those with results of one's own (newest first),
    //! other recipes of one's own, the others, and at the end those that cannot run here.
    void setRecipes(std::vector<Recipe> recipes);
    void setOwnResults(OwnResults own);
    [[nodiscard]] const Recipe& recipe(int row) const { return m_recipes[std::size_t(row)]; }
    [[nodiscard]] const Recipe* find(const QString& id) const; //!< nullptr if there is none
    [[nodiscard]] static bool isFirst(const Recipe& recipe);   //!< the first start offers it
    [[nodiscard]] const Recipe* first() const;                 //!< nullptr if there is none
    [[nodiscard]] const OwnResult* ownResult(const QString& id) const;
    [[nodiscard]] const OwnResults& ownResults() const { return m_own; }
    [[nodiscard]] bool hasOwn() const;
    [[nodiscard]] QStringList products() const; //!< of all recipes, by name

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    void sort();

    std::vector<Recipe> m_recipes;      //!< in the order shown
    std::map<QString, int> m_catalogue; //!< place of a recipe in the catalogue
    OwnResults m_own;
};

//! Keeps the recipes of a subject and of a product ("" = all) that have all words of a search.
class RecipeFilter : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setSubject(const QString& tag);
    void setProduct(const QString& name);
    void setSearch(const QString& text);
    void clear();
    [[nodiscard]] QString subject() const { return m_subject; }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QString m_subject, m_product;
    QStringList m_words;
};

} // namespace dyno
