// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Questions before something is done, in the theme's dress and with one of our icons. GUI thread.
#pragma once

#include <QMessageBox>
#include <QString>

#include <functional>

namespace dyno {

//! Goes when it is closed. Its texts are shown as they are, never as rich text: parts of them come from plans and
//! servers.
class Question : public QMessageBox
{
    Q_OBJECT
public:
    Question(QWidget* parent, const QString& name, const QString& title, const QString& text, const QString& more,
             const QString& iconName = QStringLiteral("warning"));
    //! A button that says what it does; `loses`: data that is there now.
    void addAct(const QString& name, const QString& label, std::function<void()> act, bool loses = false);
    //! Shows it, with a last button that does nothing: Enter and Escape press that one. It never blocks. `label`: "" is
    //! "Cancel".
    void ask(const QString& name, const QString& label = {});

private:
    void dress();

    QString m_iconName;
};

} // namespace dyno
