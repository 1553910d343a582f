// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Several runs over the same time axis: throughput above, 95th percentile below, one crosshair. Zero is the start of
//! the measured phase; warm-up lies before it as a grey band. GUI thread, but for traceOf().
#pragma once

#include "plots/plot_card.h"

#include <dyno/samples.h>

#include <QWidget>

#include <vector>

namespace dyno {

//! A series name as it stands at a line's end: long ones lose their middle. The read-out and the menu show all of it.
[[nodiscard]] QString shortLabel(const QString& name);

//! One run as a curve: a value an interval, at the interval's end.
struct RunTrace
{
    QString name;
    int color = 0;                           //!< series colour; from six on the dash varies
    double warmup = 0;                       //!< seconds before zero
    std::vector<double> seconds, tps, p95Ms; //!< p95Ms is NaN where nothing finished
};
//! Any thread.
[[nodiscard]] RunTrace traceOf(const std::vector<IntervalSample>& intervals, const QString& name, int color);

class TimeOverlayPlot : public QWidget
{
    Q_OBJECT
public:
    explicit TimeOverlayPlot(QWidget* parent = nullptr);

    void setTraces(const std::vector<RunTrace>& traces, const QString& secondary);
    [[nodiscard]] PlotCard& throughput() const { return *m_throughput; }
    [[nodiscard]] PlotCard& latency() const { return *m_latency; }

protected:
    void resizeEvent(QResizeEvent* event) override; //!< side by side where there is no height for two

private:
    PlotCard* m_throughput;
    PlotCard* m_latency;
    CrosshairGroup* m_group;
    QBoxLayout* m_layout;
};

} // namespace dyno
