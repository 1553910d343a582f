// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/time_overlay_plot.h"

#include <algorithm>
#include <limits>

namespace dyno {

QString shortLabel(const QString& name)
{
    constexpr qsizetype kMost = 26;
    if (name.size() <= kMost)
        return name;
    // Names of sessions and cases often differ at their end.
    return name.left(kMost / 2 - 3).trimmed() % QStringLiteral("…") % name.right(kMost / 2 + 2).trimmed();
}

RunTrace traceOf(const std::vector<IntervalSample>& intervals, const QString& name, int color)
{
    RunTrace trace;
    trace.name = name;
    trace.color = color;
    std::int64_t zero = -1;
    for (const IntervalSample& sample : intervals) {
        if (sample.phase == Phase::Measure) {
            zero = sample.tNs;
            break;
        }
    }
    if (zero < 0 && !intervals.empty())
        zero = intervals.back().tNs + intervals.back().lengthNs; // cut off while warming up
    for (const IntervalSample& sample : intervals) {
        if ((sample.phase != Phase::Warmup && sample.phase != Phase::Measure) || sample.lengthNs <= 0)
            continue;
        const double start = double(sample.tNs - zero) / 1e9;
        const double length = double(sample.lengthNs) / 1e9;
        trace.warmup = std::max(trace.warmup, -start);
        trace.seconds.push_back(start + length);
        trace.tps.push_back(double(sample.transaction.count) / length);
        trace.p95Ms.push_back(sample.transaction.service.empty() ? std::numeric_limits<double>::quiet_NaN()
                                                                 : sample.transaction.service.percentileNs(95) / 1e6);
    }
    return trace;
}

TimeOverlayPlot::TimeOverlayPlot(QWidget* parent)
    : QWidget(parent)
    , m_throughput(new PlotCard(tr("Throughput over time"), tr("transactions/s"), this))
    , m_latency(new PlotCard(tr("95th percentile over time"), tr("ms, service time"), this))
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
    for (PlotCard* card : {m_throughput, m_latency}) {
        card->setXKind(XKind::Clock);
        card->setCrosshairGroup(m_group);
    }
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

void TimeOverlayPlot::setTraces(const std::vector<RunTrace>& traces, const QString& secondary)
{
    double from = 0, to = 1;
    for (const RunTrace& trace : traces) {
        from = std::max(from, trace.warmup);
        if (!trace.seconds.empty())
            to = std::max(to, trace.seconds.back());
    }
    for (PlotCard* card : {m_throughput, m_latency}) {
        const bool throughput = card == m_throughput;
        card->clearSeries();
        card->clearMarks();
        for (const RunTrace& trace : traces) {
            SeriesStyle style;
            style.color = trace.color;
            style.width = 1.5;
            const int series = card->addSeries(trace.name, style);
            card->setEndLabel(series, shortLabel(trace.name));
            const std::vector<double>& values = throughput ? trace.tps : trace.p95Ms;
            card->graph(series).setData(QVector<double>(trace.seconds.begin(), trace.seconds.end()),
                                        QVector<double>(values.begin(), values.end()), true);
        }
        if (from > 0)
            card->addBand(-from, 0, BandKind::Warmup, tr("warm-up"));
        card->setXRange(-from, to);
        card->setSecondary(QStringList{throughput ? tr("transactions/s") : tr("ms, service time"), secondary}.join(
            QStringLiteral(" · ")));
        card->resetZoom();
        card->markDirty();
    }
}

} // namespace dyno
