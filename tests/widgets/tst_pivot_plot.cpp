// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/pivot_gaps.h"
#include "plots/pivot_plot.h"
#include "plots/pivot_table_model.h"

#include "pictures.h"
#include "plots/export.h"
#include "plots/time_overlay_plot.h"
#include "support/suite.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_pivot_plot {

namespace {

Pivot pivotOf(const std::vector<std::string>& xs, const std::vector<std::string>& series, int repeats)
{
    Pivot pivot;
    pivot.request = {"tps", "users", "sync", "", series.front()};
    pivot.xs = xs;
    pivot.series = series;
    pivot.facets = {""};
    pivot.numericX = xs.front().find_first_not_of("0123456789") == std::string::npos;
    double value = 100;
    for (const std::string& s : series) {
        for (const std::string& x : xs) {
            PivotCell cell;
            cell.x = x;
            cell.series = s;
            std::vector<double> runs;
            for (int i = 0; i < repeats; ++i)
                runs.push_back(value + i);
            cell.estimate = estimate(runs);
            pivot.cells.push_back(cell);
            value += 100;
        }
    }
    return pivot;
}

IntervalSample sampleAt(int second, Phase phase, std::uint64_t count, std::uint64_t ns)
{
    IntervalSample sample;
    sample.tNs = second * 1000000000LL;
    sample.lengthNs = 1000000000LL;
    sample.phase = phase;
    sample.transaction.count = count;
    if (count)
        sample.transaction.service.record(ns, count);
    return sample;
}

} // namespace

class TestPivotPlot : public QObject
{
    Q_OBJECT
private slots:
    void bareValuesSayTheirAxis();
    void choosesTheChart();
    void drawsMeansAndIntervals();
    void noisyRunsDoNotSetTheScale();
    void leavesOutWhatHasNoRuns();
    void drawsBars();
    void saysWhatItsBarsAre();
    void tellsWhichBarIsUnderTheMouse();
    void saysWhyBarsAreMissing();
    void fitsIntoItsRoom();
    void hidesASeriesWithItsIntervals();
    void givesItsDataAway();
    void writesPictures();
    void valuesStandClearOfIntervals_data();
    void valuesStandClearOfIntervals();
    void publishedFiguresHaveALane();
    void publishedFiguresAreWithinALogarithmicAxis();
    void limitsOfTheDisk();
    void kneesOfLines();
    void limitsFarAbove();
    void aSeriesOfSomebodyElseHasItsName();
    void timesHaveOneUnitAnAxis();
    void putsRunsOnOneTimeAxis();
    void showsTracesWithWarmup();
};

//! What a person reads says "flush=1"; what a program reads has the label as the plan has it.
void TestPivotPlot::bareValuesSayTheirAxis()
{
    Pivot numbers = pivotOf({"1", "4", "16"}, {"1", "0"}, 3);
    numbers.request.series = "flush";
    PivotPlot lines;
    lines.resize(700, 400);
    lines.setPivot(numbers);
    QCOMPARE(lines.endLabel(0), QStringLiteral("flush=1"));
    QCOMPARE(lines.seriesName(1), QStringLiteral("flush=0"));
    QVERIFY(lines.table().columns.join(u';').contains(u"1 low"));
    QVERIFY(!lines.table().columns.join(u';').contains(u'='));
    QVERIFY(markdownTable(numbers).find("flush=") == std::string::npos); // the head of the column says it
}

void TestPivotPlot::choosesTheChart()
{
    PivotPlot plot;
    plot.setPivot(pivotOf({"1", "4", "16"}, {"OFF", "FULL"}, 3));
    QCOMPARE(plot.effectiveChart(), PivotPlot::Chart::Lines);
    plot.setPivot(pivotOf({"1", "4"}, {"OFF", "FULL"}, 3));
    QCOMPARE(plot.effectiveChart(), PivotPlot::Chart::Bars);
    plot.setPivot(pivotOf({"ext4", "xfs", "btrfs"}, {"OFF", "FULL"}, 3));
    QCOMPARE(plot.effectiveChart(), PivotPlot::Chart::Bars);
    plot.setChart(PivotPlot::Chart::Lines);
    QCOMPARE(plot.effectiveChart(), PivotPlot::Chart::Lines);
    QCOMPARE(PivotPlot::chartFromText("bars"), PivotPlot::Chart::Bars);
    QCOMPARE(PivotPlot::chartFromText("time"), PivotPlot::Chart::Auto);
}

void TestPivotPlot::drawsMeansAndIntervals()
{
    const Pivot pivot = pivotOf({"1", "4", "16"}, {"OFF", "FULL"}, 3);
    PivotPlot plot;
    plot.setPivot(pivot);
    QCOMPARE(plot.seriesCount(), 2);
    QCOMPARE(plot.seriesName(1), "FULL");
    QCOMPARE(plot.graph(0).dataCount(), 3);
    QCOMPARE(plot.graph(0).dataMainKey(1), 1.0); // evenly spaced: users grow by factors
    QCOMPARE(plot.graph(0).dataMainValue(1), pivot.cell("4", "OFF")->estimate.mean);
    QCOMPARE(plot.graph(1).dataMainValue(2), pivot.cell("16", "FULL")->estimate.mean);
    QCOMPARE(plot.errorBarCount(), 6);
    QCOMPARE(plot.barCount(), 0);
    QVERIFY(plot.plot().yAxis->range().upper >= *pivot.cell("16", "FULL")->estimate.high);
    QCOMPARE(plot.plot().yAxis->range().lower, 0.0);
    QVERIFY(plot.title().contains("users"));
    QVERIFY(plot.secondary().contains("95 %"));
    plot.setPivot(pivotOf({"1", "4", "16"}, {"OFF", "FULL"}, 1));
    QCOMPARE(plot.errorBarCount(), 0);
    QVERIFY(!plot.secondary().contains("95 %")); // one run has no interval, so none is claimed
}

