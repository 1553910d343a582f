// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that failed or were skipped, as a person meets them: on the Run, Sessions and Compare pages.
#include "bridge/run_bridge.h"
#include "compare/compare_page.h"
#include "parts/banner.h"
#include "pictures.h"
#include "sessions/session_model.h"
#include "sessions/sessions_page.h"
#include "support/patience.h"
#include "support/suite.h"
#include "widgets/run_page_fixture.h"

#include <dyno/catalog.h>
#include <dyno/missing_runs.h>
#include <dyno/runner.h>

#include <QDir>
#include <QMenu>
#include <QScrollArea>
#include <QTableView>

namespace dyno::tst_failed_runs {

namespace {

constexpr int kRunMs = 120'000; // a slow machine runs slowly

} // namespace

class TestFailedRuns : public test::RunPageTest
{
    Q_OBJECT
    QTemporaryDir m_dir;
    int m_added = 0;

    //! Two repeats of two points; the second point's file lies in a folder that is not there.
    [[nodiscard]] Plan failing(const char* folder) const
    {
        Plan plan;
        plan.title = "Where the data lies";
        plan.target.uri = "null:";
        plan.workload.name = "oltp_point_select";
        plan.workload.params = {{"tables", std::int64_t(1)}, {"table_size", std::int64_t(100)}};
        plan.load.timeSeconds = 0.3;
        plan.load.intervalSeconds = 0.1;
        plan.load.repeats = 2;
        const QString file = m_dir.filePath(QString::fromLatin1(folder)) + QStringLiteral("/x.db");
        plan.axes = {{"place", {{"memory", {}, 0}, {"disk", {{"target.uri", "sqlite:" + file.toStdString()}}, 0}}, 0}};
        return plan;
    }
    [[nodiscard]] static Plan endless(int repeats)
    {
        Plan plan;
        plan.title = "Endless";
        plan.target.uri = "null:";
        plan.workload.name = "oltp_point_select";
        plan.workload.params = {{"table_size", std::int64_t(100)}};
        plan.load.users = {1, 2};
        plan.load.repeats = repeats;
        plan.load.order = RunOrder::AsListed;
        plan.load.timeSeconds = 3600;
        plan.load.intervalSeconds = 0.1;
        return plan;
    }
    //! A session of this machine that failed before its first run; its one run can be measured now.
    QString addWithoutRuns(const std::string& title, const std::string& reason)
    {
        SessionHeader header;
        header.id = "5e551011-0000-4000-8000-00000000" + std::to_string(2000 + ++m_added);
        header.title = title;
        header.startedMs = 1763648000000 + m_added;
        header.software = std::string("dynobench ") + softwareVersion();
        header.host = hostFacts();
        header.plan = endless(1);
        header.plan.load.users = {1};
        header.plan.load.timeSeconds = 0.3;
        const Expansion expansion = expand(header.plan);
        header.points = expansion.points;
        header.runs = expansion.runs;
        SessionSummary end;
        end.status = RunStatus::Failed;
        end.reason = reason;
        end.finishedMs = header.startedMs + 1000;
        auto writer = SessionWriter::open(m_library.file());
        if (!writer)
            qFatal("%s", writer.error().text().c_str());
        (*writer)->onSessionStarted(header);
        (*writer)->onSessionFinished(end);
        if (auto flushed = (*writer)->flush(); !flushed)
            qFatal("%s", flushed.error().text().c_str());
        return QString::fromStdString(header.id);
    }
    void runToItsEnd(const Plan& plan)
    {
        m_context->startPlan(plan);
        QTRY_VERIFY_WITH_TIMEOUT(m_page->model().state() == LiveRunModel::State::Finished && !m_context->run().active(),
                                 kRunMs);
    }
    [[nodiscard]] QString shownId() const { return QString::fromStdString(m_page->model().session()->id); }

private slots:
    void initTestCase() { Theme::instance().apply(*qApp); }
    void init() { openPage(); }
    void cleanup()
    {
        m_context->run().stop();
        QTRY_VERIFY_WITH_TIMEOUT(!m_context->run().active(), kRunMs);
        closePage();
    }

