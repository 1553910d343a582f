// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The recipes of the Start page: what they ask, what they need, whether they can run here, and the shape of their
//! chart. GUI thread; loadRecipes() is for a job.
#pragma once

#include <dyno/catalog.h>
#include <dyno/plan.h>

#include <QAbstractListModel>
#include <QSortFilterProxyModel>
#include <QString>
#include <QStringList>

#include <vector>

namespace dyno {

//! What a recipe's picture shows: its chart with as many series and x values as the plan has. No figures: the drawing
//! is a pictogram.
struct RecipeShape
{
    QString chart = QStringLiteral("lines"); //!< View::chart
    int series = 1;
    int xs = 6;
    bool operator==(const RecipeShape&) const = default;
};

//! One of the sizes a recipe comes in.
struct RecipeSize
{
    QString name;       //!< as applySize() takes it
    double minutes = 0; //!< estimated, without loading; 0 = not known
    bool operator==(const RecipeSize&) const = default;
};
//! "quick", "laptop", "published" in the user's language; any other name as it is.
[[nodiscard]] QString sizeText(const QString& name);

struct Recipe
{
    QString id, title, summary, needs;
    double minutes = 0;
    QStringList tags;
    QStringList departs;           //!< how it departs from its post, a sentence each
    std::vector<RecipeSize> sizes; //!< empty: it comes in one size
    RecipeShape shape;
    QString problem; //!< why it cannot run here, "" when it can
    QString remedy;
    Plan plan; //!< empty when `problem` is about the plan itself
};

//! Reads all recipes and asks whether their targets are there (a server program, a driver). Blocks: for a job.
[[nodiscard]] std::vector<Recipe> loadRecipes();
[[nodiscard]] RecipeShape shapeOf(const Plan& plan);
//! The recipe's plan in one of its sizes ("" = as it is written).
[[nodiscard]] Expected<Plan> planOf(const Recipe& recipe, const QString& size);

class RecipeModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role { IdRole = Qt::UserRole + 1, SummaryRole, NeedsRole, TagsRole, ProblemRole };

    using QAbstractListModel::QAbstractListModel;
    void setRecipes(std::vector<Recipe> recipes);
    [[nodiscard]] const Recipe& recipe(int row) const { return m_recipes[std::size_t(row)]; }
    [[nodiscard]] const Recipe* find(const QString& id) const; //!< nullptr if there is none
    [[nodiscard]] QStringList tags() const;                    //!< that recipes share, most used first

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::vector<Recipe> m_recipes;
};

//! Keeps the recipes with one tag; "" keeps all.
class RecipeFilter : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setTag(const QString& tag);
    [[nodiscard]] QString tag() const { return m_tag; }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QString m_tag;
};

} // namespace dyno
