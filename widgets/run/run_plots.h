// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The plots of the run shown, which share an axis of time, and what is marked on it: warm-up, stalls, notes, events.
//! GUI thread.
#pragma once

#include "plots/counter_plot.h"
#include "plots/latency_plot.h"
#include "run/run_baseline.h"
#include "run/shown_run.h"

#include <QTimer>
#include <QWidget>

#include <array>
#include <utility>
#include <vector>

namespace dyno {

//! Values are appended as the model gets them, never drawn anew.
class RunPlots : public QWidget
{
    Q_OBJECT
public:
    RunPlots(const ShownRun& shown, const RunBaseline& baseline, QWidget* parent = nullptr); //!< both must outlive it

    [[nodiscard]] PlotCard& throughput() const { return *m_throughput; }
    [[nodiscard]] LatencyPlot& latency() const { return *m_latency; }
    [[nodiscard]] PlotCard& errors() const { return *m_errors; }
    [[nodiscard]] CounterPlot& counter() const { return *m_counter; }
    [[nodiscard]] std::array<PlotCard*, 6> cards() const;
    void markDirty(); //!< they have come on the screen

signals:
    void stallsChanged(); //!< the model's; looked at once for all samples that come at a time

private:
    void buildCards();
    void layOut();
    void reset();
    void append();
    void appendLatencies(qsizetype from);
    void appendCounter(qsizetype from);
    void updateMarks();
    void addStalls(PlotCard& card) const;
    void checkStalls();
    void showBaseline();

    const ShownRun& m_shown;
    const LiveRunModel& m_model;
    const RunBaseline& m_baseline;
    CrosshairGroup* m_crosshair;
    PlotCard* m_throughput;
    LatencyPlot* m_latency;
    PlotCard *m_errors, *m_client, *m_host;
    CounterPlot* m_counter;
    qsizetype m_drawn = 0; //!< entries of the model's series that the plots hold
    QTimer m_stallCheck;
    std::vector<std::pair<std::int64_t, std::int64_t>> m_stallsDrawn; //!< start and length, ns
};

} // namespace dyno
