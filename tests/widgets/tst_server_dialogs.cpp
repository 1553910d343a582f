// SPDX-License-Identifier: GPL-3.0-or-later
// The question for a server that runs elsewhere: its URI and the parts of it, the password, the name.
#include "bridge/keyring.h"
#include "pictures.h"
#include "servers/server_dialogs.h"
#include "support/patience.h"
#include "support/suite.h"

#include <dyno/catalog.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_server_dialogs {
using namespace Qt::StringLiterals;

namespace {

struct Fixture
{
    Keyring keyring;
    RemoteServerDialog dialog;
    explicit Fixture(const RemoteServer& server = {})
        : dialog(server, keyring)
    {
        dialog.setAttribute(Qt::WA_DeleteOnClose, false); // it is a member here
        dialog.show();
    }
    template<class T = QLineEdit>
    T* find(const char* name)
    {
        T* child = dialog.findChild<T*>(QLatin1String(name));
        if (!child)
            qFatal("no %s", name);
        return child;
    }
    void type(const char* name, const QString& text)
    {
        auto* line = find(name);
        line->setFocus();
        line->selectAll();
        if (text.isEmpty())
            QTest::keyClick(line, Qt::Key_Delete);
        else
            QTest::keyClicks(line, text);
    }
};

} // namespace

