// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/sync_plot.h"

#include "format.h"
#include "plots/plot_style.h"
#include "plots/series_labels.h"
#include "qt_text.h"

#include <dyno/sync_constant.h>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr int kLineSteps = 200; // a logarithmic axis bends it
constexpr double kKilobyte = 1000;

} // namespace

SyncPlot::SyncPlot(QWidget* parent)
    : PlotCard(tr("Cost of a sync"), {}, parent)
{
    setObjectName(QStringLiteral("syncPlot"));
    setAccessibleName(tr("Time of a commit against its bytes of log, with the line N/R + K"));
    setXKind(XKind::Number);
    plot().setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
    setMinimumWidth(200);
    connect(this, &PlotCard::seriesVisibilityChanged, this, [this](int series, bool visible) {
        for (const auto& [line, of] : m_lines) {
            if (line && of == series)
                line->setVisible(visible);
        }
    });
}

void SyncPlot::setCosts(const SyncCosts& costs, const QString& facet)
{
    m_costs.clear();
    for (const SyncCost& one : costs.list) {
        if (qtText(one.facet) == facet)
            m_costs.push_back(one);
    }
    m_facet = facet;
    switch (costs.what) {
    case SyncCosts::What::Commits:
        m_what = tr("mean time of a commit");
        m_bytes = tr("kB of log in a commit");
        break;
    case SyncCosts::What::Transactions:
        m_what = tr("mean time of a transaction");
        m_bytes = tr("kB of log in a transaction");
        break;
    case SyncCosts::What::Both:
        m_what = tr("mean time of a commit, or of a transaction where commits were not measured");
        m_bytes = tr("kB of log");
    }
    rebuild();
}

void SyncPlot::setLogAxes(bool x, bool y)
{
    m_logX = x;
    setLogY(y);
    if (!m_costs.empty())
        rebuild();
}

void SyncPlot::rebuild()
{
    for (const auto& [line, series] : m_lines) {
        if (line)
            plot().removePlottable(line);
    }
    m_lines.clear();
    clearSeries();
    double fewest = 1e300, most = 0, least = 1e300, longest = 0; // bytes, and times
    for (const SyncCost& one : m_costs) {
        for (const LinePoint& run : one.runs) {
            fewest = std::min(fewest, run.x / kKilobyte);
            most = std::max(most, run.x / kKilobyte);
            least = std::min(least, run.y > 0 ? run.y : least);
            longest = std::max(longest, run.y);
        }
    }
    if (!(fewest > 0) || fewest > most) // none, or what no logarithmic axis has
        fewest = most > 0 ? most / 1000 : 0.001;
    for (const SyncCost& one : m_costs) {
        SeriesStyle style;
        style.color = seriesCount();
        style.markers = true;
        style.width = 0;
        const QString name = one.series.empty() ? tr("all runs") : qtText(one.series);
        const int series = addSeries(name, style);
        setEndLabel(series, m_costs.size() == 1 ? QStringLiteral(" ") : shortLabel(name));
        QVector<double> keys, values;
        for (const LinePoint& run : one.runs) {
            keys << run.x / kKilobyte;
            values << run.y;
        }
        graph(series).setData(keys, values);
        if (!one.fit)
            continue;
        auto* line = new QCPGraph(plot().xAxis, plot().yAxis);
        QVector<double> at, law;
        for (int i = 0; i <= kLineSteps; ++i) {
            const double share = double(i) / kLineSteps;
            const double x = m_logX ? fewest * std::pow(most / fewest, share) : share * most;
            const double y = one.fit->at(x * kKilobyte);
            if (isLogY() && y <= 0) // a negative K
                continue;
            at << x;
            law << y;
        }
        line->setData(at, law, true);
        line->setSelectable(QCP::stNone);
        line->removeFromLegend();
        m_lines.emplace_back(line, series);
    }
    setXKind(m_logX ? XKind::Logarithmic : XKind::Number);
    setXLabel(m_bytes);
    setXRange(m_logX ? fewest * 0.9 : 0, m_logX ? most * 1.1 : std::max(most, 0.001) * 1.02);
    setTitle(m_facet.isEmpty() ? tr("Cost of a sync") : tr("Cost of a sync: %1", "a facet").arg(m_facet));
    setTimeUnit(axisTimeUnit(least, longest, isLogY() && longest > 0));
    QStringList second{timeUnitName(), m_what};
    if (m_costs.size() == 1)
        second << qtText(toText(m_costs.front()));
    else if (m_lines.empty())
        second << tr("no line fitted: it needs %1 sizes of a commit").arg(kFewestLinePoints);
    else
        second << linesInShort();
    setSecondary(second.join(QStringLiteral(", ")));
    restyle(plotColors(), plotMode());
    resetZoom();
    markDirty();
}

