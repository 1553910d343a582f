// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/chart_preview.h"

#include "format.h"
#include "parts/labels.h"
#include "theme.h"

#include <QFontMetrics>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr double kLabelShare = 0.38; //!< of the width, at most, for labels beside the bars and lines
constexpr int kNameGap = 8, kNameLine = 14;
constexpr qsizetype kMarkersUpTo = 9; //!< places of x: more points are a line

std::size_t shownSeries(const ChartPreview& preview)
{
    return std::min(preview.series.size(), kPreviewSeries);
}

double valueAt(const ChartPreview::Series& series, qsizetype place)
{
    return std::size_t(place) < series.values.size() ? series.values[std::size_t(place)] : kNone;
}

//! The largest value of the shown series, 1 where none is above 0: bars and lines stand on 0.
double topOf(const ChartPreview& preview)
{
    double top = 0;
    for (std::size_t i = 0; i < shownSeries(preview); ++i) {
        for (const double value : preview.series[i].values) {
            if (std::isfinite(value))
                top = std::max(top, value);
        }
    }
    return top > 0 ? top : 1;
}

QColor colorAt(std::size_t series, const std::optional<QColor>& only)
{
    return only ? *only : Theme::instance().series(int(series));
}

QString figureOf(double value, const QString& unit)
{
    return unit == QStringLiteral("bytes") ? format::bytes(value)
           : unit == QStringLiteral("ms")  ? format::time(value)
                                           : format::rate(value);
}

QFont labelFont()
{
    QFont font = Theme::font(TextRole::Label);
    font.setWeight(QFont::DemiBold);
    return font;
}

void paintBase(QPainter& painter, const QRectF& plot)
{
    painter.setPen(QPen(Theme::instance().colors().border, 1));
    const double y = std::round(plot.bottom()) + 0.5;
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
}