class TstServerDialogs : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        Theme::instance().apply(*qApp);
        QVERIFY(m_dir.isValid());
        qputenv("XDG_DATA_HOME", m_dir.path().toUtf8());
    }

    void partsAndUriAreInStep()
    {
        Fixture f;
        f.type("remoteHost", u"db1"_s);
        QVERIFY(f.find("remoteUri")->text().startsWith(u"mysql://db1"_s));
        f.type("remotePort", u"3307"_s);
        f.type("remoteUser", u"bench"_s);
        f.type("remoteDatabase", u"sbtest"_s);
        QCOMPARE(f.find("remoteUri")->text(), u"mysql://bench@db1:3307/sbtest"_s);
        QVERIFY(f.find<QPushButton>("remoteSave")->isEnabled());
        f.type("remoteUri", u"mysql://other@db2/shop?tls=verify"_s);
        QCOMPARE(f.find("remoteHost")->text(), u"db2"_s);
        QCOMPARE(f.find("remotePort")->text(), QString());
        QCOMPARE(f.find("remoteUser")->text(), u"other"_s);
        QCOMPARE(f.find("remoteDatabase")->text(), u"shop"_s);
        QCOMPARE(f.find("remoteUri")->text(), u"mysql://other@db2/shop?tls=verify"_s); // stays as typed
        f.type("remoteHost", u"db3"_s);
        QCOMPARE(f.find("remoteUri")->text(), u"mysql://other@db3/shop?tls=verify"_s); // nothing else is lost
        f.type("remoteUri", u"mysql://other@db2/shop?compression=on"_s);               // more than the parts can say
        QVERIFY(!f.find("remoteHost")->isEnabled());
        f.type("remoteUri", u"mysql://other@db2/shop"_s);
        QVERIFY(f.find("remoteHost")->isEnabled());

        RemoteServer known;
        known.uri = "mysql://bench@db1:3306/sbtest";
        Fixture edited(known);
        QCOMPARE(edited.find("remoteHost")->text(), u"db1"_s);
        QCOMPARE(edited.find("remoteUser")->text(), u"bench"_s);
        QCOMPARE(edited.find("remoteUri")->text(), QString::fromStdString(known.uri));
    }

    void tabReachesThePasswordBeforeTheName()
    {
        Fixture f;
        const QStringList wanted{u"remoteUri"_s,  u"remoteSystem"_s,   u"remoteHost"_s,     u"remotePort"_s,
                                 u"remoteUser"_s, u"remoteDatabase"_s, u"remotePassword"_s, u"remoteName"_s};
        QStringList found;
        QWidget* widget = f.find("remoteUri");
        do {
            if (wanted.contains(widget->objectName()))
                found << widget->objectName();
            widget = widget->nextInFocusChain();
        } while (widget != f.find("remoteUri"));
        QCOMPARE(found, wanted);
    }

    void thePasswordIsNoName()
    {
        Fixture f;
        f.type("remoteUri", u"mysql://bench@db1/sbtest"_s);
        f.type("remotePassword", u"hunter2"_s);
        auto* save = f.find<QPushButton>("remoteSave");
        QVERIFY(save->isEnabled());
        f.type("remoteName", u"hunter2"_s);
        QVERIFY(!save->isEnabled());
        QVERIFY(f.find<QLabel>("remoteProblem")->isVisible());
        QVERIFY(!f.find<QLabel>("remoteProblem")->text().contains(u"hunter2"_s));
        test::keepPictures(f.dialog, u"add-server"_s);
        QVERIFY(f.find("remoteName")->toolTip() == f.find<QLabel>("remoteProblem")->text());
        QSignalSpy saved(&f.dialog, &RemoteServerDialog::saveRequested);
        save->click();
        QCOMPARE(saved.size(), 0);
        f.type("remoteName", u"lab"_s);
        QVERIFY(save->isEnabled());
        QVERIFY(!f.find<QLabel>("remoteProblem")->isVisible());
        save->click();
        QCOMPARE(saved.size(), 1);
        QCOMPARE(saved.first().at(1).toString(), u"hunter2"_s);
    }

    void whatLooksLikeThePasswordIsNoName_data()
    {
        QTest::addColumn<QString>("password");
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("alike");
        QTest::newRow("case") << u"hunter2"_s << u"Hunter2"_s << true;
        QTest::newRow("punctuation") << u"hunter2"_s << u"hunter2!"_s << true;
        QTest::newRow("punctuation inside") << u"hunter2"_s << u"hun-ter_2"_s << true;
        QTest::newRow("more digits") << u"hunter2"_s << u"hunter2026"_s << true;
        QTest::newRow("no digits") << u"hunter2"_s << u"HUNTER"_s << true;
        QTest::newRow("password with punctuation") << u"!hunter 2"_s << u"hunter"_s << true;
        QTest::newRow("digits only") << u"90210"_s << u"90-210"_s << true;
        QTest::newRow("punctuation only") << u"!?"_s << u"!?"_s << true;
        QTest::newRow("letters of another alphabet") << u"Ёлка7"_s << u"ёлка"_s << true;
        QTest::newRow("another word") << u"hunter2"_s << u"hunting lab"_s << false;
        QTest::newRow("a word more") << u"hunter2"_s << u"hunter two"_s << false;
        QTest::newRow("other digits") << u"90210"_s << u"db 10"_s << false;
        QTest::newRow("one letter") << u"a1"_s << u"a"_s << false;
        QTest::newRow("no password") << QString() << u"lab"_s << false;
    }
    void whatLooksLikeThePasswordIsNoName()
    {
        QFETCH(QString, password);
        QFETCH(QString, name);
        QFETCH(bool, alike);
        Fixture f;
        f.type("remoteUri", u"mysql://bench@db1/sbtest"_s);
        f.find("remotePassword")->setText(password);
        f.find("remoteName")->setText(name);
        QCOMPARE(f.find<QPushButton>("remoteSave")->isEnabled(), !alike);
        QCOMPARE(f.find<QLabel>("remoteProblem")->text().contains(u"looks like the password"_s), alike);
    }

    void theConnectionIsTestedHere()
    {
        Fixture f;
        auto* test = f.find<QPushButton>("remoteTest");
        auto* result = f.find<QLabel>("remoteResult");
        QVERIFY(!test->isEnabled());                             // nothing to connect to yet
        f.type("remoteUri", u"mysql://root@127.0.0.1:1/none"_s); // nobody listens on port 1
        QVERIFY(test->isEnabled() && !result->isVisible());
        QTest::mouseClick(test, Qt::LeftButton);
        QVERIFY(result->isVisible());
        QTRY_COMPARE(result->property("tone").toString(), u"bad"_s);
        QVERIFY(!result->text().isEmpty() && test->isEnabled() && f.dialog.isVisible());
        f.type("remoteHost", u"127.0.0.2"_s);
        QVERIFY(!result->isVisible()); // it was about another server
    }

private:
    QTemporaryDir m_dir;
};

} // namespace dyno::tst_server_dialogs

DYNO_WIDGET_SUITE(tst_server_dialogs, dyno::tst_server_dialogs::TstServerDialogs)
#include "tst_server_dialogs.moc"
