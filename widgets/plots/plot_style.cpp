// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/plot_style.h"

#include "format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace dyno {

QColor blend(const QColor& top, const QColor& below, double share)
{
    const auto mix = [share](int a, int b) { return int(std::lround(a * share + b * (1 - share))); };
    return {mix(top.red(), below.red()), mix(top.green(), below.green()), mix(top.blue(), below.blue())};
}

void styleAxisRect(QCPAxisRect& rect, const ThemeColors& colors)
{
    rect.setBackground(Qt::NoBrush);
    for (QCPAxis* axis : rect.axes()) {
        axis->setTickPen(Qt::NoPen);
        axis->setSubTickPen(Qt::NoPen);
        axis->setSubTicks(false);
        axis->setTickLength(0, 0);
        axis->setTickLabelFont(Theme::font(TextRole::Label));
        axis->setTickLabelColor(colors.secondText);
        axis->setLabelFont(Theme::font(TextRole::Label));
        axis->setLabelColor(colors.secondText);
        axis->setSelectableParts(QCPAxis::spNone);
        axis->grid()->setSubGridVisible(false);
        axis->grid()->setZeroLinePen(Qt::NoPen);
        const bool vertical = axis->orientation() == Qt::Vertical;
        axis->grid()->setVisible(vertical && axis->axisType() == QCPAxis::atLeft);
        axis->grid()->setPen(QPen(colors.grid, 1));
        axis->grid()->setAntialiased(false);
        axis->setBasePen(vertical ? QPen(Qt::NoPen) : QPen(colors.border, 1));
        axis->setTickLabelPadding(vertical ? 8 : 6);
        axis->setLabelPadding(4);
    }
}

static_assert(kSeriesColors == int(std::tuple_size_v<decltype(ThemeColors::series)>));

QPen seriesPen(int index, double width, const ThemeColors& colors, ThemeMode mode)
{
    static const std::array<QVector<qreal>, kSeriesDashes> kDashes = {QVector<qreal>{}, QVector<qreal>{6, 3},
                                                                      QVector<qreal>{2, 3}, QVector<qreal>{8, 3, 2, 3}};
    QPen pen(colors.series[std::size_t(index) % colors.series.size()], width + (mode == ThemeMode::Print ? 0.5 : 0.0));
    pen.setJoinStyle(Qt::RoundJoin);
    pen.setCapStyle(Qt::RoundCap);
    const QVector<qreal>& dash = kDashes[std::size_t(index) / colors.series.size() % kDashes.size()];
    if (!dash.isEmpty())
        pen.setDashPattern(dash);
    return pen;
}

QCPScatterStyle seriesDots(int index, const QColor& color, double size, double opacity)
{
    using Shape = QCPScatterStyle::ScatterShape;
    static constexpr std::array<std::pair<Shape, double>, kSeriesDashes> kShapes = {
        {{Shape::ssDisc, 1},
         {Shape::ssTriangle, 1.4},
         {Shape::ssSquare, 0.9},
         {Shape::ssDiamond, 1.4}}}; // of about one area
    const auto& [shape, factor] = kShapes[std::size_t(index) / kSeriesColors % kShapes.size()];
    QColor shown = color;
    shown.setAlphaF(float(opacity));
    if (needsDots(index)) // hollow; a disc would hide the ring's middle
        return {shape == Shape::ssDisc ? Shape::ssCircle : shape, QPen(shown, 1.25), QBrush(Qt::NoBrush),
                size * factor};
    return {shape, QPen(shown, 0.5), QBrush(shown), size * factor}; // a pen of its own: the graph's has dashes
}

QBrush seriesFill(int index, const QColor& color)
{
    static constexpr std::array<Qt::BrushStyle, 8> kHatchings = {
        Qt::SolidPattern, Qt::BDiagPattern,     Qt::Dense5Pattern, Qt::FDiagPattern,
        Qt::CrossPattern, Qt::DiagCrossPattern, Qt::HorPattern,    Qt::VerPattern};
    return {color, kHatchings[std::size_t(index) / kSeriesColors % kHatchings.size()]};
}

double ClockTicker::getTickStep(const QCPRange& range)
{
    static constexpr std::array<double, 22> kSteps = {0.1,  0.2,   0.5,   1,     2,     5,     10,   15,
                                                      30,   60,    120,   300,   600,   900,   1800, 3600,
                                                      7200, 10800, 21600, 43200, 86400, 172800};
    const double wanted = range.size() / std::max(1, tickCount());
    const auto* step = std::lower_bound(kSteps.begin(), kSteps.end(), wanted);
    m_step = step == kSteps.end() ? kSteps.back() : *step;
    m_short = range.size() < kShortSeconds;
    return m_step;
}

QString ClockTicker::getTickLabel(double tick, const QLocale&, QChar, int)
{
    // Seconds, without the minutes: the same in charts side by side, however wide they are.
    if (m_short || m_step < 1)
        return format::number(tick, m_step < 1 ? 1 : 0) + QChar(0x00A0) + QLatin1Char('s');
    return format::clock(tick);
}

