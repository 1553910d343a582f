// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/time_overlay_plot.h"

#include "plots/crosshair_group.h"

#include <algorithm>

namespace dyno {

void showPart(PlotCard& card, double from, double to)
{
    QCPAxis& axis = *card.plot().xAxis;
    const double end =
        axis.range().upper; // of dots with some room beyond the last, which the card takes away by moving the range
    if ((from <= 0 && to <= 0) || from >= end)
        return;
    axis.setRange(from, to > 0 ? std::min(to, end) : end);
    if (axis.range().lower < from)
        axis.setRange(from, axis.range().upper);
}

TimeOverlayPlot::TimeOverlayPlot(QWidget* parent)
    : QWidget(parent)
    , m_throughput(new TracePlot(TraceValue::Throughput, this))
    , m_latency(new TracePlot(TraceValue::P95, this))
    , m_group(new CrosshairGroup(this))
    , m_layout(new QBoxLayout(QBoxLayout::TopToBottom, this))
{
    setObjectName(QStringLiteral("timeOverlayPlot"));
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(space::cardGap);
    m_layout->addWidget(m_throughput, 3);
    m_layout->addWidget(m_latency, 2);
    m_throughput->setObjectName(QStringLiteral("timeThroughputPlot"));
    m_throughput->setAccessibleName(tr("Throughput of the chosen runs over time"));
    m_latency->setObjectName(QStringLiteral("timeLatencyPlot"));
    m_latency->setAccessibleName(tr("95th percentile of the chosen runs over time"));
    for (TracePlot* card : {m_throughput, m_latency})
        card->setCrosshairGroup(m_group);
    // A series that is hidden in one is hidden in both.
    const auto follow = [](PlotCard* from, PlotCard* to) {
        connect(from, &PlotCard::seriesVisibilityChanged, to, [to](int series, bool visible) {
            if (series < to->seriesCount() && to->isSeriesVisible(series) != visible)
                to->setSeriesVisible(series, visible);
        });
    };
    follow(m_throughput, m_latency);
    follow(m_latency, m_throughput);
}

void TimeOverlayPlot::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    constexpr int kTwoRows = 440; // below, each plot would be a strip
    m_layout->setDirection(height() < kTwoRows ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void TimeOverlayPlot::setTraces(const std::vector<RunTrace>& traces, const QString& secondary, TracePlot::Look look)
{
    look.top = 0;
    m_throughput->setTraces(traces, secondary, look);
    m_latency->setTraces(traces, secondary, look);
}

} // namespace dyno