//! One polyline a series; returns where each ends (a null point where it has no value).
std::vector<QPointF> paintLines(QPainter& painter, const QRectF& plot, const ChartPreview& preview,
                                const std::optional<QColor>& only, bool markers)
{
    const double top = topOf(preview);
    const qsizetype places = preview.xs.size();
    std::vector<QPointF> ends(shownSeries(preview));
    for (std::size_t i = shownSeries(preview); i-- > 0;) {
        const ChartPreview::Series& series = preview.series[i];
        QPainterPath path;
        std::vector<QPointF> points;
        for (qsizetype place = 0; place < places; ++place) {
            const double value = valueAt(series, place);
            if (!std::isfinite(value))
                continue;
            const double x =
                places < 2 ? plot.center().x() : plot.left() + plot.width() * double(place) / double(places - 1);
            points.emplace_back(x, plot.bottom() - plot.height() * std::max(0.0, value) / top);
            points.size() == 1 ? path.moveTo(points.back()) : path.lineTo(points.back());
        }
        if (points.empty())
            continue;
        const QColor color = colorAt(i, only);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(color, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawPath(path);
        ends[i] = points.back();
        const bool stopsEarly =
            preview.sketch != ChartSketch::Course && places > 1 && points.back().x() < plot.right() - 1;
        if (stopsEarly) {
            painter.setPen(QPen(Theme::instance().colors().secondText, 1.2, Qt::DotLine));
            painter.drawLine(points.back(), QPointF(plot.right(), points.back().y()));
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        if (markers) {
            for (const QPointF& point : points)
                painter.drawEllipse(point, 2.2, 2.2);
        } else if (stopsEarly || points.size() == 1) {
            painter.drawEllipse(points.back(), 2.2, 2.2);
        }
    }
    return ends;
}

void paintColumns(QPainter& painter, const QRectF& plot, const ChartPreview& preview, const std::optional<QColor>& only)
{
    const double top = topOf(preview);
    const auto count = double(shownSeries(preview));
    const double group = plot.width() / double(std::max<qsizetype>(preview.xs.size(), 1));
    const double bar = std::min(22.0, group * 0.76 / count);
    for (qsizetype place = 0; place < preview.xs.size(); ++place) {
        const double left = plot.left() + group * (double(place) + 0.5) - bar * count / 2;
        for (std::size_t i = 0; i < shownSeries(preview); ++i) {
            const double value = valueAt(preview.series[i], place);
            if (!std::isfinite(value))
                continue;
            const double height = plot.height() * std::max(0.0, value) / top;
            painter.fillRect(QRectF(left + bar * double(i), plot.bottom() - height, std::max(1.0, bar - 2), height),
                             colorAt(i, only));
        }
    }
}

//! The rows of isRows(): label, value, place among the colours.
struct Row
{
    QString label;
    double value = kNone;
    std::size_t color = 0;
};
std::vector<Row> rowsOf(const ChartPreview& preview)
{
    std::vector<Row> rows;
    if (preview.series.size() == 1) {
        for (qsizetype place = 0; place < preview.xs.size() && rows.size() < kPreviewSeries; ++place)
            rows.push_back({preview.xs[place], valueAt(preview.series.front(), place), 0});
    } else {
        for (std::size_t i = 0; i < shownSeries(preview); ++i)
            rows.push_back({preview.series[i].label, valueAt(preview.series[i], 0), i});
    }
    std::erase_if(rows, [](const Row& row) { return !std::isfinite(row.value); });
    return rows;
}

void paintRows(QPainter& painter, const QRectF& area, const ChartPreview& preview)
{
    const ThemeColors& colors = Theme::instance().colors();
    const std::vector<Row> rows = rowsOf(preview);
    if (rows.empty())
        return;
    const QFont font = Theme::font(TextRole::Label);
    const QFontMetrics metrics(font), strong(labelFont());
    double labels = 0, figures = 0, top = 0;
    for (const Row& row : rows) {
        labels = std::max(labels, double(metrics.horizontalAdvance(row.label)) + 1); // else rounding elides it
        top = std::max(top, row.value);
        if (preview.figures)
            figures = std::max(figures, double(figures::width(labelFont(), figureOf(row.value, preview.unit))));
    }
    labels = std::min(labels, area.width() * kLabelShare);
    const double left = std::round(area.left() + labels + (labels > 0 ? kNameGap + 4 : 0));
    const double room = (area.right() - left - (figures > 0 ? figures + kNameGap : 0)) * (preview.figures ? 1 : 0.86);
    const double step = std::min(area.height() / double(rows.size()), 30.0);
    const double bar = std::min(16.0, step * 0.6);
    double y = area.top() + (area.height() - step * double(rows.size())) / 2;
    for (const Row& row : rows) {
        const QRectF line(area.left(), y, area.width(), step);
        painter.setPen(colors.secondText);
        painter.setFont(font);
        painter.drawText(QRectF(area.left(), y, labels, step), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(row.label, Qt::ElideMiddle, int(std::ceil(labels))));
        const double width = top > 0 ? std::max(3.0, room * std::max(0.0, row.value) / top) : 3;
        painter.setPen(Qt::NoPen);
        painter.setBrush(colorAt(row.color, {}));
        painter.drawRoundedRect(QRectF(left, line.center().y() - bar / 2, width, bar), 2, 2);
        if (preview.figures) {
            painter.setPen(colors.text);
            painter.setFont(labelFont());
            figures::draw(painter, QRectF(left + width + kNameGap, y, figures, step), Qt::AlignLeft | Qt::AlignVCenter,
                          figureOf(row.value, preview.unit));
        }
        y += step;
    }
}

//! Labels at the lines' ends in their colours, moved apart where they would collide.
void paintEndLabels(QPainter& painter, const QRectF& plot, double room, const ChartPreview& preview,
                    const std::vector<double>& wanted)
{
    struct Place
    {
        std::size_t series;
        double y;
    };
    std::vector<Place> places;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (std::isfinite(wanted[i]) && !preview.series[i].label.isEmpty())
            places.push_back({i, wanted[i]});
    }
    std::ranges::stable_sort(places, {}, &Place::y);
    for (std::size_t i = 1; i < places.size(); ++i)
        places[i].y = std::max(places[i].y, places[i - 1].y + kNameLine);
    double lowest = plot.bottom() - kNameLine / 2.0 + 4;
    for (std::size_t i = places.size(); i-- > 0;) {
        places[i].y = std::min(places[i].y, lowest);
        lowest = places[i].y - kNameLine;
    }
    painter.setFont(labelFont());
    const QFontMetrics metrics(labelFont());
    for (const Place& place : places) {
        painter.setPen(colorAt(place.series, {}));
        const QRectF line(plot.right() + kNameGap, place.y - kNameLine / 2.0, room, kNameLine);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(preview.series[place.series].label, Qt::ElideMiddle, int(room)));
    }
}

} // namespace