//! An interval that reaches far above all figures is clipped, with an arrow at the upper edge.
void TestPivotPlot::noisyRunsDoNotSetTheScale()
{
    for (const auto chart : {PivotPlot::Chart::Lines, PivotPlot::Chart::Bars}) {
        Pivot pivot = pivotOf({"1", "4", "16"}, {"OFF", "FULL"}, 3);
        PivotPlot plot;
        plot.setChart(chart);
        plot.setPivot(pivot);
        QCOMPARE(plot.clippedCount(), 0);
        PivotCell& noisy = pivot.cells[1]; // OFF at 4
        noisy.estimate = estimateOfFigures({20, 380});
        const double highest = pivot.cell("16", "FULL")->estimate.mean;
        QVERIFY(*noisy.estimate.high > 5 * highest && *noisy.estimate.low > 0);
        plot.setPivot(pivot);
        QCOMPARE(plot.errorBarCount(), 6); // it is still drawn
        QCOMPARE(plot.clippedCount(), 1);
        QVERIFY(plot.plot().yAxis->range().upper > highest);
        QVERIFY(plot.plot().yAxis->range().upper < 2 * highest);
        QVERIFY(PivotPlot::highestOf(pivot) < 2 * highest);
        plot.setSeriesVisible(0, false);
        QCOMPARE(plot.clippedCount(), 0);
    }
}

void TestPivotPlot::leavesOutWhatHasNoRuns()
{
    Pivot pivot = pivotOf({"1", "4", "16"}, {"OFF", "FULL"}, 2);
    pivot.cells[1].estimate = estimate({}); // OFF at 4
    PivotPlot plot;
    plot.setPivot(pivot);
    QCOMPARE(plot.graph(0).dataCount(), 2);
    QCOMPARE(plot.graph(0).dataMainKey(1), 2.0);
    QVERIFY(plot.hasData());
    for (PivotCell& cell : pivot.cells)
        cell.estimate = estimate({});
    plot.setPivot(pivot);
    QVERIFY(!plot.hasData());
    QCOMPARE(plot.errorBarCount(), 0);
}

void TestPivotPlot::drawsBars()
{
    PivotPlot plot;
    plot.setPivot(pivotOf({"1", "4"}, {"OFF", "NORMAL", "FULL"}, 3));
    QCOMPARE(plot.barCount(), 6);
    QCOMPARE(plot.plot().plottableCount(), 3 + 6 + 6); // graphs for the read-out, bars, intervals
    // six groups of four: too many for a name under each bar, so a legend names the colours
    plot.setPivot(pivotOf({"a", "b", "c", "d", "e", "f"}, {"OFF", "NORMAL", "EXTRA", "FULL"}, 2));
    QCOMPARE(plot.barCount(), 24);
    const QList<QCPLayoutElement*> elements = plot.plot().plotLayout()->elements(false);
    QVERIFY(std::any_of(elements.begin(), elements.end(),
                        [](QCPLayoutElement* element) { return qobject_cast<QCPLegend*>(element) != nullptr; }));
    // nor is there room for long names below the bars of a facet, whose chart is a third as wide
    const auto legends = [](PivotPlot& of) {
        const QList<QCPLayoutElement*> all = of.plot().plotLayout()->elements(false);
        return std::count_if(all.begin(), all.end(),
                             [](QCPLayoutElement* element) { return qobject_cast<QCPLegend*>(element); });
    };
    for (const bool facet : {false, true}) {
        Pivot machines = pivotOf({"1", "2", "4"}, {"machine A", "machine B"}, 3);
        machines.facets = {facet ? "reads" : ""};
        for (PivotCell& cell : machines.cells)
            cell.facet = machines.facets.front();
        PivotPlot bars;
        bars.setChart(PivotPlot::Chart::Bars);
        bars.setPivot(machines, QString::fromStdString(machines.facets.front()));
        QCOMPARE(bars.barCount(), 6);
        QCOMPARE(legends(bars), facet ? 1 : 0);
    }
    // and nothing of it is left in the next chart
    plot.setChart(PivotPlot::Chart::Lines);
    QCOMPARE(plot.barCount(), 0);
    const QList<QCPLayoutElement*> after = plot.plot().plotLayout()->elements(false);
    QVERIFY(std::none_of(after.begin(), after.end(),
                         [](QCPLayoutElement* element) { return qobject_cast<QCPLegend*>(element) != nullptr; }));
}

