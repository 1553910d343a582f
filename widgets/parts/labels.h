// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Small texts: labels with a role and a tone, labels that shorten themselves, figures of fixed digit width, chips and
//! pills. The style sheet of theme.cpp draws them by the dynamic properties "role" and "tone". GUI thread.
#pragma once

#include "theme.h"

#include <QLabel>
#include <QPushButton>
#include <QStyledItemDelegate>

namespace dyno {

//! Colour of a short text or chip by what it means.
enum class Tone { Neutral, Accent, Good, Warn, Bad };
//! The colour of a tone in the theme of now, for what is painted by hand.
[[nodiscard]] QColor colorOf(Tone tone, const QColor& neutral);

//! Sets the dynamic property "role" and draws the widget anew. Buttons: "primary", "danger", "link", "flat", "tile"
//! (none: secondary). Frames: "card", "tile". Tables inside a card: "plain".
void setRole(QWidget* widget, const char* role);
//! Sets the dynamic property "tone" and draws the widget anew.
void setTone(QWidget* widget, Tone tone);

//! A label in the type and colour of `role`; never takes rich text from outside.
[[nodiscard]] QLabel* makeLabel(const QString& text, TextRole role, QWidget* parent = nullptr);
//! "primary", "danger", "link" … (see setRole); icon by name, "" for none.
[[nodiscard]] QPushButton* makeButton(const QString& text, const char* role = "", const QString& icon = {},
                                      QWidget* parent = nullptr);

//! A link whose text begins at its left edge, level with the labels above it.
[[nodiscard]] QPushButton* makeLink(const QString& text, QWidget* parent = nullptr);

//! One line that ends in "…" when it does not fit; the tooltip then holds the whole text.
class ElidedLabel : public QLabel
{
    Q_OBJECT
public:
    explicit ElidedLabel(const QString& text = {}, TextRole role = TextRole::Body, QWidget* parent = nullptr);
    void setText(const QString& text); //!< hides QLabel::setText on purpose: the whole text is kept here
    [[nodiscard]] QString fullText() const { return m_text; }
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QString m_text;
};

//! Figures with tabular digits: Qt 6.4 cannot switch on a font's "tnum", so each digit is set into a cell as wide as
//! the widest one. Used where numbers change or align.
namespace figures {
[[nodiscard]] int width(const QFont& font, const QString& text);
//! Draws one line with the painter's pen and font; `alignment` as in QPainter::drawText.
void draw(QPainter& painter, const QRectF& rect, Qt::Alignment alignment, const QString& text);
} // namespace figures

//! A label of figures with tabular digits.
class FigureLabel : public QLabel
{
    Q_OBJECT
public:
    explicit FigureLabel(const QString& text = {}, TextRole role = TextRole::Body, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
};

//! For number columns of tables: tabular digits; colour, alignment and font by the model's roles.
class FigureDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

//! A small filled pill with a state: "measuring", "3 repeats", "1 to look at".
class Chip : public QLabel
{
    Q_OBJECT
public:
    explicit Chip(const QString& text = {}, Tone tone = Tone::Neutral, QWidget* parent = nullptr);
};

//! A checkable pill for filters.
class PillButton : public QPushButton
{
    Q_OBJECT
public:
    explicit PillButton(const QString& text, QWidget* parent = nullptr);
};

} // namespace dyno
