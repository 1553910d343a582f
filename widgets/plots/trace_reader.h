// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Reads stored runs for the charts of intervals, each run once however many lines it gives. Any thread, one at a time.
#pragma once

#include "plots/trace_plot.h"

#include <dyno/report.h>

namespace dyno {

//! One line of such a chart.
struct WantedTrace
{
    std::int64_t run = 0;                  //!< StoredRun::id
    std::vector<OperationInfo> operations; //!< of its header
    IntervalMeasures measures;
    QString name;
    int color = 0;
    std::string session;        //!< whose notes belong to it
    Starvation starvation = {}; //!< of the run's summary
    QString facet = {};         //!< RunTrace::facet
    StallRule stalls = {};
    std::vector<PlotPhase> phases = {};     //!< of its load, in seconds from the start of the run's first phase
    std::vector<CounterInfo> counters = {}; //!< of its header, where the measure isOfCounters()
};

//! WantedTrace::counters: none where the measure needs none, as there are many.
[[nodiscard]] std::vector<CounterInfo> countersFor(const std::string& measure, const RunHeader& header);

class TraceReader
{
public:
    TraceReader(Library& library, TraceParts parts)
        : m_library(library)
        , m_parts(parts)
    {
    }
    //! With the notes of its session. Of the measures other than throughput and p95 of transactions, trace.tps and
    //! trace.p95Ms hold the amount and the latency that were asked for.
    [[nodiscard]] Expected<RunTrace> read(const WantedTrace& wanted);

private:
    Expected<void> fill(RunTrace& trace, const WantedTrace& wanted);
    Expected<std::vector<double>> valuesOf(const WantedTrace& wanted, const std::string& measure);

    Library& m_library;
    TraceParts m_parts;
    std::int64_t m_run = -1; //!< what the two below are of
    IntervalColumns m_columns;
    std::optional<std::vector<IntervalSample>> m_intervals; //!< read where columns do not tell the measure
};

} // namespace dyno
