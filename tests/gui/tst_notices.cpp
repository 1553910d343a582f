// SPDX-License-Identifier: GPL-3.0-or-later
// What the desktop is told: that a session has ended, and how far it is. A bus of its own stands for the desktop's.
#include "desktop/desktop_bus.h"
#include "desktop/session_notices.h"
#include "preferences.h"
#include "support/own_settings.h"
#include "support/patience.h"
#include "support/suite.h"
#include "theme.h"

#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusServer>
#include <QDBusVirtualObject>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_notices {
using namespace Qt::StringLiterals;

//! The desktop's side: keeps what it is told, and answers.
class Desktop : public QDBusVirtualObject
{
public:
    QList<QVariantList> notices;
    bool refuses = false; //!< has no service for notices

    QString introspect(const QString&) const override { return {}; }
    bool handleMessage(const QDBusMessage& message, const QDBusConnection& connection) override
    {
        if (message.member() != u"Notify"_s || refuses)
            return false;
        notices << message.arguments();
        return connection.send(message.createReply(uint(41 + notices.size())));
    }
};

class TestNotices : public QObject
{
    Q_OBJECT
    QTemporaryDir m_home;
    std::unique_ptr<QDBusServer> m_server;
    std::unique_ptr<Desktop> m_desktop;
    QList<QVariantMap> m_progress;
    std::unique_ptr<QWidget> m_window;
    std::unique_ptr<RunFeed> m_feed;
    std::unique_ptr<DesktopBus> m_bus;
    QString m_name;      //!< of our connection
    QStringList m_peers; //!< of the desktop's side of it
    int m_count = 0;

    static SessionHeaderPtr header(const std::string& title)
    {
        auto made = std::make_shared<SessionHeader>();
        made->title = title;
        for (int repeat = 1; repeat <= 3; ++repeat)
            made->runs.push_back({.point = 0, .repeat = repeat});
        return made;
    }
    void runSession(const std::string& title, RunStatus status = RunStatus::Done)
    {
        emit m_feed->sessionStarted(header(title));
        auto summary = std::make_shared<SessionSummary>();
        summary->status = status;
        emit m_feed->sessionFinished(summary);
    }
    [[nodiscard]] bool told(qsizetype count) const
    {
        return QTest::qWaitFor([this, count] { return m_desktop->notices.size() == count; }, test::kPatienceMs);
    }

    //! A person clicks on the notice of this number.
    void click(uint notice) const
    {
        QDBusMessage message = QDBusMessage::createSignal(u"/org/freedesktop/Notifications"_s,
                                                          u"org.freedesktop.Notifications"_s, u"ActionInvoked"_s);
        message.setArguments({notice, u"default"_s});
        for (const QString& name : m_peers)
            QVERIFY(QDBusConnection(name).send(message));
    }

private slots:
    void initTestCase()
    {
        test::ownHome(m_home);
        Theme::instance().apply(*qApp);
        QApplication::setApplicationDisplayName(u"Dynobench"_s);
        QGuiApplication::setDesktopFileName(u"org.dynobench.Dynobench"_s);
    }
    void init()
    {
        QSettings().clear();
        Preferences::instance().set(Preferences::noticeAfter, 0); // these sessions take no time
        m_server = std::make_unique<QDBusServer>(u"unix:tmpdir="_s + m_home.path());
        m_desktop = std::make_unique<Desktop>();
        m_progress.clear();
        m_peers.clear();
        connect(m_server.get(), &QDBusServer::newConnection, this, [this](QDBusConnection connection) {
            m_peers << connection.name();
            connection.registerVirtualObject(u"/org/freedesktop"_s, m_desktop.get(), QDBusConnection::SubPath);
            connection.connect(QString(), u"/org/dynobench/Dynobench"_s, u"com.canonical.Unity.LauncherEntry"_s,
                               u"Update"_s, this, SLOT(takeProgress(QDBusMessage)));
        });
        m_name = u"notices%1"_s.arg(++m_count);
        QVERIFY(QDBusConnection::connectToPeer(m_server->address(), m_name).isConnected());
        QTRY_VERIFY(!m_peers.isEmpty());
        m_window = std::make_unique<QWidget>();
        m_feed = std::make_unique<RunFeed>();
        m_bus = std::make_unique<DesktopBus>(m_name);
        new SessionNotices(*m_feed, *m_window, *m_bus);
    }
    void cleanup()
    {
        m_window.reset();
        m_bus.reset();
        m_feed.reset();
        QDBusConnection::disconnectFromPeer(m_name);
        m_server.reset();
        m_desktop.reset();
    }

