// SPDX-License-Identifier: GPL-3.0-or-later
// The window: rail, keyboard, messages, files, closing while a session runs.
#include "bridge/run_bridge.h"
#include "compare/compare_page.h"
#include "manual/manual_window.h"
#include "own_window.h"
#include "parts/page.h"
#include "plan/plan_page.h"
#include "support/suite.h"
#include "theme.h"

#include <dyno/manual.h>
#include <dyno/plan.h>

#include <QAction>
#include <QDropEvent>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QShortcut>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QWindow>

namespace dyno::tst_main_window {

namespace {

const char* const kPages[] = {"startPage", "planPage", "runPage", "sessionsPage", "comparePage", "serversPage"};

Plan longPlan()
{
    const ParsedPlan parsed = parsePlan(R"(title = "long"
[target]
uri = "null:"
[workload]
name = "oltp_point_select"
[load]
users = 1
time = "600s"
interval = "0.1s"
)",
                                        "test");
    if (!parsed.plan)
        qFatal("%s", parsed.faults.front().what.c_str());
    return *parsed.plan;
}

} // namespace

class TestMainWindow : public QObject, protected test::OwnWindow
{
    Q_OBJECT

    [[nodiscard]] QString current() const { return m_window->currentPage()->objectName(); }

private slots:
    void initTestCase() { ownAll(); }
    void init()
    {
        startAnew();
        QVERIFY(open());
    }
    void cleanup() { shut(); }

