// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/analysis.h>
#include <dyno/library.h>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr std::size_t kFewestStretches = 3;

//! Rates of whole stretches of about `seconds` each; 0: of single intervals. `longest`: the longest of them.
std::vector<double> ratesOf(const IntervalColumns& intervals, double seconds, double& longest)
{
    constexpr double kEarly = 0.99; // a border comes some microseconds early or late
    std::vector<double> rates;
    double count = 0, length = 0, last = 0;
    longest = 0;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        if (intervals.phase[i] != Phase::Measure || intervals.lengthNs[i] <= 0)
            continue;
        count += double(intervals.transaction.count[i]);
        length += double(intervals.lengthNs[i]) * 1e-9;
        if (length < kEarly * seconds)
            continue;
        rates.push_back(count / length);
        last = length;
        longest = std::max(longest, length);
        count = length = 0;
    }
    if (rates.size() > 1 && last < longest / 2)
        rates.pop_back(); // the end of the run cut it short
    return rates;
}

} // namespace

std::optional<Evenness> evennessOf(const IntervalColumns& intervals)
{
    double longest = 0;
    std::vector<double> rates = ratesOf(intervals, 1, longest);
    if (rates.size() < kFewestStretches)
        rates = ratesOf(intervals, 0, longest);
    if (rates.size() < kFewestStretches)
        return {};
    Evenness evenness;
    evenness.stretches = rates.size();
    evenness.stretchSeconds = std::abs(longest - 1) < 0.05 ? 1 : longest;
    const auto [least, most] = std::ranges::minmax(rates);
    evenness.least = least;
    evenness.most = most;
    for (const double rate : rates)
        evenness.mean += rate / double(rates.size());
    double squares = 0;
    for (const double rate : rates)
        squares += (rate - evenness.mean) * (rate - evenness.mean);
    evenness.deviation = std::sqrt(squares / double(rates.size() - 1));
    return evenness;
}

CoursesOf coursesIn(Library& library)
{
    return [&library](const StoredRun& run) -> Expected<std::optional<RunCourse>> {
        if (!run.summary.origin.empty())
            return std::nullopt; // what another tool tells of an interval may be a figure without a count
        const auto columns = library.columns(run.id);
        if (!columns)
            return fail(columns.error());
        // Phases of the load are no unevenness of the target.
        const StallRule rule = stallRuleOf(run.summary);
        return RunCourse{run.summary.phases.size() > 1 ? std::nullopt : evennessOf(*columns),
                         findStalls(*columns, rule)};
    };
}

} // namespace dyno