    void anEndIsTold()
    {
        runSession("What <b>does</b> it cost?");
        QVERIFY(told(1));
        const QVariantList notice = m_desktop->notices.first();
        QCOMPARE(notice.at(0).toString(), u"Dynobench"_s);
        QCOMPARE(notice.at(3).toString(), u"Done: What <b>does</b> it cost?"_s);
        // A title may come from a stranger's plan, and this part may be taken for markup.
        QVERIFY2(!notice.at(4).toString().contains(u'<'), qPrintable(notice.at(4).toString()));
        QVERIFY2(notice.at(4).toString().contains(u"0 of 3 runs"_s), qPrintable(notice.at(4).toString()));
        runSession("Another", RunStatus::Failed);
        QVERIFY(told(2));
        QCOMPARE(m_desktop->notices.last().at(3).toString(), u"Failed: Another"_s);
    }
    void aLaterNoticeTakesThePlaceOfTheFirst()
    {
        DesktopBus bus(m_name);
        int clicks = 0;
        connect(&bus, &DesktopBus::noticeActivated, this, [&clicks] { ++clicks; });
        bus.notify(u"first"_s, {}, u"Show"_s, [] { QFAIL("refused"); });
        QVERIFY(told(1));
        click(42); // comes after the answer that says which number it has
        QTRY_COMPARE(clicks, 1);
        bus.notify(u"second"_s, {}, u"Show"_s, [] { QFAIL("refused"); });
        QVERIFY(told(2));
        QCOMPARE(m_desktop->notices.first().at(1).toUInt(), 0U);
        QCOMPARE(m_desktop->notices.last().at(1).toUInt(), 42U);
    }
    void nobodyIsToldWhoDoesNotWantIt()
    {
        Preferences::instance().set(Preferences::notices, false);
        runSession("off");
        Preferences::instance().set(Preferences::notices, true);
        Preferences::instance().set(Preferences::noticeAfter, 3600);
        runSession("short");
        Preferences::instance().set(Preferences::noticeAfter, 0);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        runSession("seen");
        m_window->hide();
        QTRY_VERIFY(!QApplication::activeWindow());
        runSession("told");
        QVERIFY(told(1)); // what was said before would have come before
        QCOMPARE(m_desktop->notices.first().at(3).toString(), u"Done: told"_s);
    }
    void aClickBringsTheWindow()
    {
        runSession("one");
        QVERIFY(told(1));
        int clicks = 0;
        connect(m_bus.get(), &DesktopBus::noticeActivated, this, [&clicks] { ++clicks; });
        QVERIFY(!m_window->isVisible());
        // Of another program's notice first: that one is not ours.
        click(7);
        click(42);
        QTRY_VERIFY(clicks > 0);
        QCOMPARE(clicks, 1);
        QVERIFY(m_window->isVisible());
    }
    void withoutAServiceNothingIsLost()
    {
        m_desktop->refuses = true;
        int refused = 0;
        m_bus->notify(u"title"_s, u"text"_s, u"Show"_s, [&refused] { ++refused; });
        QTRY_COMPARE(refused, 1);
        DesktopBus nowhere(u"there is no such connection"_s);
        nowhere.notify(u"title"_s, u"text"_s, u"Show"_s, [&refused] { ++refused; });
        QCOMPARE(refused, 2);
        nowhere.setProgress(0.5); // does nothing
    }
    void progressIsShownAndTakenAway()
    {
        emit m_feed->sessionStarted(header("long"));
        ProgressReport report;
        for (const double share : {0.1, 0.25, 0.2501, 0.2502, 0.9}) {
            report.fraction = share;
            emit m_feed->progressed(report);
        }
        emit m_feed->sessionFinished(std::make_shared<SessionSummary>());
        QTRY_VERIFY(!m_progress.isEmpty() && !m_progress.last().value(u"progress-visible"_s).toBool());
        QList<double> shares;
        for (const QVariantMap& one : m_progress) {
            if (one.value(u"progress-visible"_s).toBool())
                shares << one.value(u"progress"_s).toDouble();
        }
        QCOMPARE(shares, (QList<double>{0, 0.1, 0.25, 0.9})); // a change that cannot be seen is not told
    }

public slots:
    void takeProgress(const QDBusMessage& message)
    {
        QCOMPARE(message.arguments().value(0).toString(), u"application://org.dynobench.Dynobench.desktop"_s);
        m_progress << qdbus_cast<QVariantMap>(message.arguments().value(1));
    }
};

} // namespace dyno::tst_notices

DYNO_WIDGET_SUITE(tst_notices, dyno::tst_notices::TestNotices)
#include "tst_notices.moc"
