// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A button that shows a name and its value, and lets another value be chosen: by menu (click, Space, Alt+Down), where
//! a line to search in stands above many values, or, without opening it, by the arrow keys. GUI thread.
#pragma once

#include <QPushButton>
#include <QString>

#include <optional>
#include <vector>

class QMenu;
class QPaintEvent;

namespace dyno {

class ChoicePill : public QPushButton
{
    Q_OBJECT
public:
    struct Choice
    {
        QString id;
        QString label;
        QString group = {}; //!< a heading of the menu above the first of a group
    };

    //! `name` stands before the value and is the accessible name.
    ChoicePill(const QString& name, const QString& objectName, const QString& toolTip, QWidget* parent = nullptr);

    //! Keeps the current choice if it is still there, else takes the first. Emits nothing.
    void setChoices(std::vector<Choice> choices);
    [[nodiscard]] const std::vector<Choice>& choices() const { return m_choices; }
    void setCurrent(const QString& id); //!< unknown ids are ignored; emits nothing
    [[nodiscard]] QString current() const;

    //! From now on an entry of `host` that opens the choices, not a button: setVisible() shows and hides the entry.
    void moveInto(QMenu* host);
    //! Whether it can be used: as a button or as an entry.
    [[nodiscard]] bool isOffered() const;
    //! What isChanged() is measured by; the first choice unless set, and where there is no such choice.
    void setUsual(const QString& id) { m_usual = id; }
    [[nodiscard]] QString usual() const;
    [[nodiscard]] bool isChanged() const { return m_current >= 0 && current() != usual(); }
    void setVisible(bool visible) override;

    //! As wide as the shown text needs, up to a limit; longer values end in "…".
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void chosen(const QString& id); //!< by the person

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void choose(int index);
    void fillMenu();
    void addSearch();
    void find(const QString& text);
    [[nodiscard]] QPoint menuPlace() const;
    [[nodiscard]] QFont valueFont() const;
    void updateText();

    QString m_name;
    QString m_shown; //!< the value, shortened
    std::optional<QString> m_usual;
    QMenu* m_menu;
    QMenu* m_host = nullptr;
    std::vector<Choice> m_choices;
    int m_current = -1;
};

} // namespace dyno
