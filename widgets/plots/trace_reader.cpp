// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/trace_reader.h"

#include "parts/starved.h"
#include "qt_text.h"

#include <algorithm>

namespace dyno {

std::vector<CounterInfo> countersFor(const std::string& measure, const RunHeader& header)
{
    return isOfCounters(measure) ? header.counters : std::vector<CounterInfo>();
}

Expected<RunTrace> TraceReader::read(const WantedTrace& wanted)
{
    TraceParts parts = m_parts;
    parts.stalls = wanted.stalls;
    auto trace = readTrace(m_library, wanted.run, wanted.name, wanted.color, parts);
    if (!trace)
        return trace;
    const double zero = trace->zero;
    trace->phases = wanted.phases;
    for (PlotPhase& phase : trace->phases) {
        phase.from -= zero;
        phase.to -= zero;
    }
    trace->starved = starvedStretches(wanted.starvation, [&ends = trace->seconds, zero](double from) {
        const auto end = std::ranges::upper_bound(ends, from - zero + kSameInstant);
        return end == ends.end() ? std::nullopt : std::optional(*end + zero);
    });
    for (auto& [from, to] : trace->starved) {
        from -= zero;
        to -= zero;
    }
    // Damaged notes, which the session tells of, leave the lines as they are.
    if (const auto notes = m_library.annotations(wanted.session))
        addNotes(*trace, *notes, wanted.run);
    trace->measures = wanted.measures;
    if (const MeasureInfo* info = findMeasure(wanted.measures.amount); info && isOfCounters(wanted.measures.amount)) {
        const std::string unit = counterUnitOf(wanted.counters, wanted.measures.amount);
        trace->unit = qtText(unit.empty() ? info->unit : unit);
    }
    trace->facet = wanted.facet;
    const IntervalMeasures usual;
    if (wanted.measures.amount != usual.amount)
        trace->evenness.reset(); // it is of transactions
    if (wanted.measures.amount != usual.amount || wanted.measures.latency != usual.latency) {
        if (auto filled = fill(*trace, wanted); !filled)
            return fail(filled.error());
    }
    return trace;
}

Expected<void> TraceReader::fill(RunTrace& trace, const WantedTrace& wanted)
{
    if (m_run != wanted.run) {
        auto columns = m_library.columns(wanted.run, {.operations = true, .counters = false});
        if (!columns)
            return fail(columns.error());
        m_columns = std::move(*columns);
        m_intervals.reset();
        m_run = wanted.run;
    }
    for (const auto& [measure, values] :
         {std::pair(&wanted.measures.amount, &trace.tps), std::pair(&wanted.measures.latency, &trace.p95Ms)}) {
        auto read = valuesOf(wanted, *measure);
        if (!read)
            return fail(read.error());
        values->clear();
        for (std::size_t i = 0; i < read->size() && i < m_columns.size(); ++i) { // as traceOf() chooses them
            const Phase phase = m_columns.phase[i];
            if ((phase == Phase::Warmup || phase == Phase::Measure) && m_columns.lengthNs[i] > 0)
                values->push_back((*read)[i]);
        }
    }
    return {};
}

Expected<std::vector<double>> TraceReader::valuesOf(const WantedTrace& wanted, const std::string& measure)
{
    if (isOfCounters(measure))
        return counterValues(m_library, wanted.run, wanted.operations, wanted.counters, measure);
    if (auto values = intervalValues(m_columns, wanted.operations, measure))
        return std::move(*values);
    if (!m_intervals) {
        auto intervals = m_library.intervals(wanted.run);
        if (!intervals)
            return fail(intervals.error());
        m_intervals = std::move(*intervals);
    }
    return intervalValues(*m_intervals, wanted.operations, measure);
}

} // namespace dyno
