// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of the Compare page: which widget draws what, and the runs that are read for it.
#include "pages/compare_charts.h"

#include "bridge/app_context.h"
#include "forms/banner.h"
#include "forms/choice_pill.h"
#include "models/pivot_gaps.h"
#include "models/pivot_table_model.h"
#include "pages/compare_parts.h"
#include "plots/pivot_plot.h"
#include "plots/scaling_plot.h"
#include "plots/series_labels.h"
#include "plots/strip_plot.h"
#include "plots/trace_reader.h"

#include "format.h"
#include "qt_text.h"

#include <QGridLayout>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dyno {

namespace {

constexpr std::size_t kMostHeatMaps = 9; // at a time: more are too small to read

using Kind = ComparePage::ChartKind;
struct CompareChartsWords
{
    Kind kind;
    const char* text; //!< in a plan
    const char* name;
};
constexpr CompareChartsWords kWords[] = {
    {Kind::Lines, "lines", QT_TRANSLATE_NOOP("dyno::ComparePage", "Lines")},
    {Kind::Bars, "bars", QT_TRANSLATE_NOOP("dyno::ComparePage", "Bars")},
    {Kind::Runs, "runs", QT_TRANSLATE_NOOP("dyno::ComparePage", "Every run")},
    {Kind::Scaling, "scaling", QT_TRANSLATE_NOOP("dyno::ComparePage", "Scaling law")},
    {Kind::Latency, "latency", QT_TRANSLATE_NOOP("dyno::ComparePage", "Latency against throughput")},
    {Kind::Time, "time", QT_TRANSLATE_NOOP("dyno::ComparePage", "Over time")},
    {Kind::Dots, "dots", QT_TRANSLATE_NOOP("dyno::ComparePage", "Every interval")},
    {Kind::Percentiles, "percentiles", QT_TRANSLATE_NOOP("dyno::ComparePage", "Percentiles")},
    {Kind::Heat, "heat", QT_TRANSLATE_NOOP("dyno::ComparePage", "Heat map")},
};

//! Published figures by series and x of one facet; NaN where there is none.
std::vector<std::vector<double>> publishedOver(const Pivot& pivot, const Published& published, const std::string& facet)
{
    std::vector<std::vector<double>> values;
    for (const std::string& series : pivot.series) {
        std::vector<double>& line = values.emplace_back();
        for (const std::string& x : pivot.xs) {
            const PivotCell* cell = pivot.cell(x, series, facet);
            line.push_back((cell ? publishedOf(pivot, published, *cell) : std::nullopt)
                               .value_or(std::numeric_limits<double>::quiet_NaN()));
        }
    }
    return values;
}

//! As many beside each other as can be read; `width` is what there is for them, `wanted` what was chosen (0: nothing).
int columnsFor(std::size_t count, int width, int wanted)
{
    constexpr int kLeastWidth = 230;
    const int fit = std::max(1, (width + space::cardGap) / (kLeastWidth + space::cardGap));
    const int usual = count <= 3 ? int(count) : int(count + 1) / 2;
    return std::min(wanted > 0 ? std::min(wanted, int(count)) : usual, fit);
}

} // namespace

ComparePage::ChartKind chartKindOf(const std::string& chart)
{
    for (const CompareChartsWords& words : kWords) {
        if (chart == words.text)
            return words.kind;
    }
    return Kind::Lines;
}

std::string chartText(ComparePage::ChartKind kind)
{
    return kWords[std::size_t(kind)].text;
}

const std::vector<ComparePage::ChartKind>& chartKinds()
{
    static const std::vector<Kind> kinds = [] {
        std::vector<Kind> list;
        for (const CompareChartsWords& words : kWords)
            list.push_back(words.kind);
        return list;
    }();
    return kinds;
}

QString chartName(ComparePage::ChartKind kind)
{
    return ComparePage::tr(kWords[std::size_t(kind)].name);
}

std::optional<double> publishedOf(const Pivot& pivot, const Published& published, const PivotCell& cell)
{
    const std::optional<double> figure = publishedAt(published, pivot.request, cell);
    if (figure || published.relativeTo.empty() || pivot.xs.size() != 1)
        return figure;
    PivotRequest open = pivot.request;
    open.x.clear();
    return publishedAt(published, open, cell);
}

bool ComparePage::overSeconds() const
{
    const bool overTime = m_chart == ChartKind::Time || m_chart == ChartKind::Dots;
    return m_chart == ChartKind::Heat || (overTime && m_over->current().isEmpty());
}

