// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One line at the top of a page: something went wrong (with what to do) or needs to be known. GUI thread.
#pragma once

#include "parts/labels.h"

#include <dyno/error.h>

#include <QFrame>

#include <functional>
#include <vector>

class QMenu;

namespace dyno {

class Banner : public QFrame
{
    Q_OBJECT
public:
    explicit Banner(const QString& objectName, QWidget* parent = nullptr); //!< hidden until something is shown
    void showError(const QString& what, const Error& error);               //!< "what: message", the remedy below it
    void showText(const QString& text, Tone tone, const QString& second = {});
    //! A button at the right; "" takes it away. What is shown next begins without one.
    void setAction(const QString& text, std::function<void()> action, const QString& toolTip = {});
    struct Action
    {
        QString text;
        std::function<void()> run;
    };
    //! The button opens a menu of them.
    void setActions(const QString& text, std::vector<Action> actions);
    [[nodiscard]] QString text() const;
    void setVisible(bool visible) override;

signals:
    void visibleChanged(bool visible);

private:
    QLabel* m_icon;
    QLabel* m_text;
    QLabel* m_second;
    QPushButton* m_action;
    QMenu* m_menu; //!< of several actions
    std::function<void()> m_function;
};

} // namespace dyno
