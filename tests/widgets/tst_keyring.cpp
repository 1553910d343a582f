// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Passwords in a real keyring: a gnome-keyring-daemon on a session bus of the test's own, unlocked without a question.
//! And without one, in memory.
#include "bridge/keyring.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_keyring {
using namespace Qt::StringLiterals;

namespace {

TargetUri account(const char* uri)
{
    return parseUri(uri).value_or(TargetUri());
}

} // namespace

class TstKeyring : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    QProcess m_bus, m_daemon;

    //! "" or why there is no keyring to test with.
    QString startKeyring()
    {
        for (const auto& program : {u"dbus-daemon"_s, u"dbus-send"_s, u"gnome-keyring-daemon"_s}) {
            if (QStandardPaths::findExecutable(program).isEmpty())
                return program + u" is not installed"_s;
        }
        for (const auto& folder : {u"run"_s, u"data"_s, u"config"_s}) {
            if (!QDir(m_dir.path()).mkpath(folder))
                return u"no folder"_s;
        }
        // Nothing of the keyring of whoever runs the tests.
        qputenv("HOME", m_dir.path().toUtf8());
        qputenv("XDG_RUNTIME_DIR", m_dir.filePath(u"run"_s).toUtf8());
        qputenv("XDG_DATA_HOME", m_dir.filePath(u"data"_s).toUtf8());
        qputenv("XDG_CONFIG_HOME", m_dir.filePath(u"config"_s).toUtf8());
        m_bus.start(u"dbus-daemon"_s, {u"--session"_s, u"--nofork"_s, u"--print-address=1"_s});
        while (!m_bus.canReadLine()) {
            if (!m_bus.waitForReadyRead(test::kPatienceMs))
                return u"no session bus: "_s + QString::fromUtf8(m_bus.readAllStandardError());
        }
        qputenv("DBUS_SESSION_BUS_ADDRESS", m_bus.readLine().trimmed());
        m_daemon.setProcessEnvironment(QProcessEnvironment::systemEnvironment());
        m_daemon.start(u"gnome-keyring-daemon"_s, {u"--foreground"_s, u"--unlock"_s, u"--components=secrets"_s});
        if (!m_daemon.waitForStarted(test::kPatienceMs))
            return u"gnome-keyring-daemon does not start"_s;
        m_daemon.write("of the test\n");
        m_daemon.closeWriteChannel();
        // It says nothing when it is ready; the bus knows.
        const QElapsedTimer clock = started();
        while (clock.elapsed() < test::kPatienceMs) {
            QProcess ask;
            ask.start(u"dbus-send"_s, {u"--bus="_s + qEnvironmentVariable("DBUS_SESSION_BUS_ADDRESS"),
                                       u"--print-reply"_s, u"--dest=org.freedesktop.DBus"_s, u"/org/freedesktop/DBus"_s,
                                       u"org.freedesktop.DBus.NameHasOwner"_s, u"string:org.freedesktop.secrets"_s});
            if (!ask.waitForFinished(test::kPatienceMs))
                return u"dbus-send does not end"_s;
            if (ask.readAllStandardOutput().contains("boolean true"))
                return {};
            if (m_daemon.waitForFinished(20))
                return u"gnome-keyring-daemon ended: "_s + QString::fromUtf8(m_daemon.readAllStandardError());
        }
        return u"gnome-keyring-daemon does not come to the bus"_s;
    }
    static QElapsedTimer started()
    {
        QElapsedTimer clock;
        clock.start();
        return clock;
    }

private slots:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        qunsetenv("DBUS_SESSION_BUS_ADDRESS");
    }
    void cleanupTestCase()
    {
        for (QProcess* process : {&m_daemon, &m_bus}) {
            process->terminate();
            process->waitForFinished(test::kPatienceMs);
        }
    }

    void withoutABusUntilOneQuits()
    {
        Keyring keyring;
        QVERIFY(!keyring.lasts());
        QVERIFY(keyring.text().contains(u"until the program quits"_s));
        keyring.keep(account("mysql://ann@db1/shop"), u"pa5s"_s);
        QCOMPARE(keyring.password(account("mysql://ann@db1/other")), u"pa5s"_s); // whatever the database
        QCOMPARE(keyring.password(account("mysql://bob@db1/shop")), QString());
        Keyring later;
        QCOMPARE(later.password(account("mysql://ann@db1/shop")), QString());
    }

    void inARealKeyring()
    {
        if (const QString why = startKeyring(); !why.isEmpty())
            QSKIP(qPrintable(why));
        const TargetUri ann = account("mysql://ann@db1:3307/shop"), eve = account("mysql://eve@db1:3307/shop");
        const auto others = {account("mysql://bob@db1:3307/shop"), account("mysql://ann@db2:3307/shop"),
                             account("mysql://ann@db1/shop")};
        Keyring first;
        if (!first.lasts())
            QSKIP("this build has no QtKeychain");
        QVERIFY(first.text().contains(u"system's keyring"_s));
        first.keep(ann, u"pa5s wörd"_s);
        first.keep(eve, u"hers"_s);
        // QtKeychain answers one question after the other: whoever has the last one's answer has all of them.
        const auto asked = [&](Keyring& keyring) {
            QSignalSpy found(&keyring, &Keyring::found);
            keyring.find(ann);
            for (const TargetUri& other : others)
                keyring.find(other);
            keyring.find(eve);
            while (keyring.password(eve).isEmpty() && found.wait(test::kPatienceMs)) {
            }
            return keyring.password(eve) == u"hers"_s && keyring.lasts();
        };
        Keyring later; // another start of the window
        QVERIFY(asked(later));
        QCOMPARE(later.password(ann), u"pa5s wörd"_s);
        for (const TargetUri& other : others)
            QCOMPARE(later.password(other), QString());
        // On the disk nobody reads it.
        const QDir files(m_dir.filePath(u"data/keyrings"_s));
        QVERIFY(!files.entryList(QDir::Files).isEmpty());
        for (const QString& file : files.entryList(QDir::Files)) {
            QFile in(files.filePath(file));
            QVERIFY(in.open(QIODevice::ReadOnly));
            QVERIFY2(!in.readAll().contains("pa5s"), qPrintable(file));
        }
        later.keep(ann, {}); // taken away
        Keyring last;
        QVERIFY(asked(last));
        QCOMPARE(last.password(ann), QString());
    }

    //! The keyring goes away while the window lives: from then on the window says what is true.
    void aKeyringThatRefuses()
    {
        if (m_daemon.state() != QProcess::Running)
            QSKIP("no keyring was started");
        Keyring keyring;
        QVERIFY(keyring.lasts());
        m_daemon.terminate();
        QVERIFY(m_daemon.waitForFinished(test::kPatienceMs));
        QSignalSpy changed(&keyring, &Keyring::lastsChanged);
        keyring.keep(account("mysql://ann@db1/shop"), u"pa5s"_s);
        QVERIFY(changed.count() == 1 || changed.wait(test::kPatienceMs));
        QVERIFY(!keyring.lasts() && keyring.text().contains(u"until the program quits"_s));
        QCOMPARE(keyring.password(account("mysql://ann@db1/shop")), u"pa5s"_s);
    }
};

} // namespace dyno::tst_keyring

DYNO_WIDGET_SUITE(tst_keyring, dyno::tst_keyring::TstKeyring)
#include "tst_keyring.moc"
