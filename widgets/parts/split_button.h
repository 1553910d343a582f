// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A button with a second, narrow half that opens a choice: "Start · quick, 1 min ⌄". GUI thread.
#pragma once

#include <QWidget>

class QMenu;
class QPushButton;

namespace dyno {

//! As wide as its text needs. Without makeMenu() it is one plain button.
class SplitButton : public QWidget
{
    Q_OBJECT
public:
    explicit SplitButton(QWidget* parent = nullptr);
    [[nodiscard]] QPushButton* button() const { return m_button; }
    [[nodiscard]] QPushButton* arrow() const { return m_arrow; } //!< hidden without a menu
    [[nodiscard]] QMenu* makeMenu();                             //!< that the arrow opens; once
    void setPrimary(bool on);                                    //!< filled; else in the accent's soft colour
    void setPlain();                                             //!< as any other button

private:
    QPushButton* m_button;
    QPushButton* m_arrow;
};

} // namespace dyno
