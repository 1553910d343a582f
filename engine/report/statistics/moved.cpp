// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/moved.h>

#include "report/statistics/robust.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace dyno {

namespace {

bool isWithin(const TimeStretch& stretch, double t)
{
    return t >= stretch.from && t <= stretch.to;
}

std::optional<SeriesMove> moveOf(const std::vector<double>& calm, const std::vector<double>& during,
                                 const MoveRule& rule)
{
    if (calm.empty() || during.empty() || calm.size() < rule.fewestCalm)
        return std::nullopt;
    const double before = medianOf(calm), now = medianOf(during);
    std::vector<double> deviations;
    for (const double value : calm)
        deviations.push_back(std::fabs(value - before));
    const double level = rule.leastSpread * std::max(std::fabs(before), std::fabs(now));
    const double spread = std::max(kMadToDeviation * medianOf(std::move(deviations)), level);
    if (!(spread > 0)) // both are 0
        return std::nullopt;
    SeriesMove move;
    move.before = before;
    move.during = now;
    move.score = (now - before) / spread;
    return std::fabs(move.score) >= rule.least ? std::optional(move) : std::nullopt;
}

//! `calm` and `inside`: intervals. The furthest first.
std::vector<SeriesMove> rankedMoves(const std::vector<std::span<const double>>& series,
                                    const std::vector<std::size_t>& calm, const std::vector<std::size_t>& inside,
                                    const MoveRule& rule)
{
    std::vector<SeriesMove> moves;
    for (std::size_t s = 0; s < series.size(); ++s) {
        const auto known = [&](const std::vector<std::size_t>& intervals) {
            std::vector<double> values;
            for (const std::size_t i : intervals) {
                if (i < series[s].size() && std::isfinite(series[s][i]))
                    values.push_back(series[s][i]);
            }
            return values;
        };
        if (auto move = moveOf(known(calm), known(inside), rule)) {
            move->series = s;
            moves.push_back(*move);
        }
    }
    std::ranges::stable_sort(moves, std::ranges::greater(),
                             [](const SeriesMove& move) { return std::fabs(move.score); });
    return moves;
}

} // namespace

std::vector<SeriesMove> movesIn(std::span<const double> time, const std::vector<std::span<const double>>& series,
                                const TimeStretch& stretch, const std::vector<TimeStretch>& unusual,
                                const MoveRule& rule)
{
    std::vector<std::size_t> calm, inside; // intervals
    for (std::size_t i = 0; i < time.size(); ++i) {
        const double t = time[i];
        const auto covers = [t](const TimeStretch& one) { return isWithin(one, t); };
        if (isWithin(stretch, t))
            inside.push_back(i);
        else if (t < stretch.from && std::ranges::none_of(unusual, covers))
            calm.push_back(i);
    }
    const auto old = [&](std::size_t i) { return time[i] < stretch.from - rule.calmSeconds; };
    const auto recent = std::ranges::find_if_not(calm, old);
    const auto enough = calm.end() - std::ptrdiff_t(std::min(calm.size(), rule.fewestCalm));
    calm.erase(calm.begin(), std::min(recent, enough));
    return rankedMoves(series, calm, inside, rule);
}

std::vector<SeriesMove> movesInAll(std::span<const double> time, const std::vector<std::span<const double>>& series,
                                   const std::vector<TimeStretch>& stretches, const std::vector<TimeStretch>& unusual,
                                   const MoveRule& rule)
{
    std::vector<std::size_t> calm, inside; // intervals
    for (std::size_t i = 0; i < time.size(); ++i) {
        const auto covers = [t = time[i]](const TimeStretch& one) { return isWithin(one, t); };
        if (std::ranges::any_of(stretches, covers))
            inside.push_back(i);
        else if (std::ranges::none_of(unusual, covers))
            calm.push_back(i);
    }
    return rankedMoves(series, calm, inside, rule);
}

std::vector<SeriesMove> movesToShow(const std::vector<SeriesMove>& moves,
                                    const std::function<bool(std::size_t series)>& isHidden, std::size_t shown,
                                    std::size_t hidden)
{
    std::vector<SeriesMove> chosen;
    for (const bool ofHidden : {false, true}) {
        std::size_t most = ofHidden ? hidden : shown;
        for (const SeriesMove& move : moves) {
            if (most == 0)
                break;
            if (isHidden(move.series) != ofHidden)
                continue;
            --most;
            chosen.push_back(move);
        }
    }
    return chosen;
}

std::vector<ErrorBurst> findErrorBursts(const IntervalColumns& intervals, const BurstRule& rule)
{
    const auto& counts = intervals.transaction.count;
    const auto& errors = intervals.transaction.errors;
    const auto isMeasured = [&](std::size_t i) {
        return intervals.phase[i] == Phase::Measure && intervals.lengthNs[i] > 0;
    };
    std::vector<double> rates; // errors a nanosecond
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        if (isMeasured(i))
            rates.push_back(double(errors[i]) / double(intervals.lengthNs[i]));
    }
    const double usualRate = rates.empty() ? 0 : medianOf(std::move(rates));
    std::vector<ErrorBurst> bursts;
    bool open = false;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        const double failed = double(errors[i]), usual = usualRate * double(intervals.lengthNs[i]);
        const bool burst = isMeasured(i) && failed >= rule.leastShare * (failed + double(counts[i])) &&
                           failed > usual + rule.chance * std::sqrt(std::max(usual, 1.0));
        if (burst && !open)
            bursts.push_back({intervals.tNs[i], 0, 0});
        open = burst;
        if (!burst)
            continue;
        bursts.back().lengthNs = intervals.tNs[i] + intervals.lengthNs[i] - bursts.back().tNs;
        bursts.back().errors += errors[i];
    }
    return bursts;
}

} // namespace dyno
