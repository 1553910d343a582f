// SPDX-License-Identifier: GPL-3.0-or-later
// The Run page fed through the bridge's signals; asks the plots for data and ranges, not for pixels. Its replay:
// tst_run_replay.
#include "bridge/run_bridge.h"
#include "support/patience.h"
#include "widgets/pictures.h"
#include "widgets/run_page_fixture.h"

#include "format.h"
#include "parts/choice_pill.h"
#include "support/suite.h"

#include <QDateTime>
#include <QHelpEvent>
#include <QLineEdit>
#include <QToolTip>

#include <algorithm>

namespace dyno::tst_run_page {

class TestRunPage : public test::RunPageTest
{
    Q_OBJECT
    //! Titles of the small plots, from the left.
    [[nodiscard]] QStringList shown() const
    {
        QStringList titles;
        for (std::size_t i = 0; i < PlotStack::kUsual; ++i) {
            const RunMeasure* measure = m_page->smallPlot(i).measure();
            titles << (measure ? measure->title : QString());
        }
        return titles;
    }
private slots:
    void initTestCase() { Theme::instance().apply(*qApp); }
    void init() { openPage(); }
    void cleanup() { closePage(); }

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
        QCOMPARE(m_page->smallPlot(0).graph(0).data()->size(), 20);
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
        QTRY_COMPARE(m_page->findChild<EventList*>()->model()->rowCount(), 3);
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
        MeasurePlot& plot = m_page->smallPlot(3);
        sample::Options options;
        options.counters = true;
        sink.onSessionStarted(session);
        QCOMPARE(plot.chosen(), -1);
        (void)sample::feedRun(sink, session, 0, options);
        QCOMPARE(shown(), (QStringList{"Errors", "Generator", "Host CPU", "Innodb_data_written"})); // none is SQLite's
        QCOMPARE(plot.measure()->unit, QStringLiteral("MiB/s"));
        QCOMPARE(plot.graph(0).data()->size(), 20);
        QVERIFY(std::abs(plot.graph(0).data()->at(5)->value - 1'005'000 / 1048576.0) < 1e-9);
        QVERIFY(find<QPushButton>("smallButton4")->isVisible());
        auto* menu = find<QMenu>("smallMenu4");
        QTest::mouseClick(find<QPushButton>("smallButton4"), Qt::LeftButton);
        const QList<QAction*> entries = menu->actions();
        QCOMPARE(std::ranges::count_if(entries, &QAction::isCheckable), 5);
        QCOMPARE(entries.at(4)->text(), QStringLiteral("Threads_running"));
        entries.at(4)->trigger();
        menu->hide();
        QCOMPARE(plot.secondary(), QStringLiteral("threads"));
        QCOMPARE(plot.graph(0).data()->at(5)->value, 45.0);
        QVERIFY(std::isnan(plot.graph(0).data()->at(3)->value)); // not known there: a gap
        // The next run keeps the choice; a target without counters says so.
        (void)sample::feedRun(sink, session, 1, options);
        QCOMPARE(shown(), (QStringList{"Errors", "Generator", "Host CPU", "Threads_running"}));
        sink.onRunStarted(sample::runHeader(session, 2));
        QCOMPARE(plot.chosen(), -1);
        QCOMPARE(plot.graph(0).data()->size(), 0);
        QVERIFY(plot.secondary().isEmpty() && !plot.plot().isVisible()); // no empty axes
        QVERIFY(find<QLabel>("smallNone4")->isVisible());
        QVERIFY(find<QLabel>("smallNone4")->text().startsWith(QStringLiteral("No server counters")));
    }
    //! Counters that are kept and not shown: nobody sees them who does not search.
    void hiddenCountersAreFound()
    {
        test::FeedSink sink(m_context->run());
        SessionHeader session = sample::header();
        session.plan.load.observe = {"Threads_*"};
        sample::Options options;
        options.counters = true;
        options.hiddenCounters = 40;
        sink.onSessionStarted(session);
        (void)sample::feedRun(sink, session, 0, options);
        QCOMPARE(shown(), (QStringList{"Threads_running", "Errors", "Generator", "Host CPU"})); // what the plan names
        MeasurePlot& plot = m_page->smallPlot(3);
        auto* menu = find<QMenu>("smallMenu4");
        QTest::mouseClick(find<QPushButton>("smallButton4"), Qt::LeftButton);
        auto* search = menu->findChild<QLineEdit*>(QStringLiteral("measureSearch"));
        QVERIFY(search);
        QVERIFY2(search->placeholderText().contains(QStringLiteral("40")), qPrintable(search->placeholderText()));
        const auto entries = [menu] {
            QStringList texts;
            for (const QAction* action : menu->actions()) {
                if (action->isCheckable() && action->isVisible())
                    texts << action->text();
            }
            return texts;
        };
        const QStringList usual = entries();
        QCOMPARE(usual, (QStringList{"Threads_running", "Errors", "Generator", "Host CPU", "Innodb_data_written"}));
        QTest::keyClicks(search, QStringLiteral("hidden 3"));
        QCOMPARE(entries(),
                 (QStringList{"Hidden_3", "Hidden_13", "Hidden_23", "Hidden_30", "Hidden_31", "Hidden_32", "Hidden_33",
                              "Hidden_34", "Hidden_35", "Hidden_36", "Hidden_37", "Hidden_38", "Hidden_39"}));
        search->setText(QStringLiteral("h"));
        QVERIFY(entries().size() < 35); // a person types on
        search->setText(QStringLiteral("RUNNING"));
        QCOMPARE(entries(), QStringList{"Threads_running"});
        search->clear();
        QCOMPARE(entries(), usual);
        search->setText(QStringLiteral("hidden_13"));
        test::keepPictures(*m_page, QStringLiteral("counter-search"));
        QCOMPARE(menu->activeAction()->text(), QStringLiteral("Hidden_13"));
        menu->activeAction()->trigger();
        menu->hide();
        QCOMPARE(plot.measure()->title, QStringLiteral("Hidden_13"));
        QCOMPARE(plot.graph(0).data()->size(), 20);
        QCOMPARE(plot.graph(0).data()->at(5)->value, 0.25 * (5 * 7 + 13));
        // It is offered from now on here, and stays chosen in the next run.
        QTest::mouseClick(find<QPushButton>("smallButton4"), Qt::LeftButton);
        QCOMPARE(entries(), usual + QStringList{"Hidden_13"});
        menu->hide();
        (void)sample::feedRun(sink, session, 1, options);
        QCOMPARE(shown(), (QStringList{"Threads_running", "Errors", "Generator", "Hidden_13"}));
    }
    //! As a stranger's file may have it.
    void hiddenCountersThatThePlanNames()
    {
        test::FeedSink sink(m_context->run());
        SessionHeader session = sample::header();
        session.plan.load.observe = {"Hidden_3"};
        sample::Options options;
        options.counters = true;
        options.hiddenCounters = 40;
        sink.onSessionStarted(session);
        (void)sample::feedRun(sink, session, 0, options);
        QCOMPARE(shown(), (QStringList{"Errors", "Generator", "Host CPU", "Innodb_data_written"}));
    }
    //! Hundreds that go from 0 to 1 take no line from one that is shown.
    void hiddenCountersThatMoved()
    {
        const SessionHeader session = sample::header();
        RunHeader run = sample::runHeader(session, 0);
        run.counters = {{"server", "Shown", "calls", true}};
        for (int i = 0; i < 500; ++i)
            run.counters.push_back({"server", "Trifle_" + std::to_string(i), "calls", true, true});
        test::FeedSink sink(m_context->run());
        sink.onSessionStarted(session);
        sink.onRunStarted(run);
        for (int at = 0; at < 40; ++at) {
            const bool stalled = at >= 20 && at < 23;
            IntervalSample one;
            one.tNs = at * 1'000'000'000LL;
            one.lengthNs = 1'000'000'000;
            one.transaction.count = stalled ? 5 : 500;
            one.counters.assign(run.counters.size(), stalled ? 1 : 0);
            one.counters[0] = 100 + at % 3 + (stalled ? 25 : 0);
            sink.onSample(one);
        }
        auto* card = find<MovedCard>("movedCard");
        QTRY_VERIFY(card->isVisible());
        QStringList names;
        for (const MoveBars::Row& row : card->rows())
            names << row.name;
        QCOMPARE(names, (QStringList{"Shown", "Trifle_0", "Trifle_1", "Trifle_2"}));
        QVERIFY(std::abs(card->rows()[0].score) < std::abs(card->rows()[1].score));
    }
    //! Nobody has chosen anything yet.
    void mainCountersOfAServerComeFirst_data()
    {
        QTest::addColumn<QString>("uri");
        QTest::addColumn<QStringList>("counters");
        QTest::addColumn<QStringList>("plots");
        const QString process = QString::fromLatin1(kProcessSource) + QStringLiteral("/CPU");
        QTest::newRow("managed MariaDB") << QStringLiteral("managed:mariadb")
                                         << QStringList{"server/Questions", "server/Innodb_buffer_pool_pages_dirty",
                                                        "server/Innodb_data_written", "server/Innodb_data_fsyncs",
                                                        process}
                                         << QStringList{"Server CPU", "fsyncs", "Dirty pages", "Disk writes"};
        QTest::newRow("remote MySQL") << QStringLiteral("mysql://root@db.example/test")
                                      << QStringList{"server/Innodb_data_fsyncs", "server/Questions",
                                                     "server/Innodb_buffer_pool_pages_dirty"}
                                      << QStringList{"fsyncs", "Dirty pages", "Errors", "Generator"};
        QTest::newRow("managed FerretDB, which keeps no cache of its own")
            << QStringLiteral("managed:ferretdb") << QStringList{"server/connections.current", process}
            << QStringList{"Server CPU", "Errors", "Generator", "Host CPU"};
        QTest::newRow("remote MongoDB") << QStringLiteral("mongodb://db.example/test")
                                        << QStringList{"server/opcounters.insert",
                                                       "server/wiredTiger.cache.bytes written from cache",
                                                       "server/wiredTiger.connection.total fsync I/Os",
                                                       "server/wiredTiger.cache.tracked dirty bytes in the cache"}
                                        << QStringList{"fsyncs", "Dirty pages", "Errors", "Generator"};
        QTest::newRow("SQLite") << QStringLiteral("sqlite:") << QStringList{"server/wal_bytes_written"}
                                << QStringList{"Errors", "Generator", "Host CPU", "wal_bytes_written"};
    }
    void mainCountersOfAServerComeFirst()
    {
        QFETCH(const QString, uri);
        QFETCH(const QStringList, counters);
        QFETCH(const QStringList, plots);
        const auto target = parseUri(uri.toStdString());
        QVERIFY2(target.has_value(), qPrintable(uri));
        if (!findDriver(target->driver))
            QSKIP("this build has no such driver");
        SessionHeader session = sample::header();
        session.points[0].target.uri = uri.toStdString();
        session.host.cores = 4;
        RunHeader run = sample::runHeader(session, 0);
        for (const QString& counter : counters)
            run.counters.push_back(
                {counter.section('/', 0, 0).toStdString(), counter.section('/', 1).toStdString(), "calls", true});
        test::FeedSink sink(m_context->run());
        sink.onSessionStarted(session);
        sink.onRunStarted(run);
        QCOMPARE(shown(), plots);
        if (plots.front() == QStringLiteral("Server CPU")) {
            IntervalSample sample;
            sample.lengthNs = 1'000'000'000;
            sample.counters.assign(counters.size(), 2); // cores of the 4
            sink.onSample(sample);
            QCOMPARE(m_page->smallPlot(0).graph(0).data()->at(0)->value, 50.0);
            QCOMPARE(m_page->smallPlot(0).secondary(), QStringLiteral("% of 4 cores"));
        }
    }
    //! A stall in which the server writes more, syncs less, and its users wait for each other.
    void whatMovedInAStall()
    {
        SessionHeader session = sample::header();
        session.points[0].target.uri = "mysql://root@db.example/test";
        if (!findDriver("mysql"))
            QSKIP("this build has no such driver");
        RunHeader run = sample::runHeader(session, 0);
        run.counters = {{"server", "Questions", "statements", true},
                        {"server", "Innodb_data_written", "bytes", true},
                        {"server", "Innodb_data_fsyncs", "calls", true},
                        {"server", "Innodb_row_lock_waits", "waits", true}};
        test::FeedSink sink(m_context->run());
        sink.onSessionStarted(session);
        sink.onRunStarted(run);
        auto* card = find<MovedCard>("movedCard");
        int at = 0;
        const auto feed = [&](int count, std::uint64_t transactions, std::vector<double> counters) {
            for (int i = 0; i < count; ++i, ++at) {
                IntervalSample one;
                one.tNs = at * 1'000'000'000LL;
                one.lengthNs = 1'000'000'000;
                one.transaction.count = transactions;
                one.counters = counters;
                one.counters[0] += (at % 3 - 1) * 300; // it varies that much anyway
                one.client.hostBusy = 0.5;
                sink.onSample(one);
            }
        };
        feed(30, 500, {1000, 100.0 * 1048576, 400, 0});
        QVERIFY(!card->isVisible()); // its place belongs to the cards below
        feed(3, 5, {1000, 500.0 * 1048576, 300, 20});
        feed(20, 500, {1000, 100.0 * 1048576, 400, 0});
        QTRY_VERIFY(card->isVisible());
        QCOMPARE(find<Chip>("movedChip")->text(), QStringLiteral("stall at 00:30"));
        QCOMPARE(card->sentence(), QStringLiteral("Transactions waited for each other's row locks"));
        QStringList names;
        for (const MoveBars::Row& row : card->rows())
            names << row.name;
        QCOMPARE(names, (QStringList{"Innodb_row_lock_waits", "Disk writes", "fsyncs"})); // not Questions, not the host
        QCOMPARE(card->rows()[1].values, QStringLiteral("100 → 500 MiB/s"));
        QVERIFY(!find<QPushButton>("movedNext")->isVisible());
        test::keepPictures(*m_page, QStringLiteral("moved"));
        PlotCard& plot = m_page->throughputPlot();
        plot.refreshNow();
        QTest::mouseClick(find<QPushButton>("movedZoom"), Qt::LeftButton);
        QVERIFY(plot.isZoomed());
        QCOMPARE(plot.plot().xAxis->range().lower, 25.0);
        QCOMPARE(plot.plot().xAxis->range().upper, 38.0);
        QVERIFY(plot.crosshairShown());

        // A range of one's own, where nothing happened.
        card->showRange({40, 45});
        QVERIFY(card->rows().empty() && card->sentence().isEmpty());
        QVERIFY(find<QLabel>("movedNothing")->isVisible());
        card->showStalls(); // other stretches without a free core: no new stall
        QVERIFY(card->shown() && card->shown()->from == 40);
        QTest::mouseClick(find<QPushButton>("movedNext"), Qt::LeftButton);
        QCOMPARE(card->rows().size(), std::size_t(3));
        feed(3, 100, {1000, 100.0 * 1048576, 400, 0}); // a dip that no measure goes with
        feed(20, 500, {1000, 100.0 * 1048576, 400, 0});
        QTRY_COMPARE(find<Chip>("movedChip")->text(), QStringLiteral("dip at 00:53"));
        QVERIFY(card->rows().empty() && card->sentence().isEmpty());
        QTest::mouseClick(find<QPushButton>("movedNext"), Qt::LeftButton); // after the last one the first
        QCOMPARE(find<Chip>("movedChip")->text(), QStringLiteral("stall at 00:30"));
        card->showStalls(); // the last one went on
        QCOMPARE(find<Chip>("movedChip")->text(), QStringLiteral("stall at 00:30"));

        // Both together: half of their intervals are of the stall.
        QTest::mouseClick(find<QPushButton>("movedAll"), Qt::LeftButton);
        QCOMPARE(find<Chip>("movedChip")->text(), QStringLiteral("all 2 stalls and dips"));
        QCOMPARE(card->rows().size(), std::size_t(3));
        QCOMPARE(card->rows()[1].values, QStringLiteral("100 → 300 MiB/s"));
        QVERIFY(!find<QPushButton>("movedAll")->isVisible() && !find<QPushButton>("movedZoom")->isVisible());
        card->showStalls(); // stays
        QCOMPARE(find<Chip>("movedChip")->text(), QStringLiteral("all 2 stalls and dips"));
        test::keepPictures(*m_page, QStringLiteral("moved-all"));
        QTest::mouseClick(find<QPushButton>("movedNext"), Qt::LeftButton);
        QVERIFY(find<QPushButton>("movedZoom")->isVisible());

        // A replay that is moved within its run tells all of it anew.
        card->showRange({10, 15});
        const auto tellAgain = [&](int seconds) {
            sink.onSessionStarted(session);
            sink.onRunStarted(run);
            at = 0;
            feed(seconds, 500, {1000, 100.0 * 1048576, 400, 0});
            QCoreApplication::processEvents();
        };
        tellAgain(20);
        QVERIFY(card->isVisible() && card->shown() && card->shown()->from == 10);
        feed(2, 5, {1000, 500.0 * 1048576, 300, 20});
        feed(20, 500, {1000, 100.0 * 1048576, 400, 0});
        QCoreApplication::processEvents();
        QCOMPARE(card->shown()->from, 10.0); // it was seen before
        QTest::mouseClick(find<QPushButton>("movedNext"), Qt::LeftButton);
        QCOMPARE(find<Chip>("movedChip")->text(), QStringLiteral("stall at 00:20"));
        tellAgain(15); // before it
        QVERIFY(!card->isVisible());
        card->showRange({10, 15});
        sink.onRunStarted(sample::runHeader(session, 1));
        QVERIFY(!card->isVisible());
    }
    //! A counter that follows throughput, one that goes against it, and one that has nothing to do with it.
    void whatMovesWithThroughput()
    {
        const SessionHeader session = sample::header();
        RunHeader run = sample::runHeader(session, 0);
        run.counters = {{"server", "Noise", "calls", true},
                        {"server", "With", "calls", true, true},
                        {"server", "Against", "calls", true}};
        test::FeedSink sink(m_context->run());
        sink.onSessionStarted(session);
        sink.onRunStarted(run);
        Random random(4);
        for (int at = 0; at < 60; ++at) {
            IntervalSample one;
            one.tNs = at * 1'000'000'000LL;
            one.lengthNs = 1'000'000'000;
            one.phase = at < 2 ? Phase::Warmup : Phase::Measure;
            one.transaction.count = 500 + std::uint64_t(100 * random.unit());
            const double tps = double(one.transaction.count);
            one.counters = {random.unit(), tps * tps, (at < 30 ? 1000 : 1040) - tps};
            sink.onSample(one);
        }
        auto* card = find<MovedCard>("movedCard");
        QVERIFY(!card->isVisible());
        const auto names = [card] {
            QStringList all;
            for (const MoveBars::Row& row : card->rows())
                all << row.name;
            return all;
        };
        m_page->findChild<QAction*>(QStringLiteral("runCorrelationCommand"))->trigger();
        QTRY_COMPARE(names(), (QStringList{"With", "Against"})); // strongest first: the other one has a step
        QVERIFY(card->isVisible());
        QCOMPARE(find<Chip>("movedChip")->text(), QStringLiteral("00:00 – 01:00")); // it goes on
        QCOMPARE(card->rows()[0].values, QStringLiteral("ρ 1.00"));
        QVERIFY(card->rows()[1].score < -0.6 && card->rows()[1].score > -0.97);
        QVERIFY2(card->sentence().contains(QStringLiteral("58 interval")) &&
                     card->sentence().contains(QStringLiteral("need not be its cause")),
                 qPrintable(card->sentence()));                    // without the warm-up
        QVERIFY(!find<QPushButton>("movedByChange")->isEnabled()); // there is nothing to compare it with
        test::keepPictures(*m_page, QStringLiteral("correlation"));
        RunSummary ended;
        ended.point = run.point;
        ended.repeat = run.repeat;
        sink.onRunFinished(ended);
        QCOMPARE(find<Chip>("movedChip")->text(), QStringLiteral("whole run"));
        QVERIFY(card->rows().empty()); // until it is ranked again
        QTRY_COMPARE(names(), (QStringList{"With", "Against"}));
        // A row goes to the plots.
        auto* bars = find<MoveBars>("moveBars");
        QTest::mouseDClick(bars, Qt::LeftButton, {}, bars->rowRect(0).center());
        QCOMPARE(m_page->smallPlots().plots().back()->measure()->title, QStringLiteral("With"));
        bars->setFocus();
        QTest::keyClick(bars, Qt::Key_Down);
        QTest::keyClick(bars, Qt::Key_Return);
        QCOMPARE(m_page->smallPlots().plots().back()->measure()->title, QStringLiteral("Against"));
        // Of what is zoomed to alone.
        m_page->throughputPlot().refreshNow();
        m_page->throughputPlot().plot().xAxis->setRange(0, 29.9);
        m_page->findChild<QAction*>(QStringLiteral("runCorrelationCommand"))->trigger();
        QCOMPARE(find<Chip>("movedChip")->text(), QStringLiteral("00:00 – 00:30"));
        QTRY_VERIFY(card->rows().size() == 2 && std::abs(card->rows()[1].score) > 0.999); // no step in it
        QTest::mouseClick(find<QPushButton>("movedByChange"), Qt::LeftButton);
        QVERIFY(!card->showsCorrelation());
        QTest::mouseClick(find<QPushButton>("movedByCorrelation"), Qt::LeftButton);
        QVERIFY(card->showsCorrelation());
        QCOMPARE(find<Chip>("movedChip")->text(), QStringLiteral("00:00 – 00:30"));
        card->showRange({40, 50}); // what moved was asked for
        QVERIFY(!card->showsCorrelation() && find<QPushButton>("movedByChange")->isChecked());
        sink.onRunStarted(sample::runHeader(session, 1));
        QVERIFY(!card->isVisible());
    }
    //! Throughput holds and times do not: beside a dip, both are told.
    void marksLatencyStalls()
    {
        const SessionHeader session = sample::header();
        test::FeedSink sink(m_context->run());
        sink.onSessionStarted(session);
        sink.onRunStarted(sample::runHeader(session, 0));
        for (int at = 0; at < 60; ++at) {
            IntervalSample one;
            one.tNs = at * 1'000'000'000LL;
            one.lengthNs = 1'000'000'000;
            one.transaction.count = at == 15 ? 200 : 500;
            for (Histogram* times : {&one.transaction.service, &one.transaction.response})
                times->record(at >= 30 && at < 33 ? 200'000'000 : 4'000'000, 500);
            sink.onSample(one);
        }
        PlotCard& plot = m_page->throughputPlot();
        QTRY_COMPARE(plot.bandCount(BandKind::Stall), 2);
        QVERIFY(m_page->model().stalls().back().isSlow());
        QCOMPARE(m_page->model().stalls().back().tNs, 30'000'000'000LL);
        QCOMPARE(find<KeyFigure>("figureP99")->second(), QStringLiteral("1 dip, 1 latency stall"));
        plot.refreshNow();
        const QPoint in(int(std::lround(plot.plot().xAxis->coordToPixel(31.5))), plot.plot().axisRect()->center().y());
        QHelpEvent help(QEvent::ToolTip, in, plot.plot().mapToGlobal(in));
        QApplication::sendEvent(&plot.plot(), &help);
        QTRY_VERIFY2(QToolTip::text().contains(QStringLiteral("Latency stall at 00:30 for")) &&
                         QToolTip::text().contains(QStringLiteral("while throughput holds")),
                     qPrintable(QToolTip::text()));
        auto* card = find<MovedCard>("movedCard");
        card->showStall(31);
        QCOMPARE(find<Chip>("movedChip")->text(), QStringLiteral("latency stall at 00:30"));
        test::keepPictures(*m_page, QStringLiteral("latency-stall"));
    }
    void zoomsToAStall()
    {
        const SessionHeader session = sample::header();
        test::FeedSink sink(m_context->run());
        sink.onSessionStarted(session);
        sink.onRunStarted(sample::runHeader(session, 0));
        for (int at = 0; at < 60; ++at) {
            IntervalSample one;
            one.tNs = at * 1'000'000'000LL;
            one.lengthNs = 1'000'000'000;
            one.transaction.count = at >= 30 && at < 32 ? 5 : 500;
            sink.onSample(one);
        }
        PlotCard& plot = m_page->throughputPlot();
        QTRY_COMPARE(plot.bandCount(BandKind::Stall), 1);
        plot.refreshNow();
        const auto at = [&plot](double x) {
            return QPoint(int(std::lround(plot.plot().xAxis->coordToPixel(x))), plot.plot().axisRect()->center().y());
        };
        QHelpEvent help(QEvent::ToolTip, at(31), plot.plot().mapToGlobal(at(31)));
        QApplication::sendEvent(&plot.plot(), &help);
        QTRY_VERIFY2(QToolTip::text().contains(QStringLiteral("Stall at 00:30")), qPrintable(QToolTip::text()));
        QVERIFY2(QToolTip::text().contains(QStringLiteral("down to 5")) &&
                     QToolTip::text().contains(QStringLiteral("99")),
                 qPrintable(QToolTip::text()));
        auto* whole = find<QPushButton>("runWhole");
        QVERIFY(!whole->isVisible());
        QTest::mouseDClick(&plot.plot(), Qt::LeftButton, {}, at(31));
        const QCPRange around(25, 37);
        QCOMPARE(plot.plot().xAxis->range(), around);
        QCOMPARE(m_page->smallPlot(0).plot().xAxis->range(), around);
        QVERIFY(whole->isVisible());
        QTest::mouseClick(whole, Qt::LeftButton);
        QVERIFY(!plot.isZoomed() && !whole->isVisible());
        // What moves with throughput takes its explanation away for a while only.
        auto* card = find<MovedCard>("movedCard");
        const QString explained = find<Chip>("movedChip")->text();
        m_page->findChild<QAction*>(QStringLiteral("runCorrelationCommand"))->trigger();
        QVERIFY(card->showsCorrelation() && find<Chip>("movedChip")->text() != explained);
        QVERIFY(card->rows().empty());
        QVERIFY(find<QPushButton>("movedByChange")->isEnabled());
        QTest::mouseClick(find<QPushButton>("movedByChange"), Qt::LeftButton);
        QCOMPARE(find<Chip>("movedChip")->text(), explained);
        QTest::mouseClick(find<QPushButton>("movedByCorrelation"), Qt::LeftButton);
        card->showStall(31);
        QVERIFY(!card->showsCorrelation());
        QCOMPARE(find<Chip>("movedChip")->text(), explained);
        // By the keyboard: from the list, and back.
        auto* list = find<EventList>("eventList");
        QTRY_VERIFY(list->model()->rowCount() > 0);
        list->setCurrentIndex(list->model()->index(0, 0));
        QTest::keyClick(list, Qt::Key_Return);
        QCOMPARE(plot.plot().xAxis->range(), around);
        QTest::keyClick(&plot.plot(), Qt::Key_Escape);
        QVERIFY(!plot.isZoomed());
    }
    void eventsOfTheWholeSession()
    {
        test::FeedSink sink(m_context->run());
        SessionHeader session = sample::header();
        const qint64 begunMs = QDateTime::currentMSecsSinceEpoch();
        session.startedMs = begunMs - 3'600'000;
        sink.onSessionStarted(session);
        (void)sample::feedRun(sink, session, 0);
        auto* list = find<EventList>("eventList");
        QTRY_VERIFY(list->model()->rowCount() > 0);
        const int ofARun = list->model()->rowCount();
        const RunHeader run = sample::runHeader(session, 1);
        sink.onRunStarted(run);
        QCoreApplication::processEvents();
        QCOMPARE(list->model()->rowCount(), ofARun); // another run: those of the first stay
        sink.onEvent({-2'000'000'000, 1'000'000'000, EventKind::Server, "server restarted in 1.00 s"});
        sink.onEvent({-1'000'000'000, 0, EventKind::Knob, "sync_binlog: 1 → 0"});
        sink.onEvent({0, 0, EventKind::Phase, "measure"});
        auto feed = [&, at = 0](int count, std::uint64_t done, std::uint64_t failed) mutable {
            for (int i = 0; i < count; ++i, ++at) {
                IntervalSample one;
                one.tNs = at * 1'000'000'000LL;
                one.lengthNs = 1'000'000'000;
                one.transaction.count = done;
                one.transaction.errors = failed;
                sink.onSample(one);
            }
        };
        feed(20, 500, 0);
        feed(2, 500, 100);
        feed(10, 500, 0);
        feed(2, 2, 0);
        feed(10, 500, 0);
        QTRY_COMPARE(list->model()->rowCount(), ofARun + 5);
        const auto texts = [&] {
            QStringList all;
            for (int row = 0; row < list->model()->rowCount(); ++row)
                all << list->model()->index(row, 0).data().toString().section(QLatin1Char(','), 0, 0);
            return all;
        };
        QCOMPARE(texts().mid(0, 5), (QStringList{"stall", "burst of errors", "measure", "sync_binlog: 1 → 0",
                                                 "server restarted in 1.00 s"}));
        // Since the session's start, which was an hour ago; where it was is told beside it.
        const LoggedEvent* stall = list->eventAt(0);
        const double passed = double(QDateTime::currentMSecsSinceEpoch() - begunMs) / 1e3;
        QVERIFY(stall && stall->run == 1 && stall->sinceStart > 3631 && stall->sinceStart < 3633 + passed);
        const QModelIndex first = list->model()->index(0, 0);
        QVERIFY(first.data(EventListModel::TimeRole).toString().startsWith(QStringLiteral("1:0")));
        const QString tip = first.data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QStringLiteral("run 2 of")) && tip.contains(QStringLiteral("00:32 of the run")),
                 qPrintable(tip));
        QVERIFY2(tip.contains(QLocale().toString(QDateTime::fromMSecsSinceEpoch(stall->clockMs), QLocale::LongFormat)),
                 qPrintable(tip));
        // A click shows it in all plots.
        list->scrollToTop();
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(first).center());
        QVERIFY(m_page->throughputPlot().crosshairShown());
        QVERIFY(std::abs(m_page->latencyPlot().crosshairX() - 32) < 1);
        // By kind, without the mouse.
        auto* filter = find<ChoicePill>("eventFilter");
        const auto choose = [&](const char* id) {
            QTest::keyClick(filter, Qt::Key_Home);
            for (int i = 0; i < 9 && filter->current() != QLatin1String(id); ++i)
                QTest::keyClick(filter, Qt::Key_Down);
            return filter->current() == QLatin1String(id);
        };
        QVERIFY(choose("run"));
        QCOMPARE(list->model()->rowCount(), 5);
        QVERIFY(choose("knob"));
        QCOMPARE(texts(), QStringList{"sync_binlog: 1 → 0"});
        QVERIFY(choose("stall"));
        QCOMPARE(list->model()->rowCount(), 2); // one that the first run told, and what was found in the second
        sink.onSessionStarted(sample::header());
        QTRY_COMPARE(list->model()->rowCount(), 0); // another session
    }
    //! What leads to an earlier run is forgotten when something else is shown before its session is read.
    void aWantedEventIsForgotten()
    {
        const QString id = m_library.addShort("Left");
        SessionHeader session = sample::header();
        session.id = id.toStdString();
        test::FeedSink sink(m_context->run());
        sink.onSessionStarted(session);
        (void)sample::feedRun(sink, session, 0);
        (void)sample::feedRun(sink, session, 1);
        LoggedEvent early;
        early.event.seconds = 1;
        auto* list = find<EventList>("eventList");
        emit list->eventChosen(early);
        QVERIFY(m_page->replaying() && !m_page->replay().loaded());
        m_page->showLive();
        QSignalSpy ready(&m_page->replay(), &ReplaySource::ready);
        m_context->replaySession(id);
        QVERIFY(ready.wait(20000));
        QCoreApplication::processEvents();
        QCOMPARE(m_page->replay().position(), 0.0);
        // The list stays as it is wherever the replay stands.
        QTRY_VERIFY(list->model()->rowCount() > 0);
        QSignalSpy reset(list->model(), &QAbstractItemModel::modelReset);
        m_page->replay().seek(1);
        QCoreApplication::processEvents();
        QCOMPARE(reset.size(), 0);
        QTest::keyClick(list, Qt::Key_Return); // nothing is chosen yet
        QSignalSpy chosen(list, &EventList::eventChosen);
        list->setCurrentIndex(list->model()->index(0, 0));
        QTest::keyClick(list, Qt::Key_Return);
        QCOMPARE(chosen.size(), 1);
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
        QCOMPARE(m_page->smallPlot(0).crosshairX(), m_page->latencyPlot().crosshairX());
        // The value is told beside the small plot's title, in the place of the unit, which stays the plot's own.
        MeasurePlot& small = m_page->smallPlot(0);
        const auto beside = [&small] {
            QStringList texts;
            for (const ElidedLabel* label : small.findChildren<ElidedLabel*>())
                texts << label->fullText();
            return texts;
        };
        const QString value = small.valueText(*small.crosshairValue(0));
        QVERIFY2(beside().contains(value), qPrintable(beside().join(u'|')));
        QCOMPARE(small.secondary(), small.measure()->unit);
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(&plot, &leave);
        QVERIFY(!m_page->latencyPlot().crosshairShown());
        QVERIFY(!small.crosshairValue(0));
        QVERIFY(beside().contains(small.measure()->unit));
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
        end.reason = "the target does not answer any more (check that the server runs)";
        end.errorKind = ErrorKind::Unreachable;
        end.runs.resize(12);
        for (auto& run : end.runs)
            run.status = RunStatus::Done;
        end.runs[1].status = RunStatus::Failed;
        sink.onSessionFinished(end);
        QCOMPARE(compare.size(), 0);
        QCOMPARE(messages.size(), 1); // but told, with a way there
        QCOMPARE(messages.first().at(1).toString(), QStringLiteral("Show it"));
        const QString text = m_page->bannerText();
        QVERIFY2(text.contains(QStringLiteral("does not answer")), qPrintable(text));            // what happened
        QVERIFY2(text.contains(QStringLiteral("Runs complete: 11 of 12")), qPrintable(text));    // what was kept
        QVERIFY2(text.contains(QStringLiteral("check that the server runs")), qPrintable(text)); // what to do
    }
    //! The library has no such session: nobody is sent to the comparison, but told where it is.
    void rescuedSessionSaysWhereItIs()
    {
        test::FeedSink sink(m_context->run());
        sample::Options options;
        options.finish = false;
        QSignalSpy compare(m_context.get(), &AppContext::compareRequested);
        (void)sample::feed(sink, options);
        SessionSummary end;
        end.runs.resize(12);
        for (auto& run : end.runs)
            run.status = RunStatus::Done;
        end.storageProblem = "the disk is full";
        end.storedIn = "/data/rescued-1.dyno";
        sink.onSessionFinished(end);
        QCOMPARE(compare.size(), 0);
        QVERIFY2(m_page->bannerText().contains(QStringLiteral("the disk is full")), qPrintable(m_page->bannerText()));
        QVERIFY2(m_page->bannerText().contains(QStringLiteral("All of it is in /data/rescued-1.dyno")),
                 qPrintable(m_page->bannerText()));
    }
    void goodEndGoesToTheComparison()
    {
        test::FeedSink sink(m_context->run());
        QSignalSpy compare(m_context.get(), &AppContext::compareRequested);
        const SessionHeader session = sample::feed(sink);
        QCOMPARE(compare.size(), 1);
        QCOMPARE(compare.first().first().toStringList(), QStringList{QString::fromStdString(session.id)});
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
        interval.client = {.cpuSeconds = 0.5, .rssBytes = 1, .hostBusy = 0.3};
        sink.onSample(interval);
        QVERIFY(!line->isVisible());
        QCOMPARE(find<KeyFigure>("figureClient")->second(), QStringLiteral("not the limit"));
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
        QVERIFY(line->toolTip().contains(QStringLiteral("A faster server would show no more")));
        QCOMPARE(find<KeyFigure>("figureClient")->second(), QStringLiteral("is the limit"));
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
        // Both figures are of the last interval: that of the whole run would be smaller or larger than what it stands
        // beside.
        for (const auto& [name, values] :
             {std::pair("figureMedian", &series.service.p50), std::pair("figureP95", &series.service.p95),
              std::pair("figureP99", &series.service.p99)}) {
            const QString second = find<KeyFigure>(name)->second();
            if (second.contains(QStringLiteral("service ")) ||
                name != QLatin1String("figureP99")) // else it tells stalls
                QCOMPARE(second, QStringLiteral("service %1").arg(format::time(values->last())));
        }
        QVERIFY(format::time(series.service.p95.last()) != format::time(m_page->model().soFar().service.p95Ms));
        const QString health = find<KeyFigure>("figureClient")->toolTip();
        for (const char* part : {"CPU time per operation: ", "memory: ", "context switches per second: ",
                                 "longest wait for the event loop: ", "late starts: "})
            QVERIFY2(health.contains(QLatin1String(part)), qPrintable(health));
        QTest::mouseClick(service, Qt::LeftButton);
        (void)sample::feedRun(sink, session, 2); // a closed loop again
        QVERIFY(!service->isVisible());
        QCOMPARE(latency.title(), QStringLiteral("Response time"));
    }
    void baselineLiesUnderTheRun()
    {
        const QString id = m_library.addShort("Before the change", 2);
        sample::Options elsewhere; // another workload: not offered
        elsewhere.intervals = 4;
        elsewhere.plan.replace(elsewhere.plan.find("oltp_update_non_index"), 21, "oltp_read_only");
        const QString unlike = m_library.add(elsewhere);
        const SessionHeader session = sample::header();
        test::FeedSink sink(m_context->run());
        sink.onSessionStarted(session);
        auto* choice = find<ChoicePill>("runBaseline");
        QTRY_VERIFY(choice->isVisible());
        const auto offered = [choice](const QString& one) {
            return std::ranges::any_of(choice->choices(), [&one](const auto& each) { return each.id == one; });
        };
        QVERIFY(offered(id) && !offered(unlike));
        QVERIFY(choice->current().isEmpty()); // none until a person chooses
        const RunSummary now = sample::feedRun(sink, session, 0);
        PlotCard& plot = m_page->throughputPlot();
        QVERIFY(!plot.isSeriesVisible(1));
        auto* bars = m_page->findChild<PointBars*>();
        QCOMPARE(bars->tickCount(), 0);

        choice->setFocus();
        QTest::keyClick(choice, Qt::Key_Down);
        QCOMPARE(choice->current(), id);
        QTRY_VERIFY(plot.isSeriesVisible(1));
        const StoredSession before = m_library.session(id);
        const auto stored = std::ranges::find_if(before.runs, [&](const StoredRun& run) {
            return run.header.point == now.point && run.header.repeat == now.repeat;
        });
        QVERIFY(stored != before.runs.end());
        const auto columns = m_library.open()->columns(stored->id);
        QVERIFY(columns.has_value());
        QCOMPARE(std::size_t(plot.graph(1).data()->size()), columns->size());
        QCOMPARE(plot.graph(1).data()->at(2)->value,
                 double(columns->transaction.count[2]) * 1e9 / double(columns->lengthNs[2]));
        QCOMPARE(plot.graph(1).data()->at(2)->key, plot.graph(0).data()->at(2)->key); // one cursor reads both
        QCOMPARE(plot.endLabel(1), QStringLiteral("baseline ") + format::rate(stored->summary.tps));
        QCOMPARE(bars->tickCount(), 1);
        QVERIFY(bars->accessibleDescription().contains(QStringLiteral("baseline")));
        QVERIFY(find<KeyFigure>("figureThroughput")->second().contains(QStringLiteral(" vs. baseline ")));
        test::keepPictures(*m_page, QStringLiteral("run-baseline"));
        // It stays for the session's other runs, with the line of their point, and is forgotten with the session.
        (void)sample::feedRun(sink, session, 1);
        QVERIFY(plot.isSeriesVisible(1));
        QCOMPARE(choice->current(), id);
        SessionHeader other = session;
        other.id = "5e551011-0000-4000-8000-00000000ffff";
        sink.onSessionStarted(other);
        QVERIFY(!plot.isSeriesVisible(1));
        QTRY_VERIFY(choice->isVisible());
        QVERIFY(choice->current().isEmpty());
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
    //! A note stands where it was begun, however long it is written, and also when its run is over by then.
    void notesStandWhereTheyWereBegun()
    {
        constexpr int kRunMs = 120'000; // a slow machine starts slowly
        Plan plan;
        plan.title = "noted";
        plan.target.uri = "null:";
        plan.workload.name = "oltp_point_select";
        plan.workload.params = {{"table_size", std::int64_t(100)}};
        plan.load.users = {1, 2};
        plan.load.timeSeconds = 3600; // skipped and stopped below
        plan.load.intervalSeconds = 0.1;
        const auto dialog = [this] { return m_page->findChild<QInputDialog*>(QStringLiteral("noteDialog")); };
        const auto isInRun = [this](int index) {
            return m_page->model().run() && m_page->model().run()->index == index;
        };
        const auto last = [this] {
            return m_page->model().series().size() > 0 ? m_page->model().series().time.last() : 0.0;
        };
        const qint64 beforeNs = RunBridge::now();
        m_context->startPlan(plan);
        QTRY_VERIFY_WITH_TIMEOUT(isInRun(0) && last() > 0, kRunMs);
        QVERIFY(find<QPushButton>("runNote")->isVisible());
        QTest::keyClick(m_page.get(), Qt::Key_N);
        QVERIFY(dialog());
        const double begun = double(RunBridge::now() - beforeNs) / 1e9; // in the run it is earlier than this
        QTRY_VERIFY_WITH_TIMEOUT(last() > begun, kRunMs);
        dialog()->setTextValue(QStringLiteral("backup"));
        dialog()->accept();
        const auto told = [this] {
            const auto& events = m_page->model().events();
            const auto found = std::ranges::find(events, QStringLiteral("backup"), &EventRow::text);
            return found == events.end() ? -1.0 : found->seconds;
        };
        QTRY_VERIFY_WITH_TIMEOUT(told() >= 0, kRunMs);
        QVERIFY(told() > 0 && told() <= begun);
        QTRY_VERIFY(!dialog());

        // Begun in the first run, written in the second one; begun in that, written when all is over.
        QTest::keyClick(m_page.get(), Qt::Key_N);
        m_context->run().skipPoint();
        QTRY_VERIFY_WITH_TIMEOUT(isInRun(1) && last() > 0, kRunMs);
        const std::string session = m_page->model().session()->id;
        const auto stored = [&] { return m_library.open()->annotations(session).value_or(std::vector<Annotation>()); };
        dialog()->setTextValue(QStringLiteral("of the first run"));
        dialog()->accept();
        QTRY_VERIFY(!dialog());
        QTest::keyClick(m_page.get(), Qt::Key_N);
        QVERIFY(dialog());
        m_context->run().stop();
        QTRY_VERIFY_WITH_TIMEOUT(!m_context->run().active(), kRunMs);
        QTRY_COMPARE_WITH_TIMEOUT(stored().size(), std::size_t(1), kRunMs);
        dialog()->setTextValue(QStringLiteral("of the second run"));
        dialog()->accept();
        QTRY_COMPARE_WITH_TIMEOUT(stored().size(), std::size_t(2), kRunMs);
        const StoredSession whole = m_library.session(QString::fromStdString(session));
        for (const Annotation& note : stored()) {
            const int run = note.text == "of the first run" ? 0 : 1;
            QCOMPARE(note.run, whole.runs.at(std::size_t(run)).id);
            QVERIFY(note.tNs > 0);
        }
    }
    //! Of keys that are no shortcuts; those are looked at in the whole window.
    void skippingIsNotTheNextMarker()
    {
        const QKeySequence skip = find<QAction>("runSkipCommand")->shortcut();
        QVERIFY(!skip.isEmpty() && skip != QKeySequence(Qt::CTRL | Qt::Key_Right));
    }
    void buttonsHaveNamesAndTips()
    {
        for (const char* name : {"runNote", "runSkip", "runPause", "runStop"}) {
            auto* button = find<QPushButton>(name);
            const auto keys = m_page->findChild<QAction*>(button->objectName() + QStringLiteral("Command"))->shortcut();
            QVERIFY(!keys.isEmpty());
            QVERIFY2(button->toolTip().contains(keys.toString(QKeySequence::NativeText)), name);
            QVERIFY(!button->isVisible()); // nothing runs
        }
    }
};

} // namespace dyno::tst_run_page

DYNO_WIDGET_SUITE(tst_run_page, dyno::tst_run_page::TestRunPage)
#include "tst_run_page.moc"