    void failureIsNoDeadEnd()
    {
        QSignalSpy compare(m_context.get(), &AppContext::compareRequested);
        runToItsEnd(failing("later"));
        QCOMPARE(compare.size(), 0); // the page says first what went wrong
        const QString text = m_page->bannerText();
        QVERIFY2(text.contains(QStringLiteral("point 2 (disk), repeat 1 failed while ")), qPrintable(text)); // where
        QVERIFY2(text.contains(QStringLiteral("1 more run failed.")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("Runs complete: 2 of 4")), qPrintable(text)); // what was kept
        const QString head = find<QLabel>("runProgressText")->text();
        QVERIFY2(head.contains(QStringLiteral("2 of 4 runs complete")) && head.contains(QStringLiteral("2 failed")),
                 qPrintable(head));
        // The event that tells why is there.
        const auto& events = m_page->model().events();
        QVERIFY(!events.empty() && events.front().kind == EventKind::Error);
        QVERIFY(text.contains(events.front().text));
        auto* button = find<QPushButton>("runBannerButton");
        QCOMPARE(button->text(), QStringLiteral("Run what is missing"));
        QCOMPARE(find<QPushButton>("runBannerSecond")->text(), QStringLiteral("Compare"));
        QVERIFY(find<QPushButton>("runMissing")->isVisible());
        test::keepPictures(*m_page, QStringLiteral("run-failed"));

        QVERIFY(QDir(m_dir.path()).mkpath(QStringLiteral("later")));
        const QString id = shownId();
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(m_library.session(id).info.runsDone, 4, kRunMs);
        QTRY_VERIFY_WITH_TIMEOUT(!m_context->run().active(), kRunMs);
        QCOMPARE(shownId(), id); // the same session, complete now
        QTRY_COMPARE(compare.size(), 1);
        QVERIFY(!find<QPushButton>("runMissing")->isVisible());
        QVERIFY2(m_page->bannerText().contains(QStringLiteral("Runs complete: 4 of 4")),
                 qPrintable(m_page->bannerText()));
    }
    void showThePlanShowsThePlan()
    {
        QSignalSpy edit(m_context.get(), &AppContext::planEditRequested);
        QSignalSpy compare(m_context.get(), &AppContext::compareRequested);
        Plan plan = failing("never");
        plan.target.uri = toText(plan.axes.front().cases[1].set.at("target.uri"));
        plan.axes.clear();
        runToItsEnd(plan);
        auto* second = find<QPushButton>("runBannerSecond");
        QCOMPARE(second->text(), QStringLiteral("Show the plan"));
        QTest::mouseClick(second, Qt::LeftButton);
        QCOMPARE(compare.size(), 0);
        QCOMPARE(edit.size(), 1);
        QCOMPARE(QString::fromStdString(edit.first().first().value<Plan>().target.uri),
                 QString::fromStdString(plan.target.uri));
        QVERIFY(!find<QPushButton>("runCompare")->isVisible()); // there is nothing to compare
        // Nor to draw: no empty axes, but why.
        QVERIFY(!m_page->throughputPlot().isVisible());
        const auto* nothing = find<EmptyState>("runNothing");
        QVERIFY(nothing->isVisible());
        QStringList told;
        for (const QLabel* label : nothing->findChildren<QLabel*>())
            told += label->text();
        QVERIFY2(told.join(QLatin1Char('\n')).contains(QStringLiteral("failed while ")),
                 qPrintable(told.join(QLatin1Char('\n'))));
        m_context->startPlan(endless(1)); // the next one has its plots
        QTRY_VERIFY_WITH_TIMEOUT(m_page->model().series().size() > 0, kRunMs);
        QVERIFY(m_page->throughputPlot().isVisible() && !nothing->isVisible());
    }
    //! Space typed by habit ends nothing, and a skipped run is not called failed.
    void skippingIsNoAccidentAndNoFailure()
    {
        m_context->startPlan(endless(2));
        const auto measures = [this](int index) {
            return m_page->model().run() && m_page->model().run()->index == index &&
                   m_page->model().series().size() > 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(measures(0), kRunMs);
        auto* skipRun = find<QPushButton>("runSkipRun");
        auto* skipPoint = find<QPushButton>("runSkip");
        QVERIFY(skipRun->isVisible() && skipPoint->isVisible());
        for (const char* name : {"runSkipRun", "runSkip", "runPause", "runStop"})
            QVERIFY(!find<QPushButton>(name)->hasFocus()); // nothing of that kind has it when a session starts
        QTest::mouseClick(skipRun, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(measures(1), kRunMs);
        QWidget* focus = QApplication::focusWidget() ? QApplication::focusWidget() : m_page.get();
        QVERIFY2(!qobject_cast<QPushButton*>(focus), qPrintable(focus->objectName()));
        const qsizetype before = m_page->model().series().size();
        QTest::keyClick(focus, Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(m_page->model().series().size() > before + 2, kRunMs); // it goes on
        QCOMPARE(m_page->model().run()->index, 1);
        QCOMPARE(m_page->model().counts().skipped, 1);
        QCOMPARE(m_page->model().counts().failed, 0);
        test::keepPictures(*m_page, QStringLiteral("run-skipped"));
        QTest::mouseClick(skipPoint, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(measures(2), kRunMs);
        const QString spoken = m_page->findChild<PointBars*>()->accessibleDescription();
        QVERIFY2(spoken.contains(QStringLiteral("1 user: skipped")) || spoken.contains(QStringLiteral(": skipped")),
                 qPrintable(spoken));
        QVERIFY2(!spoken.contains(QStringLiteral("failed")), qPrintable(spoken));
        m_context->run().stop();
        QTRY_VERIFY_WITH_TIMEOUT(!m_context->run().active(), kRunMs);
        const RunCounts counts = countRuns(m_library.session(shownId()));
        QCOMPARE(counts.skipped, 2);
        QCOMPARE(counts.stopped, 1);
        QCOMPARE(counts.notRun, 1);
        QCOMPARE(find<QPushButton>("runBannerButton")->text(), QStringLiteral("Run what is missing"));
    }
    void oneRepeatHasNoRunToSkip()
    {
        m_context->startPlan(endless(1));
        QTRY_VERIFY_WITH_TIMEOUT(m_page->model().series().size() > 0, kRunMs);
        QVERIFY(!find<QPushButton>("runSkipRun")->isVisible()); // it would be the same as its point
        QVERIFY(find<QPushButton>("runSkip")->isVisible());
    }
    //! No run began: the session's reason is the only one, and every page has it.
    void aSessionWithoutRunsSaysWhy()
    {
        QStringList ids;
        for (int i = 0; i < 2; ++i)
            ids += addWithoutRuns("Too early " + std::to_string(i + 1), "there is no such server (start it first)");
        ComparePage compare(*m_context);
        compare.resize(1356, 900);
        compare.show();
        QVERIFY(QTest::qWaitForWindowExposed(&compare));
        auto* banner = compare.findChild<Banner*>(QStringLiteral("compareBanner"));
        auto* action = compare.findChild<QPushButton*>(QStringLiteral("compareBannerAction"));
        const QString why = QStringLiteral("The session failed: there is no such server (start it first).");
        compare.showSessions({ids[0]});
        QTRY_VERIFY(banner->isVisible());
        QVERIFY2(banner->text().contains(why), qPrintable(banner->text()));
        QVERIFY(!banner->text().contains(QStringLiteral("..")));
        QCOMPARE(action->accessibleName(), QStringLiteral("Run what is missing"));
        auto* menu = compare.findChild<QMenu*>(QStringLiteral("compareBannerMenu"));
        compare.showSessions(ids); // several: one entry for each
        QTRY_COMPARE(menu->actions().size(), 2);
        for (int i = 0; i < 2; ++i) {
            QVERIFY2(banner->text().contains(QStringLiteral("Too early %1: %2").arg(i + 1).arg(why)),
                     qPrintable(banner->text()));
            QCOMPARE(menu->actions().at(i)->text(), QStringLiteral("Too early %1: 1 run").arg(i + 1));
        }
        QVERIFY(action->isVisible());
        QTest::mouseClick(action, Qt::LeftButton);
        QTRY_VERIFY(menu->isVisible());
        menu->close();
        menu->actions().at(1)->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_library.session(ids[1]).info.runsDone, 1, kRunMs);
        QTRY_VERIFY_WITH_TIMEOUT(!m_context->run().active(), kRunMs);
        QCOMPARE(m_library.session(ids[0]).info.runsDone, 0);

        SessionsPage sessions(*m_context);
        sessions.resize(1196, 720);
        sessions.show();
        QVERIFY(QTest::qWaitForWindowExposed(&sessions));
        QTRY_VERIFY(!sessions.busy());
        auto* table = sessions.findChild<QTableView*>(QStringLiteral("sessionTable"));
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            if (table->model()->index(row, SessionModel::Title).data().toString().contains(QStringLiteral("early 1")))
                table->selectRow(row);
        }
        auto* told = sessions.findChild<QLabel*>(QStringLiteral("sessionDetailsMissing"));
        QTRY_VERIFY(told->isVisible());
        QCOMPARE(told->text(), why);
        QVERIFY(!sessions.findChild<QLabel*>(QStringLiteral("sessionDetailsReason"))->isVisible()); // it is said once
    }
    //! The same session on the Sessions page and on Compare: where, why, and the way on.
    void sessionsAndCompareSayIt()
    {
        runToItsEnd(failing("nowhere"));
        const QString id = shownId();

        SessionsPage sessions(*m_context);
        sessions.resize(1196, 720);
        sessions.show();
        QVERIFY(QTest::qWaitForWindowExposed(&sessions));
        QTRY_VERIFY(!sessions.busy());
        auto* table = sessions.findChild<QTableView*>(QStringLiteral("sessionTable"));
        QCOMPARE(table->model()->index(0, SessionModel::Runs).data().toString(), QStringLiteral("2 of 4"));
        table->selectRow(0);
        auto* why = sessions.findChild<QLabel*>(QStringLiteral("sessionDetailsMissing"));
        QTRY_VERIFY(why->isVisible());
        QVERIFY2(why->text().contains(QStringLiteral("point 2 (disk), repeat 1 failed while ")),
                 qPrintable(why->text()));
        QVERIFY(!sessions.findChild<QLabel*>(QStringLiteral("sessionDetailsReason"))->isVisible()); // it is said once
        for (const QLabel* label :
             sessions.findChild<QScrollArea*>(QStringLiteral("sessionDetailsScroll"))->findChildren<QLabel*>()) {
            QTRY_VERIFY2(!label->isVisible() || label->height() >= QFontMetrics(label->font()).height(),
                         qPrintable(label->text()));
        }
        test::keepPictures(sessions, QStringLiteral("sessions-failed"));
        auto* again = sessions.findChild<QPushButton*>(QStringLiteral("sessionDetailsRunMissing"));
        QVERIFY(again->isVisible());
        QTest::mouseClick(again, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(m_context->run().active(), kRunMs);
        QTRY_VERIFY_WITH_TIMEOUT(!m_context->run().active(), kRunMs);
        // It failed again, in the same session, before a run began: nothing was measured twice, and nothing is kept of
        // it.
        const StoredSession stored = m_library.session(id);
        QCOMPARE(stored.info.runsDone, 2);
        QCOMPARE(stored.info.runsPlanned, 4);
        QCOMPARE(stored.runs.size(), std::size_t(4));

        ComparePage compare(*m_context);
        compare.resize(1356, 900);
        compare.show();
        QVERIFY(QTest::qWaitForWindowExposed(&compare));
        compare.showSessions({id});
        auto* banner = compare.findChild<Banner*>(QStringLiteral("compareBanner"));
        QTRY_VERIFY(banner->isVisible());
        QVERIFY2(banner->text().contains(QStringLiteral("2 of 4 runs complete: 2 failed")), qPrintable(banner->text()));
        QVERIFY2(banner->text().contains(QStringLiteral("point 2 (disk), repeat 1 failed while ")),
                 qPrintable(banner->text()));
        auto* action = compare.findChild<QPushButton*>(QStringLiteral("compareBannerAction"));
        QCOMPARE(action->text(), QStringLiteral("Run what is missing"));
        QTRY_VERIFY(!compare.busy());
        test::keepPictures(compare, QStringLiteral("compare-failed"));
        QVERIFY(QDir(m_dir.path()).mkpath(QStringLiteral("nowhere")));
        QTest::mouseClick(action, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(m_library.session(id).info.runsDone, 4, kRunMs);
    }
};

} // namespace dyno::tst_failed_runs

DYNO_WIDGET_SUITE(tst_failed_runs, dyno::tst_failed_runs::TestFailedRuns)
#include "tst_failed_runs.moc"
