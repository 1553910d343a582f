// SPDX-License-Identifier: GPL-3.0-or-later
// What the figures and bars of a chart are, in words.
#include <dyno/report.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace dyno {

namespace {

//! "3 runs", "1 to 3 runs".
std::string runsText(std::size_t fewest, std::size_t most)
{
    return fewest == most ? fmt::format("{} runs", most) : fmt::format("{} to {} runs", fewest, most);
}

} // namespace

Spread spreadOf(const Pivot& pivot, std::optional<std::string_view> facet)
{
    Spread spread{.fewest = std::numeric_limits<std::size_t>::max()};
    bool pairs = false, means = false; // of which the ratios' intervals are
    std::size_t several = 0, merged = 0;
    for (const PivotCell& cell : pivot.cells) {
        if ((facet && cell.facet != *facet) || cell.estimate.runs.empty())
            continue;
        spread.fewest = std::min(spread.fewest, cell.estimate.runs.size());
        spread.most = std::max(spread.most, cell.estimate.runs.size());
        several += cell.estimate.runs.size() > 1 ? 1 : 0;
        merged += cell.estimate.merged ? 1 : 0;
        if (cell.ratio.low && cell.ratio.high)
            (cell.ratio.pairs > 0 ? pairs : means) = true;
    }
    if (spread.most == 0)
        return {};
    const bool relative = pivot.request.relativeTo != RelativeTo::Nothing;
    if (spread.most == 1)
        spread.kind = relative ? SpreadKind::RatioOfOne : SpreadKind::One;
    else if (pivot.request.centre == Centre::Median)
        spread.kind = relative ? SpreadKind::RatioOfMedians : SpreadKind::Median;
    else if (!relative)
        spread.kind = merged > 0 && merged == several ? SpreadKind::Merged : SpreadKind::Mean;
    else if (pairs && means)
        spread.kind = SpreadKind::Both;
    else
        spread.kind = pairs ? SpreadKind::Paired : means ? SpreadKind::Welch : SpreadKind::NoInterval;
    return spread;
}

double spanOf(const Pivot& pivot, SpanOf what)
{
    double least = std::numeric_limits<double>::infinity(), most = 0;
    const auto see = [&](double figure) {
        if (!std::isfinite(figure))
            return;
        least = std::min(least, figure);
        most = std::max(most, figure);
    };
    for (const PivotCell& cell : pivot.cells) {
        if (what == SpanOf::Figures)
            see(pivot.figure(cell).value);
        else
            std::ranges::for_each(cell.estimate.runs, see);
    }
    return least > 0 && most > 0 ? most / least : 0;
}

std::string spreadText(const Pivot& pivot, std::optional<std::string_view> facet)
{
    const Spread spread = spreadOf(pivot, facet);
    const std::string runs = runsText(spread.fewest, spread.most);
    switch (spread.kind) {
    case SpreadKind::Nothing:
        return {};
    case SpreadKind::One:
        return "one run each";
    case SpreadKind::RatioOfOne:
        return "ratio, one run each";
    case SpreadKind::Median:
        return "median of " + runs;
    case SpreadKind::RatioOfMedians:
        return "ratio of the medians of " + runs;
    case SpreadKind::Mean:
        return "mean and 95 % interval (Student's t) of " + runs;
    case SpreadKind::Merged:
        return fmt::format("all transactions of {} together, 95 % interval (Student's t) from how much the runs differ",
                           runs);
    case SpreadKind::NoInterval:
        return fmt::format("ratio of the means of {}, without an interval", runs);
    case SpreadKind::Welch:
        return "ratio and its 95 % interval (Welch's t) of " + runs;
    case SpreadKind::Paired:
        return "ratio and its 95 % interval (pairs, t of logarithms) of " + runs;
    case SpreadKind::Both:
        return "ratio and its 95 % interval (Welch's t; pairs: t of logarithms) of " + runs;
    }
    return {};
}

} // namespace dyno
