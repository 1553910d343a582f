// SPDX-License-Identifier: GPL-3.0-or-later
// The stack of small plots on the Run page: added from the list of series, moved, removed, found again; presets, one
// axis, drops, and what is drawn.
#include "parts/choice_pill.h"
#include "plots/formula_dialog.h"
#include "run/plot_stack.h"
#include "run/series_model.h"
#include "run/series_panel.h"
#include "run/statements_card.h"
#include "support/patience.h"
#include "support/suite.h"
#include "widgets/pictures.h"
#include "widgets/run_page_fixture.h"

#include "plots/frame_ticker.h"

#include <QDropEvent>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QMimeData>
#include <QMouseEvent>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTreeView>

#include <algorithm>
#include <cmath>

namespace dyno::tst_plot_stack {

class TestPlotStack : public test::RunPageTest
{
    Q_OBJECT
    std::unique_ptr<test::FeedSink> m_sink;

    [[nodiscard]] PlotStack& stack() const { return m_page->smallPlots(); }
    [[nodiscard]] QStringList shown() const
    {
        QStringList titles;
        for (const MeasurePlot* plot : stack().plots())
            titles << (plot->measure() ? plot->measure()->title : QStringLiteral("–"));
        return titles;
    }
    static std::vector<CounterInfo> counters(int hidden = 40)
    {
        std::vector<CounterInfo> all{{kProcessSource, kProcessCpu, "cores", false},
                                     {"host", "CPU user", "cores", false},
                                     {"host", "network received", "bytes", true},
                                     {"host", "vda bytes written", "bytes", true},
                                     {"server", "Innodb_buffer_pool_pages_dirty", "pages", false},
                                     {"server", "Innodb_data_written", "bytes", true},
                                     {"server", "Innodb_data_fsyncs", "calls", true},
                                     {"server", "Threads_running", "threads", false}};
        for (int i = 0; i < hidden; ++i)
            all.push_back({"server", "Hidden_" + std::to_string(i), "calls", true, true});
        return all;
    }
    //! A run of that target with these counters, of `seconds` intervals.
    SessionHeader feed(const std::string& uri, std::vector<CounterInfo> told, int seconds = 40, int index = 0)
    {
        SessionHeader session = sample::header();
        for (PointSpec& point : session.points)
            point.target.uri = uri;
        session.host.cores = 4;
        m_sink = std::make_unique<test::FeedSink>(m_context->run());
        m_sink->onSessionStarted(session);
        RunHeader run = sample::runHeader(session, index);
        run.counters = std::move(told);
        m_sink->onRunStarted(run);
        Random random(3);
        for (int at = 0; at < seconds; ++at) {
            IntervalSample one = sample::interval(session, run, at, random, {});
            one.tNs = at * 1'000'000'000LL;
            one.lengthNs = 1'000'000'000;
            one.rows = 100;
            one.client.cpuSeconds = 0.25;
            one.client.hostBusy = 0.5;
            one.counters.clear();
            for (std::size_t i = 0; i < run.counters.size(); ++i)
                one.counters.push_back(double(i + 1) * (run.counters[i].unit == "bytes" ? 1048576.0 : 1) +
                                       std::sin(0.3 * at + double(i)) * 0.5);
            m_sink->onSample(one);
        }
        return session;
    }
    //! As the mouse lets go over the stack.
    void drop(const char* format, const QByteArray& what, std::size_t plot, double along)
    {
        QCoreApplication::processEvents(); // the plots take their places
        const QPoint at = on(plot, along);
        QMimeData data;
        data.setData(QLatin1String(format), what);
        QDragEnterEvent enter(at, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&stack(), &enter);
        QVERIFY(enter.isAccepted());
        QDragMoveEvent move(at, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&stack(), &move);
        QVERIFY(find<QWidget>("dropMark")->isVisible());
        QDropEvent dropped(at, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&stack(), &dropped);
        QVERIFY(!find<QWidget>("dropMark")->isVisible());
    }
    [[nodiscard]] QPoint on(std::size_t plot, double along) const
    {
        const MeasurePlot* one = stack().plots().at(plot);
        return one->mapTo(&stack(), QPoint(int(along * one->width()), one->height() / 2));
    }
    void choose(const char* preset)
    {
        QTest::mouseClick(find<QPushButton>("plotsChoose"), Qt::LeftButton);
        QMenu* menu = stack().menu();
        for (QAction* action : menu->actions()) {
            if (action->text() == QLatin1String(preset)) {
                action->trigger();
                menu->hide();
                return;
            }
        }
        menu->hide();
        QFAIL(preset);
    }

private slots:
    void initTestCase() { Theme::instance().apply(*qApp); }
    void init() { openPage(); }
    void cleanup()
    {
        m_sink.reset();
        closePage();
    }

