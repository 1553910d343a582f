// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How axes look and which numbers stand beside them. GUI thread.
#pragma once

#include "plots/qcp.h"
#include "theme.h"

#include <dyno/figures.h>

#include <utility>
#include <vector>

namespace dyno {

//! Dresses an axis rect: no frame, no tick marks, horizontal grid only, base line under x. For plots that build their
//! own rects (facets) as well.
void styleAxisRect(QCPAxisRect& rect, const ThemeColors& colors);
//! Colours, and what tells series of one colour apart: four dashes, or four shapes of dots, and both of them hollow.
inline constexpr int kSeriesColors = 6, kSeriesDashes = 4, kSeriesLooks = 2 * kSeriesDashes;
//! Pen of series `index`: beyond six the dash varies; beyond 24 lines need dots to be told apart, see needsDots().
[[nodiscard]] QPen seriesPen(int index, double width, const ThemeColors& colors, ThemeMode mode);
//! True where another series of the picture may have the same colour and dash: dots on the line tell them apart.
[[nodiscard]] constexpr bool needsDots(int index)
{
    return index >= kSeriesColors * kSeriesDashes;
}
//! Dots of series `index` in its colour: beyond six the shape varies, beyond 24 they are hollow. `opacity`: of full
//! ones, so that many show where most are.
[[nodiscard]] QCPScatterStyle seriesDots(int index, const QColor& color, double size, double opacity = 1);
//! Bars of series `index`: beyond six each round of colours has a hatching of its own.
[[nodiscard]] QBrush seriesFill(int index, const QColor& color);
//! `share` of `top` over `below`, opaque: vector formats and printers dislike translucency.
[[nodiscard]] QColor blend(const QColor& top, const QColor& below, double share);

//! Steps of a clock (1, 2, 5, 10, 15, 30 s, minutes, hours), labels "00:30"; below a second "0.5 s". Axis in seconds.
class ClockTicker : public QCPAxisTicker
{
protected:
    double getTickStep(const QCPRange& range) override;
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override;

private:
    static constexpr double kShortSeconds = 10; //!< below this much on the axis
    double m_step = 1;
    bool m_short = false;
};

//! Plain numbers with thin thousands separators and as many decimals as the step needs.
class PlainTicker : public QCPAxisTicker
{
public:
    explicit PlainTicker(bool wholeOnly = false)
        : m_wholeOnly(wholeOnly)
    {
    }

protected:
    double getTickStep(const QCPRange& range) override;
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override;

private:
    bool m_wholeOnly;
    int m_decimals = 0;
};

//! The same in another unit: 1 MiB of bytes, where values are in bytes.
class UnitTicker : public PlainTicker
{
public:
    explicit UnitTicker(double unit)
        : m_unit(unit)
    {
    }

protected:
    double getTickStep(const QCPRange& range) override { return PlainTicker::getTickStep(range / m_unit) * m_unit; }
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override
    {
        return PlainTicker::getTickLabel(tick / m_unit, locale, format, precision);
    }

private:
    double m_unit;
};

//! The one unit of an axis of milliseconds: that of its highest value; of a logarithmic one, that of the middle.
[[nodiscard]] TimeUnit axisTimeUnit(double lowest, double highest, bool logarithmic);

//! Bytes that an axis up to `highest` counts as one: 1, a KiB, a MiB …
[[nodiscard]] double byteUnitOf(double highest);

//! Bytes on a logarithmic axis: powers of two with their unit, "64 KiB", "1 MiB"; where fewer than two of them are
//! within the range, round values.
class ByteLogTicker : public QCPAxisTicker
{
protected:
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override;
    QVector<double> createTickVector(double tickStep, const QCPRange& range) override;

private:
    double m_unit = 0; //!< of round values; 0: powers of two
    int m_decimals = 0;
};

//! Ticks where something was measured; see fittingTicks().
class MeasuredTicker : public QCPAxisTicker
{
public:
    explicit MeasuredTicker(std::vector<double> ticks)
        : m_ticks(std::move(ticks))
    {
    }
    [[nodiscard]] static QString labelOf(double tick);

protected:
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override;
    QVector<double> createTickVector(double tickStep, const QCPRange& range) override;

private:
    std::vector<double> m_ticks;
};
//! Those of `ticks`, in rising order, whose labels have room beside each other on `width` pixels; the last one stays.
[[nodiscard]] std::vector<double> fittingTicks(const std::vector<double>& ticks, const QCPRange& range,
                                               bool logarithmic, double width);

//! Decades (with 2 and 5 when the range is short) as plain numbers: 0.01, 0.1, 1, 10, 100, of so much each as `unit`.
class PlainLogTicker : public QCPAxisTicker
{
public:
    explicit PlainLogTicker(double unit = 1)
        : m_unit(unit)
    {
    }
    [[nodiscard]] static QString labelOf(double value);

protected:
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override;
    QVector<double> createTickVector(double tickStep, const QCPRange& range) override;

private:
    double m_unit;
};

} // namespace dyno
