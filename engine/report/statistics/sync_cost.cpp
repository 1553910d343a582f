// SPDX-License-Identifier: GPL-3.0-or-later
// A straight line by least squares, and what a sync costs by it.
#include <dyno/analysis.h>
#include <dyno/figures.h>
#include <dyno/sync_constant.h>

#include "report/format.h"
#include "report/statistics/student.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <string_view>

namespace dyno {

namespace {

constexpr double kBytesPerMs = 1000; //!< of 1 MB/s
constexpr double kEqualX = 1e-3;     //!< a range of x that is a smaller share of x gives no slope
constexpr double kSameSize = 0.01;   //!< share by which the bytes of two sizes of a commit differ at least
constexpr std::string_view kTransactionTime = "service_mean";
constexpr std::string_view kCommit = "commit";

//! The runs that both cells have, as points.
std::vector<LinePoint> runsOfBoth(const PivotCell& bytes, const PivotCell& times)
{
    std::vector<LinePoint> points;
    if (bytes.repeats == times.repeats && bytes.sittings == times.sittings) { // also where several sessions share them
        for (std::size_t i = 0; i < bytes.estimate.runs.size(); ++i)
            points.push_back({bytes.estimate.runs[i], times.estimate.runs[i]});
        return points;
    }
    for (std::size_t i = 0; i < bytes.repeats.size(); ++i) {
        for (std::size_t j = 0; j < times.repeats.size(); ++j) {
            if (times.repeats[j] == bytes.repeats[i] && times.sittings[j] == bytes.sittings[i]) {
                points.push_back({bytes.estimate.runs[i], times.estimate.runs[j]});
                break;
            }
        }
    }
    return points;
}

//! Transactions to a commit of each run: their log is what the commit writes. Not a number where none was measured by
//! itself.
IntervalFigures transactionsOfCommits(const std::vector<StoredSession>& sessions)
{
    IntervalFigures figures{kLogBytes, {}};
    for (const StoredSession& session : sessions) {
        figures.values.emplace_back();
        for (const StoredRun& run : session.runs) {
            const auto commit = std::ranges::find(run.summary.operations, kCommit, &OperationSummary::name);
            const bool measured = commit != run.summary.operations.end() && commit->count > 0;
            figures.values.back().push_back(measured ? double(run.summary.transactions) / double(commit->count)
                                                     : std::numeric_limits<double>::quiet_NaN());
        }
    }
    return figures;
}

//! What the bytes of a series are held against.
struct SyncTimes
{
    Pivot commits, transactions;
    Pivot shares; //!< transactions to a commit

