// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/analysis.h>

#include "report/format.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace dyno {

namespace {

struct Run
{
    int order; //!< in the session
    double value;
};

//! Variance of Kendall's S of n values, corrected for groups of equal ones.
double varianceOfScore(std::vector<double> values)
{
    const auto term = [](double n) { return n * (n - 1) * (2 * n + 5); };
    std::sort(values.begin(), values.end());
    double variance = term(static_cast<double>(values.size()));
    for (std::size_t i = 0; i < values.size();) {
        std::size_t next = i;
        while (next < values.size() && values[next] == values[i])
            ++next;
        variance -= term(static_cast<double>(next - i));
        i = next;
    }
    return variance / 18;
}

} // namespace

Drift driftOf(const StoredSession& session, std::string_view measure)
{
    std::map<int, std::vector<Run>> points;
    for (const StoredRun& run : session.runs) {
        const auto value = measureOf(run.summary, settingOf(session, run), measure);
        if (run.summary.status == RunStatus::Done && value)
            points[run.summary.point].push_back({run.header.index, *value});
    }
    Drift drift;
    double variance = 0;
    std::vector<double> slopes; // per run of the session
    int first = 0, last = 0;
    for (auto& [point, runs] : points) {
        if (runs.size() < 2)
            continue;
        std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.order < b.order; });
        std::vector<double> values;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            values.push_back(runs[i].value);
            for (std::size_t j = i + 1; j < runs.size(); ++j) {
                const double change = runs[j].value - runs[i].value;
                drift.score += change > 0 ? 1 : change < 0 ? -1 : 0;
                ++drift.pairs;
                if (runs[i].value != 0)
                    slopes.push_back(change / runs[i].value / static_cast<double>(runs[j].order - runs[i].order));
            }
        }
        variance += varianceOfScore(std::move(values));
        first = drift.runs == 0 ? runs.front().order : std::min(first, runs.front().order);
        last = std::max(last, runs.back().order);
        drift.runs += static_cast<int>(runs.size());
    }
    if (variance > 0 && drift.score != 0) {
        const double z = (std::fabs(drift.score) - 1) / std::sqrt(variance);
        drift.p = std::erfc(z / std::sqrt(2.0));
    }
    if (!slopes.empty()) {
        std::sort(slopes.begin(), slopes.end());
        const std::size_t half = slopes.size() / 2;
        const double slope = slopes.size() % 2 ? slopes[half] : (slopes[half - 1] + slopes[half]) / 2;
        drift.perSession = slope * static_cast<double>(last - first);
    }
    return drift;
}

std::string toText(const Drift& drift)
{
    if (!drift.tested())
        return "drift not tested: too few repeats of the same point";
    const std::string how =
        fmt::format("seasonal Kendall test over {}, p = {}", report::counted(drift.runs, "run", "runs"),
                    drift.p < 0.001 ? std::string("below 0.001") : report::plain(drift.p, 3));
    if (!drift.shown())
        return fmt::format("no drift shown ({})", how);
    return fmt::format("drifted by {}{} % from the first run to the last ({})", drift.perSession < 0 ? "−" : "+",
                       report::plain(std::fabs(100 * drift.perSession), 1), how);
}

} // namespace dyno
