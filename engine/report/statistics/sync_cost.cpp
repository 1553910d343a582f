// SPDX-License-Identifier: GPL-3.0-or-later
// A straight line by least squares, and what a sync costs by it.
#include <dyno/analysis.h>

#include "report/format.h"
#include "report/statistics/student.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr double kBytesPerMs = 1000; //!< of 1 MB/s

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

bool measuredCommits(const std::vector<StoredSession>& sessions)
{
    const auto parts = measureParts("service_mean", sessions);
    return std::ranges::find(parts, "commit") != parts.end();
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
    if (!(xx > 0))
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
    const auto [low, high] = std::ranges::minmax(points, {}, &LinePoint::x);
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

SyncCosts syncCostsOf(const std::vector<StoredSession>& sessions, const Pivot& bytes)
{
    SyncCosts costs{measuredCommits(sessions) ? "service_mean:commit" : "service_mean", {}};
    if (bytes.request.measure != kLogBytes)
        return costs;
    PivotRequest request = bytes.request;
    request.measure = costs.measure;
    request.relativeTo = RelativeTo::Nothing;
    const Pivot times = pivot(sessions, request);
    for (const std::string& facet : bytes.facets) {
        for (const std::string& series : bytes.series) {
            SyncCost cost{series, facet, {}, {}, {}};
            for (const std::string& x : bytes.xs) {
                const PivotCell* n = bytes.cell(x, series, facet);
                const PivotCell* time = times.cell(x, series, facet);
                if (!n || !time || n->estimate.runs.empty() || time->estimate.runs.empty())
                    continue;
                const std::vector<LinePoint> both = runsOfBoth(*n, *time);
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
            if (cost.means.size() >= std::size_t(kFewestLinePoints))
                cost.fit = fitLine(cost.runs);
            costs.list.push_back(std::move(cost));
        }
    }
    return costs;
}

std::string toText(const SyncCost& cost)
{
    if (!cost.fit)
        return fmt::format("no line fitted: it needs {} sizes of a commit", kFewestLinePoints);
    const LineFit& fit = *cost.fit;
    std::string text;
    if (const auto rate = cost.rate()) {
        const auto high = cost.rateHigh();
        text = fmt::format("R = {} MB/s ({})", report::human(*rate),
                           high ? fmt::format("{} to {}", report::human(cost.rateLow()), report::human(*high))
                                : fmt::format("at least {}", report::human(cost.rateLow())));
    } else {
        text = "no R: larger commits take no longer";
    }
    return text + fmt::format(", K = {} ms ({} to {}), residuals ±{} ms, R² = {} ({})", report::human(fit.intercept),
                              report::human(fit.intercept - fit.interceptHalf),
                              report::human(fit.intercept + fit.interceptHalf), report::human(fit.residualDeviation),
                              report::plain(fit.rSquared, 3), report::counted(fit.points, "run", "runs"));
}

} // namespace dyno
