// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of a pivot that is there.
#include <dyno/report.h>

#include "base/none.h"
#include "report/format.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace dyno {

namespace {

double centreOf(const Estimate& estimate, Centre centre)
{
    return centre == Centre::Median ? estimate.median : estimate.mean;
}

} // namespace

const PivotCell* Pivot::cell(std::string_view x, std::string_view oneSeries, std::string_view facet) const
{
    for (const PivotCell& candidate : cells) {
        if (candidate.x == x && candidate.series == oneSeries && candidate.facet == facet)
            return &candidate;
    }
    return nullptr;
}

const PivotCell* Pivot::best(std::string_view facet) const
{
    const bool higherIsBetter = measure().higherIsBetter;
    const PivotCell* best = nullptr;
    double most = 0;
    for (const PivotCell& candidate : cells) {
        if (candidate.facet != facet || candidate.estimate.runs.empty() || mixedCurrencies)
            continue;
        const double value = centreOf(candidate.estimate, request.centre);
        if (!best || (higherIsBetter ? value > most : value < most)) {
            best = &candidate;
            most = value;
        }
    }
    return best;
}

Estimate estimateOfFigures(std::vector<double> runs, std::size_t together)
{
    Estimate result = estimate(std::move(runs), together);
    if (!result.low || !result.high || !std::ranges::all_of(result.runs, [](double run) { return run > 0; }))
        return result;
    // The delta method: the standard error of log(mean) is that of the mean, divided by the mean.
    const double reach = (*result.high - result.mean) / result.mean;
    result.low = result.mean * std::exp(-reach);
    result.high = result.mean * std::exp(reach);
    return result;
}

Figure Pivot::figure(const PivotCell& cell) const
{
    if (cell.estimate.runs.empty())
        return {kNone, {}, {}};
    const double centre = centreOf(cell.estimate, request.centre);
    if (request.relativeTo != RelativeTo::Nothing) {
        if (cell.ratio.value == 0 && centre != 0)
            return {kNone, {}, {}}; // nothing to compare it with
        const auto percent = [](double share) { return 100 * share; };
        Figure figure{percent(cell.ratio.value), {}, {}};
        if (cell.ratio.low && cell.ratio.high) {
            figure.low = percent(*cell.ratio.low);
            figure.high = percent(*cell.ratio.high);
        }
        return figure;
    }
    if (request.centre == Centre::Median)
        return {centre, {}, {}};
    return {centre, cell.estimate.low, cell.estimate.high};
}

MeasureInfo Pivot::measure() const
{
    const MeasureInfo* known = findMeasure(request.measure);
    if (!known)
        return {request.measure, request.measure, {}, true, PriceNeed::Nothing};
    MeasureInfo info = *known;
    if (!counterUnit.empty())
        info.unit = counterUnit;
    const bool ofOperations = std::ranges::any_of(cells, [](const PivotCell& cell) { return !cell.operation.empty(); });
    if (ofOperations && info.id == "transactions") {
        info.label = "Number of operations";
        info.unit = "operations";
    }
    if (info.needs != PriceNeed::CostPerHour || currency.empty())
        return info;
    for (std::string* text : {&info.label, &info.unit}) {
        constexpr std::string_view kUnit = "unit of cost";
        if (const std::size_t at = text->find(kUnit); at != std::string::npos)
            text->replace(at, kUnit.size(), currency);
    }
    return info;
}

MeasureInfo Pivot::shown() const
{
    MeasureInfo info = measure();
    if (request.relativeTo == RelativeTo::Nothing)
        return info;
    info.unit = "%";
    info.label += request.relativeTo == RelativeTo::Best ? ", % of the best" : ", % of " + request.baseline;
    return info;
}

namespace {

//! "InnoDB, 4 users: stopped at 120 s with 1 200 000 of 4 000 000 rows": the cells whose runs did not do them all.
std::string shortRunsText(const Pivot& pivot)
{
    constexpr std::size_t kMostCells = 4, kMostRuns = 2;
    std::vector<std::string> cells;
    std::size_t more = 0;
    for (const PivotCell& cell : pivot.cells) {
        if (cell.shortRuns.empty())
            continue;
        if (cells.size() == kMostCells) {
            ++more;
            continue;
        }
        std::vector<std::string> names, distinct;
        if (pivot.series.size() > 1)
            names.push_back(cell.series);
        if (pivot.xs.size() > 1)
            names.push_back(pivot.request.x == "users" ? cell.x + (cell.x == "1" ? " user" : " users") : cell.x);
        if (pivot.facets.size() > 1)
            names.push_back(cell.facet);
        for (const std::string& text : cell.shortRuns) {
            if (std::ranges::find(distinct, text) == distinct.end())
                distinct.push_back(text);
        }
        if (const std::size_t others = distinct.size(); others > kMostRuns) {
            distinct.resize(kMostRuns);
            distinct.push_back("and " +
                               report::counted(static_cast<long long>(others - kMostRuns), "more run", "more runs"));
        }
        cells.push_back(
            fmt::format("{}{}{}", fmt::join(names, ", "), names.empty() ? "" : ": ", fmt::join(distinct, ", ")));
    }
    if (cells.empty())
        return {};
    return fmt::format("Runs that did not do all that was asked for are left out: {}{}.", fmt::join(cells, "; "),
                       more > 0 ? "; and " + report::counted(static_cast<long long>(more), "more cell", "more cells")
                                : "");
}

} // namespace

std::string Pivot::hint() const
{
    const MeasureInfo info = measure();
    if (mixedCurrencies)
        return "The prices are in different currencies: the figures cannot be compared with each other.";
    const auto without = std::count_if(cells.begin(), cells.end(), [](const PivotCell& cell) { return cell.noPrice; });
    if (without == 0)
        return shortRunsText(*this);
    const bool watts = info.needs == PriceNeed::Watts;
    return fmt::format("{} {} left out: {} {} given for the target (target.{} in the plan).",
                       report::counted(without, "cell", "cells"), without == 1 ? "is" : "are",
                       watts ? "no watts" : "no cost per hour", watts ? "are" : "is",
                       watts ? "watts" : "cost_per_hour");
}

} // namespace dyno
