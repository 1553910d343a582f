// SPDX-License-Identifier: GPL-3.0-or-later
// The Run page fed through the bridge's signals; asks the plots for data and ranges, not for pixels.
#include "bridge/app_context.h"
#include "feed_sink.h"
#include "forms/card.h"
#include "models/pair_replay.h"
#include "pages/marker_slider.h"
#include "pages/pair_view.h"
#include "pages/replay_bar.h"
#include "pages/run_page.h"
#include "pages/run_side.h"
#include "sample_library.h"

#include <QInputDialog>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace dyno;

class TestRunPage : public QObject
{
    Q_OBJECT
    test::SampleLibrary m_library;
    std::unique_ptr<AppContext> m_context;
    std::unique_ptr<RunPage> m_page;

    template<class T>
    T* find(const char* name) const
    {
        T* child = m_page->findChild<T*>(QString::fromLatin1(name));
        if (!child)
            qFatal("no %s", name);
        return child;
    }

private slots:
    void initTestCase() { Theme::instance().apply(*qApp); }
    void init()
    {
        m_context = std::make_unique<AppContext>(m_library.file());
        m_page = std::make_unique<RunPage>(*m_context);
        m_page->resize(1356, 900);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
    }
    void cleanup()
    {
        m_page.reset();
        m_context.reset();
    }

