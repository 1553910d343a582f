// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/analysis.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace dyno {

namespace {

//! How far a knee stands above the diagonal, as a share of the curve's height: less is what noise makes of a line.
constexpr double kLeastBend = 0.05;

//! From 0 to 1.
std::vector<double> normalised(std::vector<double> values)
{
    const auto [low, high] = std::ranges::minmax(values);
    for (double& value : values)
        value = (value - low) / (high - low);
    return values;
}

//! How far a curve that rises and flattens lies above its diagonal; of another curve once it is turned into one.
std::vector<double> aboveDiagonal(const std::vector<LinePoint>& points, bool falls, bool convex)
{
    std::vector<double> x, y;
    for (const LinePoint& point : points) {
        x.push_back(point.x);
        y.push_back(falls ? -point.y : point.y);
    }
    x = normalised(std::move(x));
    y = normalised(std::move(y));
    std::vector<double> above;
    for (std::size_t i = 0; i < x.size(); ++i)
        above.push_back(convex != falls ? x[i] - y[i] : y[i] - x[i]); // the turned one, seen from its other end
    if (convex != falls)
        std::ranges::reverse(above);
    return above;
}

} // namespace

std::optional<std::size_t> findKnee(const std::vector<LinePoint>& points, double sensitivity)
{
    const std::size_t count = points.size();
    const auto isNumber = [](const LinePoint& point) { return std::isfinite(point.x) && std::isfinite(point.y); };
    if (count < kFewestKneePoints || !std::ranges::all_of(points, isNumber) ||
        std::ranges::adjacent_find(points, std::greater_equal<>(), &LinePoint::x) != points.end())
        return {};
    const LinePoint first = points.front(), last = points.back();
    const auto [low, high] = std::ranges::minmax(points, {}, &LinePoint::y);
    if (!(high.y > low.y))
        return {};
    const bool falls = last.y < first.y;
    double chord = 0; // how far the points lie above the line from the first to the last
    for (const LinePoint& point : points)
        chord += point.y - first.y - (last.y - first.y) * (point.x - first.x) / (last.x - first.x);
    const bool convex = chord < 0;
    const std::vector<double> above = aboveDiagonal(points, falls, convex);
    const double fall = sensitivity / double(count - 1); // the mean distance of normalised x
    std::optional<std::size_t> top;
    double threshold = 0;
    for (std::size_t i = 1; i + 1 < count; ++i) { // an end is no knee
        const double before = above[i - 1], after = above[i + 1];
        if (above[i] >= kLeastBend && above[i] >= before && above[i] >= after) {
            top = i;
            threshold = above[i] - fall;
        }
        if (above[i] <= before && above[i] <= after)
            threshold = 0;
        if (top && above[i + 1] < threshold)
            return convex != falls ? count - 1 - *top : *top;
    }
    return {};
}

} // namespace dyno
