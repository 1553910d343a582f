// SPDX-License-Identifier: GPL-3.0-or-later
#include "desktop/desktop_bus.h"

#include <QGuiApplication>

#include <utility>

#if DYNO_HAVE_DBUS
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#endif

namespace dyno {

using namespace Qt::StringLiterals;

DesktopBus::DesktopBus(QString connection, QObject* parent)
    : QObject(parent)
    , m_connection(std::move(connection))
{
}

void DesktopBus::onAction(uint notice, const QString& action)
{
    if (notice != 0 && notice == m_notice && action == u"default"_s)
        emit noticeActivated();
}

#if DYNO_HAVE_DBUS

namespace {

// The freedesktop.org specification of notifications; the protocol of launcher entries, which docks have in common.
const QString kNotices = u"org.freedesktop.Notifications"_s, kNoticePath = u"/org/freedesktop/Notifications"_s;
const QString kLauncher = u"com.canonical.Unity.LauncherEntry"_s, kLauncherPath = u"/org/dynobench/Dynobench"_s;

QDBusConnection busNamed(const QString& connection)
{
    if (!connection.isEmpty())
        return QDBusConnection(connection);
    // Without this address the library would start a bus of its own.
    if (qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS"))
        return QDBusConnection(u"none"_s);
    return QDBusConnection::sessionBus();
}

} // namespace

void DesktopBus::notify(const QString& title, const QString& text, const QString& action, std::function<void()> refused)
{
    QDBusConnection bus = busNamed(m_connection);
    if (!bus.isConnected())
        return refused();
    if (!std::exchange(m_listens, true))
        bus.connect(QString(), kNoticePath, kNotices, u"ActionInvoked"_s, this, SLOT(onAction(uint, QString)));
    QDBusMessage call = QDBusMessage::createMethodCall(kNotices, kNoticePath, kNotices, u"Notify"_s);
    const QString desktopFile = QGuiApplication::desktopFileName();
    constexpr int kAsUsual = -1; // how long it stays
    call.setArguments({QGuiApplication::applicationDisplayName(), m_notice, desktopFile, title, text,
                       QStringList{u"default"_s, action}, QVariantMap{{u"desktop-entry"_s, desktopFile}}, kAsUsual});
    auto* answer = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
    connect(answer, &QDBusPendingCallWatcher::finished, this, [this, answer, refused = std::move(refused)] {
        answer->deleteLater();
        const QDBusPendingReply<uint> reply = *answer;
        if (reply.isError())
            return refused();
        m_notice = reply.value();
    });
}

void DesktopBus::setProgress(double share)
{
    const QDBusConnection bus = busNamed(m_connection);
    if (!bus.isConnected())
        return;
    QDBusMessage update = QDBusMessage::createSignal(kLauncherPath, kLauncher, u"Update"_s);
    update.setArguments({u"application://%1.desktop"_s.arg(QGuiApplication::desktopFileName()),
                         QVariantMap{{u"progress"_s, share < 0 ? 0.0 : share}, {u"progress-visible"_s, share >= 0}}});
    bus.send(update);
}

#else

void DesktopBus::notify(const QString&, const QString&, const QString&, std::function<void()> refused)
{
    refused();
}

void DesktopBus::setProgress(double) {}

#endif

} // namespace dyno
