// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/scaling_plot.h"

#include "format.h"
#include "plots/plot_style.h"
#include "plots/series_labels.h"
#include "qt_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace dyno {

namespace {

constexpr int kCurveSteps = 200;

} // namespace

ScalingPlot::ScalingPlot(QWidget* parent)
    : PlotCard(tr("Scaling"), tr("transactions/s"), parent)
{
    setObjectName(QStringLiteral("scalingPlot"));
    setAccessibleName(tr("Throughput by users, with the Universal Scalability Law"));
    setXKind(XKind::Number);
    plot().setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
    setMinimumWidth(200);
    connect(this, &PlotCard::seriesVisibilityChanged, this, [this](int series, bool visible) {
        for (const auto* lines : {&m_curves, &m_linear}) {
            for (const auto& [line, of] : *lines) {
                if (line && of == series)
                    line->setVisible(visible);
            }
        }
    });
}

void ScalingPlot::setScaling(const std::vector<Scaling>& scaling, const QString& facet)
{
    m_scaling.clear();
    for (const Scaling& one : scaling) {
        if (qtText(one.facet) == facet)
            m_scaling.push_back(one);
    }
    m_facet = facet;
    rebuild();
}

void ScalingPlot::setLogAxes(bool x, bool y)
{
    m_logX = x;
    setLogY(y);
    if (!m_scaling.empty())
        rebuild();
}

void ScalingPlot::rebuild()
{
    for (auto* lines : {&m_curves, &m_linear}) {
        for (const auto& [line, series] : *lines) {
            if (line)
                plot().removePlottable(line);
        }
        lines->clear();
    }
    clearSeries();
    m_highest = 0;
    double most = 1, fewest = 1e300;
    for (const Scaling& one : m_scaling) {
        most = std::max(most, one.mostUsers);
        fewest = std::min(fewest, one.means.front().users);
        if (one.fit && one.fit->bestUsers() && *one.fit->bestUsers() <= 2 * one.mostUsers)
            most = std::max(most, *one.fit->bestUsers() * 1.05);
    }
    for (const Scaling& one : m_scaling) {
        SeriesStyle style;
        style.color = seriesCount();
        style.markers = true;
        style.width = one.fit ? 0 : 1.75; // the law's curve joins the points where there is one
        const QString name = one.series.empty() ? tr("all runs") : qtText(one.series);
        const int series = addSeries(name, style);
        setEndLabel(series, m_scaling.size() == 1 ? QStringLiteral(" ") : shortLabel(name));
        QVector<double> keys, values;
        for (const ScalingPoint& point : one.means) {
            keys << point.users;
            values << point.throughput;
            m_highest = std::max(m_highest, point.throughput);
        }
        graph(series).setData(keys, values, true);
        addLinear(series, fewest, most);
        if (!one.fit)
            continue;
        auto* curve = new QCPGraph(plot().xAxis, plot().yAxis);
        QVector<double> at, law;
        for (int i = 0; i <= kCurveSteps; ++i) {
            const double share = double(i) / kCurveSteps;
            at << (m_logX ? fewest * std::pow(most / fewest, share) : fewest + share * (most - fewest));
            law << one.fit->at(at.back());
            m_highest = std::max(m_highest, law.back());
        }
        curve->setData(at, law, true);
        curve->setSelectable(QCP::stNone);
        curve->removeFromLegend();
        m_curves.emplace_back(curve, series);
    }
    std::set<double> measured;
    for (const Scaling& one : m_scaling) {
        for (const ScalingPoint& point : one.means)
            measured.insert(point.users);
    }
    setXTicks({measured.begin(), measured.end()});
    setXKind(m_logX ? XKind::Logarithmic : XKind::Number);
    setXLabel(tr("users"));
    setXRange(m_logX ? fewest * 0.93 : 0, m_logX ? most * 1.07 : most * 1.02);
    setTitle(m_facet.isEmpty() ? tr("Scaling with users") : tr("Scaling: %1", "a facet").arg(m_facet));
    QStringList second{tr("transactions/s")};
    if (m_scaling.size() == 1 && m_scaling.front().fit)
        second << qtText(toText(*m_scaling.front().fit, "transactions/s"));
    else
        second << (m_curves.empty() ? tr("no law fitted: it needs %1 user counts").arg(kFewestUslUsers)
                                    : tr("curves: Universal Scalability Law"));
    second << tr("dashed: linear");
    setSecondary(second.join(QStringLiteral(", ")));
    restyle(plotColors(), plotMode());
    resetZoom();
    markDirty();
}

