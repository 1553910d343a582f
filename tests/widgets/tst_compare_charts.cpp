// SPDX-License-Identifier: GPL-3.0-or-later
// What the Compare page draws: measures, kinds of charts, views, published figures.
#include "compare/compare_chart_area.h"
#include "plots/formula_dialog.h"
#include "support/suite.h"
#include "widgets/compare_fixture.h"
#include "widgets/pictures.h"

#include <map>

namespace dyno::tst_compare_charts {
using Fixture = test::ComparePageFixture;

class TestCompareCharts : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true); // the theme keeps its choice in the settings
        Theme::instance().apply(*qApp);           // widths and fonts as a person has them
    }
    void changesTheMeasure();
    void offersPricesWhereThereAreSome();
    void comparesByAFormula();
    void showsSharesOfTheBest();
    void showsMedians();
    void drawsLinesBarsAndTime();
    void drawsEveryKind();
    void choosesAPartOfAMeasure();
    void drawsEachValueOfAFacet();
    void latencyStandsBelowItsThroughput_data();
    void latencyStandsBelowItsThroughput();
    void showsResponseTimesOfArrivals();
    void keepsNamedViews();
    void knowsTheViewsOfThePlan();
    void laysPublishedFiguresOver();
    void laysPublishedPercentOver();
    void laysReferencesOver();
    void showsAPartOfTheTime();
    void showsChosenRowsOverTime();
};

void TestCompareCharts::changesTheMeasure()
{
    Fixture f;
    f.show({f.library.addShort("a")});
    const QString before = f.table()->model()->index(0, PivotTableModel::Value).data().toString();
    const MeasureInfo* measure = findMeasure("service_p95");
    QVERIFY(measure);
    f.choose("measurePill", PivotTableModel::measureLabel(*measure));
    QCOMPARE(f.page->pivot().request.measure, "service_p95");
    QVERIFY(f.table()->model()->index(0, PivotTableModel::Value).data().toString() != before);
    QVERIFY(f.plot()->secondary().startsWith("ms"));
    QVERIFY(f.find<ChoicePill>("measurePill")->text().contains(PivotTableModel::measureLabel(*measure)));
}

void TestCompareCharts::comparesByAFormula()
{
    Fixture f;
    f.show({f.library.addShort("a")});
    f.choose("measurePill", QStringLiteral("Formula"));
    auto* dialog = f.find<FormulaDialog>("formulaDialog");
    QVERIFY(dialog && dialog->isVisible());
    QCOMPARE(f.find<ChoicePill>("measurePill")->current(), QStringLiteral("tps")); // nothing was chosen yet
    auto* text = dialog->findChild<QLineEdit*>("formulaText");
    auto* show = dialog->findChild<QPushButton*>("formulaShow");
    auto* problem = dialog->findChild<QLabel*>("formulaProblem");
    QVERIFY(!show->isEnabled() && problem->text().isEmpty());
    QTest::keyClicks(text, "Time = 1000 / (");
    QVERIFY(!show->isEnabled());
    QVERIFY2(problem->text().contains("column 16"), qPrintable(problem->text()));
    auto* figures = dialog->findChild<ChoicePill*>("formulaFigures");
    QVERIFY(std::ranges::any_of(figures->choices(), [](const auto& one) { return one.id == "service_p95"; }));
    emit figures->chosen(QStringLiteral("process_cpu:load generator"));
    QCOMPARE(text->text(), QStringLiteral("Time = 1000 / ('process_cpu:load generator'"));
    text->clear();
    QTest::keyClicks(text, "Time = 1000 / ( [ms]");
    text->setCursorPosition(15);
    emit figures->chosen(QStringLiteral("tps"));
    QTest::keyClicks(text, ")");
    QCOMPARE(text->text(), QStringLiteral("Time = 1000 / (tps) [ms]"));
    QVERIFY(problem->text().isEmpty());
    test::keepPictures(*dialog, QStringLiteral("formula"));
    const double tps = f.page->pivot().cells.front().estimate.mean;
    QTest::mouseClick(show, Qt::LeftButton);
    QTRY_COMPARE(f.page->pivot().request.measure, std::string("formula:Time = 1000 / (tps) [ms]"));
    QTRY_VERIFY2(f.plot()->title().startsWith("Time"), qPrintable(f.plot()->title()));
    const QString unit = f.plot()->secondary();
    QVERIFY2(unit.startsWith("ms") || unit.startsWith("µs"), qPrintable(unit)); // by the size of the figures
    QVERIFY(f.page->pivot().cells.size() > 1);
    // Of one run each: the mean of the cell is that of its only run.
    QVERIFY(std::abs(f.page->pivot().cells.front().estimate.mean * tps / 1000 - 1) < 0.2);
    // It can be changed, and another measure chosen.
    QCOMPARE(f.find<ChoicePill>("ofPill")->current(), QStringLiteral("Time = 1000 / (tps) [ms]"));
    test::keepPictures(*f.page, QStringLiteral("compare-formula"));
    f.choose("ofPill", QStringLiteral("another formula…"));
    dialog = nullptr;
    for (auto* one : f.page->findChildren<FormulaDialog*>()) {
        if (one->isVisible())
            dialog = one;
    }
    QVERIFY(dialog);
    QCOMPARE(dialog->findChild<QLineEdit*>("formulaText")->text(), QStringLiteral("Time = 1000 / (tps) [ms]"));
    dialog->reject();
    f.choose("measurePill", PivotTableModel::measureLabel(*findMeasure("stall_seconds")));
    QTRY_COMPARE(f.page->pivot().request.measure, std::string("stall_seconds"));
}

