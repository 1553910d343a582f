// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/correlation.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace dyno {

namespace {

struct Ranks
{
    std::vector<double> ranks; //!< from 1; equal values share the mean of their ranks
    std::size_t different = 0; //!< values
    double deviation = 0;      //!< sum of squared distances from the mean rank
    double lag = 0;            //!< autocorrelation with the value before
};

Ranks ranksOf(const std::vector<double>& values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::ranges::sort(order, {}, [&values](std::size_t i) { return values[i]; });
    Ranks of;
    of.ranks.resize(values.size());
    for (std::size_t from = 0, to = 0; from < order.size(); from = to) {
        while (to < order.size() && values[order[to]] == values[order[from]])
            ++to;
        for (std::size_t i = from; i < to; ++i)
            of.ranks[order[i]] = 0.5 * double(from + 1 + to);
        ++of.different;
    }
    const double mean = 0.5 * double(values.size() + 1);
    double neighbours = 0;
    for (std::size_t i = 0; i < of.ranks.size(); ++i) {
        of.deviation += (of.ranks[i] - mean) * (of.ranks[i] - mean);
        if (i > 0)
            neighbours += (of.ranks[i] - mean) * (of.ranks[i - 1] - mean);
    }
    if (of.deviation > 0)
        of.lag = neighbours / of.deviation;
    return of;
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
std::optional<RankCorrelation> correlationOf(const Ranks& x, const Ranks& y)
{
    const std::size_t pairs = x.ranks.size();
    if (pairs < 2 || !(x.deviation > 0) || !(y.deviation > 0))
        return std::nullopt;
    const double mean = 0.5 * double(pairs + 1);
    double both = 0;
    for (std::size_t i = 0; i < pairs; ++i)
        both += (x.ranks[i] - mean) * (y.ranks[i] - mean);
    return RankCorrelation{std::clamp(both / std::sqrt(x.deviation * y.deviation), -1.0, 1.0), pairs};
}

//! The least coefficient that is listed; above 1: none.
double leastOf(const Ranks& x, const Ranks& y, const CorrelationRule& rule)
{
    const double alike = std::clamp(x.lag * y.lag, 0.0, 1.0);
    const double worth = double(x.ranks.size()) * (1 - alike) / (1 + alike);
    return worth > 1 ? std::max(rule.least, rule.chance / std::sqrt(worth - 1))
                     : std::numeric_limits<double>::infinity();
}

} // namespace

std::optional<RankCorrelation> rankCorrelation(std::span<const double> x, std::span<const double> y)
{
    const KnownPairs known = knownPairs(x, y);
    return correlationOf(ranksOf(known.x), ranksOf(known.y));
}

std::vector<SeriesCorrelation> correlationsWith(std::span<const double> time, std::span<const double> reference,
                                                const std::vector<std::span<const double>>& series,
                                                const TimeStretch& stretch, const std::vector<TimeStretch>& unusual,
                                                const CorrelationRule& rule, const std::stop_token& stop)
{
    std::vector<std::size_t> counted; // intervals
    for (std::size_t i = 0; i < std::min(time.size(), reference.size()); ++i) {
        const auto covers = [t = time[i]](const TimeStretch& one) { return t >= one.from && t <= one.to; };
        if (covers(stretch) && std::ranges::none_of(unusual, covers) && std::isfinite(reference[i]))
            counted.push_back(i);
    }
    std::vector<double> all; // of the reference
    for (const std::size_t i : counted)
        all.push_back(reference[i]);
    const Ranks allRanks = ranksOf(all);
    std::vector<SeriesCorrelation> found;
    for (std::size_t s = 0; s < series.size() && !stop.stop_requested(); ++s) {
        KnownPairs known;
        for (const std::size_t i : counted) {
            if (i < series[s].size() && std::isfinite(series[s][i])) {
                known.x.push_back(series[s][i]);
                known.y.push_back(reference[i]);
            }
        }
        const std::size_t pairs = known.x.size();
        if (pairs < rule.fewestPairs)
            continue;
        const Ranks x = ranksOf(known.x);
        const Ranks some = pairs < counted.size() ? ranksOf(known.y) : Ranks();
        const Ranks& y = pairs < counted.size() ? some : allRanks;
        if (x.different < rule.fewestValues || y.different < rule.fewestValues)
            continue;
        const auto one = correlationOf(x, y);
        if (one && std::fabs(one->rho) >= leastOf(x, y, rule))
            found.push_back({s, one->rho, pairs});
    }
    std::ranges::stable_sort(found, std::ranges::greater(),
                             [](const SeriesCorrelation& one) { return std::fabs(one.rho); });
    return found;
}

} // namespace dyno
