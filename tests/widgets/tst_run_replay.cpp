// SPDX-License-Identifier: GPL-3.0-or-later
// Stored sessions on the Run page: replayed, two in step, with notes and with another end of the warm-up.
#include "support/patience.h"
#include "support/suite.h"
#include "widgets/run_page_fixture.h"

#include <set>

namespace dyno::tst_run_replay {

class TestRunReplay : public test::RunPageTest
{
    Q_OBJECT
private slots:
    void initTestCase() { Theme::instance().apply(*qApp); }
    void init() { openPage(); }
    void cleanup() { closePage(); }

    void replayShowsTheStoredSession()
    {
        const QString id = m_library.addShort("Again");
        QSignalSpy ready(&m_page->replay(), &ReplaySource::ready);
        m_context->replaySession(id);
        QVERIFY(ready.wait(test::kPatienceMs));
        QVERIFY(m_page->replaying());
        auto* bar = m_page->findChild<ReplayBar*>();
        QVERIFY(bar->isVisible());
        QCOMPARE(bar->slider()->maximum(), int(std::ceil(m_page->replay().length() * 10)));
        bar->slider()->setValue(int(m_page->replay().runStart(3) * 10) + 22);
        QCOMPARE(m_page->model().run()->index, 3);
        QVERIFY(m_page->throughputPlot().graph(0).data()->size() > 0);
        bar->speed()->setCurrentIndex(bar->speed()->findData(100));
        QCOMPARE(m_page->replay().speed(), 100.0);
        QSignalSpy finished(&m_page->model(), &LiveRunModel::finished);
        QTest::mouseClick(bar->playButton(), Qt::LeftButton);
        QVERIFY(finished.wait(test::kPatienceMs));
        QTest::mouseClick(find<QPushButton>("runCloseReplay"), Qt::LeftButton);
        QVERIFY(!m_page->replaying());
        QVERIFY(m_page->showsEmptyState());
    }
    //! Statements have their times over time as they have their calls.
    void timesOfStatements()
    {
        const QString id = m_library.addShort("Times");
        QSignalSpy ready(&m_page->replay(), &ReplaySource::ready);
        m_context->replaySession(id);
        QVERIFY(ready.wait(test::kPatienceMs));
        m_page->replay().playOnly(0);
        m_page->replay().seek(m_page->replay().length());
        const auto columns =
            m_library.open(Library::Mode::ReadOnly)->columns(m_library.session(id).runs[0].id, {.operations = true});
        QVERIFY(columns && columns->size() == 6);
        const std::vector<RunSeries::Operation>& shown = m_page->model().series().operations;
        QVERIFY(!shown.empty() && shown.size() == columns->ops.size());
        for (std::size_t i = 0; i < shown.size(); ++i) {
            const std::vector<double>& wanted = columns->ops[i].service.p99Ms;
            QCOMPARE(std::vector<double>(shown[i].p99.begin(), shown[i].p99.end()), wanted);
            QVERIFY(wanted[3] > 0);
        }
    }
    //! The list holds those of all runs, wherever the replay stands, and a click goes to one.
    void eventsOfAllRunsLeadThere()
    {
        const QString id = m_library.addShort("Events");
        QSignalSpy ready(&m_page->replay(), &ReplaySource::ready);
        m_context->replaySession(id);
        QVERIFY(ready.wait(test::kPatienceMs));
        auto* list = find<EventList>("eventList");
        QTRY_VERIFY(list->model()->rowCount() > 0);
        const int all = list->model()->rowCount();
        std::set<int> runs;
        for (int row = 0; row < all; ++row)
            runs.insert(list->eventAt(row)->run);
        QCOMPARE(runs.size(), std::size_t(12));
        const auto clickOn = [&](int run) {
            int row = 0;
            while (list->eventAt(row)->run != run)
                ++row;
            const LoggedEvent event = *list->eventAt(row);
            const QModelIndex index = list->model()->index(row, 0);
            list->scrollTo(index);
            QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(index).center());
            return event;
        };
        const LoggedEvent late = clickOn(9);
        QCOMPARE(m_page->model().run()->index, 9);
        QVERIFY(std::abs(m_page->replay().position() - m_page->replay().runStart(9) - late.event.seconds) < 0.01);
        QVERIFY(m_page->throughputPlot().crosshairShown());
        QCOMPARE(m_page->throughputPlot().crosshairX(), late.event.seconds);
        QCOMPARE(list->model()->rowCount(), all);
        (void)clickOn(2); // and back
        QCOMPARE(m_page->model().run()->index, 2);
        QCOMPARE(list->model()->rowCount(), all);
        // While another run alone is replayed, too.
        m_page->replay().playOnly(4);
        QCOMPARE(list->model()->rowCount(), all);
        (void)clickOn(6);
        QCOMPARE(m_page->replay().onlyRun(), -1);
        QCOMPARE(m_page->model().run()->index, 6);
    }
    void keysOfAReplay()
    {
        const QString id = m_library.addShort("By keys");
        QSignalSpy ready(&m_page->replay(), &ReplaySource::ready);
        m_context->replaySession(id);
        QVERIFY(ready.wait(test::kPatienceMs));
        ReplaySource& replay = m_page->replay();
        auto* bar = m_page->findChild<ReplayBar*>();
        bar->speed()->setCurrentIndex(0);
        bar->slider()->setFocus();
        const auto press = [&](int key, Qt::KeyboardModifiers with = {}) {
            QTest::keyClick(bar->slider(), Qt::Key(key), with);
        };
        press(Qt::Key_Space);
        QVERIFY(replay.playing());
        press(Qt::Key_Space);
        QVERIFY(!replay.playing());
        press(Qt::Key_End);
        QCOMPARE(replay.position(), replay.length());
        press(Qt::Key_Home);
        QCOMPARE(replay.position(), 0.0);
        press(Qt::Key_Right);
        QCOMPARE(replay.position(), 1.0);
        press(Qt::Key_Left);
        QCOMPARE(replay.position(), 0.0);
        press(Qt::Key_Plus);
        QCOMPARE(replay.speed(), 2.0);
        press(Qt::Key_Minus);
        press(Qt::Key_Minus);
        QCOMPARE(replay.speed(), 1.0);
        // From marker to marker: the warm-up's end is the first one after the start.
        QVERIFY(bar->slider()->markerCount() > 12);
        press(Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(replay.position(), 1.0);
        QVERIFY(bar->slider()->textAt(bar->slider()->xOf(1.0)).contains(QStringLiteral("measured time begins")));
        QTest::mouseClick(find<QPushButton>("replayNext"), Qt::LeftButton);
        QCOMPARE(replay.position(), replay.runStart(1));
        QCOMPARE(m_page->model().run()->index, 1);
        QTest::mouseClick(find<QPushButton>("replayBack"), Qt::LeftButton);
        QCOMPARE(replay.position(), 1.0);
        // A click on the bar goes there at once.
        QTest::mouseClick(bar->slider(), Qt::LeftButton, {},
                          QPoint(int(bar->slider()->xOf(10)), bar->slider()->height() / 2 - 3));
        QVERIFY(std::abs(replay.position() - 10) < 0.3);
        // One run alone.
        m_page->replay().playOnly(4);
        QCOMPARE(m_page->model().run()->index, 4);
        QCOMPARE(replay.length(), 3.0);
        QVERIFY(find<QPushButton>("replayRun")->text().contains(QStringLiteral("run 5")));
        m_page->replay().playOnly(-1);
        QCOMPARE(replay.length(), 36.0);
    }
    void replayGoesOnWhereItWasLeft()
    {
        const QString id = m_library.addShort("Left");
        const auto open = [&] {
            QSignalSpy ready(&m_page->replay(), &ReplaySource::ready);
            m_context->replaySession(id);
            QVERIFY(ready.wait(test::kPatienceMs));
        };
        open();
        auto* speed = m_page->findChild<ReplayBar*>()->speed();
        speed->setCurrentIndex(speed->findData(1000));
        m_page->replay().seek(7.5);
        QTest::mouseClick(find<QPushButton>("runCloseReplay"), Qt::LeftButton);
        open();
        QCOMPARE(m_page->replay().position(), 7.5);
        RunPage another(*m_context);
        QCOMPARE(another.replay().speed(), 1000.0); // for the next time too
    }
    void twoSessionsInStep()
    {
        const QString a = m_library.addShort("First"), b = m_library.addShort("Second", 2);
        PairView& pair = m_page->pair();
        QSignalSpy ready(&pair, &PairView::ready);
        m_context->replayPair({a}, {b});
        QVERIFY(ready.wait(test::kPatienceMs));
        QVERIFY(m_page->showsPair() && !m_page->replaying());
        const PairTimeline& line = pair.timeline();
        QCOMPARE(line.side(0).trace.name, line.side(1).trace.name); // the same point of both
        QCOMPARE(line.length(), 3.0);
        QCOMPARE(line.warmup(), 1.0);
        pair.clock().seek(2.0);
        for (const int side : {0, 1}) {
            const auto data = pair.throughput().graph(side).data();
            QCOMPARE(data->size(), 4);
            for (int i = 0; i < 4; ++i)
                QCOMPARE(data->at(i)->value, line.side(side).trace.tps[std::size_t(i)]);
        }
        QCOMPARE(pair.throughput().graph(0).data()->at(3)->key, 1.0); // zero is the start of the measured time
        QVERIFY(pair.throughput().seriesName(0).startsWith(QStringLiteral("A: First")));
        QVERIFY(pair.throughput().seriesColor(0) != pair.throughput().seriesColor(1));
        QVERIFY(find<QLabel>("pairRatio")->text().contains(QStringLiteral("too few to tell")));
        // Which time it is stands above its three figures.
        const QLabel* service = find<QLabel>("pairService");
        QCOMPARE(service->text(), QStringLiteral("Service time"));
        for (const char* figure : {"pairMedianA", "pairP95A", "pairP99A"})
            QVERIFY(find<QLabel>(figure)->geometry().bottom() > service->geometry().bottom());
        const QString mean = find<QLabel>("pairMeanB")->text();
        pair.clock().seek(3.0);
        QVERIFY(find<QLabel>("pairMeanB")->text() != mean);
        QVERIFY(!line.countsRows()); // these tell no rows: time is the only axis
        QVERIFY(!find<QPushButton>("pairAlong")->isEnabled());
        // Keys reach it, and it can be closed.
        QTest::keyClick(m_page.get(), Qt::Key_Home);
        QCOMPARE(pair.clock().position(), 0.0);
        QTest::mouseClick(find<QPushButton>("pairClose"), Qt::LeftButton);
        QVERIFY(m_page->showsEmptyState());
    }
    //! Two runs with the same settings beside each other, then the next two, until both sessions are through.
    void wholeSessionsInStep()
    {
        const QString a = m_library.addShort("Long A"), b = m_library.addShort("Long B", 2);
        const StoredSession first = m_library.session(a), second = m_library.session(b);
        const auto pairs = pairsOf(first, second);
        QCOMPARE(pairs.size(), first.runs.size());
        PairView& pair = m_page->pair();
        QSignalSpy ready(&pair, &PairView::ready);
        m_context->replayPair({a}, {b});
        QVERIFY(ready.wait(test::kPatienceMs));
        QVERIFY(pair.whole());
        QVERIFY(find<QPushButton>("pairWhole")->isVisible());
        pair.clock().setSpeed(1); // not through to the end while a busy machine looks elsewhere
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const PairTimeline& line = pair.timeline();
            QCOMPARE(line.side(0).stored().id, pairs[i].first);
            QCOMPARE(line.side(1).stored().id, pairs[i].second);
            QCOMPARE(line.side(0).trace.name, line.side(1).trace.name);
            QCOMPARE(pair.clock().playing(), i > 0); // each goes on by itself, from its beginning
            QVERIFY(pair.clock().position() < line.length());
            const qsizetype told = ready.size();
            pair.clock().play();
            pair.clock().advance(line.length());
            if (i + 1 < pairs.size())
                QTRY_COMPARE(ready.size(), told + 1);
        }
        QVERIFY(!pair.clock().playing()); // there is no next one
        // Of the runs that somebody chose only these are played.
        m_context->replayPair({a, first.runs[1].id}, {b, second.runs[1].id});
        QVERIFY(ready.wait(test::kPatienceMs));
        QVERIFY(!pair.whole());
        const qsizetype told = ready.size();
        pair.clock().advance(pair.timeline().length());
        QTest::qWait(50);
        QCOMPARE(ready.size(), told);
        QTest::mouseClick(find<QPushButton>("pairClose"), Qt::LeftButton);
    }
    //! Written, changed, deleted and brought back; in the library and on the charts.
    void notesOfAStoredRun()
    {
        const QString id = m_library.addShort("Noted");
        QSignalSpy ready(&m_page->replay(), &ReplaySource::ready);
        QSignalSpy messages(m_context.get(), &AppContext::messageRequested);
        m_context->replaySession(id);
        QVERIFY(ready.wait(test::kPatienceMs));
        ReplaySource& replay = m_page->replay();
        replay.seek(replay.runStart(2) + 2.5);
        const std::int64_t run = replay.data()->session.runs[2].id;
        const auto stored = [&] { return m_library.open()->annotations(id.toStdString()).value(); };
        const auto enter = [&](const QString& text) {
            auto* dialog = m_page->findChild<QInputDialog*>(QStringLiteral("noteDialog"));
            QVERIFY(dialog);
            dialog->setTextValue(text);
            dialog->accept();
        };
        QTest::keyClick(m_page.get(), Qt::Key_N);
        enter(QStringLiteral("checkpoint"));
        PlotCard& card = m_page->throughputPlot();
        QTRY_COMPARE_WITH_TIMEOUT(card.noteCount(), 1, test::kPatienceMs);
        QCOMPARE(stored().size(), std::size_t(1));
        QCOMPARE(stored()[0].run, run);
        QCOMPARE(stored()[0].tNs, std::int64_t(2'500'000'000));
        QCOMPARE(replay.position(), replay.runStart(2) + 2.5); // the replay stays where it was
        QCOMPARE(std::ranges::count(replay.clock().markers(), MarkerKind::Note, &ReplayMarker::kind), 1);
        // Changed by a double click on it.
        card.refreshNow();
        const QPoint at(int(card.plot().xAxis->coordToPixel(2.5)), card.plot().axisRect()->center().y());
        QTRY_VERIFY(!m_page->findChild<QInputDialog*>(QStringLiteral("noteDialog")));
        QTest::mouseDClick(&card.plot(), Qt::LeftButton, {}, at);
        enter(QStringLiteral("checkpoint of the log"));
        QTRY_VERIFY_WITH_TIMEOUT(stored().size() == 1 && stored()[0].text == "checkpoint of the log",
                                 test::kPatienceMs);
        QTRY_VERIFY(replay.data()->annotations.front().text == "checkpoint of the log");
        // Deleted from the menu, and taken back.
        card.refreshNow();
        emit card.plot().customContextMenuRequested(at);
        auto* menu = m_page->findChild<QMenu*>(QStringLiteral("plotMenu"));
        QVERIFY(menu->findChild<QAction*>(QStringLiteral("noteHere")));
        menu->findChild<QAction*>(QStringLiteral("noteDelete"))->trigger();
        menu->hide();
        QTRY_COMPARE_WITH_TIMEOUT(card.noteCount(), 0, test::kPatienceMs);
        QVERIFY(stored().empty());
        QTRY_COMPARE(messages.size(), 1);
        messages.first().at(2).value<std::function<void()>>()();
        QTRY_COMPARE_WITH_TIMEOUT(card.noteCount(), 1, test::kPatienceMs);
        QCOMPARE(stored()[0].text, std::string("checkpoint of the log"));
        QVERIFY(find<QPushButton>("runNote")->isVisible());
    }
    //! The end of a stored run's warm-up: dragged, chosen from the menu, taken back.
    void warmupIsMovedInAReplay()
    {
        const QString id = m_library.add({});
        QSignalSpy ready(&m_page->replay(), &ReplaySource::ready);
        QSignalSpy messages(m_context.get(), &AppContext::messageRequested);
        QSignalSpy changed(m_context.get(), &AppContext::libraryChanged);
        m_context->replaySession(id);
        QVERIFY(ready.wait(test::kPatienceMs));
        m_page->findChild<ReplayBar*>()->slider()->setValue(int(m_page->replay().runStart(3) * 10) + 60);
        PlotCard& card = m_page->throughputPlot();
        QCOMPARE(m_page->model().run()->index, 3);
        QCOMPARE(card.movableEdge(), std::optional(1.0));
        QVERIFY(!m_page->latencyPlot().movableEdge());
        card.refreshNow();
        QCustomPlot& plot = card.plot();
        const auto at = [&](double x) {
            return QPoint(int(std::lround(plot.xAxis->coordToPixel(x))), plot.axisRect()->center().y());
        };
        const double tps = m_library.session(id).runs[3].summary.tps;
        const double position = m_page->replay().position();

        QTest::mousePress(&plot, Qt::LeftButton, {}, at(1));
        QTest::mouseMove(&plot, at(2));
        QTest::mouseMove(&plot, at(3.1));
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, at(3.1));
        QTRY_COMPARE_WITH_TIMEOUT(card.movableEdge(), std::optional(3.0), test::kPatienceMs); // the nearest interval
        QCOMPARE(m_page->replay().position(), position);
        QCOMPARE(m_page->model().run()->index, 3);
        const StoredRun moved = m_library.session(id).runs[3];
        QCOMPARE(moved.warmupEndNs, std::int64_t(3'000'000'000));
        QCOMPARE(moved.summary.seconds, 7.0);
        QVERIFY(moved.summary.tps != tps);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(messages.size(), 1);
        QVERIFY2(messages[0][0].toString().contains(QStringLiteral("Run 4: measured time now begins at 00:03")),
                 qPrintable(messages[0][0].toString()));
        QCOMPARE(messages[0][1].toString(), QStringLiteral("Undo"));
        bool noted = false; // the event that notes it
        for (const EventRow& event : m_page->model().events())
            noted = noted || event.text.contains(QStringLiteral("measured time begins here since"));
        QVERIFY(noted);

        // from the menu, at the crosshair
        QTest::mouseMove(&plot, at(5));
        QTRY_VERIFY(card.crosshairShown());
        emit plot.customContextMenuRequested(at(5));
        QTRY_VERIFY(card.findChild<QMenu*>(QStringLiteral("plotMenu")));
        auto* menu = card.findChild<QMenu*>(QStringLiteral("plotMenu"));
        auto* here = menu->findChild<QAction*>(QStringLiteral("warmupEndsHere"));
        QVERIFY(here && here->text().contains(QStringLiteral("Warm-up ends here (00:05)")));
        QVERIFY(menu->findChild<QAction*>(QStringLiteral("warmupAsRecorded")));
        here->trigger();
        menu->close();
        QTRY_COMPARE_WITH_TIMEOUT(card.movableEdge(), std::optional(5.0), test::kPatienceMs);

        // undo goes back to what it was before, which had been moved too
        QCOMPARE(messages.size(), 2);
        messages[1][2].value<std::function<void()>>()();
        QTRY_COMPARE_WITH_TIMEOUT(card.movableEdge(), std::optional(3.0), test::kPatienceMs);
        messages[0][2].value<std::function<void()>>()();
        QTRY_COMPARE_WITH_TIMEOUT(card.movableEdge(), std::optional(1.0), test::kPatienceMs);
        const StoredRun back = m_library.session(id).runs[3];
        QVERIFY(!back.recordedWarmupEndNs);
        QCOMPARE(back.summary.tps, tps);
        QCOMPARE(messages.size(), 2); // taking back offers nothing to take back

        QTest::mouseClick(find<QPushButton>("runCloseReplay"), Qt::LeftButton);
        QVERIFY(!card.movableEdge()); // what runs now has no such edge
    }
    void brokenReplayShowsAnErrorState()
    {
        QSignalSpy failed(&m_page->replay(), &ReplaySource::failed);
        m_context->replaySession(QStringLiteral("no-such-session"));
        QVERIFY(failed.wait(test::kPatienceMs));
        QVERIFY(m_page->showsEmptyState());
        QCOMPARE(m_page->findChild<EmptyState*>()->accessibleName(), QStringLiteral("The session cannot be replayed"));
    }
};

} // namespace dyno::tst_run_replay

DYNO_WIDGET_SUITE(tst_run_replay, dyno::tst_run_replay::TestRunReplay)
#include "tst_run_replay.moc"
