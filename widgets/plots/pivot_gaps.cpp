// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/pivot_gaps.h"

#include "plots/pivot_table_model.h"
#include <dyno/run_fields.h>

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <map>

namespace dyno {

namespace {

//! True when the cell's point was run to its end: another operation of it has a figure.
bool wasRun(const Pivot& pivot, const PivotCell& cell)
{
    return std::ranges::any_of(pivot.cells, [&cell](const PivotCell& other) {
        const int same = int(other.x == cell.x) + int(other.series == cell.series) + int(other.facet == cell.facet);
        return same == 2 && other.operation != cell.operation && !other.estimate.runs.empty();
    });
}

//! "service_mean:add_index" is of one operation.
bool ofOneOperation(const std::string& measure)
{
    const auto [base, part] = splitMeasure(measure);
    const RunField* field = findRunField(base);
    return !part.empty() && field && field->parts == RunField::Parts::Operations;
}

//! A gap that somebody waits for keeps its place.
bool isMissed(Gap gap)
{
    return gap == Gap::Failed || gap == Gap::Skipped || gap == Gap::Damaged || gap == Gap::NotRun || gap == Gap::Short;
}

//! What all cells of a place have in common: None when some figure is there, Failed or NotRun when one is missed.
template<class Cells>
Gap commonGap(const Pivot& pivot, const Cells& cells)
{
    Gap common = Gap::NotPlanned;
    for (const PivotCell* cell : cells) {
        const Gap gap = gapOf(pivot, cell);
        if (gap == Gap::None)
            return gap;
        if (gap != Gap::NotPlanned && !isMissed(common))
            common = gap;
    }
    return common;
}

//! "not done: load, add_index, no figure: phrase"
QString inWords(const std::map<Gap, QStringList>& left)
{
    QStringList parts;
    for (const auto& [gap, names] : left)
        parts << PivotTableModel::tr("%1: %2", "why, of what").arg(gapText(gap), names.join(QStringLiteral(", ")));
    return parts.join(QStringLiteral(", "));
}

std::vector<const PivotCell*> cellsOf(const Pivot& pivot, const std::string& facet)
{
    std::vector<const PivotCell*> cells;
    for (const PivotCell& cell : pivot.cells) {
        if (cell.facet == facet)
            cells.push_back(&cell);
    }
    return cells;
}

} // namespace

Gap gapOf(const Pivot& pivot, const PivotCell* cell)
{
    if (!cell)
        return Gap::NotPlanned;
    if (std::isfinite(pivot.figure(*cell).value))
        return Gap::None;
    if (cell->noPrice)
        return Gap::NoPrice;
    if (!cell->estimate.runs.empty())
        return Gap::NoFigure; // a share of nothing
    if (!cell->shortRuns.empty())
        return Gap::Short;
    if (cell->failedRuns > 0)
        return Gap::Failed;
    if (cell->damagedRuns > 0)
        return Gap::Damaged;
    if (cell->skippedRuns > 0)
        return Gap::Skipped;
    if (!cell->operation.empty())
        return wasRun(pivot, *cell) ? Gap::NotDone : Gap::NotRun;
    if (!(cell->p95Ms > 0)) // of runs that are done
        return Gap::NotRun;
    return ofOneOperation(pivot.request.measure) ? Gap::NotDone : Gap::NoFigure;
}

QString gapText(Gap gap)
{
    switch (gap) {
    case Gap::None:
        return {};
    case Gap::NotPlanned:
        return PivotTableModel::tr("not planned");
    case Gap::NotDone:
        return PivotTableModel::tr("not done");
    case Gap::NoFigure:
        return PivotTableModel::tr("not measured");
    case Gap::NoPrice:
        return PivotTableModel::tr("no price");
    case Gap::Short:
        return PivotTableModel::tr("incomplete", "of rows or transactions");
    case Gap::Failed:
        return PivotTableModel::tr("failed");
    case Gap::Skipped:
        return PivotTableModel::tr("skipped");
    case Gap::Damaged:
        return PivotTableModel::tr("damaged");
    case Gap::NotRun:
        return PivotTableModel::tr("not run");
    }
    return {};
}

QString spreadWords(const Spread& spread)
{
    const int most = int(spread.most); // two or more, where it is said
    const QString runs = spread.fewest == spread.most
                             ? PivotTableModel::tr("%n runs", "of a cell", most)
                             : PivotTableModel::tr("%1 to %n runs", "fewest to most", most).arg(spread.fewest);
    switch (spread.kind) {
    case SpreadKind::Nothing:
        return {};
    case SpreadKind::One:
        return PivotTableModel::tr("one run each");
    case SpreadKind::RatioOfOne:
        return PivotTableModel::tr("ratio, one run each");
    case SpreadKind::Median:
        return PivotTableModel::tr("median of %1", "runs").arg(runs);
    case SpreadKind::RatioOfMedians:
        return PivotTableModel::tr("ratio of the medians of %1", "runs").arg(runs);
    case SpreadKind::Mean:
        return PivotTableModel::tr("mean and 95 % interval (Student's t) of %1", "runs").arg(runs);
    case SpreadKind::Merged:
        return PivotTableModel::tr(
                   "all transactions of %1 together, 95 % interval (Student's t) from how much the runs differ", "runs")
            .arg(runs);
    case SpreadKind::NoInterval:
        return PivotTableModel::tr("ratio of the means of %1, without an interval", "runs").arg(runs);
    case SpreadKind::Welch:
        return PivotTableModel::tr("ratio and its 95 % interval (Welch's t) of %1", "runs").arg(runs);
    case SpreadKind::Paired:
        return PivotTableModel::tr("ratio and its 95 % interval (pairs, t of logarithms) of %1", "runs").arg(runs);
    case SpreadKind::Both:
        return PivotTableModel::tr("ratio and its 95 % interval (Welch's t; pairs: t of logarithms) of %1", "runs")
            .arg(runs);
    }
    return {};
}

PivotPlaces placesOf(const Pivot& pivot, const std::string& facet, const std::vector<std::size_t>& kept)
{
    PivotPlaces places;
    std::map<Gap, QStringList> left;
    bool any = false;
    for (std::size_t x = 0; x < pivot.xs.size(); ++x) {
        std::vector<const PivotCell*> cells;
        for (const std::string& series : pivot.series)
            cells.push_back(pivot.cell(pivot.xs[x], series, facet));
        const Gap gap = commonGap(pivot, cells);
        any = any || gap == Gap::None;
        if (gap == Gap::None || isMissed(gap) || std::ranges::find(kept, x) != kept.end())
            places.xs.push_back(x);
        else
            left[gap] << QString::fromStdString(pivot.xs[x]);
    }
    if (!any) { // the chart is empty: all it can say is what it would show
        places.xs.clear();
        for (std::size_t x = 0; x < pivot.xs.size(); ++x)
            places.xs.push_back(x);
        return places;
    }
    places.leftOut = inWords(left);
    return places;
}

QString placeWords(const Pivot& pivot, std::size_t series, std::size_t x)
{
    const QString at = PivotTableModel::facetLabel(pivot.request.x, pivot.xs[x]);
    if (pivot.series[series].empty())
        return at;
    return PivotTableModel::facetLabel(pivot.request.series, pivot.series[series]) + QStringLiteral(", ") + at;
}

std::vector<std::string> drawnFacets(const Pivot& pivot)
{
    std::vector<std::string> drawn;
    bool any = false;
    for (const std::string& facet : pivot.facets) {
        const Gap gap = commonGap(pivot, cellsOf(pivot, facet));
        any = any || gap == Gap::None;
        if (gap == Gap::None || isMissed(gap))
            drawn.push_back(facet);
    }
    return any ? drawn : pivot.facets;
}

QString leftOutFacets(const Pivot& pivot)
{
    const std::vector<std::string> drawn = drawnFacets(pivot);
    std::map<Gap, QStringList> left;
    for (const std::string& facet : pivot.facets) {
        if (std::ranges::find(drawn, facet) == drawn.end())
            left[commonGap(pivot, cellsOf(pivot, facet))] << QString::fromStdString(facet);
    }
    return inWords(left);
}

} // namespace dyno