bool ComparePage::ofIntervals() const
{
    return m_chart == ChartKind::Time || m_chart == ChartKind::Dots || m_chart == ChartKind::Percentiles ||
           m_chart == ChartKind::Heat;
}

void ComparePage::setChartKind(ChartKind kind)
{
    m_chart = kind;
    if (!m_comparison)
        return;
    if (kind == ChartKind::Scaling || kind == ChartKind::Latency)
        recompute(); // they show more than the pivot
    else
        showPlots();
}

template<class Card, class Fill>
void ComparePage::fillCards(std::size_t count, Fill fill)
{
    qDeleteAll(m_cards);
    m_cards.clear();
    for (std::size_t i = 0; i < count; ++i) {
        Card* card = fill(i);
        card->setExportCaption(m_comparison->caption);
        if (i > 0)
            card->setObjectName(card->objectName() + QString::number(i + 1));
        m_cards.push_back(card);
    }
    arrange(m_cardGrid, m_cards);
}

//! Charts of one kind in rows of as many as fit.
template<class Card>
void ComparePage::arrange(QGridLayout* grid, const std::vector<Card*>& cards)
{
    const int count = int(cards.size());
    const int perRow = columnsFor(std::max<std::size_t>(1, cards.size()), m_charts->width(),
                                  m_perRow->current().toInt()); // 0: as many as fit
    setChartRows((count + perRow - 1) / perRow);
    for (int column = 0; column < std::max(perRow, grid->columnCount()); ++column)
        grid->setColumnStretch(column, column < perRow ? 1 : 0);
    for (int i = 0; i < count; ++i) {
        grid->addWidget(cards[std::size_t(i)], i / perRow, i % perRow);
        cards[std::size_t(i)]->show(); // at once: the layout would do it an event later
    }
}

bool ComparePage::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_charts && event->type() == QEvent::Resize)
        rearrange();
    return Page::eventFilter(watched, event);
}

void ComparePage::rearrange()
{
    if (m_charts->currentIndex() == PivotPage)
        arrange(m_plotGrid, m_plots);
    else if (m_charts->currentIndex() == CardPage)
        arrange(m_cardGrid, m_cards);
}

void ComparePage::showPlots()
{
    m_chartPill->setCurrent(qtText(chartText(m_chart)));
    const bool pivots = m_chart == ChartKind::Lines || m_chart == ChartKind::Bars;
    const bool overTime = m_chart == ChartKind::Time || m_chart == ChartKind::Dots;
    m_centre->setVisible(pivots && runFacts(*m_comparison).mostRepeats > 1);
    m_relative->setVisible(pivots && m_relative->choices().size() > 1);
    const bool measured = pivots || overTime || m_chart == ChartKind::Runs || m_chart == ChartKind::Latency;
    // Against throughput stands a latency, whatever the table shows.
    const std::string& drawn = m_chart == ChartKind::Latency ? m_view.latency.request.measure : m_request.measure;
    m_measure->setCurrent(qtText(splitMeasure(drawn).first));
    // The others show latency of transactions, whatever the measure.
    m_measure->setVisible(measured && m_measure->choices().size() > 1);
    m_of->setVisible(measured && m_of->choices().size() > 1);
    m_at->setVisible(ofIntervals() && !xIsElsewhere(m_request) && m_at->choices().size() > 1);
    m_published->setVisible(pivots && m_published->choices().size() > 1);
    m_repeat->setVisible(ofIntervals() && m_repeat->choices().size() > 1);
    m_log->setVisible(m_chart != ChartKind::Percentiles && m_chart != ChartKind::Heat);
    m_over->setVisible(overTime);
    m_layout->setVisible(overTime);
    if (pivots)
        showPivotPlots();
    else if (!ofIntervals())
        showCards();
    const bool any = std::any_of(m_view.pivot.cells.begin(), m_view.pivot.cells.end(),
                                 [](const PivotCell& cell) { return !cell.estimate.runs.empty(); });
    if (!any && !ofIntervals()) {
        const RunFacts facts = runFacts(*m_comparison);
        if (facts.runs > 0)
            m_noData->setTexts(tr("Not measured in these runs"),
                               tr("The target does not report it, or it was not recorded. Choose another measure."));
        else
            m_noData->setTexts(
                tr("No complete run to draw"),
                facts.failed > 0 || facts.skipped > 0
                    ? tr("No run is complete. What was measured until then is kept: see it over time, or "
                         "replay the session.")
                    : tr("The session ended before its first run began."));
        m_charts->setCurrentIndex(NoDataPage);
    } else if (pivots) {
        m_charts->setCurrentIndex(PivotPage);
    } else if (!ofIntervals()) {
        m_charts->setCurrentIndex(CardPage);
    }
    if (ofIntervals())
        loadTraces();
    showFacts();
    updateMore();
    updateFold();
}