//! No time is negative, and one whose interval has 0 in it is none that was shown.
QString SyncPlot::constantText(const SyncCost& cost)
{
    switch (constantOf(cost)) {
    case SyncConstant::Unclear:
        return tr("K may be 0");
    case SyncConstant::BelowZero:
        return tr("no K: the line falls below 0");
    default:
        return tr("K %1", "a time").arg(format::time(cost.fit->intercept));
    }
}

//! "lines N/R + K: on R 100 MB/s, K 2 ms; off K 0.5 ms".
QString SyncPlot::linesInShort() const
{
    QStringList lines;
    for (const SyncCost& one : m_costs) {
        if (!one.fit)
            continue;
        const QString name = one.series.empty() ? tr("all runs") : qtText(one.series);
        const QString constant = constantText(one);
        if (const auto rate = one.rate())
            lines << tr("%1 R %2 MB/s, %3", "3: K").arg(name, format::rate(*rate), constant);
        else
            lines << QStringLiteral("%1 %2").arg(name, constant);
    }
    return tr("lines N/R + K: %1").arg(lines.join(QStringLiteral("; ")));
}

void SyncPlot::restyle(const ThemeColors& colors, ThemeMode mode)
{
    PlotCard::restyle(colors, mode);
    for (int s = 0; s < seriesCount(); ++s)
        graph(s).setLineStyle(QCPGraph::lsNone);
    for (const auto& [line, series] : m_lines)
        line->setPen(seriesPen(series, 1.75, colors, mode));
}

QString SyncPlot::valueText(double value) const
{
    return format::time(value);
}

PlotTable SyncPlot::table() const
{
    PlotTable table;
    table.columns << QStringLiteral("series") << QStringLiteral("case") << QStringLiteral("log of a commit [bytes]")
                  << QStringLiteral("time [ms]") << QStringLiteral("line [ms]") << QStringLiteral("left over [ms]")
                  << QStringLiteral("runs") << QStringLiteral("R [MB/s]") << QStringLiteral("K [ms]")
                  << QStringLiteral("K from [ms]") << QStringLiteral("K to [ms]") << QStringLiteral("of K");
    const auto number = [](double value) { return QString::number(value, 'g', 10); };
    for (const SyncCost& one : m_costs) {
        const auto rate = one.rate();
        for (const SyncPoint& point : one.means) {
            const double line = one.fit ? one.fit->at(point.bytes) : kNone;
            table.rows.push_back({qtText(one.series), qtText(point.x), number(point.bytes), number(point.ms),
                                  one.fit ? number(line) : QString(), one.fit ? number(point.ms - line) : QString(),
                                  QString::number(point.runs), rate ? number(*rate) : QString(),
                                  one.fit ? number(one.fit->intercept) : QString(),
                                  one.fit ? number(one.fit->intercept - one.fit->interceptHalf) : QString(),
                                  one.fit ? number(highestConstant(one)) : QString(),
                                  one.fit ? constantText(one) : QString()});
        }
    }
    return table;
}

} // namespace dyno
