// SPDX-License-Identifier: GPL-3.0-or-later
// The one rule that makes the figure of a point from its runs.
#include <dyno/report.h>

#include "report/labels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dyno {

namespace {

//! The times that a latency of the run is of; nullptr where they are not stored, or another tool told the figure.
const Histogram* timesOf(const RunSummary& run, const report::LatencyFigure& latency, std::string_view part, double value)
{
    const LatencyTimes* times = &run.times;
    if (!part.empty()) {
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
    if (!latency || !known || runs.size() < 2)
        return result;
    const auto merged = [&](std::size_t without) {
        Histogram all;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (i != without)
                all.merge(*runs[i].times);
        }
        return summarize(all).*latency->member;
    };
    const double figure = merged(runs.size());
    std::vector<double> others; // the figure without one of the runs
    for (std::size_t i = 0; i < runs.size(); ++i)
        others.push_back(merged(i));
    const auto count = static_cast<double>(runs.size());
    const double mean = std::accumulate(others.begin(), others.end(), 0.0) / count;
    if (!std::isfinite(figure) || !std::isfinite(mean))
        return result; // longer than can be told
    // The jackknife (Efron and Stein 1981), centred on the figure. Where every run weighs the same in a mean these are
    // the runs' own figures.
    std::vector<double> shares;
    for (const double one : others)
        shares.push_back(figure + (count - 1) * (mean - one));
    const Estimate spread = estimateOfFigures(shares);
    result.mean = figure;
    result.low = spread.low;
    result.high = spread.high;
    result.shares = std::move(shares);
    result.merged = true;
    return result;
}

std::string centreText(const Pivot& pivot)
{
    std::size_t several = 0, merged = 0;
    for (const PivotCell& cell : pivot.cells) {
        several += cell.estimate.runs.size() > 1 ? 1 : 0;
        merged += cell.estimate.merged ? 1 : 0;
    }
    if (several == 0)
        return {};
    if (pivot.request.centre == Centre::Median)
        return "median of the runs";
    if (merged == 0)
        return "mean of the runs";
    return merged == several ? "of all transactions of the runs together"
                             : "of all transactions of the runs together, or the mean of the runs where their times are "
                               "not stored";
}

} // namespace dyno
