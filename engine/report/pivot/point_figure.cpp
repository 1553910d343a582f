// SPDX-License-Identifier: GPL-3.0-or-later
// The one rule that makes the figure of a point from its runs.
#include <dyno/report.h>

#include "report/pivot/labels.h"

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

//! The longest of several runs grows with their number: what is of one transaction alone stays the mean of the runs.
bool isExtreme(const report::LatencyFigure& latency)
{
    return latency.member == &LatencySummary::maxMs || latency.member == &LatencySummary::minMs;
}

//! The times that a latency of the run is of; nullptr where they are not stored, or another tool told the figure.
const Histogram* timesOf(const RunSummary& run, const report::LatencyFigure& latency, std::string_view part,
                         double value)
{
    const LatencyTimes* times = &run.times;
    if (const auto phase = std::ranges::find(run.phases, part, &PhaseSummary::name); phase != run.phases.end()) {
        times = &phase->times;
    } else if (!part.empty()) {
        const auto found = std::ranges::find(run.operations, part, &OperationSummary::name);
        if (found == run.operations.end())
            return nullptr;
        times = &found->times;
    }
    const Histogram& histogram = latency.response ? times->responseOrService() : times->service;
    // Whatever does not give the run's own figure is not what it was made of.
    return !histogram.empty() && summarize(histogram).*latency.member == value ? &histogram : nullptr;
}

} // namespace

std::optional<RunFigure> figureOfRun(const RunSummary& run, const RunSetting& setting, std::string_view measure)
{
    const auto value = measureOf(run, setting, measure);
    if (!value)
        return {};
    const auto [base, part] = splitMeasure(measure);
    const auto latency = report::latencyFigure(base);
    return RunFigure{*value, latency ? timesOf(run, *latency, part, *value) : nullptr};
}

Estimate figureOfPoint(const std::vector<RunFigure>& runs, std::string_view measure)
{
    std::vector<double> values;
    for (const RunFigure& run : runs)
        values.push_back(run.value);
    Estimate result = estimateOfFigures(std::move(values));
    const auto latency = report::latencyFigure(splitMeasure(measure).first);
    const bool known = std::ranges::all_of(runs, [](const RunFigure& run) { return run.times != nullptr; });
    if (!latency || isExtreme(*latency) || !known || runs.size() < 2)
        return result;
    Histogram all;
    for (const RunFigure& run : runs)
        all.merge(*run.times);
    const double figure = summarize(all).*latency->member;
    if (!std::isfinite(figure) || !std::isfinite(result.mean))
        return result; // longer than can be told
    // How much the runs differ is what says how far the figure is known. Leaving out one run at a time would not: a
    // percentile often falls into the same bucket of a histogram then, as if there were no noise at all.
    std::vector<double> shares = result.runs;
    if (result.mean > 0) {
        for (double& share : shares)
            share *= figure / result.mean;
    }
    const Estimate spread = estimateOfFigures(shares);
    result.mean = figure;
    result.low = spread.low;
    result.high = spread.high;
    result.shares = std::move(shares);
    result.merged = true;
    return result;
}

std::string centreText(const std::vector<const Estimate*>& points, Centre centre)
{
    std::size_t several = 0, merged = 0;
    for (const Estimate* point : points) {
        several += point->runs.size() > 1 ? 1 : 0;
        merged += point->merged ? 1 : 0;
    }
    if (several == 0)
        return {};
    if (centre == Centre::Median)
        return "median of the runs";
    if (merged == 0)
        return "mean of the runs";
    return merged == several
               ? "of all transactions of the runs together"
               : "of all transactions of the runs together, or the mean of the runs where their times are "
                 "not stored";
}

std::string centreText(const Pivot& pivot)
{
    std::vector<const Estimate*> points;
    for (const PivotCell& cell : pivot.cells)
        points.push_back(&cell.estimate);
    return centreText(points, pivot.request.centre);
}

} // namespace dyno
