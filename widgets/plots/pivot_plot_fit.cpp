// SPDX-License-Identifier: GPL-3.0-or-later
// How a bar chart of a comparison fits into its room: its legend, the names below and the values above its bars, its
// ticks.
#include "plots/pivot_plot.h"

#include "plots/pivot_table_model.h"
#include "plots/plot_style.h"
#include "plots/series_labels.h"

#include <algorithm>

namespace dyno {

void PivotPlot::showLegend(bool on)
{
    if (m_legend) {
        plot().plotLayout()->remove(m_legend);
        plot().plotLayout()->simplify();
    }
    if (!on)
        return;
    plot().plotLayout()->insertRow(0);
    m_legend = new QCPLegend;
    plot().plotLayout()->addElement(0, 0, m_legend);
    m_legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
    m_legend->setBorderPen(Qt::NoPen);
    m_legend->setBrush(Qt::NoBrush);
    m_legend->setIconSize(10, 10);
    m_legend->setColumnSpacing(16);
    m_legend->setRowSpacing(2);
    m_legend->setSelectableParts(QCPLegend::spNone);
    std::vector<bool> done(m_pivot.series.size());
    for (const Bar& bar : m_bars) {
        if (!done[std::size_t(bar.series)])
            bar.bars->addToLegend(m_legend);
        done[std::size_t(bar.series)] = true;
    }
}

//! As many in a line as fit, close to each other at the left.
void PivotPlot::layOutLegend(double width)
{
    if (!m_legend || m_legend->itemCount() == 0)
        return;
    constexpr int kIcon = 10 + 7, kSpacing = 16, kLine = 19; // with the space between icon and text
    const QFontMetrics metrics(Theme::font(TextRole::Label));
    int widest = 1;
    for (int i = 0; i < m_legend->itemCount(); ++i) {
        if (auto* item = qobject_cast<QCPPlottableLegendItem*>(m_legend->item(i)))
            widest = std::max(widest, kIcon + metrics.horizontalAdvance(item->plottable()->name()) + 4);
    }
    int perLine = std::clamp(int(width + kSpacing) / (widest + kSpacing), 1, m_legend->itemCount());
    const int lines = (m_legend->itemCount() + perLine - 1) / perLine;
    perLine = (m_legend->itemCount() + lines - 1) / lines; // as even as can be
    if (perLine != m_legend->wrap()) {
        m_legend->setWrap(perLine);
        m_legend->setFillOrder(m_legend->fillOrder(), true);
    }
    const int used = perLine * widest + (perLine - 1) * kSpacing;
    m_legend->setMargins(QMargins(7, 2, std::max(7, int(width) - used), 6));
    m_legend->setMinimumSize(0, kLine * lines + 8);
    m_legend->setMaximumSize(QWIDGETSIZE_MAX, kLine * lines + 8);
}

namespace {

//! In lines of at most `width` pixels, broken after separators; empty when a part is longer.
QString inLines(const QString& name, double width, const QFontMetrics& metrics)
{
    QStringList parts(QString{});
    for (const QChar c : name) {
        parts.last() += c;
        if (c == u' ' || c == u'_' || c == u'-' || c == u'/' || c == u',')
            parts << QString();
    }
    QStringList lines(QString{});
    for (const QString& part : parts) {
        if (metrics.horizontalAdvance(QString(lines.last() + part).trimmed()) > width && !lines.last().isEmpty())
            lines << QString();
        lines.last() += part;
        if (metrics.horizontalAdvance(lines.last().trimmed()) > width)
            return {};
    }
    for (QString& line : lines)
        line = line.trimmed();
    return lines.join(u'\n');
}

} // namespace

//! Values over the bars only where they have room beside each other; names below in several lines, or else upright.
void PivotPlot::fitTexts()
{
    if (effectiveChart() != Chart::Bars)
        return;
    constexpr double kAxis = 64, kAir = 6, kBarAir = 3; // labels of the y axis, between two texts
    const double width = std::max(80.0, drawnSize().width() - kAxis);
    const double place = width / std::max(1.0, plot().xAxis->range().size());
    const QFontMetrics metrics(Theme::font(TextRole::Label));
    const bool room = std::ranges::all_of(m_bars, [&](const Bar& bar) {
        return !bar.text || metrics.horizontalAdvance(bar.text->text()) + kBarAir <= place;
    });
    for (const Bar& bar : m_bars) {
        if (bar.text)
            bar.text->setVisible(room && isSeriesVisible(bar.series));
    }
    layOutLegend(drawnSize().width() - 14);
    plot().xAxis->setTickLabelRotation(0);
    if (m_tickNames.empty())
        return;
    const double step =
        m_tickNames.size() > 1 ? m_tickNames[1].first - m_tickNames[0].first : plot().xAxis->range().size();
    auto ticker = QSharedPointer<QCPAxisTickerText>::create(); // the card has set one that names each bar
    bool upright = false;
    m_nameLines = 1;
    for (const auto& [at, name] : m_tickNames) {
        const QString lines = inLines(name, step * place - kAir, metrics);
        upright = upright || (lines.isEmpty() && !name.isEmpty());
        m_nameLines = std::max(m_nameLines, 1 + int(lines.count(u'\n')));
        ticker->addTick(at, lines.isEmpty() ? name : lines);
    }
    if (upright) {
        m_nameLines = 5;
        ticker->clear();
        for (const auto& [at, name] : m_tickNames)
            ticker->addTick(at, shortLabel(name));
        plot().xAxis->setTickLabelRotation(-35);
    }
    plot().xAxis->setTicker(ticker);
}

double PivotPlot::byteUnit() const
{
    double unit = 1;
    const double highest = std::max(m_highest, m_shared);
    if (m_pivot.shown().unit != "bytes" || isLogY())
        return unit;
    while (highest / unit >= 1023.5 && unit < 1e15)
        unit *= 1024;
    return unit;
}

void PivotPlot::updateRanges()
{
    PlotCard::updateRanges();
    fitTexts();
    // A legend and names in several lines leave less height than the card counts with.
    const int labels = std::max(1, m_nameLines) * 15 + (plot().xAxis->label().isEmpty() ? 8 : 26);
    const int height = drawnSize().height() - labels - (m_legend ? m_legend->maximumSize().height() : 0);
    if (effectiveChart() == Chart::Bars)
        plot().yAxis->ticker()->setTickCount(isLogY() ? std::clamp(height / 26, 2, 8) : std::clamp(height / 32, 2, 6));
    if (byteUnit() > 1) {
        auto ticker = QSharedPointer<UnitTicker>::create(byteUnit());
        ticker->setTickCount(plot().yAxis->ticker()->tickCount());
        plot().yAxis->setTicker(ticker);
    }
    const double highest = std::max(m_highest, m_shared);
    if (isLogY() || highest <= 0)
        return placeClipMarks();
    // Room for the intervals' upper ends, and for the values over the bars.
    const double needed = highest * (effectiveChart() == Chart::Bars ? 1.12 : 1.06);
    if (plot().yAxis->range().upper < needed)
        plot().yAxis->setRangeUpper(needed);
    placeClipMarks();
}

} // namespace dyno
