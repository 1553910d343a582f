// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A small chart without axes: the picture of a question, the sparkline of a session. Painted by hand, since dozens of
//! them stand on a page. The struct may be made on any thread; painting is for the GUI thread.
#pragma once

#include <dyno/chart_kinds.h>

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

class QColor;
class QPainter;
class QRectF;

namespace dyno {

struct ChartPreview
{
    struct Series
    {
        QString label;
        std::vector<double> values; //!< one a place of x; not a number where there is none
        [[nodiscard]] bool operator==(const Series& other) const; //!< places without a number are alike
    };

    ChartSketch sketch = ChartSketch::Lines;
    QStringList xs; //!< labels of the places; of a course one a place without words
    std::vector<Series> series;
    QString unit;         //!< of the values: "transactions/s", "bytes"
    bool figures = false; //!< the values were measured: rows of bars say them
    bool operator==(const ChartPreview&) const = default;

    [[nodiscard]] bool isEmpty() const; //!< no value at all
    //! Bars that lie, one below the other, with a label each: of one place or of one series.
    [[nodiscard]] bool isRows() const;
};

//! What the preview draws at most: further series are left to the Compare page.
inline constexpr std::size_t kPreviewSeries = 6;

//! Base line, light grid, and the series with their labels at the right end.
void paintPreview(QPainter& painter, const QRectF& area, const ChartPreview& preview);
//! Lines or bars and a base line, nothing else. A line that ends before the last place goes on dotted. `only`: all in
//! this colour.
void paintSparkline(QPainter& painter, const QRectF& area, const ChartPreview& preview,
                    const std::optional<QColor>& only = {});

} // namespace dyno