void ComparePage::showPivotPlots()
{
    const std::vector<std::string> facets = drawnFacets(m_view.pivot);
    const std::size_t count = std::max<std::size_t>(1, facets.size());
    while (m_plots.size() > count) {
        delete m_plots.back();
        m_plots.pop_back();
    }
    double highest = PivotPlot::highestOf(m_view.pivot);
    const Published* published = chosenPublished();
    for (const PivotCell& cell : m_view.pivot.cells)
        highest = std::max(highest, published ? publishedOf(m_view.pivot, *published, cell).value_or(0) : 0);
    for (std::size_t i = 0; i < count; ++i) {
        if (i == m_plots.size()) {
            m_plots.push_back(new PivotPlot);
            m_plots.back()->setAccessibleName(tr("Chart of the comparison"));
        }
        PivotPlot* plot = m_plots[i];
        plot->setObjectName(i == 0 ? QStringLiteral("pivotPlot") : QStringLiteral("pivotPlot%1").arg(i + 1));
        const auto caption = m_view.captions.find(facets.empty() ? std::string() : facets[i]);
        plot->setExportCaption(caption == m_view.captions.end() ? m_comparison->caption : caption->second);
        plot->setSharedHighest(count > 1 ? highest : 0);
        plot->setChart(m_chart == ChartKind::Bars ? PivotPlot::Chart::Bars : PivotPlot::Chart::Lines);
        plot->setLogAxes(m_log->current().contains(QLatin1Char('x')), m_log->current().contains(QLatin1Char('y')));
        plot->setPublished(published ? publishedOver(m_view.pivot, *published, facets.empty() ? std::string() : facets[i])
                                     : std::vector<std::vector<double>>(),
                           published ? qtText(published->source) : QString());
        plot->setPivot(m_view.pivot, facets.empty() ? QString() : qtText(facets[i]));
    }
    arrange(m_plotGrid, m_plots);
}

void ComparePage::showCards()
{
    const bool logX = m_log->current().contains(QLatin1Char('x')), logY = m_log->current().contains(QLatin1Char('y'));
    const std::vector<std::string> facets = drawnFacets(m_view.pivot);
    const auto facetAt = [](const std::vector<std::string>& list, std::size_t i) {
        return list.empty() ? QString() : qtText(list[i]);
    };
    if (m_chart == ChartKind::Runs) {
        fillCards<StripPlot>(std::max<std::size_t>(1, facets.size()), [&](std::size_t i) {
            auto* plot = new StripPlot;
            plot->setSharedHighest(facets.size() > 1 ? StripPlot::highestOf(m_view.pivot) : 0);
            plot->setLogY(logY);
            plot->setPivot(m_view.pivot, facetAt(facets, i));
            return plot;
        });
    } else if (m_chart == ChartKind::Scaling) {
        std::vector<std::string> own;
        for (const Scaling& one : m_view.scaling) {
            if (std::find(own.begin(), own.end(), one.facet) == own.end())
                own.push_back(one.facet);
        }
        fillCards<ScalingPlot>(std::max<std::size_t>(1, own.size()), [&](std::size_t i) {
            auto* plot = new ScalingPlot;
            plot->setLogAxes(logX, logY);
            plot->setScaling(m_view.scaling, facetAt(own, i));
            return plot;
        });
    } else {
        const std::vector<std::string>& own = m_view.throughput.facets;
        fillCards<LoadCurvePlot>(std::max<std::size_t>(1, own.size()), [&](std::size_t i) {
            auto* plot = new LoadCurvePlot;
            plot->setLogY(logY);
            plot->setCurves(loadCurvesOf(m_view.throughput, m_view.latency, own.empty() ? std::string() : own[i]),
                            PivotTableModel::measureLabel(m_view.latency.measure()), facetAt(own, i));
            return plot;
        });
    }
}

//! Several rows of charts scroll in their own place where they do not fit: table and side column stay in sight.
void ComparePage::setChartRows(int rows)
{
    constexpr int kSmall = 224;
    for (QWidget* box : {m_plotBox, m_cardBox})
        box->setMinimumHeight(rows > 1 ? rows * kSmall + (rows - 1) * space::cardGap : 0);
    if (rows == m_chartRows)
        return;
    const bool divide = !m_dividedByHand && (m_chartRows == 0 || (rows > 1) != (m_chartRows > 1));
    m_chartRows = rows;
    if (divide)
        m_left->setSizes(rows > 1 ? QList<int>{1000, 1} : QList<int>{392, 290}); // six rows of the table at 1440 × 900
}