void TestCompareCharts::offersPricesWhereThereAreSome()
{
    const auto offers = [](const Fixture& f, const char* measure) {
        const auto& choices = f.find<ChoicePill>("measurePill")->choices();
        return std::any_of(choices.begin(), choices.end(), [&](const auto& one) { return one.id == measure; });
    };
    Fixture f;
    const QString without = f.library.addShort("a");
    sample::Options options;
    options.intervals = 6;
    const std::string uri = "uri = \"sqlite:durability.db\"\n";
    options.plan.replace(options.plan.find(uri), uri.size(), uri + "cost_per_hour = 0.5\ncurrency = \"€\"\n");
    const QString with = f.library.add(options, "b");
    f.show({without});
    QVERIFY(!offers(f, "tx_per_cost") && !offers(f, "tx_per_watt_hour") && offers(f, "qps"));
    QVERIFY(f.find<ChoicePill>("measurePill")->toolTip().contains("cost per hour")); // says why
    f.context.compareSessions({with});
    f.wait();
    QTRY_VERIFY(offers(f, "tx_per_cost"));
    QVERIFY(!offers(f, "tx_per_watt_hour"));
    f.choose("measurePill", PivotTableModel::measureLabel(*findMeasure("tx_per_cost")));
    QCOMPARE(f.page->pivot().request.measure, "tx_per_cost");
    const PivotCell* cell = f.page->pivot().cell("4", "OFF");
    QVERIFY(cell && cell->estimate.mean > 0);
    QCOMPARE(f.plot()->barCount(), 6);
    QVERIFY2(f.plot()->title().startsWith("Transactions per €"), qPrintable(f.plot()->title()));
    QVERIFY(f.plot()->secondary().startsWith("transactions/€"));
    QVERIFY(f.verdict()->sentence().contains("€") || f.verdict()->sentence().contains("transactions per"));
}

void TestCompareCharts::showsSharesOfTheBest()
{
    Fixture f;
    f.show({f.library.addShort("a")});
    f.choose("relativePill", QStringLiteral("% of the best"));
    const Pivot& pivot = f.page->pivot();
    QVERIFY(pivot.request.relativeTo == RelativeTo::Best);
    QVERIFY(!f.find<ChoicePill>("baselinePill")->isVisible());
    double most = 0;
    int best = 0;
    for (const PivotCell& cell : pivot.cells) {
        most = std::max(most, pivot.figure(cell).value);
        best += pivot.figure(cell).value == 100 ? 1 : 0;
    }
    QCOMPARE(most, 100.0);
    QCOMPARE(best, 1);
    QCOMPARE(f.plot()->valueText(62.4), "62 %");
    QVERIFY2(f.plot()->title().contains("% of the best"), qPrintable(f.plot()->title()));
    QStringList shares, verdicts;
    for (int row = 0; row < f.table()->model()->rowCount(); ++row) {
        shares += f.table()->model()->index(row, PivotTableModel::RatioValue).data().toString();
        verdicts += f.table()->model()->index(row, PivotTableModel::VerdictText).data().toString();
    }
    QCOMPARE(shares.filter("%").size(), 6);
    QCOMPARE(verdicts.count("the best"), 1);
    QVERIFY(f.find<QTableView>("ratioTable")->model()->headerData(PivotTableModel::RatioValue, Qt::Horizontal) ==
            "Of the best");
    f.choose("relativePill", QStringLiteral("as measured"));
    QVERIFY(f.find<ChoicePill>("baselinePill")->isVisible());
    QVERIFY(f.page->pivot().request.relativeTo == RelativeTo::Nothing);
}

