// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the desktop shows for us outside of our window: a notice, and progress on the entry of its task bar. Through
//! D-Bus, where there is one and this build has it. GUI thread; nothing waits for an answer.
#pragma once

#include <QObject>
#include <QString>

#include <functional>

namespace dyno {

class DesktopBus : public QObject
{
    Q_OBJECT
public:
    //! `connection`: name of a connection that is there already (tests); "" = the session's bus.
    explicit DesktopBus(QString connection = {}, QObject* parent = nullptr);

    //! Shows a notice in the place of the last one. `title` is plain text from anywhere; `text` is words of ours: some
    //! desktops take it for markup. `refused` is called when there is no bus or nobody there shows notices.
    void notify(const QString& title, const QString& text, const QString& action, std::function<void()> refused);
    //! Share that is done, 0 to 1; below 0 there is nothing to show any more. Docks that do not know it ignore it.
    void setProgress(double share);

signals:
    void noticeActivated(); //!< a person clicked on the last notice

private slots:
    void onAction(uint notice, const QString& action);

private:
    QString m_connection;
    uint m_notice = 0;      //!< as the desktop numbers it, 0 = none yet
    bool m_listens = false; //!< to clicks
};

} // namespace dyno