PlotCard& ComparePage::frontPlot() const
{
    if ((m_chart == ChartKind::Lines || m_chart == ChartKind::Bars) && !m_plots.empty())
        return *m_plots.front();
    if (m_charts->currentIndex() == CardPage && !m_cards.empty())
        return *m_cards.front();
    return m_time->throughput();
}

void ComparePage::loadTraces()
{
    if (!m_comparison)
        return;
    std::vector<const PivotCell*> cells = m_table->selectedCells();
    const bool chosen = !cells.empty();
    // An axis that tells the lines apart does not choose among them as well.
    const bool everyX = xIsElsewhere(m_request);
    for (const PivotCell& cell : m_view.pivot.cells) {
        if (!chosen && (everyX || qtText(cell.x) == m_at->current()))
            cells.push_back(&cell);
    }
    std::vector<WantedTrace> wanted;
    const bool all = m_repeat->current() == QStringLiteral("all");
    const bool overTime = m_chart == ChartKind::Time || m_chart == ChartKind::Dots;
    const auto& names = m_view.pivot.series;
    const bool arrivals = hasArrivals(m_comparison->sessions);
    for (const PivotCell* cell : cells) {
        if (!cell->spread.empty() && cell->spread != "mean")
            continue; // the same run
        if (!cell->operation.empty() && cell->estimate.runs.empty())
            continue; // these runs have no such operation
        for (const CellRun& run : runsOf(*m_comparison, m_request, *cell)) {
            if (!all && run.run->header.repeat != m_repeat->current().toInt())
                continue;
            if (!overTime && std::ranges::any_of(wanted, [&](const WantedTrace& one) { return one.run == run.run->id; }))
                continue; // percentiles and heat are of whole transactions
            QStringList name;
            if (!cell->series.empty())
                name += qtText(cell->series);
            if (everyX && !cell->facet.empty())
                name += PivotTableModel::facetLabel(m_request.facet, cell->facet);
            else
                name += PivotTableModel::facetParts(m_request.facet, cell->facet, chosen ? std::string() : m_request.x);
            if (chosen && !everyX && !cell->x.empty())
                name += qtText(cell->x);
            if (all)
                name += QStringLiteral("#%1").arg(run.run->header.repeat);
            const auto at = std::find(names.begin(), names.end(), cell->series);
            const int series = at == names.end() ? 0 : int(at - names.begin());
            // A colour a series, as in the chart; facets differ by dash.
            const auto& facets = m_view.pivot.facets;
            const auto facet = std::find(facets.begin(), facets.end(), cell->facet) - facets.begin();
            const LinePlace place{series, int(names.size()), int(facet), int(facets.size())};
            wanted.push_back({run.run->id, run.run->header.operations,
                              courseMeasuresOf(m_request.measure, cell->operation, arrivals),
                              name.isEmpty() ? tr("run") : name.join(QStringLiteral(", ")),
                              chosen ? int(wanted.size()) : lineColor(place, int(wanted.size())),
                              m_comparison->sessions[run.session].info.id, run.run->summary.starvation});
        }
    }
    TraceParts parts;
    parts.percentiles = m_chart == ChartKind::Percentiles;
    parts.heat = m_chart == ChartKind::Heat;
    parts.response = showsResponse(m_request.measure, arrivals);
    m_tracesSecondary = chosen   ? tr("selected rows")
                        : everyX ? tr("every %1", "axis").arg(qtText(m_request.x))
                                 : QStringLiteral("%1 = %2").arg(qtText(m_request.x), m_at->current());
    if (parts.heat && wanted.size() > kMostHeatMaps) {
        m_tracesSecondary = tr("%1 · the first %2 of %3; select rows of the table to see others").arg(m_tracesSecondary).arg(kMostHeatMaps).arg(wanted.size());
        wanted.resize(kMostHeatMaps);
    }
    const int token = ++m_traceLoads;
    using Traces = std::vector<RunTrace>;
    m_worker.run<Traces>(
        Library::Mode::ReadOnly,
        [wanted, parts](Library& library) -> Expected<Traces> {
            Traces traces;
            TraceReader reader(library, parts);
            for (const WantedTrace& want : wanted) {
                auto trace = reader.read(want);
                if (!trace)
                    return fail(trace.error());
                traces.push_back(std::move(*trace));
            }
            return traces;
        },
        [this, token](Expected<Traces> traces) {
            if (token != m_traceLoads)
                return;
            if (!traces) {
                m_banner->showError(tr("The runs cannot be read"), traces.error());
                return;
            }
            m_traces = std::move(*traces);
            if (ofIntervals())
                showTraces();
        });
}

