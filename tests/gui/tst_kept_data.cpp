// SPDX-License-Identifier: GPL-3.0-or-later
// The window's Start where a managed server that is kept holds tables of other parameters: it asks, as with any other
// target.
#include "bridge/app_context.h"
#include "bridge/run_bridge.h"
#include "main_window.h"
#include "support/dyno_process.h"
#include "support/mariadb_fixture.h"
#include "support/own_settings.h"
#include "support/patience.h"
#include "support/suite.h"
#include "theme.h"

#include <dyno/kept_data.h>
#include <dyno/plan.h>
#include <dyno/runner.h>

#include <QDir>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_kept_data {

namespace {

constexpr int kServerMs = 120'000; //!< starts and stops of a server on a busy machine

Plan planOf(std::int64_t rows, PreparePolicy prepare = PreparePolicy::Auto)
{
    Plan plan;
    plan.target.uri = "managed:mariadb?name=kept";
    plan.workload.name = "oltp_point_select";
    plan.workload.params["table_size"] = rows;
    plan.workload.prepare = prepare;
    plan.load.timeSeconds = 0.2;
    plan.load.intervalSeconds = 0.1;
    return plan;
}

//! Whether the server holds just these rows, as Dynobench loads them.
bool holds(std::int64_t rows)
{
    PreparedData found;
    const auto there = prepareData(planOf(rows, PreparePolicy::Never), {}, {}, &found);
    return there && !found.loaded;
}

} // namespace

class TestKeptData : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

private slots:
    void initTestCase()
    {
        if (const std::string why = test::MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        QVERIFY(m_dir.isValid());
        test::ownHome(m_dir);
        test::shareInitialisedServers(m_dir.path());
        Theme::instance().apply(*qApp);
    }

    void aServerThatIsNotThere()
    {
        QVERIFY(lookAtKeptData(planOf(100), {}).empty());
        QVERIFY(!QDir(m_dir.filePath("dynobench/instances/kept")).exists()); // looking makes nothing
    }

    void startAsks_data()
    {
        QTest::addColumn<QString>("answer");
        QTest::addColumn<qlonglong>("rows");
        QTest::addColumn<bool>("runs");
        QTest::newRow("no") << QStringLiteral("consentNo") << qlonglong(100) << false;
        QTest::newRow("use") << QStringLiteral("consentUse") << qlonglong(100) << true;
        QTest::newRow("rebuild") << QStringLiteral("consentRebuild") << qlonglong(250) << true;
    }
    void startAsks()
    {
        QFETCH(QString, answer);
        QFETCH(qlonglong, rows);
        QFETCH(bool, runs);
        const auto prepared = prepareData(planOf(100, PreparePolicy::Always), {}, {});
        QVERIFY2(prepared, prepared ? "" : prepared.error().text().c_str());
        QVERIFY(lookAtKeptData(planOf(100), {}).empty()); // these fit

        AppContext context(m_dir.filePath("library.dynolib").toStdString());
        MainWindow window(context);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QSignalSpy finished(&context.run(), &RunFeed::sessionFinished);
        context.startPlan(planOf(250));
        QTRY_VERIFY_WITH_TIMEOUT(window.findChild<QMessageBox*>("consentQuestion"), kServerMs);
        auto* box = window.findChild<QMessageBox*>("consentQuestion");
        const QString asked = box->informativeText().remove(QChar(0x200b));
        QVERIFY2(asked.contains("table_size 100 instead of 250"), qPrintable(asked));
        QVERIFY2(asked.contains("managed:mariadb?name=kept") && !asked.contains("--existing"),
                 qPrintable(asked));      // what would be dropped
        QVERIFY(!context.run().active()); // no session before the answer
        if (const QString pictures = qEnvironmentVariable("DYNO_TEST_PICTURES"); !pictures.isEmpty())
            QVERIFY(box->grab().save(pictures + "/kept-data.png") &&
                    window.grab().save(pictures + "/kept-data-window.png"));
        auto* button = box->findChild<QPushButton*>(answer);
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(!window.findChild<QMessageBox*>("consentQuestion"));
        if (runs)
            QTRY_COMPARE_WITH_TIMEOUT(int(finished.count()), 1, kServerMs);
        QTRY_VERIFY_WITH_TIMEOUT(!context.run().active(), kServerMs);
        QVERIFY(holds(rows));
        QVERIFY(!holds(rows == 100 ? 250 : 100));
        QCoreApplication::processEvents(); // a start that came late
        QVERIFY(!context.run().active());
        QCOMPARE(int(finished.count()), runs ? 1 : 0);
    }
};

} // namespace dyno::tst_kept_data

DYNO_WIDGET_SUITE(tst_kept_data, dyno::tst_kept_data::TestKeptData)
#include "tst_kept_data.moc"
