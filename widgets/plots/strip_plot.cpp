// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/strip_plot.h"

#include "format.h"
#include "plots/pivot_gaps.h"
#include "plots/pivot_table_model.h"
#include "plots/plot_style.h"
#include "plots/series_labels.h"
#include "qt_text.h"

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr double kHalfBox = 0.34, kHalfMedian = 0.26, kJitter = 0.16; // of a place

//! Linear interpolation between the sorted values (R's type 7).
double quantile(const std::vector<double>& sorted, double share)
{
    const double at = share * double(sorted.size() - 1);
    const auto below = std::size_t(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - double(below)) * (sorted[above] - sorted[below]);
}

} // namespace

StripPlot::StripPlot(QWidget* parent)
    : PlotCard({}, {}, parent)
{
    setObjectName(QStringLiteral("stripPlot"));
    setAccessibleName(tr("Every run of the comparison"));
    plot().setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
    setMinimumWidth(200);
    setEndLabelsShown(false);
    connect(this, &PlotCard::seriesVisibilityChanged, this, [this](int series, bool visible) {
        for (const auto* list : {&m_hollow}) {
            for (const auto& [graph, of] : *list) {
                if (graph && of == series)
                    graph->setVisible(visible);
            }
        }
        for (const auto& [box, of] : m_boxes) {
            if (box && of == series)
                box->setVisible(visible);
        }
        for (const auto& [line, of] : m_medians) {
            if (line && of == series)
                line->setVisible(visible);
        }
    });
}

void StripPlot::clearItems()
{
    for (const auto& [graph, series] : m_hollow) {
        if (graph)
            plot().removePlottable(graph);
    }
    for (const auto& [box, series] : m_boxes) {
        if (box)
            plot().removePlottable(box);
    }
    for (const auto& [line, series] : m_medians) {
        if (line)
            plot().removeItem(line);
    }
    for (const auto& text : m_groups) {
        if (text)
            plot().removeItem(text);
    }
    m_hollow.clear();
    m_boxes.clear();
    m_medians.clear();
    m_groups.clear();
    clearSeries();
}

double StripPlot::highestOf(const Pivot& pivot)
{
    double highest = 0;
    for (const PivotCell& cell : pivot.cells) {
        for (const double run : cell.estimate.runs)
            highest = std::max(highest, run);
    }
    return highest;
}

void StripPlot::setPivot(const Pivot& pivot, const QString& facet)
{
    m_pivot = pivot;
    m_facet = facet.toStdString();
    clearItems();
    m_highest = 0;
    m_dots = 0;
    const PivotPlaces places = placesOf(m_pivot, m_facet);
    m_places = places.xs;
    const std::size_t series = m_pivot.series.size(), groups = places.xs.size();
    const std::size_t step = series + (series > 1 ? 1 : 0);
    QStringList labels;
    for (std::size_t s = 0; s < series; ++s) {
        SeriesStyle style;
        style.color = int(s);
        style.dots = true;
        addSeries(m_pivot.series[s].empty() ? tr("all runs")
                                            : casesWords(qtText(m_pivot.request.series), qtText(m_pivot.series[s])),
                  style);
    }
    const bool named = series * groups <= 12;
    for (std::size_t group = 0; group < groups; ++group) {
        const std::size_t x = places.xs[group];
        while (std::size_t(labels.size()) < group * step)
            labels << QString();
        for (std::size_t s = 0; s < series; ++s) {
            const PivotCell* cell = m_pivot.cell(m_pivot.xs[x], m_pivot.series[s], m_facet);
            labels << (series == 1       ? qtText(m_pivot.xs[x])
                       : named           ? shortLabel(seriesName(int(s)))
                       : s == series / 2 ? qtText(m_pivot.xs[x])
                                         : QString());
            if (cell && !cell->estimate.runs.empty())
                addCell(int(s), double(group * step + s), *cell);
        }
        if (series > 1 && named) {
            auto* text = new QCPItemText(&plot());
            text->setText(PivotTableModel::facetLabel(m_pivot.request.x, m_pivot.xs[x])); // as below bars
            text->position->setTypeX(QCPItemPosition::ptPlotCoords);
            text->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
            text->position->setCoords(double(group * step) + double(series - 1) / 2, 1);
            text->setPositionAlignment(Qt::AlignHCenter | Qt::AlignTop);
            text->setPadding(QMargins(0, 7 * space::grid, 0, 0));
            text->setClipToAxisRect(false);
            text->setSelectable(false);
            m_groups.emplace_back(text);
        }
    }
    setCategories(labels);
    setXLabel(m_groups.empty() ? qtText(m_pivot.request.x) : QStringLiteral(" "));
    setXRange(-0.75, double(labels.size()) - 0.25);
    const QString by =
        tr("%1 by %2", "measure by axis").arg(PivotTableModel::measureLabel(m_pivot), qtText(m_pivot.request.x));
    setTitle(m_facet.empty() ? by : PivotTableModel::facetLabel(m_pivot.request.facet, m_facet));
    QStringList second;
    const MeasureInfo measure = m_pivot.measure();
    double lowest = 0; // above 0, of all facets
    for (const PivotCell& cell : m_pivot.cells) {
        for (const double run : cell.estimate.runs)
            lowest = run > 0 && (lowest == 0 || run < lowest) ? run : lowest;
    }
    const QString unit = setAxisUnit(*this, measure, lowest, std::max(m_highest, m_shared));
    if (!unit.isEmpty())
        second << unit;
    second << tr("every run a dot, line at the median");
    if (boxCount() > 0)
        second << tr("box: middle half");
    if (!m_hollow.empty())
        second << tr("hollow: outlier");
    if (!places.leftOut.isEmpty())
        second << places.leftOut;
    if (const auto drawn = drawnFacets(m_pivot); !drawn.empty() && drawn.front() == m_facet) {
        if (const QString left = leftOutFacets(m_pivot); !left.isEmpty())
            second << left;
    }
    setSecondary(second.join(QStringLiteral(", ")));
    restyle(plotColors(), plotMode());
    resetZoom();
    markDirty();
}

