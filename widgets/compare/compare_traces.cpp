// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/compare_traces.h"

#include "plots/pivot_table_model.h"
#include "plots/series_labels.h"
#include "qt_text.h"

#include <QCoreApplication>

#include <algorithm>

namespace dyno {

namespace {

struct TracesWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::ComparePage)
};

} // namespace

ChosenRuns chosenRuns(const Chart& chart, const Comparison& comparison, const Pivot& pivot, const RunChoice& choice)
{
    const PivotRequest& request = pivot.request;
    std::vector<const PivotCell*> cells = choice.selected;
    const bool chosen = !cells.empty();
    // An axis that tells the lines apart does not choose among them as well.
    const bool everyX = xIsElsewhere(request);
    for (const PivotCell& cell : pivot.cells) {
        if (!chosen && (everyX || qtText(cell.x) == choice.at))
            cells.push_back(&cell);
    }
    std::vector<WantedTrace> wanted;
    const bool all = !choice.repeat;
    const bool apart = chart.kind().measure; // the others are of whole transactions
    // Facets are small multiples; rows that a person chose are laid over each other.
    const bool multiples = chart.kind().rows && !chosen && !request.facet.empty() && pivot.facets.size() > 1;
    const auto& names = pivot.series;
    const bool arrivals = hasArrivals(comparison.sessions);
    for (const PivotCell* cell : cells) {
        if (!cell->spread.empty() && cell->spread != "mean")
            continue; // the same run
        if (!cell->operation.empty() && cell->estimate.runs.empty())
            continue; // these runs have no such operation
        for (const CellRun& run : runsOf(comparison, request, *cell)) {
            if (!all && run.run->header.repeat != *choice.repeat)
                continue;
            if (!apart && std::ranges::any_of(wanted, [&](const WantedTrace& one) { return one.run == run.run->id; }))
                continue;
            QStringList name;
            if (!cell->series.empty())
                name += casesWords(qtText(request.series), qtText(cell->series));
            if (!multiples && everyX && !cell->facet.empty())
                name += PivotTableModel::facetLabel(request.facet, cell->facet);
            else if (!multiples) // there it stands over the chart
                name += PivotTableModel::facetParts(request.facet, cell->facet, chosen ? std::string() : request.x);
            if (chosen && !everyX && !cell->x.empty())
                name += casesWords(qtText(request.x), qtText(cell->x));
            if (all)
                name += QStringLiteral("#%1").arg(run.run->header.repeat);
            const auto at = std::find(names.begin(), names.end(), cell->series);
            const int series = at == names.end() ? 0 : int(at - names.begin());
            // A colour a series, as in the chart; facets differ by dash.
            const auto& facets = pivot.facets;
            const auto facet = std::find(facets.begin(), facets.end(), cell->facet) - facets.begin();
            const LinePlace place{series, int(names.size()), int(facet), int(facets.size())};
            wanted.push_back({run.run->id, run.run->header.operations,
                              courseMeasuresOf(request.measure, cell->operation, arrivals),
                              name.isEmpty() ? TracesWords::tr("run") : name.join(QStringLiteral(", ")),
                              chosen      ? int(wanted.size())
                              : multiples ? series
                                          : lineColor(place, int(wanted.size())),
                              comparison.sessions[run.session].info.id, run.run->summary.starvation,
                              multiples ? PivotTableModel::facetLabel(request.facet, cell->facet) : QString(),
                              stallRuleOf(run.run->summary), plotPhasesOf(comparison.sessions[run.session], *run.run),
                              countersFor(request.measure, run.run->header)});
        }
    }
    ChosenRuns runs;
    runs.parts = chart.parts();
    runs.parts.response = showsResponse(request.measure, arrivals);
    if (chosen)
        runs.which = TracesWords::tr("selected rows");
    else if (!everyX) // else it is all of them, which the lines' names tell
        runs.which = QStringLiteral("%1 = %2").arg(qtText(request.x), choice.at);
    if (wanted.size() > chart.mostTraces()) {
        runs.which = dotted({runs.which, TracesWords::tr("the first %1 of %2; select rows of the table to see others")
                                             .arg(chart.mostTraces())
                                             .arg(wanted.size())});
        wanted.resize(chart.mostTraces());
    }
    runs.traces = std::move(wanted);
    return runs;
}

Expected<std::vector<RunTrace>> readTraces(Library& library, const ChosenRuns& runs)
{
    std::vector<RunTrace> traces;
    TraceReader reader(library, runs.parts);
    for (const WantedTrace& want : runs.traces) {
        auto trace = reader.read(want);
        if (!trace)
            return fail(trace.error());
        traces.push_back(std::move(*trace));
    }
    return traces;
}

} // namespace dyno