void TestCompareCharts::showsMedians()
{
    Fixture f;
    f.show({f.library.addShort("a")});
    QVERIFY(f.plot()->errorBarCount() > 0);
    f.choose("centrePill", QStringLiteral("median"));
    QVERIFY(f.page->pivot().request.centre == Centre::Median);
    QCOMPARE(f.plot()->errorBarCount(), 0); // intervals are of the mean
    QVERIFY2(f.plot()->secondary().contains("median"), qPrintable(f.plot()->secondary()));
    // What stands in the chart is not said again around an exported picture.
    const auto isSaidAgain = [&f](const QString& words) { return f.plot()->exportWords().caption.contains(words); };
    QVERIFY(!isSaidAgain("median"));
    f.choose("centrePill", QStringLiteral("mean"));
    QVERIFY(f.plot()->secondary().contains("mean and 95 % interval (Student's t) of 2 runs"));
    QVERIFY(!isSaidAgain("interval"));
    f.choose("relativePill", QStringLiteral("% of the baseline"));
    QVERIFY(f.plot()->secondary().contains("(Welch's t)") && !isSaidAgain("Welch"));
    f.choose("relativePill", QStringLiteral("as measured"));
    f.choose("centrePill", QStringLiteral("median"));
    QVERIFY(f.table()->isColumnHidden(PivotTableModel::Interval));
    for (int row = 0; row < f.table()->model()->rowCount(); ++row) {
        QCOMPARE(f.table()->model()->index(row, PivotTableModel::Interval).data().toString(), QStringLiteral("–"));
        const QString verdict = f.table()->model()->index(row, PivotTableModel::VerdictText).data().toString();
        QVERIFY2(verdict == "not tested" || verdict == "baseline", qPrintable(verdict));
    }
}

void TestCompareCharts::drawsLinesBarsAndTime()
{
    Fixture f;
    f.show({f.addLines()});
    QVERIFY(f.page->chart().id() == "lines");
    QCOMPARE(f.plot()->seriesCount(), 3);
    QCOMPARE(f.plot()->graph(0).dataCount(), 4);
    QCOMPARE(f.plot()->errorBarCount(), 12);
    f.choose("chartPill", QStringLiteral("Bars"));
    QCOMPARE(f.plot()->barCount(), 12);
    f.choose("chartPill", QStringLiteral("Over time"));
    f.wait();
    auto* time = f.find<TimeOverlayPlot>("timeOverlayPlot");
    QVERIFY(time->isVisible());
    for (const PlotCard* card : {&time->throughput(), &time->latency()}) {
        const ExportWords& words = card->exportWords();
        QVERIFY(!words.title.isEmpty() && !words.caption.isEmpty());
        QVERIFY(words.verdict.isEmpty()); // it is about other figures
    }
    QCOMPARE(time->throughput().seriesCount(), 3); // one run of each case
    QCOMPARE(time->throughput().graph(0).dataCount(), 6);
    QVERIFY(time->throughput().bandCount(BandKind::Warmup) == 1);
    f.choose("repeatPill", QStringLiteral("all"));
    QCOMPARE(time->throughput().seriesCount(), 9);
    f.choose("chartPill", QStringLiteral("Lines"));
    QVERIFY(f.plot()->isVisible());
}

void TestCompareCharts::drawsEveryKind()
{
    Fixture f;
    f.show({f.addLines()});
    f.choose("chartPill", QStringLiteral("Every run"));
    auto* strip = f.find<StripPlot>("stripPlot");
    QVERIFY(strip->isVisible());
    QCOMPARE(strip->dotCount(), 3 * 4 * 3); // cases, users, repeats
    f.choose("chartPill", QStringLiteral("Scaling law"));
    auto* scaling = f.find<ScalingPlot>("scalingPlot");
    QVERIFY(scaling->isVisible());
    QCOMPARE(scaling->curveCount(), 3);
    QVERIFY2(scaling->exportWords().caption.contains("runs a point"), qPrintable(scaling->exportWords().caption));
    auto* findings = f.find<FactsCard>("findingsCard");
    QVERIFY(findings->isVisible());
    QCOMPARE(findings->rowCount(), 3);
    f.choose("chartPill", QStringLiteral("Latency against throughput"));
    QCOMPARE(f.find<LoadCurvePlot>("loadCurvePlot")->graph(2).dataCount(), 4);
    QCOMPARE(f.find<ChoicePill>("measurePill")->current(), QStringLiteral("service_p95")); // what is drawn
    f.choose("chartPill", QStringLiteral("Every interval"));
    auto* time = f.find<TimeOverlayPlot>("timeOverlayPlot");
    QVERIFY(time->isVisible());
    QVERIFY(time->throughput().graph(0).lineStyle() == QCPGraph::lsNone);
    f.choose("layoutPill", QStringLiteral("one chart each"));
    QCOMPARE(f.page->findChildren<TracePlot*>(QRegularExpression(QStringLiteral("^tracePlot"))).size(), 3);
    f.choose("chartPill", QStringLiteral("Percentiles"));
    auto* spectrum = f.find<SpectrumPlot>("spectrumPlot");
    QCOMPARE(spectrum->seriesCount(), 3);
    QVERIFY(spectrum->graph(0).dataCount() > 20);
    f.choose("chartPill", QStringLiteral("Heat map"));
    QCOMPARE(f.page->findChildren<HeatPlot*>().size(), 3);
    QVERIFY(f.page->findChildren<HeatPlot*>().front()->table().rows.size() > 20);
    f.choose("chartPill", QStringLiteral("Lines"));
    QVERIFY(f.plot()->isVisible());
    QVERIFY(!f.plot()->exportWords().caption.isEmpty());
    QVERIFY(!f.plot()->exportWords().verdict.isEmpty());
    QVERIFY(findings->isVisible()); // the maxima
    QCOMPARE(findings->rowCount(), 3);
    f.choose("logPill", QStringLiteral("log x and y"));
    QVERIFY(f.plot()->isLogY());
    QVERIFY(f.plot()->plot().xAxis->scaleType() == QCPAxis::stLogarithmic);
}