void StripPlot::addCell(int series, double place, const PivotCell& cell)
{
    const std::vector<double>& runs = cell.estimate.runs;
    QVector<double> keys, values, farKeys, farValues;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        // Side by side in the order they ran, so that a drift within the repeats shows as a slope.
        const double share = runs.size() == 1 ? 0.0 : 2 * double(i) / double(runs.size() - 1) - 1;
        const bool far = i < cell.outliers.size() && cell.outliers[i];
        (far ? farKeys : keys) << place + kJitter * share;
        (far ? farValues : values) << runs[i];
        m_highest = std::max(m_highest, runs[i]);
    }
    m_dots += int(runs.size());
    graph(series).addData(keys, values, true);
    if (!farKeys.isEmpty()) {
        auto* hollow = new QCPGraph(plot().xAxis, plot().yAxis);
        hollow->setData(farKeys, farValues, true);
        hollow->setName(seriesName(series)); // by which spotsOf() finds them
        hollow->setLineStyle(QCPGraph::lsNone);
        hollow->setSelectable(QCP::stNone);
        hollow->removeFromLegend();
        m_hollow.emplace_back(hollow, series);
    }
    if (runs.size() >= kFewestForBox) {
        std::vector<double> sorted = runs;
        std::sort(sorted.begin(), sorted.end());
        auto* box = new QCPStatisticalBox(plot().xAxis, plot().yAxis);
        box->addData(place, sorted.front(), quantile(sorted, 0.25), cell.estimate.median, quantile(sorted, 0.75),
                     sorted.back());
        box->setWidth(2 * kHalfBox);
        box->setWhiskerWidth(0);
        box->setSelectable(QCP::stNone);
        box->removeFromLegend();
        m_boxes.emplace_back(box, series);
    }
    auto* line = new QCPItemLine(&plot());
    line->start->setCoords(place - kHalfMedian, cell.estimate.median);
    line->end->setCoords(place + kHalfMedian, cell.estimate.median);
    line->setSelectable(false);
    m_medians.emplace_back(line, series);
}

void StripPlot::restyle(const ThemeColors& colors, ThemeMode mode)
{
    PlotCard::restyle(colors, mode);
    for (int s = 0; s < seriesCount(); ++s) {
        QColor color = seriesColor(s);
        color.setAlpha(190);
        graph(s).setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, Qt::NoPen, QBrush(color), 7));
    }
    for (const auto& [graph, series] : m_hollow) {
        graph->setScatterStyle(
            QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(seriesColor(series), 1.5), QBrush(colors.surface), 8));
    }
    for (const auto& [box, series] : m_boxes) {
        const QPen thin(blend(seriesColor(series), colors.surface, 0.6), 1);
        box->setBrush(blend(seriesColor(series), colors.surface, 0.14));
        box->setPen(Qt::NoPen);
        box->setWhiskerPen(thin);
        box->setWhiskerBarPen(Qt::NoPen);
        box->setMedianPen(Qt::NoPen);
    }
    for (const auto& [line, series] : m_medians)
        line->setPen(QPen(seriesColor(series), mode == ThemeMode::Print ? 2.5 : 2));
    for (const auto& text : m_groups) {
        text->setColor(colors.secondText);
        text->setFont(Theme::font(TextRole::Label));
    }
}

void StripPlot::updateRanges()
{
    PlotCard::updateRanges();
    const double highest = std::max(m_highest, m_shared);
    if (!isLogY() && highest > 0)
        plot().yAxis->setRange(0, highest * 1.08);
}

QString StripPlot::placeText(int series, double x) const
{
    const auto at = std::size_t(std::max(0L, std::lround(x)));
    const std::size_t count = m_pivot.series.size(), group = at / std::max<std::size_t>(1, count + (count > 1 ? 1 : 0));
    if (group >= m_places.size() || std::size_t(series) >= count)
        return PlotCard::placeText(series, x);
    return placeWords(m_pivot, std::size_t(series), m_places[group]);
}

QString StripPlot::unit() const
{
    return qtText(m_pivot.measure().unit);
}

QString StripPlot::valueText(double value) const
{
    const MeasureInfo info = m_pivot.measure();
    return measureText(value, &info);
}

PlotTable StripPlot::table() const
{
    const std::string& unit = m_pivot.measure().unit;
    PlotTable table;
    table.columns << qtText(m_pivot.request.x)
                  << (m_pivot.request.series.empty() ? QStringLiteral("series") : qtText(m_pivot.request.series))
                  << QStringLiteral("repeat")
                  << (unit.empty() ? qtText(m_pivot.request.measure)
                                   : QStringLiteral("%1 [%2]").arg(qtText(m_pivot.request.measure), qtText(unit)))
                  << QStringLiteral("outlier");
    for (const PivotCell& cell : m_pivot.cells) {
        for (std::size_t i = 0; cell.facet == m_facet && i < cell.estimate.runs.size(); ++i) {
            const bool far = i < cell.outliers.size() && cell.outliers[i];
            table.rows.push_back({qtText(cell.x), qtText(cell.series),
                                  i < cell.repeats.size() ? QString::number(cell.repeats[i]) : QString(),
                                  QString::number(cell.estimate.runs[i], 'g', 10),
                                  far ? QStringLiteral("1") : QString()});
        }
    }
    return table;
}

} // namespace dyno
