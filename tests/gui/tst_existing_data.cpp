// SPDX-License-Identifier: GPL-3.0-or-later
// The window's Start where tables of other parameters are there: it asks before anything is changed, and does what is
// answered.
#include "bridge/app_context.h"
#include "bridge/run_bridge.h"
#include "main_window.h"
#include "parts/page.h"
#include "support/own_settings.h"
#include "support/patience.h"
#include "support/suite.h"
#include "theme.h"

#include <dyno/plan.h>
#include <dyno/runner.h>

#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <sqlite3.h>

namespace dyno::tst_existing_data {

namespace {

constexpr int kLookMs = 20'000;

Plan planOf(const QString& file, std::int64_t rows)
{
    Plan plan;
    plan.target.uri = "sqlite:" + file.toStdString();
    plan.workload.name = "oltp_point_select";
    plan.workload.params["table_size"] = rows;
    plan.load.timeSeconds = 0.2;
    plan.load.intervalSeconds = 0.1;
    return plan;
}

std::int64_t rowsOf(const QString& file)
{
    sqlite3* db = nullptr;
    sqlite3_stmt* statement = nullptr;
    std::int64_t rows = -1;
    if (sqlite3_open_v2(qPrintable(file), &db, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "SELECT COUNT(*) FROM sbtest1", -1, &statement, nullptr) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        rows = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return rows;
}

} // namespace

class TestExistingData : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

private slots:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        test::ownHome(m_dir);
        Theme::instance().apply(*qApp);
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
        const QString file = m_dir.filePath(QString::fromLatin1(QTest::currentDataTag()) + ".db");
        const auto prepared = prepareData(planOf(file, 100), {}, {});
        QVERIFY2(prepared, prepared ? "" : prepared.error().text().c_str());
        QCOMPARE(rowsOf(file), std::int64_t(100));

        AppContext context((m_dir.filePath("library.dynolib")).toStdString());
        MainWindow window(context);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QSignalSpy finished(&context.run(), &RunFeed::sessionFinished);
        context.startPlan(planOf(file, 250));
        QTRY_VERIFY_WITH_TIMEOUT(window.findChild<QMessageBox*>("consentQuestion"), kLookMs);
        auto* box = window.findChild<QMessageBox*>("consentQuestion");
        QVERIFY2(box->informativeText().contains("table_size 100 instead of 250"), qPrintable(box->informativeText()));
        QVERIFY(!box->informativeText().contains("--existing")); // words of the command line
        QVERIFY2(box->informativeText().remove(QChar(0x200b)).contains(file),
                 qPrintable(box->informativeText())); // what would be dropped
        QCOMPARE(box->defaultButton()->objectName(), QStringLiteral("consentNo"));
        QVERIFY(box->focusWidget() &&
                box->focusWidget()->objectName() == QStringLiteral("consentNo")); // Enter loses nothing
        QCOMPARE(rowsOf(file), std::int64_t(100));
        if (const QString pictures = qEnvironmentVariable("DYNO_TEST_PICTURES"); !pictures.isEmpty()) {
            for (const Theme::Choice choice : {Theme::Choice::Light, Theme::Choice::Dark}) {
                Theme::instance().setChoice(choice);
                QCOMPARE(box->focusWidget()->objectName(), QStringLiteral("consentNo"));
                QVERIFY(box->grab().save(pictures + (choice == Theme::Choice::Light ? "/existing-data-light.png"
                                                                                    : "/existing-data-dark.png")));
            }
            Theme::instance().setChoice(Theme::Choice::System);
        }
        auto* button = box->findChild<QPushButton*>(answer);
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(!window.findChild<QMessageBox*>("consentQuestion"));
        if (runs) {
            QTRY_COMPARE_WITH_TIMEOUT(int(finished.count()), 1, kLookMs);
            QVERIFY(window.currentPage()->objectName() !=
                    QStringLiteral("startPage")); // the Run page, or the results already
        } else {
            QVERIFY(!context.run().active());
        }
        QCOMPARE(rowsOf(file), std::int64_t(rows));
        QTRY_VERIFY_WITH_TIMEOUT(!context.run().active(), kLookMs);
    }
};

} // namespace dyno::tst_existing_data

DYNO_WIDGET_SUITE(tst_existing_data, dyno::tst_existing_data::TestExistingData)
#include "tst_existing_data.moc"
