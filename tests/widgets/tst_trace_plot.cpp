// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of runs, of every run and of scaling: what is drawn, and that nothing that was measured disappears.
#include "format.h"
#include "plots/export.h"
#include "plots/plot_style.h"
#include "plots/scaling_plot.h"
#include "plots/series_labels.h"
#include "plots/strip_plot.h"
#include "plots/trace_plot.h"
#include "support/suite.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <set>
#include <tuple>

namespace dyno::tst_trace_plot {

namespace {

std::vector<IntervalSample> intervals(int count, int warmups = 0)
{
    std::vector<IntervalSample> list;
    for (int i = 0; i < count; ++i) {
        IntervalSample sample;
        sample.tNs = i * 1'000'000'000LL;
        sample.lengthNs = 1'000'000'000LL;
        sample.phase = i < warmups ? Phase::Warmup : Phase::Measure;
        sample.transaction.count = 1000;
        sample.transaction.service.record(2'000'000, 1000);
        sample.rows = 10;
        list.push_back(std::move(sample));
    }
    return list;
}

PivotCell cellOf(const char* x, const char* series, const std::vector<double>& runs)
{
    PivotCell cell;
    cell.x = x;
    cell.series = series;
    cell.estimate = estimate(runs);
    cell.outliers = outliersOf(runs);
    for (std::size_t i = 0; i < runs.size(); ++i)
        cell.repeats.push_back(int(i) + 1);
    return cell;
}

int colouredPixels(const QImage& image, const QRect& where, const QColor& color)
{
    int count = 0;
    for (int y = where.top(); y <= where.bottom(); ++y) {
        for (int x = where.left(); x <= where.right(); ++x) {
            const QColor at = image.pixelColor(x, y);
            count += std::abs(at.red() - color.red()) + std::abs(at.green() - color.green()) +
                         std::abs(at.blue() - color.blue()) <
                     120;
        }
    }
    return count;
}

} // namespace

class TestTracePlot : public QObject
{
    Q_OBJECT
private slots:
    //! A day at one second in 1 200 pixels: one interval of 86 400 that was slow must be seen.
    void aSpikeNeverDisappears()
    {
        auto list = intervals(86400);
        list[43210].transaction.service = {};
        list[43210].transaction.service.record(900'000'000, 1000);
        const RunTrace trace = traceOf(list, QStringLiteral("a day"), 0);
        TracePlot plot(TraceValue::P95);
        plot.setTraces({trace}, {});
        ExportOptions options;
        options.size = QSize(1200, 500);
        options.scale = 1;
        options.theme = ThemeMode::Light;
        const QImage image = renderPlot(plot, options);
        // Only the spike reaches the upper half of the plot.
        const int with = colouredPixels(image, QRect(500, 120, 200, 150), Theme::colors(ThemeMode::Light).series[0]);
        QVERIFY2(with > 60, QByteArray::number(with));
        list[43210] = list[43209];
        TracePlot calm(TraceValue::P95);
        calm.setTraces({traceOf(list, {}, 0)}, {}, {.dots = false, .overRows = false, .top = 900});
        const QImage without = renderPlot(calm, options);
        QCOMPARE(colouredPixels(without, QRect(500, 120, 200, 150), Theme::colors(ThemeMode::Light).series[0]), 0);
    }

    void standsOverRows()
    {
        TracePlot plot(TraceValue::Throughput);
        const RunTrace trace = traceOf(intervals(10, 2), QStringLiteral("run"), 0);
        QCOMPARE(trace.rows.back(), 80.0); // the warm-up's rows are not counted
        plot.setTraces({trace}, {}, {.dots = false, .overRows = true, .top = 0});
        QCOMPARE(plot.graph(0).dataCount(), 8);
        QCOMPARE(plot.graph(0).data()->at(0)->key, 10.0);
        plot.setTraces({trace}, {}, {.dots = true, .overRows = false, .top = 0});
        QCOMPARE(plot.graph(0).dataCount(), 10);
        QVERIFY(plot.graph(0).lineStyle() == QCPGraph::lsNone);
        auto none = intervals(10, 2);
        for (IntervalSample& sample : none)
            sample.rows = 0;
        plot.setTraces({traceOf(none, QStringLiteral("reads"), 0)}, {}, {.dots = false, .overRows = true, .top = 0});
        QCOMPARE(plot.graph(0).dataCount(), 0);
    }

