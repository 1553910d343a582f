// SPDX-License-Identifier: GPL-3.0-or-later
// The window's Start where a database holds what Dynobench did not make: it asks once, and nothing is made there
// before.
#include "bridge/app_context.h"
#include "bridge/run_bridge.h"
#include "main_window.h"
#include "support/mariadb_fixture.h"
#include "support/own_settings.h"
#include "support/patience.h"
#include "support/suite.h"
#include "theme.h"

#include <dyno/plan.h>

#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_others_window {

class TestOthersWindow : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    test::MariadbFixture m_server;
    std::unique_ptr<Admin> m_admin;

    std::size_t tables() const
    {
        const auto names = m_admin->query("SHOW TABLES IN shop");
        return names ? names->size() : 999;
    }

private slots:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        test::ownHome(m_dir);
        Theme::instance().apply(*qApp);
        DYNO_START_MARIADB(m_server);
        auto admin = m_server.admin();
        QVERIFY(admin);
        m_admin = std::move(*admin);
        QVERIFY(m_admin->execute("CREATE DATABASE shop"));
        QVERIFY(m_admin->execute("CREATE TABLE shop.customers (id INT)"));
    }

    void startAsksOnce()
    {
        TargetUri uri = m_server.uri();
        uri.database = "shop";
        Plan plan;
        plan.target.uri = uri.display();
        plan.workload.name = "oltp_point_select";
        plan.workload.params["table_size"] = std::int64_t(100);
        plan.load.timeSeconds = plan.load.intervalSeconds = 0.2;
        AppContext context(m_dir.filePath("library.dynolib").toStdString());
        MainWindow window(context);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QSignalSpy finished(&context.run(), &RunFeed::sessionFinished);
        const auto box = [&window] { return window.findChild<QMessageBox*>("consentQuestion"); };
        const auto answer = [&](const char* button) {
            QTRY_VERIFY(box());
            const QString asked = box()->informativeText().remove(QChar(0x200b));
            QVERIFY2(asked.contains("(customers)") && asked.contains("target.uri"), qPrintable(asked));
            QVERIFY(!context.run().active());
            QCOMPARE(tables(), std::size_t(1));
            if (const QString pictures = qEnvironmentVariable("DYNO_TEST_PICTURES"); !pictures.isEmpty()) {
                for (const Theme::Choice choice : {Theme::Choice::Light, Theme::Choice::Dark}) {
                    Theme::instance().setChoice(choice);
                    QVERIFY(box()->grab().save(
                        pictures + (choice == Theme::Choice::Light ? "/others-light.png" : "/others-dark.png")));
                }
                Theme::instance().setChoice(Theme::Choice::System);
            }
            auto* pressed = box()->findChild<QPushButton*>(button);
            QVERIFY(pressed);
            QTest::mouseClick(pressed, Qt::LeftButton);
        };
        context.startPlan(plan);
        answer("consentNo");
        QTRY_VERIFY(!box());
        QVERIFY(!context.run().active());
        QCOMPARE(tables(), std::size_t(1));
        context.startPlan(plan);
        answer("consentAllow");
        QTRY_COMPARE(int(finished.count()), 1);
        QTRY_VERIFY(!context.run().active());
        QVERIFY(tables() > 1);
        QVERIFY(m_admin->execute("DROP TABLE shop.sbtest1, shop.dynobench_meta")); // as it was
        context.startPlan(plan);                                                   // agreed to already
        QTRY_COMPARE(int(finished.count()), 2);
        QVERIFY(!box());
    }
};

} // namespace dyno::tst_others_window

DYNO_WIDGET_SUITE(tst_others_window, dyno::tst_others_window::TestOthersWindow)
#include "tst_others_window.moc"