//! Bars of a relative chart are ratios, and their intervals no means': once they were called so.
void TestPivotPlot::saysWhatItsBarsAre()
{
    Pivot pivot = pivotOf({"1", "4"}, {"OFF", "FULL"}, 3);
    PivotPlot plot;
    plot.setPivot(pivot);
    QVERIFY2(plot.secondary().contains("mean and 95 % interval (Student's t) of 3 runs"), qPrintable(plot.secondary()));
    pivot.request.relativeTo = RelativeTo::Baseline;
    for (PivotCell& cell : pivot.cells) {
        const PivotCell* baseline = pivot.cell(cell.x, "OFF");
        cell.ratio = ratioOf(cell.estimate, baseline->estimate, true);
    }
    plot.setPivot(pivot);
    QVERIFY2(plot.secondary().contains("ratio") && plot.secondary().contains("Welch"), qPrintable(plot.secondary()));
    QVERIFY2(!plot.secondary().contains("mean and"), qPrintable(plot.secondary()));
    pivot.request.relativeTo = RelativeTo::Nothing;
    pivot.cells.back().estimate = estimate({400}); // of one run only
    plot.setPivot(pivot);
    QVERIFY2(plot.secondary().contains("of 1 to 3 runs"), qPrintable(plot.secondary()));
}

//! Their names below are the series', or the groups': once the words of a picture named one of both only.
void TestPivotPlot::tellsWhichBarIsUnderTheMouse()
{
    const auto words = [](const Pivot& pivot) {
        PivotPlot plot;
        plot.setChart(PivotPlot::Chart::Bars);
        plot.setPivot(pivot);
        QStringList places;
        const auto picture = reportPicture(plot, {}, {});
        for (const PictureSpot& spot : picture ? picture->spots : std::vector<PictureSpot>())
            places << QString::fromStdString(spot.text).section(u':', 0, 0);
        return places;
    };
    QCOMPARE(words(pivotOf({"a", "b"}, {"OFF", "FULL"}, 3)), (QStringList{"OFF, a", "FULL, a", "OFF, b", "FULL, b"}));
    const QStringList many = words(pivotOf({"a", "b", "c", "d", "e", "f"}, {"OFF", "NORMAL", "EXTRA", "FULL"}, 2));
    QCOMPARE(many.size(), 24); // with a legend
    QCOMPARE(many[5], QStringLiteral("NORMAL, b"));
    QCOMPARE(words(pivotOf({"a", "b"}, {""}, 3)), (QStringList{"a", "b"}));
}

//! E27: what only some of the cases do has no empty place in the charts of the others, and each says so.
void TestPivotPlot::saysWhyBarsAreMissing()
{
    Pivot pivot;
    pivot.request = {"service_mean", "operation", "engine", "passes", "A"};
    pivot.xs = {"load_with_index", "load", "search"};
    pivot.series = {"A", "B"};
    pivot.facets = {"one", "two"};
    for (const std::string& facet : pivot.facets) {
        for (const std::string& series : pivot.series) {
            for (const std::string& x : pivot.xs) {
                PivotCell cell;
                cell.x = cell.operation = x;
                cell.series = series;
                cell.facet = facet;
                // "two" loads without the index; of the others only A does it with the index there.
                const bool done = x == "search" || (x == "load") == (facet == "two");
                if (done && !(x == "load_with_index" && series == "B"))
                    cell.estimate = estimate({10});
                pivot.cells.push_back(cell);
            }
        }
    }
    PivotPlot plot;
    plot.setChart(PivotPlot::Chart::Bars);
    plot.setPivot(pivot, "one");
    QCOMPARE(plot.barCount(), 3);
    QVERIFY2(plot.secondary().contains("not done: load"), qPrintable(plot.secondary()));
    QVERIFY(!plot.secondary().contains("load_with_index"));
    QCOMPARE(plot.gapTexts(), QStringList{"not done"}); // in the place of B's load_with_index
    QCOMPARE(plot.plot().xAxis->range().upper, 4.75);   // two groups of two and a place between them
    QCOMPARE(plot.table().rows.size(), std::size_t(2));
    plot.setPivot(pivot, "two");
    QCOMPARE(plot.barCount(), 4);
    QVERIFY2(plot.secondary().contains("not done: load_with_index"), qPrintable(plot.secondary()));
    QCOMPARE(plot.gapTexts(), QStringList());
    QCOMPARE(drawnFacets(pivot), pivot.facets);
    PivotTableModel model;
    model.setPivot(pivot);
    QCOMPARE(model.rowCount(), 8); // of twelve
    QStringList verdicts;
    for (int row = 0; row < model.rowCount(); ++row)
        verdicts << model.index(row, PivotTableModel::VerdictText).data().toString();
    QCOMPARE(verdicts.count("not done"), 1);

    // A run that failed, or is yet to come, keeps its place.
    for (PivotCell& cell : pivot.cells) {
        if (cell.facet == "one")
            cell.estimate = estimate({});
        cell.failedRuns = cell.facet == "one" && cell.series == "B" ? 1 : 0;
    }
    QCOMPARE(drawnFacets(pivot), pivot.facets);
    plot.setPivot(pivot, "one");
    QCOMPARE(plot.barCount(), 0);
    QCOMPARE(plot.gapTexts().count("failed"), 3);
    QCOMPARE(plot.gapTexts().count("not run"), 3);
    QVERIFY(leftOutFacets(pivot).isEmpty());

    // One that did not do all rows says so in the place of its bar.
    for (PivotCell& cell : pivot.cells) {
        if (cell.facet == "one" && cell.series == "A")
            cell.shortRuns = {"stopped at 9 s with 5 of 10 rows"};
    }
    plot.setPivot(pivot, "one");
    QCOMPARE(plot.barCount(), 0);
    QCOMPARE(plot.gapTexts().count("incomplete"), 3);
    QCOMPARE(plot.gapTexts().count("failed"), 3);

    // The figure of one operation: a whole chart would be empty.
    pivot = pivotOf({"SEO", "DIR"}, {"A", "B"}, 1);
    pivot.request = {"service_mean:load", "documents", "engine", "passes", "A"};
    pivot.facets = {"one", "two"};
    const std::vector<PivotCell> done = pivot.cells;
    for (PivotCell& cell : pivot.cells) {
        cell.facet = "two";
        cell.p95Ms = 3;
    }
    for (PivotCell cell : done) {
        cell.facet = "one";
        cell.p95Ms = 3; // the run was done, without this operation
        cell.estimate = estimate({});
        pivot.cells.push_back(cell);
    }
    QCOMPARE(drawnFacets(pivot), std::vector<std::string>{"two"});
    plot.setPivot(pivot, "two");
    QVERIFY2(plot.secondary().contains("not done: one"), qPrintable(plot.secondary()));
    QCOMPARE(plot.gapTexts(), QStringList());
}

