// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/line_graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace dyno {

namespace {

//! Shares of a pixel that a bar's ends can cover: enough for an even edge.
constexpr int kShades = 4;

using Rects = QVector<QRectF>;

void fillRects(QCPPainter& painter, const Rects& rects, const QColor& color)
{
    if (rects.isEmpty())
        return;
    painter.setBrush(color);
    painter.drawRects(rects);
}

} // namespace

LineGraph::LineGraph(QCPAxis* keyAxis, QCPAxis* valueAxis)
    : QCPGraph(keyAxis, valueAxis)
{}

std::vector<LineGraph::Column> LineGraph::columnsOf(const QCPGraphDataContainer& points, const QCPRange& keys, int count,
                                                    bool log)
{
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    std::vector<Column> columns(std::size_t(count), {kInfinite, -kInfinite});
    const auto placeOf = [log, from = log ? std::log(keys.lower) : keys.lower,
                          factor = count / (log ? std::log(keys.upper / keys.lower) : keys.size())](double key) {
        return ((log ? std::log(key) : key) - from) * factor;
    };
    const auto take = [&columns, count](double column, double value) {
        if (column < 0 || column >= count)
            return;
        Column& one = columns[std::size_t(column)];
        one.low = std::min(one.low, value);
        one.high = std::max(one.high, value);
    };
    const auto end = points.findEnd(keys.upper, true);
    double lastPlace = 0, lastValue = 0;
    bool line = false; // there is a point before this one
    for (auto it = points.findBegin(keys.lower, true); it != end; ++it) {
        const double value = it->value;
        if (!(std::fabs(value) <= std::numeric_limits<double>::max())) {
            line = false;
            continue;
        }
        const double place = placeOf(it->key);
        const double column = std::floor(place);
        if (line && std::floor(lastPlace) != column) {
            // The stroke between two columns belongs to both up to the edge between them.
            const double slope = (value - lastValue) / (place - lastPlace);
            const double last = std::min(column, double(count));
            for (double edge = std::max(std::floor(lastPlace) + 1, 0.0); edge <= last; ++edge) {
                const double there = lastValue + slope * (edge - lastPlace);
                take(edge - 1, there);
                take(edge, there);
            }
        }
        take(column, value);
        lastPlace = place;
        lastValue = value;
        line = true;
    }
    return columns;
}

void LineGraph::draw(QCPPainter* painter)
{
    const bool plainLine = lineStyle() == lsLine && scatterStyle().isNone() && !channelFillGraph();
    const double scale = painter->deviceTransform().m11();
    QCPAxis* axis = keyAxis();
    if (!plainLine || !(scale > 0) || painter->modes().testFlag(QCPPainter::pmVectorized) || selected() || !axis ||
        axis->orientation() != Qt::Horizontal || axis->rangeReversed()) {
        QCPGraph::draw(painter);
        return;
    }
    const int count = int(std::ceil(axis->axisRect()->width() * scale));
    const QCPRange keys = axis->range();
    const auto shown = data()->findEnd(keys.upper, false) - data()->findBegin(keys.lower, false);
    if (count < 1 || shown <= count)
        QCPGraph::draw(painter);
    else
        drawColumns(*painter, columnsOf(*data(), keys, count, axis->scaleType() == QCPAxis::stLogarithmic), scale);
}

void LineGraph::drawColumns(QCPPainter& painter, const std::vector<Column>& columns, double scale) const
{
    const QRect area = valueAxis()->axisRect()->rect();
    const double top = area.top() * scale - 1, bottom = (area.bottom() + 1) * scale + 1; // pixels of the device
    const double base = valueAxis()->scaleType() == QCPAxis::stLogarithmic
                            ? bottom
                            : std::clamp(valueAxis()->coordToPixel(0) * scale, top, bottom);
    const double half = std::max(1.0, pen().widthF() * scale) / 2;
    Rects below, whole;
    std::array<Rects, kShades> edges;
    below.reserve(qsizetype(columns.size()));
    whole.reserve(qsizetype(columns.size()));
    const double left = std::round(area.left() * scale);
    const auto rect = [scale](double x, double from, double to) {
        return QRectF(x / scale, from / scale, 1 / scale, (to - from) / scale);
    };
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (columns[c].low > columns[c].high)
            continue;
        const double x = left + double(c);
        const double from = std::clamp(valueAxis()->coordToPixel(columns[c].high) * scale - half, top, bottom);
        const double to = std::clamp(valueAxis()->coordToPixel(columns[c].low) * scale + half, top, bottom);
        const double first = std::ceil(from), last = std::floor(to);
        if (last > first)
            whole.append(rect(x, first, last));
        if (const auto shade = std::size_t(std::lround((first - from) * kShades)); shade > 0)
            edges[shade - 1].append(rect(x, first - 1, first));
        if (const auto shade = std::size_t(std::lround((to - last) * kShades)); shade > 0)
            edges[shade - 1].append(rect(x, last, last + 1));
        if (base > last)
            below.append(rect(x, last, std::round(base)));
    }
    const bool antialiased = painter.antialiasing();
    painter.setAntialiasing(false);
    painter.setPen(Qt::NoPen);
    if (brush().style() != Qt::NoBrush)
        fillRects(painter, below, brush().color());
    QColor color = pen().color();
    fillRects(painter, whole, color);
    for (int shade = 1; shade <= kShades; ++shade) {
        color.setAlphaF(float(pen().color().alphaF()) * float(shade) / kShades);
        fillRects(painter, edges[std::size_t(shade - 1)], color);
    }
    painter.setAntialiasing(antialiased);
}

} // namespace dyno
