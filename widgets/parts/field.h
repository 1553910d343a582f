// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Small parts of forms: a control with its label above it, a tile that is one of several choices, a disclosure
//! button, a table as tall as its rows. GUI thread.
#pragma once

#include "theme.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QWidget>

namespace dyno {

//! Gives a widget what every control needs: an object name for tests and scripts, a name for screen readers, a tooltip.
void describe(QWidget* widget, const QString& objectName, const QString& accessibleName, const QString& toolTip = {});

//! A label in the body's size with more weight, for small headings.
[[nodiscard]] QLabel* makeStrongLabel(const QString& text, QWidget* parent = nullptr);
//! A text that wraps to the width it is given. Its minimum is one short line: neither a long word widens its
//! surroundings nor does the height of a narrow column count as a minimum (QLabel's does, and scroll areas obey it).
class WrapLabel : public QLabel
{
    Q_OBJECT
public:
    explicit WrapLabel(const QString& text, TextRole role, QWidget* parent = nullptr);
    [[nodiscard]] QSize minimumSizeHint() const override;
};

//! A label, a button that resets to the default (hidden until setResettable(true)), and the control below. Owns it.
class Field : public QWidget
{
    Q_OBJECT
public:
    Field(const QString& label, QWidget* control, int width, QWidget* parent = nullptr);
    [[nodiscard]] QWidget* control() const { return m_control; }
    [[nodiscard]] QString label() const { return m_label->text(); }
    void setLabel(const QString& text);
    void setResettable(bool on);
    //! Shows the control as faulty with this reason in its tooltip; "" takes it back.
    void setProblem(const QString& text);
    [[nodiscard]] QString problem() const { return m_problem; }
    void setHelp(const QString& toolTip); //!< tooltip without a problem

signals:
    void resetClicked();

protected:
    //! Undo belongs to the plan, not to the text of one control.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QLabel* m_label;
    QToolButton* m_reset;
    QWidget* m_control;
    QString m_help, m_problem;
};

//! One of several choices: a title and a second line; checked ones have an accent border.
class ChoiceTile : public QPushButton
{
    Q_OBJECT
public:
    ChoiceTile(const QString& title, const QString& second, QWidget* parent = nullptr);
    void setSecond(const QString& text);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QLabel* m_second;
};

//! "More options ▸" above a widget that it shows and hides.
class Disclosure : public QToolButton
{
    Q_OBJECT
public:
    Disclosure(const QString& text, QWidget* content, QWidget* parent = nullptr);
};

//! A line of text that looks like a title until the mouse or the focus comes.
class TitleEdit : public QLineEdit
{
    Q_OBJECT
public:
    explicit TitleEdit(bool page, QWidget* parent = nullptr); //!< `page`: in the size of a page's title

protected:
    bool event(QEvent* event) override;
};

//! A table without its own vertical scrolling: as tall as its rows, so that the page scrolls as one. Delete emits
//! removeRequested(), Alt+Up and Alt+Down emit moveRequested().
class FitTable : public QTableView
{
    Q_OBJECT
public:
    explicit FitTable(QWidget* parent = nullptr);
    void setModel(QAbstractItemModel* model) override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QList<int> selectedRows() const;
    using QTableView::sizeHintForColumn;

signals:
    void removeRequested();
    void moveRequested(int by);

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

} // namespace dyno
