// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One recipe of the gallery: its chart, the question, and a button that runs it. GUI thread.
#pragma once

#include "start/recipe_model.h"

#include <QAbstractButton>
#include <QWidget>

class QHBoxLayout;
class QMenu;
class QPushButton;

namespace dyno {

class SplitButton;

//! Draws a preview, large with its labels or as a small glyph in grey.
class RecipePicture : public QWidget
{
    Q_OBJECT
public:
    enum class Size { Chart, Glyph };
    RecipePicture(ChartPreview preview, Size size, QWidget* parent = nullptr);
    [[nodiscard]] const ChartPreview& preview() const { return m_preview; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ChartPreview m_preview;
    Size m_size;
};

//! What was found, after a tick: the longest of its forms that fits.
class FoundLabel : public QWidget
{
    Q_OBJECT
public:
    explicit FoundLabel(const QStringList& forms, QWidget* parent = nullptr); //!< longest first
    [[nodiscard]] QString text() const { return m_forms.value(0); }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QStringList m_forms;
};

//! A click, Enter or Space opens the recipe as a plan; its button starts it at once. What cannot run here has no
//! surface and no button, but a link to what helps.
class RecipeCard : public QAbstractButton
{
    Q_OBJECT
public:
    enum class Look {
        Gallery,
        FirstStart, //!< the one card of the first start, with a large button
    };
    //! `own`: nullptr where there is no result of one's own.
    RecipeCard(const Recipe& recipe, const OwnResult* own, Look look, QWidget* parent = nullptr);
    [[nodiscard]] QString recipeId() const { return m_id; }
    [[nodiscard]] bool available() const { return m_start != nullptr; }
    [[nodiscard]] QPushButton* startButton() const; //!< nullptr for what cannot run here
    void setPrimary();                              //!< the button is filled
    //! The chosen size, "" when the recipe comes in one only.
    [[nodiscard]] QString size() const { return m_size; }

signals:
    void startClicked();
    void helpClicked();
    void renameClicked(); //!< of a recipe of one's own, as those below
    void exportClicked();
    void removeClicked();
    void arrowPressed(int dx, int dy); //!< the gallery moves the focus

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void makeMore(bool readable);
    void takeUsualSize(const Recipe& recipe);
    void makeStart(const Recipe& recipe);
    void setSize(const RecipeSize& size);
    void layOutGallery(const Recipe& recipe, const OwnResult* own);
    void layOutFirst(const Recipe& recipe);
    void layOutMissing(const Recipe& recipe);
    [[nodiscard]] QHBoxLayout* chipLine(const Recipe& recipe, const OwnResult* own);

    QString m_id, m_title, m_size;
    bool m_first; //!< the one card of the first start: its buttons have names of their own
    SplitButton* m_start = nullptr;
    QPushButton* m_more = nullptr; //!< what can be done with a recipe of one's own
    QMenu* m_moreMenu = nullptr;
};

} // namespace dyno
