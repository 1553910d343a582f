// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One recipe of the gallery: a pictogram of its chart, the question, what it needs. GUI thread.
#pragma once

#include "start/recipe_model.h"

#include <QAbstractButton>
#include <QWidget>

#include <array>

class QLabel;
class QPushButton;

namespace dyno {

//! Draws the kind of chart that a recipe ends in. No figures and no scale: it says lines, bars or a course over time,
//! and how many of them.
class RecipePicture : public QWidget
{
    Q_OBJECT
public:
    explicit RecipePicture(const RecipeShape& shape, QWidget* parent = nullptr);
    void setFaded(bool on); //!< for recipes that cannot run here
    [[nodiscard]] QSize sizeHint() const override { return {240, 132}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, 72}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    RecipeShape m_shape;
    bool m_faded = false;
};

//! A click, Enter or Space opens the recipe as a plan; its button starts it at once.
class RecipeCard : public QAbstractButton
{
    Q_OBJECT
public:
    //! `large`: the one card of the first start, with a primary button.
    RecipeCard(const Recipe& recipe, bool large, QWidget* parent = nullptr);
    [[nodiscard]] QString recipeId() const { return m_id; }
    [[nodiscard]] QPushButton* startButton() const { return m_start; }
    [[nodiscard]] bool available() const { return m_available; }
    //! The chosen size, "" when the recipe comes in one only.
    [[nodiscard]] QString size() const { return m_size; }

signals:
    void startClicked();
    void arrowPressed(int dx, int dy); //!< the gallery moves the focus

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void makeSizes(const Recipe& recipe);
    void layOutLarge(QWidget* picture, const std::array<QLabel*, 4>& labels);
    void layOutSmall(QWidget* picture, const std::array<QLabel*, 4>& labels);
    void setSize(const RecipeSize& size);

    QString m_id, m_size, m_needs;
    bool m_available;
    QPushButton* m_start;
    QPushButton* m_sizes = nullptr; //!< opens the choice of sizes
    QLabel* m_foot = nullptr;
};

} // namespace dyno