void TestCompareCharts::choosesAPartOfAMeasure()
{
    Fixture f;
    sample::Options options;
    options.intervals = 6;
    options.counters = true;
    f.show({f.library.add(options, "with counters")});
    QVERIFY(!f.find<ChoicePill>("ofPill")->isVisible());
    f.choose("measurePill", QStringLiteral("Operations"));
    auto* of = f.find<ChoicePill>("ofPill");
    QVERIFY(of->isVisible());
    f.choose("ofPill",
             QString::fromStdString(measureParts("qps", {f.library.session(f.page->sessionIds().front())}).front()));
    QVERIFY(f.page->request().measure.starts_with("qps:"));
    QVERIFY(!f.page->pivot().cells.front().estimate.runs.empty());
    // A counter's mean is read from the intervals.
    f.choose("measurePill", QStringLiteral("Counter of the server"));
    QCOMPARE(f.page->request().measure, std::string("counter:Innodb_data_written"));
    QCOMPARE(f.page->pivot().measure().unit, std::string("bytes/s"));
    // 1 000 000 + 1 000 · i in interval i; the measured ones are 2 to 5.
    QCOMPARE(f.page->pivot().cells.front().estimate.mean, 1'003'500.0);
    f.choose("ofPill", QStringLiteral("Threads_running"));
    QVERIFY(std::fabs(f.page->pivot().cells.front().estimate.mean - (42 + 44 + 45) / 3.0) < 1e-9); // one is not known
    // Over time a counter has its course, of each interval.
    f.choose("chartPill", QStringLiteral("Over time"));
    f.wait();
    auto* course = f.find<TimeOverlayPlot>("timeOverlayPlot");
    QVERIFY(course && course->isVisible());
    const TracePlot& threads = course->throughput();
    QCOMPARE(threads.title(), QStringLiteral("Threads_running over time"));
    QVERIFY2(threads.secondary().startsWith(QStringLiteral("threads")), qPrintable(threads.secondary()));
    QVERIFY(threads.seriesCount() > 0);
    QCOMPARE(threads.graph(0).data()->at(2)->value, 42.0);
    QVERIFY(std::isnan(threads.graph(0).data()->at(3)->value));
    f.choose("chartPill", QStringLiteral("Lines"));
    f.choose("measurePill", QStringLiteral("Throughput"));
    QVERIFY(!of->isVisible());
}

//! A plan's chart over time with the users among its facets has lines of all of them, not of the most users only (E07,
//! E14).
void TestCompareCharts::drawsEachValueOfAFacet()
{
    Fixture f;
    sample::Options options;
    options.intervals = 6;
    options.plan = test::linesPlan() + R"(
[[view]]
name = "Every line"
chart = "time"
measure = "tps"
x = ""
series = "synchronous"
facet = "users"
)";
    f.show({f.library.add(options, "levels")});
    f.choose("viewPill", QStringLiteral("Every line"));
    f.wait();
    // A chart a facet for throughput, and one for latency; a line a series.
    const auto plots = f.page->findChildren<TracePlot*>(QRegularExpression(QStringLiteral("^facetPlot")));
    QCOMPARE(plots.size(), 2 * 4);
    QSet<QString> titles;
    for (const TracePlot* plot : plots) {
        QCOMPARE(plot->seriesCount(), 3);
        for (int i = 0; i < plot->seriesCount(); ++i)
            QCOMPARE(plot->seriesName(i), plots.front()->seriesName(i));
        titles << plot->title().replace(QChar(0x00A0), u' ');
    }
    QCOMPARE(titles, (QSet<QString>{"1 user", "2 users", "4 users", "8 users"}));
    QVERIFY(!f.find<ChoicePill>("atPill")->isVisible());
    QVERIFY(f.table()->isColumnHidden(PivotTableModel::X) &&
            !f.table()->isColumnHidden(PivotTableModel::Facet)); // users once
    f.choose("chartPill", QStringLiteral("Percentiles"));
    f.wait();
    QCOMPARE(f.find<SpectrumPlot>("spectrumPlot")->seriesCount(), 12);
}

void TestCompareCharts::latencyStandsBelowItsThroughput_data()
{
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("perRow");
    QTest::addColumn<int>("columns");
    QTest::newRow("as many as fit") << 1356 << 0 << 3;
    QTest::newRow("a narrow window") << 1196 << 0 << 3;
    QTest::newRow("a wide window") << 1900 << 0 << 5;
    QTest::newRow("two by choice") << 1356 << 2 << 2;
    QTest::newRow("one by choice") << 1356 << 1 << 1;
}

