// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/analysis.h>
#include <dyno/load_phases.h>

#include "report/format.h"
#include "report/pivot/labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace dyno {

namespace {

using Parameters = std::array<double, 3>; // λ, σ, κ
using Free = std::array<bool, 3>;         // which of them are fitted; the others stay 0

double valueOf(const Parameters& p, double n)
{
    return p[0] * n / (1 + p[1] * (n - 1) + p[2] * n * (n - 1));
}

double residual(const std::vector<ScalingPoint>& points, const Parameters& p)
{
    double sum = 0;
    for (const ScalingPoint& point : points) {
        const double off = point.throughput - valueOf(p, point.users);
        sum += off * off;
    }
    return std::isfinite(sum) ? sum : std::numeric_limits<double>::max();
}

//! Gauss's elimination with the largest pivot; false when the equations have no single answer.
bool solve(std::array<std::array<double, 4>, 3>& a, Parameters& x)
{
    for (std::size_t column = 0; column < 3; ++column) {
        std::size_t best = column;
        for (std::size_t row = column + 1; row < 3; ++row) {
            if (std::fabs(a[row][column]) > std::fabs(a[best][column]))
                best = row;
        }
        if (!(std::fabs(a[best][column]) > 0))
            return false;
        std::swap(a[column], a[best]);
        for (std::size_t row = 0; row < 3; ++row) {
            if (row == column)
                continue;
            const double factor = a[row][column] / a[column][column];
            for (std::size_t i = column; i < 4; ++i)
                a[row][i] -= factor * a[column][i];
        }
    }
    for (std::size_t i = 0; i < 3; ++i)
        x[i] = a[i][3] / a[i][i];
    return true;
}

//! One step of Levenberg and Marquardt with damping `mu` (Marquardt's scaling by the diagonal).
bool stepFrom(const std::vector<ScalingPoint>& points, const Parameters& p, const Free& free, double mu,
              Parameters& step)
{
    std::array<std::array<double, 4>, 3> normal{};
    for (const ScalingPoint& point : points) {
        const double n = point.users;
        const double below = 1 + p[1] * (n - 1) + p[2] * n * (n - 1);
        const double x = p[0] * n / below;
        const Parameters slope{n / below, -x * (n - 1) / below, -x * n * (n - 1) / below};
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j)
                normal[i][j] += free[i] && free[j] ? slope[i] * slope[j] : 0;
            normal[i][3] += free[i] ? slope[i] * (point.throughput - x) : 0;
        }
    }
    for (std::size_t i = 0; i < 3; ++i)
        normal[i][i] = free[i] ? normal[i][i] * (1 + mu) : 1;
    return solve(normal, step);
}

Parameters fitFrom(const std::vector<ScalingPoint>& points, Parameters p, const Free& free)
{
    constexpr int kMostSteps = 500;
    double mu = 1e-3;
    double now = residual(points, p);
    for (int i = 0; i < kMostSteps && mu < 1e16; ++i) {
        Parameters step{};
        if (!stepFrom(points, p, free, mu, step))
            break;
        Parameters next = p;
        for (std::size_t k = 0; k < 3; ++k)
            next[k] += step[k];
        // The denominator must stay positive at every measured number of users, or the curve has a pole there.
        const bool sound = next[0] > 0 && std::all_of(points.begin(), points.end(), [&next](const ScalingPoint& one) {
                               return 1 + next[1] * (one.users - 1) + next[2] * one.users * (one.users - 1) > 0;
                           });
        const double then = sound ? residual(points, next) : std::numeric_limits<double>::max();
        if (then > now) {
            mu *= 10;
            continue;
        }
        const bool still = now - then <= 1e-15 * now;
        p = next;
        now = then;
        if (still && mu < 1e-6)
            break;
        mu = std::max(mu / 10, 1e-15);
    }
    return p;
}

//! A point of the curve that is surely on its way to the best one: σ and κ of Gunther's quadratic, with the throughput
//! of the fewest users as λ.
Parameters startOf(const std::vector<ScalingPoint>& points)
{
    const auto fewest =
        std::min_element(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.users < b.users; });
    return {fewest->throughput / fewest->users, 0.02, 0.0001};
}

} // namespace

double UslFit::at(double users) const
{
    return valueOf({lambda, sigma, kappa}, users);
}

std::optional<double> UslFit::bestUsers() const
{
    if (!(kappa > 0) || sigma >= 1)
        return {};
    return std::max(1.0, std::sqrt((1 - sigma) / kappa));
}

std::optional<double> UslFit::peak() const
{
    const auto best = bestUsers();
    return best ? std::optional(at(*best)) : std::nullopt;
}

bool UslFit::peakWasMeasured() const
{
    const auto best = bestUsers();
    return best && *best <= mostUsers;
}