namespace {

//! Throughput of one user: as measured, else what the law says; 0 when neither is known.
double perUser(const Scaling& one)
{
    const ScalingPoint& first = one.means.front();
    return first.users == 1 ? first.throughput : one.fit ? one.fit->lambda : 0;
}

} // namespace

//! As many times the throughput of one user as there are users.
void ScalingPlot::addLinear(int series, double fewest, double most)
{
    const double one = perUser(m_scaling[std::size_t(series)]);
    if (one <= 0)
        return;
    auto* graph = new QCPGraph(plot().xAxis, plot().yAxis);
    QVector<double> at, line;
    for (int i = 0; i <= kCurveSteps; ++i) { // many: a logarithmic axis bends it
        at << fewest * std::pow(most / fewest, double(i) / kCurveSteps);
        line << at.back() * one;
    }
    graph->setData(at, line, true);
    graph->setSelectable(QCP::stNone);
    graph->removeFromLegend();
    m_linear.emplace_back(graph, series);
}

void ScalingPlot::restyle(const ThemeColors& colors, ThemeMode mode)
{
    PlotCard::restyle(colors, mode);
    for (int s = 0; s < seriesCount(); ++s) {
        if (std::size_t(s) < m_scaling.size() && m_scaling[std::size_t(s)].fit)
            graph(s).setLineStyle(QCPGraph::lsNone);
    }
    for (const auto& [curve, series] : m_curves)
        curve->setPen(seriesPen(series, 1.75, colors, mode));
    for (const auto& [line, series] : m_linear) {
        const QColor color =
            m_scaling.size() == 1 ? colors.secondText : blend(seriesColor(series), colors.surface, 0.6);
        line->setPen(QPen(color, mode == ThemeMode::Print ? 1.5 : 1, Qt::DashLine));
    }
}

void ScalingPlot::updateRanges()
{
    PlotCard::updateRanges();
    if (!isLogY() && m_highest > 0) // the linear line leaves the chart at the top
        plot().yAxis->setRange(0, m_highest * 1.12);
}

PlotTable ScalingPlot::table() const
{
    PlotTable table;
    table.columns << QStringLiteral("series") << QStringLiteral("users")
                  << QStringLiteral("throughput [transactions/s]") << QStringLiteral("law [transactions/s]")
                  << QStringLiteral("linear [transactions/s]");
    const auto number = [](double value) { return QString::number(value, 'g', 10); };
    for (const Scaling& one : m_scaling) {
        const double single = perUser(one);
        for (const ScalingPoint& point : one.means) {
            table.rows.push_back({qtText(one.series), number(point.users), number(point.throughput),
                                  one.fit ? number(one.fit->at(point.users)) : QString(),
                                  single > 0 ? number(point.users * single) : QString()});
        }
    }
    return table;
}

// --- latency against throughput -------------------------------------------------------------------------------------