void ComparePage::showTraces()
{
    TracePlot::Look look;
    look.dots = m_chart == ChartKind::Dots;
    look.overRows = m_over->current() == QStringLiteral("rows");
    const bool logY = m_log->current().contains(QLatin1Char('y'));
    if (m_chart == ChartKind::Percentiles) {
        fillCards<SpectrumPlot>(1, [this](std::size_t) {
            auto* plot = new SpectrumPlot;
            plot->setTraces(m_traces, m_tracesSecondary);
            return plot;
        });
    } else if (m_chart == ChartKind::Heat) {
        fillCards<HeatPlot>(m_traces.size(), [this](std::size_t i) {
            auto* plot = new HeatPlot;
            plot->setTrace(m_traces[i], m_tracesSecondary, HeatPlot::spanOf(m_traces));
            showPart(*plot, m_from, m_to);
            return plot;
        });
    } else if (m_layout->current() == QStringLiteral("each")) {
        look.top = TracePlot::topOf(m_traces, TraceValue::Throughput);
        fillCards<TracePlot>(m_traces.size(), [&](std::size_t i) {
            auto* plot = new TracePlot(TraceValue::Throughput);
            plot->setObjectName(QStringLiteral("tracePlot"));
            plot->setLogY(logY);
            plot->setTraces({m_traces[i]}, m_tracesSecondary, look);
            if (overSeconds())
                showPart(*plot, m_from, m_to);
            plot->setTitle(m_traces[i].name); // what tells the charts apart comes first
            return plot;
        });
    } else {
        for (TracePlot* plot : {&m_time->throughput(), &m_time->latency()})
            plot->setLogY(logY);
        m_time->setTraces(m_traces, m_tracesSecondary, look);
        if (overSeconds())
            showPart(m_time->throughput(), m_from, m_to); // and with it the other
        setChartRows(1);
        m_charts->setCurrentIndex(TimePage);
        showFacts();
        updateMore();
        return;
    }
    m_charts->setCurrentIndex(CardPage);
    showFacts();
    updateMore();
}

void ComparePage::showFacts()
{
    FactsCard::Rows rows;
    QString title, note;
    if (m_chart == ChartKind::Scaling) {
        title = tr("One user against many");
        for (const Scaling& one : m_view.scaling) {
            QStringList parts;
            if (one.singleUserMs)
                parts += tr("one user %1 ms").arg(format::milliseconds(*one.singleUserMs));
            if (one.gapToLinear)
                parts += tr("%1 below linear at %2 users", "a percentage")
                             .arg(format::percent(*one.gapToLinear), format::count(qint64(one.mostUsers)));
            if (one.fit)
                parts += qtText(toText(*one.fit, "transactions/s"));
            QStringList name;
            for (const std::string& part : {one.series, one.facet}) {
                if (!part.empty())
                    name += qtText(part);
            }
            rows.emplace_back(name.isEmpty() ? tr("all runs") : name.join(QStringLiteral(", ")),
                              parts.join(QStringLiteral("; ")));
        }
        note = tr("Universal Scalability Law, fitted by least squares to every run; response time is the mean");
    } else if (m_chart == ChartKind::Time || m_chart == ChartKind::Dots) {
        title = tr("Stalls and dips");
        constexpr std::size_t kMost = 30;
        std::size_t more = 0;
        for (const RunTrace& trace : m_traces) {
            for (const Stall& stall : trace.stalls) {
                if (rows.size() >= kMost) {
                    ++more;
                    continue;
                }
                const QString what = stall.stalled ? tr("stall") : tr("dip");
                const double at = double(stall.tNs) / 1e9;
                const QString when = trace.seconds.back() < 10 ? tr("%1 s").arg(format::number(at, 1)) : format::clock(at);
                rows.emplace_back(QStringLiteral("%1 · %2").arg(when, what),
                                  tr("%1: %2 s, down to %3 of %4/s", "run: length, lowest, usual")
                                      .arg(trace.name, format::number(double(stall.lengthNs) / 1e9, 1),
                                           format::rate(stall.lowest), format::rate(stall.usual)));
            }
        }
        if (more > 0)
            note = tr("and %1 more").arg(format::count(qint64(more)));
    }
    m_findings->setTitle(title);
    m_findings->setRows(rows, note);
    m_findings->setVisible(!rows.empty());
}

} // namespace dyno