std::optional<UslFit> fitUsl(const std::vector<ScalingPoint>& points)
{
    std::set<double> users;
    for (const ScalingPoint& point : points) {
        if (!(point.users >= 1) || !(point.throughput > 0) || !std::isfinite(point.throughput))
            return {};
        users.insert(point.users);
    }
    if (users.size() < kFewestUslUsers)
        return {};
    // With bounds at 0 the best lies inside, or on a border where one or both are 0: each is tried.
    std::optional<Parameters> best;
    for (const Free& free :
         {Free{true, true, true}, Free{true, true, false}, Free{true, false, true}, Free{true, false, false}}) {
        Parameters start = startOf(points);
        for (std::size_t i = 0; i < 3; ++i)
            start[i] = free[i] ? start[i] : 0;
        const Parameters found = fitFrom(points, start, free);
        if (found[1] < 0 || found[2] < 0)
            continue;
        if (!best || residual(points, found) < residual(points, *best))
            best = found;
    }
    if (!best)
        return {};
    UslFit fit{(*best)[0], (*best)[1], (*best)[2], 0, static_cast<int>(points.size()), *users.begin(), *users.rbegin()};
    double mean = 0, total = 0;
    for (const ScalingPoint& point : points)
        mean += point.throughput / static_cast<double>(points.size());
    for (const ScalingPoint& point : points)
        total += (point.throughput - mean) * (point.throughput - mean);
    fit.rSquared = total > 0 ? 1 - residual(points, *best) / total : 1;
    return fit;
}

namespace {

//! Groups of users, or phases of the load: throughput is of no one number of users.
bool mixesUsers(const PointSpec& point)
{
    return !point.load.groups.empty() || changesLoad(point.load);
}

std::vector<StoredSession> withoutMixed(const std::vector<StoredSession>& sessions)
{
    std::vector<StoredSession> kept;
    for (const StoredSession& session : sessions) {
        StoredSession& own = kept.emplace_back(session);
        std::erase_if(own.runs, [&points = own.header.points](const StoredRun& run) {
            const auto point = static_cast<std::size_t>(run.summary.point);
            return run.summary.point >= 0 && point < points.size() && mixesUsers(points[point]);
        });
    }
    return kept;
}

} // namespace

std::vector<Scaling> scalingOf(const std::vector<StoredSession>& sessions, const PivotRequest& request)
{
    const bool mixed = std::ranges::any_of(
        sessions, [](const StoredSession& session) { return std::ranges::any_of(session.header.points, mixesUsers); });
    const std::vector<StoredSession> kept = mixed ? withoutMixed(sessions) : std::vector<StoredSession>();
    const std::vector<StoredSession>& shown = mixed ? kept : sessions;
    PivotRequest asked;
    asked.measure = "tps";
    asked.x = "users";
    asked.series = request.series == "users" ? std::string() : request.series;
    asked.facet = request.facet == "users" ? std::string() : request.facet;
    if (request.x != "users" && asked.series.empty())
        asked.series = request.x; // what stood on x is told apart by colour
    for (const CaseRef& held : request.fixed) {
        if (held.axis != "users")
            asked.fixed.push_back(held);
    }
    const Pivot throughput = pivot(shown, asked);
    asked.series = throughput.request.series;
    asked.facet = throughput.request.facet;
    asked.measure = "response_mean";
    const Pivot response = pivot(shown, asked);
    std::vector<Scaling> list;
    for (const std::string& facet : throughput.facets) {
        for (const std::string& series : throughput.series) {
            Scaling scaling{series, facet, {}, {}, {}, 0, {}};
            std::vector<ScalingPoint> runs;
            for (const std::string& x : throughput.xs) {
                const PivotCell* cell = throughput.cell(x, series, facet);
                const auto users = report::numberOf(x);
                if (!cell || cell->estimate.runs.empty() || !users)
                    continue;
                scaling.means.push_back({*users, cell->estimate.mean});
                for (const double run : cell->estimate.runs)
                    runs.push_back({*users, run});
            }
            if (scaling.means.size() < 2)
                continue;
            scaling.fit = fitUsl(runs);
            scaling.mostUsers = scaling.means.back().users;
            if (const ScalingPoint& first = scaling.means.front(); first.users == 1 && first.throughput > 0) {
                scaling.gapToLinear = 1 - scaling.means.back().throughput / (first.throughput * scaling.mostUsers);
                const PivotCell* single = response.cell("1", series, facet);
                if (single && !single->estimate.runs.empty())
                    scaling.singleUserMs = single->estimate.mean;
            }
            list.push_back(std::move(scaling));
        }
    }
    return list;
}

std::string toText(const UslFit& fit, std::string_view unit)
{
    std::string text = fmt::format("σ = {}, κ = {}", report::human(fit.sigma), report::human(fit.kappa));
    if (const auto best = fit.bestUsers()) {
        text +=
            fmt::format(", N* = {}, peak {} {}", report::human(std::round(*best)), report::human(*fit.peak()), unit);
        if (!fit.peakWasMeasured())
            text += fmt::format(" (beyond the {} users measured)", report::plain(fit.mostUsers, 0));
    } else {
        text += fit.sigma >= 1 ? ", falls from one user on" : ", no peak";
    }
    return text +
           fmt::format(", R² = {} ({})", report::plain(fit.rSquared, 3), report::counted(fit.runs, "run", "runs"));
}

} // namespace dyno
