// SPDX-License-Identifier: GPL-3.0-or-later
// The best figure of each series over x.
#include <dyno/figures.h>
#include <dyno/report.h>

#include "report/export/markdown_text.h"
#include "report/format.h"

#include <algorithm>
#include <fmt/format.h>

namespace dyno {

namespace {

std::optional<Peak> peakOf(const Pivot& pivot, const std::string& series, const std::string& facet)
{
    const bool higher = pivot.measure().higherIsBetter;
    std::optional<Peak> peak;
    std::size_t places = 0;
    std::string last; // of this series: others may go on
    for (const std::string& x : pivot.xs) {
        const PivotCell* cell = pivot.cell(x, series, facet);
        if (!cell || cell->estimate.runs.empty())
            continue;
        ++places;
        last = x;
        const Figure figure = pivot.figure(*cell);
        const bool better = !peak || (higher ? figure.value > peak->figure.value : figure.value < peak->figure.value);
        if (better)
            peak = Peak{.series = series, .facet = facet, .x = x, .figure = figure};
    }
    if (places < 2)
        return {};
    peak->atEnd = pivot.numericX && peak->x == last;
    return peak;
}

} // namespace

std::vector<Peak> peaksOf(const Pivot& pivot)
{
    std::vector<Peak> peaks;
    if (!findMeasure(pivot.request.measure) || !pivot.measure().judged ||
        pivot.request.relativeTo != RelativeTo::Nothing || !pivot.ratios)
        return peaks;
    for (const std::string& facet : pivot.facets) {
        const std::size_t first = peaks.size();
        for (const std::string& series : pivot.series) {
            if (auto peak = peakOf(pivot, series, facet))
                peaks.push_back(std::move(*peak));
        }
        const auto baseline = std::find_if(peaks.begin() + std::ptrdiff_t(first), peaks.end(), [&](const Peak& one) {
            return pivot.series.size() > 1 && one.series == pivot.request.baseline;
        });
        if (baseline == peaks.end() || !(baseline->figure.value > 0))
            continue;
        const double value = baseline->figure.value;
        for (std::size_t i = first; i < peaks.size(); ++i)
            peaks[i].toBaseline = peaks[i].figure.value / value;
    }
    return peaks;
}

std::string peaksTable(const Pivot& pivot)
{
    using report::escaped;
    const std::vector<Peak> peaks = peaksOf(pivot);
    if (peaks.empty())
        return {};
    const MeasureInfo measure = pivot.measure();
    const bool facets = pivot.facets.size() > 1;
    const bool ratios = std::ranges::any_of(peaks, [](const Peak& one) { return one.toBaseline > 0; });
    const bool follows = unitFollowsSize(measure.unit);
    const auto number = [&](double v) { return follows ? amountText(v, measure.unit) : report::human(v); };
    std::vector<std::string> head;
    if (facets)
        head.push_back(escaped(pivot.request.facet));
    head.push_back(escaped(pivot.request.series.empty() ? "series" : pivot.request.series));
    const std::string unit = follows ? std::string() : fmt::format(" ({})", escaped(measure.unit));
    head.push_back((measure.higherIsBetter ? "maximum" : "minimum") + unit);
    head.push_back("at " + escaped(pivot.request.x));
    if (ratios)
        head.push_back("÷ " + escaped(pivot.request.baseline));
    std::string text = fmt::format("**{} of {} over {}**\n\n", measure.higherIsBetter ? "Maxima" : "Minima",
                                   escaped(measure.label), escaped(pivot.request.x));
    text += report::row(head) + report::rule(head.size());
    bool beyond = false;
    for (const Peak& one : peaks) {
        std::vector<std::string> cells;
        if (facets)
            cells.push_back(escaped(one.facet));
        cells.push_back(one.series.empty() ? "all runs" : escaped(one.series));
        cells.push_back(one.figure.low && one.figure.high
                            ? number(one.figure.value) + " " +
                                  boundsText(*one.figure.low, *one.figure.high, one.figure.value, measure.unit)
                            : number(one.figure.value));
        cells.push_back(escaped(one.x) + (one.atEnd ? " †" : ""));
        if (ratios)
            cells.push_back(one.toBaseline > 0 ? report::ratio(one.toBaseline) : "–");
        beyond = beyond || one.atEnd;
        text += report::row(cells);
    }
    text += fmt::format("\nThe {} was chosen after the runs: its lead is a little flattered by that, and no difference "
                        "between these figures is tested.\n",
                        measure.higherIsBetter ? "maximum" : "minimum");
    if (beyond)
        text += fmt::format("\n† At the last value of {} that was measured: a better figure may lie beyond.\n",
                            escaped(pivot.request.x));
    return text;
}

} // namespace dyno