//! Facets that do not fit into one row: below each row of throughput is the latency of the same facets, and the Tab
//! key goes from row to row.
void TestCompareCharts::latencyStandsBelowItsThroughput()
{
    QFETCH(int, width);
    QFETCH(int, perRow);
    QFETCH(int, columns);
    Fixture f;
    sample::Options options;
    options.intervals = 6;
    options.plan = test::linesPlan();
    const std::string users = "users = [1, 2, 4, 8]";
    options.plan.replace(options.plan.find(users), users.size(), "users = [1, 2, 4, 8, 16]");
    options.plan += "\n[[view]]\nname = \"Every line\"\nchart = \"time\"\nmeasure = \"tps\"\nx = \"users\"\n"
                    "series = \"synchronous\"\nfacet = \"users\"\n";
    f.show({f.library.add(options, "levels")}, {width, 852});
    f.choose("viewPill", QStringLiteral("Every line"));
    auto* area = f.page->findChild<CompareChartArea*>();
    QVERIFY(area);
    area->setPerRow(perRow);
    QCoreApplication::processEvents();
    const auto plots = f.page->findChildren<TracePlot*>(QRegularExpression(QStringLiteral("^facetPlot")));
    QCOMPARE(plots.size(), 2 * 5);
    std::map<int, std::map<int, const TracePlot*>> rows; // by y and x
    for (const TracePlot* plot : plots)
        rows[plot->y()][plot->x()] = plot;
    QCOMPARE(int(rows.size()), 2 * ((5 + columns - 1) / columns));
    QCOMPARE(int(rows.begin()->second.size()), columns);
    QStringList above;
    QList<const QWidget*> order;
    int number = 0;
    for (const auto& [y, row] : rows) {
        QStringList titles;
        for (const auto& [x, plot] : row) {
            QCOMPARE(plot->unit(), number % 2 == 0 ? QString("transactions/s") : QString("ms"));
            titles << plot->title();
            order << &plot->plot();
        }
        if (number++ % 2 == 0)
            above = titles;
        else
            QCOMPARE(titles, above);
    }
    for (qsizetype i = 1; i < order.size(); ++i) {
        const QWidget* next = order[i - 1]->nextInFocusChain();
        while (next != order[i - 1] && !order.contains(next))
            next = next->nextInFocusChain();
        QCOMPARE(next, order[i]);
    }
}

//! Where transactions arrive by themselves, the page shows how long they took from their arrival, and says so.
void TestCompareCharts::showsResponseTimesOfArrivals()
{
    Fixture f;
    sample::Options options;
    options.plan = test::linesPlan();
    options.intervals = 6;
    options.openLoop = true;
    const QString id = f.library.add(options, "open loop");
    f.show({id});
    const StoredSession session = f.library.session(id);
    QVERIFY(session.runs.front().summary.response.p95Ms > session.runs.front().summary.service.p95Ms);
    f.choose("chartPill", QStringLiteral("Latency against throughput"));
    QCOMPARE(f.find<ChoicePill>("measurePill")->current(), QStringLiteral("response_p95"));
    auto* curve = f.find<LoadCurvePlot>("loadCurvePlot");
    QVERIFY2(curve->title().contains("response time") || curve->secondary().contains("response time"),
             qPrintable(curve->secondary()));
    f.choose("chartPill", QStringLiteral("Over time"));
    f.wait();
    QVERIFY(f.find<TimeOverlayPlot>("timeOverlayPlot")->latency().secondary().startsWith("ms, response time"));
    f.choose("chartPill", QStringLiteral("Percentiles"));
    auto* spectrum = f.find<SpectrumPlot>("spectrumPlot");
    QVERIFY2(spectrum->secondary().startsWith("ms, response time"), qPrintable(spectrum->secondary()));
    // The line ends at the run's largest response time, which is longer than any service time.
    const auto& points = *spectrum->graph(0).data();
    const double longest = (points.constEnd() - 1)->value;
    QVERIFY(std::ranges::any_of(session.runs, [longest](const StoredRun& run) {
        return qAbs(run.summary.response.maxMs - longest) < 1e-6 * longest && run.summary.service.maxMs < longest;
    }));
    f.choose("chartPill", QStringLiteral("Heat map"));
    for (const HeatPlot* heat : f.page->findChildren<HeatPlot*>())
        QVERIFY(heat->secondary().startsWith("ms, response time"));
    f.choose("chartPill", QStringLiteral("Lines"));
    const QString head = f.table()->model()->headerData(PivotTableModel::P95, Qt::Horizontal).toString();
    QVERIFY2(head.contains("response"), qPrintable(head));
    // A measure that names service time is drawn as it is.
    f.choose("measurePill", PivotTableModel::measureLabel(*findMeasure("service_p99")));
    f.choose("chartPill", QStringLiteral("Over time"));
    f.wait();
    QVERIFY(f.find<TimeOverlayPlot>("timeOverlayPlot")->latency().secondary().startsWith("ms, service time"));
    for (const char* measure : {"service_p99", "service_p95"}) { // the second is what a closed loop shows unasked
        f.choose("chartPill", QStringLiteral("Lines"));
        f.choose("measurePill", PivotTableModel::measureLabel(*findMeasure(measure)));
        f.choose("chartPill", QStringLiteral("Over time"));
        f.wait();
        QVERIFY(f.find<TimeOverlayPlot>("timeOverlayPlot")->latency().secondary().startsWith("ms, service time"));
        const auto& line = *f.find<TimeOverlayPlot>("timeOverlayPlot")->latency().graph(0).data();
        const auto top = std::max_element(line.constBegin(), line.constEnd(),
                                          [](const auto& a, const auto& b) { return a.value < b.value; });
        QVERIFY(std::ranges::any_of(session.runs,
                                    [&](const StoredRun& run) { return top->value <= run.summary.service.maxMs; }));
        f.choose("chartPill", QStringLiteral("Percentiles"));
        const auto* shown = f.find<SpectrumPlot>("spectrumPlot");
        QVERIFY2(shown->secondary().startsWith("ms, service time"), qPrintable(shown->secondary()));
        const double last = (shown->graph(0).data()->constEnd() - 1)->value;
        QVERIFY(std::ranges::any_of(session.runs, [last](const StoredRun& run) {
            return qAbs(run.summary.service.maxMs - last) < 1e-6 * last;
        }));
        f.choose("chartPill", QStringLiteral("Heat map"));
        for (const HeatPlot* heat : f.page->findChildren<HeatPlot*>())
            QVERIFY2(heat->secondary().startsWith("ms, service time"), qPrintable(heat->secondary()));
    }
}