bool ChartPreview::Series::operator==(const Series& other) const
{
    return label == other.label && std::ranges::equal(values, other.values, [](double a, double b) {
               return a == b || (std::isnan(a) && std::isnan(b));
           });
}

bool ChartPreview::isEmpty() const
{
    return std::ranges::none_of(series, [](const Series& one) {
        return std::ranges::any_of(one.values, [](double value) { return std::isfinite(value); });
    });
}

bool ChartPreview::isRows() const
{
    return sketch == ChartSketch::Bars && (xs.size() <= 1 || series.size() == 1);
}

void paintPreview(QPainter& painter, const QRectF& area, const ChartPreview& preview)
{
    painter.save();
    painter.setClipRect(area, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    if (preview.isRows()) {
        paintRows(painter, area, preview);
        painter.restore();
        return;
    }
    const QFontMetrics metrics(labelFont());
    double labels = 0;
    for (std::size_t i = 0; i < shownSeries(preview); ++i)
        labels = std::max(labels, double(metrics.horizontalAdvance(preview.series[i].label)) + 1);
    labels = std::min(labels, area.width() * kLabelShare);
    const QRectF plot = area.adjusted(3, 5, labels > 0 ? -labels - kNameGap : -3, -1.5);
    painter.setPen(QPen(Theme::instance().colors().grid, 1));
    for (int line = 1; line <= 3; ++line) {
        const double y = std::round(plot.bottom() - plot.height() * line / 3) + 0.5;
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    }
    std::vector<double> ends;
    if (preview.sketch == ChartSketch::Bars) {
        paintColumns(painter, plot, preview, {});
        // Bars end nowhere: their names stand one below the other.
        for (std::size_t i = 0; i < shownSeries(preview); ++i)
            ends.push_back(plot.top() + kNameLine * (double(i) + 0.5));
    } else {
        const bool markers = preview.sketch == ChartSketch::Lines && preview.xs.size() <= kMarkersUpTo;
        for (const QPointF& end : paintLines(painter, plot, preview, {}, markers))
            ends.push_back(end.isNull() ? kNone : end.y());
    }
    paintBase(painter, plot);
    paintEndLabels(painter, plot, labels, preview, ends);
    painter.restore();
}

void paintSparkline(QPainter& painter, const QRectF& area, const ChartPreview& preview,
                    const std::optional<QColor>& only)
{
    painter.save();
    painter.setClipRect(area, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF plot = area.adjusted(2, 3, -2, -1.5);
    if (preview.sketch == ChartSketch::Bars && preview.isRows()) {
        ChartPreview columns = preview; // the same bars, standing
        columns.xs.clear();
        columns.series.assign(1, {});
        for (const Row& row : rowsOf(preview)) {
            columns.xs << row.label;
            columns.series.front().values.push_back(row.value);
        }
        paintColumns(painter, plot, columns, only);
    } else if (preview.sketch == ChartSketch::Bars) {
        paintColumns(painter, plot, preview, only);
    } else {
        paintLines(painter, plot, preview, only, false);
    }
    paintBase(painter, plot);
    painter.restore();
}

} // namespace dyno