    SyncTimes(const std::vector<StoredSession>& sessions, PivotRequest request)
    {
        request.relativeTo = RelativeTo::Nothing;
        const IntervalFigures ofCommits = transactionsOfCommits(sessions);
        shares = pivot(sessions, request, &ofCommits);
        request.measure = fmt::format("{}:{}", kTransactionTime, kCommit);
        commits = pivot(sessions, request);
        request.measure = kTransactionTime;
        transactions = pivot(sessions, request);
    }
    [[nodiscard]] bool hasCommits(const std::string& series, const std::string& facet) const
    {
        return std::ranges::any_of(commits.cells, [&](const PivotCell& cell) {
            return cell.series == series && cell.facet == facet && !cell.estimate.runs.empty();
        });
    }
};

//! Bytes and time of the runs of a cell, each by commits where `cost` says so.
std::vector<LinePoint> runsOf(const PivotCell& bytes, const SyncTimes& times, const SyncCost& cost)
{
    const Pivot& of = cost.ofCommits ? times.commits : times.transactions;
    const PivotCell* time = of.cell(bytes.x, cost.series, cost.facet);
    if (!time)
        return {};
    if (!cost.ofCommits)
        return runsOfBoth(bytes, *time);
    const PivotCell* share = times.shares.cell(bytes.x, cost.series, cost.facet);
    if (!share)
        return {};
    PivotCell ofCommits = bytes;
    ofCommits.estimate.runs.clear();
    ofCommits.repeats.clear();
    ofCommits.sittings.clear();
    const bool alike = share->repeats == bytes.repeats && share->sittings == bytes.sittings;
    for (std::size_t i = 0; i < bytes.estimate.runs.size(); ++i) {
        for (std::size_t j = alike ? i : 0; j < share->estimate.runs.size(); ++j) {
            if (share->repeats[j] != bytes.repeats[i] || share->sittings[j] != bytes.sittings[i])
                continue;
            const double size = bytes.estimate.runs[i] * share->estimate.runs[j];
            if (!std::isfinite(size))
                break;
            ofCommits.estimate.runs.push_back(size);
            ofCommits.repeats.push_back(bytes.repeats[i]);
            ofCommits.sittings.push_back(bytes.sittings[i]);
            break;
        }
    }
    return runsOfBoth(ofCommits, *time);
}

//! Sizes that are not the same; `means` are in their order.
int sizesOf(const std::vector<SyncPoint>& means)
{
    int sizes = 0;
    double last = 0;
    for (const SyncPoint& mean : means) {
        if (sizes > 0 && mean.bytes <= last * (1 + kSameSize))
            continue;
        last = mean.bytes;
        ++sizes;
    }
    return sizes;
}

} // namespace

std::optional<LineFit> fitLine(const std::vector<LinePoint>& points)
{
    if (points.size() < std::size_t(kFewestLinePoints))
        return {};
    const auto count = static_cast<double>(points.size());
    double meanX = 0, meanY = 0;
    for (const LinePoint& point : points) {
        if (!std::isfinite(point.x) || !std::isfinite(point.y))
            return {};
        meanX += point.x / count;
        meanY += point.y / count;
    }
    // About the means: sums of squares of large numbers would lose the digits that differ.
    double xx = 0, xy = 0, yy = 0;
    for (const LinePoint& point : points) {
        xx += (point.x - meanX) * (point.x - meanX);
        xy += (point.x - meanX) * (point.y - meanY);
        yy += (point.y - meanY) * (point.y - meanY);
    }
    const auto [low, high] = std::ranges::minmax(points, {}, &LinePoint::x);
    if (high.x - low.x <= kEqualX * std::max(std::abs(low.x), std::abs(high.x))) // also where only rounding differs
        return {};
    if (!std::isfinite(xx) || !std::isfinite(xy) || !std::isfinite(yy)) // a file may hold any number
        return {};
    LineFit fit;
    fit.points = static_cast<int>(points.size());
    fit.slope = xy / xx;
    fit.intercept = meanY - fit.slope * meanX;
    double residual = 0;
    for (const LinePoint& point : points)
        residual += (point.y - fit.at(point.x)) * (point.y - fit.at(point.x));
    const double freedom = count - 2;
    fit.residualDeviation = std::sqrt(residual / freedom);
    fit.slopeError = fit.residualDeviation / std::sqrt(xx);
    fit.interceptError = fit.residualDeviation * std::sqrt(1 / count + meanX * meanX / xx);
    const double t = report::studentQuantile(0.975, freedom);
    fit.slopeHalf = t * fit.slopeError;
    fit.interceptHalf = t * fit.interceptError;
    fit.rSquared = yy > 0 ? 1 - residual / yy : 1;
    fit.lowestX = low.x;
    fit.highestX = high.x;
    return fit;
}

std::optional<double> SyncCost::rate() const
{
    return fit && fit->slope > 0 ? std::optional(1 / (fit->slope * kBytesPerMs)) : std::nullopt;
}

double SyncCost::rateLow() const
{
    return fit && fit->slope + fit->slopeHalf > 0 ? 1 / ((fit->slope + fit->slopeHalf) * kBytesPerMs) : 0;
}

std::optional<double> SyncCost::rateHigh() const
{
    return fit && fit->slope - fit->slopeHalf > 0 ? std::optional(1 / ((fit->slope - fit->slopeHalf) * kBytesPerMs))
                                                  : std::nullopt;
}

double highestConstant(const SyncCost& cost)
{
    return cost.fit ? cost.fit->intercept + cost.fit->interceptHalf : 0;
}

SyncConstant constantOf(const SyncCost& cost)
{
    if (!cost.fit)
        return SyncConstant::None;
    if (highestConstant(cost) < 0)
        return SyncConstant::BelowZero;
    const bool clear = cost.fit->intercept - cost.fit->interceptHalf > 0;
    return clear ? SyncConstant::Clear : SyncConstant::Unclear;
}

SyncCosts syncCostsOf(const std::vector<StoredSession>& sessions, const Pivot& bytes)
{
    SyncCosts costs;
    if (bytes.request.measure != kLogBytes)
        return costs;
    const SyncTimes times(sessions, bytes.request);
    for (const std::string& facet : bytes.facets) {
        for (const std::string& series : bytes.series) {
            SyncCost cost{series, facet, {}, {}, {}, times.hasCommits(series, facet)};
            for (const std::string& x : bytes.xs) {
                const PivotCell* n = bytes.cell(x, series, facet);
                const std::vector<LinePoint> both = n ? runsOf(*n, times, cost) : std::vector<LinePoint>();
                if (both.empty())
                    continue;
                SyncPoint mean{x, 0, 0, both.size()};
                for (const LinePoint& one : both) {
                    mean.bytes += one.x / static_cast<double>(both.size());
                    mean.ms += one.y / static_cast<double>(both.size());
                }
                cost.means.push_back(std::move(mean));
                cost.runs.insert(cost.runs.end(), both.begin(), both.end());
            }
            if (cost.means.empty())
                continue;
            std::ranges::sort(cost.means, {}, &SyncPoint::bytes);
            // Three sizes at least: two and their repeats would lie on a line whatever the truth is.
            if (sizesOf(cost.means) >= kFewestLinePoints)
                cost.fit = fitLine(cost.runs);
            costs.list.push_back(std::move(cost));
        }
    }
    const auto commits = std::ranges::count_if(costs.list, &SyncCost::ofCommits);
    costs.what = commits == 0                        ? SyncCosts::What::Transactions
                 : commits == std::ssize(costs.list) ? SyncCosts::What::Commits
                                                     : SyncCosts::What::Both;
    return costs;
}

std::string toText(const SyncCost& cost)
{
    if (!cost.fit)
        return fmt::format("no line fitted: it needs {} sizes of a commit", kFewestLinePoints);
    const LineFit& fit = *cost.fit;
    const auto of = [&fit](double ms) { return report::human(ms / timeUnitOf(fit.intercept).ms); }; // in K's unit
    std::string text;
    if (const auto rate = cost.rate()) {
        const auto high = cost.rateHigh();
        text = fmt::format("R = {} MB/s ({})", report::human(*rate),
                           high ? fmt::format("{} to {}", report::human(cost.rateLow()), report::human(*high))
                                : fmt::format("at least {}", report::human(cost.rateLow())));
    } else {
        text = "no R: larger commits take no longer";
    }
    switch (constantOf(cost)) {
    case SyncConstant::Clear:
    case SyncConstant::None:
        text += fmt::format(", K = {} ({} to {})", timeText(fit.intercept), of(fit.intercept - fit.interceptHalf),
                            of(fit.intercept + fit.interceptHalf));
        break;
    case SyncConstant::Unclear:
        text += fmt::format(", K may be 0 (at most {})", timeText(highestConstant(cost)));
        break;
    case SyncConstant::BelowZero:
        text += ", no K: the line falls below 0 at small commits";
    }
    return text +
           fmt::format(", residuals ±{}, R² = {} ({})", timeText(fit.residualDeviation), report::plain(fit.rSquared, 3),
                       report::counted(fit.points, "run", "runs")) +
           (cost.ofCommits ? "" : ", of whole transactions");
}

} // namespace dyno