std::vector<LoadCurve> loadCurvesOf(const Pivot& throughput, const Pivot& latency, const std::string& facet)
{
    std::vector<LoadCurve> curves;
    for (const std::string& series : throughput.series) {
        LoadCurve curve{
            series.empty() ? QCoreApplication::translate("dyno::LoadCurvePlot", "all runs") : qtText(series), {}};
        for (const std::string& x : throughput.xs) {
            const PivotCell* rate = throughput.cell(x, series, facet);
            const PivotCell* time = latency.cell(x, series, facet);
            if (rate && time && !rate->estimate.runs.empty() && !time->estimate.runs.empty())
                curve.points.push_back({qtText(x), rate->estimate.mean, time->estimate.mean});
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

LoadCurvePlot::LoadCurvePlot(QWidget* parent)
    : PlotCard(tr("Latency against throughput"), {}, parent)
{
    setObjectName(QStringLiteral("loadCurvePlot"));
    setAccessibleName(tr("Latency against throughput, a point a number of users"));
    setXKind(XKind::Number);
    plot().setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
    setMinimumWidth(200);
    connect(this, &PlotCard::seriesVisibilityChanged, this, [this](int series, bool visible) {
        for (const auto& [line, of] : m_lines) {
            if (line && of == series)
                line->setVisible(visible);
        }
        std::size_t at = 0; // updateRanges() finds those their places, but not while y is zoomed
        for (std::size_t s = 0; s < m_data.size(); ++s) {
            for (std::size_t i = 0; i < m_data[s].points.size() && at < m_users.size(); ++i, ++at) {
                if (s == std::size_t(series) && m_users[at])
                    m_users[at]->setVisible(visible);
            }
        }
    });
}

QPointF LoadCurvePlot::placeOf(const LoadPoint& point) const
{
    return m_shows == Shows::Time ? QPointF(point.throughput, point.value) : QPointF(point.value, point.throughput);
}

void LoadCurvePlot::setCurves(std::vector<LoadCurve> curves, const QString& measure, const QString& facet, Shows shows)
{
    m_shows = shows;
    setAccessibleName(shows == Shows::Time ? tr("Latency against throughput, a point a number of users")
                                           : tr("Throughput against %1, a point a case", "a share").arg(measure));
    for (const auto& [line, series] : m_lines) {
        if (line)
            plot().removePlottable(line);
    }
    for (const auto& text : m_users) {
        if (text)
            plot().removeItem(text);
    }
    m_lines.clear();
    m_users.clear();
    clearSeries();
    m_data = std::move(curves);
    m_measure = measure;
    double most = 0, lowest = 1, least = std::numeric_limits<double>::max(), longest = 0;
    std::size_t points = 0;
    for (const LoadCurve& curve : m_data)
        points += curve.points.size();
    for (const LoadCurve& curve : m_data) {
        SeriesStyle style;
        style.color = seriesCount();
        style.markers = true;
        const int series = addSeries(curve.name, style);
        setEndLabel(series, m_data.size() == 1 ? QStringLiteral(" ") : shortLabel(curve.name));
        auto* line = new QCPCurve(plot().xAxis, plot().yAxis);
        line->setSelectable(QCP::stNone);
        line->removeFromLegend();
        m_lines.emplace_back(line, series);
        for (const LoadPoint& point : curve.points) {
            const QPointF place = placeOf(point);
            graph(series).addData(place.x(), place.y());
            line->addData(place.x(), place.y());
            most = std::max(most, place.x());
            lowest = std::min(lowest, place.x());
            least = std::min(least, place.y() > 0 ? place.y() : least);
            longest = std::max(longest, place.y());
            if (points > 40)
                continue; // they would run into each other
            auto* text = new QCPItemText(&plot());
            text->setText(point.users);
            text->position->setCoords(place);
            text->setSelectable(false);
            m_users.emplace_back(text);
        }
    }
    setXKind(m_shows == Shows::Time ? XKind::Number : XKind::Fraction);
    if (m_shows == Shows::Time) {
        setXLabel(tr("transactions/s"));
        setXRange(0, most > 0 ? most * 1.04 : 1);
        setTitle(facet.isEmpty() ? tr("%1 against throughput", "a latency").arg(measure) : facet);
        setTimeUnit(axisTimeUnit(least, longest, isLogY() && longest > 0));
        setSecondary(tr("%1, a point a number of users, mean of its runs", "unit of time").arg(timeUnitName()));
    } else {
        constexpr double kBeside = 0.08; // of what the shares span
        const double span = std::max(1e-3, most - lowest);
        setXLabel(measure);
        setXRange(std::max(0.0, lowest - kBeside * span), most + kBeside / 2 * span);
        setTitle(facet.isEmpty() ? tr("Throughput against %1", "a share").arg(measure.toLower()) : facet);
        setTimeUnit({});
        setSecondary(tr("transactions/s, a point a case, mean of its runs"));
    }
    restyle(plotColors(), plotMode());
    resetZoom();
    markDirty();
}

void LoadCurvePlot::restyle(const ThemeColors& colors, ThemeMode mode)
{
    PlotCard::restyle(colors, mode);
    for (int s = 0; s < seriesCount(); ++s)
        graph(s).setLineStyle(QCPGraph::lsNone);
    for (const auto& [line, series] : m_lines) {
        line->setPen(seriesPen(series, 1.75, colors, mode));
        line->setScatterStyle(QCPScatterStyle::ssNone);
    }
    for (const auto& text : m_users) {
        text->setColor(colors.secondText);
        text->setFont(Theme::font(TextRole::Label));
    }
}

//! Each number of users beside its dot, on a side where it covers neither another dot nor another number.
void LoadCurvePlot::updateRanges()
{
    PlotCard::updateRanges();
    const QFontMetricsF metrics(Theme::font(TextRole::Label));
    const QCPRange xs = plot().xAxis->range(), ys = plot().yAxis->range();
    const QMargins around = plot().axisRect()->margins();
    const double width = std::max(80, drawnSize().width() - around.left() - around.right()),
                 height = std::max(40, drawnSize().height() - 40);
    const auto share = [](double value, const QCPRange& range, bool logarithmic) {
        return logarithmic ? std::log(std::max(value, 1e-12) / range.lower) / std::log(range.upper / range.lower)
                           : (value - range.lower) / range.size();
    };
    constexpr double kDot = 4; // half its width
    std::vector<QRectF> taken;
    std::vector<QPointF> dots;
    std::vector<bool> shown; // not those of a series that was switched off
    for (std::size_t series = 0; series < m_data.size(); ++series) {
        for (const LoadPoint& point : m_data[series].points) {
            shown.push_back(isSeriesVisible(int(series)));
            const QPointF place = placeOf(point);
            dots.emplace_back(width * share(place.x(), xs, false), height * (1 - share(place.y(), ys, isLogY())));
            if (shown.back())
                taken.emplace_back(dots.back().x() - kDot, dots.back().y() - kDot, 2 * kDot, 2 * kDot);
        }
        if (!m_data[series].points.empty() && shown.back()) // and the name at the end
            taken.emplace_back(dots.back().x(), dots.back().y() - metrics.height() / 2,
                               2 * kDot + metrics.horizontalAdvance(shortLabel(m_data[series].name)), metrics.height());
    }
    constexpr double kBeside = 5, kAbove = 3;
    for (std::size_t i = 0; i < m_users.size() && i < dots.size(); ++i) {
        m_users[i]->setVisible(false);
        if (!shown[i])
            continue;
        const QSizeF size(metrics.horizontalAdvance(m_users[i]->text()), metrics.height());
        bool placed = false;
        for (const auto& [toLeft, up] : {std::pair(true, true), {false, true}, {true, false}, {false, false}}) {
            const QRectF box(dots[i].x() + (toLeft ? -kBeside - size.width() : kBeside),
                             dots[i].y() + (up ? -kAbove - size.height() : kAbove), size.width(), size.height());
            const bool cut = box.left() < 0 || box.right() > width;
            if (cut || std::ranges::any_of(taken, [&box](const QRectF& other) { return other.intersects(box); }))
                continue;
            m_users[i]->setPositionAlignment((toLeft ? Qt::AlignRight : Qt::AlignLeft) |
                                             (up ? Qt::AlignBottom : Qt::AlignTop));
            m_users[i]->setPadding(QMargins(toLeft ? 0 : int(kBeside), up ? 0 : int(kAbove), toLeft ? int(kBeside) : 0,
                                            up ? int(kAbove) : 0));
            taken.push_back(box);
            placed = true;
            break;
        }
        m_users[i]->setVisible(placed);
    }
}

PlotTable LoadCurvePlot::table() const
{
    PlotTable table;
    const bool time = m_shows == Shows::Time;
    table.columns << QStringLiteral("series") << (time ? QStringLiteral("users") : QStringLiteral("case"))
                  << QStringLiteral("throughput [transactions/s]")
                  << (time ? QStringLiteral("%1 [ms]").arg(m_measure) : m_measure);
    for (const LoadCurve& curve : m_data) {
        for (const LoadPoint& point : curve.points)
            table.rows.push_back({curve.name, point.users, QString::number(point.throughput, 'g', 10),
                                  QString::number(point.value, 'g', 10)});
    }
    return table;
}

} // namespace dyno