    void startsEmpty()
    {
        QVERIFY(m_page->showsEmptyState());
        QSignalSpy wanted(m_context.get(), &AppContext::pageRequested);
        emit m_page->findChild<EmptyState*>()->buttonClicked();
        QCOMPARE(wanted.takeFirst().first().toString(), QStringLiteral("startPage"));
    }
    void plotsHoldWhatTheFeedSent()
    {
        test::FeedSink sink(m_context->run());
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        QVERIFY(!m_page->showsEmptyState());
        const RunSummary summary = sample::feedRun(sink, session, 0);
        const auto data = m_page->throughputPlot().graph(0).data();
        QCOMPARE(data->size(), 20);
        double sum = 0;
        for (auto it = data->constBegin() + 2; it != data->constEnd(); ++it) // without the warm-up
            sum += it->value;
        QVERIFY(std::abs(sum / 18 - summary.tps) < 1e-6 * summary.tps);
        QCOMPARE(m_page->latencyPlot().seriesCount(), 4);
        for (int i = 0; i < 4; ++i)
            QCOMPARE(m_page->latencyPlot().graph(i).data()->size(), 20);
        QCOMPARE(m_page->errorsPlot().graph(0).data()->size(), 20);
        QCOMPARE(m_page->throughputPlot().bandCount(BandKind::Warmup), 1);
        QCOMPARE(m_page->throughputPlot().bandCount(BandKind::Stall), 0);

        m_page->throughputPlot().refreshNow();
        const QCPRange x = m_page->throughputPlot().plot().xAxis->range();
        QCOMPARE(x.lower, 0.0);
        QCOMPARE(x.upper, 10.0); // one second of warm-up and nine measured
        const QCPRange y = m_page->throughputPlot().plot().yAxis->range();
        QCOMPARE(y.lower, 0.0); // rates begin at zero
        QVERIFY(y.upper > summary.tps);

        QCOMPARE(find<KeyFigure>("figureErrors")->value(), QStringLiteral("0"));
        QVERIFY(find<KeyFigure>("figureThroughput")->second().contains(QStringLiteral("statements/s")));
        QCOMPARE(m_page->findChild<PointBars*>()->shownCount(), 1);
        QCOMPARE(m_page->findChild<EventList*>()->model()->rowCount(), 3);
    }
    void marksStalls()
    {
        test::FeedSink sink(m_context->run());
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        const RunHeader run = sample::runHeader(session, 0);
        sink.onRunStarted(run);
        Random random(7);
        const auto feed = [&](int from, int to, double share) {
            for (int i = from; i < to; ++i) {
                IntervalSample one = sample::interval(session, run, i, random, {});
                one.phase = Phase::Measure;
                one.transaction.count = std::uint64_t(500 * share);
                sink.onSample(one);
            }
        };
        feed(0, 30, 1);
        feed(30, 32, 0.01);
        feed(32, 60, 1);
        PlotCard& plot = m_page->throughputPlot();
        QTRY_COMPARE(plot.bandCount(BandKind::Stall), 1);
        QCOMPARE(m_page->model().stalls().front().tNs, 15'000'000'000LL);
        QCOMPARE(m_page->model().stalls().front().lengthNs, 1'000'000'000LL);
        QVERIFY(find<KeyFigure>("figureP99")->second().contains(QStringLiteral("1 stall in this run")));
        feed(60, 62, 0.3); // a dip beside it
        feed(62, 70, 1);
        QTRY_COMPARE(plot.bandCount(BandKind::Stall), 2);
        QVERIFY(!m_page->model().stalls().back().stalled);
        sink.onRunStarted(sample::runHeader(session, 1));
        QCOMPARE(plot.bandCount(BandKind::Stall), 0);
    }
    void countersOfTheServer()
    {
        test::FeedSink sink(m_context->run());
        const SessionHeader session = sample::header();
        CounterPlot& plot = m_page->counterPlot();
        sample::Options options;
        options.counters = true;
        sink.onSessionStarted(session);
        QCOMPARE(plot.chosen(), -1);
        (void)sample::feedRun(sink, session, 0, options);
        QCOMPARE(plot.counterName(), QStringLiteral("Innodb_data_written"));
        QCOMPARE(plot.unitText(), QStringLiteral("MiB/s"));
        QCOMPARE(plot.graph(0).data()->size(), 20);
        QVERIFY(std::abs(plot.graph(0).data()->at(5)->value - 1'005'000 / 1048576.0) < 1e-9);
        QVERIFY(find<QPushButton>("counterButton")->isVisible());
        auto* menu = find<QMenu>("counterMenu");
        QTest::mouseClick(find<QPushButton>("counterButton"), Qt::LeftButton);
        QCOMPARE(menu->actions().size(), 2);
        menu->actions().at(1)->trigger();
        menu->hide();
        QCOMPARE(plot.secondary(), QStringLiteral("threads"));
        QCOMPARE(plot.graph(0).data()->at(5)->value, 45.0);
        QVERIFY(std::isnan(plot.graph(0).data()->at(3)->value)); // not known there: a gap
        // The next run keeps the choice; a target without counters says so.
        (void)sample::feedRun(sink, session, 1, options);
        QCOMPARE(plot.counterName(), QStringLiteral("Threads_running"));
        sink.onRunStarted(sample::runHeader(session, 2));
        QCOMPARE(plot.chosen(), -1);
        QCOMPARE(plot.graph(0).data()->size(), 0);
        QVERIFY(plot.secondary().isEmpty() && !plot.plot().isVisible()); // no empty axes
        QVERIFY(find<QLabel>("counterNone")->isVisible());
        QVERIFY(find<QLabel>("counterNone")->text().contains(QStringLiteral("none")));
        QVERIFY(!find<QPushButton>("counterButton")->isVisible());
    }
    void nextRunStartsAnew()
    {
        test::FeedSink sink(m_context->run());
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        (void)sample::feedRun(sink, session, 0);
        sink.onRunStarted(sample::runHeader(session, 1));
        QCOMPARE(m_page->throughputPlot().graph(0).data()->size(), 0);
        QCOMPARE(m_page->throughputPlot().bandCount(BandKind::Stall), 0);
        QCOMPARE(m_page->throughputPlot().bandCount(BandKind::Warmup), 1); // planned: shown before it has passed
        QCOMPARE(m_page->findChild<PointBars*>()->shownCount(), 2);
    }
    void linearAndLogarithmic()
    {
        LatencyPlot& latency = m_page->latencyPlot();
        QVERIFY(latency.isLogY());
        QTest::mouseClick(find<QPushButton>("latencyLinear"), Qt::LeftButton);
        QVERIFY(!latency.isLogY());
        QCOMPARE(latency.plot().yAxis->scaleType(), QCPAxis::stLinear);
        QTest::mouseClick(find<QPushButton>("latencyLog"), Qt::LeftButton);
        QCOMPARE(latency.plot().yAxis->scaleType(), QCPAxis::stLogarithmic);
        QCOMPARE(latency.secondary(), QStringLiteral("ms, logarithmic"));
    }
    void crosshairIsLinked()
    {
        test::FeedSink sink(m_context->run());
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        (void)sample::feedRun(sink, session, 0);
        QCustomPlot& plot = m_page->throughputPlot().plot();
        m_page->throughputPlot().refreshNow();
        const QPoint at(int(plot.xAxis->coordToPixel(5)), plot.axisRect()->center().y());
        QTest::mouseMove(&plot, at);
        QTRY_VERIFY(m_page->latencyPlot().crosshairShown());
        QVERIFY(std::abs(m_page->latencyPlot().crosshairX() - 5) < 0.1);
        QCOMPARE(m_page->errorsPlot().crosshairX(), m_page->latencyPlot().crosshairX());
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(&plot, &leave);
        QVERIFY(!m_page->latencyPlot().crosshairShown());
    }
    void wheelZoomsAllAndDoubleClickResets()
    {
        test::FeedSink sink(m_context->run());
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        (void)sample::feedRun(sink, session, 0);
        QCustomPlot& plot = m_page->throughputPlot().plot();
        m_page->throughputPlot().refreshNow();
        const QPointF at = plot.axisRect()->center();
        QWheelEvent wheel(at, plot.mapToGlobal(at), {}, QPoint(0, 240), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(&plot, &wheel);
        QVERIFY(m_page->throughputPlot().isZoomed());
        QVERIFY(plot.xAxis->range().size() < 9);
        QCOMPARE(m_page->latencyPlot().plot().xAxis->range(), plot.xAxis->range());
        // New values do not take the view away.
        const QCPRange before = plot.xAxis->range();
        m_page->throughputPlot().refreshNow();
        QCOMPARE(plot.xAxis->range(), before);
        QTest::mouseDClick(&plot, Qt::LeftButton, {}, at.toPoint());
        QVERIFY(!m_page->throughputPlot().isZoomed());
        QVERIFY(!m_page->latencyPlot().isZoomed());
        QCOMPARE(plot.xAxis->range().size(), 10.0);
    }
    void failureSaysWhatWasKept()
    {
        test::FeedSink sink(m_context->run());
        sample::Options options;
        options.failedRun = 1;
        options.finish = false;
        QSignalSpy compare(m_context.get(), &AppContext::compareRequested);
        QSignalSpy messages(m_context.get(), &AppContext::messageRequested);
        m_page->hide(); // the user is elsewhere: nobody is sent to the comparison
        (void)sample::feed(sink, options);
        SessionSummary end;
        end.status = RunStatus::Failed;
        end.reason = "the target does not answer any more";
        end.errorKind = ErrorKind::Unreachable;
        end.runs.resize(12);
        for (auto& run : end.runs)
            run.status = RunStatus::Done;
        end.runs[1].status = RunStatus::Failed;
        sink.onSessionFinished(end);
        QCOMPARE(compare.size(), 0);
        QCOMPARE(messages.size(), 1); // but told, with a way there
        QCOMPARE(messages.first().at(1).toString(), QStringLiteral("Compare"));
        const QString text = m_page->bannerText();
        QVERIFY2(text.contains(QStringLiteral("does not answer")), qPrintable(text));            // what happened
        QVERIFY2(text.contains(QStringLiteral("11 of 12 runs")), qPrintable(text));              // what was kept
        QVERIFY2(text.contains(QStringLiteral("Check that the server runs")), qPrintable(text)); // what to do
    }
    void goodEndGoesToTheComparison()
    {
        test::FeedSink sink(m_context->run());
        QSignalSpy compare(m_context.get(), &AppContext::compareRequested);
        const SessionHeader session = sample::feed(sink);
        QCOMPARE(compare.size(), 1);
        QCOMPARE(compare.first().first().toStringList(), QStringList{QString::fromStdString(session.id)});
    }
    void replayShowsTheStoredSession()
    {
        const QString id = m_library.addShort("Again");
        QSignalSpy ready(&m_page->replay(), &ReplaySource::ready);
        m_context->replaySession(id);
        QVERIFY(ready.wait(20000));
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
        QVERIFY(finished.wait(20000));
        QTest::mouseClick(find<QPushButton>("runCloseReplay"), Qt::LeftButton);
        QVERIFY(!m_page->replaying());
        QVERIFY(m_page->showsEmptyState());
    }
    void keysOfAReplay()
    {
        const QString id = m_library.addShort("By keys");
        QSignalSpy ready(&m_page->replay(), &ReplaySource::ready);
        m_context->replaySession(id);
        QVERIFY(ready.wait(20000));
        ReplaySource& replay = m_page->replay();
        auto* bar = m_page->findChild<ReplayBar*>();
        bar->speed()->setCurrentIndex(0);
        bar->slider()->setFocus();
        const auto press = [&](int key, Qt::KeyboardModifiers with = {}) { QTest::keyClick(bar->slider(), Qt::Key(key), with); };
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
        QTest::mouseClick(bar->slider(), Qt::LeftButton, {}, QPoint(int(bar->slider()->xOf(10)), bar->slider()->height() / 2 - 3));
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
            QVERIFY(ready.wait(20000));
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
        QVERIFY(ready.wait(20000));
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
        QVERIFY(find<QLabel>("pairRatio")->text().contains(QStringLiteral("no verdict")));
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
    //! Written, changed, deleted and brought back; in the library and on the charts.
    void notesOfAStoredRun()
    {
        const QString id = m_library.addShort("Noted");
        QSignalSpy ready(&m_page->replay(), &ReplaySource::ready);
        QSignalSpy messages(m_context.get(), &AppContext::messageRequested);
        m_context->replaySession(id);
        QVERIFY(ready.wait(20000));
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
        QTRY_COMPARE_WITH_TIMEOUT(card.noteCount(), 1, 20000);
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
        QTRY_VERIFY_WITH_TIMEOUT(stored().size() == 1 && stored()[0].text == "checkpoint of the log", 20000);
        QTRY_VERIFY(replay.data()->annotations.front().text == "checkpoint of the log");
        // Deleted from the menu, and taken back.
        card.refreshNow();
        emit card.plot().customContextMenuRequested(at);
        auto* menu = m_page->findChild<QMenu*>(QStringLiteral("plotMenu"));
        QVERIFY(menu->findChild<QAction*>(QStringLiteral("noteHere")));
        menu->findChild<QAction*>(QStringLiteral("noteDelete"))->trigger();
        menu->hide();
        QTRY_COMPARE_WITH_TIMEOUT(card.noteCount(), 0, 20000);
        QVERIFY(stored().empty());
        QTRY_COMPARE(messages.size(), 1);
        messages.first().at(2).value<std::function<void()>>()();
        QTRY_COMPARE_WITH_TIMEOUT(card.noteCount(), 1, 20000);
        QCOMPARE(stored()[0].text, std::string("checkpoint of the log"));
        QVERIFY(find<QPushButton>("runNote")->isVisible());
    }
    void clientLimitIsARedLine()
    {
        test::FeedSink sink(m_context->run());
        SessionHeader session = sample::header();
        session.points[0].target.uri = "null:?service_us=200";
        sink.onSessionStarted(session);
        sink.onRunStarted(sample::runHeader(session, 0));
        auto* line = find<QLabel>("clientLimit");
        QVERIFY(!line->isVisible());
        IntervalSample interval;
        interval.lengthNs = 1'000'000'000;
        interval.transaction.count = 10;
        interval.client = {.cpuSeconds = 0.5, .rssBytes = 1, .hostBusy = 0.3, .schedDelaySeconds = 0.5};
        sink.onSample(interval);
        QVERIFY(!line->isVisible());
        QCOMPARE(find<KeyFigure>("figureClient")->second(), QStringLiteral("not the bottleneck"));
        interval.tNs = interval.lengthNs;
        interval.client.busiestThread = 1;
        for (int i = 0; i < 5; ++i) {
            interval.tNs += interval.lengthNs;
            sink.onSample(interval);
        }
        QVERIFY(line->isVisible());
        QCOMPARE(line->text(), QStringLiteral("client-limited: one thread of the load generator was on a core 100 % of "
                                              "the time"));
        QCOMPARE(line->property("tone").toString(), QStringLiteral("bad"));
        QVERIFY(line->toolTip().contains(QStringLiteral("a faster server could not show more")));
        QCOMPARE(find<KeyFigure>("figureClient")->second(), QStringLiteral("is the bottleneck"));
        sink.onRunStarted(sample::runHeader(session, 1));
        QVERIFY(!line->isVisible()); // another run
    }
    void responseOrService()
    {
        test::FeedSink sink(m_context->run());
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        (void)sample::feedRun(sink, session, 0);
        LatencyPlot& latency = m_page->latencyPlot();
        auto* service = find<QPushButton>("latencyService");
        auto* response = find<QPushButton>("latencyResponse");
        QVERIFY(!service->isVisible()); // a closed loop: they are the same
        sample::Options options;
        options.openLoop = true;
        (void)sample::feedRun(sink, session, 1, options);
        QVERIFY(service->isVisible() && response->isVisible());
        QVERIFY(response->isChecked());
        const auto p95 = [&](qsizetype i) { return latency.graph(1).data()->at(int(i))->value; };
        const RunSeries& series = m_page->model().series();
        QCOMPARE(latency.graph(1).data()->size(), 20);
        QCOMPARE(p95(7), series.response.p95[7]);
        QTest::mouseClick(service, Qt::LeftButton);
        QVERIFY(latency.showsService());
        QCOMPARE(latency.title(), QStringLiteral("Service time"));
        QCOMPARE(latency.graph(1).data()->size(), 20);
        QCOMPARE(p95(7), series.service.p95[7]);
        QTest::mouseClick(find<QPushButton>("latencyLinear"), Qt::LeftButton);
        QVERIFY(latency.showsService() && service->isChecked()); // the two choices are apart
        QTest::mouseClick(response, Qt::LeftButton);
        QCOMPARE(latency.title(), QStringLiteral("Response time"));
        QCOMPARE(p95(7), series.response.p95[7]);
        QVERIFY(find<KeyFigure>("figureP95")->second().contains(QStringLiteral("service ")));
        const QString health = find<KeyFigure>("figureClient")->toolTip();
        for (const char* part : {"CPU time an operation", "of memory", "context switches a second",
                                 "longest wait for the event loop: ", " arrivals taken up late, "})
            QVERIFY2(health.contains(QLatin1String(part)), qPrintable(health));
        QTest::mouseClick(service, Qt::LeftButton);
        (void)sample::feedRun(sink, session, 2); // a closed loop again
        QVERIFY(!service->isVisible());
        QCOMPARE(latency.title(), QStringLiteral("Response time"));
    }
    //! The end of a stored run's warm-up: dragged, chosen from the menu, taken back.
    void warmupIsMovedInAReplay()
    {
        const QString id = m_library.add({});
        QSignalSpy ready(&m_page->replay(), &ReplaySource::ready);
        QSignalSpy messages(m_context.get(), &AppContext::messageRequested);
        QSignalSpy changed(m_context.get(), &AppContext::libraryChanged);
        m_context->replaySession(id);
        QVERIFY(ready.wait(20000));
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
        QTRY_COMPARE_WITH_TIMEOUT(card.movableEdge(), std::optional(3.0), 20000); // the nearest interval
        QCOMPARE(m_page->replay().position(), position);
        QCOMPARE(m_page->model().run()->index, 3);
        const StoredRun moved = m_library.session(id).runs[3];
        QCOMPARE(moved.warmupEndNs, std::int64_t(3'000'000'000));
        QCOMPARE(moved.summary.seconds, 7.0);
        QVERIFY(moved.summary.tps != tps);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(messages.size(), 1);
        QVERIFY2(messages[0][0].toString().contains(QStringLiteral("run 4 begins at 00:03")),
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
        QTRY_COMPARE_WITH_TIMEOUT(card.movableEdge(), std::optional(5.0), 20000);

        // undo goes back to what it was before, which had been moved too
        QCOMPARE(messages.size(), 2);
        messages[1][2].value<std::function<void()>>()();
        QTRY_COMPARE_WITH_TIMEOUT(card.movableEdge(), std::optional(3.0), 20000);
        messages[0][2].value<std::function<void()>>()();
        QTRY_COMPARE_WITH_TIMEOUT(card.movableEdge(), std::optional(1.0), 20000);
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
        QVERIFY(failed.wait(20000));
        QVERIFY(m_page->showsEmptyState());
        QCOMPARE(m_page->findChild<EmptyState*>()->accessibleName(), QStringLiteral("The session cannot be replayed"));
    }
    void sideFoldsWhenNarrow()
    {
        test::FeedSink sink(m_context->run());
        sink.onSessionStarted(sample::header());
        auto* side = find<QWidget>("runSide");
        auto* fold = find<QPushButton>("runFold");
        QVERIFY(side->isVisible());
        QVERIFY(!fold->isVisible());
        m_page->resize(1000, 800);
        QTRY_VERIFY(!side->isVisible());
        QVERIFY(fold->isVisible());
        QTest::mouseClick(fold, Qt::LeftButton);
        QVERIFY(side->isVisible());
        QVERIFY(!m_page->throughputPlot().isVisible());
    }
    void nothingIsCutAtASmallWindow()
    {
        test::FeedSink sink(m_context->run());
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        (void)sample::feedRun(sink, session, 0);
        QVERIFY2(m_page->minimumSizeHint().height() <= 720,
                 qPrintable(QString::number(m_page->minimumSizeHint().height())));
        QVERIFY2(m_page->minimumSizeHint().width() <= 1280 - space::railWidth,
                 qPrintable(QString::number(m_page->minimumSizeHint().width())));
        m_page->resize(1280 - space::railWidth, 720);
        for (const QWidget* child : m_page->findChildren<QWidget*>()) {
            if (!child->isVisible() || qobject_cast<const QFrame*>(child) == nullptr ||
                child->property("role") != QStringLiteral("card"))
                continue;
            const QRect rect(child->mapTo(m_page.get(), QPoint(0, 0)), child->size());
            QVERIFY2(m_page->rect().contains(rect), qPrintable(child->accessibleName()));
        }
    }
    void buttonsHaveNamesAndTips()
    {
        for (const char* name : {"runNote", "runSkip", "runPause", "runStop"}) {
            auto* button = find<QPushButton>(name);
            QVERIFY(!button->toolTip().isEmpty());
            QVERIFY(!button->shortcut().isEmpty());
            QVERIFY(!button->isVisible()); // nothing runs
        }
    }
};

QTEST_MAIN(TestRunPage)
#include "tst_run_page.moc"