//! Names below narrow groups go over several lines, values over bars that have no room for them are left out; bytes are
//! counted in a unit of their size, and the shortest and the longest wear the colour of their mean.
void TestPivotPlot::fitsIntoItsRoom()
{
    const std::vector<std::string> steps{"load_with_index", "natural",      "boolean",   "phrase",
                                         "prefix",          "second_index", "drop_index"};
    PivotPlot plot;
    plot.setChart(PivotPlot::Chart::Bars);
    plot.setPivot(pivotOf(steps, {"MyISAM", "InnoDB with a long name"}, 1));
    const auto look = [&plot](int width) {
        plot.layOutFor(QSize(width, 300));
        const auto ticker = qSharedPointerDynamicCast<QCPAxisTickerText>(plot.plot().xAxis->ticker());
        QStringList names;
        if (ticker)
            names = ticker->ticks().values();
        int texts = 0;
        for (int i = 0; i < plot.plot().itemCount(); ++i) {
            const auto* text = qobject_cast<QCPItemText*>(plot.plot().item(i));
            texts += text && text->visible() && text->text() == QString::fromLatin1("500") ? 1 : 0;
        }
        return std::pair(names, texts);
    };
    QCOMPARE(look(1600).first.front(), QString::fromLatin1("load_with_index"));
    QCOMPARE(look(1600).second, 1);
    QCOMPARE(plot.plot().xAxis->tickLabelRotation(), 0.0);
    const auto [narrow, none] = look(480);
    QVERIFY2(narrow.front().startsWith(QString::fromLatin1("load_")) && narrow.front().contains(u'\n'),
             qPrintable(narrow.front()));
    QCOMPARE(none, 0);
    look(240); // not even a word fits
    QVERIFY(plot.plot().xAxis->tickLabelRotation() < 0);

    Pivot sizes = pivotOf({"a", "b"}, {"x", "y"}, 1);
    sizes.request.measure = "data_bytes";
    for (PivotCell& cell : sizes.cells)
        cell.estimate = estimate({3.0 * 1024 * 1024 * 1024});
    plot.setPivot(sizes);
    plot.layOutFor(QSize(900, 300));
    QVERIFY2(plot.secondary().startsWith(QString::fromLatin1("GiB")), qPrintable(plot.secondary()));
    QStringList labels;
    plot.plot().replot();
    for (const QString& label : plot.plot().yAxis->tickVectorLabels())
        labels << label;
    QVERIFY2(labels.contains(QString::fromLatin1("3.0")), qPrintable(labels.join(u' ')));

    // Bytes a second likewise; and the s of "indexes" is not the unit.
    sizes.request.measure = "link_bytes_per_second";
    plot.setPivot(sizes);
    QVERIFY2(plot.secondary().startsWith(QString::fromLatin1("GiB/s")), qPrintable(plot.secondary()));
    const MeasureInfo link = sizes.measure();
    QCOMPARE(measureText(50.0 * 1024 * 1024, &link), QString::fromUtf8("50\u00a0MiB/s"));
    sizes.request.measure = "index_seconds";
    plot.setPivot(sizes);
    QVERIFY2(plot.secondary().startsWith(QString::fromLatin1("s,")), qPrintable(plot.secondary()));

    Pivot spread = pivotOf({"load", "search"}, {"A, min", "A, mean", "A, max", "B, min", "B, mean", "B, max"}, 1);
    spread.request.series = "engine × spread";
    spread.ratios = false;
    std::vector<int> colors;
    for (int i = 0; i < 6; ++i)
        colors.push_back(PivotTableModel::seriesColor(spread, i));
    QCOMPARE(colors, (std::vector<int>{6, 0, 12, 7, 1, 13}));
    plot.setPivot(spread);
    QCOMPARE(plot.seriesColor(0), plot.seriesColor(2));
    QVERIFY(plot.seriesColor(0) != plot.seriesColor(3));
    QCOMPARE(PivotTableModel::seriesColor(sizes, 1), 1);

    // A tenth of a percent is no gain to speak of.
    Pivot same = pivotOf({"1"}, {"x", "y"}, 1);
    same.request.measure = "rows";
    for (PivotCell& cell : same.cells)
        cell.estimate = estimate({4000});
    same.cells[1].ratio = {1, {}, {}, Verdict::TooFewRuns};
    same.cells[0].ratio.verdict = Verdict::Baseline;
    const QString sentence = QString::fromStdString(verdictSentence(same));
    QVERIFY2(sentence.startsWith(QString::fromLatin1("y has the same changed rows as x")), qPrintable(sentence));
}

