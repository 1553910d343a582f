// SPDX-License-Identifier: GPL-3.0-or-later
// The registry of charts: that it is complete, and that each chart draws real runs, or says why it cannot.
#include "compare/compare_traces.h"
#include "plots/chart.h"
#include "plots/comparison.h"
#include "plots/export.h"
#include "plots/pivot_plot.h"
#include "plots/sync_plot.h"
#include "plots/view_charts.h"
#include "support/suite.h"
#include "widgets/sample_library.h"

#include <dyno/analysis.h>
#include <dyno/export.h>
#include <dyno/plan.h>

#include <QStandardPaths>
#include <QTest>

#include <regex>
#include <set>

namespace dyno::tst_charts {

namespace {

//! A stored session and what a chart needs of it.
struct Drawn
{
    test::SampleLibrary library;
    ComparisonPtr comparison;
    PivotView view;
    ChosenRuns runs;
    std::vector<RunTrace> traces;
    ChartDataPtr data;

    explicit Drawn(sample::Options options)
    {
        const QString id = library.add(std::move(options), "a");
        auto opened = library.open();
        auto loaded = loadComparison(*opened, {id.toStdString()});
        if (!loaded)
            qFatal("%s", loaded.error().text().c_str());
        comparison = *loaded;
        view = viewOf(*comparison, defaultRequest(*comparison));
    }
    ChartInput input(const Chart& chart)
    {
        runs = chosenRuns(chart, *comparison, view.pivot, {{}, QString::fromStdString(view.pivot.xs.back()), 1});
        auto opened = library.open();
        auto read = readTraces(*opened, runs);
        if (!read)
            qFatal("%s", read.error().text().c_str());
        traces = std::move(*read);
        data = chart.workOut(comparison->sessions, view.pivot);
        return {.sessions = comparison->sessions,
                .pivot = view.pivot,
                .data = data,
                .traces = traces,
                .which = runs.which,
                .words = view.words};
    }
};

sample::Options someUsers()
{
    sample::Options options;
    options.plan = test::linesPlan();
    options.intervals = 6;
    return options;
}

} // namespace

class TestCharts : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        Theme::instance().apply(*qApp); // brings the plurals
    }

    //! What a plan may say is what the window draws, each once and in the same order.
    void hasOneOfEachKind()
    {
        QCOMPARE(charts().size(), chartKinds().size());
        std::set<std::string> ids;
        for (std::size_t i = 0; i < charts().size(); ++i) {
            QCOMPARE(charts()[i]->id(), chartKinds()[i].id);
            ids.insert(charts()[i]->id());
            QVERIFY(!charts()[i]->name().isEmpty());
            QCOMPARE(&chartOf(charts()[i]->id()), charts()[i]);
        }
        QCOMPARE(ids.size(), charts().size());
        QCOMPARE(chartOf("of a later version").id(), std::string("lines"));
        // They stand in files of others.
        QCOMPARE(ids, (std::set<std::string>{"lines", "bars", "runs", "scaling", "sync", "latency", "time", "dots",
                                             "percentiles", "heat"}));
    }

    //! By themselves only where the figures ask for it, and never against the view.
    void takeALogarithmicAxisByThemselves()
    {
        Drawn drawn(someUsers());
        const auto drawnWith = [&drawn](const char* chart, double factor, std::string_view log) {
            std::size_t i = 0;
            for (PivotCell& cell : drawn.view.pivot.cells) {
                cell.estimate.mean = i++ % 2 == 0 ? 10 : 10 * factor;
                cell.estimate.runs = {cell.estimate.mean, cell.estimate.mean};
                cell.estimate.low = cell.estimate.high = {};
            }
            ChartInput input = drawn.input(chartOf(chart));
            const ViewAxes axes = viewAxes(log);
            input.logY = axes.logY;
            input.logOpen = axes.open;
            ChartSheet sheet;
            chartOf(chart).draw(input, sheet);
            const PlotCard& card = *sheet.cards().front();
            return std::pair(card.isLogY(), card.secondary().contains("logarithmic"));
        };
        using Shown = std::pair<bool, bool>; // is, and is said
        for (const char* chart : {"lines", "runs"}) {
            QCOMPARE(drawnWith(chart, 60, ""), Shown(true, true));
            QCOMPARE(drawnWith(chart, 40, ""), Shown(false, false));
            QCOMPARE(drawnWith(chart, 60, "linear"), Shown(false, false));
            QCOMPARE(drawnWith(chart, 60, "x"), Shown(false, false)); // x was chosen, and with it y
            QCOMPARE(drawnWith(chart, 40, "y"), Shown(true, true));
            QCOMPARE(drawnWith(chart, 0, ""), Shown(false, false)); // 0 has no place there
        }
        QCOMPARE(drawnWith("bars", 60, ""), Shown(false, false)); // bars begin at 0
    }

    void arePartsOfAPlan()
    {
        for (const Chart* chart : charts()) {
            const std::string text = test::linesPlan() + "\n[[view]]\nchart = \"" + chart->id() + "\"\n";
            const ParsedPlan parsed = parsePlan(text, "plan.toml");
            QVERIFY2(parsed.plan && parsed.faults.empty() && checkPlan(*parsed.plan).empty(), chart->id().c_str());
            QCOMPARE(parsed.plan->views.back().chart, chart->id());
        }
        const ParsedPlan wrong = parsePlan(test::linesPlan() + "\n[[view]]\nchart = \"pie\"\n", "plan.toml");
        QVERIFY(std::ranges::any_of(wrong.faults,
                                    [](const Fault& one) { return one.what == "there is no chart \"pie\""; }));
    }

    void drawsRuns_data()
    {
        QTest::addColumn<QString>("id");
        for (const Chart* chart : charts()) {
            if (chart->kind().along.empty()) // no counters here: see aSyncNeedsItsBytes()
                QTest::newRow(chart->id().c_str()) << QString::fromStdString(chart->id());
        }
    }
    void drawsRuns()
    {
        QFETCH(QString, id);
        const Chart& chart = chartOf(id.toStdString());
        Drawn drawn(someUsers());
        const ChartInput input = drawn.input(chart);
        QVERIFY(!chart.whyNot(input));
        QCOMPARE(drawn.data != nullptr, chart.needsData());
        ChartSheet sheet;
        chart.draw(input, sheet);
        QVERIFY(!sheet.cards().empty());
        for (PlotCard* card : sheet.cards()) {
            QVERIFY(!card->title().isEmpty());
            QVERIFY(!card->exportWords().caption.isEmpty());
            const PlotTable table = card->table();
            QVERIFY(table.columns.size() > 1);
            QVERIFY(!table.rows.empty());
            for (const QStringList& row : table.rows)
                QCOMPARE(row.size(), table.columns.size());
            const auto png = plotBytes(*card, ExportOptions{}, QStringLiteral("png"));
            QVERIFY(png.has_value() && png->startsWith("\x89PNG"));
        }
    }

    //! Every figure of the pivot is in the export of lines and bars, and every run in that of runs.
    void exportsWhatIsDrawn()
    {
        Drawn drawn(someUsers());
        const auto hasValue = [](const PlotTable& table, double value) {
            for (const QStringList& row : table.rows) {
                for (const QString& text : row) {
                    bool number = false;
                    const double one = text.toDouble(&number);
                    if (number && std::abs(one - value) <= 1e-5 * std::abs(value))
                        return true;
                }
            }
            return false;
        };
        for (const char* id : {"lines", "bars", "runs"}) {
            const Chart& chart = chartOf(id);
            ChartSheet sheet;
            chart.draw(drawn.input(chart), sheet);
            const PlotTable table = sheet.cards().front()->table();
            for (const PivotCell& cell : drawn.view.pivot.cells) {
                if (chart.kind().summary)
                    QVERIFY2(hasValue(table, cell.estimate.mean), id);
                for (const double run : cell.estimate.runs)
                    QVERIFY2(chart.kind().summary || hasValue(table, run), id);
            }
        }
    }

    //! Facets are small multiples: the same axes, a series with one colour in all of them, throughput over latency.
    void smallMultiples_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<bool>("logY");
        QTest::newRow("time") << "time" << false;
        QTest::newRow("dots") << "dots" << false;
        QTest::newRow("dots on a log axis") << "dots" << true;
    }
    void smallMultiples()
    {
        QFETCH(QString, id);
        QFETCH(bool, logY);
        const Chart& chart = chartOf(id.toStdString());
        Drawn drawn(someUsers());
        PivotRequest request = defaultRequest(*drawn.comparison);
        request.facet = "users";
        request.x = "users";
        drawn.view = viewOf(*drawn.comparison, request);
        const std::size_t facets = drawn.view.pivot.facets.size(), series = drawn.view.pivot.series.size();
        QVERIFY(facets > 2 && series > 1);
        ChartInput input = drawn.input(chart);
        input.logY = logY;
        QCOMPARE(input.traces.size(), facets * series);
        ChartSheet sheet;
        chart.draw(input, sheet);
        const auto& cards = sheet.cards();
        QCOMPARE(cards.size(), 2 * facets);
        std::set<QString> titles;
        for (std::size_t i = 0; i < cards.size(); ++i) {
            PlotCard& card = *cards[i];
            PlotCard& first = *cards[i < facets ? 0 : facets];
            card.refreshNow();
            first.refreshNow();
            QCOMPARE(card.plot().xAxis->range(), first.plot().xAxis->range());
            QCOMPARE(card.plot().yAxis->range(), first.plot().yAxis->range());
            QCOMPARE(card.seriesCount(), int(series));
            for (int s = 0; s < int(series); ++s) {
                QCOMPARE(card.seriesName(s), first.seriesName(s));
                QCOMPARE(card.seriesColor(s), first.seriesColor(s));
                QVERIFY2(!card.seriesName(s).contains("user"), qPrintable(card.seriesName(s)));
            }
            titles.insert(card.title());
        }
        QCOMPARE(titles.size(), facets);
        QCOMPARE(sheet.layers(), 2);
        // What may be cut comes last, and exported pictures have names of their own.
        std::set<QString> names, alternatives;
        for (std::size_t i = 0; i < cards.size(); ++i) {
            const PlotCard& card = *cards[i];
            QCOMPARE(card.secondary(),
                     QString(i < facets ? "tps" : QStringLiteral("p95, %1, service time").arg(card.timeUnitName())) +
                         (logY ? ", logarithmic" : ""));
            QCOMPARE(card.unit(), i < facets ? QString("transactions/s") : QString("ms"));
            QVERIFY(card.table().columns.back().endsWith(i < facets ? "(transactions/s)" : "(ms)"));
            QVERIFY2(card.exportTitle() == card.title() + (i < facets ? ", throughput" : ", p95"),
                     qPrintable(card.exportTitle()));
            QVERIFY2(card.exportName().endsWith(i < facets ? "-throughput" : "-p95"), qPrintable(card.exportName()));
            names.insert(card.exportName());
            alternatives.insert(card.exportTitle());
        }
        QCOMPARE(names.size(), cards.size());
        QCOMPARE(alternatives.size(), cards.size());
        QVERIFY2(titles.contains(QString("1%1user").arg(QChar(0xa0))) || titles.contains("1 user"),
                 qPrintable(QStringList(titles.begin(), titles.end()).join('|')));
        const ChartFindings findings = chart.findings(input);
        QVERIFY(!findings.rows.empty() && findings.rows.front().first.contains("deviation"));
    }

    //! What stands over small multiples does not stand in the names of their lines, also where it is along x elsewhere.
    void smallMultiplesOfX()
    {
        test::SampleLibrary library;
        const StoredSession session = library.session(library.add(someUsers(), "a"));
        View view;
        view.chart = "time";
        view.x = view.facet = session.header.plan.axes.front().name;
        view.series = "users";
        const auto opened = library.open();
        const auto drawn = viewChartsOf(view, session, *opened);
        QVERIFY(drawn);
        const std::size_t facets = session.header.plan.axes.front().cases.size();
        QVERIFY(facets > 1);
        QCOMPARE(drawn->cards.size(), 2 * facets);
        const PlotCard& first = *drawn->cards.front();
        for (const PlotCard* card : drawn->cards) {
            QVERIFY(card->seriesCount() > 1);
            QCOMPARE(card->seriesCount(), first.seriesCount());
            for (int i = 0; i < first.seriesCount(); ++i) {
                QCOMPARE(card->seriesName(i), first.seriesName(i));
                QCOMPARE(card->seriesColor(i), first.seriesColor(i));
            }
        }
    }

    //! A view that asks for them has the published figures of its measure: at their x, or in the lane at the right.
    void viewsWithPublishedFigures()
    {
        sample::Options options;
        options.plan = test::linesPlan();
        options.plan += "published = true\n"
                        "[[published]]\nsource = \"Maxima\"\nmeasure = \"tps\"\nvalues = [\n"
                        "  { cases = { synchronous = \"OFF\" }, value = 36332 },\n"
                        "  { cases = { synchronous = \"FULL\" }, value = 3087 },\n]\n"
                        "[[published]]\nsource = \"With users\"\nmeasure = \"qps\"\nvalues = [\n"
                        "  { cases = { synchronous = \"OFF\", users = 4 }, value = 9000 },\n]\n"
                        "[[published]]\nsource = \"Nobody's\"\nmeasure = \"service_p95\"\nvalues = [\n"
                        "  { cases = { }, value = 5 },\n]\n";
        const auto plan = parsePlan(options.plan, "a plan");
        QVERIFY2(plan.plan, plan.faults.empty() ? "no plan" : plan.faults.front().what.c_str());
        QVERIFY(plan.plan->views.front().published);
        // As it is written, and as a session keeps it.
        const auto again = parsePlan(writePlan(*plan.plan), "a plan");
        QVERIFY(again.plan && again.plan->views.front().published);
        const auto kept = viewFromText(viewText(plan.plan->views.front()));
        QVERIFY(kept && kept->published);
        QVERIFY(viewText(View()).find("published") == std::string::npos);
        const auto wrong = parsePlan(test::linesPlan() + "published = \"perhaps\"\n", "a plan");
        QVERIFY(!wrong.faults.empty());

        test::SampleLibrary library;
        options.intervals = 6;
        const StoredSession session = library.session(library.add(options, "a"));
        const auto opened = library.open();
        View view = session.header.plan.views.front();
        const auto drawn = [&](const View& shown) {
            auto charts = viewChartsOf(shown, session, *opened);
            if (!charts || charts->cards.size() != 1)
                qFatal("one chart is asked for");
            return std::move(*charts);
        };
        const auto plotOf = [](const ViewCharts& charts) { return dynamic_cast<PivotPlot*>(charts.cards.front()); };
        const ViewCharts aside = drawn(view);
        QCOMPARE(plotOf(aside)->lane().figures().size(), std::size_t(2));
        QCOMPARE(plotOf(aside)->publishedCount(), 0);
        QVERIFY(plotOf(aside)->secondary().contains(QStringLiteral("Maxima")));
        view.measure = "qps";
        const ViewCharts atX = drawn(view);
        QCOMPARE(plotOf(atX)->publishedCount(), 1);
        QVERIFY(plotOf(atX)->lane().figures().empty());
        view.measure = "service_p95"; // of no series in particular
        QVERIFY(plotOf(drawn(view))->lane().figures().empty());
        view.measure = "tps";
        view.published = false;
        QVERIFY(plotOf(drawn(view))->lane().figures().empty());
        view.published = true;
        const std::string report = markdownPost({session}, requestOf(view), {});
        QVERIFY2(report.find("Published figures") != std::string::npos &&
                     report.find("36\u202f332") != std::string::npos,
                 report.c_str());
    }

    //! A chart with a name of its own still says of what its figures are percent.
    void percentOfWhat()
    {
        test::SampleLibrary library;
        const StoredSession session = library.session(library.add(someUsers(), "a"));
        const Axis& axis = session.header.plan.axes.front();
        View view;
        view.series = axis.name;
        view.baseline = axis.cases.front().label;
        view.relativeTo = RelativeTo::Baseline;
        view.name = "What it costs";
        const auto opened = library.open();
        const auto drawn = viewChartsOf(view, session, *opened);
        QVERIFY(drawn);
        QCOMPARE(drawn->cards.size(), std::size_t(1));
        QCOMPARE(drawn->cards.front()->title(), QString("What it costs"));
        QVERIFY2(drawn->cards.front()->secondary().contains("% of " + QString::fromStdString(view.baseline)),
                 qPrintable(drawn->cards.front()->secondary()));
    }

    //! Runs too short for stretches of a second have others, which the heading says.
    void saysHowLongStretchesAre()
    {
        const auto trace = [](double intervalSeconds, int count) {
            IntervalColumns columns;
            for (int i = 0; i < count; ++i) {
                columns.tNs.push_back(std::int64_t(double(i) * intervalSeconds * 1e9));
                columns.lengthNs.push_back(std::int64_t(intervalSeconds * 1e9));
                columns.phase.push_back(Phase::Measure);
                columns.transaction.count.push_back(std::uint64_t(100 + i));
            }
            RunTrace made;
            made.name = QString("%1 of %2 s").arg(count).arg(intervalSeconds);
            made.evenness = evennessOf(columns);
            return made;
        };
        const std::vector<StoredSession> sessions(1);
        const Pivot nothing;
        const auto heading = [&](const std::vector<RunTrace>& traces) {
            const ChartFindings findings =
                chartOf("time").findings({.sessions = sessions, .pivot = nothing, .traces = traces});
            return findings.rows.empty() ? QString() : findings.rows.front().first;
        };
        QVERIFY2(heading({trace(0.25, 6), trace(0.5, 10)}).endsWith("at 0.25 to 1 s"),
                 qPrintable(heading({trace(0.25, 6), trace(0.5, 10)})));
        QVERIFY2(heading({trace(0.25, 40), trace(0.5, 10)}).endsWith("at 1 s"),
                 qPrintable(heading({trace(0.25, 40), trace(0.5, 10)})));
        QVERIFY2(heading({trace(2, 4)}).endsWith("at 2 s"), qPrintable(heading({trace(2, 4)})));
    }

    //! Series that are numbers stand with their axis, as they do at the lines' ends.
    void maximaNameTheirSeries()
    {
        sample::Options options = someUsers();
        for (const auto& [from, to] : {std::pair<std::string, std::string>{"\"OFF\", set", "\"1\", set"},
                                       {"\"NORMAL\", set", "\"2\", set"},
                                       {"\"FULL\", set", "\"3\", set"},
                                       {"name = \"synchronous\"", "name = \"warehouses\""},
                                       {"series = \"synchronous\"", "series = \"warehouses\""},
                                       {"baseline = \"OFF\"", "baseline = \"1\""}}) {
            const auto at = options.plan.find(from);
            QVERIFY2(at != std::string::npos, from.c_str());
            options.plan.replace(at, from.size(), to);
        }
        Drawn drawn(options);
        const Chart& lines = chartOf("lines");
        const ChartFindings findings = lines.findings(drawn.input(lines));
        QStringList names;
        for (const auto& [name, text] : findings.rows)
            names << name;
        QCOMPARE(names, (QStringList{"1 warehouse", "2 warehouses", "3 warehouses"}));
    }

    //! Of lines over numbers, the best of each series and where it is.
    void tellsMaxima()
    {
        Drawn drawn(someUsers());
        const Chart& lines = chartOf("lines");
        const ChartFindings findings = lines.findings(drawn.input(lines));
        QCOMPARE(findings.rows.size(), drawn.view.pivot.series.size());
        QCOMPARE(findings.rows.front().first, QString::fromStdString(drawn.view.pivot.series.front()));
        QVERIFY2(findings.rows.front().second.contains("user"), qPrintable(findings.rows.front().second));
        QVERIFY(chartOf("bars").findings(drawn.input(chartOf("bars"))).rows.empty());
    }

    //! Cards that stay keep what a person did to them; others are new.
    void usesCardsAgain()
    {
        Drawn drawn(someUsers());
        ChartSheet sheet;
        chartOf("lines").draw(drawn.input(chartOf("lines")), sheet);
        PlotCard* lines = sheet.cards().front();
        lines->setSeriesVisible(0, false);
        chartOf("time").draw(drawn.input(chartOf("time")), sheet);
        QCOMPARE(sheet.cards().size(), std::size_t(2));
        QCOMPARE(sheet.place(), ChartSheet::Place::Whole);
        chartOf("runs").draw(drawn.input(chartOf("runs")), sheet);
        QCOMPARE(sheet.place(), ChartSheet::Place::Fresh);
        chartOf("lines").draw(drawn.input(chartOf("lines")), sheet);
        QCOMPARE(sheet.cards().front(), lines);
    }

    //! One number of users has no law, which is said instead of an empty place.
    void oneNumberOfUsersDoesNotScale()
    {
        const Chart& chart = chartOf("scaling");
        QVERIFY(!chart.whyNot(Drawn(someUsers()).input(chart)));
        sample::Options options = someUsers();
        static const std::regex users(R"(users = \[[^\]]*\])");
        options.plan = std::regex_replace(options.plan, users, "users = 4");
        QVERIFY(options.plan != someUsers().plan);
        Drawn drawn(options);
        const auto message = chart.whyNot(drawn.input(chart));
        QVERIFY(message && !message->title.isEmpty() && !message->text.isEmpty());
    }

    //! Without a counter of the log there is nothing along x, which is said.
    void aSyncNeedsItsBytes()
    {
        const Chart& chart = chartOf("sync");
        Drawn drawn(someUsers());
        auto message = chart.whyNot(drawn.input(chart));
        QVERIFY(message && message->text.contains("log") && !message->text.contains("counter"));
        PivotRequest ofLog = drawn.view.pivot.request;
        ofLog.measure = kLogBytes;
        drawn.view = viewOf(*drawn.comparison, ofLog);
        message = chart.whyNot(drawn.input(chart));
        QVERIFY(message && message->text.contains("counter"));
        auto data = std::make_shared<IntervalFigures>(IntervalFigures{kLogBytes, {}});
        double bytes = 1000;
        for (const StoredSession& session : drawn.comparison->sessions) {
            data->values.emplace_back();
            for (std::size_t i = 0; i < session.runs.size(); ++i)
                data->values.back().push_back(bytes += 1000);
        }
        PivotRequest request = drawn.view.pivot.request;
        request.measure = kLogBytes;
        drawn.view = viewOf(*drawn.comparison, request, data.get());
        const ChartInput input = drawn.input(chart);
        QVERIFY(!chart.whyNot(input));
        ChartSheet sheet;
        chart.draw(input, sheet);
        QVERIFY(!sheet.cards().empty());
        auto* card = dynamic_cast<SyncPlot*>(sheet.cards().front());
        QVERIFY(card && card->seriesCount() > 0);
        const PlotTable table = card->table();
        QVERIFY(!table.rows.empty());
        for (const QStringList& row : table.rows)
            QCOMPARE(row.size(), table.columns.size());
        QVERIFY(!chart.findings(input).rows.empty());
        const auto png = plotBytes(*card, ExportOptions{}, QStringLiteral("png"));
        QVERIFY(png.has_value() && png->startsWith("\x89PNG"));
    }

    void drawsTheLine()
    {
        SyncCosts costs{SyncCosts::What::Commits, {}};
        for (const char* series : {"on", "off"}) {
            SyncCost one{series, {}, {}, {}, {}};
            for (const double bytes : {500.0, 200e3, 1e6}) {
                one.runs.push_back({bytes, 2 + bytes * 1e-5});
                one.means.push_back({std::to_string(int(bytes)), bytes, 2 + bytes * 1e-5, 1});
            }
            one.fit = fitLine(one.runs);
            QVERIFY(one.fit);
            costs.list.push_back(std::move(one));
        }
        costs.list[1].fit.reset();
        SyncPlot plot;
        plot.setCosts(costs);
        QCOMPARE(plot.seriesCount(), 2);
        QCOMPARE(plot.lineCount(), 1);
        QVERIFY2(plot.secondary().contains(QStringLiteral("on R 100 MB/s, K 2")), qPrintable(plot.secondary()));
        QCOMPARE(plot.graph(0).dataCount(), 3);
        QCOMPARE(plot.table().rows.size(), std::size_t(6));
        QVERIFY(std::abs(plot.table().rows[2][4].toDouble() - 12) < 1e-6); // the line at 1 MB
        QCOMPARE(plot.table().rows[5][4], QString());
        plot.setLogAxes(true, true);
        QVERIFY(plot.isLogY());
        costs.list.resize(1);
        plot.setCosts(costs);
        QVERIFY2(plot.secondary().contains(QStringLiteral("R = 100 MB/s")), qPrintable(plot.secondary()));
    }

    void saysWhyItCannot_data()
    {
        drawsRuns_data();
        QTest::newRow("sync") << QStringLiteral("sync");
    }
    void saysWhyItCannot()
    {
        QFETCH(QString, id);
        const Chart& chart = chartOf(id.toStdString());
        const std::vector<StoredSession> sessions(1);
        const Pivot nothing;
        const std::vector<RunTrace> none;
        const auto message = chart.whyNot({.sessions = sessions, .pivot = nothing, .traces = none});
        QVERIFY(message.has_value());
        QVERIFY(!message->title.isEmpty() && !message->text.isEmpty());
        ChartSheet sheet;
        chart.draw({.sessions = sessions, .pivot = nothing, .traces = none}, sheet); // and does not fall over
    }
};

} // namespace dyno::tst_charts

DYNO_WIDGET_SUITE(tst_charts, dyno::tst_charts::TestCharts)
#include "tst_charts.moc"