//! Limits of the disk, and a measure that the chart does not draw, are no reason to call the plan's view another one.
void TestCompareCharts::knowsTheViewsOfThePlan()
{
    const auto planWith = [](const std::string& chart) {
        sample::Options options;
        options.intervals = 6;
        options.plan.replace(options.plan.find("chart = \"bars\""), 14, "name = \"The first\"\n" + chart);
        return options;
    };
    Fixture f;
    f.show({f.library.add(planWith("chart = \"bars\"\nlimit = \"disk reads;disk reads, one at a time\""))});
    auto* pill = f.find<ChoicePill>("viewPill");
    QCOMPARE(pill->current(), QStringLiteral("plan:The first"));
    f.choose("measurePill", PivotTableModel::measureLabel(*findMeasure("service_p95")));
    QVERIFY(pill->current() != QStringLiteral("plan:The first"));
    f.choose("measurePill", PivotTableModel::measureLabel(*findMeasure("tps")));
    QCOMPARE(pill->current(), QStringLiteral("plan:The first")); // back again
    QCOMPARE(f.page->currentView().limit, std::string("disk reads; disk reads, one at a time"));
    f.show({f.library.add(planWith("chart = \"sync\""))});
    QCOMPARE(f.find<ChoicePill>("viewPill")->current(), QStringLiteral("plan:The first"));
    // Views that differ in their limit alone are two; one that does not fit the measure is not saved.
    const QString id = f.library.add(planWith("chart = \"bars\""));
    f.show({id});
    View limited = f.page->currentView();
    limited.name = "Limited";
    limited.limit = "disk reads";
    QVERIFY(f.library.open()->setNamedViews(id.toStdString(), {{limited.name, viewText(limited)}}).has_value());
    f.show({id});
    pill = f.find<ChoicePill>("viewPill");
    f.choose("viewPill", QStringLiteral("Limited"));
    QCOMPARE(pill->current(), QStringLiteral("own:Limited"));
    f.choose("measurePill", PivotTableModel::measureLabel(*findMeasure("service_p95")));
    QCOMPARE(f.page->currentView().limit, std::string());
    f.choose("viewPill", QStringLiteral("The first"));
    QCOMPARE(pill->current(), QStringLiteral("plan:The first"));
    f.choose("viewPill", QStringLiteral("Limited"));
    QCOMPARE(f.page->currentView().limit, std::string("disk reads"));
}

void TestCompareCharts::keepsNamedViews()
{
    Fixture f;
    const QString id = f.addLines();
    f.show({id});
    auto* pill = f.find<ChoicePill>("viewPill");
    QCOMPARE(pill->text().contains("unnamed"), false); // the plan's own is shown
    f.choose("chartPill", QStringLiteral("Every run"));
    f.choose("logPill", QStringLiteral("log y"));
    QVERIFY(pill->text().contains("unnamed"));
    f.page->saveView(QStringLiteral("All the dots"));
    f.wait();
    QCOMPARE(f.message, QStringLiteral("Saved the view “All the dots” with the session"));
    QCOMPARE(pill->current(), QStringLiteral("own:All the dots"));
    f.choose("chartPill", QStringLiteral("Bars"));
    f.choose("logPill", QStringLiteral("linear"));
    f.choose("viewPill", QStringLiteral("All the dots"));
    QVERIFY(f.page->chart().id() == "runs");
    QCOMPARE(f.page->currentView().log, std::string("y"));
    f.show({id}); // another window
    f.choose("viewPill", QStringLiteral("All the dots"));
    QVERIFY(f.page->chart().id() == "runs");
    // It stays with the session when it travels as a file; another's view that we cannot read is left alone.
    auto library = f.library.open();
    auto views = library->namedViews(id.toStdString()).value();
    QCOMPARE(views.size(), std::size_t(1));
    views.push_back({"of a later version", "<xml/>"});
    QVERIFY(library->setNamedViews(id.toStdString(), views).has_value());
    library.reset();
    f.page->removeView(QStringLiteral("All the dots"));
    f.wait();
    QCOMPARE(f.library.open()->namedViews(id.toStdString()).value().size(), std::size_t(1));
}