void TestPivotPlot::hidesASeriesWithItsIntervals()
{
    PivotPlot plot;
    plot.setPivot(pivotOf({"1", "4", "16"}, {"OFF", "FULL"}, 3));
    plot.setSeriesVisible(1, false);
    int visible = 0;
    for (int i = 0; i < plot.plot().plottableCount(); ++i)
        visible += plot.plot().plottable(i)->visible() ? 1 : 0;
    QCOMPARE(visible, 2);                     // one line, its intervals
    QCOMPARE(plot.table().columns.size(), 4); // x, mean, low, high of the one that is shown
}

void TestPivotPlot::givesItsDataAway()
{
    PivotPlot plot;
    plot.setPivot(pivotOf({"1", "4", "16"}, {"OFF", "FULL"}, 3));
    const PlotTable table = plot.table();
    QCOMPARE(table.rows.size(), std::size_t(3));
    QCOMPARE(table.columns.size(), 7);
    QCOMPARE(table.rows[1].at(0), "4");
    QCOMPARE(table.rows[1].at(1).toDouble(), 201.0); // mean of 200, 201, 202
    // Student's t for two degrees of freedom is 4.302653; the standard error is 1/√3
    QVERIFY(qAbs(table.rows[1].at(2).toDouble() - (201 - 4.302653 / std::sqrt(3.0))) < 1e-4);
}

void TestPivotPlot::writesPictures()
{
    QTemporaryDir dir;
    PivotPlot plot; // never shown: as the command line uses it
    plot.setPivot(pivotOf({"1", "4", "16"}, {"OFF", "FULL"}, 3));
    ExportOptions options;
    options.size = {800, 450};
    options.scale = 2;
    for (const char* name : {"chart.png", "chart.svg", "chart.pdf"}) {
        const QString file = dir.filePath(QString::fromLatin1(name));
        const auto result = exportPlot(plot, options, file);
        QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
        QVERIFY(QFileInfo(file).size() > 2000);
    }
    const QImage image(dir.filePath(QStringLiteral("chart.png")));
    QCOMPARE(image.size(), QSize(1600, 900));
    // the line of the first series is in the picture
    const QRgb color = Theme::colors(ThemeMode::Light).series[0].rgb();
    bool found = false;
    for (int y = 0; y < image.height() && !found; ++y) {
        for (int x = 0; x < image.width() && !found; ++x)
            found = image.pixel(x, y) == color;
    }
    QVERIFY(found);
}

void TestPivotPlot::valuesStandClearOfIntervals_data()
{
    QTest::addColumn<bool>("logY");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("spread"); // of runs, in their mean
    for (const double spread : {0.02, 0.2, 0.9}) {
        for (const bool logY : {false, true}) {
            for (const QSize& size : {QSize(900, 420), QSize(620, 300), QSize(420, 220)})
                QTest::addRow("spread %g, log %d, %d px", spread, int(logY), size.width()) << logY << size << spread;
        }
    }
}

//! Each value is above the upper end of its interval, or beside its line where that goes on above the chart; no value
//! lies on another one, nor on the interval of a neighbour.
void TestPivotPlot::valuesStandClearOfIntervals()
{
    QFETCH(bool, logY);
    QFETCH(QSize, size);
    QFETCH(double, spread);
    Pivot pivot = pivotOf({"1", "4", "16"}, {"OFF", "FULL"}, 3);
    for (PivotCell& cell : pivot.cells) {
        const double mean = cell.estimate.mean;
        cell.estimate = estimateOfFigures({mean * (1 - spread), mean, mean * (1 + spread)});
    }
    PivotPlot plot;
    plot.setChart(PivotPlot::Chart::Bars);
    plot.setLogAxes(false, logY);
    plot.resize(size);
    plot.setPivot(pivot);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    plot.refreshNow();
    QCustomPlot& drawn = plot.plot();
    std::vector<QRectF> texts;
    for (int i = 0; i < drawn.itemCount(); ++i) {
        const auto* text = qobject_cast<QCPItemText*>(drawn.item(i));
        const bool isValue = text && text->visible() && text->position->typeY() == QCPItemPosition::ptPlotCoords;
        if (isValue) // its letters
            texts.push_back(QRectF(text->topLeft->pixelPosition(), text->bottomRight->pixelPosition())
                                .marginsRemoved(QMarginsF(text->padding())));
    }
    std::vector<QRectF> lines; // intervals with their whiskers
    for (int i = 0; i < drawn.plottableCount(); ++i) {
        const auto* error = qobject_cast<QCPErrorBars*>(drawn.plottable(i));
        const auto* bars = error ? qobject_cast<QCPBars*>(error->dataPlottable()) : nullptr;
        if (!bars)
            continue;
        const double x = drawn.xAxis->coordToPixel(bars->dataMainKey(0)), value = bars->dataMainValue(0);
        const double top = std::max(double(drawn.axisRect()->top()),
                                    drawn.yAxis->coordToPixel(value + error->data()->first().errorPlus));
        const double half = error->whiskerWidth() / 2;
        lines.emplace_back(QPointF(x - half, top), QPointF(x + half, drawn.yAxis->coordToPixel(value)));
    }
    QCOMPARE(lines.size(), std::size_t(6));
    if (size.width() > 600 && spread < 0.5)
        QCOMPARE(texts.size(), std::size_t(6)); // there is room
    const QRectF whole(drawn.rect());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        QVERIFY2(whole.contains(texts[i]), "a value leaves the chart");
        for (const QRectF& line : lines)
            QVERIFY2(!line.intersects(texts[i]), "a value lies on an interval");
        for (std::size_t other = 0; other < i; ++other)
            QVERIFY2(!texts[other].intersects(texts[i]), "two values lie on each other");
    }
}