    //! Over rows a value is the rate up to its row; what the end of a run cuts short is no value of its own.
    void ratesOverRows()
    {
        auto list = intervals(10);
        for (std::size_t i = 0; i < list.size(); ++i) {
            list[i].rows = i == 3 || i == 4 ? 0 : 30; // a commit that took three seconds
            list[i].transaction.count = list[i].rows;
        }
        TracePlot plot(TraceValue::Throughput), latency(TraceValue::P95);
        const TracePlot::Look overRows{.dots = false, .overRows = true, .top = 0}, overTime{};
        plot.setTraces({traceOf(list, QStringLiteral("run"), 0)}, {}, overRows);
        QCOMPARE(plot.graph(0).dataCount(), 8);
        QCOMPARE(plot.graph(0).data()->at(3)->key, 120.0);
        QCOMPARE(plot.graph(0).data()->at(3)->value, 10.0);
        QCOMPARE(plot.graph(0).data()->at(4)->value, 30.0);
        // 6 rows in a tenth of a second, by the one user who is not done yet.
        list[9].lengthNs /= 10;
        list[9].rows = list[9].transaction.count = 6;
        latency.setTraces({traceOf(list, QStringLiteral("run"), 0)}, {}, overRows);
        plot.setTraces({traceOf(list, QStringLiteral("run"), 0)}, {}, overRows);
        for (const TracePlot* one : {&plot, &latency}) {
            QCOMPARE(one->graph(0).dataCount(), 7);
            QCOMPARE(one->graph(0).data()->at(6)->key, 216.0); // to the last row
        }
        QVERIFY(qAbs(plot.graph(0).data()->at(6)->value - 36 / 1.1) < 1e-6);
        plot.setTraces({traceOf(list, QStringLiteral("run"), 0)}, {}, overTime);
        QCOMPARE(plot.graph(0).dataCount(), 9);
        QCOMPARE(plot.graph(0).data()->at(8)->key, 9.1);
        QCOMPARE(plot.graph(0).data()->at(3)->value, 0.0);
        // Nor is it a dip, though 1 of 30 is one anywhere else.
        auto calm = intervals(40);
        calm.back().lengthNs /= 10;
        calm.back().transaction.count = 0;
        QVERIFY(traceOf(calm, QStringLiteral("run"), 0).stalls.empty());
        std::swap(calm.back().transaction, calm[20].transaction);
        QCOMPARE(traceOf(calm, QStringLiteral("run"), 0).stalls.size(), std::size_t(1));
        RunTrace rows = traceOf(list, QStringLiteral("run"), 0);
        rows.measures = intervalMeasuresOf("rows");
        plot.setTraces({rows}, {}, overRows);
        QCOMPARE(plot.title(), QStringLiteral("Row rate over rows"));
        QVERIFY(plot.secondary().startsWith(QStringLiteral("rows/s")));
    }

