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

//! `color`, of which `share` is there.
QRgb shadeOf(QColor color, double share)
{
    color.setAlphaF(float(double(color.alphaF()) * share));
    return qPremultiply(color.rgba());
}

//! `above` over `below`, both premultiplied.
QRgb over(QRgb below, QRgb above)
{
    const int rest = 255 - qAlpha(above);
    const auto mix = [rest](int low, int high) { return high + (low * rest + 127) / 255; };
    return qRgba(mix(qRed(below), qRed(above)), mix(qGreen(below), qGreen(above)), mix(qBlue(below), qBlue(above)),
                 mix(qAlpha(below), qAlpha(above)));
}

} // namespace

LineGraph::LineGraph(QCPAxis* keyAxis, QCPAxis* valueAxis)
    : QCPGraph(keyAxis, valueAxis)
{
}

std::vector<LineGraph::Column> LineGraph::columnsOf(const QCPGraphDataContainer& points, const QCPRange& keys,
                                                    int count, bool log)
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

//! The first value of a line has no stroke yet: a dot shows that it has come.
void LineGraph::drawFirst(QCPPainter& painter) const
{
    constexpr double kRadius = 2.5; // pixels
    const QPointF at = coordsToPixels(data()->constBegin()->key, data()->constBegin()->value);
    if (!std::isfinite(at.x()) || !std::isfinite(at.y()))
        return;
    painter.setAntialiasing(true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(pen().color());
    painter.drawEllipse(at, kRadius, kRadius);
}

void LineGraph::draw(QCPPainter* painter)
{
    if (data()->size() == 1 && lineStyle() == lsLine && scatterStyle().isNone())
        return drawFirst(*painter);
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
    // One picture a line: thousands of rectangles cost the painter many times as much.
    const QRect area = valueAxis()->axisRect()->rect();
    const double left = std::round(area.left() * scale), top = std::floor(area.top() * scale); // pixels of the device
    const int height = int(std::ceil((area.bottom() + 1) * scale) - top);
    QImage image(int(columns.size()), height, QImage::Format_ARGB32_Premultiplied);
    if (image.isNull())
        return;
    image.fill(Qt::transparent);
    auto* const pixels = reinterpret_cast<QRgb*>(image.bits());
    const qsizetype stride = image.bytesPerLine() / qsizetype(sizeof(QRgb));
    const auto yOf = [&](double value) {
        return std::clamp(valueAxis()->coordToPixel(value) * scale - top, -1.0, height + 1.0);
    };
    const auto fill = [&](std::size_t column, double from, double to, QRgb color) {
        const int end = std::min(int(to), height);
        for (int y = std::max(int(from), 0); y < end; ++y)
            pixels[y * stride + qsizetype(column)] = color;
    };
    const auto cover = [&](std::size_t column, double y, QRgb color) {
        if (y < 0 || y >= height)
            return;
        QRgb& pixel = pixels[qsizetype(y) * stride + qsizetype(column)];
        pixel = over(pixel, color);
    };
    const bool log = valueAxis()->scaleType() == QCPAxis::stLogarithmic;
    const double base = log ? height : std::round(yOf(0));
    const double half = std::max(1.0, pen().widthF() * scale) / 2;
    const bool filled = brush().style() != Qt::NoBrush;
    const QRgb below = shadeOf(brush().color(), 1);
    std::array<QRgb, kShades + 1> shades{};
    for (int shade = 0; shade <= kShades; ++shade)
        shades[std::size_t(shade)] = shadeOf(pen().color(), double(shade) / kShades);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (columns[c].low > columns[c].high)
            continue;
        const double from = std::max(yOf(columns[c].high) - half, -1.0),
                     to = std::min(yOf(columns[c].low) + half, height + 1.0);
        const double first = std::ceil(from), last = std::floor(to);
        if (filled)
            fill(c, last, base, below);
        fill(c, first, last, shades[kShades]);
        cover(c, first - 1, shades[std::size_t(std::lround((first - from) * kShades))]);
        cover(c, last, shades[std::size_t(std::lround((to - last) * kShades))]);
    }
    image.setDevicePixelRatio(scale);
    painter.drawImage(QPointF(left, top) / scale, image);
}

} // namespace dyno