void TestPivotPlot::publishedFiguresHaveALane()
{
    const Pivot pivot = pivotOf({"1", "4", "16"}, {"OFF", "FULL"}, 3);
    PivotPlot plot;
    plot.resize(800, 400);
    plot.setPivot(pivot);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    plot.refreshNow();
    const double before = plot.plot().axisRect()->right();
    QVERIFY(plot.lane().figures().empty() && plot.laneWidth() == 0);
    const std::vector<std::vector<double>> none(2, std::vector<double>(3, qQNaN()));
    plot.setPublished(none, QStringLiteral("a blog"), {36332, 36000});
    plot.setPivot(pivot);
    plot.refreshNow();
    QCOMPARE(plot.lane().figures().size(), std::size_t(2));
    QVERIFY(plot.lane().figures()[0].text.startsWith(QStringLiteral("36")));
    QCOMPARE(plot.plot().axisRect()->right(), before - plot.laneWidth());
    QVERIFY(plot.plot().yAxis->range().contains(36332)); // the scale counts them
    const QRectF area = plot.lane().area();
    QVERIFY(area.left() > plot.plot().axisRect()->right() && area.right() <= plot.plot().width());
    QCOMPARE(plot.lane().texts().size(), std::size_t(2));
    QVERIFY(!plot.lane().texts()[0].intersects(plot.lane().texts()[1])); // of about the same height
    for (const QRectF& text : plot.lane().texts())
        QVERIFY(area.contains(text));
    plot.setSeriesVisible(0, false);
    plot.refreshNow();
    QCOMPARE(plot.lane().texts().size(), std::size_t(1));
    plot.setSeriesVisible(0, true);
    QTemporaryDir dir;
    const QString file = dir.filePath(QStringLiteral("lane.svg"));
    QVERIFY(exportPlot(plot, {}, file));
    QFile svg(file);
    QVERIFY(svg.open(QIODevice::ReadOnly));
    QVERIFY2(svg.readAll().contains(">published</text>"), "an exported picture has the lane");
    plot.setPublished({}, {});
    plot.setPivot(pivot);
    plot.refreshNow();
    QCOMPARE(double(plot.plot().axisRect()->right()), before);
}

void TestPivotPlot::publishedFiguresAreWithinALogarithmicAxis()
{
    const Pivot pivot = pivotOf({"1", "4", "16"}, {"OFF", "FULL"}, 3);
    std::vector<std::vector<double>> values(2, std::vector<double>(3, qQNaN()));
    values[0][1] = 3;
    values[1][2] = 90000;
    PivotPlot plot;
    plot.setLogAxes(false, true);
    plot.setPublished(values, QStringLiteral("a blog"));
    plot.setPivot(pivot);
    plot.refreshNow();
    QCOMPARE(plot.publishedCount(), 2);
    QVERIFY(plot.plot().yAxis->range().contains(3) && plot.plot().yAxis->range().contains(90000));
    QVERIFY(plot.lane().figures().empty()); // they have a place along x
}

//! Marked at the point that the pivot names, with its case; a hidden series takes its mark along, bars have none.
void TestPivotPlot::kneesOfLines()
{
    Pivot pivot = pivotOf({"1", "4", "16"}, {"OFF", "FULL"}, 3);
    pivot.request.knee = true;
    pivot.knees = {{"4", "OFF", ""}, {"16", "FULL", ""}};
    PivotPlot plot;
    plot.resize(900, 400);
    plot.setChart(PivotPlot::Chart::Lines);
    plot.setPivot(pivot);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    plot.refreshNow();
    QCOMPARE(plot.knees().drawn().size(), std::size_t(2));
    QCOMPARE(plot.knees().drawn()[0].text, QStringLiteral("Knee: 4"));
    QCOMPARE(plot.knees().drawn()[0].at.x(), 1.0);
    QCOMPARE(plot.knees().drawn()[0].at.y(), pivot.figure(*pivot.cell("4", "OFF")).value);
    test::keepPictures(plot, QStringLiteral("knees"));
    plot.setSeriesVisible(0, false);
    plot.refreshNow();
    QCOMPARE(plot.knees().drawn().size(), std::size_t(1));
    plot.setChart(PivotPlot::Chart::Bars);
    plot.refreshNow();
    QVERIFY(plot.knees().drawn().empty());
}

