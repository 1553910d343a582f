// SPDX-License-Identifier: GPL-3.0-or-later
// What the figures and bars of a chart are, in words.
#include <dyno/report.h>

#include <algorithm>
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

std::string spreadText(const Pivot& pivot, std::optional<std::string_view> facet)
{
    std::size_t fewest = std::numeric_limits<std::size_t>::max(), most = 0;
    bool pairs = false, means = false; // of which the ratios' intervals are
    for (const PivotCell& cell : pivot.cells) {
        if ((facet && cell.facet != *facet) || cell.estimate.runs.empty())
            continue;
        fewest = std::min(fewest, cell.estimate.runs.size());
        most = std::max(most, cell.estimate.runs.size());
        if (cell.ratio.low && cell.ratio.high)
            (cell.ratio.pairs > 0 ? pairs : means) = true;
    }
    if (most == 0)
        return {};
    const bool relative = pivot.request.relativeTo != RelativeTo::Nothing;
    if (most == 1)
        return relative ? "ratio, one run each" : "one run each";
    const std::string runs = runsText(fewest, most);
    if (pivot.request.centre == Centre::Median)
        return fmt::format("{} of {}", relative ? "ratio of the medians" : "median", runs);
    if (!relative)
        return fmt::format("mean and 95 % interval (Student's t) of {}", runs);
    if (!pairs && !means)
        return fmt::format("ratio of the means of {}, without an interval", runs);
    const char* const how = pairs && means ? "Fieller; pairs: t of logarithms" : pairs ? "pairs, t of logarithms" : "Fieller";
    return fmt::format("ratio and its 95 % interval ({}) of {}", how, runs);
}

} // namespace dyno