    //! E02: rates over the last rows hold several intervals already, and are not averaged again where nothing came.
    void ratesOfTheLastRowsStayAsTheyAre()
    {
        auto list = intervals(6);
        for (std::size_t i = 0; i < list.size(); ++i)
            list[i].rows = i == 3 ? 0 : 10;
        RunTrace trace = traceOf(list, QStringLiteral("run"), 0);
        trace.measures = intervalMeasuresOf("rows:20");
        trace.tps = intervalValues(list, {}, "rows:20");
        TracePlot plot(TraceValue::Throughput);
        TracePlot::Look look;
        look.overRows = true;
        plot.setTraces({trace}, {}, look);
        QCOMPARE(plot.graph(0).dataCount(), 5);
        QVERIFY(std::isnan(plot.graph(0).data()->at(0)->value)); // ten rows are fewer than twenty
        for (const int i : {1, 2})
            QCOMPARE(plot.graph(0).data()->at(i)->value, 10.0);
        QCOMPARE(plot.graph(0).data()->at(3)->key, 40.0);
        QVERIFY(qAbs(plot.graph(0).data()->at(3)->value - 20 / 3.0) <
                1e-9);    // twenty rows in three seconds, one of them idle
        list[5].rows = 0; // ends with nothing
        trace = traceOf(list, QStringLiteral("run"), 0);
        trace.measures = intervalMeasuresOf("rows:20");
        trace.tps = intervalValues(list, {}, "rows:20");
        plot.setTraces({trace}, {}, look);
        QCOMPARE(plot.graph(0).dataCount(), 4);
        QVERIFY(qAbs(plot.graph(0).data()->at(3)->value - 20 / 4.0) < 1e-9);
        trace.measures = intervalMeasuresOf("rows:2000000");
        plot.setTraces({trace}, {}, look);
        QCOMPARE(plot.title(), QStringLiteral("Row rate of the last %1 rows over rows").arg(format::count(2'000'000)));
        QVERIFY(plot.secondary().startsWith(QStringLiteral("rows/s")));
    }

    //! E15: lines of kinds of operations say what they are of.
    void namesWhatIsDrawn()
    {
        RunTrace order = traceOf(intervals(4), QStringLiteral("order"), 0), status = order;
        TracePlot amount(TraceValue::Throughput), latency(TraceValue::P95);
        const auto titles = [&](const std::vector<RunTrace>& traces) {
            amount.setTraces(traces, QStringLiteral("small"));
            latency.setTraces(traces, QStringLiteral("small"));
            return QStringList{amount.title(), amount.secondary(), latency.title(), latency.secondary()};
        };
        QCOMPARE(titles({order}), (QStringList{"Throughput over time", "transactions/s · small",
                                               "95th percentile over time", "ms, service time · small"}));
        order.measures = intervalMeasuresOf("response_p90", "order");
        status.measures = intervalMeasuresOf("response_p90", "status");
        QCOMPARE(titles({order, status}), (QStringList{"Operations over time", "operations/s · small",
                                                       "p90 response time over time", "ms, response time · small"}));
        QCOMPARE(titles({order})[0], QStringLiteral("Operations order over time"));
        QCOMPARE(titles({order})[2], QStringLiteral("p90 response time of order over time"));
        order.measures = intervalMeasuresOf("transactions", "order");
        QCOMPARE(titles({order})[1], QStringLiteral("operations in each interval · small"));
    }