void TestPivotPlot::limitsOfTheDisk()
{
    Pivot pivot = pivotOf({"1", "4", "16"}, {"OFF", "FULL"}, 3);
    PivotPlot plain;
    plain.setPivot(pivot);
    plain.refreshNow();
    QVERIFY(plain.plot().yAxis->range().upper < 2000);
    QVERIFY(plain.limits().drawn().empty());
    pivot.limits = {{"disk reads", 2000, false}, {"disk syncs", 1990, false}};
    QTemporaryDir dir;
    for (const auto chart : {PivotPlot::Chart::Lines, PivotPlot::Chart::Bars}) {
        PivotPlot plot;
        plot.resize(900, 400);
        plot.setChart(chart);
        plot.setPivot(pivot);
        plot.show();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        plot.refreshNow();
        QVERIFY(plot.plot().yAxis->range().contains(2000)); // the scale makes room for it
        const std::vector<LimitLines::Drawn>& drawn = plot.limits().drawn();
        QCOMPARE(drawn.size(), std::size_t(2));
        QCOMPARE(drawn[0].text, QStringLiteral("disk reads: 2\u202f000/s"));
        QVERIFY(drawn[0].line && drawn[1].line);
        QVERIFY(!drawn[0].place.intersects(drawn[1].place)); // of about the same height
        const double at = plot.plot().yAxis->coordToPixel(2000);
        QVERIFY2(std::abs(drawn[0].place.bottom() - at) < 5 || std::abs(drawn[0].place.top() - at) < 5,
                 qPrintable(QString::number(drawn[0].place.bottom() - at)));
        const QString file = dir.filePath(QStringLiteral("limit%1.svg").arg(int(chart)));
        QVERIFY(exportPlot(plot, {}, file));
        QFile svg(file);
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QByteArray text = svg.readAll();
        QVERIFY2(text.contains("disk"), "an exported picture has its name");
        QVERIFY2(text.contains("stroke-dasharray"), "an exported picture has its line");
        const PlotTable table = plot.table();
        QVERIFY2(table.columns.contains(QStringLiteral("disk reads [transactions/s]")),
                 qPrintable(table.columns.join(u'|')));
        QCOMPARE(table.rows.at(0).last(), QStringLiteral("1990"));
    }
    pivot.cells.clear(); // nothing was measured: nothing to hold against it
    PivotPlot empty;
    empty.setPivot(pivot);
    empty.refreshNow();
    QVERIFY(empty.limits().drawn().empty());
}

//! A disk that can do far more would press all figures to the ground: its figure stands at the upper edge.
void TestPivotPlot::limitsFarAbove()
{
    Pivot pivot = pivotOf({"1", "4", "16"}, {"OFF", "FULL"}, 1);
    PivotPlot plain;
    plain.setPivot(pivot);
    plain.refreshNow();
    const QCPRange before = plain.plot().yAxis->range();
    pivot.limits = {{"disk reads", 600 * 20 + 1, false}};
    PivotPlot plot;
    plot.resize(900, 400);
    plot.setPivot(pivot);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    plot.refreshNow();
    QCOMPARE(plot.plot().yAxis->range().upper, before.upper);
    QCOMPARE(plot.limits().drawn().size(), std::size_t(1));
    QCOMPARE(plot.limits().drawn()[0].text, QStringLiteral("↑ disk reads: 12\u202f001/s"));
    QVERIFY(!plot.limits().drawn()[0].line);
    QVERIFY(plot.limits().drawn()[0].place.top() >= plot.plot().axisRect()->top());
    pivot.limits = {{"disk reads", 600 * 20, false}}; // the largest that has a line
    plot.setPivot(pivot);
    plot.refreshNow();
    QVERIFY(plot.plot().yAxis->range().contains(600 * 20) && plot.limits().drawn().at(0).line);
    // One that has a line makes no room for a higher one, in charts of facets neither.
    pivot.limits = {{"disk reads", 600 * 20, false}, {"disk syncs", 600 * 20 * 20, false}};
    plot.setSharedHighest(PivotPlot::highestOf(pivot));
    plot.setPivot(pivot);
    plot.refreshNow();
    QVERIFY(plot.plot().yAxis->range().contains(600 * 20));
    QVERIFY(!plot.plot().yAxis->range().contains(600 * 20 * 20));
}

