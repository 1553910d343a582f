// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/bar_legend.h"

#include "theme.h"

#include <algorithm>

namespace dyno {

BarLegend::BarLegend(QCustomPlot& plot)
    : m_plot(plot)
{
}

void BarLegend::show(const std::vector<QCPAbstractPlottable*>& series)
{
    if (m_legend) {
        m_plot.plotLayout()->remove(m_legend);
        m_plot.plotLayout()->simplify();
    }
    if (series.empty())
        return;
    m_plot.plotLayout()->insertRow(0);
    m_legend = new QCPLegend;
    m_plot.plotLayout()->addElement(0, 0, m_legend);
    m_legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
    m_legend->setBorderPen(Qt::NoPen);
    m_legend->setBrush(Qt::NoBrush);
    m_legend->setIconSize(10, 10);
    m_legend->setColumnSpacing(16);
    m_legend->setRowSpacing(2);
    m_legend->setSelectableParts(QCPLegend::spNone);
    for (QCPAbstractPlottable* one : series)
        one->addToLegend(m_legend);
}

void BarLegend::layOut(double width)
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

void BarLegend::dress(const QColor& text)
{
    if (!m_legend)
        return;
    m_legend->setTextColor(text);
    m_legend->setFont(Theme::font(TextRole::Label));
}

} // namespace dyno
