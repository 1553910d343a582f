// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/correlation.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace dyno {

namespace {

//! From 1; equal values share the mean of their ranks.
std::vector<double> ranksOf(const std::vector<double>& values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::ranges::sort(order, {}, [&values](std::size_t i) { return values[i]; });
    std::vector<double> ranks(values.size());
    for (std::size_t from = 0, to = 0; from < order.size(); from = to) {
        while (to < order.size() && values[order[to]] == values[order[from]])
            ++to;
        for (std::size_t i = from; i < to; ++i)
            ranks[order[i]] = 0.5 * double(from + 1 + to);
    }
    return ranks;
}

std::size_t differentValues(std::vector<double> values)
{
    std::ranges::sort(values);
    return std::size_t(std::unique(values.begin(), values.end()) - values.begin());
}

struct KnownPairs
{
    std::vector<double> x, y;
};

KnownPairs knownPairs(std::span<const double> x, std::span<const double> y)
{
    KnownPairs known;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        if (!std::isfinite(x[i]) || !std::isfinite(y[i]))
            continue;
        known.x.push_back(x[i]);
        known.y.push_back(y[i]);
    }
    return known;
}

//! Pearson's coefficient of the ranks, which is Spearman's with and without ties.
std::optional<RankCorrelation> correlationOf(const KnownPairs& known)
{
    const std::size_t pairs = known.x.size();
    if (pairs < 2)
        return std::nullopt;
    const std::vector<double> x = ranksOf(known.x), y = ranksOf(known.y);
    const double mean = 0.5 * double(pairs + 1);
    double both = 0, ofX = 0, ofY = 0;
    for (std::size_t i = 0; i < pairs; ++i) {
        both += (x[i] - mean) * (y[i] - mean);
        ofX += (x[i] - mean) * (x[i] - mean);
        ofY += (y[i] - mean) * (y[i] - mean);
    }
    if (!(ofX > 0) || !(ofY > 0))
        return std::nullopt;
    return RankCorrelation{std::clamp(both / std::sqrt(ofX * ofY), -1.0, 1.0), pairs};
}

} // namespace

std::optional<RankCorrelation> rankCorrelation(std::span<const double> x, std::span<const double> y)
{
    return correlationOf(knownPairs(x, y));
}

std::vector<SeriesCorrelation> correlationsWith(std::span<const double> time, std::span<const double> reference,
                                                const std::vector<std::span<const double>>& series,
                                                const TimeStretch& stretch, const std::vector<TimeStretch>& unusual,
                                                const CorrelationRule& rule)
{
    std::vector<std::size_t> counted; // intervals
    for (std::size_t i = 0; i < std::min(time.size(), reference.size()); ++i) {
        const auto covers = [t = time[i]](const TimeStretch& one) { return t >= one.from && t <= one.to; };
        if (covers(stretch) && std::ranges::none_of(unusual, covers) && std::isfinite(reference[i]))
            counted.push_back(i);
    }
    std::vector<SeriesCorrelation> found;
    for (std::size_t s = 0; s < series.size(); ++s) {
        KnownPairs known;
        for (const std::size_t i : counted) {
            if (i < series[s].size() && std::isfinite(series[s][i])) {
                known.x.push_back(series[s][i]);
                known.y.push_back(reference[i]);
            }
        }
        const std::size_t pairs = known.x.size();
        if (pairs < rule.fewestPairs || differentValues(known.x) < rule.fewestValues ||
            differentValues(known.y) < rule.fewestValues)
            continue;
        const auto one = correlationOf(known);
        if (one && std::fabs(one->rho) >= std::max(rule.least, rule.chance / std::sqrt(double(pairs - 1))))
            found.push_back({s, one->rho, pairs});
    }
    std::ranges::stable_sort(found, std::ranges::greater(),
                             [](const SeriesCorrelation& one) { return std::fabs(one.rho); });
    return found;
}

} // namespace dyno