    void pagesByKeyboardAndByRail()
    {
        QCOMPARE(current(), QStringLiteral("startPage"));
        for (int i = 0; i < int(std::size(kPages)); ++i) {
            QTest::keyClick(m_window.get(), Qt::Key(Qt::Key_1 + i), Qt::ControlModifier);
            QCOMPARE(current(), QString::fromLatin1(kPages[i]));
            auto* button = m_window->findChild<QToolButton*>(QStringLiteral("rail_") + QString::fromLatin1(kPages[i]));
            QVERIFY(button && button->isChecked());
            QVERIFY(!button->accessibleName().isEmpty());
        }
        QTest::mouseClick(m_window->findChild<QToolButton*>(QStringLiteral("rail_startPage")), Qt::LeftButton);
        QCOMPARE(current(), QStringLiteral("startPage"));
        m_window->showPage(QStringLiteral("nowhere"));
        QCOMPARE(current(), QStringLiteral("startPage"));
    }
    //! Every key of the window, whatever it is bound to: no page has one twice, and pages differ in theirs.
    void oneMeaningForEachKey()
    {
        std::map<QString, QStringList> places;
        const auto note = [&places](const QObject* of, const QList<QKeySequence>& keys) {
            QString place = QStringLiteral("window");
            for (const QObject* one = of; one; one = one->parent()) {
                if (qobject_cast<const Page*>(one)) {
                    place = one->objectName();
                    break;
                }
            }
            for (const QKeySequence& key : keys) {
                if (!key.isEmpty())
                    places[key.toString()] += place;
            }
        };
        for (const QShortcut* shortcut : m_window->findChildren<QShortcut*>())
            note(shortcut, shortcut->keys());
        for (const QAction* action : m_window->findChildren<QAction*>())
            note(action, action->shortcuts());
        for (const QAbstractButton* button : m_window->findChildren<QAbstractButton*>())
            note(button, {button->shortcut()});
        QVERIFY(places.size() > 20);
        QCOMPARE(places[QStringLiteral("Ctrl+N")], QStringList{QStringLiteral("planPage")});
        for (auto& [key, where] : places) {
            const QString told = key + QStringLiteral(": ") + where.join(QStringLiteral(", "));
            if (where.size() == 1)
                continue;
            // Removes what is selected; takes back the last thing; finds; everywhere.
            static const QStringList everywhere{QStringLiteral("Del"), QStringLiteral("Ctrl+Z"),
                                                QStringLiteral("Ctrl+Shift+Z"), QStringLiteral("Ctrl+Y"),
                                                QStringLiteral("Ctrl+F")};
            QVERIFY2(everywhere.contains(key), qPrintable(told));
            QVERIFY2(!where.contains(QStringLiteral("window")) && where.removeDuplicates() == 0, qPrintable(told));
        }
    }
    void theManualOpensAtThePageThatIsShown()
    {
        QVERIFY(!m_window->manual());
        for (const char* name : kPages) {
            m_window->showPage(QString::fromLatin1(name));
            QVERIFY2(findManualPage(m_window->currentPage()->manualPage().toStdString()), name);
            QTest::keyClick(m_window.get(), Qt::Key_F1);
            QVERIFY2(m_window->manual() && m_window->manual()->isVisible(), name);
            QCOMPARE(m_window->manual()->page(), m_window->currentPage()->manualPage());
            QVERIFY(QTest::qWaitForWindowActive(m_window->manual()));
            QTest::keyClick(m_window->manual(), Qt::Key_Escape);
            QVERIFY2(!m_window->manual()->isVisible(), name);
            m_window->activateWindow();
            QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        }
        auto* help = m_window->findChild<QToolButton*>(QStringLiteral("helpButton"));
        QVERIFY(!help->accessibleName().isEmpty());
        QTest::mouseClick(help, Qt::LeftButton);
        auto* menu = m_window->findChild<QMenu*>(QStringLiteral("helpMenu"));
        QVERIFY(menu->isVisible() && m_window->geometry().contains(menu->geometry()));
        QTest::keyClick(menu, Qt::Key_Down);
        QTest::keyClick(menu, Qt::Key_Return);
        QVERIFY(m_window->manual()->isVisible());
        m_window->close(); // the manual does not stay behind alone
        QVERIFY(!m_window->manual()->isVisible());
    }
    void geometryAndPageAreRemembered()
    {
        m_window->resize(1234, 777);
        m_window->showPage(QStringLiteral("sessionsPage"));
        m_window->close();
        shut();
        QVERIFY(open());
        QCOMPARE(m_window->size(), QSize(1234, 777));
        QCOMPARE(current(), QStringLiteral("sessionsPage"));
        // A Run page without a run is no place to begin.
        m_window->showPage(QStringLiteral("runPage"));
        m_window->close();
        shut();
        QVERIFY(open());
        QCOMPARE(current(), QStringLiteral("startPage"));
    }
    //! A geometry that was left by a larger screen.
    void theWindowFitsTheScreen()
    {
        constexpr int kRoomForAFrame = 64;
        const QRect screen(100, 40, 1280, 720);
        m_window->move(2000, 900);
        m_window->resize(2400, 1500);
        QVERIFY(m_window->width() > 1280);
        m_window->fitInto(screen);
        QVERIFY(screen.contains(m_window->geometry()));
        QVERIFY(m_window->width() >= 1280 - kRoomForAFrame); // no smaller than need be
        QVERIFY(m_window->height() >= 720 - kRoomForAFrame);
        const QRect fitting = m_window->geometry();
        m_window->fitInto(screen);
        QCOMPARE(m_window->geometry(), fitting);
        const QRect small(0, 0, 800, 600); // the smallest size is larger than this
        m_window->fitInto(small);
        QVERIFY(small.contains(m_window->geometry()));
        m_window->fitInto(QRect(0, 0, 3000, 2000));
        QVERIFY(m_window->minimumWidth() > 800);
    }
    //! At the start with a size that a larger screen left, and when the screen becomes another.
    void theWindowFollowsItsScreen()
    {
        m_window->move(1700, 900);
        m_window->resize(2400, 1500);
        m_window->close();
        shut();
        QRect room(0, 0, 1280, 720);
        QVERIFY(open([&room] { return room; }));
        QVERIFY2(room.contains(m_window->geometry()), qPrintable(QDebug::toString(m_window->geometry())));
        QVERIFY(m_window->width() >= 1200); // no smaller than need be
        room = QRect(20, 30, 1000, 640);
        emit m_window->screen()->availableGeometryChanged(room);
        QTRY_VERIFY2(room.contains(m_window->geometry()), qPrintable(QDebug::toString(m_window->geometry())));
        room = QRect(-900, 0, 900, 600); // another one, at the left
        emit m_window->windowHandle()->screenChanged(m_window->screen());
        QTRY_VERIFY2(room.contains(m_window->geometry()), qPrintable(QDebug::toString(m_window->geometry())));
        const QPoint place = m_window->pos();
        room = QRect(-900, 0, 2000, 1200); // larger: it may have its usual smallest size again, where it is
        emit m_window->screen()->availableGeometryChanged(room);
        QTRY_VERIFY(m_window->minimumWidth() > 900);
        constexpr int kFrame = 4; // which the place counts or not, as the platform likes
        QVERIFY2((m_window->pos() - place).manhattanLength() <= kFrame, qPrintable(QDebug::toString(m_window->pos())));
        shut(); // before the room goes
    }
    void messageWithUndo()
    {
        int undone = 0;
        m_context->showMessage(QStringLiteral("Session removed"), QStringLiteral("Undo"), [&undone] { ++undone; });
        QCOMPARE(m_window->message(), QStringLiteral("Session removed"));
        auto* action = m_window->findChild<QPushButton*>(QStringLiteral("messageAction"));
        QVERIFY(action->isVisible());
        QTest::mouseClick(action, Qt::LeftButton);
        QCOMPARE(undone, 1);
        QVERIFY(m_window->message().isEmpty());
        m_context->showMessage(QStringLiteral("Something"));
        QTest::keyClick(m_window.get(), Qt::Key_Escape);
        QVERIFY(m_window->message().isEmpty());
        QCOMPARE(undone, 1);
    }
    void opensASessionFile()
    {
        test::SampleLibrary other;
        const QString id = other.addShort("From a friend");
        const QString file = other.path("friend.dyno");
        QVERIFY(other.open()->exportSession(id.toStdString(), file.toStdString()));
        m_window->openFile(file);
        auto* compare = qobject_cast<ComparePage*>(m_window->page(QStringLiteral("comparePage")));
        QTRY_COMPARE_WITH_TIMEOUT(current(), QStringLiteral("comparePage"), 20000);
        QTRY_COMPARE_WITH_TIMEOUT(compare->sessionIds(), QStringList{id}, 20000);
        QCOMPARE(m_library->titles(), QStringList{QStringLiteral("From a friend")});
    }
    void brokenAndMissingFilesAreSaid()
    {
        m_window->openFile(QStringLiteral("/nowhere/at/all.dyno"));
        QVERIFY(m_window->message().contains(QStringLiteral("/nowhere/at/all.dyno")));
        m_window->hideMessage();
        const QString file = m_library->path("half.dyno");
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write("SQLite format 3 but not really");
        out.close();
        m_window->openFile(file);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->message().contains(QStringLiteral("half.dyno")), 20000);
        QCOMPARE(current(), QStringLiteral("startPage"));
    }
    void droppedPlanIsShown()
    {
        const QString file = m_library->path("dropped.toml");
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(writePlan(longPlan()).c_str());
        out.close();
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file)});
        QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &drop);
        QTRY_COMPARE_WITH_TIMEOUT(current(), QStringLiteral("planPage"), 20000); // the file is read first
        auto* plan = qobject_cast<PlanPage*>(m_window->page(QStringLiteral("planPage")));
        QTRY_COMPARE_WITH_TIMEOUT(plan->editor().plan().title, std::string("long"), 20000);
        QMimeData picture;
        picture.setUrls({QUrl::fromLocalFile(QStringLiteral("/tmp/cat.jpg"))});
        QDragEnterEvent refused(QPoint(10, 10), Qt::CopyAction, &picture, Qt::LeftButton, Qt::NoModifier);
        refused.ignore();
        QApplication::sendEvent(m_window.get(), &refused);
        QVERIFY(!refused.isAccepted());
    }
    //! Which is asked about before anything of it is sent, as somebody else's plan is.
    void droppedScriptIsAPlan()
    {
        const QString file = m_library->path("orders.workload");
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write("\\set id random(1, 10)\nSELECT :id;\n");
        out.close();
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file)});
        QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &enter); // without it nothing is dropped
        QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &drop);
        auto* plan = qobject_cast<PlanPage*>(m_window->page(QStringLiteral("planPage")));
        QTRY_COMPARE_WITH_TIMEOUT(plan->editor().plan().title, std::string("orders"), 20000);
        QCOMPARE(current(), QStringLiteral("planPage"));
        QCOMPARE(plan->editor().plan().workload.name, std::string("script"));
        const Plan& now = plan->editor().plan();
        const auto open = m_context->agreements().unanswered(now, risksOf(now));
        QCOMPARE(std::ranges::count(open, std::string("workload.scripts"), &Risk::key), 1);
    }
    void closingWhileRunningAsksAndKeeps()
    {
        QSignalSpy samples(&m_context->run(), &RunFeed::sampled);
        m_context->startPlan(longPlan());
        QCOMPARE(current(), QStringLiteral("runPage"));
        QTRY_VERIFY_WITH_TIMEOUT(samples.size() >= 3, 30000);
        m_context->startPlan(longPlan()); // a second one is refused and said so
        QVERIFY(!m_window->message().isEmpty());
        m_window->close();
        QVERIFY(m_window->isVisible());
        auto* question = m_window->findChild<QMessageBox*>(QStringLiteral("closeQuestion"));
        QVERIFY(question);
        // Enter and Escape keep the session running.
        auto* keep = question->findChild<QPushButton*>(QStringLiteral("keepRunning"));
        QVERIFY(keep && question->defaultButton() == keep && question->escapeButton() == keep);
        QTest::keyClick(question, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->findChild<QMessageBox*>(QStringLiteral("closeQuestion")), 30000);
        QVERIFY(m_window->isVisible() && m_context->run().active());
        m_window->close();
        question = m_window->findChild<QMessageBox*>(QStringLiteral("closeQuestion"));
        QVERIFY(question);
        QSignalSpy finished(&m_context->run(), &RunFeed::sessionFinished);
        QTest::mouseClick(question->findChild<QPushButton*>(QStringLiteral("stopAndClose")), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->isVisible(), 30000);
        QCOMPARE(finished.size(), 1);
        const auto sessions = m_library->open()->sessions();
        QVERIFY(sessions);
        QCOMPARE(sessions->size(), std::size_t(1));
        QCOMPARE(sessions->front().status, RunStatus::Stopped);
        const StoredSession stored = m_library->session(QString::fromStdString(sessions->front().id));
        QVERIFY(m_library->open()->intervals(stored.runs.front().id)->size() >= 3);
    }
    void themeSwitchReachesEverything()
    {
        Theme::instance().setChoice(Theme::Choice::Dark);
        QCOMPARE(m_window->palette().color(QPalette::Window), Theme::colors(ThemeMode::Dark).window);
        Theme::instance().setChoice(Theme::Choice::Light);
    }
};

} // namespace dyno::tst_main_window

DYNO_WIDGET_SUITE(tst_main_window, dyno::tst_main_window::TestMainWindow)
#include "tst_main_window.moc"