    void addedFromTheListOfSeries()
    {
        feed("sqlite:", counters());
        QCOMPARE(stack().plots().size(), PlotStack::kUsual);
        QVERIFY(!m_page->seriesPanel().isVisible());
        QTest::mouseClick(find<QPushButton>("plotsSeries"), Qt::LeftButton);
        QVERIFY(m_page->seriesPanel().isVisible() && !m_page->findChild<RunSide*>()->isVisible());
        auto* filter = find<QLineEdit>("seriesFilter");
        QTRY_VERIFY(filter->hasFocus());
        QTest::keyClicks(filter, QStringLiteral("hidden 7"));
        auto* tree = find<QTreeView>("seriesTree");
        const SeriesModel& series = m_page->seriesPanel().series();
        QCOMPARE(series.found(), 4); // 7, 17, 27, 37
        test::keepPictures(*m_page, QStringLiteral("series"));
        QTest::keyClick(filter, Qt::Key_Return);
        QCOMPARE(shown().mid(4), QStringList{"Hidden_17"}); // the first that is listed
        MeasurePlot& added = *stack().plots().at(4);
        QCOMPARE(added.graph(0).data()->size(), 40);
        QTRY_COMPARE(added.plot().xAxis->range().upper, m_page->throughputPlot().plot().xAxis->range().upper);
        // With the mouse: a double click on a row.
        const QModelIndex row = series.firstSeries().siblingAtRow(2);
        tree->scrollTo(row);
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(row).center());
        QTest::mouseDClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(row).center());
        QCOMPARE(stack().plots().size(), std::size_t(6));
        QTest::mouseDClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(row).center());
        QCOMPARE(stack().plots().size(), std::size_t(6)); // it is there
        // What comes later is drawn there too, and one crosshair reads all.
        m_page->throughputPlot().refreshNow();
        QCustomPlot& plot = m_page->throughputPlot().plot();
        const QPointF at(plot.xAxis->coordToPixel(20), plot.axisRect()->center().y());
        QMouseEvent pointed(QEvent::MouseMove, at, plot.mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(&plot, &pointed);
        QVERIFY(added.crosshairShown());
        QCOMPARE(added.crosshairX(), m_page->latencyPlot().crosshairX());
        plot.xAxis->setRange(10, 20);
        QVERIFY(added.isZoomed());
        QCOMPARE(added.plot().xAxis->range(), plot.xAxis->range());
        stack().add({QStringLiteral("server: Hidden_1")}); // one that comes while the others are zoomed
        QCOMPARE(stack().plots().back()->plot().xAxis->range(), plot.xAxis->range());
        QTest::keyClick(filter, Qt::Key_Escape);
        QVERIFY(!m_page->seriesPanel().isVisible() && m_page->findChild<RunSide*>()->isVisible());
    }
    //! What a plot's own menu and keys do.
    void movedAndRemoved()
    {
        feed("sqlite:", counters());
        const QStringList usual = shown();
        QCOMPARE(usual.size(), 4);
        stack().plots().at(0)->plot().setFocus();
        QTest::keyClick(&stack().plots().at(0)->plot(), Qt::Key_Right, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(shown(), (QStringList{usual[1], usual[0], usual[2], usual[3]}));
        QCOMPARE(stack().plots().at(1)->objectName(), QStringLiteral("smallPlot2"));
        QTest::keyClick(&stack().plots().at(1)->plot(), Qt::Key_Left, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(shown(), usual);
        QTest::keyClick(&stack().plots().at(3)->plot(), Qt::Key_Delete);
        QTRY_COMPARE(shown(), usual.mid(0, 3));
        QTest::mouseClick(find<QPushButton>("smallButton1"), Qt::LeftButton);
        auto* remove = find<QMenu>("smallMenu1")->findChild<QAction*>(QStringLiteral("plotRemove"));
        QVERIFY(remove && remove->isEnabled());
        remove->trigger();
        find<QMenu>("smallMenu1")->hide();
        QTRY_COMPARE(shown(), usual.mid(1, 2));
        stack().remove(0);
        stack().remove(0); // the last one stays
        QCOMPARE(shown(), usual.mid(2, 1));
        stack().showUsual();
        QCOMPARE(shown(), usual);
    }
    void dropped()
    {
        feed("sqlite:", counters());
        const QStringList usual = shown();
        drop(kSeriesMime, seriesToDrag({"server: Hidden_3", "server: Hidden_4"}), 1, 0.05); // between two
        QCOMPARE(shown(), (QStringList{usual[0], "Hidden_3", "Hidden_4", usual[1], usual[2], usual[3]}));
        drop(kSeriesMime, seriesToDrag({"server: Hidden_5"}), 0, 0.5); // onto one
        QCOMPARE(shown().mid(0, 3), (QStringList{"Hidden_5", "Hidden_3", "Hidden_4"}));
        QCOMPARE(stack().plots().at(0)->graph(0).data()->size(), 40);
        drop(kPlotMime, plotToDrag(*stack().plots().at(2)), 0, 0.1); // a plot to the front
        QCOMPARE(shown().mid(0, 3), (QStringList{"Hidden_4", "Hidden_5", "Hidden_3"}));
        drop(kPlotMime, plotToDrag(*stack().plots().at(0)), 1, 0.9);
        QCOMPARE(shown().mid(0, 3), (QStringList{"Hidden_5", "Hidden_4", "Hidden_3"}));
        // Something else is dropped elsewhere.
        QMimeData text;
        text.setText(QStringLiteral("words"));
        QDragEnterEvent enter(on(0, 0.5), Qt::CopyAction, &text, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&stack(), &enter);
        QVERIFY(!enter.isAccepted());
        const QByteArray gone = plotToDrag(*stack().plots().at(5));
        stack().remove(5);
        QCoreApplication::processEvents();
        drop(kPlotMime, gone, 0, 0.1);
        drop(kPlotMime, "1:" + plotToDrag(*stack().plots().at(2)).split(':').last(), 0, 0.1); // of another process
        QCOMPARE(shown().mid(0, 3), (QStringList{"Hidden_5", "Hidden_4", "Hidden_3"}));
    }
    void atMost24()
    {
        feed("sqlite:", counters());
        QStringList ids;
        for (int i = 0; i < 40; ++i)
            ids << QStringLiteral("server: Hidden_%1").arg(i);
        stack().add(ids);
        QCOMPARE(stack().plots().size(), PlotStack::kMost);
        QVERIFY2(find<ElidedLabel>("plotFacts")->fullText().contains(QStringLiteral("20")),
                 qPrintable(find<ElidedLabel>("plotFacts")->fullText()));
        test::keepPictures(*m_page, QStringLiteral("plots-24"));
        // Only what can be seen is drawn; the rest when it is scrolled to.
        auto* bar = find<QScrollArea>("plotScroll")->verticalScrollBar();
        QTRY_VERIFY(bar->maximum() > 0);
        QTRY_VERIFY(FrameTicker::instance().idle());
        const int before = FrameTicker::instance().framesDrawn();
        m_page->activated();
        QTRY_VERIFY(FrameTicker::instance().idle());
        const int drawn = FrameTicker::instance().framesDrawn() - before;
        QVERIFY2(drawn >= 2 + 4 && drawn <= 2 + 16, qPrintable(QString::number(drawn)));
        bar->setValue(bar->maximum());
        QTRY_VERIFY(FrameTicker::instance().framesDrawn() - before > drawn);
    }
    //! A run of another driver takes plots away, whatever is open for them.
    void exportOfAPlotThatGoes()
    {
        feed("sqlite:", counters());
        stack().add({QStringLiteral("server: Hidden_1")});
        stack().plots().at(4)->exportDialog();
        const QPointer<QDialog> dialog = find<QDialog>("exportDialog");
        QVERIFY(dialog && dialog->isVisible());
        feed("null:", counters());
        QCOMPARE(stack().plots().size(), PlotStack::kUsual);
        QTRY_VERIFY(!dialog);
    }
    //! What was not drawn out of view is drawn when it comes into view, whatever the mouse does meanwhile.
    void scrolledIntoView()
    {
        feed("sqlite:", counters());
        QStringList ids;
        for (int i = 0; i < 20; ++i)
            ids << QStringLiteral("server: Hidden_%1").arg(i);
        stack().add(ids);
        auto* bar = find<QScrollArea>("plotScroll")->verticalScrollBar();
        QTRY_VERIFY(bar->maximum() > 0);
        MeasurePlot& last = *stack().plots().back();
        QSignalSpy drawn(&last.plot(), &QCustomPlot::afterReplot);
        bar->setValue(bar->maximum());
        QTRY_VERIFY(!drawn.isEmpty());
        QTRY_VERIFY(FrameTicker::instance().idle());
        bar->setValue(0);
        m_page->activated();
        QTRY_VERIFY(FrameTicker::instance().idle());
        QVERIFY(!last.isInView());
        drawn.clear();
        bar->setValue(bar->maximum());
        QVERIFY(last.isInView());
        last.showCrosshair(5);
        QTRY_VERIFY(!drawn.isEmpty());
    }
    //! Small plots keep their pace while the warm-up goes on.
    void paceOfTheWarmup()
    {
        SessionHeader session = feed("sqlite:", counters(), 0);
        for (PointSpec& point : session.points)
            point.load.warmupSeconds = 60;
        m_sink->onSessionStarted(session);
        m_sink->onRunStarted(sample::runHeader(session, 0));
        QTRY_VERIFY(FrameTicker::instance().idle());
        QSignalSpy drawn(&stack().plots().at(0)->plot(), &QCustomPlot::afterReplot);
        QElapsedTimer timer;
        timer.start();
        for (int at = 0; at < 8; ++at) {
            IntervalSample one;
            one.tNs = at * 1'000'000'000LL;
            one.lengthNs = 1'000'000'000;
            one.phase = Phase::Warmup;
            one.transaction.count = 500;
            m_sink->onSample(one);
            QTRY_VERIFY(FrameTicker::instance().idle());
        }
        QVERIFY2(drawn.size() <= 2 + timer.elapsed() / 250, qPrintable(QString::number(drawn.size())));
    }
    //! What was asked for is seen: beside the plots in the place of the list of series, or instead of them.
    void askedForIsSeen()
    {
        feed("sqlite:", counters());
        auto* side = m_page->findChild<RunSide*>();
        find<QPushButton>("plotsSeries")->click();
        QVERIFY(!side->isVisible());
        m_page->throughputPlot().plot().xAxis->setRange(10, 20);
        QMenu menu;
        emit m_page->throughputPlot().aboutToShowMenu(&menu);
        menu.findChild<QAction*>(QStringLiteral("whatMoved"))->trigger();
        QVERIFY(side->isVisible() && !m_page->seriesPanel().isVisible());
        m_page->resize(700, 900);
        QTRY_VERIFY(!side->isVisible());
        m_page->findChild<QAction*>(QStringLiteral("runCorrelationCommand"))->trigger();
        QVERIFY(side->isVisible() && side->moved().showsCorrelation() && !stack().isVisible());
        emit side->moved().addWanted({QStringLiteral("server: Hidden_1")});
        QVERIFY(stack().isVisible());
    }
    //! For each driver, and only what a person chose.
    void foundAgain()
    {
        feed("sqlite:", counters());
        stack().add({QStringLiteral("server: Hidden_2")});
        stack().remove(0);
        const QStringList kept = stack().wanted();
        QCOMPARE(kept.mid(1), (QStringList{"host", "server process: CPU", "server: Hidden_2"}));
        feed("null:", counters());
        QCOMPARE(stack().wanted(), (QStringList{"", "", "", ""}));
        feed("sqlite:", counters());
        QCOMPARE(shown().last(), QStringLiteral("Hidden_2"));
        QCOMPARE(stack().plots().at(3)->graph(0).data()->size(), 40);
        closePage(); // another time
        m_context = std::make_unique<AppContext>(m_library.file());
        m_page = std::make_unique<RunPage>(*m_context);
        m_page->resize(1356, 900);
        m_page->show();
        feed("sqlite:", counters());
        QCOMPARE(stack().wanted(), kept);
        feed("sqlite:", counters(0)); // a run without it
        QCOMPARE(shown().last(), QStringLiteral("–"));
        QVERIFY(find<QLabel>("smallNone4")->isVisible());
        QCOMPARE(find<QLabel>("smallNone4")->text(), QStringLiteral("Not measured in this run"));
        QCOMPARE(stack().plots().at(3)->title(), QStringLiteral("Hidden_2"));
    }
    void presets()
    {
        if (!findDriver("mysql"))
            QSKIP("this build has no such driver");
        feed("mysql://root@db.example/test", counters());
        QStringList titles;
        for (const PlotPreset& one : stack().presets())
            titles << one.title;
        QCOMPARE(titles, (QStringList{"InnoDB flushing", "Connections and threads", "Network", "Disk", "CPU by machine",
                                      "Load generator"})); // of those of which there is something
        stack().add({QStringLiteral("server: Hidden_2")});
        const QStringList own = shown();
        choose("InnoDB flushing");
        QCOMPARE(shown(), (QStringList{"Dirty pages", "Disk writes", "fsyncs"}));
        QCOMPARE(find<ElidedLabel>("plotFacts")->fullText(), QStringLiteral("InnoDB flushing"));
        QCOMPARE(stack().plots().at(0)->graph(0).data()->size(), 40);
        choose("CPU by machine");
        QCOMPARE(shown(), (QStringList{"Server CPU", "Generator", "Host CPU", "host: CPU user"}));
        // All of them in cores, with one axis: half of four cores, a quarter of one.
        QVERIFY(stack().oneAxis());
        for (MeasurePlot* plot : stack().plots()) {
            QCOMPARE(plot->secondary(), QStringLiteral("cores"));
            plot->refreshNow();
        }
        QCOMPARE(stack().plots().at(1)->graph(0).data()->at(5)->value, 0.25);
        QCOMPARE(stack().plots().at(2)->graph(0).data()->at(5)->value, 2.0);
        const QCPRange axis = stack().plots().at(0)->plot().yAxis->range();
        for (MeasurePlot* plot : stack().plots())
            QCOMPARE(plot->plot().yAxis->range(), axis);
        test::keepPictures(*m_page, QStringLiteral("cpu-by-machine"));
        choose("Previous plots");
        QCOMPARE(shown(), own);
        QVERIFY(!stack().oneAxis());
        choose("InnoDB flushing");
        choose("Usual plots");
        choose("Previous plots");
        QCOMPARE(shown(), own);
        // A preset is not what a person made: another run has that again.
        choose("InnoDB flushing");
        feed("null:", counters());
        feed("mysql://root@db.example/test", counters());
        QCOMPARE(shown(), own);
        choose("Usual plots");
        QCOMPARE(stack().plots().size(), PlotStack::kUsual);
        QCOMPARE(shown(), own.mid(0, 4));
        // One's own axis again.
        stack().plots().at(1)->refreshNow();
        QVERIFY(stack().plots().at(1)->plot().yAxis->range() != stack().plots().at(3)->plot().yAxis->range());
    }
    //! A run whose server tells nothing has what every run has.
    void presetsOfEveryRun()
    {
        feed("sqlite:", {});
        QStringList titles;
        for (const PlotPreset& one : stack().presets())
            titles << one.title;
        QCOMPARE(titles, (QStringList{"CPU by machine", "Load generator"}));
    }
    //! Of any process, and of machines.
    void presetOfMemory()
    {
        feed("sqlite:", {{"load generator process", "minor page faults", "faults", true},
                         {"HAProxy process", "resident memory", "bytes", false},
                         {"host", "memory available", "bytes", false},
                         {"server", "resident memory", "bytes", false}});
        choose("Memory");
        QCOMPARE(shown(), (QStringList{"HAProxy: resident memory", "host: memory available",
                                       "load generator: minor page faults"}));
    }
    //! Where users come over a network link, its bytes stand beside the server's CPU.
    void linkIsUsual()
    {
        std::vector<CounterInfo> told = counters(0);
        for (const char* name : {"link received", "link sent", "link busy"})
            told.push_back({"host", name, "bytes", true});
        feed("mysql://root@db.example/test", told);
        QCOMPARE(shown().mid(1, 3), (QStringList{"host: link received", "host: link sent", "host: link busy"}));
    }
    //! Machines are told apart, and are in what is made to compare them.
    void presetsOfMachines()
    {
        std::vector<CounterInfo> told;
        for (const char* source : {"host", "db host", "app host"}) {
            told.push_back({source, "CPU user", "cores", false, true});
            told.push_back({source, "network received", "bytes", true, true});
        }
        feed("sqlite:", told);
        choose("Network");
        QCOMPARE(shown(),
                 (QStringList{"host: network received", "db host: network received", "app host: network received"}));
        choose("CPU by machine");
        QCOMPARE(shown(),
                 (QStringList{"Generator", "Host CPU", "host: CPU user", "db host: CPU user", "app host: CPU user"}));
    }
    void twoByTwoWhereNarrow()
    {
        feed("sqlite:", counters());
        QCOMPARE(stack().rows(), 1);
        m_page->resize(700, 900);
        QTRY_COMPARE(stack().rows(), 2);
        for (const MeasurePlot* plot : stack().plots())
            QTRY_VERIFY(plot->width() > 250);
        m_page->resize(1356, 900);
        QTRY_COMPARE(stack().rows(), 1);
    }
    //! A click behind a statement shows it over time.
    void statementsOverTime()
    {
        feed("sqlite:", {});
        auto* table = find<QTableView>("statementShares");
        QTRY_VERIFY(table->isVisible());
        const QModelIndex sign = table->model()->index(0, table->model()->columnCount() - 1);
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(sign).center());
        QVERIFY(!m_page->statements().dialog()); // that is the rest of the row
        QCOMPARE(shown().mid(4), (QStringList{"non_index_update: calls", "non_index_update: p99"}));
        const QCPGraphData& first = *stack().plots().at(4)->graph(0).data()->at(5);
        QCOMPARE(first.value, m_page->model().series().operations.at(0).calls.at(5));
        QVERIFY(first.value > 0);
        QVERIFY(stack().plots().at(5)->graph(0).data()->at(5)->value > 0);
        QCOMPARE(stack().plots().at(5)->secondary(), QStringLiteral("ms"));
    }
    //! Arithmetic with series of the run: added by the menu, drawn like any other, kept, changed.
    void formulas()
    {
        const auto openDialog = [this] {
            FormulaDialog* open = nullptr;
            for (auto* one : stack().findChildren<FormulaDialog*>())
                open = one->isVisible() ? one : open;
            return open;
        };
        feed("sqlite:", counters());
        QTest::mouseClick(find<QPushButton>("plotsChoose"), Qt::LeftButton);
        for (QAction* action : stack().menu()->actions()) {
            if (action->objectName() == QStringLiteral("plotsFormula"))
                action->trigger();
        }
        stack().menu()->hide();
        FormulaDialog* dialog = openDialog();
        QVERIFY(dialog);
        auto* text = dialog->findChild<QLineEdit*>(QStringLiteral("formulaText"));
        auto* show = dialog->findChild<QPushButton*>(QStringLiteral("formulaShow"));
        auto* problem = dialog->findChild<QLabel*>(QStringLiteral("formulaProblem"));
        QTest::keyClicks(text, QStringLiteral("tps / ("));
        QVERIFY(!show->isEnabled());
        QVERIFY2(problem->text().contains(QStringLiteral("column 8")), qPrintable(problem->text()));
        text->setText(QStringLiteral("Innodb_data_fsnycs / Innodb_nothing"));
        QVERIFY2(problem->text().endsWith(QStringLiteral("Innodb_data_fsnycs, Innodb_nothing")),
                 qPrintable(problem->text()));
        // What the page cannot draw is refused, with what it can.
        for (const auto& [figure, remedy] :
             {std::pair("service_p50:non_index_update", "of one operation only qps and service_p99"),
              std::pair("response_p99:group", "of one operation only qps and service_p99"),
              std::pair("rows", "over time there is rows_per_second"),
              std::pair("rows:1000", "over time there is rows_per_second"),
              std::pair("cpu_us_per_op", "rows_per_second"), std::pair("qps:other", "no operation other")}) {
            text->setText(QStringLiteral("tps / ") + QLatin1String(figure));
            QVERIFY2(!show->isEnabled() && problem->text().contains(QLatin1String(remedy)),
                     qPrintable(problem->text()));
        }
        const QString formula = QStringLiteral(
            "Mix = Innodb_data_fsyncs * service_p99 / per_minute + 'host/CPU user' - rows_per_second [calls]");
        text->setText(formula);
        QVERIFY2(problem->text().isEmpty() && show->isEnabled(), qPrintable(problem->text()));
        const auto& choices = dialog->findChild<ChoicePill*>(QStringLiteral("formulaFigures"))->choices();
        QVERIFY(std::ranges::any_of(choices, [](const auto& one) { return one.id == "host/CPU user"; }));
        QVERIFY(std::ranges::none_of(choices, [](const auto& one) { return one.id == "rows"; }));
        QTest::mouseClick(show, Qt::LeftButton);
        QCOMPARE(shown().mid(4), QStringList{"Mix"});
        const RunSeries& series = m_page->model().series();
        const auto drawn = [this](std::size_t plot) { return stack().plots().at(plot)->graph(0).data(); };
        QCOMPARE(drawn(4)->size(), 40);
        for (int i = 0; i < 40; ++i)
            QVERIFY(qFuzzyCompare(drawn(4)->at(i)->value,
                                  series.counters[6][i] * series.service.p99[i] / (series.tps[i] * 60) +
                                      series.counters[1][i] - series.rows[i]));
        QVERIFY(series.rows[5] > 0);
        QCOMPARE(stack().plots().at(4)->secondary(), QStringLiteral("calls"));
        test::keepPictures(*m_page, QStringLiteral("formula-plot"));

        // Of an operation. What is shown is changed in its place, and kept for the next run of the product.
        stack().add({QStringLiteral("server: Hidden_2")});
        emit stack().plots().at(4)->formulaWanted();
        dialog = openDialog();
        QVERIFY(dialog);
        QCOMPARE(dialog->findChild<QLineEdit*>(QStringLiteral("formulaText"))->text(), formula);
        const QString operation = QStringLiteral("Hidden_2 / qps:non_index_update");
        dialog->findChild<QLineEdit*>(QStringLiteral("formulaText"))->setText(operation);
        QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("formulaShow")), Qt::LeftButton);
        QCOMPARE(shown().mid(4), (QStringList{operation, "Hidden_2"}));
        QVERIFY(qFuzzyCompare(drawn(4)->at(7)->value, series.counters[10][7] / series.operations[0].calls[7]));
        // To one that another plot shows: no second plot of it.
        stack().add({QStringLiteral("formula:qps / tps")});
        QCOMPARE(shown().mid(4), (QStringList{operation, "Hidden_2", "qps / tps"}));
        QCOMPARE(drawn(6)->size(), 40);
        emit stack().plots().at(6)->formulaWanted();
        dialog = openDialog();
        QVERIFY(dialog);
        dialog->findChild<QLineEdit*>(QStringLiteral("formulaText"))->setText(operation);
        QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("formulaShow")), Qt::LeftButton);
        QCOMPARE(shown().mid(4), (QStringList{operation, "Hidden_2", "qps / tps"}));
        // The plots that stay are not filled afresh, one that shows something else now is.
        drawn(6)->begin()->value = 12345;
        stack().remove(5);
        QCOMPARE(shown().mid(4), (QStringList{operation, "qps / tps"}));
        QCOMPARE(drawn(5)->begin()->value, 12345.0);
        stack().replace(5, {QStringLiteral("server: Hidden_2")});
        QCOMPARE(drawn(5)->size(), 40);
        QCOMPARE(drawn(5)->at(7)->value, series.counters[10][7]);
        feed("null:", counters());
        QCOMPARE(stack().plots().size(), PlotStack::kUsual);
        feed("sqlite:", counters());
        QCOMPARE(shown().mid(4), (QStringList{operation, "Hidden_2"}));
        QCOMPARE(drawn(4)->size(), 40);

        // A run without one of its figures says which.
        feed("sqlite:", counters(0));
        QCOMPARE(shown().at(4), operation);
        QVERIFY(find<QLabel>("smallNone5")->isVisible());
        QCOMPARE(find<QLabel>("smallNone5")->text(), QStringLiteral("This run has no Hidden_2"));
        QCOMPARE(drawn(4)->size(), 0);
        test::keepPictures(*m_page, QStringLiteral("formula-unknown"));
        // So do settings that somebody wrote by hand.
        stack().replace(4, {QStringLiteral("formula:rows / tps")});
        QVERIFY2(find<QLabel>("smallNone5")->text().contains(QStringLiteral("rows_per_second")),
                 qPrintable(find<QLabel>("smallNone5")->text()));
        stack().replace(4, {QStringLiteral("formula:tps +")});
        QVERIFY2(find<QLabel>("smallNone5")->text().contains(QStringLiteral("column 6")),
                 qPrintable(find<QLabel>("smallNone5")->text()));
    }
    //! All that a person touches has a name.
    void hasNames()
    {
        feed("sqlite:", counters());
        m_page->findChild<QAction*>(QStringLiteral("runSeriesCommand"))->trigger();
        for (QWidget* one : m_page->seriesPanel().findChildren<QWidget*>()) {
            if (one->focusPolicy() == Qt::NoFocus || one->objectName().startsWith(QStringLiteral("qt_")))
                continue;
            QVERIFY2(!one->accessibleName().isEmpty() && !one->objectName().isEmpty(), one->metaObject()->className());
        }
    }
};

} // namespace dyno::tst_plot_stack

DYNO_WIDGET_SUITE(tst_plot_stack, dyno::tst_plot_stack::TestPlotStack)
#include "tst_plot_stack.moc"
