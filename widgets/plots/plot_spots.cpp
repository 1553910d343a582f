// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/plot_spots.h"

#include "plots/plot_card.h"

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr int kMostValues = 400; //!< with a spot each
constexpr int kStrips = 120;
constexpr double kHalfSpot = 8; // pixels

QString valueWords(const PlotCard& card, double value)
{
    const QString text = card.valueText(value), unit = card.unit();
    const bool bare = !text.isEmpty() && text.back().isDigit();
    return bare && !unit.isEmpty() ? text + QChar(0x00A0) + unit : text;
}

PictureSpot spotAt(const QRectF& rect, const QPointF& origin, const QString& text)
{
    const QRectF moved = rect.normalized().translated(origin);
    return {moved.x(), moved.y(), moved.width(), moved.height(), text.toStdString()};
}

QString named(const QString& series, const QString& x)
{
    return series.isEmpty() || series == x ? x : series + QStringLiteral(", ") + x;
}

void addBars(const PlotCard& card, const QPointF& origin, std::vector<PictureSpot>& spots)
{
    QCustomPlot& plot = card.plot();
    for (int i = 0; i < plot.plottableCount(); ++i) {
        const auto* bars = qobject_cast<QCPBars*>(plot.plottable(i));
        if (!bars || !bars->visible())
            continue;
        for (const QCPBarsData& bar : *bars->data()) {
            const double half = bars->width() / 2;
            const QPointF top(plot.xAxis->coordToPixel(bar.key - half), plot.yAxis->coordToPixel(bar.value));
            const QPointF base(plot.xAxis->coordToPixel(bar.key + half), plot.axisRect()->bottom());
            const QRectF rect = QRectF(top, base).normalized().intersected(plot.axisRect()->rect());
            if (!rect.isEmpty())
                spots.push_back(spotAt(rect, origin,
                                       named(bars->name(), card.xText(bar.key)) + QStringLiteral(": ") +
                                           valueWords(card, bar.value)));
        }
    }
}

void addValues(const PlotCard& card, const QPointF& origin, std::vector<PictureSpot>& spots)
{
    const QCustomPlot& plot = card.plot();
    const QRectF area = plot.axisRect()->rect();
    for (int series = 0; series < card.seriesCount(); ++series) {
        if (!card.isSeriesVisible(series))
            continue;
        for (const QCPGraphData& value : *card.graph(series).data()) {
            const QPointF at(plot.xAxis->coordToPixel(value.key), plot.yAxis->coordToPixel(value.value));
            if (!std::isfinite(value.value) || !area.adjusted(-1, -1, 1, 1).contains(at))
                continue;
            const QRectF rect(at.x() - kHalfSpot, at.y() - kHalfSpot, 2 * kHalfSpot, 2 * kHalfSpot);
            spots.push_back(spotAt(rect, origin,
                                   named(card.seriesName(series), card.xText(value.key)) + QStringLiteral(": ") +
                                       valueWords(card, value.value)));
        }
    }
}

//! Side by side over the whole plot: each tells the value of every series that is nearest to its middle.
void addStrips(const PlotCard& card, const QPointF& origin, std::vector<PictureSpot>& spots)
{
    const QCustomPlot& plot = card.plot();
    const QRectF area = plot.axisRect()->rect();
    const double width = area.width() / kStrips;
    for (int strip = 0; strip < kStrips; ++strip) {
        const double left = area.left() + strip * width;
        const double key = plot.xAxis->pixelToCoord(left + width / 2);
        QStringList lines;
        for (int series = 0; series < card.seriesCount(); ++series) {
            const auto data = card.graph(series).data();
            if (!card.isSeriesVisible(series) || data->isEmpty() || key > (data->constEnd() - 1)->key)
                continue;
            auto value = data->findBegin(key, false);
            if (value == data->constEnd() || !std::isfinite(value->value))
                continue;
            if (lines.isEmpty())
                lines << card.xText(value->key);
            lines << card.seriesName(series) + QStringLiteral(": ") + valueWords(card, value->value);
        }
        if (!lines.isEmpty())
            spots.push_back(spotAt({left, area.top(), width, area.height()}, origin, lines.join(QLatin1Char('\n'))));
    }
}

} // namespace

std::vector<PictureSpot> spotsOf(const PlotCard& card, const QPointF& origin)
{
    std::vector<PictureSpot> spots;
    addBars(card, origin, spots);
    if (!spots.empty())
        return spots;
    int values = 0;
    for (int series = 0; series < card.seriesCount(); ++series)
        values += card.isSeriesVisible(series) ? card.graph(series).dataCount() : 0;
    if (values <= kMostValues)
        addValues(card, origin, spots);
    else
        addStrips(card, origin, spots);
    return spots;
}

} // namespace dyno
