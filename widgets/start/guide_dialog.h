// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! "Help me choose": three questions, and the recipes that answer them at a size that fits the time. GUI thread.
#pragma once

#include "start/recipe_model.h"

#include <QDialog>

#include <vector>

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;

namespace dyno {

//! What a person wants; "" and 0 are "anything".
struct GuideAnswers
{
    QString subject, product;
    double minutes = 0; //!< at most
};
struct GuideOffer
{
    QString id, title, size;
    double minutes = 0; //!< estimated; 0 = not known
};
//! What can run here, in the model's order: each in the largest size that fits the time. A recipe whose time is not
//! known fits none but "anything".
[[nodiscard]] std::vector<GuideOffer> offersFor(const RecipeModel& recipes, const GuideAnswers& answers);
//! Where no recipe fits: a plan of that length for that product, as far as a recipe says how its target is written.
[[nodiscard]] Plan planFor(const RecipeModel& recipes, const GuideAnswers& answers);

class GuideDialog : public QDialog
{
    Q_OBJECT
public:
    GuideDialog(const RecipeModel& recipes, QWidget* parent);

signals:
    void startWanted(const QString& id, const QString& size);
    void editWanted(const QString& id, const QString& size);
    void planWanted(const dyno::Plan& plan);

private:
    void refresh();
    [[nodiscard]] GuideAnswers answers() const;

    const RecipeModel& m_recipes;
    QComboBox *m_subject, *m_product, *m_time;
    QLabel* m_result;
    QListWidget* m_list;
    QPushButton *m_start, *m_edit;
    std::vector<GuideOffer> m_offers;
};

} // namespace dyno
