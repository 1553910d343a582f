// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/published_figures.h"

#include <algorithm>
#include <cmath>

namespace dyno {

bool PublishedFigures::has(std::size_t series, std::size_t x) const
{
    return series < m_values.size() && x < m_values[series].size() && !std::isnan(m_values[series][x]);
}

bool PublishedFigures::hasAny(std::size_t x) const
{
    return std::ranges::any_of(m_values, [x](const auto& line) { return x < line.size() && std::isfinite(line[x]); });
}

std::optional<std::pair<double, double>> PublishedFigures::span() const
{
    std::optional<std::pair<double, double>> span;
    for (const std::vector<double>& line : m_values) {
        for (const double value : line) {
            if (std::isfinite(value) && value > 0)
                span = span ? std::pair(std::min(span->first, value), std::max(span->second, value))
                            : std::pair(value, value);
        }
    }
    return span;
}

double PublishedFigures::draw(QCustomPlot& plot, std::size_t series, const std::vector<std::size_t>& xs,
                              const std::function<double(std::size_t)>& keyOf, bool joined)
{
    QVector<double> keys, values;
    for (std::size_t place = 0; place < xs.size(); ++place) {
        if (!has(series, xs[place]))
            continue;
        keys << keyOf(place);
        values << m_values[series][xs[place]];
    }
    if (keys.isEmpty())
        return 0;
    auto* graph = new QCPGraph(plot.xAxis, plot.yAxis);
    graph->setData(keys, values, true);
    graph->setLineStyle(joined ? QCPGraph::lsLine : QCPGraph::lsNone);
    graph->setSelectable(QCP::stNone);
    graph->removeFromLegend();
    m_graphs.emplace_back(graph, int(series));
    return *std::max_element(values.begin(), values.end());
}

void PublishedFigures::clear(QCustomPlot& plot)
{
    for (const auto& [graph, series] : m_graphs) {
        if (graph)
            plot.removePlottable(graph);
    }
    m_graphs.clear();
}

int PublishedFigures::count() const
{
    int count = 0;
    for (const auto& [graph, series] : m_graphs)
        count += graph ? graph->dataCount() : 0;
    return count;
}

QCPGraph* PublishedFigures::graph(std::size_t series) const
{
    const auto found =
        std::ranges::find_if(m_graphs, [series](const auto& drawn) { return std::size_t(drawn.second) == series; });
    return found == m_graphs.end() ? nullptr : found->first.data();
}

void PublishedFigures::setVisible(int series, bool visible)
{
    for (const auto& [graph, of] : m_graphs) {
        if (of == series && graph)
            graph->setVisible(visible);
    }
}

void PublishedFigures::dress(const std::function<QColor(int)>& colorOf, const QColor& surface, double width)
{
    for (const auto& [graph, series] : m_graphs) {
        const QColor color = colorOf(series);
        graph->setPen(QPen(color, width, Qt::DashLine));
        graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(color, 1.5), QBrush(surface), 8));
    }
}

} // namespace dyno