double PlainTicker::getTickStep(const QCPRange& range)
{
    const double wanted = range.size() / std::max(1, tickCount());
    if (!(wanted > 0) || !std::isfinite(wanted))
        return 1;
    const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
    const double mantissa = wanted / decade;
    double step = decade * (mantissa <= 1.2 ? 1.0 : mantissa <= 2.5 ? 2.0 : mantissa <= 7.0 ? 5.0 : 10.0);
    if (m_wholeOnly)
        step = std::max(1.0, step);
    m_decimals = std::clamp(int(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
    return step;
}

QString PlainTicker::getTickLabel(double tick, const QLocale&, QChar, int)
{
    return format::number(tick, m_decimals);
}

TimeUnit axisTimeUnit(double lowest, double highest, bool logarithmic)
{
    return timeUnitOf(logarithmic && lowest > 0 ? std::sqrt(lowest * highest) : highest);
}

double byteUnitOf(double highest)
{
    double unit = 1;
    while (highest / unit >= 1023.5 && unit < 1e15)
        unit *= 1024;
    return unit;
}

QString ByteLogTicker::getTickLabel(double tick, const QLocale&, QChar, int)
{
    const double unit = m_unit > 0 ? m_unit : byteUnitOf(tick);
    const QString name = format::bytes(unit).section(QChar(0x00A0), 1); // "1.00 MiB"
    return format::number(tick / unit, m_unit > 0 ? m_decimals : tick < 1 ? 2 : 0) % QChar(0x00A0) % name;
}

QVector<double> ByteLogTicker::createTickVector(double, const QCPRange& range)
{
    QVector<double> ticks;
    if (!(range.lower > 0) || !(range.upper > range.lower))
        return ticks;
    const double first = std::ceil(std::log2(range.lower) - 1e-9), last = std::floor(std::log2(range.upper) + 1e-9);
    const double step = std::max(1.0, std::ceil((last - first + 1) / std::max(2, tickCount())));
    for (double power = std::ceil(first / step) * step; power <= last; power += step)
        ticks << std::exp2(power);
    m_unit = 0;
    if (ticks.size() >= 2)
        return ticks;
    m_unit = byteUnitOf(range.upper);
    const double wanted = range.size() / m_unit / std::max(2, tickCount());
    const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
    const double rounded = decade * (wanted <= 2 * decade ? 2 : wanted <= 5 * decade ? 5 : 10);
    m_decimals = std::clamp(int(std::ceil(-std::log10(rounded) - 1e-9)), 0, 9);
    ticks.clear();
    for (double tick = std::ceil(range.lower / m_unit / rounded - 1e-9);
         tick * rounded * m_unit <= range.upper * (1 + 1e-9) && ticks.size() < 100; ++tick)
        ticks << tick * rounded * m_unit;
    return ticks;
}

QString MeasuredTicker::getTickLabel(double tick, const QLocale&, QChar, int)
{
    return labelOf(tick);
}

QString MeasuredTicker::labelOf(double tick)
{
    return format::number(tick, std::fabs(tick - std::round(tick)) < 1e-9 ? 0 : 2);
}

QVector<double> MeasuredTicker::createTickVector(double, const QCPRange& range)
{
    QVector<double> shown;
    for (const double tick : m_ticks) {
        if (range.contains(tick))
            shown << tick;
    }
    return shown;
}

std::vector<double> fittingTicks(const std::vector<double>& ticks, const QCPRange& range, bool logarithmic,
                                 double width)
{
    constexpr double kLeastGap = 14; // pixels between two labels
    if (logarithmic && range.lower <= 0)
        return ticks;
    const QFontMetrics metrics(Theme::font(TextRole::Label));
    const auto at = [&](double tick) {
        return width * (logarithmic ? std::log(tick / range.lower) / std::log(range.upper / range.lower)
                                    : (tick - range.lower) / range.size());
    };
    std::vector<double> fitting;
    double free = std::numeric_limits<double>::infinity(); // to the left of here
    for (auto tick = ticks.rbegin(); tick != ticks.rend(); ++tick) {
        if ((logarithmic && *tick <= 0) || !range.contains(*tick))
            continue;
        const double half = metrics.horizontalAdvance(MeasuredTicker::labelOf(*tick)) / 2.0;
        if (at(*tick) + half > free)
            continue;
        free = at(*tick) - half - kLeastGap;
        fitting.push_back(*tick);
    }
    std::ranges::reverse(fitting);
    return fitting;
}

QString PlainLogTicker::labelOf(double value)
{
    const int decimals = value >= 0.9999 ? 0 : std::clamp(int(std::ceil(-std::log10(value) - 1e-9)), 0, 9);
    return format::number(value, decimals);
}

QString PlainLogTicker::getTickLabel(double tick, const QLocale&, QChar, int)
{
    return labelOf(tick / m_unit);
}

QVector<double> PlainLogTicker::createTickVector(double, const QCPRange& range)
{
    QVector<double> ticks;
    if (!(range.lower > 0) || !(range.upper > range.lower))
        return ticks;
    const double decades = std::log10(range.upper / range.lower);
    const int stride = std::max(1, int(std::ceil(decades / std::max(2, tickCount()))));
    const bool fine = decades * 3 <= tickCount() * 1.6; // three labels a decade have room
    const int first = int(std::floor(std::log10(range.lower)));
    const int last = int(std::ceil(std::log10(range.upper)));
    for (int power = first; power <= last; ++power) {
        if (stride > 1 && power % stride != 0)
            continue;
        const double decade = std::pow(10.0, power);
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double tick = decade * factor;
            if ((factor == 1.0 || fine) && tick >= range.lower * 0.999 && tick <= range.upper * 1.001)
                ticks.append(tick);
        }
    }
    return ticks;
}

} // namespace dyno
