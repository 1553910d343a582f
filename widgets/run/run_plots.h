// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The plots of the run shown, which share an axis of time, and what is marked on it: warm-up, stalls, notes, events.
//! GUI thread.
#pragma once

#include "plots/latency_plot.h"
#include "run/plot_stack.h"
#include "run/run_baseline.h"
#include "run/shown_run.h"

#include <QTimer>
#include <QWidget>

#include <dyno/moved.h>
#include <optional>
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
    //! Until a person chooses, of what matters most where the target is: the main counters of a server, then errors,
    //! generator and host.
    [[nodiscard]] MeasurePlot& small(std::size_t place) const { return *m_stack->plots().at(place); }
    [[nodiscard]] PlotStack& stack() const { return *m_stack; }
    [[nodiscard]] std::vector<PlotCard*> cards() const; //!< those there are now; others come with cardAdded()
    void markDirty();                                   //!< they have come on the screen
    //! Points at this moment of the run in all plots, and shows the whole time again where it lies outside.
    void showMoment(double seconds);
    void zoomAround(double from, double to); //!< seconds of the run; with a little before and after
    void showWhole();                        //!< all of the time again
    void askCorrelation();                   //!< in what is shown of the run

signals:
    void cardAdded(dyno::PlotCard* card);
    void stallZoomed(double seconds);                                 //!< one that is there is shown large
    void rangeChosen(double from, double to);                         //!< seconds: what moved in it is wanted
    void correlationWanted(std::optional<dyno::TimeStretch> stretch); //!< with throughput; none: of the whole run
    void stallsChanged(); //!< the model's; looked at once for all samples that come at a time

private:
    void buildCards();
    void layOut();
    void reset();
    void append();
    void appendLatencies(qsizetype from);
    void joinCard(PlotCard* card);
    void joinSmall(MeasurePlot* plot);
    void updateMarks();
    void markCard(PlotCard& card) const;
    void addStalls(PlotCard& card) const;
    [[nodiscard]] static QString tipOf(const Stall& stall);
    void checkStalls();
    void showBaseline();

    const ShownRun& m_shown;
    const LiveRunModel& m_model;
    const RunBaseline& m_baseline;
    CrosshairGroup* m_crosshair;
    QPushButton* m_whole;
    PlotCard* m_throughput;
    LatencyPlot* m_latency;
    PlotStack* m_stack;
    double m_end = 0;      //!< of the axis of time
    qsizetype m_drawn = 0; //!< entries of the model's series that the plots hold
    QTimer m_stallCheck;
    double m_warmupDrawn = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> m_stallsDrawn; //!< start and length, ns
};

} // namespace dyno
