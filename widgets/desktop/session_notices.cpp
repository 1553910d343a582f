// SPDX-License-Identifier: GPL-3.0-or-later
#include "desktop/session_notices.h"

#include "format.h"
#include "preferences.h"
#include "qt_text.h"

#include <dyno/missing_runs.h>

#include <QApplication>
#include <QSystemTrayIcon>
#include <QTimer>

#include <cmath>

namespace dyno {

namespace {

constexpr int kTrayMs = 10000; //!< the notice's and the icon's

QString endText(const SessionSummary& summary)
{
    switch (summary.status) {
    case RunStatus::Failed:
        return SessionNotices::tr("Failed: %1", "title of a session");
    case RunStatus::Done:
        return SessionNotices::tr("Done: %1", "title of a session");
    default:
        return SessionNotices::tr("Stopped: %1", "title of a session");
    }
}

} // namespace

SessionNotices::SessionNotices(RunFeed& run, QWidget& window, DesktopBus& bus)
    : QObject(&window)
    , m_window(window)
    , m_bus(bus)
{
    connect(&run, &RunFeed::sessionStarted, this, &SessionNotices::begin);
    connect(&run, &RunFeed::progressed, this, [this](const ProgressReport& report) { showProgress(report.fraction); });
    connect(&run, &RunFeed::sessionFinished, this, &SessionNotices::end);
    connect(&bus, &DesktopBus::noticeActivated, this, &SessionNotices::bringToFront);
}

void SessionNotices::begin(const SessionHeaderPtr& header)
{
    m_header = header;
    m_since.start();
    showProgress(0);
}

void SessionNotices::showProgress(double share)
{
    const int percent = int(std::floor(100 * share)); // what a dock can show
    if (percent == m_percent)
        return;
    m_percent = percent;
    m_bus.setProgress(double(percent) / 100);
}

void SessionNotices::end(const SessionSummaryPtr& summary)
{
    m_percent = -1;
    m_bus.setProgress(-1);
    const SessionHeaderPtr header = std::exchange(m_header, nullptr);
    const Preferences& chosen = Preferences::instance();
    const double seconds = double(m_since.elapsed()) / 1000;
    // It has ended before it began, it is seen anyway, or nobody wants to be told.
    if (!header || QApplication::activeWindow() || !chosen.get(Preferences::notices) ||
        seconds < chosen.get(Preferences::noticeAfter))
        return;
    std::vector<RunSummary> runs = header->earlier;
    runs.insert(runs.end(), summary->runs.begin(), summary->runs.end());
    const RunCounts counts = countRuns(header->runs, runs);
    const QString title = endText(*summary).arg(qtText(header->title));
    const QString text = tr("%1 of %n run(s) complete, after %2", nullptr, counts.planned)
                             .arg(format::count(counts.done), format::duration(std::ceil(seconds)));
    m_bus.notify(title, text, tr("Show"), [self = QPointer(this), title, text] {
        if (self)
            self->showInTray(title, text);
    });
}

void SessionNotices::showInTray(const QString& title, const QString& text)
{
    if (!QSystemTrayIcon::isSystemTrayAvailable())
        return;
    if (!m_tray) {
        m_tray = new QSystemTrayIcon(m_window.windowIcon(), this);
        m_tray->setToolTip(QApplication::applicationDisplayName());
        connect(m_tray, &QSystemTrayIcon::messageClicked, this, &SessionNotices::bringToFront);
        connect(m_tray, &QSystemTrayIcon::activated, this, &SessionNotices::bringToFront);
    }
    m_tray->show();
    m_tray->showMessage(title, text, m_window.windowIcon(), kTrayMs);
    QTimer::singleShot(kTrayMs, m_tray, &QSystemTrayIcon::hide);
}

void SessionNotices::bringToFront()
{
    if (m_tray)
        m_tray->hide();
    m_window.setWindowState(m_window.windowState() & ~Qt::WindowMinimized);
    m_window.show();
    m_window.raise();
    m_window.activateWindow();
}

} // namespace dyno