void TestCompareCharts::laysPublishedFiguresOver()
{
    Fixture f;
    sample::Options options;
    options.intervals = 6;
    options.plan = std::string(sample::kPlan) + R"(
[[published]]
source = "A post"
date = "2011-03"
hardware = "a machine, large"
measure = "tps"
values = [
  { cases = { synchronous = "OFF", users = 1 }, value = 99000 },
  { cases = { synchronous = "FULL", users = 4 }, value = 500 },
]
[[published]]
source = "Others, lower end"
date = "2012"
values = [ { cases = { synchronous = "OFF", users = 1 }, value = 80 } ]
[[published]]
source = "Others, upper end"
date = "2012"
values = [ { cases = { synchronous = "OFF", users = 1 }, value = 100 } ]
)";
    f.show({f.library.add(options, "With figures of a post")});
    auto* pill = f.find<ChoicePill>("publishedPill");
    QVERIFY(pill->isOffered());
    f.choose("publishedPill", "Others, upper end"); // of the same year and machine as the lower one
    QCOMPARE(f.plot()->publishedCount(), 1);
    QVERIFY(f.plot()->secondary().contains("published, Others, upper end"));
    f.choose("publishedPill", "hidden");
    QCOMPARE(f.plot()->publishedCount(), 0);
    const double height = f.plot()->plot().yAxis->range().upper;
    f.choose("publishedPill", "2011, a machine");
    QCOMPARE(f.plot()->publishedCount(), 2);
    QVERIFY(f.plot()->secondary().contains("published, A post"));
    f.plot()->updateRanges();
    QVERIFY(f.plot()->plot().yAxis->range().upper > 99000 && height < 99000);
    f.choose("chartPill", QStringLiteral("Lines"));
    QCOMPARE(f.plot()->publishedCount(), 2);
    f.choose("measurePill", PivotTableModel::measureLabel(*findMeasure("service_p95"))); // the post says nothing of it
    QVERIFY(!pill->isOffered());
    QCOMPARE(f.plot()->publishedCount(), 0);
}

//! E02: figures of cases that nobody can run any more have a place of their own, and a table row; nothing of one's own
//! moves.
void TestCompareCharts::laysReferencesOver()
{
    Fixture f;
    sample::Options options;
    options.intervals = 6;
    options.plan = std::string(sample::kPlan) + R"(
[[published]]
source = "A post"
date = "2012"
hardware = "a machine"
values = [
  { cases = { synchronous = "gone", users = 1 }, value = 17028 },
  { cases = { synchronous = "gone", users = 64 }, value = 5 },
]
)";
    const QString id = f.library.add(options, "With figures of a case that is gone");
    f.show({id});
    f.choose("chartPill", QStringLiteral("Bars"));
    const int bars = f.plot()->barCount();
    QCOMPARE(f.plot()->publishedCount(), 0);
    f.choose("publishedPill", "2012, a machine");
    QCOMPARE(f.plot()->publishedCount(), 2);
    QCOMPARE(f.plot()->barCount(), bars);
    f.choose("chartPill", QStringLiteral("Lines"));
    QCOMPARE(f.plot()->publishedCount(), 2);
    const StoredSession session = *f.library.open()->session(id.toStdString());
    const Published post = session.header.plan.published.front();
    const Pivot own = pivot({session}, {"tps", "users", "synchronous", "", ""});
    const Pivot shown = withReferences(own, post, session.header.plan);
    QCOMPARE(shown.series.size(), own.series.size() + 1);
    QCOMPARE(shown.series.back(), std::string("gone"));
    QCOMPARE(shown.xs.back(), std::string("64"));
    QCOMPARE(shown.cells.size(), own.cells.size() + 2);
    QVERIFY(shown.cell("1", "gone")->estimate.runs.empty());
    QCOMPARE(publishedOf(shown, post, *shown.cell("1", "gone")), std::optional<double>(17028));
    const QString text = QString::fromStdString(publishedTables(session));
    QVERIFY2(text.contains("| gone | 1 | 17"), qPrintable(text));
    f.choose("publishedPill", "hidden");
    QCOMPARE(f.plot()->publishedCount(), 0);
}

