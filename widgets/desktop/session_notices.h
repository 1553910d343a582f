// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Tells a person who does something else how far a session is, and that it has ended. GUI thread.
#pragma once

#include "bridge/run_bridge.h"
#include "desktop/desktop_bus.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QWidget>

class QSystemTrayIcon;

namespace dyno {

class SessionNotices : public QObject
{
    Q_OBJECT
public:
    //! Listens to `run`. A notice is shown while neither `window` nor one of its dialogs has the keyboard, as
    //! Preferences::notices and noticeAfter say; a click on it brings `window` to the front. All must outlive it.
    SessionNotices(RunFeed& run, QWidget& window, DesktopBus& bus);

private:
    void begin(const SessionHeaderPtr& header);
    void showProgress(double share);
    void end(const SessionSummaryPtr& summary);
    void showInTray(const QString& title, const QString& text); //!< for desktops without a service for notices
    void bringToFront();

    QWidget& m_window;
    DesktopBus& m_bus;
    QElapsedTimer m_since;
    SessionHeaderPtr m_header;
    int m_percent = -1; //!< shown
    QSystemTrayIcon* m_tray = nullptr;
};

} // namespace dyno
