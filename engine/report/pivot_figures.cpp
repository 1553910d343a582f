// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of a pivot that is there.
#include <dyno/report.h>

#include "report/format.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

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

Figure Pivot::figure(const PivotCell& cell) const
{
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
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

std::string Pivot::hint() const
{
    const MeasureInfo info = measure();
    if (mixedCurrencies)
        return "The prices are in different currencies: the figures cannot be compared with each other.";
    const auto without = std::count_if(cells.begin(), cells.end(), [](const PivotCell& cell) { return cell.noPrice; });
    if (without == 0)
        return {};
    const bool watts = info.needs == PriceNeed::Watts;
    return fmt::format("{} {} left out: {} {} given for the target (target.{} in the plan).",
                       report::counted(without, "cell", "cells"), without == 1 ? "is" : "are",
                       watts ? "no watts" : "no cost per hour", watts ? "are" : "is",
                       watts ? "watts" : "cost_per_hour");
}

} // namespace dyno
