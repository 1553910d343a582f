// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Several runs over the same time axis: throughput above, 95th percentile below, one crosshair. Zero is the start of
//! the measured phase; warm-up lies before it as a grey band. GUI thread.
#pragma once

#include "plots/trace_plot.h"

#include <QWidget>

#include <vector>

namespace dyno {

//! Shows that part of a chart over seconds, as if a person had zoomed in: a double click shows all of it again. `to` =
//! 0: until the end. Nothing is done where the runs had ended before `from`. After the chart has its data.
void showPart(PlotCard& card, double from, double to);

class TimeOverlayPlot : public QWidget
{
    Q_OBJECT
public:
    explicit TimeOverlayPlot(QWidget* parent = nullptr);

    void setTraces(const std::vector<RunTrace>& traces, const QString& secondary, TracePlot::Look look);
    void setTraces(const std::vector<RunTrace>& traces, const QString& secondary) { setTraces(traces, secondary, {}); }
    [[nodiscard]] TracePlot& throughput() const { return *m_throughput; }
    [[nodiscard]] TracePlot& latency() const { return *m_latency; }

protected:
    void resizeEvent(QResizeEvent* event) override; //!< side by side where there is no height for two

private:
    TracePlot* m_throughput;
    TracePlot* m_latency;
    CrosshairGroup* m_group;
    QBoxLayout* m_layout;
};

} // namespace dyno
