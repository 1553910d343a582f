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

//! The series that has a value at `key`; −1: none has.
int seriesAt(const PlotCard& card, double key)
{
    for (int series = 0; series < card.seriesCount(); ++series) {
        const auto data = card.graph(series).data();
        const auto value = data->findBegin(key, false);
        if (value != data->constEnd() && std::fabs(value->key - key) < 1e-9)
            return series;
    }
    return -1;
}

QString textAt(const PlotCard& card, int series, double key, double value)
{
    const QString place = series < 0 ? card.xText(key) : card.placeText(series, key);
    return place + QStringLiteral(": ") + valueWords(card, value);
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
                spots.push_back(spotAt(rect, origin, textAt(card, seriesAt(card, bar.key), bar.key, bar.value)));
        }
    }
}

bool isSeries(const PlotCard& card, const QCPGraph* graph)
{
    for (int series = 0; series < card.seriesCount(); ++series) {
        if (&card.graph(series) == graph)
            return true;
    }
    return false;
}

void addGraph(const PlotCard& card, const QCPGraph& graph, int series, const QPointF& origin,
              std::vector<PictureSpot>& spots)
{
    const QCustomPlot& plot = card.plot();
    const QRectF area = plot.axisRect()->rect();
    for (const QCPGraphData& value : *graph.data()) {
        const QPointF at(plot.xAxis->coordToPixel(value.key), plot.yAxis->coordToPixel(value.value));
        if (!std::isfinite(value.value) || !area.adjusted(-1, -1, 1, 1).contains(at))
            continue;
        const QRectF rect(at.x() - kHalfSpot, at.y() - kHalfSpot, 2 * kHalfSpot, 2 * kHalfSpot);
        spots.push_back(spotAt(rect, origin, textAt(card, series, value.key, value.value)));
    }
}

void addValues(const PlotCard& card, const QPointF& origin, std::vector<PictureSpot>& spots)
{
    for (int series = 0; series < card.seriesCount(); ++series) {
        if (!card.isSeriesVisible(series))
            continue;
        addGraph(card, card.graph(series), series, origin, spots);
        // A graph that a plot has given the name of a series holds more of its values: outliers.
        for (int i = 0; i < card.plot().graphCount(); ++i) {
            const QCPGraph* more = card.plot().graph(i);
            if (more->visible() && !more->name().isEmpty() && more->name() == card.seriesName(series) &&
                !isSeries(card, more))
                addGraph(card, *more, series, origin, spots);
        }
    }
}

//! Of the values of a series, the middle one of the distances between neighbours, in pixels.
double intervalOf(const QCPAxis& axis, const QCPGraphDataContainer& data)
{
    std::vector<double> between;
    for (auto value = data.constBegin(); value != data.constEnd() && value + 1 != data.constEnd(); ++value)
        between.push_back(axis.coordToPixel((value + 1)->key) - axis.coordToPixel(value->key));
    if (between.empty())
        return 0;
    const auto middle = between.begin() + std::ptrdiff_t(between.size() / 2);
    std::nth_element(between.begin(), middle, between.end());
    return *middle;
}

//! The value that is nearest to `pixel` along the axis, if it is not farther away than `farthest`; else null.
const QCPGraphData* nearestTo(double pixel, double farthest, const QCPAxis& axis, const QCPGraphDataContainer& data)
{
    const QCPGraphData* nearest = nullptr;
    double least = farthest;
    const auto take = [&](const QCPGraphData& value) {
        const double distance = std::fabs(axis.coordToPixel(value.key) - pixel);
        if (!std::isfinite(value.value) || distance > least)
            return;
        least = distance;
        nearest = &value;
    };
    const auto right = data.findBegin(axis.pixelToCoord(pixel), false);
    if (right != data.constEnd())
        take(*right);
    if (right != data.constBegin())
        take(*(right - 1));
    return nearest;
}

//! Side by side over the whole plot: each tells the value of every series that is nearest to its middle.
void addStrips(const PlotCard& card, const QPointF& origin, std::vector<PictureSpot>& spots)
{
    const QCustomPlot& plot = card.plot();
    const QRectF area = plot.axisRect()->rect();
    const double width = area.width() / kStrips;
    std::vector<double> intervals;
    for (int series = 0; series < card.seriesCount(); ++series)
        intervals.push_back(intervalOf(*plot.xAxis, *card.graph(series).data()));
    for (int strip = 0; strip < kStrips; ++strip) {
        const double left = area.left() + strip * width;
        QStringList lines;
        for (int series = 0; series < card.seriesCount(); ++series) {
            const double farthest = std::max(width, intervals[std::size_t(series)]);
            const QCPGraphData* value =
                card.isSeriesVisible(series)
                    ? nearestTo(left + width / 2, farthest, *plot.xAxis, *card.graph(series).data())
                    : nullptr;
            if (!value)
                continue;
            if (lines.isEmpty() && !card.xText(value->key).isEmpty())
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