//! E03: figures in percent of a case are over charts in percent of it, also where they leave x open and there is one
//! only.
void TestCompareCharts::laysPublishedPercentOver()
{
    Fixture f;
    sample::Options options;
    options.intervals = 6;
    options.plan = std::string(sample::kPlan) + R"(
[[published]]
source = "A post"
date = "2011-03"
hardware = "a machine, large"
measure = "tps"
relative_to = "FULL"
values = [ { cases = { synchronous = "OFF", users = 1 }, value = 155 } ]
)";
    f.show({f.library.add(options, "With percent of a post")});
    auto* pill = f.find<ChoicePill>("publishedPill");
    QVERIFY2(!pill->isOffered(), "percent among amounts");
    View view = f.page->currentView();
    view.relativeTo = RelativeTo::Baseline;
    view.baseline = "OFF";
    f.page->showView(view);
    f.wait();
    QVERIFY2(!pill->isOffered(), "percent of another case");
    view.baseline = "FULL";
    f.page->showView(view);
    f.wait();
    QVERIFY(pill->isOffered());
    f.choose("publishedPill", "2011, a machine");
    QCOMPARE(f.plot()->publishedCount(), 1);
    const Pivot& shown = f.page->pivot();
    const Published post =
        f.library.open()->session(f.page->sessionIds().front().toStdString())->header.plan.published.front();
    QVERIFY(shown.xs.size() > 1);
    QCOMPARE(publishedOf(shown, post, *shown.cell("1", "OFF")), std::optional<double>(155));
    Published open = post;
    open.values.front().cases = {{"synchronous", "OFF"}};
    QVERIFY(!publishedOf(shown, open, *shown.cell("1", "OFF")));
    Pivot one = shown;
    one.xs = {"1"};
    QCOMPARE(publishedOf(one, open, *one.cell("1", "OFF")), std::optional<double>(155));
}

//! E17: 900 s of hours. The rest is a double click away; another view, or one over rows, shows all.
void TestCompareCharts::showsAPartOfTheTime()
{
    Fixture f;
    f.show({f.addLines()});
    View view;
    view.chart = "dots";
    view.x = f.page->request().x;
    view.series = f.page->request().series;
    f.page->showView(view);
    f.wait();
    auto* time = f.find<TimeOverlayPlot>("timeOverlayPlot");
    const auto range = [&time](bool latency = false) {
        return (latency ? time->latency() : time->throughput()).plot().xAxis->range();
    };
    QVERIFY(range().upper > 1.9 && !time->throughput().isZoomed());
    view.from = 0.5;
    view.to = 1.5;
    f.page->showView(view);
    f.wait();
    for (const bool latency : {false, true}) {
        QCOMPARE(range(latency).lower, 0.5);
        QCOMPARE(range(latency).upper, 1.5);
    }
    QVERIFY(time->throughput().isZoomed());
    QCOMPARE(f.page->currentView().from, 0.5);
    QCOMPARE(f.page->currentView().to, 1.5);
    const auto again = viewFromText(viewText(f.page->currentView())); // as it is kept with the session
    QVERIFY(again.has_value());
    QCOMPARE(again->from, 0.5);
    QCOMPARE(again->to, 1.5);
    QTest::mouseDClick(&time->throughput().plot(), Qt::LeftButton, {}, time->throughput().plot().rect().center());
    QVERIFY(range().upper > 1.9 &&
            range(true).upper > 1.9); // with room for the dots, which the width of the chart decides
    QVERIFY(range().lower < 0.1 && !time->throughput().isZoomed());
    view.from = 1000; // it had ended before
    view.to = 2000;
    f.page->showView(view);
    f.wait();
    QVERIFY(range().upper > 1.9 && !time->throughput().isZoomed());
    view.from = 1;
    view.to = 0; // until the end
    f.page->showView(view);
    f.wait();
    QCOMPARE(range().lower, 1.0);
    QVERIFY(range().upper > 1.9 && time->throughput().isZoomed());
    f.choose("chartPill", QStringLiteral("Lines"));
    QCOMPARE(f.page->currentView().from, 0.0); // lines have no seconds
}

void TestCompareCharts::showsChosenRowsOverTime()
{
    Fixture f;
    f.show({f.addLines()});
    const QModelIndex at = f.table()->model()->index(1, PivotTableModel::Value);
    QTest::mouseClick(f.table()->viewport(), Qt::LeftButton, {}, f.table()->visualRect(at).center());
    QTest::keyClick(f.table(), Qt::Key_Return);
    f.wait();
    auto* time = f.find<TimeOverlayPlot>("timeOverlayPlot");
    QVERIFY(time->isVisible());
    QCOMPARE(time->throughput().seriesCount(), 1);
    QVERIFY(time->throughput().seriesName(0).contains(at.siblingAtColumn(PivotTableModel::Case).data().toString()));
}

} // namespace dyno::tst_compare_charts

DYNO_WIDGET_SUITE(tst_compare_charts, dyno::tst_compare_charts::TestCompareCharts)
#include "tst_compare_charts.moc"