//! Reference cases that nobody runs here: lines name them at their last figure, bars in the legend.
void TestPivotPlot::aSeriesOfSomebodyElseHasItsName()
{
    // Names too long to stand below each bar.
    Pivot pivot = pivotOf({"1", "4", "16"}, {"written at each commit", "written once a second"}, 3);
    pivot.series.emplace_back("measured by somebody else");
    std::vector<std::vector<double>> values(3, std::vector<double>(3, qQNaN()));
    values[2][1] = 300;
    PivotCell place; // as withReferences() adds it
    place.x = "4";
    place.series = pivot.series.back();
    place.elsewhere = true;
    pivot.cells.push_back(place);
    QTemporaryDir dir;
    for (const auto chart : {PivotPlot::Chart::Lines, PivotPlot::Chart::Bars}) {
        PivotPlot plot;
        plot.resize(900, 400);
        plot.setChart(chart);
        plot.setPublished(values, QStringLiteral("a blog"));
        plot.setPivot(pivot);
        plot.refreshNow();
        QCOMPARE(plot.publishedCount(), 1);
        QVERIFY2(plot.gapTexts().isEmpty(), qPrintable(plot.gapTexts().join(u'|'))); // nobody planned to run it
        const QString file = dir.filePath(QStringLiteral("chart%1.svg").arg(int(chart)));
        QVERIFY(exportPlot(plot, {}, file));
        QFile svg(file);
        QVERIFY(svg.open(QIODevice::ReadOnly));
        QVERIFY2(svg.readAll().contains("measured by somebody else</text>"), qPrintable(file));
    }
}

void TestPivotPlot::timesHaveOneUnitAnAxis()
{
    Pivot pivot = pivotOf({"1", "4", "16"}, {"OFF", "FULL"}, 3);
    pivot.request.measure = "service_p99";
    for (PivotCell& cell : pivot.cells)
        cell.estimate = estimate({cell.estimate.mean / 100'000}); // 1 to 6 µs
    PivotPlot plot;
    plot.resize(800, 400);
    plot.setPivot(pivot);
    plot.refreshNow();
    QVERIFY2(plot.secondary().startsWith(QStringLiteral("µs")), qPrintable(plot.secondary()));
    const QVector<QString> labels = plot.plot().yAxis->tickVectorLabels();
    QVERIFY(!labels.isEmpty());
    for (const QString& label : labels) // whole microseconds, without a unit of their own
        QVERIFY2(label.size() == 1 && label.front().isDigit(), qPrintable(label));
    QCOMPARE(plot.valueText(0.00979).replace(QChar(0x00A0), u' '), QStringLiteral("9.79 µs"));
    QCOMPARE(plot.unit(), QStringLiteral("ms")); // data stays in milliseconds
    QVERIFY(plot.table().columns.join(u';').contains(QStringLiteral("[ms]")));
    QCOMPARE(plot.table().rows.front()[1].toDouble(), pivot.cell("1", "OFF")->estimate.mean);
    plot.setLogAxes(false, true);
    plot.setPivot(pivot);
    plot.refreshNow();
    QVERIFY2(plot.secondary().startsWith(QStringLiteral("µs")), qPrintable(plot.secondary()));
    QVERIFY(plot.plot().yAxis->tickVectorLabels().contains(QStringLiteral("1")));
}

void TestPivotPlot::putsRunsOnOneTimeAxis()
{
    const std::vector<IntervalSample> samples{
        sampleAt(0, Phase::Warmup, 50, 1000000), sampleAt(1, Phase::Warmup, 80, 1000000),
        sampleAt(2, Phase::Measure, 100, 2000000), sampleAt(3, Phase::Measure, 0, 0)};
    const RunTrace trace = traceOf(samples, QStringLiteral("a"), 2);
    QCOMPARE(trace.warmup, 2.0);
    QCOMPARE(trace.seconds, (std::vector<double>{-1, 0, 1, 2}));
    QCOMPARE(trace.tps, (std::vector<double>{50, 80, 100, 0}));
    QVERIFY(qAbs(trace.p95Ms[2] - 2.0) < 0.04); // a bucket is at most 1.6 % wide
    QVERIFY(std::isnan(trace.p95Ms[3]));        // nothing finished: no latency, not zero
    QVERIFY(traceOf(std::vector<IntervalSample>(), QStringLiteral("b"), 0).seconds.empty());
}

void TestPivotPlot::showsTracesWithWarmup()
{
    TimeOverlayPlot plot;
    RunTrace one = traceOf({sampleAt(0, Phase::Warmup, 50, 1000), sampleAt(1, Phase::Measure, 100, 1000)},
                           QStringLiteral("one"), 0);
    RunTrace two = traceOf({sampleAt(0, Phase::Measure, 70, 1000), sampleAt(1, Phase::Measure, 71, 1000)},
                           QStringLiteral("two"), 1);
    plot.setTraces({one, two}, QStringLiteral("users = 4"));
    QCOMPARE(plot.throughput().seriesCount(), 2);
    QCOMPARE(plot.latency().seriesCount(), 2);
    QCOMPARE(plot.throughput().bandCount(BandKind::Warmup), 1);
    QVERIFY(plot.throughput().secondary().contains("users = 4"));
    plot.throughput().setSeriesVisible(1, false);
    QVERIFY(!plot.latency().isSeriesVisible(1));
    plot.setTraces({two}, {});
    QCOMPARE(plot.throughput().seriesCount(), 1);
    QCOMPARE(plot.throughput().bandCount(BandKind::Warmup), 0);
}

} // namespace dyno::tst_pivot_plot

DYNO_WIDGET_SUITE(tst_pivot_plot, dyno::tst_pivot_plot::TestPivotPlot)
#include "tst_pivot_plot.moc"