    void timesBeyondAHistogramAreGaps()
    {
        auto list = intervals(4);
        list[1].transaction.service = {};
        list[1].transaction.service.record(std::uint64_t(80) * 60 * 1'000'000'000, 20);
        list[1].transaction.service.record(std::uint64_t(100) * 60 * 1'000'000'000, 1);
        const RunTrace trace = traceOf(list, QStringLiteral("run"), 0);
        QVERIFY(std::isnan(trace.p95Ms[1]) && std::isfinite(trace.p95Ms[2]));
    }

    void marksStalls()
    {
        auto list = intervals(60, 5);
        list[30].transaction.count = list[31].transaction.count = 0;
        list[40].transaction.count = 300;
        const RunTrace trace = traceOf(list, QStringLiteral("run"), 0);
        QCOMPARE(trace.stalls.size(), std::size_t(2));
        QCOMPARE(trace.stalls[0].tNs, 25'000'000'000LL); // from the start of the measured time
        TracePlot plot(TraceValue::Throughput);
        plot.setTraces({trace}, {});
        QCOMPARE(plot.bandCount(BandKind::Stall), 2);
        QCOMPARE(plot.bandCount(BandKind::Warmup), 1);
        plot.setTraces({trace, trace}, {}); // whose it is could not be seen
        QCOMPARE(plot.bandCount(BandKind::Stall), 0);
    }

    //! One band for all lines of the same load; runs whose phases lie elsewhere have none in common.
    void phasesThatAllRunsHave()
    {
        StallRule rule;
        rule.stretches = {{"busy", 5'000'000'000, 35'000'000'000, 0}, {"calm", 35'000'000'000, 60'000'000'000, 0}};
        auto list = intervals(60, 5);
        for (std::size_t i = 35; i < list.size(); ++i)
            list[i].transaction.count = 100;
        RunTrace trace = traceOf(list, QStringLiteral("run"), 0, {.stalls = rule});
        QVERIFY(trace.stalls.empty()); // a calm phase is no dip
        trace.phases = {{0, 30, QStringLiteral("busy"), QStringLiteral("busy: 30 s"), 1},
                        {30, 55, QStringLiteral("calm"), QStringLiteral("calm: 25 s"), 0.1}};
        TracePlot plot(TraceValue::Throughput);
        plot.setTraces({trace, trace}, {});
        QCOMPARE(plot.phases().size(), std::size_t(2));
        TracePlot::Look overRows;
        overRows.overRows = true;
        plot.setTraces({trace}, {}, overRows);
        QVERIFY(plot.phases().empty());
        RunTrace other = trace;
        for (PlotPhase& phase : other.phases) { // measured time begins some microseconds later
            phase.from += 8.9e-16;
            phase.to += 3e-6;
        }
        plot.setTraces({trace, other}, {});
        QCOMPARE(plot.phases().size(), std::size_t(2));
        other.phases.front().to = 20;
        plot.setTraces({trace, other}, {});
        QVERIFY(plot.phases().empty());
        HeatPlot heat;
        heat.setTrace(trace, {});
        QCOMPARE(heat.phases().size(), std::size_t(2));
    }

    //! E17 has eight lines: once two and two of them had one colour, and dots have no dash.
    void noTwoLinesLookAlike()
    {
        for (const auto& [series, facets] :
             {std::pair(2, 4), std::pair(6, 4), std::pair(4, 6), std::pair(8, 3), std::pair(24, 1)}) {
            std::set<int> colors;
            for (int s = 0; s < series; ++s) {
                for (int f = 0; f < facets; ++f)
                    colors.insert(lineColor({s, series, f, facets}, s * facets + f) % (kSeriesColors * kSeriesLooks));
            }
            QVERIFY2(int(colors.size()) == series * facets, QByteArray::number(series));
        }
        QCOMPARE(lineColor({1, 2, 3, 4}, 99) % 6, 1); // facets keep the colour of their series
        const auto list = intervals(4);
        const QString head = QStringLiteral("flush at each commit, "), tail = QStringLiteral(", sixteen kibibytes");
        std::vector<RunTrace> traces;
        for (const int color : {0, 6, 12, 18})
            traces.push_back(traceOf(list, head + QString::number(color) + tail, color));
        TracePlot plot(TraceValue::Throughput);
        plot.setTraces(traces, {}, {.dots = true, .overRows = false, .top = 0});
        std::set<int> shapes;
        std::set<QString> labels;
        for (int i = 0; i < plot.seriesCount(); ++i) {
            shapes.insert(plot.graph(i).scatterStyle().shape());
            labels.insert(plot.endLabel(i));
            QVERIFY2(plot.endLabel(i).size() < 27, qPrintable(plot.endLabel(i)));
        }
        QCOMPARE(shapes.size(), std::size_t(4));
        QCOMPARE(labels.size(), std::size_t(4));
        SpectrumPlot spectrum;
        spectrum.setTraces(traces, {});
        QVERIFY(spectrum.endLabel(0) != spectrum.endLabel(1));
    }

    //! More series than colours and dashes: dots on the lines, and hollow ones in a cloud, tell them apart.
    void looksAreNotRecycled()
    {
        std::set<std::tuple<int, QString, int, bool>> looks;
        const ThemeColors& colors = Theme::colors(ThemeMode::Light);
        constexpr int kAll = kSeriesColors * kSeriesLooks;
        for (int index = 0; index < kAll; ++index) {
            const QPen pen = seriesPen(index, 1.5, colors, ThemeMode::Light);
            const QCPScatterStyle dots = seriesDots(index, pen.color(), 5);
            QStringList dashes;
            for (const qreal dash : pen.dashPattern())
                dashes << QString::number(dash);
            looks.insert(
                {index % kSeriesColors, dashes.join(','), int(dots.shape()), dots.brush().style() == Qt::NoBrush});
        }
        QCOMPARE(int(looks.size()), kAll);
        std::set<int> fills;
        for (int round = 0; round < kSeriesLooks; ++round)
            fills.insert(int(seriesFill(round * kSeriesColors, Qt::red).style()));
        QCOMPARE(int(fills.size()), kSeriesLooks);
        TracePlot plot(TraceValue::Throughput);
        const auto list = intervals(40);
        plot.setTraces({traceOf(list, "a", 0), traceOf(list, "b", 24)}, {});
        plot.refreshNow();
        plot.restyle(colors, ThemeMode::Light);
        QVERIFY(plot.graph(0).scatterStyle().isNone());
        QVERIFY(!plot.graph(1).scatterStyle().isNone());
    }

    //! Many dots are translucent, so that they show where most are.
    void manyDotsAreTranslucent()
    {
        TracePlot plot(TraceValue::Throughput);
        plot.setTraces({traceOf(intervals(400), "a", 0)}, {}, {.dots = true});
        QVERIFY(plot.graph(0).scatterStyle().brush().color().alphaF() < 0.6);
        plot.setTraces({traceOf(intervals(20), "a", 0)}, {}, {.dots = true});
        QVERIFY(plot.graph(0).scatterStyle().brush().color().alphaF() > 0.7);
    }

    void casesInWords()
    {
        Theme::instance().apply(*qApp); // brings the plurals
        QCOMPARE(casesWords("isolation × warehouses", "READ COMMITTED, 2"), QString("READ COMMITTED, 2 warehouses"));
        QCOMPARE(casesWords("warehouses", "1"), QString("1 warehouse"));
        QCOMPARE(casesWords("queries", "1"), QString("queries=1"));
        QCOMPARE(casesWords("tls", "0"), QString("tls=0"));
        QCOMPARE(casesWords("table size", "1000"), QString("table size=1000"));
        QCOMPARE(casesWords("compression", "off"), QString("off"));
        QCOMPARE(casesWords("flush", "1"), QString("flush=1"));
        QCOMPARE(casesWords("flush", "1x"), QString("1x"));
        QCOMPARE(casesWords("binlog", "true"), QString("binlog=true"));
        QCOMPARE(casesWords("pool", "4 GiB"), QString("4 GiB"));
        QCOMPARE(casesWords("durability", "flush=1, binlog"), QString("flush=1, binlog"));
        QCOMPARE(casesWords("durability × users", "flush=1, binlog, 4").replace(QChar(0xa0), ' '),
                 QString("flush=1, binlog, 4 users"));
    }

    //! Names that differ have labels that do, wherever the difference lies.
    void labelsTellLinesApart()
    {
        const QString head = QStringLiteral("session of a monday, "),
                      tail = QStringLiteral(", sixteen kibibytes a page");
        const QString far = QStringLiteral(", with a middle that is long and common, ");
        QStringList inside, ends, many;
        for (const char* one : {"flush 0", "flush 1"}) {
            for (const char* other : {"double write on", "double write off"})
                inside << head + QLatin1String(one) + far + QLatin1String(other) +
                              tail; // alike at both ends, in two places
        }
        for (const char* machine : {"a machine with flash", "other machine, disk"}) {
            for (const char* other : {" at level one ", " at level two "}) // the same middles under two pairs of ends
                ends << QLatin1String(machine) + far + QLatin1String(other) + far + QLatin1String(machine);
        }
        for (int i = 0; i < 24; ++i)
            many << head + QString::number(i) + far + QString::number(i % 5) + far + QString::number(i * 7) + tail;
        for (const QStringList& names :
             {inside, ends, many, inside + ends + many, QStringList{inside[0], inside[0], inside[1]}}) {
            const QStringList labels = shortLabels(names);
            QCOMPARE(labels.size(), names.size());
            for (qsizetype i = 0; i < names.size(); ++i) {
                for (qsizetype j = 0; j < i; ++j)
                    QVERIFY2((labels[i] == labels[j]) == (names[i] == names[j]),
                             qPrintable(labels[i] + QStringLiteral(" | ") + labels[j]));
            }
        }
        for (const QString& label : shortLabels(inside))
            QVERIFY2(label.size() < 27, qPrintable(label));
        QCOMPARE(shortLabels({"OFF", "FULL"}), (QStringList{"OFF", "FULL"}));
        QCOMPARE(shortLabels({head + "1" + tail, head + "2" + tail})[1], QStringLiteral("…, 2, sixteen kibibyt…"));
    }

    //! Open loop: what a user of the system waits for, not what the server was busy with.
    void responseTimesAreCalledSo()
    {
        auto list = intervals(20);
        for (IntervalSample& sample : list)
            sample.transaction.response.record(50'000'000, 1000); // they waited 48 ms
        const RunTrace trace =
            traceOf(list, QStringLiteral("run"), 0, {.percentiles = true, .heat = true, .response = true});
        SpectrumPlot spectrum;
        spectrum.setTraces({trace}, QStringLiteral("users = 1"));
        QCOMPARE(spectrum.secondary(), QStringLiteral("ms, response time · users = 1"));
        QCOMPARE(spectrum.graph(0).data()->at(spectrum.graph(0).dataCount() - 1)->value, 50.0);
        QVERIFY(spectrum.table().toCsv().startsWith("run,percentile,response time [ms]\n"));
        // What a read-out names is the percentile, not its place on the axis.
        QCOMPARE(spectrum.xText(0), QStringLiteral("0 %"));
        QCOMPARE(spectrum.xText(1), QStringLiteral("90 %"));
        QCOMPARE(spectrum.xText(2.5), QStringLiteral("99.68 %"));
        QCOMPARE(spectrum.xText(3), QStringLiteral("99.9 %"));
        HeatPlot heat;
        heat.setTrace(trace, {});
        QCOMPARE(heat.secondary().section(QStringLiteral(" · "), 0, 0), QStringLiteral("ms, response time"));
        for (const QStringList& row : heat.table().rows)
            QVERIFY2(row[1].toDouble() > 40 && row[2].toDouble() < 60, qPrintable(row.join(u' ')));
        const RunTrace service =
            traceOf(list, QStringLiteral("run"), 0, {.percentiles = true, .heat = true, .response = false});
        spectrum.setTraces({service}, {});
        heat.setTrace(service, {});
        QVERIFY(spectrum.secondary().startsWith(QStringLiteral("ms, service time")) &&
                heat.secondary().startsWith(QStringLiteral("ms, service time")));
    }

    void percentilesAndHeat()
    {
        auto list = intervals(20);
        list[7].transaction.service.record(80'000'000, 10);
        const RunTrace trace =
            traceOf(list, QStringLiteral("run"), 0, {.percentiles = true, .heat = true, .response = false});
        QCOMPARE(trace.latency.count(), std::uint64_t(20 * 1000 + 10));
        SpectrumPlot spectrum;
        spectrum.setTraces({trace}, {});
        QCOMPARE(spectrum.graph(0).data()->at(spectrum.graph(0).dataCount() - 1)->value, 80.0);
        QVERIFY(spectrum.table().toCsv().startsWith("run,percentile,latency [ms]\n"));
        HeatPlot heat;
        heat.setTrace(trace, {});
        double sum = 0;
        for (const QStringList& row : heat.table().rows)
            sum += row.back().toDouble();
        QCOMPARE(sum, 20010.0);
        heat.setTrace(RunTrace(), {}); // nothing measured: nothing drawn
        QVERIFY(heat.table().rows.empty());
        QTemporaryDir dir;
        for (PlotCard* card : {static_cast<PlotCard*>(&spectrum), static_cast<PlotCard*>(&heat)}) {
            for (const char* suffix : {"png", "svg", "csv"})
                QVERIFY(exportPlot(*card, {}, dir.filePath(QStringLiteral("a.") + suffix)).has_value());
        }
    }

    //! 95 % at 1 ms and 5 % at 100 ms: p50 is 1 ms, p99 is 100 ms, and so the line must stand there.
    void percentilesAreDrawnWhereTheyAre()
    {
        std::vector<IntervalSample> list = intervals(1);
        list[0].transaction.service = {};
        list[0].transaction.service.record(1'000'000, 950);
        list[0].transaction.service.record(100'000'000, 50);
        SpectrumPlot plot;
        plot.setTraces(
            {traceOf(list, QStringLiteral("run"), 0, {.percentiles = true, .heat = false, .response = false})}, {});
        const auto heightAt = [&plot](double percentile) {
            const double place = -std::log10(1 - percentile / 100);
            const auto& points = *plot.graph(0).data();
            const bool right =
                plot.graph(0).lineStyle() == QCPGraph::lsStepRight; // a point's value holds up to it, or from it
            const auto next = points.findBegin(place, false);
            return (right || next == points.constBegin() ? next : std::prev(next))->value;
        };
        QVERIFY2(std::abs(heightAt(50) - 1) < 0.02, QByteArray::number(heightAt(50)));
        QVERIFY2(std::abs(heightAt(94) - 1) < 0.02, QByteArray::number(heightAt(94)));
        for (const double percentile : {96.0, 99.0, 99.9})
            QVERIFY2(std::abs(heightAt(percentile) - 100) < 1.5, QByteArray::number(heightAt(percentile)));
        QCOMPARE(plot.graph(0).data()->constBegin()->key, 0.0);
    }

    void everyRunIsADot()
    {
        Pivot pivot;
        pivot.request = {"tps", "users", "sync", "", "ON"};
        pivot.xs = {"1", "4"};
        pivot.series = {"ON", "OFF"};
        pivot.facets = {""};
        pivot.cells = {cellOf("1", "ON", {100, 101, 99, 100.5, 130}), cellOf("1", "OFF", {200, 210}),
                       cellOf("4", "ON", {300}), cellOf("4", "OFF", {})};
        StripPlot plot;
        plot.setPivot(pivot);
        QCOMPARE(plot.dotCount(), 8);
        QCOMPARE(plot.boxCount(), 1);               // two runs have no quartiles
        QCOMPARE(plot.graph(0).dataCount(), 4 + 1); // one of five is an outlier, drawn apart
        QCOMPARE(plot.table().rows.size(), std::size_t(8));
        QCOMPARE(plot.table().rows[4], (QStringList{"1", "ON", "5", "130", "1"}));
        plot.setPivot(pivot); // again: nothing stays behind
        QCOMPARE(plot.boxCount(), 1);
        // The words of a picture name both, and have the outlier's too.
        const auto picture = reportPicture(plot, {}, {});
        QVERIFY(picture);
        QStringList words;
        for (const PictureSpot& spot : picture->spots)
            words << QString::fromStdString(spot.text);
        QCOMPARE(words.size(), 8);
        for (const auto& [start, count] : {std::pair("ON, 1", 5), {"ON, 4", 1}, {"OFF, 1", 2}})
            QCOMPARE(words.filter(QRegularExpression(QStringLiteral("^%1\\b").arg(QLatin1String(start)))).size(),
                     count);
        QCOMPARE(words.filter(QStringLiteral(": 130")).size(), 1);
    }

    void drawsTheLaw()
    {
        std::vector<Scaling> list(2);
        for (Scaling& one : list) {
            std::vector<ScalingPoint> points;
            for (const double n : {1, 2, 4, 8, 16, 32})
                points.push_back({n, 1000 * n / (1 + 0.05 * (n - 1) + 0.001 * n * (n - 1))});
            one.means = points;
            one.fit = fitUsl(points);
            one.mostUsers = 32;
            QVERIFY(one.fit);
        }
        list[0].series = "law";
        list[1].series = "none";
        list[1].fit.reset();
        ScalingPlot plot;
        plot.setScaling(list);
        QCOMPARE(plot.seriesCount(), 2);
        QCOMPARE(plot.curveCount(), 1);
        QCOMPARE(plot.table().rows.size(), std::size_t(12));
        QCOMPARE(plot.table().rows[3].last(), QStringLiteral("8000")); // linear, from one user's 1 000
        list[0].means.erase(list[0].means.begin());                    // one user was not measured: the law's
        plot.setScaling(list);
        QCOMPARE(plot.table().rows[0][1], QStringLiteral("2"));
        QVERIFY2(std::abs(plot.table().rows[0].last().toDouble() - 2000) < 1, qPrintable(plot.table().rows[0].last()));
        plot.setLogAxes(true, true);
        QVERIFY(plot.isLogY());
        list.resize(1);
        plot.setScaling(list);
        QVERIFY2(plot.secondary().contains(QStringLiteral("N* = 31")), qPrintable(plot.secondary()));
    }

    void bendsBack()
    {
        LoadCurvePlot plot;
        plot.setCurves({{QStringLiteral("a"), {{"1", 100, 1}, {"8", 500, 2}, {"64", 300, 40}}}},
                       QStringLiteral("p95 service time"));
        QCOMPARE(plot.graph(0).dataCount(), 3);
        QCOMPARE(plot.table().rows[2],
                 (QStringList{"a", "64", "300", "40"})); // in the order of users, not of throughput
    }

    //! As ann-benchmarks draws recall: the further up and to the right, the better.
    void sharesStandAlongX()
    {
        LoadCurvePlot plot;
        plot.setCurves({{QStringLiteral("hnsw"), {{"10", 9000, 0.8}, {"40", 5000, 0.95}, {"160", 1500, 0.99}}}},
                       QStringLiteral("Recall"), {}, LoadCurvePlot::Shows::Share);
        const auto first = plot.graph(0).data()->constBegin();
        QCOMPARE(first->key, 0.8);
        QCOMPARE(first->value, 9000.0);
        QCOMPARE(plot.table().columns, (QStringList{"series", "case", "throughput [transactions/s]", "Recall"}));
        QCOMPARE(plot.table().rows[2], (QStringList{"hnsw", "160", "1500", "0.99"}));
        QCOMPARE(plot.valueText(1500), format::rate(1500)); // and no time
    }

    void switchedOffCurvesHaveNoNumbers()
    {
        LoadCurvePlot plot;
        plot.setCurves({{QStringLiteral("a"), {{"1", 100, 1}, {"8", 500, 2}}},
                        {QStringLiteral("b"), {{"2", 200, 20}, {"64", 300, 40}}}},
                       QStringLiteral("p95 service time"));
        const auto shown = [&plot] {
            plot.layOutFor({800, 400});
            QStringList texts;
            for (int i = 0; i < plot.plot().itemCount(); ++i) {
                const auto* text = qobject_cast<QCPItemText*>(plot.plot().item(i));
                if (text && text->visible())
                    texts << text->text();
            }
            return texts;
        };
        QCOMPARE(shown(), (QStringList{"1", "8", "2", "64"}));
        plot.setSeriesVisible(1, false);
        QCOMPARE(shown(), (QStringList{"1", "8"}));
        plot.setSeriesVisible(1, true);
        QCOMPARE(shown(), (QStringList{"1", "8", "2", "64"}));
    }
};

} // namespace dyno::tst_trace_plot

DYNO_WIDGET_SUITE(tst_trace_plot, dyno::tst_trace_plot::TestTracePlot)
#include "tst_trace_plot.moc"
