// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Surfaces that pages are made of: card, page header, key figure, empty state, wrapping layout. GUI thread.
#pragma once

#include "parts/labels.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLayout>
#include <QVBoxLayout>

#include <functional>
#include <vector>

namespace dyno {

//! A titled surface with a second text beside the title, room for small widgets at the right, and a body.
class Card : public QFrame
{
    Q_OBJECT
public:
    explicit Card(const QString& title = {}, const QString& secondary = {}, QWidget* parent = nullptr);
    void setTitle(const QString& title); //!< "" hides the header line unless something was added to header()
    void setSecondary(const QString& text);
    //! In the place of the second text for a while, such as a value under the mouse; "" shows that text again.
    void showInstead(const QString& text);
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString secondary() const { return m_secondText; } //!< whatever is shown instead
    //! Widgets added here stand at the right end of the title line.
    [[nodiscard]] QHBoxLayout* header() const { return m_header; }
    [[nodiscard]] QVBoxLayout* body() const { return m_body; }
    //! A number before the title in the accent colour (steps of a plan); "" removes it.
    void setStep(const QString& step);

private:
    QLabel* m_step;
    QLabel* m_title;
    ElidedLabel* m_secondary;
    QString m_secondText, m_instead;
    QWidget* m_headerBox;
    QHBoxLayout* m_header;
    QVBoxLayout* m_body;
};

//! Title of a page with a chip, a line below it and buttons at the right.
class PageHeader : public QWidget
{
    Q_OBJECT
public:
    explicit PageHeader(const QString& title, QWidget* parent = nullptr);
    void setTitle(const QString& title);
    void setSubtitle(const QString& text);                       //!< "" hides the line
    void setChip(const QString& text, Tone tone = Tone::Accent); //!< "" hides it
    [[nodiscard]] QHBoxLayout* actions() const { return m_actions; }
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString subtitle() const;

private:
    ElidedLabel* m_title;
    Chip* m_chip;
    ElidedLabel* m_subtitle;
    QHBoxLayout* m_actions;
};

//! A card with one large figure, its unit and a second line that says what matters next.
class KeyFigure : public QFrame
{
    Q_OBJECT
public:
    explicit KeyFigure(const QString& label, QWidget* parent = nullptr);
    void setValue(const QString& value, const QString& unit = {});
    void setSecond(const QString& text, Tone tone = Tone::Neutral);
    [[nodiscard]] QString value() const;
    [[nodiscard]] QString unit() const;
    [[nodiscard]] QString second() const;

private:
    void updateAccessibleText();
    QLabel* m_label;
    FigureLabel* m_value;
    QLabel* m_unit;
    ElidedLabel* m_second;
};

//! What a page shows when there is nothing yet, something is loading, or something went wrong: icon, title, text,
//! button.
class EmptyState : public QWidget
{
    Q_OBJECT
public:
    EmptyState(const QString& icon, const QString& title, const QString& text, const QString& button = {},
               QWidget* parent = nullptr);
    void setTexts(const QString& title, const QString& text, const QString& button = {});
    void setIconName(const QString& icon);

signals:
    void buttonClicked();

private:
    void updateIcon();
    QString m_iconName;
    QLabel* m_icon;
    QLabel* m_title;
    QLabel* m_text;
    QPushButton* m_button;
};

//! Lays widgets out in lines that wrap, left to right.
class FlowLayout : public QLayout
{
public:
    explicit FlowLayout(QWidget* parent = nullptr, int spacing = 8);
    ~FlowLayout() override;
    void addItem(QLayoutItem* item) override;
    void insertWidget(int index, QWidget* widget);
    //! Lines of as many widgets each, all as wide as the widest: no line holds a last one alone.
    void setEven(bool on);
    [[nodiscard]] int count() const override { return int(m_items.size()); }
    [[nodiscard]] QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override { return {}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override { return minimumSize(); }
    [[nodiscard]] QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    int arrange(const QRect& rect, bool apply) const;
    [[nodiscard]] int perLine(int width) const; //!< when even: how many stand in a line
    std::vector<QLayoutItem*> m_items;
    bool m_even = false;
};

} // namespace dyno
